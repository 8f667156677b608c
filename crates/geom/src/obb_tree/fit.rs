//! Frames of boxes that fit: from the principal axes, turned while that makes the surface smaller.
//!
//! Principal axes follow the mass of the surface and not its outline; boxes turned to the outline
//! save a fifth of all box tests. The search may look at a sample of the corners: what it finds is a
//! frame and not yet a box.

use crate::obb::orthonormal;
use glam::DVec3;
use impinge_simd::leaf::{Points8, Triangles8};
use impinge_simd::span::spans;
use std::sync::LazyLock;

/// Sine and cosine of the angles by which a frame is turned, in the order in which they are tried.
static TURNS: LazyLock<[(f32, f32); 5]> =
    LazyLock::new(|| [0.3f32, 0.15, 0.07, 0.03, 0.012].map(f32::sin_cos));
/// Frames about the shortest axis that are tried first, over a quarter turn.
const QUARTER: usize = 8;
/// Sine and cosine of the directions of their axes, over half a turn.
static HALF_TURN: LazyLock<[(f32, f32); 2 * QUARTER]> = LazyLock::new(|| {
    std::array::from_fn(|k| (k as f32 * (std::f32::consts::FRAC_PI_2 / QUARTER as f32)).sin_cos())
});

/// Three directions.
pub(super) type Axes = [[f32; 3]; 3];

/// The corners of triangles, seen from a point that their middle is `way` from.
pub(super) fn corners(triangles: &Triangles8, way: DVec3) -> Triangles8 {
    let way: [f32; 3] = way.as_vec3().into();
    let mut corners = *triangles;
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
    for &turn in TURNS.iter() {
        for axis in 0..3 {
            best = either_way(points, &best, axis, turn);
        }
    }
    stored(&best.axes)
}

fn quarter(points: &[Points8], [x, y, z]: Axes) -> Frame {
    let directions = HALF_TURN.map(|turn| between(&x, &y, turn));
    let lengths = spans(points, &directions);
    let [height] = spans(points, &[z]);
    let frame = |k: usize| Frame {
        axes: [directions[k], directions[k + QUARTER], z],
        lengths: [lengths[k], lengths[k + QUARTER], height],
    };
    (1..QUARTER).fold(frame(0), |best, k| better(best, frame(k)))
}

fn better(a: Frame, b: Frame) -> Frame {
    if b.surface() < a.surface() { b } else { a }
}

/// The best of the frame, of the frame turned about an axis, and of the frame turned back.
fn either_way(points: &[Points8], frame: &Frame, axis: usize, (sine, cosine): (f32, f32)) -> Frame {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let (x, y) = (frame.axes[i], frame.axes[j]);
    // Directions of one frame stand at 0 and 1, those of the other at 2 and 3.
    let turns = [(sine, cosine), (cosine, -sine), (-sine, cosine), (cosine, sine)];
    let directions = turns.map(|turn| between(&x, &y, turn));
    let lengths = spans(points, &directions);
    let after = |at: usize| {
        let mut new = *frame;
        (new.axes[i], new.axes[j]) = (directions[at], directions[at + 1]);
        (new.lengths[i], new.lengths[j]) = (lengths[at], lengths[at + 1]);
        new
    };
    better(better(*frame, after(0)), after(2))
}

/// The direction that is turned from `x` towards `y`.
fn between(x: &[f32; 3], y: &[f32; 3], (sine, cosine): (f32, f32)) -> [f32; 3] {
    std::array::from_fn(|k| x[k] * cosine + y[k] * sine)
}

/// Orthonormal again, up to the rounding of f32.
fn stored(axes: &Axes) -> Axes {
    let [x, y, _] = axes.map(|axis| DVec3::from(axis.map(f64::from)));
    let frame = orthonormal(x, y);
    [frame.x_axis, frame.y_axis, frame.z_axis].map(|axis| axis.as_vec3().into())
}
