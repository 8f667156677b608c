//! Another reason to be apart: points of a body that turns keep their distances from the axis.
//!
//! If all of the moving body is nearer to the axis than all of the resting one, or farther, the two are
//! apart by no less than the difference, however far it turns: two points are no nearer than their
//! distances from any line differ. An axis that drifts sideways during a piece costs as much as it
//! drifts. A pin in a bore and the rim of a cover need one such step for a whole turn, where
//! directions last for a degree or two.
//!
//! The greatest distance of a face from a line is that of a corner. The least one is that of the
//! origin from the face as it is seen along the line: from its edges, or nothing if it is within.

use crate::body::{Body, Faces};
use crate::gap::{Case, Pair};
use glam::DVec3;
use impinge_geom::motion::Motion;

/// An axis, and two directions across it.
struct Axis {
    across: [DVec3; 2],
}

impl Axis {
    fn new(motion: &Motion) -> Self {
        let along = DVec3::from(motion.turn().0);
        let one = along.any_orthonormal_vector();
        Self { across: [one, along.cross(one)] }
    }

    /// A point as it is seen along the axis.
    fn seen(&self, point: DVec3) -> [f64; 2] {
        self.across.map(|direction| direction.dot(point))
    }

    fn radius(&self, point: DVec3) -> f64 {
        let [x, y] = self.seen(point);
        (x * x + y * y).sqrt()
    }

    /// The least distance of a face.
    fn least(&self, face: [DVec3; 3]) -> f64 {
        let corners = face.map(|corner| self.seen(corner));
        let edges = [0, 1, 2].map(|i| [corners[i], corners[(i + 1) % 3]]);
        let sides = edges.map(|[[ax, ay], [bx, by]]| ax * by - ay * bx);
        if sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0) {
            return 0.0;
        }
        let square = edges.map(from_segment);
        square[0].min(square[1]).min(square[2]).sqrt()
    }
}

/// The square of the distance of the origin from a segment.
fn from_segment([[ax, ay], [bx, by]]: [[f64; 2]; 2]) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let whole = dx * dx + dy * dy;
    let along = -(ax * dx + ay * dy);
    let part = if whole > 0.0 { (along / whole).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (ax + part * dx, ay + part * dy);
    x * x + y * y
}

/// The greatest distance of some faces from an axis.
fn greatest(body: &Body, faces: &Faces, place: impl Fn(DVec3) -> DVec3, axis: &Axis) -> f64 {
    let radius = |corner: DVec3| axis.radius(place(corner));
    let of_face = |face: [DVec3; 3]| face.map(radius).into_iter().fold(0.0, f64::max);
    body.faces(faces).map(of_face).fold(0.0, f64::max)
}

/// The least distance of some faces from an axis; not exactly, once it is below `enough`.
fn least(
    (body, faces): (&Body, &Faces),
    place: impl Fn(DVec3) -> DVec3,
    axis: &Axis,
    enough: f64,
) -> f64 {
    let mut least = f64::INFINITY;
    for face in body.faces(faces) {
        least = least.min(axis.least(face.map(&place)));
        if least < enough {
            break;
        }
    }
    least
}

impl Pair<'_> {
    /// A distance by which a cylinder about the axis of the motion certainly keeps some faces apart; zero
    /// or less if it does not. Below `enough` it may be anything that is less.
    pub fn gap_around(&self, case: &Case<'_>, enough: f64) -> f64 {
        let inner = self.gap_one_way::<true>(case, enough);
        if inner >= enough { inner } else { self.gap_one_way::<false>(case, enough) }
    }

    /// The moving body is within the cylinder, or outside.
    fn gap_one_way<const WITHIN: bool>(&self, case: &Case<'_>, enough: f64) -> f64 {
        let (rest, mover) = (self.rest.boxed(&case.rest), self.mover.boxed(&case.mover));
        let mut gap = f64::INFINITY;
        for (motion, [start, end]) in case.track.motions() {
            let axis = Axis::new(motion);
            let middle = DVec3::from(motion.axis_at(0.5 * (start + end)));
            let still = |corner: DVec3| corner - middle;
            let moving = |corner: DVec3| DVec3::from(motion.from_axis(&corner.into()));
            // The axis is off its place in the middle by half of its way across at most.
            let aside = 0.5 * (end - start) * axis.radius(motion.drift().into());
            let arm = DVec3::from(motion.from_axis(&[0.0; 3])).abs().element_sum();
            let reach = rest.reach + mover.reach + arm + middle.abs().element_sum();
            let way = DVec3::from(motion.drift()).abs().element_sum();
            // Per coordinate: √3 < 2. What is computed here is off by a few dozen roundings.
            let rounding = 4.0 * motion.slack(mover.reach) + 128.0 * f64::EPSILON * (reach + way);
            let apart = if WITHIN {
                let most = greatest(self.mover, &case.mover, moving, &axis);
                least((self.rest, &case.rest), still, &axis, most + enough) - most
            } else {
                let most = greatest(self.rest, &case.rest, still, &axis);
                least((self.mover, &case.mover), moving, &axis, most + enough) - most
            };
            let apart = apart - aside - rounding;
            // Squares of huge numbers are infinite, and then differences are no numbers.
            if !apart.is_finite() {
                return f64::NEG_INFINITY;
            }
            gap = gap.min(apart);
            if gap < enough {
                return gap;
            }
        }
        gap
    }
}
