//! The central table of bounds [V00 §6]: all that a pruner sees.

use crate::contract::ids::Slot;
use crate::contract::promise::Promise;
use impinge_geom::aabb::Aabb32;

/// One entry per body slot, alive or not; `live` names those that count.
///
/// Time runs from 0 to 1 within a step. Boxes of live slots are never empty and hold no NaN, but
/// may reach to infinity.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The slots of bodies that may move, rising. Frozen bodies are not among them.
    pub live: Vec<Slot>,
    /// The slots of frozen bodies, rising: they are where they were, and are not held against
    /// each other.
    pub frozen: Vec<Slot>,
    /// Where each body is during the whole step: f32, rounded outward from the f64 truth.
    pub aabb: Vec<Aabb32>,
    /// How each body moves during the step.
    pub reach: Vec<Reach>,
    /// The slots whose entries are not what they were in the step before, rising: moved, deformed,
    /// inserted, removed, frozen or thawed bodies.
    pub changed: Vec<Slot>,
    /// What was promised of each body's motion from now on. May be shorter than the other columns: of
    /// the rest nothing is promised. A body that is new, was put somewhere without a way, or changed
    /// its shape has no promise in that step.
    pub promise: Vec<Option<Promise>>,
    /// The slots whose promises are not what they were in the step before, rising.
    pub promised: Vec<Slot>,
    /// The number of the step. What a pruner remembers is good only if it saw step `step - 1`.
    pub step: u64,
}

/// A ball on its way: at time `t` the body lies within `radius` of a point that is at most
/// `acceleration · t² / 2` away from `center + velocity · t`. Rounding is in the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The middle at the start of the step.
    pub center: [f32; 3],
    /// How far the body reaches from there; infinite if nothing better is known.
    pub radius: f32,
    /// Per step.
    pub velocity: [f32; 3],
    /// The most by which the velocity changes, per step and step.
    pub acceleration: f32,
}

impl Reach {
    /// Of a slot without a body.
    pub const NONE: Self =
        Self { center: [0.0; 3], radius: 0.0, velocity: [0.0; 3], acceleration: 0.0 };
}

/// How boxes follow their bodies [V00 §6].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxKind {
    /// Made anew from the turned shape whenever a body moves: tighter.
    #[default]
    Resized,
    /// A cube around the shape's sphere: the same size however the body turns, and less to compute.
    Fixed,
}
