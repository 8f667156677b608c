//! Directions of view, and windows of pixels over what is seen along them.
//!
//! All windows of one direction and one size of pixels are cut out of one lattice, whose pixels begin at whole
//! multiples of their size: so a depth map of a block serves all pairs of the block.

use super::render::{Rect, Size};
use crate::Point;
use crate::aabb::Aabb;
use glam::DVec3;

/// An orthographic view: world to right, down, and into the depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    axes: [DVec3; 3],
}

impl View {
    /// Along x, y or z (0, 1, 2), with the other two in turn to the right and down.
    pub fn along_axis(axis: usize) -> Self {
        let unit = [DVec3::X, DVec3::Y, DVec3::Z];
        Self { axes: [1, 2, 3].map(|k| unit[(axis + k) % 3]) }
    }

    /// Along a direction; along z if it is none.
    pub fn along(direction: &Point) -> Self {
        let Some(into) = DVec3::from(*direction).try_normalize() else {
            return Self::along_axis(2);
        };
        let right = into.any_orthonormal_vector();
        Self { axes: [right, into.cross(right), into] }
    }

    /// The direction, of length one.
    pub fn direction(&self) -> Point {
        self.axes[2].into()
    }

    /// A point as it is seen.
    pub fn see(&self, point: &Point) -> Point {
        self.axes.map(|axis| axis.dot(DVec3::from(*point)))
    }

    /// Where a point is that is seen so.
    pub fn place(&self, seen: &Point) -> Point {
        let [right, down, into] = self.axes;
        (right * seen[0] + down * seen[1] + into * seen[2]).into()
    }
}

/// Pixels of a lattice, from `min` on to before `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) min: [i64; 2],
    pub(super) max: [i64; 2],
}

impl Span {
    /// All pixels whose centres are in a rectangle.
    pub(super) fn centres([min, max]: &[[f64; 2]; 2], pixel: f64) -> Self {
        let first = |x: f64| (x / pixel - 0.5).ceil() as i64;
        let behind = |x: f64| ((x / pixel - 0.5).floor() as i64).saturating_add(1);
        Self { min: min.map(first), max: max.map(behind) }
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self {
            min: [0, 1].map(|k| self.min[k].max(other.min[k])),
            max: [0, 1].map(|k| self.max[k].min(other.max[k])),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.min[0] >= self.max[0] || self.min[1] >= self.max[1]
    }

    /// How many pixels; as a number that cannot overflow.
    pub(super) fn area(&self) -> f64 {
        [0, 1].map(|k| (self.max[k] as f64 - self.min[k] as f64).max(0.0)).iter().product()
    }

    pub(super) fn size(&self) -> Size {
        let [width, height] = [0, 1].map(|k| (self.max[k] - self.min[k]) as u32);
        Size { width, height }
    }

    /// The same as pixels of a larger one.
    pub(super) fn within(&self, outer: &Self) -> Rect {
        let shift = |at: [i64; 2]| [0, 1].map(|k| (at[k] - outer.min[k]) as u32);
        Rect { min: shift(self.min), max: shift(self.max) }
    }
}

/// A block as it is seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) points: Vec<Point>,
    /// Around them, in the coordinates of the view.
    pub(super) extent: Aabb,
}

impl Seen {
    pub(super) fn of(points: &[Point], view: &View) -> Self {
        let points: Vec<Point> = points.iter().map(|point| view.see(point)).collect();
        let extent = Aabb::around(&points);
        Self { points, extent }
    }

    pub(super) fn rectangle(&self) -> [[f64; 2]; 2] {
        [self.extent.min, self.extent.max].map(|[x, y, _]| [x, y])
    }
}

/// Corners farther away than so many pixels are brought nearer by renderers, and edges to them turn.
const PIXELS_MAX: f64 = (1u32 << 28) as f64;
/// Depths beyond that are not f32.
const DEPTH_MAX: f64 = f32::MAX as f64 / 2.0;

/// Pixels with a range of depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) span: Span,
    pub(super) pixel: f64,
    /// What is seen at depth ¼ …
    near: f64,
    /// … and how much of the range of the buffer one unit of length takes.
    scale: f64,
}

impl Window {
    /// Depths from `near` to `far` take the middle half of the buffer: the rest is for what is before and
    /// behind, where order is all that counts.
    pub(super) fn new(span: Span, pixel: f64, [near, far]: [f64; 2]) -> Self {
        let scale = 0.5 / (far - near);
        // Flat across the view.
        let scale = if scale.is_finite() { scale } else { 0.5 / pixel };
        Self { span, pixel, near, scale }
    }

    /// What is seen, in image coordinates.
    pub(super) fn draw(&self, seen: &[Point]) -> Vec<[f32; 3]> {
        seen.iter().map(|point| self.at(point).map(|x| x as f32)).collect()
    }

    fn at(&self, [x, y, z]: &Point) -> Point {
        let [left, top] = self.span.min.map(|k| k as f64);
        [x / self.pixel - left, y / self.pixel - top, 0.25 + (z - self.near) * self.scale]
    }

    /// What is seen at the centre of a pixel of the window, at a depth of the buffer.
    pub(super) fn back(&self, [x, y]: [u32; 2], depth: f64) -> Point {
        let at = |k: usize, x: u32| (self.span.min[k] as f64 + f64::from(x) + 0.5) * self.pixel;
        [at(0, x), at(1, y), self.near + (depth - 0.25) / self.scale]
    }

    /// By how much what is drawn here may be off: see [`Window::rounding`].
    pub(super) fn unit(&self, slack: &super::render::Slack) -> f64 {
        2.0f64.sqrt() * self.pixel * slack.pixels + slack.depth / self.scale
    }

    /// The length by which points of a block that is drawn here may be off, with the renderer's own slack.
    ///
    /// Corners are worked out in f64, with errors of a few ε of their coordinates, and rounded to f32
    /// by 2⁻²⁴ of what they are in pixels and in depths; twice that is granted, which holds the f64 errors and
    /// the coarser grid of the renderer for corners beyond a thousand pixels. A face is drawn between
    /// corners that are off by that much, so each of its points is. A face that is seen edge-on has a steep
    /// depth; that its pixels may be off in depth is the same as that it is off sideways. Of a block that reaches
    /// farther than numbers do nothing is known.
    pub(super) fn rounding(&self, extent: &Aabb, slack: &super::render::Slack) -> f64 {
        let ends = [self.at(&extent.min), self.at(&extent.max)];
        let reach = |k: usize| ends[0][k].abs().max(ends[1][k].abs());
        if !(reach(0).max(reach(1)) <= PIXELS_MAX && reach(2) <= DEPTH_MAX) {
            return f64::INFINITY;
        }
        let half = f64::from(f32::EPSILON);
        let sideways = 2.0f64.sqrt() * self.pixel * half * reach(0).max(reach(1)).max(1.0);
        let whole = extent.min.iter().chain(&extent.max).fold(0.0f64, |w, x| w.max(x.abs()));
        let depth = half * reach(2).max(1.0) / self.scale;
        sideways + depth + 8.0 * f64::EPSILON * whole + self.unit(slack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_turns() {
        for view in [
            View::along_axis(0),
            View::along_axis(2),
            View::along(&[1.0, -2.0, 0.5]),
            View::along(&[0.0; 3]),
        ] {
            let point = [3.0, -1.0, 0.25];
            let back = view.place(&view.see(&point));
            assert!((0..3).all(|k| (back[k] - point[k]).abs() < 1e-14));
            assert_eq!(view.axes[0].cross(view.axes[1]).dot(view.axes[2]).round(), 1.0);
        }
        assert_eq!(View::along_axis(2).see(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn pixels_of_windows_are_those_of_the_lattice() {
        let span = Span::centres(&[[-0.4, 1.0], [0.6, 1.2]], 0.25);
        assert_eq!(span, Span { min: [-2, 4], max: [2, 5] });
        assert!(Span::centres(&[[0.13, 1.0], [0.2, 1.2]], 0.25).is_empty());
        let window = Window::new(span, 0.25, [1.0, 3.0]);
        let [x, y, z] = window.at(&window.back([2, 0], 0.5));
        assert_eq!([x, y, z], [2.5, 0.5, 0.5]);
        let flat = Window::new(span, 0.25, [1.0, 1.0]);
        assert_eq!(flat.draw(&[[0.0, 1.0, 1.0]])[0][2], 0.25);
    }
}
