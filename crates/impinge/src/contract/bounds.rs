//! The central table of bounds [V00 §6]: all that a pruner sees.

use crate::contract::ids::Slot;
use impinge_geom::aabb::Aabb32;

/// One entry per body slot, alive or not; `live` names those that count.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The slots in use, rising.
    pub live: Vec<Slot>,
    /// Where each body is during the whole step: f32, rounded outward from the f64 truth.
    pub aabb: Vec<Aabb32>,
}
