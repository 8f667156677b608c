//! The tree of oriented boxes holds every triangle once, in boxes that truly hold it at every level,
//! whatever the mesh is like; and it is the same tree for any number of threads.

use glam::{DMat3, DVec3};
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::{LEAF, NONE, ObbTree, Place};
use impinge_geom::{Point, Triangle};
use impinge_simd::obb::{Box1, Boxes8};

/// Numbers for tests that need no crate: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In -1..1.
    fn symmetric(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Point {
        std::array::from_fn(|_| self.symmetric())
    }
}

fn soup(triangles: &[Triangle]) -> Mesh {
    let corners: Vec<Point> = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(corners, indices).expect("at least one triangle of finite corners")
}

/// Small triangles all over a cube, each `size` wide.
fn scattered(count: usize, size: impl Fn(usize) -> f64, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let triangles: Vec<Triangle> = (0..count)
        .map(|i| {
            let place = random.point();
            [(); 3].map(|()| {
                let way = random.point();
                std::array::from_fn(|k| place[k] + size(i) * way[k])
            })
        })
        .collect();
    soup(&triangles)
}

fn moved(mesh: &Mesh, scale: [f64; 3], shift: Point) -> Mesh {
    let place = |v: &Point| std::array::from_fn(|k| v[k] * scale[k] + shift[k]);
    mesh.with_vertices(mesh.vertices().iter().map(place).collect()).expect("still finite")
}

/// Whether the box holds the point: some `s` with `|s[k]| <= half[k]` leads there from the centre.
/// Worked out in f64, whose rounding is nothing against what a box in f32 must grant.
fn holds(one: &Box1, point: DVec3) -> bool {
    let vector = |v: &[f32; 3]| DVec3::from(v.map(f64::from));
    let [x, y, z] = one.axes.each_ref().map(vector);
    let s = DMat3::from_cols(x, y, z).inverse() * (point - vector(&one.center));
    (0..3).all(|k| s[k].abs() <= f64::from(one.half[k]))
}

fn assert_orthonormal(one: &Box1, context: &str) {
    for (i, p) in one.axes.iter().enumerate() {
        for (j, q) in one.axes.iter().enumerate() {
            let product: f64 = (0..3).map(|k| f64::from(p[k]) * f64::from(q[k])).sum();
            let expected = f64::from(u8::from(i == j));
            assert!((product - expected).abs() < 8.0 / 16_777_216.0, "{context}: {one:?}");
        }
    }
    let [x, y, z] = one.half;
    assert!(x >= y && y >= z && z >= 0.0 && x.is_finite(), "{context}: {one:?}");
}

/// Walks the tree and holds every box against the triangles below it.
fn check(mesh: &Mesh, context: &str) -> ObbTree {
    let tree = ObbTree::of(mesh);
    let origin = DVec3::from(tree.origin());
    let count = mesh.triangles().len();
    let mut seen = vec![0u32; count];
    // A place, and the places above it.
    let mut open: Vec<(Place, Vec<Place>)> = vec![(ObbTree::ROOT, vec![])];
    while let Some((place, mut above)) = open.pop() {
        above.push(place);
        assert!(above.len() <= 12, "{context}: too deep");
        assert_orthonormal(&tree.boxed(place), context);
        assert_eq!(tree.reach(place), tree.boxed(place).half[0]);
        let child = tree.child(place);
        assert_ne!(child, NONE, "{context}");
        if child & LEAF == 0 {
            let lanes = (0..8).filter(|&lane| tree.node(child).child[lane as usize] != NONE);
            open.extend(lanes.map(|lane| (8 * child + lane, above.clone())));
            continue;
        }
        let leaf = tree.leaf(child);
        let middle = DVec3::from(tree.boxed(place).center.map(f64::from));
        for (lane, &id) in leaf.ids.iter().enumerate() {
            if id == NONE {
                assert!(leaf.triangles.as_flattened().iter().all(|x| x[lane].is_nan()));
                continue;
            }
            seen[id as usize] += 1;
            for (c, corner) in mesh.triangle(id).into_iter().enumerate() {
                let local = (DVec3::from(corner) - origin) / tree.unit();
                let around = above.iter().all(|&place| holds(&tree.boxed(place), local));
                assert!(around, "{context}: triangle {id} is not in its boxes");
                let kept = std::array::from_fn(|k| f64::from(leaf.triangles[c][k][lane]));
                let off = (local - middle - DVec3::from_array(kept)).abs();
                let reach = tree.boxed(place).half.iter().sum::<f32>();
                let granted = f64::from(reach) / 16_777_216.0 + 1e-30;
                assert!(off.max_element() <= granted, "{context}: {off} {granted}");
            }
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "{context}: some triangle is not there once");
    assert!(count < 1000 || tree.bytes() <= 60 * count, "{context}: {} bytes", tree.bytes());
    tree
}

#[test]
fn every_number_of_triangles_fits() {
    for count in (1..=70).chain([127, 128, 129, 511, 512, 513, 1000, 4095, 4096, 4097, 20_000]) {
        check(&scattered(count, |_| 0.1, count as u64), &format!("{count} triangles"));
    }
}

#[test]
fn flat_thin_and_pointlike_meshes_fit() {
    let mesh = scattered(700, |_| 0.2, 1);
    for (name, scale) in [
        ("a plane", [1.0, 1.0, 0.0]),
        ("a line", [1.0, 0.0, 0.0]),
        ("a point", [0.0; 3]),
        ("a needle", [1.0, 1e-9, 1e-9]),
        ("a sheet", [1.0, 1.0, 1e-14]),
        ("huge", [1e80; 3]),
        ("tiny", [1e-80; 3]),
        ("both", [1e80, 1.0, 1e-80]),
        ("too small", [1e-100; 3]),
    ] {
        check(&moved(&mesh, scale, [0.0; 3]), name);
        for far in [1.0, 1e9, -1e17, 1e80] {
            check(&moved(&mesh, scale, [far, -far, 0.5 * far]), &format!("{name} at {far:e}"));
        }
    }
    // At an angle, so that no axis of the world helps.
    let slanted = |v: &Point| {
        let [x, y, _] = *v;
        [x + 2.0 * y, 3.0 * x - y, 0.5 * x + 0.25 * y]
    };
    let turned = mesh.with_vertices(mesh.vertices().iter().map(slanted).collect());
    check(&turned.expect("finite"), "a slanted plane");
}

#[test]
fn equal_triangles_fit() {
    let one: Triangle = [[0.1, 0.2, 0.3], [1.0, 0.1, 0.0], [0.0, 1.0, 0.7]];
    for count in [2, 9, 64, 65, 5000] {
        check(&soup(&vec![one; count]), &format!("{count} equal triangles"));
        check(&soup(&vec![[one[0]; 3]; count]), &format!("{count} equal points"));
        check(&soup(&vec![[one[0], one[1], one[1]]; count]), &format!("{count} equal segments"));
    }
}

#[test]
fn sizes_that_differ_by_much_fit() {
    let size = |i: usize| 10f64.powi(-((i % 13) as i32));
    check(&scattered(3000, size, 5), "sizes over 1e12");
    let size = |i: usize| if i == 0 { 1e12 } else { 1.0 };
    check(&scattered(3000, size, 6), "one huge triangle");
    let size = |i: usize| 10f64.powi(-((i % 120) as i32));
    check(&scattered(3000, size, 7), "sizes over 1e120");
    // Small things far from each other: most of every box is empty.
    let mut random = Random(8);
    let triangles: Vec<Triangle> = (0..2000)
        .map(|i| {
            let place = 10f64.powi((i % 30) - 15);
            [(); 3].map(|()| random.point().map(|x| place + 1e-3 * place * x))
        })
        .collect();
    check(&soup(&triangles), "places over 1e30");
}

#[test]
fn stray_vertices_count_for_nothing() {
    let mesh = scattered(100, |_| 0.2, 9);
    let mut vertices = mesh.vertices().to_vec();
    vertices.push([1e80, -1e80, 3.0]);
    let stray = Mesh::new(vertices, mesh.triangles().to_vec()).expect("legal");
    let (with, without) = (check(&stray, "stray"), check(&mesh, "none"));
    assert_eq!((with.origin(), with.unit()), (without.origin(), without.unit()));
    assert_eq!(bits(&with), bits(&without));
}

/// All that is in a tree, as bits.
fn bits(tree: &ObbTree) -> Vec<u32> {
    let mut bits = Vec::new();
    let mut open: Vec<Place> = vec![ObbTree::ROOT];
    while let Some(place) = open.pop() {
        let one = tree.boxed(place);
        bits.extend(one.center.iter().chain(&one.half).map(|x| x.to_bits()));
        bits.extend(one.axes.as_flattened().iter().map(|x| x.to_bits()));
        let child = tree.child(place);
        bits.push(child);
        if child == NONE {
            continue;
        } else if child & LEAF != 0 {
            let leaf = tree.leaf(child);
            bits.extend(leaf.ids);
            bits.extend(leaf.triangles.as_flattened().as_flattened().iter().map(|x| x.to_bits()));
        } else {
            open.extend((0..8).map(|lane| 8 * child + lane));
        }
    }
    bits
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let equal = soup(&vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 30_000]);
    for mesh in [scattered(50_000, |_| 0.01, 10), equal] {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bits(&ObbTree::of(&mesh)))
        };
        let one = with_threads(1);
        assert!(one == with_threads(2) && one == with_threads(7) && one == with_threads(7));
    }
}

#[test]
fn memory_is_what_is_promised() {
    for count in [1000, 1001, 1025, 3000, 5000, 33_000, 100_000] {
        let tree = ObbTree::of(&scattered(count, |_| 0.01, 11));
        let each = tree.bytes() as f64 / count as f64;
        println!("{count}: {each:.1} bytes per triangle");
        assert!(each <= 60.0, "{count}: {each}");
        assert!(tree.bytes() >= size_of::<Boxes8>() + 36 * count);
    }
}
