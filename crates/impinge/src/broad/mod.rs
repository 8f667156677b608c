//! Pruners, one file each. All read the table of bounds and nothing else.

pub mod auto;
pub mod brute;
pub mod coherent;
pub mod columns;
mod gather;
pub mod grid;
mod pair_set;
pub mod queue;
mod radix;
#[cfg(test)]
mod scenes;
pub mod spacetime;
pub mod spheres;
pub(crate) mod still;
pub mod sweep;
pub mod tree;

use crate::contract::pruner::Pruner;

type Make = fn() -> Box<dyn Pruner>;

/// All pruners by name, the default first.
#[rustfmt::skip] // one row each
static PRUNERS: &[(&str, Make)] = &[
    (auto::NAME, || Box::<auto::Auto>::default()),
    (brute::NAME, || Box::new(brute::Brute)),
    (spheres::NAME, || Box::<spheres::Spheres>::default()),
    (sweep::NAME, || Box::<sweep::Sweep>::default()),
    (coherent::NAME, || Box::<coherent::Coherent>::default()),
    (grid::NAME, || Box::<grid::Grid>::default()),
    (columns::NAME, || Box::<columns::Columns>::default()),
    (tree::NAME, || Box::<tree::Tree>::default()),
    (queue::NAME, || Box::<queue::Queue>::default()),
    (spacetime::NAME, || Box::<spacetime::Spacetime>::default()),
    (spacetime::PAPER_NAME, || Box::new(spacetime::Spacetime::with(spacetime::Settings::PAPER))),
];

/// The names of all pruners, the default first.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    PRUNERS.iter().map(|(name, _)| *name)
}

/// The pruner of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Pruner>> {
    PRUNERS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
