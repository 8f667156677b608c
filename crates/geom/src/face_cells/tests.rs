//! Against all pairs, exactly.

use super::*;
use crate::mesh::Mesh;
use crate::neighbours::intersect_beyond_shared;
use proptest::prelude::*;

const ALL: Ask<'static> = Ask { first_only: false, units: u64::MAX, is_over: &|| false };

fn brute(a: &Mesh, b: &Mesh) -> Vec<[u32; 2]> {
    let count = |mesh: &Mesh| mesh.triangles().len() as u32;
    let mut pairs = Vec::new();
    for i in 0..count(a) {
        for j in 0..count(b) {
            if tri_tri::intersect(&a.triangle(i), &b.triangle(j)) {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}

/// A mesh with all it takes to search it.
struct Made<'a> {
    mesh: &'a Mesh,
    layout: Layout,
    boxes: Vec<Ends>,
    bounds: Aabb,
}

impl<'a> Made<'a> {
    fn of(mesh: &'a Mesh) -> Self {
        let layout = Layout::of(mesh);
        let mut boxes = Vec::new();
        layout.boxes(mesh.vertices(), &mut boxes);
        Self { mesh, layout, boxes, bounds: Aabb::around(mesh.vertices()) }
    }

    fn side(&self) -> Side<'_> {
        Side {
            points: self.mesh.vertices(),
            triangles: self.mesh.triangles(),
            boxes: &self.boxes,
            bounds: &self.bounds,
            layout: &self.layout,
        }
    }
}

fn found(a: &Mesh, b: &Mesh, scratch: &mut Scratch) -> Vec<[u32; 2]> {
    let made = [a, b].map(Made::of);
    let sides = [0, 1].map(|k| made[k].side());
    let ended = scratch.search(&sides[0], &sides[1], &ALL);
    assert!(ended.complete);
    let hits = scratch.hits().to_vec();
    let region = made[0].bounds.intersection(&made[1].bounds);
    if !region.is_empty() {
        // The other way finds the same.
        assert!(scratch.search_cells([&sides[0], &sides[1]], &region, &ALL).complete);
        assert_eq!(scratch.hits(), hits);
    }
    let first = Ask { first_only: true, ..ALL };
    assert!(scratch.search(&sides[0], &sides[1], &first).complete);
    assert_eq!(scratch.hits().is_empty(), hits.is_empty());
    assert!(scratch.hits().iter().all(|hit| hits.contains(hit)));
    hits
}

fn soup(size: std::ops::Range<usize>) -> impl Strategy<Value = Mesh> {
    let number = prop_oneof![(0i8..4).prop_map(f64::from), 0.0..3.0f64];
    let points = prop::collection::vec(prop::array::uniform3(number), 3..80);
    let corners = prop::collection::vec(any::<[prop::sample::Index; 3]>(), size);
    (points, corners, 0u8..4, -3.0..3.0f64).prop_map(|(points, corners, shape, shift)| {
        let corner = |i: &prop::sample::Index| i.index(points.len()) as u32;
        let triangles =
            corners.iter().map(|c| [corner(&c[0]), corner(&c[1]), corner(&c[2])]).collect();
        let place = |p: &Point| match shape {
            0 => *p,
            1 => [p[0] + shift, p[1], p[2]],
            // Flat, and thin beside its place.
            2 => [p[0], p[1], 1.0],
            _ => p.map(|x| 1e-30 * x),
        };
        Mesh::new(points.iter().map(place).collect(), triangles).unwrap()
    })
}

proptest! {
    #[test]
    fn soups_meet_as_brute_force_says(a in soup(1..60), b in soup(1..60), far in 0u8..2) {
        let shift = f64::from(far) * 1e9;
        let moved = |mesh: &Mesh| {
            let vertices = mesh.vertices().iter().map(|p| p.map(|x| x + shift)).collect();
            mesh.with_vertices(vertices).unwrap()
        };
        let (a, b) = (moved(&a), moved(&b));
        prop_assert_eq!(found(&a, &b, &mut Scratch::default()), brute(&a, &b));
    }
}

/// A wavy sheet of `n × n` squares.
fn sheet(n: u32, wave: impl Fn(f64, f64) -> Point) -> Mesh {
    let at = |i: u32| f64::from(i) / f64::from(n);
    let points = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j)));
    let vertices = points.map(|(i, j)| wave(at(i), at(j))).collect();
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| i * (n + 1) + j));
    let triangles = squares.flat_map(|p| [[p, p + 1, p + n + 1], [p + 1, p + n + 2, p + n + 1]]);
    Mesh::new(vertices, triangles.collect()).unwrap()
}

#[test]
fn many_tiles_find_each_pair_once() {
    let a = sheet(120, |x, y| [x, y, 0.05 * (9.0 * x).sin() * (7.0 * y).cos()]);
    let b = sheet(80, |x, y| [1.1 * x - 0.05, y, 0.04 * (8.0 * x + 1.0).cos() * (6.0 * y).sin()]);
    let mut scratch = Scratch::default();
    let hits = found(&a, &b, &mut scratch);
    assert!(scratch.tiles.len() > 1, "{} tiles", scratch.tiles.len());
    let made = [&a, &b].map(Made::of);
    let sides = [0, 1].map(|k| made[k].side());
    let region = made[0].bounds.intersection(&made[1].bounds);
    scratch.search_cells([&sides[0], &sides[1]], &region, &ALL);
    assert!(scratch.tiles.len() > 1, "{} tiles of cells", scratch.tiles.len());
    assert!(scratch.search_trees([&sides[0], &sides[1]], None, &ALL).is_some());
    assert!(hits.len() > 500, "{} pairs", hits.len());
    assert_eq!(hits, brute(&a, &b));
    // The same with one thread and with several.
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| found(&a, &b, &mut scratch)), hits);
    }
}

#[test]
fn a_limit_ends_a_pile_with_what_was_found() {
    let n = 3000;
    let pile = |z: f64| {
        let corners = [[0.0, 0.0, z], [1.0, 0.1, -z], [0.0, 1.0, z]];
        let triangles = (0..n).map(|_| [0, 1, 2]).collect();
        Mesh::new(corners.to_vec(), triangles).unwrap()
    };
    let piles = [pile(0.1), pile(0.2)];
    let made = piles.each_ref().map(Made::of);
    let sides = [0, 1].map(|k| made[k].side());
    let mut scratch = Scratch::default();
    let ask = Ask { units: 3_000_000, ..ALL };
    let ended = scratch.search(&sides[0], &sides[1], &ask);
    assert!(!ended.complete);
    assert!(ended.work.units() <= ask.units);
    let hits = scratch.hits().to_vec();
    assert!(!hits.is_empty() && hits.len() < 100_000);
    // The same work again.
    assert_eq!(scratch.search(&sides[0], &sides[1], &ask), ended);
    assert_eq!(scratch.hits(), hits);
}

fn brute_itself(mesh: &Mesh) -> Vec<[u32; 2]> {
    let count = mesh.triangles().len() as u32;
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
    pairs.filter(|&[i, j]| intersect_beyond_shared(&mesh.triangle(i), &mesh.triangle(j))).collect()
}

fn found_itself(mesh: &Mesh) -> Vec<[u32; 2]> {
    let made = Made::of(mesh);
    let fans = Fans::of(mesh.triangles(), mesh.vertices().len());
    let mut scratch = Scratch::default();
    let side = made.side();
    assert!(scratch.search_itself(&side, &fans, &ALL).complete);
    let hits = scratch.hits().to_vec();
    // The other way finds the same.
    let flat_corners = scratch.flat_corners.clone();
    let itself = Itself { side: &side, flat_corners: &flat_corners };
    assert!(scratch.search_cells_itself(&itself, &ALL).complete);
    assert_eq!(scratch.hits(), hits);
    hits
}

proptest! {
    #[test]
    fn soups_meet_themselves_as_brute_force_says(mesh in soup(1..60)) {
        prop_assert_eq!(found_itself(&mesh), brute_itself(&mesh));
    }
}

#[test]
fn a_folded_sheet_meets_itself_where_it_does() {
    // Rolled up, and pressed together until layers cross.
    let rolled = sheet(44, |x, y| {
        let angle = 9.0 * x;
        let radius = 0.3 + 0.02 * angle + 0.1 * (23.0 * y + 7.0 * x).sin();
        [radius * angle.cos(), radius * angle.sin(), y]
    });
    let hits = found_itself(&rolled);
    assert!(hits.len() > 50, "{} pairs", hits.len());
    assert_eq!(hits, brute_itself(&rolled));
    // Flat everywhere, nothing meets anything.
    let level = sheet(40, |x, y| [x, y, 0.01 * (9.0 * x).sin()]);
    assert_eq!(found_itself(&level), Vec::<[u32; 2]>::new());
}

#[test]
fn meshes_that_were_mixed_up_go_by_cells() {
    let even = sheet(60, |x, y| [x, y, 0.05 * (9.0 * x).sin()]);
    // Each vertex goes to the place of another one, so that no run lies together any more; faces are
    // large, but few of them, so that they can all be held against each other.
    let count = even.vertices().len();
    let mixed: Vec<Point> =
        (0..count).map(|i| even.vertices()[(i * 1009) % count].map(|x| 0.9 * x + 0.01)).collect();
    let few = sheet(6, |x, y| [x, 0.02, y - 0.5]);
    let layout = Layout::of(&even);
    let mesh = even.with_vertices(mixed).unwrap();
    let mut boxes = Vec::new();
    layout.boxes(mesh.vertices(), &mut boxes);
    let mixed = Made { bounds: Aabb::around(mesh.vertices()), mesh: &mesh, layout, boxes };
    let (twin, few) = (Made::of(&even), Made::of(&few));
    let mut scratch = Scratch::default();
    assert_eq!(scratch.search_trees([&mixed.side(), &twin.side()], None, &ALL), None);
    assert!(scratch.search(&few.side(), &mixed.side(), &ALL).complete);
    assert_eq!(scratch.hits(), brute(few.mesh, mixed.mesh));
}
