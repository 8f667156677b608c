//! The f32 kernels on leaves against exact arithmetic: a certain answer is right, nothing that meets
//! is passed over, and bounds of distances are on their sides of the truth.
//!
//! The true triangles lie anywhere within the stated error of what the kernels see.

use impinge_geom::distance::triangle_triangle;
use impinge_geom::{Point, Triangle, tri_tri};
use impinge_simd::leaf::{Leaf, Leaves, crossings};
use impinge_simd::leaf_gap::{Limits, gap_along, gaps};
use impinge_simd::obb::{Box1, Boxes8, Source, Way};
use proptest::prelude::*;

const U: f64 = 1.0 / 16_777_216.0;

/// Two leaves as the kernels see them, and the truth in the frame of A.
#[derive(Clone, Debug)]
struct Case {
    seen: [Leaf; 2],
    boxes: [Boxes8; 2],
    way: Way,
    /// None in vacant lanes.
    truth: [[Option<Triangle>; 8]; 2],
}

impl Case {
    fn leaves(&self) -> Leaves<'_> {
        Leaves {
            leaves: self.seen.each_ref(),
            boxes: self.boxes.each_ref().map(|boxes| Source { boxes, lane: 2 }),
            way: &self.way,
        }
    }
}

/// How triangles of a case are made.
#[derive(Clone, Debug)]
struct Recipe {
    corners: Vec<Triangle>,
    /// Where each true corner is within its error.
    off: Vec<Triangle>,
    filled: [usize; 2],
    rotation: [f64; 4],
    shift: Point,
    error: f64,
    scale: f64,
}

fn rotated(q: &[f64; 4]) -> [[f64; 3]; 3] {
    let [w, x, y, z] = *q;
    let n = 2.0 / (w * w + x * x + y * y + z * z);
    [
        [1.0 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)],
        [n * (x * y + w * z), 1.0 - n * (x * x + z * z), n * (y * z - w * x)],
        [n * (x * z - w * y), n * (y * z + w * x), 1.0 - n * (x * x + y * y)],
    ]
}

fn times(rows: &[[f64; 3]; 3], v: &Point) -> Point {
    rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// A box about the origin along the axes of its leaf, in the third lane.
fn boxed(triangles: &[Triangle]) -> Boxes8 {
    let mut half = [0f64; 3];
    for corner in triangles.iter().flatten() {
        (0..3).for_each(|k| half[k] = half[k].max(corner[k].abs()));
    }
    let half = half.map(|x| (x * (1.0 + 8.0 * U) + 1e-37) as f32);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut boxes = Boxes8::VACANT;
    boxes.set(2, &Box1 { center: [0.0; 3], half, axes });
    boxes
}

impl Recipe {
    fn way(&self) -> Way {
        let rows = rotated(&self.rotation);
        let column = |k: usize| [rows[0][k], rows[1][k], rows[2][k], 0.0];
        let narrow = |k: usize| std::array::from_fn(|i| column(k)[i % 4] as f32);
        let [x, y, z] = self.shift;
        Way {
            turn: [narrow(0), narrow(1), narrow(2)],
            place: [0, 1, 2].map(|k| column(k).map(|x| x * self.scale)),
            shift: [x, y, z, 0.0],
            rows: rows.map(|row| row.map(|x| (x * self.scale) as f32)),
            scale: self.scale as f32,
            error: if self.error > 0.0 { (self.error as f32).next_up() } else { 0.0 },
        }
    }

    fn case(&self) -> Case {
        let rows = rotated(&self.rotation);
        let leaves = [&self.corners[..self.filled[0]], &self.corners[8..8 + self.filled[1]]];
        let place = |p: &Point| {
            let turned = times(&rows, p);
            std::array::from_fn(|k| turned[k] * self.scale + self.shift[k])
        };
        let vacant = Leaf { triangles: [[[f32::NAN; 8]; 3]; 3], ids: [u32::MAX; 8] };
        let mut case = Case {
            seen: [vacant; 2],
            boxes: leaves.map(boxed),
            way: self.way(),
            truth: [[None; 8]; 2],
        };
        for (side, leaf) in leaves.into_iter().enumerate() {
            for (lane, triangle) in leaf.iter().enumerate() {
                case.seen[side].ids[lane] = lane as u32;
                let mut truth: Triangle = Default::default();
                for (c, corner) in triangle.iter().enumerate() {
                    let columns = &mut case.seen[side].triangles[c];
                    (0..3).for_each(|k| columns[k][lane] = corner[k] as f32);
                    let given = if side == 0 { *corner } else { place(corner) };
                    let off = self.off[8 * side + lane][c];
                    truth[c] = std::array::from_fn(|k| given[k] + self.error * off[k]);
                }
                case.truth[side][lane] = Some(truth);
            }
        }
        case
    }
}

/// Corners on a coarse lattice (which touch, are coplanar, degenerate), anywhere, or nearly flat.
fn triangles() -> impl Strategy<Value = Triangle> {
    let lattice = (-2..=2i8).prop_map(|x| f64::from(x) * 0.25);
    let on_lattice = prop::array::uniform3(prop::array::uniform3(lattice));
    let anywhere = prop::array::uniform3(prop::array::uniform3(-0.5..0.5f64));
    let flat = (anywhere.clone(), -9.0..-2.0f64).prop_map(|(t, e)| {
        let [x, y, z] = t;
        [x, y, z].map(|[p, q, r]| [p, q, r * 10f64.powf(e)])
    });
    let sliver = (anywhere.clone(), -9.0..-2.0f64).prop_map(|([p, q, r], e)| {
        let near = std::array::from_fn(|k| q[k] + r[k] * 10f64.powf(e));
        [p, q, near]
    });
    let small = (anywhere.clone(), -6.0..-1.0f64).prop_map(|([p, q, r], e)| {
        let near = |v: Point| std::array::from_fn(|k| p[k] + v[k] * 10f64.powf(e));
        [p, near(q), near(r)]
    });
    prop_oneof![3 => on_lattice, 3 => anywhere, 1 => flat, 1 => sliver, 1 => small]
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let turns = prop_oneof![
        Just([1.0, 0.0, 0.0, 0.0]),
        prop::array::uniform4(prop::sample::select(vec![-1.0, 0.0, 1.0])),
        prop::array::uniform4(-1.0..1.0f64),
    ]
    .prop_filter("no rotation", |q: &[f64; 4]| q.iter().map(|x| x * x).sum::<f64>() > 1e-3);
    let lattice = (-4..=4i8).prop_map(|x| f64::from(x) * 0.25);
    let shift = prop_oneof![
        Just([0.0; 3]),
        prop::array::uniform3(lattice),
        prop::array::uniform3(-1.0..1.0f64),
    ];
    let error = prop_oneof![Just(0.0), (-10.0..-1.0f64).prop_map(|e| 10f64.powf(e))];
    let scale =
        prop_oneof![3 => Just(1.0), 1 => prop::sample::select(vec![0.125, 8.0, 2f64.powi(20)])];
    let off = prop::array::uniform3(prop::array::uniform3(prop_oneof![
        -1.0..1.0f64,
        Just(-1.0),
        Just(1.0),
        Just(0.0),
    ]));
    (
        prop::collection::vec(triangles(), 16),
        prop::collection::vec(off, 16),
        prop::array::uniform2(1..9usize),
        turns,
        (shift, error, scale),
    )
        .prop_map(|(corners, off, filled, rotation, (shift, error, scale))| Recipe {
            corners,
            off,
            filled,
            rotation,
            shift,
            error,
            scale,
        })
}

/// The true triangles of a row and a lane.
fn pair(case: &Case, row: usize, lane: usize) -> Option<[Triangle; 2]> {
    Some([case.truth[0][row]?, case.truth[1][lane]?])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn certain_crossings_are_true_and_none_is_missing(recipe in recipes()) {
        let case = recipe.case();
        let found = crossings(&case.leaves());
        for (row, lane) in (0..8).flat_map(|row| (0..8).map(move |lane| (row, lane))) {
            let [hit, open] = [found.hit, found.open].map(|of| of[row] >> lane & 1 == 1);
            prop_assert!(!(hit && open));
            let Some([a, b]) = pair(&case, row, lane) else {
                prop_assert!(!hit && !open, "a vacant lane is told");
                continue;
            };
            let truth = tri_tri::intersect(&a, &b);
            prop_assert!(!hit || truth, "{} {} is called a hit: {:?} {:?}", row, lane, a, b);
            prop_assert!(hit || open || !truth, "{} {} is missing: {:?} {:?}", row, lane, a, b);
        }
    }

    #[test]
    fn bounds_of_distances_hold_the_truth(
        recipe in recipes(),
        most in prop_oneof![Just(f32::INFINITY), 0.0..1.0f32, 0.0..0.01f32],
        along in prop::array::uniform3(-1.0..1.0f32),
        along_shift in any::<bool>(),
    ) {
        let case = recipe.case();
        let along = if along_shift { recipe.shift.map(|x| x as f32) } else { along };
        let found = gaps(&case.leaves(), &Limits { most, along });
        let mut least = f64::INFINITY;
        for (row, lane) in (0..8).flat_map(|row| (0..8).map(move |lane| (row, lane))) {
            let told = found.lanes[row] >> lane & 1 == 1;
            let Some([a, b]) = pair(&case, row, lane) else {
                prop_assert!(!told, "a vacant lane is told");
                continue;
            };
            let truth = triangle_triangle(&a, &b);
            least = least.min(truth.hi);
            if told {
                let bounds = [found.lower[row][lane], found.upper[row][lane]].map(f64::from);
                prop_assert!(bounds[0] <= truth.hi, "{:?} {:?} {:?}", bounds, a, b);
                prop_assert!(truth.lo <= bounds[1], "{:?} {:?} {:?}", bounds, a, b);
            } else {
                // Passed over: above the limit, or not below the least upper bound.
                let limit = f64::from(most.min(found.least));
                prop_assert!(truth.hi >= limit, "{} < {}: {:?} {:?}", truth.hi, limit, a, b);
            }
        }
        prop_assert!(f64::from(found.least) >= least * (1.0 - 1e-12));
        for along in [along, found.way] {
            let parted = f64::from(gap_along(&case.leaves(), along));
            prop_assert!(parted <= least, "{} {} {:?}", parted, least, along);
        }
    }
}

/// Clear cases are decided: a filter that leaves everything open would be right and useless.
#[test]
fn clear_cases_are_not_left_open() {
    let upright: Triangle = [[-0.4, -0.3, 0.0], [0.4, -0.3, 0.0], [0.0, 0.5, 0.0]];
    let across: Triangle = [[0.0, 0.1, -0.5], [0.1, 0.0, 0.5], [0.0, 0.05, 0.5]];
    let recipe = |b: Triangle| Recipe {
        corners: [[upright; 8], [b; 8]].concat(),
        off: vec![[[1.0; 3]; 3]; 16],
        filled: [8, 8],
        rotation: [0.9, 0.1, 0.05, -0.1],
        shift: [0.0; 3],
        error: 1e-6,
        scale: 1.0,
    };
    let case = recipe(across).case();
    assert_eq!(crossings(&case.leaves()).hit, [0xff; 8]);
    let beside = across.map(|[x, y, z]| [x, y, z + 0.75]);
    let case = recipe(beside).case();
    let found = crossings(&case.leaves());
    assert_eq!((found.hit, found.open), ([0; 8], [0; 8]));
    let found = gaps(&case.leaves(), &Limits { most: f32::INFINITY, along: [0.0, 0.0, 1.0] });
    assert_eq!(found.lanes, [0xff; 8]);
    let [a, b] = pair(&case, 0, 0).expect("both are full");
    let truth = triangle_triangle(&a, &b);
    assert!(f64::from(found.upper[0][0] - found.lower[0][0]) < 1e-4 && truth.lo > 0.1);
    assert!(f64::from(gap_along(&case.leaves(), found.way)) > truth.lo - 1e-4);
}
