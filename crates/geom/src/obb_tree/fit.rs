//! Frames of boxes that fit: from the principal axes, turned while that makes the surface smaller.
//!
//! Principal axes follow the mass of the surface and not its outline; boxes turned to the outline
//! save a fifth of all box tests. The search may look at a sample of the corners: what it finds is a
//! frame and not yet a box.

use crate::obb::orthonormal;
use glam::DVec3;
use impinge_simd::leaf::{Leaf, Points8, reach};

/// Angles by which a frame is turned, in the order in which they are tried.
const TURNS: [f32; 5] = [0.3, 0.15, 0.07, 0.03, 0.012];
/// Frames about the shortest axis that are tried first, over a quarter turn.
const QUARTER: usize = 8;

/// Three directions.
pub(super) type Axes = [[f32; 3]; 3];

/// The corners of a leaf, seen from a point that its middle is `way` from.
pub(super) fn corners(leaf: &Leaf, way: DVec3) -> [Points8; 3] {
    let way: [f32; 3] = way.as_vec3().into();
    let mut corners = leaf.triangles;
    for corner in &mut corners {
        for (column, shift) in corner.iter_mut().zip(way) {
            column.iter_mut().for_each(|x| *x += shift);
        }
    }
    corners
}

/// A frame with the lengths of the box along its axes.
#[derive(Clone, Copy)]
struct Frame {
    axes: Axes,
    lengths: [f32; 3],
}

impl Frame {
    fn surface(&self) -> f32 {
        let [x, y, z] = self.lengths;
        x * y + y * z + z * x
    }
}

/// The frame turned about its shortest axis, the last, to where the box around the points has the
/// least surface.
pub(super) fn turned(points: &[Points8], axes: Axes) -> Axes {
    stored(&quarter(points, axes).axes)
}

/// The same, and turned about all axes as long as that helps.
pub(super) fn tilted(points: &[Points8], axes: Axes) -> Axes {
    let mut best = quarter(points, axes);
    for turn in TURNS {
        for axis in 0..3 {
            for angle in [turn, -turn] {
                best = better(best, after_turn(points, &best, axis, angle));
            }
        }
    }
    stored(&best.axes)
}

fn quarter(points: &[Points8], axes: Axes) -> Frame {
    let start = Frame { axes, lengths: axes.map(|axis| reach(points, axis)) };
    let step = std::f32::consts::FRAC_PI_2 / QUARTER as f32;
    (1..QUARTER).fold(start, |best, k| better(best, after_turn(points, &start, 2, k as f32 * step)))
}

fn better(a: Frame, b: Frame) -> Frame {
    if b.surface() < a.surface() { b } else { a }
}

fn after_turn(points: &[Points8], frame: &Frame, axis: usize, angle: f32) -> Frame {
    let (sine, cosine) = angle.sin_cos();
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let (x, y) = (frame.axes[i], frame.axes[j]);
    let mut new = *frame;
    new.axes[i] = std::array::from_fn(|k| x[k] * cosine + y[k] * sine);
    new.axes[j] = std::array::from_fn(|k| y[k] * cosine - x[k] * sine);
    new.lengths[i] = reach(points, new.axes[i]);
    new.lengths[j] = reach(points, new.axes[j]);
    new
}

/// Orthonormal again, up to the rounding of f32.
fn stored(axes: &Axes) -> Axes {
    let [x, y, _] = axes.map(|axis| DVec3::from(axis.map(f64::from)));
    let frame = orthonormal(x, y);
    [frame.x_axis, frame.y_axis, frame.z_axis].map(|axis| axis.as_vec3().into())
}
