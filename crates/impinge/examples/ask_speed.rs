//! Times of single questions on a knot of 100 000 triangles, warm, least of some passes:
//! `cargo run --release -p impinge --example ask_speed [PASSES]`.

use impinge_geom::Point;
use impinge_geom::ask::{Ray, Spot};
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::Placed;
use impinge_geom::pose::Pose;
use impinge_geom::shells::{shell_of, shells};
use std::time::Instant;

const QUESTIONS: usize = 4000;

/// Numbers in −1..1 from a fixed sequence.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Point {
        [self.next(), self.next(), self.next()]
    }
}

/// The least mean time of a pass, in microseconds, and how many questions were answered with yes.
fn time<Q>(passes: usize, questions: &[Q], ask: impl Fn(&Q) -> bool) -> (f64, usize) {
    let mut least = f64::INFINITY;
    let mut hits = 0;
    for _ in 0..passes {
        let start = Instant::now();
        hits = questions.iter().filter(|&question| ask(question)).count();
        least = least.min(start.elapsed().as_secs_f64());
    }
    (least / questions.len() as f64 * 1e6, hits)
}

fn main() {
    let passes = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20);
    let knot = "torus-knot?segments=1000&sides=50";
    let mesh: Mesh = impinge_samples::build_mesh(knot).expect("the sample exists");
    let tree = ObbTree::of(&mesh);
    let pose = Pose::new([0.9, 0.1, -0.2, 0.3], [0.1, -0.2, 0.3]).expect("a pose");
    let placed = Placed { mesh: &mesh, tree: &tree, pose: &pose };
    let mut numbers = Numbers(1);
    let count = mesh.triangles().len();
    let mut aimed = Vec::new();
    let mut random = Vec::new();
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for i in 0..QUESTIONS {
        let corner = placed.triangle((i * 7919 % count) as u32)[0];
        let origin = numbers.point().map(|x| 3.0 * x);
        let way: Point = std::array::from_fn(|k| corner[k] + 0.01 * numbers.next() - origin[k]);
        aimed.extend(Ray::new(origin, way));
        random.extend(Ray::new(origin, numbers.point()));
        near.extend(Spot::new(std::array::from_fn(|k| corner[k] + 0.05 * numbers.next())));
        far.extend(Spot::new(origin));
    }
    let solid = shells(&mesh);
    let of = shell_of(&solid, count);
    let rows = [
        ("first hit, aimed", time(passes, &aimed, |ray| placed.cast(ray).is_some())),
        ("first hit, random", time(passes, &random, |ray| placed.cast(ray).is_some())),
        ("any hit, aimed", time(passes, &aimed, |ray| placed.is_met(ray))),
        ("all hits, aimed", time(passes, &aimed, |ray| !placed.cast_all(ray).is_empty())),
        ("closest, near", time(passes, &near, |spot| placed.closest(spot).is_some())),
        ("closest, far", time(passes, &far, |spot| placed.closest(spot).is_some())),
        (
            "closest within 0.05, far",
            time(passes, &far, |spot| {
                spot.within(0.05).is_ok_and(|spot| placed.closest(&spot).is_some())
            }),
        ),
        (
            "inside, near",
            time(passes, &near, |spot| {
                placed.locate(&spot.point(), &solid, &of) == impinge_geom::inside::Location::Inside
            }),
        ),
    ];
    println!("{count} triangles, {QUESTIONS} questions each, least of {passes} passes");
    for (name, (micros, hits)) in rows {
        println!("{name:26} {micros:8.3} µs  {hits:5} yes");
    }
}
