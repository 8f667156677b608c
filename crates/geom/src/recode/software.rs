//! The renderer on the processor. Coverage is decided in whole numbers, as in graphics hardware, with
//! more bits: corners are snapped to fractions of a pixel that are finer than the f32 they come in.

use super::render::{Counts, Depths, Drawing, Keep, Rect, Renderer, SetZ, Size, Slack, TestZ};
use rayon::prelude::*;

/// The most bits of a fraction of a pixel.
const FRACTION_BITS: u32 = 16;
/// With fractions coordinates are below 2³⁰, so that edge functions stay below 2⁶³.
const COORDINATE_BITS: u32 = 30;

/// Draws by all threads, one viewport each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Software;

impl Renderer for Software {
    type Map = Depths;

    fn slack(&self) -> Slack {
        // Depths are worked out in f64 and rounded once.
        let unit = 1.0 / f64::from(1u32 << FRACTION_BITS);
        Slack { pixels: 0.5 * unit, depth: 0.5 * f64::from(f32::EPSILON) }
    }

    fn set_z(&self, all: &[SetZ<'_>]) -> Vec<Depths> {
        all.par_iter().map(set_z).collect()
    }

    fn test_z(&self, all: &[TestZ<'_, Depths>]) -> Vec<Counts> {
        all.par_iter().map(test_z).collect()
    }

    fn read(&self, map: &Depths) -> Depths {
        map.clone()
    }
}

fn set_z(set: &SetZ<'_>) -> Depths {
    let Size { width, height } = set.size;
    let area = width as usize * height as usize;
    let clear = match set.keep {
        Keep::Farthest => 0.0,
        Keep::Nearest => 1.0,
    };
    let (mut depth, mut mask) = (vec![clear; area], vec![0; area]);
    each_pixel(&set.drawing, &Rect { min: [0; 2], max: [width, height] }, |[x, y], z| {
        let pixel = y as usize * width as usize + x as usize;
        let passes = match set.keep {
            Keep::Farthest => z >= depth[pixel],
            Keep::Nearest => z <= depth[pixel],
        };
        if passes {
            depth[pixel] = z;
        }
        mask[pixel] = 1;
    });
    Depths { size: set.size, depth, mask }
}

fn test_z(test: &TestZ<'_, Depths>) -> Counts {
    let Size { width, height } = test.over.size();
    let mut count = vec![0u8; width as usize * height as usize];
    let [left, top] = test.over.min;
    each_pixel(&test.drawing, &test.over, |[x, y], z| {
        let in_map = y as usize * test.map.size.width as usize + x as usize;
        if test.map.mask[in_map] != 0 && z <= test.map.depth[in_map] {
            let pixel = (y - top) as usize * width as usize + (x - left) as usize;
            count[pixel] = count[pixel].saturating_add(1);
        }
    });
    Counts { over: test.over, count }
}

/// Every pixel of a rectangle that a face covers, with the depth there, face by face.
fn each_pixel(drawing: &Drawing<'_>, over: &Rect, mut draw: impl FnMut([u32; 2], f32)) {
    let grid = Grid::of(drawing.points);
    for triangle in drawing.triangles {
        let corners = triangle.map(|corner| drawing.points[corner as usize]);
        grid.fill(&corners, over, &mut draw);
    }
}

/// Fractions of pixels.
struct Grid {
    /// So many to a pixel; even.
    unit: i64,
    /// The largest coordinate, in pixels.
    limit: f64,
}

impl Grid {
    /// As fine as the coordinates allow. All faces of a drawing share it, or edges would gape.
    fn of(points: &[[f32; 3]]) -> Self {
        let reach = points.iter().flat_map(|point| &point[..2]).fold(1.0f32, |r, x| r.max(x.abs()));
        let whole = (f64::from(reach).log2().ceil() as u32 + 1).min(COORDINATE_BITS - 1);
        let bits = (COORDINATE_BITS - whole).min(FRACTION_BITS);
        let limit = (1i64 << (COORDINATE_BITS - 1)) as f64;
        Self { unit: 1 << bits, limit: limit / (1i64 << bits) as f64 }
    }

    fn snap(&self, x: f32) -> i64 {
        (f64::from(x).clamp(-self.limit, self.limit) * self.unit as f64).round() as i64
    }

    /// The first of the pixels from `from` on to `to` whose centre is not before `x`.
    fn first(&self, x: i64, from: u32, to: u32) -> u32 {
        let pixel = -(self.unit / 2 - x).div_euclid(self.unit);
        pixel.clamp(i64::from(from), i64::from(to)) as u32
    }

    fn fill(&self, corners: &[[f32; 3]; 3], over: &Rect, draw: &mut impl FnMut([u32; 2], f32)) {
        let mut at = corners.map(|[x, y, _]| [self.snap(x), self.snap(y)]);
        let least = |k: usize| at[0][k].min(at[1][k]).min(at[2][k]);
        let most = |k: usize| at[0][k].max(at[1][k]).max(at[2][k]);
        let min = [0, 1].map(|k| self.first(least(k), over.min[k], over.max[k]));
        let max = [0, 1].map(|k| self.first(most(k) + 1, over.min[k], over.max[k]));
        if min[0] >= max[0] || min[1] >= max[1] {
            return;
        }
        let area = cross(at[0], at[1], at[2]);
        if area == 0 {
            return;
        }
        if area < 0 {
            at.swap(1, 2);
        }
        let edges =
            [[0, 1], [1, 2], [2, 0]].map(|[from, to]| Edge::new(at[from], at[to], self.unit));
        let plane = Plane::of(corners);
        for y in min[1]..max[1] {
            let row = edges.map(|edge| edge.row(y));
            let inside = |x: u32| (0..3).all(|k| row[k] + edges[k].right * i64::from(x) >= 0);
            let (mut from, mut to) = (min[0], max[0]);
            while from < to && !inside(from) {
                from += 1;
            }
            while from < to && !inside(to - 1) {
                to -= 1;
            }
            (from..to).for_each(|x| draw([x, y], plane.depth(x, y)));
        }
    }
}

/// Twice the area of a triangle, positive if its corners follow each other as the hands of a clock.
fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A linear function that is 0 or more where a pixel centre is on the inner side of an edge, or on it and
/// the edge is a top or left one.
#[derive(Clone, Copy)]
struct Edge {
    /// At the centre of pixel (0, 0).
    start: i64,
    /// Per pixel to the right.
    right: i64,
    /// Per pixel downwards.
    down: i64,
}

impl Edge {
    fn new(from: [i64; 2], to: [i64; 2], unit: i64) -> Self {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let owns = dy < 0 || (dy == 0 && dx > 0);
        let start = dx * (unit / 2 - from[1]) - dy * (unit / 2 - from[0]) - i64::from(!owns);
        Self { start, right: -dy * unit, down: dx * unit }
    }

    fn row(&self, y: u32) -> i64 {
        self.start + self.down * i64::from(y)
    }
}

/// The depth of a face over the image.
struct Plane {
    start: [f64; 3],
    slope: [f64; 2],
    /// Those of the corners: a face that is seen almost edge-on is no deeper than that anywhere.
    range: [f64; 2],
}

impl Plane {
    fn of(corners: &[[f32; 3]; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let [u, v] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
        let area = u[0] * v[1] - u[1] * v[0];
        let slope = [(u[2] * v[1] - u[1] * v[2]) / area, (u[0] * v[2] - u[2] * v[0]) / area];
        // Snapped it has an area, but not as it is: any depth of its range is as true.
        let slope = if slope.iter().all(|x| x.is_finite()) { slope } else { [0.0; 2] };
        Self { start: a, slope, range: [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])] }
    }

    fn depth(&self, x: u32, y: u32) -> f32 {
        let [dx, dy] = [f64::from(x) + 0.5 - self.start[0], f64::from(y) + 0.5 - self.start[1]];
        let z = self.start[2] + self.slope[0] * dx + self.slope[1] * dy;
        z.clamp(self.range[0], self.range[1]).clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 8, height: 6 };

    fn shown(points: &[[f32; 3]], triangles: &[[u32; 3]], keep: Keep) -> Depths {
        let drawing = Drawing { points, triangles };
        Software.set_z(&[SetZ { drawing, size: SIZE, keep }]).remove(0)
    }

    /// A fan around a point that is a pixel centre itself, with corners on pixel centres: every rule for
    /// edges and corners is asked.
    #[test]
    fn every_pixel_of_a_fan_belongs_to_one_face() {
        let rim = [[1.5, 1.5], [5.5, 1.5], [5.5, 4.5], [1.5, 4.5]];
        let mut points: Vec<[f32; 3]> = rim.iter().map(|&[x, y]| [x, y, 0.5]).collect();
        points.push([3.5, 2.5, 0.5]);
        let triangles = [[0, 1, 4], [2, 1, 4], [2, 3, 4], [0, 3, 4]];
        let map = shown(&points, &triangles, Keep::Farthest);
        let over = Rect { min: [0; 2], max: [8, 6] };
        let drawing = Drawing { points: &points, triangles: &triangles };
        let counts = Software.test_z(&[TestZ { drawing, map: &map, over }]).remove(0);
        for (pixel, count) in counts.count.iter().enumerate() {
            let (x, y) = (pixel % 8, pixel / 8);
            // Left and top edges belong to it, right and bottom ones do not.
            let expected = u8::from((1..5).contains(&x) && (1..4).contains(&y));
            assert_eq!((*count, map.mask[pixel]), (expected, expected), "{x} {y}");
        }
    }

    #[test]
    fn the_farther_or_the_nearer_stays() {
        let points = [[0.0, 0.0, 0.25], [8.0, 0.0, 0.25], [0.0, 8.0, 0.75], [8.0, 8.0, 0.5]];
        let triangles = [[0, 1, 2], [0, 1, 3], [0, 2, 1]];
        let far = shown(&points, &triangles, Keep::Farthest);
        let near = shown(&points, &triangles, Keep::Nearest);
        // On pixel (2, 2) both faces are there: z = ¼ + y / 16 and z = ¼ + y / 32.
        let pixel = 2 * 8 + 2;
        assert_eq!((far.depth[pixel], near.depth[pixel]), (0.25 + 2.5 / 16.0, 0.25 + 2.5 / 32.0));
        assert_eq!((far.mask[5 * 8], near.mask[5 * 8 + 5]), (1, 1));
    }

    #[test]
    fn depths_are_clamped_and_far_corners_do_no_harm() {
        let points = [[-1e9, -1e9, -4.0], [1e9, -1e9, -4.0], [0.0, 1e9, 5.0], [f32::MAX, 0.0, 0.0]];
        let map = shown(&points, &[[0, 1, 2], [0, 1, 3], [3, 3, 3]], Keep::Farthest);
        assert!(map.mask.iter().all(|mask| *mask == 1));
        assert!(map.depth.iter().all(|depth| (0.0..=1.0).contains(depth)));
        assert!(shown(&[], &[], Keep::Nearest).mask.iter().all(|mask| *mask == 0));
    }
}
