//! How deep a surface is below the hull around it.

use crate::Point;
use crate::hull::Hull;
use crate::sphere::Sphere;
use glam::DVec3;

/// The planes of a hull's faces.
pub(super) struct Planes {
    /// The inward unit normal, and how far along it the plane is.
    planes: Vec<(DVec3, f64)>,
}

impl Planes {
    pub(super) fn of(hull: &Hull) -> Self {
        let at = |v: u32| DVec3::from(hull.points[v as usize]);
        let plane = |&[i, j, k]: &[u32; 3]| {
            let (u, v) = (at(k) - at(i), at(j) - at(i));
            // As long as one, so that squares are neither too large nor too small.
            let size = u.abs().max(v.abs()).max_element();
            let inward = (u / size).cross(v / size).try_normalize()?;
            // The outermost corner, so that rounding makes nothing deeper than it is.
            let offsets = [i, j, k].map(|v| inward.dot(at(v)));
            Some((inward, offsets[0].max(offsets[1]).max(offsets[2])))
        };
        Self { planes: hull.triangles.iter().filter_map(plane).collect() }
    }

    /// The depth of a point below the nearest face; negative outside.
    pub(super) fn depth(&self, point: &Point) -> f64 {
        let point = DVec3::from(*point);
        let depths = self.planes.iter().map(|(inward, offset)| inward.dot(point) - offset);
        depths.fold(f64::INFINITY, f64::min)
    }

    /// A depth that no point between these exceeds, or any that is not above `enough`.
    ///
    /// The depth below one plane is greatest in a corner; the depth below the hull is at most that below any of
    /// its planes.
    pub(super) fn depth_between(&self, corners: &[Point], enough: f64) -> f64 {
        let mut least = f64::INFINITY;
        for (inward, offset) in &self.planes {
            let heights = corners.iter().map(|corner| inward.dot(DVec3::from(*corner)) - offset);
            least = least.min(heights.fold(0.0, f64::max));
            if least <= enough {
                break;
            }
        }
        least
    }

    /// A ball in the hull, around the mean of points of it. Its radius is 0 if there are no planes.
    pub(super) fn ball(&self, points: &[Point]) -> Sphere {
        let sum: DVec3 = points.iter().map(|p| DVec3::from(*p)).sum();
        let center: Point = (sum / (points.len() as f64).max(1.0)).into();
        let depth = self.depth(&center);
        Sphere { center, radius: if depth.is_finite() { depth.max(0.0) } else { 0.0 } }
    }
}

/// How far points of a hull are from the solid in it at most, whose surface is at most `depth` below the hull.
///
/// From a point that is not in the solid one goes straight to the middle c of a ball of the hull, of radius r. If c is in the
/// solid, one comes to the surface on the way. The depth below the hull is a concave function, at least 0 at
/// the start and at least r in c: after a part t of the way it is at least t·r, so the
/// surface, where it is at most `depth`, is reached before t = depth / r.
pub(super) fn excess(
    hull: &Hull,
    ball: &Sphere,
    depth: f64,
    is_solid: impl Fn(&Point) -> bool,
) -> f64 {
    if depth <= 0.0 {
        return 0.0;
    }
    let center = DVec3::from(ball.center);
    let reach = |p: &Point| (DVec3::from(*p) - center).length();
    let reach = hull.points.iter().map(reach).fold(0.0, f64::max);
    // No point of the hull is farther than this from a corner, which is a point of the solid.
    let diameter = 2.0 * reach;
    if depth < ball.radius && is_solid(&ball.center) {
        diameter.min(depth * reach / ball.radius)
    } else {
        diameter
    }
}
