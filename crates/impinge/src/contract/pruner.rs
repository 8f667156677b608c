//! The broad phase, as the world sees it.

use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::sink::Sink;

/// Finds the pairs of bodies that may touch.
///
/// Box pruners return exactly the pairs of different live slots whose boxes overlap; others may
/// return fewer of those, never missing a pair that touches during the step. What is found does not
/// depend on the number of threads, nor on what a pruner remembers of earlier steps; only which
/// pairs are left out at a limit may depend on the steps before.
pub trait Pruner: Send {
    /// The name users choose it by.
    fn name(&self) -> &'static str;
    /// Each pair once, in any order. Ends early, with `Limit`, when `out` has no room for more.
    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress;
    /// The bodies that were found in the last step to have broken their promises, rising. Only pruners
    /// that build on promises look.
    fn broken(&self) -> &[Slot] {
        &[]
    }
    /// The memory it holds between steps.
    fn bytes(&self) -> usize;
}
