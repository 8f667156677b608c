//! Pruners, one file each. All read the table of bounds and nothing else.

pub mod brute;
mod gather;

use crate::contract::pruner::Pruner;

/// The names of all pruners.
pub const NAMES: [&str; 1] = [brute::NAME];

/// The pruner of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Pruner>> {
    match name {
        "auto" | brute::NAME => Some(Box::new(brute::Brute)),
        _ => None,
    }
}
