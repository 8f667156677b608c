//! Boxes as bounding volumes, along the axes of the body or oriented.

use super::Quality;
use super::bound::sealed::Shape;
use super::bound::{Bound, Probes};
use super::place::{Line, View};
use super::quality::measure;
use super::sweep::{self, Sweep};
use crate::aabb::Aabb;
use crate::obb::Obb;
use crate::{Point, Triangle};
use glam::{DMat3, DVec3};

/// Corners, sides and middle of a box.
fn probes(center: DVec3, arms: [DVec3; 3]) -> Probes {
    std::array::from_fn(|n| {
        let sign = |k: usize| match n {
            0..8 => (n >> k & 1) as f64 * 2.0 - 1.0,
            8..14 if k == n / 2 - 4 => (n % 2) as f64 * 2.0 - 1.0,
            _ => 0.0,
        };
        (center + arms[0] * sign(0) + arms[1] * sign(1) + arms[2] * sign(2)).into()
    })
}

fn surface([x, y, z]: Point) -> f64 {
    2.0 * (x * y + y * z + z * x)
}

impl Shape for Aabb {
    fn volume(&self) -> f64 {
        self.size().iter().product()
    }

    fn surface(&self) -> f64 {
        surface(self.size())
    }

    fn probes(&self) -> Probes {
        let half = DVec3::from(self.size()) * 0.5;
        let arms = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        probes(self.center().into(), arms)
    }

    /// The smallest box around both; nothing is lost.
    fn grown(&self, face: &Triangle) -> Self {
        self.union(&Self::around(face))
    }

    fn enclosing_box(&self, _faces: &[Triangle], _quality: Quality) -> Obb {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Obb { center: self.center(), axes, half: self.size().map(|x| 0.5 * x) }
    }

    fn center(&self) -> Point {
        self.center()
    }
}

impl Bound for Aabb {
    fn around(faces: &[Triangle], _quality: Quality) -> Self {
        Self::around(faces.as_flattened())
    }

    #[inline]
    fn is_apart(&self, other: &Self, view: &View) -> bool {
        facing(self, other, view).is_apart(view.margin)
    }

    #[inline]
    fn gap(&self, other: &Self, view: &View) -> f64 {
        facing(self, other, view).gap(view.margin)
    }

    #[inline]
    fn meets(&self, line: &Line) -> bool {
        let way = line.origin - DVec3::from(self.center());
        meets_box(way, line.direction, DVec3::from(self.size()) * 0.5 + line.margin)
    }

    #[inline]
    fn swept(&self, sweep: &Sweep) -> Self {
        sweep::aabb(self, sweep)
    }

    #[inline]
    fn reach(&self) -> f64 {
        0.5 * self.diagonal()
    }
}

#[inline]
fn facing(a: &Aabb, b: &Aabb, view: &View) -> Facing {
    Facing {
        offset: view.point(&b.center()) - DVec3::from(a.center()),
        half: [DVec3::from(a.size()) * 0.5, DVec3::from(b.size()) * 0.5],
        turn: view.rotation,
    }
}

impl Shape for Obb {
    fn volume(&self) -> f64 {
        self.volume()
    }

    fn surface(&self) -> f64 {
        surface(self.half.map(|x| 2.0 * x))
    }

    fn probes(&self) -> Probes {
        let arm = |k: usize| DVec3::from(self.axes[k]) * self.half[k];
        probes(self.center.into(), [arm(0), arm(1), arm(2)])
    }

    /// The axes stay and the lengths grow. (The splitter fits the box anew from time to time.)
    fn grown(&self, face: &Triangle) -> Self {
        let axes = self.axes.map(DVec3::from);
        let mut center = DVec3::from(self.center);
        let mut half = self.half;
        for k in 0..3 {
            let along = face.map(|p| axes[k].dot(DVec3::from(p) - DVec3::from(self.center)));
            let low = along.iter().fold(-half[k], |low, &x| low.min(x));
            let high = along.iter().fold(half[k], |high, &x| high.max(x));
            center += axes[k] * (0.5 * (low + high));
            half[k] = 0.5 * (high - low);
        }
        Self { center: center.into(), axes: self.axes, half }
    }

    fn enclosing_box(&self, _faces: &[Triangle], _quality: Quality) -> Obb {
        *self
    }

    fn center(&self) -> Point {
        self.center
    }
}

impl Bound for Obb {
    /// The better of the box along the principal axes and the one along the axes of the body.
    fn around(faces: &[Triangle], quality: Quality) -> Self {
        let principal = Self::from_covariance(faces);
        let straight = Self::along(&DMat3::IDENTITY, faces.as_flattened());
        // Of flat faces the volumes are nothing but rounding; then a little of the surface decides.
        let cost = |obb: &Self| {
            let surface = Shape::surface(obb);
            measure(quality, obb, faces)
                + if quality == Quality::Volume { 1e-9 * surface * surface.sqrt() } else { 0.0 }
        };
        if cost(&straight) < cost(&principal) { straight } else { principal }
    }

    #[inline]
    fn is_apart(&self, other: &Self, view: &View) -> bool {
        facing_turned(self, other, view).is_apart(view.margin)
    }

    #[inline]
    fn gap(&self, other: &Self, view: &View) -> f64 {
        facing_turned(self, other, view).gap(view.margin)
    }

    #[inline]
    fn meets(&self, line: &Line) -> bool {
        let back = frame(self).transpose();
        let way = back * (line.origin - DVec3::from(self.center));
        meets_box(way, back * line.direction, DVec3::from(self.half) + line.margin)
    }

    #[inline]
    fn swept(&self, sweep: &Sweep) -> Self {
        sweep::obb(self, sweep)
    }

    #[inline]
    fn reach(&self) -> f64 {
        DVec3::from(self.half).length()
    }
}

#[inline]
fn frame(obb: &Obb) -> DMat3 {
    DMat3::from_cols_array_2d(&obb.axes)
}

#[inline]
fn facing_turned(a: &Obb, b: &Obb, view: &View) -> Facing {
    let back = frame(a).transpose();
    Facing {
        offset: back * (view.point(&b.center) - DVec3::from(a.center)),
        half: [a.half.into(), b.half.into()],
        turn: back * (view.rotation * frame(b)),
    }
}

/// Two boxes, seen from the first: its axes are the coordinate axes, and its middle the origin.
struct Facing {
    /// The middle of the second.
    offset: DVec3,
    half: [DVec3; 2],
    /// The axes of the second, as columns.
    turn: DMat3,
}

impl Facing {
    /// How far the boxes are apart along the axes of each, negative where they overlap.
    #[inline]
    fn face_gaps(&self) -> [DVec3; 2] {
        let [a, b] = self.half;
        let cosines = abs(&self.turn);
        let first = self.offset.abs() - a - cosines * b;
        let second = (self.turn.transpose() * self.offset).abs() - b - cosines.transpose() * a;
        [first, second]
    }

    /// Whether one of fifteen axes separates the boxes by more than `margin`.
    #[inline]
    fn is_apart(&self, margin: f64) -> bool {
        let [first, second] = self.face_gaps();
        first.max(second).max_element() > margin || self.edges_apart(margin)
    }

    /// The nine cross products of edges, not normalised: all lengths along them are too short by the
    /// same factor, so that `margin` is more than is needed.
    #[inline]
    fn edges_apart(&self, margin: f64) -> bool {
        let [a, b] = self.half;
        let turn = self.turn.to_cols_array_2d();
        let t = self.offset;
        (0..9).any(|n| {
            let (i, j) = (n / 3, n % 3);
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let gap = (t[i2] * turn[j][i1] - t[i1] * turn[j][i2]).abs();
            let reach_a = a[i1] * turn[j][i2].abs() + a[i2] * turn[j][i1].abs();
            let reach_b = b[j1] * turn[j2][i].abs() + b[j2] * turn[j1][i].abs();
            gap > reach_a + reach_b + margin
        })
    }

    /// The larger of the distances between each box and the box around the other in its frame.
    #[inline]
    fn gap(&self, margin: f64) -> f64 {
        let [first, second] = self.face_gaps().map(|gaps| gaps.max(DVec3::ZERO).length());
        (first.max(second) - margin).max(0.0)
    }
}

#[inline]
fn abs(matrix: &DMat3) -> DMat3 {
    DMat3::from_cols(matrix.x_axis.abs(), matrix.y_axis.abs(), matrix.z_axis.abs())
}

/// A half-line against a box about the origin whose half lengths already hold the margin.
#[inline]
fn meets_box(origin: DVec3, direction: DVec3, half: DVec3) -> bool {
    let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
    for k in 0..3 {
        // Along an axis that it hardly follows, the half-line drifts by less than any margin.
        if direction[k].abs() < 1e-30 {
            if origin[k].abs() > half[k] {
                return false;
            }
            continue;
        }
        let ends = [-half[k], half[k]].map(|end| (end - origin[k]) / direction[k]);
        enter = enter.max(ends[0].min(ends[1]));
        leave = leave.min(ends[0].max(ends[1]));
    }
    enter <= leave
}
