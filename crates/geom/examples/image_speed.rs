//! How fast images are drawn, and what a search in them costs: `cargo run --release --example
//! image_speed -p impinge-geom`. Times are the least of many repeats, on one thread.

use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::face_cells::{Ask, Layout, Side};
use impinge_geom::image::{Direction, Image, Look};
use impinge_geom::mesh::Mesh;
use impinge_simd::image::edges::Outline;
use impinge_simd::image::grid::{Bins, Raster};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    small_triangles();
    large_triangles();
    for shift in [0.8, 1.6, 1.8, 2.0, 2.2, 2.4] {
        search(&format!("shifted by {shift}"), [shift, 0.375 * shift, 0.25 * shift]);
    }
}

/// The least time of some repeats, in seconds.
fn least(repeats: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..repeats).map(time).fold(f64::INFINITY, f64::min)
}

fn unit(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// Extents about as large as a pixel, from extents to bins.
fn small_triangles() {
    let (mut seed, count) = (1, 20_000);
    let whole = [-1.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, 0.0];
    let extents: Vec<[f32; 8]> = (0..count)
        .map(|_| {
            let low = [(); 3].map(|()| (1.9 * unit(&mut seed) - 0.95) as f32);
            let high = low.map(|x| x + 0.01);
            [low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0]
        })
        .collect();
    let raster = Raster::of(&whole, [128, 128, 64]);
    let (mut cells, mut bins) = (Vec::new(), Bins::default());
    let time = least(200, || {
        raster.cells(&extents, &mut cells);
        bins.begin(&raster);
        cells.iter().for_each(|cells| bins.draw(cells));
        black_box(&bins);
    });
    println!("small triangles: {:.0} M/s", f64::from(count) / time / 1e6);
}

/// Triangles of some hundred pixels, along their edges and at their own depth.
fn large_triangles() {
    let (mut seed, side) = (2, 256.0);
    for size in [16.0, 48.0, 200.0] {
        let triangles: Vec<[Point; 3]> = (0..500)
            .map(|_| {
                let middle = [(); 2].map(|()| side * unit(&mut seed));
                [(); 3].map(|()| {
                    let mut at = |k: usize| {
                        (middle[k] + size * (unit(&mut seed) - 0.5)).clamp(0.0, side - 1.0)
                    };
                    [at(0), at(1), 63.0 * unit(&mut seed)]
                })
            })
            .collect();
        let raster = Raster { origin: [0.0; 3], scale: [1.0; 3], last: [255, 255, 63] };
        let mut bins = Bins::default();
        bins.begin(&raster);
        let cells = |three: &[Point; 3]| {
            let end = |k: usize, f: fn(f64, f64) -> f64| {
                f(f(three[0][k], three[1][k]), three[2][k]).round() as u16
            };
            let [low, high] = [f64::min, f64::max].map(|f| [end(0, f), end(1, f), end(2, f)]);
            [low[0], low[1], low[2], 0, high[0], high[1], high[2], 0]
        };
        let pixels: usize = triangles
            .iter()
            .map(|three| {
                let (outline, cells) = (Outline::of(three, 0.5, [1e-3; 2]), cells(three));
                let rows = (cells[1]..=cells[5]).filter_map(|y| outline.columns(y, &cells));
                rows.map(|[first, last]| last - first + 1).sum::<usize>()
            })
            .sum();
        let time = least(100, || {
            for three in &triangles {
                Outline::of(three, 0.5, [1e-3; 2]).draw(&cells(three), &mut bins);
            }
            black_box(&bins);
        });
        println!("triangles within {size} pixels: {:.2} G pixels/s", pixels as f64 / time / 1e9);
    }
}

/// A tube of `2 · round · along` faces around a knot.
fn knot(along: u32, round: u32) -> Mesh {
    let centre = |t: f64| {
        let out = 1.0 + 0.4 * (3.0 * t).cos();
        [out * (2.0 * t).cos(), out * (2.0 * t).sin(), 0.4 * (3.0 * t).sin()]
    };
    let mut points = Vec::new();
    for i in 0..along {
        let t = TAU * f64::from(i) / f64::from(along);
        let across =
            [(3.0 * t).cos() * (2.0 * t).cos(), (3.0 * t).cos() * (2.0 * t).sin(), (3.0 * t).sin()];
        let (p, q) = (centre(t - 1e-4), centre(t + 1e-4));
        let way: Point = std::array::from_fn(|k| (q[k] - p[k]) / 2e-4);
        let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let way = way.map(|x| x / length);
        let up = [
            way[1] * across[2] - way[2] * across[1],
            way[2] * across[0] - way[0] * across[2],
            way[0] * across[1] - way[1] * across[0],
        ];
        for j in 0..round {
            let turn = TAU * f64::from(j) / f64::from(round);
            let at = |k: usize| 0.17 * (turn.cos() * across[k] + turn.sin() * up[k]);
            points.push(std::array::from_fn(|k| centre(t)[k] + at(k)));
        }
    }
    let at = |i: u32, j: u32| (i % along) * round + j % round;
    let pair = |i: u32, j: u32| {
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        [[a, c, b], [a, d, c]]
    };
    let faces = (0..along).flat_map(|i| (0..round).flat_map(move |j| pair(i, j)));
    Mesh::new(points, faces.collect()).expect("a knot")
}

/// Two knots of 38 036 faces, each vertex of which moves in every frame: boxes of runs and the search.
fn search(name: &str, shift: Point) {
    let mesh = knot(514, 37);
    let layout = Layout::of(&mesh);
    let frames: Vec<[Vec<Point>; 2]> = (0..8)
        .map(|frame| {
            [[0.0; 3], shift].map(|to| {
                let wave = |x: f64| 0.03 * (5.0 * x + 0.3 * f64::from(frame) + to[0]).sin();
                let place = |p: &Point| {
                    let [x, y, z] = if to == [0.0; 3] { *p } else { [p[0], p[2], -p[1]] };
                    [x + wave(y) + to[0], y + wave(z) + to[1], z + wave(x) + to[2]]
                };
                mesh.vertices().iter().map(place).collect()
            })
        })
        .collect();
    let mut boxes = [Vec::new(), Vec::new()];
    let mut image = Image::default();
    let mut last: Option<Direction> = None;
    let (mut boxing, mut searching, mut pairs, mut ended) = (0.0, 0.0, 0, None);
    for points in &frames {
        let around = |boxes: &mut [Vec<_>; 2]| {
            for (boxes, points) in boxes.iter_mut().zip(points) {
                layout.boxes(points, boxes);
            }
        };
        boxing += least(20, || around(&mut boxes));
        let bounds = boxes.each_ref().map(|boxes| {
            let all = boxes.iter().map(|&[min, max]| Aabb { min, max });
            all.fold(Aabb::EMPTY, |all, one| all.union(&one))
        });
        let [a, b] = [0, 1].map(|k| Side {
            points: &points[k],
            triangles: mesh.triangles(),
            boxes: &boxes[k],
            bounds: &bounds[k],
            layout: &layout,
        });
        let ask = Ask { first_only: false, units: u64::MAX, is_over: &|| false };
        searching += least(20, || {
            let (end, direction) = image.search([&a, &b], &Look { last, ..Look::default() }, &ask);
            (last, ended) = (direction, Some(end));
        });
        pairs += image.hits().len();
    }
    println!(
        "{name}: boxes {:.0} µs, search {:.0} µs, {} pairs; the last frame: {:?}",
        boxing / 8.0 * 1e6,
        searching / 8.0 * 1e6,
        pairs / 8,
        ended.map(|ended| ended.work),
    );
}
