//! Engines, one folder each. They never import each other; what they share is in `impinge_geom`.

pub mod brute;

use crate::contract::engine::Engine;

/// The names of all engines.
pub const NAMES: [&str; 1] = [brute::NAME];

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        "auto" | brute::NAME => Some(Box::new(brute::Brute::default())),
        _ => None,
    }
}
