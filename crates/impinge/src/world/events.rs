//! Stage `diff`: what began, went on or ended since the last step.

use super::body::Bodies;
use crate::contract::answer::{Answers, Progress, Verdict};
use crate::contract::bounds::Bounds;
use crate::contract::ids::{BodyId, Pair};
use impinge_geom::aabb::overlap;

/// A change, or the lack of one, between two steps.
///
/// A step in a mode with time sees the whole motion since the step before: two bodies touch in it if
/// they do at any time of that motion, its start and its end included. Two that touch and part
/// within one step begin in that step and end in the first one throughout which they are free; if
/// they meet again in the next step, they stay. With [`Onset::New`](crate::contract::query::Onset)
/// only new contacts count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The two touch and did not in the step before.
    Begin(BodyId, BodyId),
    /// The two touch and did in the step before.
    Stay(BodyId, BodyId),
    /// The two touched in the step before and do not any more, or one of them is gone.
    End(BodyId, BodyId),
}

/// The pairs that touched in the last step, sorted.
#[derive(Debug, Default)]
pub(super) struct Touching {
    now: Vec<[BodyId; 2]>,
    before: Vec<[BodyId; 2]>,
}

/// What the stages before this one saw.
pub(super) struct Seen<'a> {
    pub(super) bodies: &'a Bodies,
    /// Sorted; parallel to the answers.
    pub(super) pairs: &'a [Pair],
    pub(super) pruned: Progress,
    pub(super) bounds: &'a Bounds,
}

/// Compares with the step before. A pair whose verdict is unknown stays as it was, without an event,
/// and so does one that a pruner left out because its limit was reached, or one of two frozen bodies
/// as long as their boxes overlap.
pub(super) fn diff(
    touching: &mut Touching,
    seen: &Seen<'_>,
    answers: &Answers,
    events: &mut Vec<Event>,
) {
    let Touching { now, before } = touching;
    std::mem::swap(now, before);
    now.clear();
    events.clear();
    for (&pair, answer) in seen.pairs.iter().zip(answers.all()) {
        let bodies = [pair.a(), pair.b()].map(|slot| seen.bodies.id(slot));
        let touched = before.binary_search(&bodies).is_ok();
        let [a, b] = bodies;
        match answer.verdict {
            Verdict::Hit(_) => {
                now.push(bodies);
                events.push(if touched { Event::Stay(a, b) } else { Event::Begin(a, b) });
            }
            Verdict::Unknown if touched => now.push(bodies),
            Verdict::Unknown | Verdict::Free => {}
        }
    }
    let left_out = |[a, b]: &&[BodyId; 2]| {
        let (Some(one), Some(two)) = (seen.bodies.get(*a), seen.bodies.get(*b)) else {
            return false;
        };
        let frozen = one.frozen && two.frozen && a != b;
        let [x, y] = [a, b].map(|id| &seen.bounds.aabb[id.slot.index()]);
        (seen.pruned == Progress::Limit || frozen && overlap(x, y))
            && seen.pairs.binary_search(&Pair::new(a.slot, b.slot)).is_err()
    };
    now.extend(before.iter().filter(left_out));
    now.sort_unstable();
    let ended = before.iter().filter(|bodies| now.binary_search(bodies).is_err());
    events.extend(ended.map(|&[a, b]| Event::End(a, b)));
}
