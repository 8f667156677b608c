//! Space-time bounds (H93): from promised bounds on accelerations follows when bodies can meet at the
//! earliest, and nothing is done for them until then.
//!
//! Each body is followed from step to step (`track.rs`): its place, its way, and a check that it kept
//! its promise, O(n) and cheap. As long as it does, a parabolic horn holds its boxes to come. From
//! time to time an epoch begins: the boxes around all horns up to the end of the epoch, where they
//! expire, are joined, and each pair found gets the time before which the two cannot meet
//! (`meeting.rs`), until which it waits in a calendar. A pair whose time has come is looked at, and judged anew
//! from what both bodies did meanwhile, which is tighter than what was known at the beginning.
//! Pairs that are nearer than the resolution are looked at in every step.
//!
//! A body that breaks its promise gets a new horn in the same step, so that nothing is missed, and is
//! named. Bodies without a promise are held against all others in every step; if they are many, the
//! step is left to `columns`. What comes out are exactly the pairs of overlapping boxes, whatever was
//! promised or kept.
//!
//! Departs from the paper: horns are intersected themselves, not the polyhedra around them, pair by pair
//! and not all at the earliest time of any. The form as printed is [`Sweep::Faces`], pruner
//! `h93-spacetime`: one time for all, at which all bounds are made anew; cutting planes are not swept
//! there. Memory O(n + near pairs).

mod calendar;
mod epoch;
mod faces;
mod meeting;
#[cfg(test)]
mod tests;
mod track;

use super::columns::Columns;
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use calendar::{Calendar, Entry};
use epoch::Epoch;
use faces::{Trapezoid, first_of_all};
use impinge_geom::aabb::overlap;
use impinge_simd::follow::meeting;
use impinge_simd::sweep::Boxes8;
use meeting::{first_meeting, first_meeting_along};
use track::Tracks;

/// Its name.
pub const NAME: &str = "spacetime";
/// Its name in the form as printed.
pub const PAPER_NAME: &str = "h93-spacetime";

/// How it goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The least time, in steps, that is worth knowing apart: pairs that may meet sooner are looked at
    /// in every step until it has passed.
    pub resolution: u32,
    /// How the times are found.
    pub sweep: Sweep,
}

/// How it is found when bodies can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// A time for each pair of horns that come near each other within an epoch.
    Horns,
    /// One time for all hyper-trapezoids, by sweeping their faces (H93).
    Faces,
}

impl Settings {
    /// The form as printed.
    pub const PAPER: Self = Self { resolution: 4, sweep: Sweep::Faces };
}

impl Default for Settings {
    fn default() -> Self {
        Self { resolution: 4, sweep: Sweep::Horns }
    }
}

/// After so many steps hyper-trapezoids expire.
const TRAPEZOID_STEPS: u64 = 64;
/// A pair whose time is not worked out again before its epoch ends.
const NEVER: u32 = 1 << 30;

/// So many pairs that may meet within an epoch, per body, are not too many.
const NEAR_PER_BODY: usize = 8;
/// And so many in any case.
const NEAR_ANYWAY: usize = 256;
/// Up to so many slots, all pairs of horns are looked at when an epoch begins.
const FEW: usize = 128;
/// One body in so many may be without a horn, and so many in any case, before a step is done whole.
const LOOSE_ONE_IN: usize = 16;
const LOOSE_ANYWAY: usize = 2;
/// So many times are worked out in a step, per so many bodies and in any case, so that no step has to
/// bear all of an epoch. Pairs that are left over are looked at until it is their turn.
const TIMES_ONE_IN: usize = 8;
const TIMES_ANYWAY: usize = 8;

/// Keeps the pairs that may meet soon, by when.
#[derive(Debug, Default)]
pub struct Spacetime {
    settings: Settings,
    tracks: Tracks,
    /// By slot: rises with every new horn, so that what was concluded from the old one is void.
    versions: Vec<u32>,
    /// Bodies that are pushed, rising.
    pushed: Vec<Pushed>,
    /// Who was there in the last step, and which that was.
    live: Vec<Slot>,
    /// The same, a bit per slot.
    live_bits: Vec<u8>,
    step: Option<u64>,
    epoch: Epoch,
    calendar: Calendar,
    /// Pairs that are looked at in every step.
    close: Vec<Entry>,
    /// The boxes around horns up to the end of the epoch, by slot.
    swept: Bounds,
    /// The same eight at a time.
    horns: Vec<Boxes8>,
    join: Columns,
    plain: Columns,
    /// Bodies without a horn in this step, rising.
    loose: Vec<Slot>,
    broken: Vec<Slot>,
    // Buffers of one step.
    left: Vec<(Slot, f32)>,
    /// Whose promises became stronger.
    narrowed: Vec<Slot>,
    fresh: Vec<Slot>,
    near: Vec<Pair>,
    met: Vec<[u32; 2]>,
}

/// A body whose way is only changed along a half-space.
#[derive(Clone, Copy, Debug)]
struct Pushed {
    slot: Slot,
    push: [f32; 3],
    /// What rounding is allowed to do against it.
    spare: f32,
}

impl Pruner for Spacetime {
    fn name(&self) -> &'static str {
        match self.settings.sweep {
            Sweep::Horns => NAME,
            Sweep::Faces => PAPER_NAME,
        }
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.broken.clear();
        if bounds.promise.is_empty() {
            // There is nothing to build on.
            self.step = None;
            return self.plain.prune(bounds, out);
        }
        if self.step.is_none_or(|seen| seen.checked_add(1) != Some(bounds.step)) {
            self.forget();
        }
        self.step = Some(bounds.step);
        self.note_members(bounds);
        self.follow(bounds);
        let few = |count: usize| count <= LOOSE_ANYWAY + bounds.live.len() / LOOSE_ONE_IN;
        let mends = match self.settings.sweep {
            Sweep::Horns => few(self.left.len()),
            Sweep::Faces => self.left.is_empty(),
        };
        let goes_on = bounds.step < self.epoch.end() && mends;
        self.admit(bounds);
        let progress = if goes_on {
            self.mend(bounds);
            self.look(bounds, out)
        } else if few(self.loose.len()) && self.begin(bounds) {
            self.look(bounds, out)
        } else {
            self.abandon(bounds.step);
            self.plain.prune(bounds, out)
        };
        if progress == Progress::Limit {
            self.step = None;
        }
        progress
    }

    fn broken(&self) -> &[Slot] {
        &self.broken
    }

    fn bytes(&self) -> usize {
        self.tracks.bytes()
            + self.live_bits.capacity()
            + size_of::<Pushed>() * self.pushed.capacity()
            + size_of::<Entry>() * self.close.capacity()
            + size_of::<[f32; 6]>() * self.swept.aabb.capacity()
            + 4 * (self.versions.capacity() + self.live.capacity() + self.loose.capacity())
            + 4 * self.narrowed.capacity()
            + 4 * (self.swept.live.capacity() + self.fresh.capacity() + self.broken.capacity())
            + 8 * (self.near.capacity() + self.left.capacity() + self.met.capacity())
            + size_of::<Boxes8>() * self.horns.capacity()
            + self.calendar.bytes()
            + self.join.bytes()
            + self.plain.bytes()
    }
}

impl Spacetime {
    /// With other settings than the default.
    pub fn with(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    fn forget(&mut self) {
        self.tracks.forget();
        self.live.clear();
        self.live_bits.clear();
        self.pushed.clear();
        self.abandon(0);
        self.epoch.forget();
    }

    /// Ends the epoch, if it is not over by a step.
    fn abandon(&mut self, step: u64) {
        self.close.clear();
        if !self.epoch.is_over(step) {
            self.calendar.clear();
            self.epoch.cut();
        }
    }

    /// Takes note of bodies that came and went, and of promises that changed.
    fn note_members(&mut self, bounds: &Bounds) {
        self.tracks.reserve(bounds.aabb.len());
        self.versions.resize(self.tracks.len(), 0);
        if !same(&self.live, &bounds.live) {
            // Both lists rise.
            let mut still = bounds.live.iter().peekable();
            for slot in &self.live {
                while still.next_if(|other| *other < slot).is_some() {}
                if still.peek() != Some(&slot) {
                    self.tracks.remove(*slot);
                    self.versions[slot.index()] = self.versions[slot.index()].wrapping_add(1);
                }
            }
            self.live.clone_from(&bounds.live);
            self.live_bits.clear();
            self.live_bits.resize(self.tracks.len() / 8, 0);
            for slot in &self.live {
                self.live_bits[slot.index() / 8] |= 1 << (slot.index() % 8);
            }
        }
        self.narrowed.clear();
        for slot in &bounds.promised {
            let promise = bounds.promise.get(slot.index()).and_then(Option::as_ref);
            let pushed = self.pushed.binary_search_by_key(slot, |pushed| pushed.slot).is_ok();
            if !pushed && promise.is_some_and(|promise| self.tracks.is_narrower(*slot, promise)) {
                self.narrowed.push(*slot);
            } else {
                self.tracks.dismiss(*slot);
            }
        }
        let tracks = &self.tracks;
        self.pushed.retain(|pushed| tracks.is_admitted(pushed.slot));
    }

    /// Follows all bodies by a step, and lists those that have no horn or are not within it.
    fn follow(&mut self, bounds: &Bounds) {
        for Pushed { slot, push, spare } in &self.pushed {
            let reach = &bounds.reach[slot.index()];
            if self.tracks.of(*slot).bend_along(reach, push) < -spare {
                self.broken.push(*slot);
                self.tracks.dismiss(*slot);
            }
        }
        self.tracks.follow(bounds, &self.live_bits, &mut self.left);
        // From the next step on: the way to here is from before they were made.
        for slot in &self.narrowed {
            if let Some(promise) = bounds.promise.get(slot.index()).and_then(Option::as_ref) {
                self.tracks.narrow(*slot, promise);
            }
        }
    }

    /// Gives those that have left their horns, or had none, new ones if something is promised.
    fn admit(&mut self, bounds: &Bounds) {
        self.loose.clear();
        self.fresh.clear();
        let (pulled, pushed) = (self.broken.len(), self.pushed.len());
        for i in 0..self.left.len() {
            let (slot, square) = self.left[i];
            self.versions[slot.index()] = self.versions[slot.index()].wrapping_add(1);
            let promise = bounds.promise.get(slot.index()).and_then(Option::as_ref);
            let Some(promise) = promise else {
                self.tracks.dismiss(slot);
                self.loose.push(slot);
                continue;
            };
            if self.tracks.is_admitted(slot) && self.tracks.of(slot).breaks(promise, square) {
                self.broken.push(slot);
            }
            if !self.tracks.admit(slot, promise, bounds) {
                self.loose.push(slot);
                continue;
            }
            self.fresh.push(slot);
            if let Some(push) = promise.push() {
                let (push, spare) = (push.map(|x| x as f32), self.tracks.of(slot).spare(promise));
                self.pushed.push(Pushed { slot, push, spare });
            }
        }
        if pulled > 0 {
            self.broken.sort_unstable();
        }
        if self.pushed.len() > pushed {
            // Whoever left its horn is there twice, the later one first.
            self.pushed.reverse();
            self.pushed.sort_by_key(|pushed| pushed.slot);
            self.pushed.dedup_by_key(|pushed| pushed.slot);
        }
    }

    /// Finds the pairs of bodies with new horns, up to the end of the epoch.
    fn mend(&mut self, bounds: &Bounds) {
        if self.fresh.is_empty() {
            return;
        }
        self.sweep_horns(self.epoch.end() - bounds.step);
        for slot in &self.fresh {
            let aabb = &self.swept.aabb[slot.index()];
            for other in &bounds.live {
                let meets = overlap(aabb, &self.swept.aabb[other.index()]);
                let known = || self.tracks.is_admitted(*other);
                // A pair of fresh ones is left to the lower of them.
                let first = || other > slot || self.fresh.binary_search(other).is_err();
                if meets && other != slot && known() && first() {
                    self.close.push(entry(&self.versions, bounds.step, [slot.0, other.0]));
                }
            }
        }
        self.epoch.scanned(self.fresh.len() * bounds.live.len());
    }

    /// Begins an epoch in this step: joins the horns of all bodies. False if there would be too many
    /// pairs however short it is.
    fn begin(&mut self, bounds: &Bounds) -> bool {
        let n = bounds.live.len();
        if self.settings.sweep == Sweep::Horns {
            self.epoch.adapt(bounds.step, n);
        }
        self.abandon(bounds.step);
        self.swept.live.clear();
        let tracks = &self.tracks;
        let known = bounds.live.iter().filter(|slot| tracks.is_admitted(**slot));
        self.swept.live.extend(known);
        let near_max = NEAR_PER_BODY * n + NEAR_ANYWAY;
        if self.settings.sweep == Sweep::Faces {
            return self.begin_for_all(bounds.step, near_max);
        }
        self.near.reserve(near_max.saturating_sub(self.near.len()));
        self.close.reserve(near_max);
        self.calendar.reserve(near_max);
        while let Some(length) = self.epoch.length() {
            if self.join_horns(length, near_max) {
                self.epoch.begin(bounds.step, n, self.near.len());
                let entry =
                    |pair: &Pair| entry(&self.versions, bounds.step, [pair.a().0, pair.b().0]);
                self.close.extend(self.near.iter().map(entry));
                return true;
            }
            self.epoch.shorten(bounds.step);
        }
        false
    }

    /// Finds the pairs whose boxes around horns overlap for the next so many steps; false if they are too
    /// many.
    fn join_horns(&mut self, length: u64, near_max: usize) -> bool {
        self.sweep_horns(length);
        if self.tracks.len() <= FEW {
            self.met.clear();
            meeting(&self.horns, &mut self.met);
            self.near.clear();
            self.near.extend(self.met.iter().map(|&[a, b]| Pair::new(Slot(a), Slot(b))));
            return self.near.len() <= near_max;
        }
        let mut near = Sink::over(&mut self.near, near_max);
        self.join.prune(&self.swept, &mut near) == Progress::Complete
    }

    /// Boxes around all horns for so many steps.
    fn sweep_horns(&mut self, length: u64) {
        self.tracks.swept((length - 1) as f32, &mut self.horns);
        self.swept.aabb.clear();
        for block in &self.horns {
            let Boxes8 { low: [x, y, z], high: [u, v, w] } = block;
            let boxed = |i: usize| [x[i], y[i], z[i], u[i], v[i], w[i]];
            self.swept.aabb.extend((0..8).map(boxed));
        }
    }

    /// Begins an epoch as (H93) does: until any two can meet. If some can within the resolution, these
    /// are looked at, and it ends with that.
    fn begin_for_all(&mut self, step: u64, near_max: usize) -> bool {
        let shortest = u64::from(self.settings.resolution).clamp(1, TRAPEZOID_STEPS);
        if !self.join_horns(shortest, near_max) {
            return false;
        }
        let mut length = shortest;
        if self.near.is_empty() {
            let around = |slot: &Slot| {
                Trapezoid::around(&self.tracks.of(*slot).horn(), TRAPEZOID_STEPS as f64)
            };
            let bodies: Vec<Trapezoid> = self.swept.live.iter().map(around).collect();
            let first = first_of_all(&bodies, TRAPEZOID_STEPS as f64);
            length = length.max((first * (1.0 - 1e-9)).ceil() as u64);
        }
        self.epoch.begin_for(step, length);
        let rest = (step as u32).wrapping_add(NEVER);
        let wait =
            |pair: &Pair| Entry { rest, ..entry(&self.versions, step, [pair.a().0, pair.b().0]) };
        self.close.extend(self.near.iter().map(wait));
        true
    }

    /// Reports the pairs that overlap, and lets those wait whose time has not come.
    fn look(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.calendar.take(bounds.step, &mut self.close);
        // The first step of an epoch has had enough to do.
        let begun = self.epoch.begins(bounds.step);
        let mut times = if begun { 0 } else { TIMES_ANYWAY + bounds.live.len() / TIMES_ONE_IN };
        let (mut kept, looked, all) = (0, self.close.len(), times);
        for i in 0..looked {
            let mut entry = self.close[i];
            let (a, b) = (entry.a as usize, entry.b as usize);
            if self.versions[a].wrapping_add(self.versions[b]) != entry.stamp {
                continue;
            }
            let overlaps = overlap(&bounds.aabb[a], &bounds.aabb[b]);
            if overlaps && !out.push(Pair::new(Slot(entry.a), Slot(entry.b))) {
                return Progress::Limit;
            }
            // What overlaps now has no time that could be worked out.
            let is_due = || (bounds.step as u32).wrapping_sub(entry.rest) as i32 >= 0;
            if !overlaps && times > 0 && is_due() {
                times -= 1;
                let wait = self.wait(a, b);
                if wait >= (self.epoch.end() - bounds.step) as f64 {
                    continue;
                }
                let wake = bounds.step + wait as u64;
                if wait >= f64::from(self.settings.resolution) {
                    entry.rest = wake as u32;
                    self.calendar.put(wake, entry);
                    continue;
                }
                entry.rest = (bounds.step as u32).wrapping_add(self.settings.resolution);
            }
            self.close[kept] = entry;
            kept += 1;
        }
        self.close.truncate(kept);
        self.epoch.looked(looked, all - times);
        self.add_loose(bounds, out)
    }

    /// For how many steps the two need not be looked at: a whole number.
    fn wait(&self, a: usize, b: usize) -> f64 {
        let (x, y) = (self.tracks.of(Slot(a as u32)).horn(), self.tracks.of(Slot(b as u32)).horn());
        let mut time = first_meeting(&x, &y);
        if !self.pushed.is_empty() {
            for (one, other, slot) in [(&x, &y, a), (&y, &x, b)] {
                let found = self.pushed.binary_search_by_key(&slot, |pushed| pushed.slot.index());
                let Ok(at) = found else { continue };
                let Pushed { push, spare, .. } = &self.pushed[at];
                time = time.max(first_meeting_along(one, other, push, f64::from(*spare)));
            }
        }
        time.ceil()
    }

    /// Adds the pairs of bodies without a horn, which are held against all others.
    fn add_loose(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        for slot in &self.loose {
            let aabb = &bounds.aabb[slot.index()];
            for other in &bounds.live {
                let meets = overlap(aabb, &bounds.aabb[other.index()]);
                // A pair of two such is left to the lower of them.
                let first = || other > slot || self.tracks.is_admitted(*other);
                if meets && other != slot && first() && !out.push(Pair::new(*slot, *other)) {
                    return Progress::Limit;
                }
            }
        }
        self.epoch.scanned(self.loose.len() * bounds.live.len());
        Progress::Complete
    }
}

/// Whether both lists are the same; all are looked at, many at a time.
fn same(a: &[Slot], b: &[Slot]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a.0 ^ b.0)) == 0
}

/// A pair whose time has not been worked out.
fn entry(versions: &[u32], step: u64, [a, b]: [u32; 2]) -> Entry {
    let stamp = versions[a as usize].wrapping_add(versions[b as usize]);
    Entry { a, b, stamp, rest: step as u32 }
}
