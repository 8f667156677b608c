//! Stage `route`: from pairs of bodies to jobs.

use super::body::Bodies;
use crate::contract::ids::{BodyId, Pair, Slot};
use crate::contract::job::{Job, Placed, Placement};
use crate::contract::query::Mode;

/// What jobs depend on besides the pairs.
pub(super) struct Plan<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) mode: Mode,
    /// Whether pairs may be remembered.
    pub(super) memory: bool,
}

/// One job per pair, in the same order; with a key to remember it by, if that is wanted.
pub(super) fn jobs(plan: &Plan<'_>, pairs: &[Pair], jobs: &mut Vec<Job>) {
    let Plan { bodies, mode, memory } = *plan;
    jobs.clear();
    let placed = |slot: Slot| {
        let body = bodies.live(slot);
        let placement = match (bodies.way(slot, mode), &body.placement) {
            (Some(way), _) => way.clone(),
            (None, Placement::Fixed(pose)) => Placement::Fixed(*pose),
            (None, place) => place.end().into(),
        };
        Placed { shape: body.shape, placement }
    };
    jobs.extend(pairs.iter().map(|pair| Job {
        a: placed(pair.a()),
        b: placed(pair.b()),
        itself: pair.is_self(),
        memory: memory.then(|| memory_key(bodies.id(pair.a()), bodies.id(pair.b()))),
        priority: importance(bodies, pair.a()) * importance(bodies, pair.b()),
    }));
}

/// From zero to much: a product of two is a number, whatever users set.
fn importance(bodies: &Bodies, slot: Slot) -> f32 {
    bodies.live(slot).priority.clamp(0.0, 1e15).max(0.0)
}

/// Slots alone would let a new body inherit what was remembered of an old one, so generations are
/// folded in. Two pairs with one key would cost time, never an answer.
fn memory_key(a: BodyId, b: BodyId) -> u64 {
    let fold = |id: BodyId| id.slot.0 ^ id.generation.rotate_left(20);
    (u64::from(fold(a)) << 32) | u64::from(fold(b))
}
