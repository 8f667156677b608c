//! Times the triangle–box tests against each other: `cargo run --release -p impinge-geom
//! --example tri_box_speed`. Small triangles near a box, as the inner cells of an octree see them.

use impinge_geom::aabb::Aabb;
use impinge_geom::tri_box::{BoxPacket, TrianglePacket, clip, sat};
use impinge_geom::{Point, Triangle};
use std::hint::black_box;
use std::time::Instant;

const TRIANGLES: usize = 1 << 12;
const ROUNDS: usize = 5;

/// A repeatable sequence of numbers in −1…1 (splitmix).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self, size: f64) -> Point {
        [self.next() * size, self.next() * size, self.next() * size]
    }
}

/// The best of some rounds, in nanoseconds per triangle and box, and the hits counted.
fn time(name: &str, tests: usize, mut run: impl FnMut() -> u32) {
    let mut best = f64::INFINITY;
    let mut hits = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        hits = run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let each = best * 1e9 / tests as f64;
    println!("{name:32} {each:7.2} ns  hits {:5.1} %", 100.0 * f64::from(hits) / tests as f64);
}

fn compare(spread: f64, size: f64) {
    let mut numbers = Numbers(1);
    let triangles: Vec<Triangle> = (0..TRIANGLES)
        .map(|_| {
            let place = numbers.point(spread);
            [0, 1, 2].map(|_| {
                let offset = numbers.point(size);
                [0, 1, 2].map(|k| place[k] + offset[k])
            })
        })
        .collect();
    let octant = |i: usize| {
        let min = [0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 0.0 });
        Aabb { min, max: min.map(|x| x + 1.0) }
    };
    let cells: Vec<Aabb> = (0..8).map(octant).collect();
    let tests = triangles.len() * cells.len();
    println!("centres within ±{spread}, corners within ±{size} of them, eight octants of side 1");
    let each = |test: fn(&Triangle, &Aabb) -> bool| {
        let hits = triangles.iter().map(|t| cells.iter().filter(|c| test(t, c)).count() as u32);
        black_box(hits.sum())
    };
    time("sat, one by one", tests, || each(sat));
    time("clip, one by one", tests, || each(clip));
    let packets: Vec<_> = triangles.chunks(8).map(|t| TrianglePacket::new(t, [0.0; 3])).collect();
    time("8 triangles, one box (packed)", tests, || {
        let pairs = packets.iter().flat_map(|p| cells.iter().map(move |c| p.overlaps(c)));
        black_box(pairs.map(u8::count_ones).sum())
    });
    time("8 triangles, one box (+packing)", tests, || {
        let packets = triangles.chunks(8).map(|t| TrianglePacket::new(t, [0.0; 3]));
        let hits = packets.map(|p| cells.iter().map(|c| p.overlaps(c).count_ones()).sum::<u32>());
        black_box(hits.sum())
    });
    let octants = BoxPacket::new(&cells, [0.0; 3]);
    time("one triangle, 8 boxes", tests, || {
        black_box(triangles.iter().map(|t| octants.overlaps(t).count_ones()).sum())
    });
    let open: u32 = triangles.iter().map(|t| octants.filter(t).undecided().count_ones()).sum();
    println!("undecided by the filter: {:.4} %\n", 100.0 * f64::from(open) / tests as f64);
}

fn main() {
    compare(1.0, 0.3);
    compare(1.5, 2.0);
    compare(3.0, 4.0);
}
