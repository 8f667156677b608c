//! The exact triangle–triangle test against the oracle, on more than a million generated pairs.
//!
//! Also here: the oracle against a second exact method, and what must not change the answer on
//! whole meshes (swapping, permuting, powers of two, exact translations).

use crate::oracle::classes::{CLASSES, Class};
use crate::oracle::dual::{self, GridTriangle};
use crate::oracle::rng::Rng;
use crate::oracle::twists::{self, TWISTS};
use crate::{brute, oracle};
use impinge_geom::tri_batch::{BatchScratch, TriangleBatch};
use impinge_geom::{Triangle, tri_tri};
use rayon::prelude::*;

const PAIRS_PER_CLASS: usize = 56_000;
const PAIRS_PER_CHUNK: usize = 500;
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// What came out for the pairs of one class.
#[derive(Default)]
struct Tally {
    pairs: usize,
    hits: usize,
    /// In special position, and not rounded since.
    degenerate: usize,
    big: usize,
    per_twist: [usize; TWISTS.len()],
    mismatches: Vec<String>,
}

impl Tally {
    fn plus(mut self, other: Self) -> Self {
        self.pairs += other.pairs;
        self.hits += other.hits;
        self.degenerate += other.degenerate;
        self.big += other.big;
        for (own, more) in self.per_twist.iter_mut().zip(other.per_twist) {
            *own += more;
        }
        self.mismatches.extend(other.mismatches);
        self
    }

    fn print(&self, name: &str) {
        let Self { pairs, hits, degenerate, big, .. } = self;
        println!("{name:<28} {pairs:>8} {hits:>8} {degenerate:>8} {big:>8}");
    }
}

#[test]
fn the_exact_test_agrees_with_the_oracle_on_a_million_pairs() {
    println!("{:<28} {:>8} {:>8} {:>8} {:>8}", "class", "pairs", "hits", "special", "big");
    let mut all = Tally::default();
    for (number, class) in CLASSES.iter().enumerate() {
        let chunks = PAIRS_PER_CLASS / PAIRS_PER_CHUNK;
        let tally = (0..chunks)
            .into_par_iter()
            .map(|chunk| judge_chunk(class, (number * chunks + chunk) as u64))
            .reduce(Tally::default, Tally::plus);
        tally.print(class.name);
        assert_eq!(tally.pairs, PAIRS_PER_CLASS);
        let misses = tally.pairs - tally.hits;
        assert!(tally.hits > 500 && misses > 500, "{} tests only one side", class.name);
        all = all.plus(tally);
    }
    all.print("all");
    for (twist, count) in TWISTS.iter().zip(all.per_twist) {
        println!("{:<28} {count:>8}", twist.name);
        assert!(count > 20_000, "{} is hardly used", twist.name);
    }
    assert!(all.pairs >= 1_000_000 && 3 * all.degenerate >= all.pairs && all.big > 50_000);
    report(&all.mismatches);
}

fn judge_chunk(class: &Class, seed: u64) -> Tally {
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    for _ in 0..PAIRS_PER_CHUNK {
        let pair = (class.make)(&mut rng);
        let drawn = twists::draw(&mut rng);
        let [a, b] = (TWISTS[drawn].apply)(&mut rng, pair);
        let truth = oracle::intersect(&a, &b);
        tally.pairs += 1;
        tally.hits += usize::from(truth);
        tally.degenerate += usize::from(class.degenerate && TWISTS[drawn].exact);
        tally.big += usize::from(oracle::is_big(&a, &b));
        tally.per_twist[drawn] += 1;
        let orders = [ORDERS[0], ORDERS[1 + rng.below(5)]];
        for wrong in wrong_answers(&a, &b, truth, &orders) {
            let twist = TWISTS[drawn].name;
            tally.mismatches.push(format!("{}, {twist}: {wrong}", class.name));
        }
        let (one, many) = if rng.flip() { (&a, &b) } else { (&b, &a) };
        tally.mismatches.extend(wrong_batch(one, many, truth, 1 + rng.below(4)));
    }
    tally
}

/// Every answer that differs from the truth, over both orders of the triangles and the given
/// orders of their corners.
fn wrong_answers(a: &Triangle, b: &Triangle, truth: bool, orders: &[[usize; 3]]) -> Vec<String> {
    let mut wrong = Vec::new();
    for order_a in orders {
        for order_b in orders {
            let (pa, pb) = (order_a.map(|i| a[i]), order_b.map(|i| b[i]));
            for (first, second) in [(pa, pb), (pb, pa)] {
                if tri_tri::intersect(&first, &second) != truth {
                    wrong.push(describe(&first, &second, truth));
                }
            }
        }
    }
    wrong
}

/// The batched form on `count` triangles that are `b` with its corners in some order, and on `a`
/// itself as the last one, which always meets `a`.
fn wrong_batch(a: &Triangle, b: &Triangle, truth: bool, count: usize) -> Option<String> {
    let mut batch = TriangleBatch::default();
    let orders = ORDERS[..count].iter();
    batch.refill(orders.map(|order| order.map(|i| b[i])).chain([*a]));
    let mut scratch = BatchScratch::default();
    let (found, _) = batch.intersect(a, &mut scratch);
    let last = count as u32;
    let expected: Vec<u32> = if truth { (0..=last).collect() } else { vec![last] };
    (found != expected).then(|| {
        let pair = describe(a, b, truth);
        format!("a batch of {count} and itself gave {found:?}, {pair}")
    })
}

/// The pair so that it can be pasted into a test: decimal digits of f64 in Rust are bit-exact.
fn describe(a: &Triangle, b: &Triangle, truth: bool) -> String {
    format!("the oracle says {truth} for\n  {a:?}\n  {b:?}")
}

fn report(mismatches: &[String]) {
    let mut shortest: Vec<_> = mismatches.iter().collect();
    shortest.sort_by_key(|text| text.len());
    for text in shortest.iter().take(8) {
        println!("{text}");
    }
    assert!(mismatches.is_empty(), "{} wrong answers", mismatches.len());
}

/// All triangles on the grid {0..top}³ up to the order of corners; many are segments or points.
fn grid_triangles(top: i64) -> Vec<GridTriangle> {
    let side = top + 1;
    let node = |i: i64| [i % side, i / side % side, i / (side * side)];
    let count = side * side * side;
    (0..count)
        .flat_map(|i| (i..count).flat_map(move |j| (j..count).map(move |k| [i, j, k].map(node))))
        .collect()
}

fn real(triangle: &GridTriangle) -> Triangle {
    triangle.map(|node| node.map(|x| x as f64))
}

#[test]
fn every_pair_on_the_unit_grid_is_right_in_every_order() {
    let triangles = grid_triangles(1);
    let mismatches: Vec<String> = triangles
        .par_iter()
        .flat_map_iter(|a| {
            triangles.iter().flat_map(move |b| {
                let truth = dual::intersect(a, b);
                assert_eq!(oracle::intersect(&real(a), &real(b)), truth, "{a:?} {b:?}");
                wrong_answers(&real(a), &real(b), truth, &ORDERS)
            })
        })
        .collect();
    report(&mismatches);
}

#[test]
fn pairs_on_the_grids_of_side_two_and_three_are_right() {
    // Strides are prime, so that samples do not fall into step with the grid.
    for (top, stride) in [(2, 17), (3, 40_009)] {
        let triangles = grid_triangles(top);
        let count = triangles.len();
        let mismatches: Vec<String> = (0..count)
            .into_par_iter()
            .flat_map_iter(|i| {
                let (a, triangles) = (real(&triangles[i]), &triangles);
                (i % stride..count).step_by(stride).flat_map(move |j| {
                    let b = real(&triangles[j]);
                    wrong_answers(&a, &b, oracle::intersect(&a, &b), &ORDERS[..1])
                })
            })
            .collect();
        report(&mismatches);
    }
}

#[test]
fn the_oracle_agrees_with_the_dual_method() {
    let mut hits = 0;
    let mut rng = Rng::new(3);
    for _ in 0..40_000 {
        let top = rng.integer(1, 12);
        let [a, b]: [GridTriangle; 2] = std::array::from_fn(|_| {
            std::array::from_fn(|_| std::array::from_fn(|_| rng.integer(0, top)))
        });
        let truth = dual::intersect(&a, &b);
        hits += usize::from(truth);
        assert_eq!(oracle::intersect(&real(&a), &real(&b)), truth, "{a:?} {b:?}");
        assert_eq!(oracle::intersect_big(&real(&a), &real(&b)), truth, "{a:?} {b:?}");
    }
    assert!((4_000..36_000).contains(&hits), "{hits} hits do not test both sides");
}

#[test]
fn small_and_big_integers_of_the_oracle_agree() {
    let mut rng = Rng::new(4);
    let mut compared = 0;
    for round in 0..10_000 {
        let pair = (CLASSES[round % CLASSES.len()].make)(&mut rng);
        let drawn = twists::draw(&mut rng);
        let [a, b] = (TWISTS[drawn].apply)(&mut rng, pair);
        if !oracle::is_big(&a, &b) {
            compared += 1;
            assert_eq!(oracle::intersect(&a, &b), oracle::intersect_big(&a, &b), "{a:?} {b:?}");
        }
    }
    assert!(compared > 5_000);
}

#[test]
fn cases_made_by_hand() {
    let face = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
    let cases: [(&str, GridTriangle, bool); 18] = [
        ("itself", face, true),
        ("the next level", [[0, 0, 1], [4, 0, 1], [0, 4, 1]], false),
        ("pierces the middle", [[1, 1, -1], [1, 1, 1], [9, 9, 0]], true),
        ("passes outside the long side", [[3, 3, -1], [3, 3, 1], [9, 9, 0]], false),
        ("touches the long side with its edge", [[2, 2, -1], [2, 2, 1], [9, 9, 0]], true),
        ("stands on the face", [[1, 1, 0], [1, 1, 5], [2, 1, 5]], true),
        ("stands beside the face, in its plane", [[3, 2, 0], [3, 2, 5], [4, 2, 5]], false),
        ("shares a corner only", [[4, 0, 0], [5, 0, 1], [5, 0, -1]], true),
        ("shares an edge, folded", [[0, 0, 0], [4, 0, 0], [0, 0, 4]], true),
        ("coplanar, contained", [[1, 1, 0], [2, 1, 0], [1, 2, 0]], true),
        ("coplanar, around it", [[-9, -9, 0], [20, -9, 0], [-9, 20, 0]], true),
        ("coplanar, apart", [[5, 5, 0], [6, 5, 0], [5, 6, 0]], false),
        ("coplanar, on the edge's line but beyond", [[5, 0, 0], [7, 0, 0], [6, -1, 0]], false),
        ("a segment through the face", [[1, 1, -1], [1, 1, 1], [1, 1, 3]], true),
        ("a segment that ends above it", [[1, 1, 1], [1, 1, 2], [1, 1, 3]], false),
        ("a segment along an edge", [[3, 0, 0], [6, 0, 0], [5, 0, 0]], true),
        ("a point on it", [[2, 2, 0]; 3], true),
        ("a point beside it", [[3, 2, 0]; 3], false),
    ];
    for (name, other, truth) in cases {
        assert_eq!(dual::intersect(&face, &other), truth, "dual: {name}");
        assert_eq!(oracle::intersect(&real(&face), &real(&other)), truth, "oracle: {name}");
        assert_eq!(oracle::intersect_big(&real(&face), &real(&other)), truth, "big: {name}");
        let wrong = wrong_answers(&real(&face), &real(&other), truth, &ORDERS);
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
}

#[test]
fn the_whole_range_of_coordinates_is_exact() {
    // A point that is off the plane of a huge face by the smallest legal coordinate, and one on it.
    let (huge, tiny) = (impinge_geom::COORDINATE_MAX, impinge_geom::COORDINATE_MIN);
    let face = [[-huge, -huge, 0.0], [huge, -huge, 0.0], [0.0, huge, 0.0]];
    for (height, truth) in [(0.0, true), (tiny, false), (-tiny, false)] {
        let other = [[tiny, tiny, height], [tiny, -tiny, 2.0 * height], [tiny, tiny, height]];
        assert_eq!(oracle::intersect(&face, &other), truth, "oracle at {height:e}");
        let wrong = wrong_answers(&face, &other, truth, &ORDERS);
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

/// A closed strip of triangles around a torus, on multiples of 2⁻¹⁶ so that moving it is exact.
fn torus(rings: usize, sides: usize) -> Vec<Triangle> {
    let snap = |x: f64| (x * 65_536.0).round() / 65_536.0;
    let at = |i: usize, j: usize| {
        let u = (i % rings) as f64 / rings as f64 * std::f64::consts::TAU;
        let v = (j % sides) as f64 / sides as f64 * std::f64::consts::TAU;
        let reach = 2.0 + 0.75 * v.cos();
        [reach * u.cos(), reach * u.sin(), 0.75 * v.sin()].map(snap)
    };
    let quads = (0..rings).flat_map(|i| (0..sides).map(move |j| (i, j)));
    let halves = quads.flat_map(|(i, j)| {
        let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[p, q, r], [p, r, s]]
    });
    halves.collect()
}

/// The three faces of a unit cube at its corner (0, 0, 0), cut into small squares of two triangles.
fn corner_of_cube(cuts: usize) -> Vec<Triangle> {
    let step = 1.0 / cuts as f64;
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for cell in 0..cuts * cuts {
            let [i, j] = [cell / cuts, cell % cuts].map(|n| n as f64 * step);
            let at = |s: f64, t: f64| {
                let mut p = [0.0; 3];
                p[(axis + 1) % 3] = s;
                p[(axis + 2) % 3] = t;
                p
            };
            let [p, q, r, s] = [at(i, j), at(i + step, j), at(i + step, j + step), at(i, j + step)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    triangles
}

fn moved(mesh: &[Triangle], by: [f64; 3]) -> Vec<Triangle> {
    let shift = |p: [f64; 3]| std::array::from_fn(|k| p[k] + by[k]);
    mesh.iter().map(|triangle| triangle.map(shift)).collect()
}

fn scaled(mesh: &[Triangle], factor: f64) -> Vec<Triangle> {
    mesh.iter().map(|triangle| triangle.map(|p| p.map(|x| x * factor))).collect()
}

/// Mesh pairs with crossing surfaces, with large coplanar parts, and with equal surfaces.
fn mesh_pairs() -> [(Vec<Triangle>, Vec<Triangle>); 3] {
    let (ring, cube) = (torus(24, 12), corner_of_cube(8));
    [
        (ring.clone(), moved(&ring, [0.8125, 0.25, 0.375])),
        (cube.clone(), moved(&cube, [0.25, 0.0, 0.3125])),
        (ring.clone(), ring),
    ]
}

#[test]
fn swapping_the_meshes_swaps_the_pairs() {
    for (a, b) in mesh_pairs() {
        let pairs = brute::pairs(&a, &b);
        assert!(pairs.len() > 100, "only {} pairs", pairs.len());
        let mut back: Vec<_> = brute::pairs(&b, &a).iter().map(|&[j, i]| [i, j]).collect();
        back.sort_unstable();
        assert_eq!(pairs, back);
    }
}

#[test]
fn permuting_faces_and_corners_permutes_the_pairs() {
    let mut rng = Rng::new(5);
    for (a, b) in mesh_pairs() {
        let mut shuffled = |mesh: &[Triangle]| -> (Vec<u32>, Vec<Triangle>) {
            let mut order: Vec<u32> = (0..mesh.len() as u32).collect();
            rng.shuffle(&mut order);
            let corners = ORDERS[rng.below(6)];
            let faces = order.iter().map(|&i| corners.map(|c| mesh[i as usize][c])).collect();
            (order, faces)
        };
        let ((order_a, faces_a), (order_b, faces_b)) = (shuffled(&a), shuffled(&b));
        let mut pairs: Vec<_> = brute::pairs(&faces_a, &faces_b)
            .iter()
            .map(|&[i, j]| [order_a[i as usize], order_b[j as usize]])
            .collect();
        pairs.sort_unstable();
        assert_eq!(pairs, brute::pairs(&a, &b));
    }
}

#[test]
fn powers_of_two_do_not_change_the_pairs() {
    for (a, b) in mesh_pairs() {
        let pairs = brute::pairs(&a, &b);
        for exponent in [-250, -40, -1, 1, 40, 250] {
            let factor = 2f64.powi(exponent);
            assert_eq!(brute::pairs(&scaled(&a, factor), &scaled(&b, factor)), pairs);
        }
    }
}

#[test]
fn exact_translations_do_not_change_the_pairs() {
    for (a, b) in mesh_pairs() {
        let pairs = brute::pairs(&a, &b);
        for by in [[1.0, -2.5, 3.0], [1024.25, 0.0, -77.0], [-1e6, 2e9, 3e10]] {
            let (far_a, far_b) = (moved(&a, by), moved(&b, by));
            // The way back must give the same bits, or the translation was not exact after all.
            assert_eq!(moved(&far_a, by.map(|x| -x)), a);
            assert_eq!(brute::pairs(&far_a, &far_b), pairs);
        }
    }
}
