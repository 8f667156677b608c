//! The broad phase, as the world sees it.

use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::Pair;
use crate::contract::sink::Sink;

/// Finds the pairs of bodies that may touch.
///
/// Box pruners return exactly the pairs of different live bodies whose boxes overlap; others may
/// return fewer, never missing a pair that touches during the step.
pub trait Pruner: Send {
    /// The name users choose it by.
    fn name(&self) -> &'static str;
    /// Each pair once, in any order.
    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress;
}
