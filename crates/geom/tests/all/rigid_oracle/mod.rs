//! When two rigid bodies touch first, found another way than the product does: interval arithmetic
//! with outward rounding and bisection of time. Nothing of the product is used but its data (poses,
//! screws, meshes), so that the two can only be wrong together by accident.
//!
//! Each of the vertex–face and edge–edge pairs of two triangles is held against the volume of its
//! four points and their orientations seen along an axis; triangles, against fixed directions. Every
//! function is bounded over a span of time in mean-value form. What comes out is proven: nothing
//! touches before one time, something does at or before another. What rounding leaves open is told.

#![allow(dead_code, reason = "each test file takes what it needs")]

pub(crate) mod course;
pub(crate) mod features;
pub(crate) mod interval;
pub(crate) mod search;
