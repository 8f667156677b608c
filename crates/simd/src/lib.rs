//! Vector kernels. The only crate that may say `unsafe`; it speaks arrays, never the types of the other crates.
//!
//! Every kernel is written once, generic over a lane type, and compiled twice: for AVX2 and for a
//! plain-array twin. The order of operations is therefore the same by construction. Products and sums
//! are fused only in the kernels on oriented boxes and leaves, in both forms, where more is granted for
//! rounding than either way needs. Property tests hold the two forms together bit for bit.

pub mod boxes;
pub mod cells;
pub mod coins;
pub mod columns;
pub mod counting;
pub mod descent;
pub mod faces;
pub mod follow;
pub mod halve;
pub mod image;
pub mod lanes;
mod lanes32;
pub mod leaf;
pub mod leaf_gap;
pub mod leaf_point;
pub mod leaf_ray;
pub mod leaf_travel;
pub mod obb;
pub mod obb_point;
pub mod obb_ray;
pub mod prefetch;
pub mod raster;
pub mod shell;
pub mod span;
pub mod spheres;
pub mod sweep;
pub mod swept_cull;
pub mod swept_scan;
pub mod tri_box;
pub mod tri_tri;
mod vec3;
pub mod wide_tree;
