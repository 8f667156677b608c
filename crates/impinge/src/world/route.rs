//! Stage `route`: from pairs of bodies to jobs.

use super::body::Bodies;
use crate::contract::ids::{BodyId, Pair};
use crate::contract::job::{Job, Placed};
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
    jobs.extend(pairs.iter().map(|pair| {
        let [a, b] = [pair.a(), pair.b()].map(|slot| {
            let body = bodies.live(slot);
            let way = bodies.way(slot, mode).cloned();
            let placement = way.unwrap_or_else(|| body.placement.end().into());
            Placed { shape: body.shape, placement }
        });
        let memory = memory.then(|| memory_key(bodies.id(pair.a()), bodies.id(pair.b())));
        Job { a, b, itself: pair.is_self(), memory }
    }));
}

/// Slots alone would let a new body inherit what was remembered of an old one, so generations are
/// folded in. Two pairs with one key would cost time, never an answer.
fn memory_key(a: BodyId, b: BodyId) -> u64 {
    let fold = |id: BodyId| id.slot.0 ^ id.generation.rotate_left(20);
    (u64::from(fold(a)) << 32) | u64::from(fold(b))
}
