//! Both forms on random maps, against each other and against voxels that are known.

use super::tell::{Distances, Frame, Scene};
use super::*;
use crate::lanes32::Scalar8;
use proptest::prelude::*;

/// A map whose bricks are stored in a mixed order, and the bits themselves.
fn map(counts: [u32; 3], seed: u64) -> (Bits, impl Fn([u32; 3]) -> bool) {
    let is_filled = move |[x, y, z]: [u32; 3]| {
        let rim = (0..3).any(|k| [x, y, z][k] == 0 || [x, y, z][k] + 1 >= counts[k]);
        let mut h = seed ^ (u64::from(x) << 40 | u64::from(y) << 20 | u64::from(z));
        h = (h ^ h >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        !rim && h >> 40 & 3 == 0
    };
    let [across, deep, high] = counts.map(|count| count.div_ceil(8));
    let (mut index, mut bricks) = (Vec::new(), vec![[0u64; 8]]);
    for at in 0..across * deep * high {
        let [bx, by, bz] = [at % across, at / across % deep, at / across / deep];
        let mut brick = [0u64; 8];
        for i in 0..512u32 {
            let (x, y, z) = (i % 8, i / 8 % 8, i / 64);
            let filled = is_filled([8 * bx + x, 8 * by + y, 8 * bz + z]);
            brick[z as usize] |= u64::from(filled) << (8 * y + x);
        }
        let other = at ^ u32::from(at ^ 1 < across * deep * high);
        index.push(1 + other);
        bricks.push(brick);
    }
    let mut stored = vec![[0; 8]];
    stored.extend(index.iter().map(|&place| bricks[place as usize]));
    (Bits::new(index, stored, counts).expect("all fits"), is_filled)
}

fn octets(points: &[[i16; 3]]) -> Vec<Octet> {
    let octet = |eight: &[[i16; 3]]| {
        std::array::from_fn(|k| std::array::from_fn(|i| eight[i.min(eight.len() - 1)][k]))
    };
    points.chunks(8).map(octet).collect()
}

/// How far points are from the corner along each axis, at most.
fn reach(rows: &[[f32; 3]; 3], points: &[[i16; 3]]) -> [f32; 3] {
    let along =
        |row: &[f32; 3], p: &[i16; 3]| (0..3).map(|k| row[k] * f32::from(p[k])).sum::<f32>().abs();
    rows.map(|row| points.iter().map(|p| along(&row, p)).fold(0.0, f32::max))
}

/// Distances in bricks that are stored in a mixed order.
fn distances(counts: [u32; 3], seed: u64) -> Distances {
    let counts = counts.map(|count| count.div_ceil(8));
    let bricks = counts.iter().product::<u32>();
    let value = |i: u64| (seed ^ i << 17).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let stored = (0..3).map(|k| std::array::from_fn(|i| value(512 * k + i as u64) as i8));
    let index = (0..bricks).map(|i| (value(u64::from(i)) % 3) as u32).collect();
    Distances::new(index, stored.collect(), counts).expect("all fits")
}

/// The world is the map, and voxels are told by their numbers.
fn scene<'a>(bits: &'a Bits, distances: &'a Distances, turn: Turn) -> Scene<'a> {
    let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let same = Frame { rows, origin: [0.0; 3] };
    Scene { bits, distances, turn, points: same, voxels: same, out: rows }
}

proptest! {
    #[test]
    fn both_forms_agree_with_the_voxels(
        counts in prop::array::uniform3(1u32..40),
        seed: u64,
        rows in prop::array::uniform3(prop::array::uniform3(-0.2f32..0.2)),
        corner in prop::array::uniform3(-9f32..49.0),
        spread in prop::sample::select(vec![5i16, 15, 25, 40, 400, 32_000]),
        raw in prop::collection::vec(prop::array::uniform3(-1f32..1.0), 1..64),
    ) {
        let (bits, is_filled) = map(counts, seed);
        let points: Vec<[i16; 3]> =
            raw.iter().map(|p| p.map(|x| (x * f32::from(spread)) as i16)).collect();
        let octets = octets(&points);
        let turn = Turn { rows, corner, reach: reach(&rows, &points) };
        let found = look_up(&bits, &turn, &octets);
        prop_assert_eq!(found, plain(&bits, &turn, &octets));
        let distances = distances(counts, seed);
        let scene = scene(&bits, &distances, turn);
        for (k, octet) in octets.iter().enumerate() {
            let told = tell::tell(&scene, octet);
            prop_assert_eq!(told, tell::told::<Scalar8>(&scene, octet));
            for i in 0..8 {
                let voxel = told.middle.map(|middle| middle[i] as u32);
                let is_found = found >> (8 * k + i) & 1 == 1;
                prop_assert_eq!(is_found, is_filled(voxel), "point {}", 8 * k + i);
                let place = told.place.map(|place| f64::from(place[i]));
                let way = |axis: usize| place[axis] - told.middle[axis][i];
                prop_assert!((0..3).all(|axis| (-1e-5..=1.00001).contains(&way(axis))));
            }
        }
    }
}

#[test]
fn places_that_are_no_numbers_are_nowhere() {
    let (bits, _) = map([20; 3], 7);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30] {
        let turn = Turn { rows: [[bad; 3]; 3], corner: [10.0, bad, 10.0], reach: [3.0; 3] };
        let octets = octets(&[[3, -2, 1]; 20]);
        assert_eq!(look_up(&bits, &turn, &octets), 0, "{bad}");
        assert_eq!(plain(&bits, &turn, &octets), 0, "{bad}");
    }
}

#[test]
fn nothing_is_found_of_no_points() {
    let (bits, _) = map([20; 3], 7);
    let turn = Turn { rows: [[0.1; 3]; 3], corner: [10.0; 3], reach: [1.0; 3] };
    assert_eq!(look_up(&bits, &turn, &[]), 0);
}

/// Distances that grow linearly are told as they are, wherever a place is.
#[test]
fn slopes_are_those_of_the_distances() {
    let bits = Bits::new(vec![0; 8], vec![[0; 8]], [16; 3]).expect("all fits");
    let value = |brick: usize, i: usize| {
        let x = 8 * (brick % 2) + i % 8;
        let y = 8 * (brick / 2 % 2) + i / 8 % 8;
        let z = 8 * (brick / 4) + i / 64;
        6 * x as i32 + 3 * y as i32 - 5 * z as i32 - 20
    };
    let bricks = (0..8).map(|brick| std::array::from_fn(|i| value(brick, i) as i8)).collect();
    let distances = Distances::new((0..8).collect(), bricks, [2; 3]).expect("all fits");
    let turn = Turn { rows: [[0.01; 3]; 3], corner: [7.9, 8.3, 7.2], reach: [4.0; 3] };
    let octet = std::array::from_fn(|k| std::array::from_fn(|i| [-60, 7, 33, 90][(i + k) % 4]));
    let told = tell::tell(&scene(&bits, &distances, turn), &octet);
    let length = 70f64.sqrt();
    for i in 0..8 {
        let [x, y, z] = told.place.map(|place| f64::from(place[i]) - 0.5);
        let truth = (6.0 * x + 3.0 * y - 5.0 * z - 20.0) * tell::PART;
        assert!((f64::from(told.depth[i]) + truth).abs() < 1e-5, "{i}: {truth}");
        for (k, along) in [6.0, 3.0, -5.0].into_iter().enumerate() {
            assert!((told.out[k][i] - along / length).abs() < 1e-5, "{i} {k}");
        }
        assert_eq!(told.open >> i & 1 == 1, told.depth[i].abs() > tell::DEPTH_MAX);
    }
}

#[test]
fn maps_that_do_not_fit_together_are_refused() {
    assert!(Distances::new(vec![0], vec![[0; 512]], [1; 3]).is_some());
    assert!(Distances::new(vec![1], vec![[0; 512]], [1; 3]).is_none());
    assert!(Distances::new(vec![0], vec![[0; 512]], [1, 2, 1]).is_none());
    assert!(Bits::new(vec![0], vec![[0; 8]], [8; 3]).is_some());
    assert!(Bits::new(vec![1], vec![[0; 8]], [8; 3]).is_none());
    assert!(Bits::new(vec![0], vec![[1; 8]], [8; 3]).is_none());
    assert!(Bits::new(vec![], vec![], [8; 3]).is_none());
    assert!(Bits::new(vec![0], vec![[0; 8]], [9, 8, 8]).is_none());
    assert!(Bits::new(vec![], vec![[0; 8]], [0, 8, 8]).is_none());
    assert!(Bits::new(vec![0; 257], vec![[0; 8]], [2056, 8, 8]).is_none());
}

proptest! {
    #[test]
    fn balls_that_are_sorted_out_reach_nothing(
        counts in prop::array::uniform3(1u32..30),
        seed in 1u64..,
        corner in prop::array::uniform3(-10f32..40.0),
        radius in 0f32..40.0,
        filled in prop::array::uniform3(0u32..30),
        hole: bool,
    ) {
        // One voxel is filled, or all but one.
        let filled: [u32; 3] = std::array::from_fn(|k| filled[k] % counts[k]);
        let gap = |x: f32, i: u32| (i as f32 - x).max(x - (i + 1) as f32).max(0.0);
        let distance = |p: [f32; 3]| {
            (0..3).map(|k| gap(p[k], filled[k]).powi(2)).sum::<f32>().sqrt()
        };
        let cells = counts.map(|count| count.div_ceil(balls::CELL));
        let values = (0..cells.iter().product::<u32>()).map(|i| {
            let cell = [i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]];
            let middle = cell.map(|c| (4 * c + 2) as f32);
            let steps = (distance(middle) / balls::UNIT).floor().min(127.0);
            if hole { -steps as i8 } else { steps as i8 }
        });
        let lattice = balls::Lattice::new(values.collect(), counts).expect("as many as cells");
        let rows = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]];
        let view = balls::View { rows, corner, scale: 0.25, slack: 1e-3 };
        let shift = |i: usize, k: u64| (seed >> (8 * k + i as u64) & 63) as f32;
        let eight = balls::Balls8 {
            centre: std::array::from_fn(|k| std::array::from_fn(|i| shift(i, k as u64))),
            radius: std::array::from_fn(|i| if i == 5 { -1.0 } else { 0.5 * radius * i as f32 }),
        };
        let found = balls::reach(&lattice, &view, &eight);
        prop_assert_eq!((found.near | found.inside) >> 5 & 1, 0);
        for i in (0..8).filter(|&i| i != 5) {
            let centre: [f32; 3] = std::array::from_fn(|k| 0.25 * eight.centre[k][i] + corner[k]);
            let reaches = distance(centre) <= 0.25 * eight.radius[i];
            let within = (0..3).all(|k| (0.0..=counts[k] as f32).contains(&centre[k]));
            if hole {
                let inside = found.inside >> i & 1 == 1;
                prop_assert!(!(inside && (reaches || !within)), "{}: {:?}", i, found);
            } else {
                let sorted_out = (found.near | found.inside) >> i & 1 == 0;
                prop_assert!(!(reaches && sorted_out), "{}: {:?} {:?}", i, found, centre);
            }
        }
    }
}
