//! Bodies as voxels and points [V00 §5]: a sparse map of filled voxels, and a shell of points on the
//! surface that are looked up in the map of another body.
//!
//! A [`grid::Grid`] says where voxels are, a [`map::VoxelMap`] which of them are filled. The design, and
//! what can be promised about it, is in docs/notes/voxels.md.

pub mod body;
pub mod border;
mod cover;
pub mod depth;
pub mod field;
pub mod grid;
pub mod lattice;
pub mod look;
pub mod map;
mod order;
pub mod rays;
pub mod seed;
pub mod shapes;
pub mod shell;
pub mod solid;
pub mod soup;
pub mod surface;
pub mod travel;
