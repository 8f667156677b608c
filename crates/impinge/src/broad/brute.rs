//! All pairs of boxes. O(n²) time, no memory: the oracle of the other pruners.

use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::Pair;
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::overlap;

/// Its name.
pub const NAME: &str = "brute";

/// Tests every box against every other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Brute;

impl Pruner for Brute {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        for (i, &a) in bounds.live.iter().enumerate() {
            for &b in &bounds.live[i + 1..] {
                let meet = overlap(&bounds.aabb[a.index()], &bounds.aabb[b.index()]);
                if meet && !out.push(Pair::new(a, b)) {
                    return Progress::Limit;
                }
            }
        }
        Progress::Complete
    }

    fn bytes(&self) -> usize {
        0
    }
}
