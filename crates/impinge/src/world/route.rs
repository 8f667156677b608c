//! Stage `route`: from pairs of bodies to jobs.

use super::body::Bodies;
use crate::contract::ids::{BodyId, Pair};
use crate::contract::job::{Job, Placed};

/// One job per pair, in the same order; with a key to remember it by, if that is wanted.
pub(super) fn jobs((bodies, memory): (&Bodies, bool), pairs: &[Pair], jobs: &mut Vec<Job>) {
    jobs.clear();
    jobs.extend(pairs.iter().map(|pair| {
        let [a, b] = [pair.a(), pair.b()].map(|slot| {
            let body = bodies.live(slot);
            Placed { shape: body.shape, placement: body.placement.clone() }
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
