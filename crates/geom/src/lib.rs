//! Geometry that the rest of impinge stands on: meshes, poses, bounds and exact tests.
//!
//! Points are plain `[f64; 3]` at every door; `glam` is an inner matter. Nothing here knows of bodies, worlds or files.
//!
//! **Coordinates.** Every coordinate that the exact tests see is zero or has a magnitude between
//! [`COORDINATE_MIN`] and [`COORDINATE_MAX`]: within that range no product of three coordinates
//! overflows or loses bits to underflow, so adaptive predicates are exact. [`mesh::Mesh`] refuses
//! larger ones at the door; smaller ones become zero ([`flush`]), in meshes and in posed vertices alike.

pub mod aabb;
pub mod ask;
pub mod blocks;
pub mod box_tree;
pub mod coins;
pub mod contact;
pub mod distance;
pub mod face_cells;
mod fans;
pub mod first_contact;
mod grouped;
pub mod hierarchy;
pub mod hull;
pub mod image;
pub mod inside;
pub mod mesh;
pub mod motion;
pub mod neighbours;
pub mod obb;
pub mod obb_tree;
pub mod penetration;
pub mod polygon;
pub mod pose;
pub mod predicates;
pub mod ray_triangle;
pub mod recode;
pub mod shells;
pub mod skin;
pub mod sphere;
pub mod topology;
pub mod tri_batch;
pub mod tri_box;
pub mod tri_tri;
pub mod voxels;
pub mod winding;

/// A point or vector in space.
pub type Point = [f64; 3];
/// Three corners, in the order the user gave them. May be degenerate (a segment or a point).
pub type Triangle = [Point; 3];

/// The smallest magnitude but zero of a coordinate, 2⁻³⁰⁰ (about 5·10⁻⁹¹).
pub const COORDINATE_MIN: f64 = f64::from_bits((1023 - 300) << 52);
/// The largest magnitude of a coordinate, 2³⁰⁰ (about 2·10⁹⁰).
pub const COORDINATE_MAX: f64 = f64::from_bits((1023 + 300) << 52);

/// Replaces a coordinate below [`COORDINATE_MIN`] by zero; part of the definition of a posed vertex.
#[inline]
pub fn flush(x: f64) -> f64 {
    if x.abs() < COORDINATE_MIN { 0.0 } else { x }
}
