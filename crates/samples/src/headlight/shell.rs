//! Housing and reflector: thick sheets with two round openings, one in each half.
//!
//! A half is a fan of columns about the axis of its opening; each is a line over the surface, from
//! the outline through the opening to the outline on the other side. The right half is a mirror
//! image but for the size of its opening, so that both halves have the same corners in the plane
//! x = 0 and grow together. Where a column ends at the outline it goes on over the side wall.
//!
//! The outline is the curve (x / w)⁴ + (y / h)⁴ = 1, a rectangle with generous corners.

use super::cut::{Cut, Direction, lerp, steps};
use super::weld::Weld;
use super::{AXIS, HEIGHT, Neck, WIDTH};
use crate::error::SampleError;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// Of the housing.
const WALL: f64 = 2.5;
/// How much further in front the back wall is at its outline.
const BULGE: f64 = 20.0;
/// Where the seat of the lens is, and where the housing ends.
const SEAT: f64 = 103.0;
pub(super) const RIM: f64 = 112.0;
/// The collar of the seat reaches so far beyond the width and the height at the back.
pub(super) const FLANGE: f64 = 14.0;
pub(super) const FLANGE_BACK: f64 = 100.0;
/// The focal length of the bowls, where the back of their bottom would be, and their thickness,
/// which is measured along z.
const FOCUS: f64 = 14.0;
const BOWL: f64 = 32.0;
const BOWL_WALL: f64 = 3.0;
/// The hole for the bulb, and the edge of the bowl.
const BULB_HOLE: f64 = 12.0;
const BOWL_EDGE: f64 = 60.0;

/// The half widths of an outline.
#[derive(Clone, Copy)]
pub(super) struct Outline {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where a column ends.
#[derive(Clone, Copy)]
struct End {
    /// On the outline of half width and half height 1, or within it in the plane x = 0.
    unit: [f64; 2],
    /// Whether it is on the outline.
    wall: bool,
}

impl Outline {
    fn fourth(self, [x, y]: [f64; 2]) -> f64 {
        let (x, y) = (x / self.width, y / self.height);
        (x * x) * (x * x) + (y * y) * (y * y)
    }

    /// The point of a unit outline on this one.
    pub(super) fn at(self, [x, y]: [f64; 2]) -> [f64; 2] {
        [x * self.width, y * self.height]
    }

    pub(super) fn grown(self, by: f64) -> Self {
        Self { width: self.width + by, height: self.height + by }
    }

    /// The ends of the columns of the left half.
    fn ends(self, directions: &[Direction]) -> Vec<End> {
        let mut ends: Vec<End> = directions.iter().map(|d| self.end(d.way)).collect();
        // The outline begins and ends in the plane x = 0: its first and last columns go there.
        let wall: Vec<bool> = ends.iter().map(|end| end.wall).collect();
        for (i, end) in ends.iter_mut().enumerate() {
            let beside = [(i + 1) % wall.len(), (i + wall.len() - 1) % wall.len()];
            if end.wall && !beside.iter().all(|&k| wall[k]) {
                end.unit = [0.0, if end.unit[1] > 0.0 { 1.0 } else { -1.0 }];
            }
        }
        ends
    }

    /// Where the ray from the left opening leaves the left half.
    fn end(self, [c, s]: [f64; 2]) -> End {
        if c > 0.0 {
            let y = s / c * AXIS / self.height;
            if y.abs() < 1.0 {
                return End { unit: [0.0, y], wall: false };
            }
        }
        let at = |way: f64| [c * way - AXIS, s * way];
        let (mut low, mut high) = (0.0, 4.0 * self.width);
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if self.fourth(at(middle)) < 1.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let [x, y] = at(low);
        // The ray may cross the plane x = 0 above the outline's highest point.
        End { unit: [x.min(0.0) / self.width, y / self.height], wall: true }
    }
}

/// One half; `lines` tells what a column looks like: its line over both sides, and over the wall.
fn half(
    weld: &mut Weld,
    mirrored: bool,
    columns: &[(Direction, End)],
    lines: impl Fn(&Direction, &End) -> [Vec<Point>; 2],
) {
    let side = if mirrored { -1.0 } else { 1.0 };
    let placed = |line: Vec<Point>| -> Vec<Point> {
        line.into_iter().map(|[x, y, z]| [side * x, y, z]).collect()
    };
    let made: Vec<[Vec<Point>; 2]> =
        columns.iter().map(|(direction, end)| lines(direction, end).map(placed)).collect();
    for i in 0..made.len() {
        let next = (i + 1) % made.len();
        // A mirror image is inside out unless its columns come the other way round.
        let [from, to] = if mirrored { [next, i] } else { [i, next] };
        weld.strip(&made[from][0], &made[to][0]);
        if columns[from].1.wall && columns[to].1.wall {
            weld.strip(&made[from][1], &made[to][1]);
        }
    }
}

/// The back wall with its two necks, the side wall, and the collar that holds the lens.
pub(super) fn housing(cut: Cut, necks: &[Neck; 2]) -> Result<Mesh, SampleError> {
    let outline = Outline { width: WIDTH, height: HEIGHT };
    let inside = outline.grown(-WALL);
    let directions = cut.bayonet(2);
    let ends = outline.ends(&directions);
    let columns: Vec<(Direction, End)> = directions.into_iter().zip(ends).collect();
    let outer = |[x, y]: [f64; 2]| [x, y, BULGE * outline.fourth([x, y])];
    let inner = |[x, y]: [f64; 2]| [x, y, WALL + BULGE * inside.fourth([x, y])];
    let rows = cut.rows(60.0);
    let wall = |end: &End| {
        let at = |[grown, z]: [f64; 2]| {
            let [x, y] = outline.grown(grown).at(end.unit);
            [x, y, z]
        };
        let [back, front] = [[0.0, BULGE], [8.0, FLANGE_BACK]];
        let [deep, seat] = [[-WALL, BULGE + WALL], [8.0 - WALL, SEAT]];
        let mut profile: Vec<[f64; 2]> = cut.along(back, front).collect();
        profile.extend([front, [FLANGE, FLANGE_BACK], [FLANGE, RIM], [10.0, RIM], [10.0, SEAT]]);
        profile.extend(cut.along(seat, deep));
        profile.push(deep);
        profile.into_iter().map(at).collect()
    };
    let mut weld = Weld::default();
    for (neck, mirrored) in necks.iter().zip([false, true]) {
        half(&mut weld, mirrored, &columns, |direction, end| {
            let [c, s] = direction.way;
            let at = |r: f64| [c * r - AXIS, s * r];
            let profile = neck.profile(cut, direction.bayonet);
            let [first, last] = [profile[0][0], profile[profile.len() - 1][0]];
            let [from, to] = [inside.at(end.unit), outline.at(end.unit)];
            let mut line: Vec<Point> =
                steps(rows).map(|part| inner(lerp(from, at(first), part))).collect();
            line.push(inner(at(first)));
            let through = profile[1..profile.len() - 1].iter();
            line.extend(through.map(|&[r, z]| [at(r)[0], at(r)[1], z]));
            line.extend(steps(rows).map(|part| outer(lerp(at(last), to, part))));
            line.push(outer(to));
            [line, wall(end)]
        });
    }
    weld.finish()
}

/// Two bowls in a plate, each with a hole for its bulb.
pub(super) fn reflector(cut: Cut) -> Result<Mesh, SampleError> {
    let outline = Outline { width: WIDTH - 2.0, height: HEIGHT - 2.0 };
    let directions: Vec<Direction> =
        cut.circle().into_iter().map(|way| Direction { way, bayonet: false }).collect();
    let ends = outline.ends(&directions);
    let columns: Vec<(Direction, End)> = directions.into_iter().zip(ends).collect();
    let depth = |r: f64| BOWL + r * r / (4.0 * FOCUS);
    let rows = cut.rows(12.0);
    // From the hole to the outline, on the back.
    let back = |direction: &Direction, end: &End| {
        let [c, s] = direction.way;
        let at = |r: f64| [c * r - AXIS, s * r, depth(r)];
        let [x, y] = outline.at(end.unit);
        let edge = [x, y, depth(BOWL_EDGE)];
        let radii = steps(cut.rows(2.0 * BOWL_EDGE));
        let mut line: Vec<Point> =
            radii.map(|part| at(BULB_HOLE + (BOWL_EDGE - BULB_HOLE) * part)).collect();
        line.extend(steps(rows).map(|part| lerp(at(BOWL_EDGE), edge, part)));
        line.push(edge);
        line
    };
    let mut weld = Weld::default();
    for mirrored in [false, true] {
        half(&mut weld, mirrored, &columns, |direction, end| {
            let back = back(direction, end);
            let thick = |[x, y, z]: Point| [x, y, z + BOWL_WALL];
            let edge = back[back.len() - 1];
            let mut line: Vec<Point> = back.iter().rev().map(|&p| thick(p)).collect();
            line.extend(&back);
            [line, vec![edge, thick(edge)]]
        });
    }
    weld.finish()
}
