//! Pruners, one file each. All read the table of bounds and nothing else.

pub mod brute;
pub mod columns;
pub mod coherent;
mod gather;
mod pair_set;
mod radix;
#[cfg(test)]
mod scenes;
pub mod spheres;
pub mod sweep;
pub mod grid;
pub mod queue;

use crate::contract::pruner::Pruner;

type Make = fn() -> Box<dyn Pruner>;

/// All pruners by name, the default first.
#[rustfmt::skip] // one row each
static PRUNERS: &[(&str, Make)] = &[
    ("auto", || Box::new(brute::Brute)),
    (columns::NAME, || Box::new(columns::Columns::default())),
    (queue::NAME, || Box::new(queue::Queue::default())),
    (brute::NAME, || Box::new(brute::Brute)),
    (coherent::NAME, || Box::<coherent::Coherent>::default()),
    (spheres::NAME, || Box::<spheres::Spheres>::default()),
    (sweep::NAME, || Box::<sweep::Sweep>::default()),
static PRUNERS: &[(&str, Make)] = &[
    ("auto", || Box::new(brute::Brute)),
    (brute::NAME, || Box::new(brute::Brute)),
    (grid::NAME, || Box::<grid::Grid>::default()),
];

/// The names of all pruners, the default first.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    PRUNERS.iter().map(|(name, _)| *name)
}

/// The pruner of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Pruner>> {
    PRUNERS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
