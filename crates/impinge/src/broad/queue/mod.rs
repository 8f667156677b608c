//! Priority queue on a certain lower bound of the time to contact [V00 §6].
//!
//! Each body gets a tube: a straight way with some play, guessed from what was seen of it.
//! From two tubes follows a time before which the bodies cannot meet, in closed form, and the pair
//! waits in the calendar until then. Every step makes sure that each body is still within its
//! tube; one that is not gets a new one, and its pairs are found and judged anew, so nothing is
//! missed whatever bodies do.
//!
//! The paper keeps all n² pairs. Here only those that can meet before a horizon are kept, some steps
//! ahead; a tree over the tubes finds them, for all bodies when the horizon is reached and for
//! single bodies meanwhile. The horizon is the longest with a bounded number of pairs per body. If
//! even two steps are too many, because bodies crowd or move without rule, nothing is kept: the tree
//! over the boxes of the step finds the pairs, as if each step were the first.
//!
//! What comes out are the pairs whose boxes overlap *and* whose balls can touch during the step by
//! the table's own [`Reach`](crate::contract::bounds::Reach), whatever is remembered.
//!
//! Memory O(n + near pairs). Time per step O(n) to verify, plus the pairs that are due, plus
//! O(n log n) when the horizon is reached. It does not profit from more than one thread but there.

mod calendar;
mod meeting;
#[cfg(test)]
mod tests;
mod tree;
mod tube;

use super::gather::{self, Part};
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use calendar::{Calendar, Entry, HORIZON_MAX};
use impinge_geom::aabb::overlap;
use meeting::{NEVER, can_touch, first_meeting};
use tree::{Stack, Tree, Window};
use tube::{Fate, Seen, Tube};

/// Its name.
pub const NAME: &str = "queue";

/// So many waiting pairs per body, and as many per pair that was found, are not too many.
const NEAR_PER_BODY: usize = 4;
/// And so many in any case.
const NEAR_ANYWAY: usize = 1024;

/// Keeps the pairs that may meet soon, by when.
#[derive(Debug, Default)]
pub struct Queue {
    bodies: Vec<Member>,
    /// Of live bodies, with the boxes of their tubes up to the horizon.
    tree: Tree,
    calendar: Calendar,
    /// The last step that was seen.
    step: Option<u64>,
    horizon: Horizon,
    /// How many pairs the last step found.
    found: usize,
    // Buffers of one step.
    left: Vec<u32>,
    due: Vec<Entry>,
    partners: Vec<u32>,
    stack: Stack,
    parts: Vec<Part<Stack>>,
}

/// What is remembered of a slot.
#[derive(Clone, Copy, Debug)]
struct Member {
    tube: Tube,
    seen: Seen,
    /// Rises with every new tube, so that what was concluded from the old one is void.
    version: u32,
    is_live: bool,
    /// Whether it got its tube in this step.
    fresh: bool,
}

const NOBODY: Member = Member {
    tube: Tube::EVERYWHERE,
    seen: Seen::NOTHING,
    version: 0,
    is_live: false,
    fresh: false,
};

/// How far ahead pairs are kept, learnt from how that went.
#[derive(Debug)]
struct Horizon {
    /// In steps; with one step nothing is kept.
    length: u64,
    /// When the pairs of all bodies were last found, and when they will be again.
    begin: u64,
    end: u64,
    /// How many bodies got a new tube since.
    mended: usize,
    /// How many more times the length stays as it is.
    hold: u32,
}

impl Default for Horizon {
    fn default() -> Self {
        Self { length: 2, begin: 0, end: 0, mended: 0, hold: 0 }
    }
}

impl Horizon {
    /// The next length, when `left` of `live` bodies have left their tubes in this step.
    fn adapt(&mut self, step: u64, live: usize, left: usize) {
        if 4 * left > live {
            self.length = ((step - self.begin) / 2).clamp(1, self.length);
            self.hold = 1;
        } else if self.mended > live {
            self.length = (self.length / 2).max(1);
            self.hold = 4;
        } else if self.hold > 0 {
            self.hold -= 1;
        } else {
            self.length = (2 * self.length).min(HORIZON_MAX);
        }
    }

    /// Half of it was too much.
    fn shorten(&mut self) {
        self.length /= 2;
        self.hold = 8;
    }
}

impl Pruner for Queue {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let first = self.step.is_none_or(|seen| seen.checked_add(1) != Some(bounds.step));
        if first {
            self.forget();
        }
        self.step = Some(bounds.step);
        self.bodies.resize(bounds.aabb.len().max(self.bodies.len()), NOBODY);
        self.note_gone(bounds);
        self.note_live(bounds);
        let room = out.room();
        let near_max = NEAR_PER_BODY * (bounds.live.len() + self.found) + NEAR_ANYWAY;
        let near_max = near_max.min(room);
        self.due = self.calendar.take(bounds.step);
        let few_left = 4 * self.left.len() <= bounds.live.len();
        let goes_on = !first && bounds.step < self.horizon.end && few_left;
        let progress = if goes_on && self.mend(bounds, near_max) {
            self.look_at_due(bounds, out)
        } else {
            if goes_on {
                self.horizon.shorten();
            } else if !first {
                self.horizon.adapt(bounds.step, bounds.live.len(), self.left.len());
            }
            self.begin_anew(bounds, near_max, out)
        };
        self.found = room - out.room();
        if progress == Progress::Limit {
            self.forget();
        }
        progress
    }

    fn bytes(&self) -> usize {
        let stacks: usize = self.parts.iter().map(|part| part.scratch.capacity()).sum();
        size_of::<Member>() * self.bodies.capacity()
            + self.tree.bytes()
            + self.calendar.bytes()
            + size_of::<Entry>() * self.due.capacity()
            + 4 * (self.left.capacity() + self.partners.capacity())
            + 8 * (self.stack.capacity() + stacks)
            + gather::bytes(&self.parts)
    }
}

impl Queue {
    fn forget(&mut self) {
        let horizon = Horizon { length: self.horizon.length.max(2), ..Horizon::default() };
        *self = Self { horizon, ..Self::default() };
    }

    /// Takes note of slots that hold no live body any more.
    fn note_gone(&mut self, bounds: &Bounds) {
        // Both lists rise, so that one pass over each finds who is where.
        let mut live = bounds.live.iter().peekable();
        for slot in &bounds.changed {
            while live.next_if(|other| *other < slot).is_some() {}
            let member = &mut self.bodies[slot.index()];
            if member.is_live && live.peek() != Some(&slot) {
                self.tree.remove(slot.0);
                *member = Member { version: member.version.wrapping_add(1), ..NOBODY };
            }
        }
    }

    /// Finds the live bodies that are new or not within their tubes.
    fn note_live(&mut self, bounds: &Bounds) {
        self.left.clear();
        for slot in &bounds.live {
            let (member, reach) = (&mut self.bodies[slot.index()], &bounds.reach[slot.index()]);
            let known = std::mem::replace(&mut member.is_live, true);
            member.seen.look(reach);
            if !known || !member.tube.holds(reach, bounds.step) {
                self.left.push(slot.0);
            }
        }
    }

    /// Gives the bodies that left their tubes new ones and finds their pairs. False if the pairs
    /// become too many.
    fn mend(&mut self, bounds: &Bounds, near_max: usize) -> bool {
        let (step, end) = (bounds.step, self.horizon.end);
        for &slot in &self.left {
            let (member, reach) = (&mut self.bodies[slot as usize], &bounds.reach[slot as usize]);
            let fate = Fate::Left { age: member.tube.age(step) };
            member.tube = member.seen.tube(reach, fate, step);
            member.version = member.version.wrapping_add(1);
            member.fresh = true;
            self.tree.set(slot, member.tube.aabb(step, end));
        }
        self.tree.mend(self.left.len());
        self.horizon.mended += self.left.len();
        let mut fits = true;
        for i in 0..self.left.len() {
            let slot = self.left[i];
            self.find_partners(slot, step);
            for j in 0..self.partners.len() {
                self.schedule(slot, self.partners[j], step);
            }
            fits = self.calendar.held() + self.due.len() <= near_max;
            if !fits {
                break;
            }
        }
        for &slot in &self.left {
            self.bodies[slot as usize].fresh = false;
        }
        fits
    }

    /// Lists the bodies whose tubes come near that of a fresh one. A pair of fresh ones is left to
    /// the lower of them.
    fn find_partners(&mut self, slot: u32, step: u64) {
        let (bodies, partners) = (&self.bodies, &mut self.partners);
        partners.clear();
        let aabb = bodies[slot as usize].tube.aabb(step, self.horizon.end);
        self.tree.query(&Window { aabb, after: 0 }, &mut self.stack, |other| {
            if other > slot || !bodies[other as usize].fresh {
                partners.push(other);
            }
        });
    }

    /// Puts a pair where it belongs, judged from the start of step `from` on: it is due, or it
    /// waits, or the horizon comes first.
    fn schedule(&mut self, a: u32, b: u32, from: u64) {
        let (x, y) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        let left = (self.horizon.end - from) as f64;
        let time = first_meeting(&x.tube.ball(from), &y.tube.ball(from), left);
        if time == NEVER {
            return;
        }
        let entry = Entry { a, b, stamp: x.version.wrapping_add(y.version) };
        // Steps are closed at both ends: what meets at their border belongs to the earlier one, and
        // the time is rounded down, so that the floor is not the later one.
        let wake = from + time as u64;
        if self.step == Some(wake) {
            self.due.push(entry);
        } else if wake < self.horizon.end {
            self.calendar.put(wake, entry);
        }
    }

    /// Finds the pairs of all bodies, for as many steps ahead as is possible.
    fn begin_anew(
        &mut self,
        bounds: &Bounds,
        near_max: usize,
        out: &mut Sink<'_, Pair>,
    ) -> Progress {
        self.calendar.clear();
        self.due.clear();
        self.remake_tubes(bounds);
        let step = bounds.step;
        let mut near = Vec::new();
        while self.horizon.length > 1 {
            self.horizon.end = step + self.horizon.length;
            if self.join_tubes(bounds, &mut Sink::over(&mut near, near_max)) == Progress::Complete {
                break;
            }
            self.horizon.shorten();
        }
        self.horizon =
            Horizon { begin: step, end: step + self.horizon.length, mended: 0, ..self.horizon };
        if self.horizon.length == 1 {
            return self.join_boxes(bounds, out);
        }
        self.parts.clear();
        for pair in near {
            self.schedule(pair.a().0, pair.b().0, step);
        }
        self.look_at_due(bounds, out)
    }

    fn remake_tubes(&mut self, bounds: &Bounds) {
        let mut left = self.left.iter().peekable();
        for slot in &bounds.live {
            let (member, reach) = (&mut self.bodies[slot.index()], &bounds.reach[slot.index()]);
            let age = member.tube.age(bounds.step);
            let has_left = left.next_if(|other| **other == slot.0).is_some();
            let fate = if has_left { Fate::Left { age } } else { Fate::Served { age } };
            member.tube = member.seen.tube(reach, fate, bounds.step);
        }
    }

    /// All pairs of tubes that meet before the horizon.
    fn join_tubes(&mut self, bounds: &Bounds, near: &mut Sink<'_, Pair>) -> Progress {
        let (bodies, step, end) = (&self.bodies, bounds.step, self.horizon.end);
        let boxes = |slot: &Slot| (slot.0, bodies[slot.index()].tube.aabb(step, end));
        self.tree.build(bodies.len(), bounds.live.iter().map(boxes));
        let tree = &self.tree;
        let left = (end - step) as f64;
        gather::gather_bodies(tree.places(), &mut self.parts, near, |places, part, quota| {
            for place in places {
                if quota.full(part.pairs.len()) {
                    return;
                }
                let Some(slot) = tree.slot_at(place) else { continue };
                let tube = &bodies[slot as usize].tube;
                let (aabb, ball) = (tube.aabb(step, end), tube.ball(step));
                let Part { pairs, scratch } = part;
                let meet = |other: u32| {
                    let theirs = bodies[other as usize].tube.ball(step);
                    if first_meeting(&ball, &theirs, left) < NEVER {
                        pairs.push([slot, other]);
                    }
                };
                tree.query(&Window { aabb, after: place + 1 }, scratch, meet);
            }
        })
    }

    /// All pairs that overlap and can touch in this step, found without looking ahead.
    fn join_boxes(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let boxes = |slot: &Slot| (slot.0, bounds.aabb[slot.index()]);
        self.tree.build(self.bodies.len(), bounds.live.iter().map(boxes));
        let tree = &self.tree;
        gather::gather_bodies(tree.places(), &mut self.parts, out, |places, part, quota| {
            for place in places {
                if quota.full(part.pairs.len()) {
                    return;
                }
                let Some(slot) = tree.slot_at(place) else { continue };
                let Part { pairs, scratch } = part;
                let meet = |other: u32| {
                    if matters(bounds, slot, other) {
                        pairs.push([slot, other]);
                    }
                };
                let aabb = bounds.aabb[slot as usize];
                tree.query(&Window { aabb, after: place + 1 }, scratch, meet);
            }
        })
    }

    /// Reports the pairs that are due if they can touch, and lets them wait again.
    fn look_at_due(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let due = std::mem::take(&mut self.due);
        let next = bounds.step + 1;
        for &Entry { a, b, stamp } in &due {
            let (x, y) = (&self.bodies[a as usize], &self.bodies[b as usize]);
            if x.version.wrapping_add(y.version) != stamp {
                continue;
            }
            if matters(bounds, a, b) && !out.push(Pair::new(Slot(a), Slot(b))) {
                return Progress::Limit;
            }
            if next < self.horizon.end {
                self.schedule(a, b, next);
            }
        }
        Progress::Complete
    }
}

/// Whether a pair is to be reported.
fn matters(bounds: &Bounds, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    overlap(&bounds.aabb[a], &bounds.aabb[b]) && can_touch(&bounds.reach[a], &bounds.reach[b])
}
