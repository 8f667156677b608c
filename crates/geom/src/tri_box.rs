//! Triangle against closed box: exactly by separating axes, by clipping as [K98 §3.7] prints it,
//! and eight at a time.
//!
//! Touching counts, and triangles may be segments or points. [`sat`] is the truth; [`clip`] rounds
//! and may differ from it where a crossing is within rounding of the box.

use crate::aabb::Aabb;
use crate::predicates::{Projection, Sign, orient3d};
use crate::{Point, Triangle};
use impinge_simd::tri_box::{Boxes8, Certain, Triangle32, Triangles8};

/// Whether the triangle and the closed box share a point, decided exactly.
///
/// The axes are the coordinates, edge × coordinate and the normal. An edge axis separates only
/// where the edge itself is the side of the triangle that faces the box, so the sign of a
/// two-dimensional orientation of one box corner tells; likewise the plane of the triangle
/// separates if two opposite corners of the box are strictly on one side of it. Flat boxes and
/// degenerate triangles need no case of their own: axes of zero length never separate, and when
/// both lie in one plane, any axis normal to an edge but not to the plane does for that edge.
pub fn sat(triangle: &Triangle, aabb: &Aabb) -> bool {
    if aabb.is_empty() || !Aabb::around(triangle).overlaps(aabb) {
        return false;
    }
    if triangle.iter().any(|corner| aabb.contains(corner)) {
        return true;
    }
    let [a, b, c] = triangle;
    // How the triangle turns in the three projections; these are the signs of its normal too.
    let turns = AXES.map(|(projection, ..)| projection.orient(a, b, c));
    plane_meets(triangle, aabb, turns)
        && AXES.iter().zip(turns).all(|(axis, turn)| shadows_meet(triangle, aabb, *axis, turn))
}

/// The projections along x, y and z with their two coordinates.
const AXES: [(Projection, usize, usize); 3] =
    [(Projection::ALL[1], 1, 2), (Projection::ALL[2], 2, 0), (Projection::ALL[0], 0, 1)];

/// Whether the box reaches both sides of the triangle's plane, or touches it.
fn plane_meets(triangle: &Triangle, aabb: &Aabb, normal: [Sign; 3]) -> bool {
    let [a, b, c] = triangle;
    // The corners of the box that are farthest along the normal and against it.
    let ahead = std::array::from_fn(|k| if normal[k] > 0 { aabb.max[k] } else { aabb.min[k] });
    let behind = std::array::from_fn(|k| if normal[k] > 0 { aabb.min[k] } else { aabb.max[k] });
    let side = orient3d(a, b, c, &ahead);
    side == 0 || side != orient3d(a, b, c, &behind)
}

/// Whether no edge of the triangle has the box strictly beyond it in this projection.
fn shadows_meet(
    triangle: &Triangle,
    aabb: &Aabb,
    (projection, u, v): (Projection, usize, usize),
    turn: Sign,
) -> bool {
    (0..3).all(|n| {
        let (p, q) = (&triangle[n], &triangle[(n + 1) % 3]);
        // Left of an edge is −dv·u + du·v > 0: these corners are the least and the most left.
        let (up, ahead) = (q[v] > p[v], q[u] > p[u]);
        let corner = |left: bool| {
            let mut corner = [0.0; 3];
            corner[u] = if up == left { aabb.min[u] } else { aabb.max[u] };
            corner[v] = if ahead == left { aabb.max[v] } else { aabb.min[v] };
            corner
        };
        let all_left = || projection.orient(p, q, &corner(false)) > 0;
        let all_right = || projection.orient(p, q, &corner(true)) < 0;
        // The triangle is to the left if it turns left; a straight one has nothing on either side.
        !(turn <= 0 && all_left() || turn >= 0 && all_right())
    })
}

/// Whether the triangle and the closed box share a point, by clipping as [K98 §3.7] in plain f64.
///
/// The early outs are those of the paper: boxes apart, a corner inside, and a crossing with a face
/// plane that lies within the face. After clipping against the x and y extents, what is left only
/// needs comparing with the z extent. Crossings are rounded, so the answer may differ from
/// [`sat`] when a crossing is within a few ulps of the box.
pub fn clip(triangle: &Triangle, aabb: &Aabb) -> bool {
    if aabb.is_empty() || !Aabb::around(triangle).overlaps(aabb) {
        return false;
    }
    if triangle.iter().any(|corner| aabb.contains(corner)) {
        return true;
    }
    let mut patch = Patch { corners: [[0.0; 3]; CORNERS_MAX], count: 3 };
    patch.corners[..3].copy_from_slice(triangle);
    for axis in [0, 1] {
        for keep_below in [false, true] {
            if patch.clip(aabb, axis, keep_below) == Clipped::HitFace {
                return true;
            }
        }
    }
    let left = &patch.corners[..patch.count];
    let all_above = left.iter().all(|p| p[2] > aabb.max[2]);
    let all_below = left.iter().all(|p| p[2] < aabb.min[2]);
    !(all_above || all_below)
}

/// Each of four planes cuts off at least one corner and adds at most two.
const CORNERS_MAX: usize = 7;

/// What is left of a triangle while it is clipped.
struct Patch {
    corners: [Point; CORNERS_MAX],
    count: usize,
}

#[derive(PartialEq)]
enum Clipped {
    /// A crossing lies within the face of the box: nothing more to ask.
    HitFace,
    Remains,
}

impl Patch {
    /// Keeps what is not beyond one face plane of the box.
    fn clip(&mut self, aabb: &Aabb, axis: usize, keep_below: bool) -> Clipped {
        let plane = if keep_below { aabb.max[axis] } else { aabb.min[axis] };
        let beyond = |p: &Point| if keep_below { p[axis] > plane } else { p[axis] < plane };
        let mut kept = Self { corners: [[0.0; 3]; CORNERS_MAX], count: 0 };
        for i in 0..self.count {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.count]);
            if !beyond(&p) {
                kept.push(p);
            }
            if beyond(&p) == beyond(&q) {
                continue;
            }
            // Always from the kept end, so that an edge is cut alike in both directions.
            let (from, to) = if beyond(&p) { (q, p) } else { (p, q) };
            let share = (plane - from[axis]) / (to[axis] - from[axis]);
            let mut crossing: Point = std::array::from_fn(|k| from[k] + share * (to[k] - from[k]));
            crossing[axis] = plane;
            if aabb.contains(&crossing) {
                return Clipped::HitFace;
            }
            kept.push(crossing);
        }
        *self = kept;
        Clipped::Remains
    }

    /// Rounding can make a sliver cross a plane more than twice; such corners repeat known places.
    fn push(&mut self, corner: Point) {
        if self.count < CORNERS_MAX {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}

/// Rounds to f32 around an origin, and keeps account of what that costs.
#[derive(Clone, Copy, Debug)]
struct Rounding {
    origin: Point,
    /// The largest rounded magnitude so far.
    reach: f32,
    /// Whether every number so far came out exactly.
    exact: bool,
}

impl Rounding {
    fn around(origin: Point) -> Self {
        Self { origin, reach: 0.0, exact: true }
    }

    fn round(&mut self, point: &Point) -> [f32; 3] {
        std::array::from_fn(|k| {
            let (x, o) = (point[k], self.origin[k]);
            let difference = x - o;
            // What the subtraction lost, without error of its own (Knuth's two-sum).
            let back = x - difference;
            let lost = (x - (difference + back)) + (back - o);
            let rounded = difference as f32;
            self.reach = self.reach.max(rounded.abs());
            self.exact &= lost == 0.0 && f64::from(rounded) == difference;
            rounded
        })
    }

    /// How far a rounded coordinate of either side may be from the true one: half an ulp of f32,
    /// and twice that is granted for what f64 lost before; plus what underflow can lose.
    fn error(&self, other: &Self) -> f32 {
        if self.exact && other.exact {
            0.0
        } else {
            self.reach.max(other.reach) * f32::EPSILON + f32::MIN_POSITIVE
        }
    }
}

/// Up to eight triangles, to be tested against one box after another.
#[derive(Clone, Debug)]
pub struct TrianglePacket {
    /// Lanes to spare repeat the last triangle.
    triangles: [Triangle; 8],
    count: usize,
    lanes: Triangles8,
    rounding: Rounding,
}

impl TrianglePacket {
    /// At most eight triangles and at least one. The nearer the origin is to them and to the boxes,
    /// the fewer tests need exact arithmetic; the answers are the same for any.
    pub fn new(triangles: &[Triangle], origin: Point) -> Self {
        assert!((1..=8).contains(&triangles.len()), "one to eight triangles make a packet");
        let count = triangles.len();
        let triangles: [Triangle; 8] = std::array::from_fn(|i| triangles[i.min(count - 1)]);
        let mut rounding = Rounding::around(origin);
        let mut lanes = [[[0.0; 8]; 3]; 3];
        for (lane, triangle) in triangles.iter().enumerate() {
            for (corner, lanes) in triangle.iter().zip(&mut lanes) {
                let rounded = rounding.round(corner);
                (0..3).for_each(|k| lanes[k][lane] = rounded[k]);
            }
        }
        Self { triangles, count, lanes, rounding }
    }

    /// What eight-wide arithmetic can say for certain, one bit per triangle; lanes to spare say
    /// the same as the last triangle.
    pub fn filter(&self, aabb: &Aabb) -> Certain {
        if aabb.is_empty() {
            return Certain { hit: 0, miss: 0xff };
        }
        let mut rounding = Rounding::around(self.rounding.origin);
        let (min, max) = (rounding.round(&aabb.min), rounding.round(&aabb.max));
        let error = self.rounding.error(&rounding);
        impinge_simd::tri_box::one_box(&self.lanes, &min, &max, error)
    }

    /// Which triangles share a point with the closed box: bit `i` as [`sat`] of triangle `i`.
    pub fn overlaps(&self, aabb: &Aabb) -> u8 {
        settle(self.filter(aabb), self.count, |i| sat(&self.triangles[i], aabb))
    }
}

/// Up to eight boxes, to be tested against one triangle after another: the children of an octree
/// cell.
#[derive(Clone, Debug)]
pub struct BoxPacket {
    /// Lanes to spare repeat the last box.
    boxes: [Aabb; 8],
    count: usize,
    lanes: Boxes8,
    rounding: Rounding,
}

impl BoxPacket {
    /// At most eight boxes and at least one; as for [`TrianglePacket::new`], any origin is right
    /// and a near one is fast.
    pub fn new(boxes: &[Aabb], origin: Point) -> Self {
        assert!((1..=8).contains(&boxes.len()), "one to eight boxes make a packet");
        let count = boxes.len();
        let boxes: [Aabb; 8] = std::array::from_fn(|i| boxes[i.min(count - 1)]);
        let mut rounding = Rounding::around(origin);
        let mut lanes = Boxes8 { min: [[0.0; 8]; 3], max: [[0.0; 8]; 3] };
        for (lane, aabb) in boxes.iter().enumerate() {
            // An empty box stays out of the kernel, which could not make sense of it.
            let aabb = if aabb.is_empty() { Aabb { min: origin, max: origin } } else { *aabb };
            let (min, max) = (rounding.round(&aabb.min), rounding.round(&aabb.max));
            (0..3).for_each(|k| (lanes.min[k][lane], lanes.max[k][lane]) = (min[k], max[k]));
        }
        Self { boxes, count, lanes, rounding }
    }

    /// What eight-wide arithmetic can say for certain, one bit per box; lanes to spare say the
    /// same as the last box.
    pub fn filter(&self, triangle: &Triangle) -> Certain {
        let mut rounding = Rounding::around(self.rounding.origin);
        let rounded: Triangle32 = triangle.map(|corner| rounding.round(&corner));
        let error = self.rounding.error(&rounding);
        let Certain { hit, miss } =
            impinge_simd::tri_box::one_triangle(&rounded, &self.lanes, error);
        let empty = self.boxes.iter().enumerate().filter(|(_, aabb)| aabb.is_empty());
        let empty = empty.fold(0, |mask, (i, _)| mask | 1 << i);
        Certain { hit: hit & !empty, miss: miss | empty }
    }

    /// Which boxes share a point with the triangle: bit `i` as [`sat`] with box `i`.
    pub fn overlaps(&self, triangle: &Triangle) -> u8 {
        settle(self.filter(triangle), self.count, |i| sat(triangle, &self.boxes[i]))
    }
}

/// Asks the exact test where the filter could not tell.
fn settle(certain: Certain, count: usize, exact: impl Fn(usize) -> bool) -> u8 {
    let live = 0xffu8 >> (8 - count);
    let mut hits = certain.hit & live;
    let mut open = certain.undecided() & live;
    while open != 0 {
        let i = open.trailing_zeros();
        hits |= u8::from(exact(i as usize)) << i;
        open &= open - 1;
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    /// A point with a common denominator, exactly.
    type Homogeneous = [BigInt; 4];

    /// Coordinates times 2⁶⁴ are whole numbers in these tests.
    fn fixed(x: f64) -> BigInt {
        let scaled = x * 2f64.powi(64);
        assert!(scaled.fract() == 0.0 && scaled.abs() < 2f64.powi(120));
        BigInt::from(scaled as i128)
    }

    /// Clips against all six planes in rational arithmetic; shares nothing with its subjects.
    fn truth(triangle: &Triangle, aabb: &Aabb) -> bool {
        let lift = |p: &Point| [fixed(p[0]), fixed(p[1]), fixed(p[2]), BigInt::from(1)];
        let mut patch: Vec<Homogeneous> = triangle.iter().map(lift).collect();
        for k in 0..3 {
            for (plane, sign) in [(aabb.min[k], 1), (aabb.max[k], -1)] {
                let inside = |p: &Homogeneous| (&p[k] - fixed(plane) * &p[3]) * sign;
                let mut kept = Vec::new();
                for (i, p) in patch.iter().enumerate() {
                    let q = &patch[(i + 1) % patch.len()];
                    let (dp, dq) = (inside(p), inside(q));
                    let zero = BigInt::ZERO;
                    if dp >= zero {
                        kept.push(p.clone());
                    }
                    if dp > zero && dq < zero || dp < zero && dq > zero {
                        let flip = if dp > zero { 1 } else { -1 };
                        kept.push([0, 1, 2, 3].map(|m| (&q[m] * &dp - &p[m] * &dq) * flip));
                    }
                }
                patch = kept;
            }
        }
        !patch.is_empty()
    }

    fn numbers() -> impl Strategy<Value = f64> {
        let grid = (-4i32..=4).prop_map(f64::from);
        let nearly = (-4i32..=4, any::<bool>()).prop_map(|(x, up)| {
            // One ulp of a number of this size, so that zero has neighbours that 2⁻⁶⁴ divides.
            f64::from(x) + if up { 2f64.powi(-50) } else { -(2f64.powi(-50)) }
        });
        let real = (-4.0..4.0f64).prop_map(|x| (x * 2f64.powi(45)).round() * 2f64.powi(-45));
        prop_oneof![2 => grid, 1 => nearly, 1 => real]
    }

    fn corners() -> impl Strategy<Value = Point> {
        let far = prop::array::uniform3(numbers()).prop_map(|p| p.map(|x| 8.0 * x));
        prop_oneof![3 => prop::array::uniform3(numbers()), 1 => far]
    }

    fn triangles() -> impl Strategy<Value = Triangle> {
        prop_oneof![
            8 => prop::array::uniform3(corners()),
            1 => prop::array::uniform2(corners()).prop_map(|[a, b]| [a, b, a]),
            1 => (corners(), corners()).prop_map(|(a, d)| {
                [0.0, 1.0, -1.0].map(|s| [0, 1, 2].map(|k| a[k] + s * d[k]))
            }),
            1 => corners().prop_map(|a| [a; 3]),
        ]
    }

    fn boxes() -> impl Strategy<Value = Aabb> {
        prop::array::uniform2(prop::array::uniform3(numbers())).prop_map(|p| Aabb::around(&p))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn separating_axes_decide_exactly(triangle in triangles(), aabb in boxes()) {
            let expected = truth(&triangle, &aabb);
            prop_assert_eq!(sat(&triangle, &aabb), expected);
            let [a, b, c] = triangle;
            prop_assert_eq!(sat(&[c, b, a], &aabb), expected);
        }

        #[test]
        fn clipping_differs_only_within_rounding(triangle in triangles(), aabb in boxes()) {
            let slack = 64.0 * 2f64.powi(-45);
            let larger = aabb.grown(slack);
            let smaller = Aabb {
                min: aabb.min.map(|x| x + slack),
                max: aabb.max.map(|x| x - slack),
            };
            if clip(&triangle, &aabb) {
                prop_assert!(sat(&triangle, &larger));
            } else {
                prop_assert!(!sat(&triangle, &smaller));
            }
        }

        #[test]
        fn packets_say_what_the_exact_test_says(
            soup in prop::collection::vec(triangles(), 1..=8),
            cells in prop::collection::vec(boxes(), 1..=8),
            origin in prop_oneof![Just([0.0; 3]), prop::array::uniform3(numbers())],
            exponent in prop_oneof![Just(0), Just(-290), Just(290), Just(-40), Just(-70), Just(38)],
        ) {
            let scale = |p: Point| p.map(|x| crate::flush(x * 2f64.powi(exponent)));
            let soup: Vec<Triangle> = soup.into_iter().map(|t| t.map(scale)).collect();
            let mut cells: Vec<Aabb> =
                cells.iter().map(|b| Aabb { min: scale(b.min), max: scale(b.max) }).collect();
            if cells.len() == 7 {
                cells[3] = Aabb::EMPTY;
            }
            let (packet, boxes) =
                (TrianglePacket::new(&soup, scale(origin)), BoxPacket::new(&cells, scale(origin)));
            for aabb in &cells {
                let exact = (0..soup.len()).fold(0, |m, i| m | u8::from(sat(&soup[i], aabb)) << i);
                let certain = packet.filter(aabb);
                prop_assert_eq!(certain.hit & certain.miss, 0);
                prop_assert_eq!(packet.overlaps(aabb), exact);
            }
            for t in &soup {
                let exact = (0..cells.len()).fold(0, |m, i| m | u8::from(sat(t, &cells[i])) << i);
                let certain = boxes.filter(t);
                prop_assert_eq!(certain.hit & certain.miss, 0);
                prop_assert_eq!(boxes.overlaps(t), exact);
            }
        }
    }

    #[test]
    fn on_a_coarse_grid_both_tests_agree() {
        // All triangles on three by three by three places. Their sides are powers of two or zero in
        // every coordinate, so that crossings with the planes of these boxes come out exactly.
        let place = |i: u32| [i % 3, i / 3 % 3, i / 9].map(|x| f64::from(x) * 4.0 - 4.0);
        let cells = [
            Aabb { min: [0.0; 3], max: [2.0; 3] },
            Aabb { min: [-2.0, 0.0, 1.0], max: [2.0, 2.0, 3.0] },
            Aabb { min: [1.0; 3], max: [1.0, 2.0, 3.0] },
            Aabb { min: [-4.0, -1.0, 2.0], max: [-2.0, 1.0, 4.0] },
            Aabb { min: [2.0; 3], max: [2.0; 3] },
        ];
        let mut hits = 0;
        for n in 0..27u32.pow(3) {
            let triangle = [place(n % 27), place(n / 27 % 27), place(n / 729)];
            for cell in &cells {
                let exact = sat(&triangle, cell);
                assert_eq!(clip(&triangle, cell), exact, "{triangle:?} {cell:?}");
                hits += u32::from(exact);
            }
        }
        assert!(hits > 10_000, "the grid must have something to find: {hits}");
    }

    #[test]
    fn a_corner_touched_by_a_face_counts() {
        let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let face = |d: f64| [[d, 0.0, 0.0], [0.0, d, 0.0], [0.0, 0.0, d]];
        assert!(sat(&face(3.0), &unit) && clip(&face(3.0), &unit));
        assert!(!sat(&face(3f64.next_up()), &unit));
        assert!(!sat(&face(3.0), &Aabb::EMPTY) && !clip(&face(3.0), &Aabb::EMPTY));
    }
}
