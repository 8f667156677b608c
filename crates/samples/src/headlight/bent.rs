//! Cables, which are tubes along smooth curves, and clips bent to a U.

use super::cut::{Cut, steps};
use super::weld::Weld;
use crate::error::SampleError;
use crate::turn::turn;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// A clip: a strip of metal that is bent by half a turn about the x axis, with straight legs
/// towards −y.
pub(super) struct Clip {
    /// Half of the space between the legs.
    pub(super) radius: f64,
    pub(super) leg: f64,
    pub(super) thickness: f64,
    pub(super) width: f64,
}

/// The solid that a convex section makes on its way: `sections` are alike and apart.
fn swept(sections: &[Vec<Point>]) -> Result<Mesh, SampleError> {
    let middle = |section: &[Point]| {
        let sum: DVec3 = section.iter().map(|p| DVec3::from_array(*p)).sum();
        (sum / section.len() as f64).to_array()
    };
    let count = sections[0].len();
    let line = |side: usize| {
        let mut line = vec![middle(&sections[0])];
        line.extend(sections.iter().map(|section| section[side]));
        line.push(middle(&sections[sections.len() - 1]));
        line
    };
    let mut weld = Weld::default();
    weld.around(&(0..count).map(line).collect::<Vec<_>>());
    weld.finish()
}

/// A tube along a curve through points, which it leaves as if the way went on beyond its ends.
pub(super) fn cable(cut: Cut, radius: f64, points: &[Point]) -> Result<Mesh, SampleError> {
    let points: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p)).collect();
    let last = points.len() - 1;
    // Catmull–Rom: the way at a point is that from the point before to the point after.
    let slope = |i: usize| match i {
        0 => points[1] - points[0],
        _ if i == last => points[last] - points[last - 1],
        _ => 0.5 * (points[i + 1] - points[i - 1]),
    };
    let mut centers = Vec::new();
    for i in 0..last {
        let [a, b] = [points[i], points[i + 1]];
        // Bends need more rows than straight lengths, and not too few.
        let rows = cut.rows(2.0 * (b - a).length()).max(4);
        centers.extend(steps(rows).map(|t| {
            let (s, t2) = (1.0 - t, t * t);
            a * (s * s * (1.0 + 2.0 * t)) + slope(i) * (s * s * t) + b * (t2 * (3.0 - 2.0 * t))
                - slope(i + 1) * (t2 * s)
        }));
    }
    centers.push(points[last]);
    let way = |i: usize| {
        let [before, after] = [i.saturating_sub(1), (i + 1).min(centers.len() - 1)];
        (centers[after] - centers[before]).normalize()
    };
    let sides = (cut.facets / 6).max(8);
    let mut across = way(0).any_orthonormal_vector();
    let section = |i: usize| {
        let way = way(i);
        // Carried along without twist.
        across = (across - way * across.dot(way)).normalize();
        let beside = way.cross(across);
        let corner = |j| {
            let [c, s] = turn(j, sides);
            (centers[i] + across * (radius * c) + beside * (radius * s)).to_array()
        };
        (0..sides).map(corner).collect()
    };
    swept(&(0..centers.len()).map(section).collect::<Vec<Vec<Point>>>())
}

/// Outside, its bend is at y > 0.
pub(super) fn clip(cut: Cut, clip: &Clip) -> Result<Mesh, SampleError> {
    let bends = cut.rows(60.0).max(12);
    let [inner, outer] = [bend_corner(clip.radius, bends), clip.radius + clip.thickness];
    let half = 0.5 * clip.width;
    let section = |[c, s]: [f64; 2], down: f64| {
        let corner = |x: f64, r: f64| [x, r * s - down, r * c];
        vec![corner(-half, inner), corner(half, inner), corner(half, outer), corner(-half, outer)]
    };
    let legs = cut.rows(clip.leg);
    let mut sections: Vec<Vec<Point>> =
        steps(legs).map(|part| section([1.0, 0.0], clip.leg * (1.0 - part))).collect();
    sections.extend((0..=bends).map(|i| section(turn(i, 2 * bends), 0.0)));
    let back = steps(legs).rev();
    sections.extend(back.map(|part| section([-1.0, 0.0], clip.leg * (1.0 - part))));
    swept(&sections)
}

/// The radius of corners on half a turn in so many steps, whose facets keep the radius.
fn bend_corner(radius: f64, bends: u32) -> f64 {
    radius / turn(1, 4 * bends)[0]
}
