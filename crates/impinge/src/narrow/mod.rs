//! Engines, one folder each. They never import each other; what they share is in `impinge_geom`
//! and in the files beside this one.

pub mod brute;
mod budget;
pub mod bvh;
mod found;
mod instants;
mod models;
mod parts;

use crate::contract::engine::Engine;

type Make = fn() -> Box<dyn Engine>;

/// All engines by name, the default first.
static ENGINES: &[(&str, Make)] = &[
    ("auto", || Box::new(bvh::Bvh::default())),
    (bvh::NAME, || Box::new(bvh::Bvh::default())),
    (brute::NAME, || Box::new(brute::Brute::default())),
];

/// The names of all engines, the default first.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    ENGINES.iter().map(|(name, _)| *name)
}

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    ENGINES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
