//! Bounds over motions are never too small, and the queue never misses what they allow.
//!
//! More than 10⁵ random motions: turns of up to and beyond a full one, bodies off their origin, far
//! away, tiny and huge. Truth comes twice: from poses at many times, and from the path itself, of
//! which each coordinate is `c + p·cos(θt) + q·sin(θt) + d·t` with extrema in closed form.

use crate::random::Random;
use impinge::broad;
use impinge::contract::answer::Progress;
use impinge::contract::bounds::{Bounds, BoxKind, Reach};
use impinge::contract::ids::Pair;
use impinge::contract::pruner::Pruner;
use impinge::contract::query::{Gap, Mode, Query};
use impinge::contract::sink::Sink;
use impinge::narrow;
use impinge::world::World;
use impinge::world::body::Body;
use impinge_geom::Point;
use impinge_geom::aabb::{Aabb, Aabb32};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::{Motion, MotionKind, Screw};
use impinge_geom::pose::Pose;
use impinge_geom::sphere::Sphere;
use std::f64::consts::{PI, TAU};
use std::sync::{Arc, Mutex};

/// What these tests draw.
trait Draw {
    fn pick(&mut self, choices: &[f64]) -> f64;
    fn point(&mut self, size: f64) -> Point;
    fn rotation(&mut self) -> [f64; 4];
    fn motion(&mut self, far: f64, way: f64) -> Motion;
    fn corners(&mut self, size: f64) -> [Point; 4];
}

impl Draw for Random {
    fn pick(&mut self, choices: &[f64]) -> f64 {
        choices[self.next() as usize % choices.len()]
    }

    fn point(&mut self, size: f64) -> Point {
        [0; 3].map(|_| (2.0 * self.unit() - 1.0) * size)
    }

    fn rotation(&mut self) -> [f64; 4] {
        let [x, y, z] = self.point(1.0);
        [2.0 * self.unit() - 1.0, x, y, z + 1e-3]
    }

    /// A motion at a distance of up to `far` from the origin that leads about `way` far.
    fn motion(&mut self, far: f64, way: f64) -> Motion {
        let start = Pose::new(self.rotation(), self.point(far)).expect("a pose");
        let (place, shift) = (start.translation(), self.point(way));
        let moved: Point = std::array::from_fn(|k| place[k] + shift[k]);
        if self.unit() < 0.5 {
            let end = Pose::new(self.rotation(), moved).expect("a pose");
            return Motion::lerp_slerp(start, end);
        }
        let direction = if self.unit() < 0.2 { [0.0, 0.0, 1.0] } else { self.point(1.0) };
        let angle = match self.next() % 8 {
            0 => 0.0,
            1 => TAU,
            2 => self.pick(&[PI, 1e-9, 1e-3, 3.0 * TAU, -50.0 * TAU]),
            _ => (2.0 * self.unit() - 1.0) * TAU,
        };
        let advance = self.pick(&[0.0, way, -0.1 * way]);
        let screw = Screw { point: moved, direction, angle, advance };
        Motion::screw(start, screw).expect("a screw")
    }

    /// Four corners of a body of about that size, somewhere off its origin.
    fn corners(&mut self, size: f64) -> [Point; 4] {
        let off = self.pick(&[0.0, 1.0, 1.0, 10.0]) * size;
        let center = self.point(off);
        [0; 4].map(|_| {
            let arm = self.point(size);
            std::array::from_fn(|k| center[k] + arm[k])
        })
    }
}

/// One coordinate of a point's path: `constant + cosine·cos(θt) + sine·sin(θt) + drift·t`.
#[derive(Clone, Copy, Debug)]
struct Wave {
    constant: f64,
    cosine: f64,
    sine: f64,
    drift: f64,
    angle: f64,
}

impl Wave {
    fn at(&self, t: f64) -> f64 {
        let (sine, cosine) = (self.angle * t).sin_cos();
        self.constant + self.cosine * cosine + self.sine * sine + self.drift * t
    }

    /// The least and the largest value during 0…1: at the ends or where the derivative is zero, which
    /// is `angle·amplitude·sin(phase − angle·t) + drift`.
    fn extent(&self) -> [f64; 2] {
        let mut extent = [self.at(0.0).min(self.at(1.0)), self.at(0.0).max(self.at(1.0))];
        let phase = self.sine.atan2(self.cosine);
        let ratio = -self.drift / (self.angle * self.cosine.hypot(self.sine));
        // Without a turn the ratio is no number, and without a root it is beyond one.
        let has_roots = ratio.abs() <= 1.0;
        if !has_roots {
            return extent;
        }
        let turns = (self.angle.abs() / TAU) as i32 + 2;
        for zero in [ratio.asin(), PI - ratio.asin()] {
            for turn in -turns..=turns {
                let t = (phase - zero + TAU * f64::from(turn)) / self.angle;
                if (0.0..=1.0).contains(&t) {
                    let value = self.at(t);
                    extent = [extent[0].min(value), extent[1].max(value)];
                }
            }
        }
        extent
    }
}

fn cross(a: &Point, b: &Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn norm(v: &Point) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &Point, b: &Point) -> f64 {
    norm(&std::array::from_fn(|k| a[k] - b[k]))
}

/// The path of a body's point by definition of the motion, and its distance from the axis.
fn path(motion: &Motion, p: &Point) -> ([Wave; 3], f64) {
    let (axis, angle) = motion.turn();
    let (start, end) = (motion.pose0().translation(), motion.pose1().translation());
    let (arm, base, drift): (Point, Point, Point) = match motion.kind() {
        MotionKind::LerpSlerp => ([0.0; 3], start, std::array::from_fn(|k| end[k] - start[k])),
        MotionKind::Screw(screw) => {
            let arm = std::array::from_fn(|k| start[k] - screw.point[k]);
            (arm, screw.point, axis.map(|x| x * screw.advance))
        }
    };
    let turned = motion.pose0().rotate(p);
    let u: Point = std::array::from_fn(|k| turned[k] + arm[k]);
    let along: f64 = (0..3).map(|k| axis[k] * u[k]).sum();
    let across = cross(&axis, &u);
    let wave = |k: usize| Wave {
        constant: base[k] + axis[k] * along,
        cosine: u[k] - axis[k] * along,
        sine: across[k],
        drift: drift[k],
        angle,
    };
    ([0, 1, 2].map(wave), norm(&across))
}

/// The exact extent of some points' paths but for rounding.
fn extent(motion: &Motion, points: &[Point]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |all, p| {
        let extents = path(motion, p).0.map(|wave| wave.extent());
        all.with(&extents.map(|e| e[0])).with(&extents.map(|e| e[1]))
    })
}

fn corners_of(aabb: &Aabb) -> [Point; 8] {
    std::array::from_fn(|c| {
        std::array::from_fn(|k| if c >> k & 1 == 0 { aabb.min[k] } else { aabb.max[k] })
    })
}

fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    (0..3).all(|k| outer.min[k] <= inner.min[k] && inner.max[k] <= outer.max[k])
}

fn size_of(motion: &Motion, points: &[Point]) -> f64 {
    let places = [motion.pose0().translation(), motion.pose1().translation()];
    let screw = match motion.kind() {
        MotionKind::Screw(screw) => norm(&screw.point),
        MotionKind::LerpSlerp => 0.0,
    };
    places.iter().chain(points).map(norm).sum::<f64>() + screw
}

const SAMPLES: u32 = 24;

fn times() -> impl Iterator<Item = f64> {
    (0..=SAMPLES).map(|i| f64::from(i) / f64::from(SAMPLES))
}

/// A motion with the body that moves, of all sizes and places.
fn case(random: &mut Random) -> (Motion, [Point; 4]) {
    let size = random.pick(&[1e-4, 1.0, 1.0, 1e4]);
    let far = random.pick(&[0.0, 10.0, 1e6]);
    let way = size * random.pick(&[0.0, 0.1, 1.0, 100.0]);
    (random.motion(far, way), random.corners(size))
}

#[test]
fn bounds_of_motions_hold_the_path_and_all_poses() {
    let mut random = Random(1);
    for _ in 0..80_000 {
        let (motion, corners) = case(&mut random);
        let (local, sphere) = (Aabb::around(&corners), Sphere::around(&corners));
        let aabb = motion.aabb_bounds(&local, 0.0, 1.0);
        let ball = motion.sphere_bounds(&sphere, 0.0, 1.0);
        let course = motion.course(&sphere);
        let exact = extent(&motion, &corners_of(&local));
        assert!(holds(&aabb, &exact), "{motion:?} {local:?}: {aabb:?} {exact:?}");
        // Not loose either: a piece of an eighth of a turn sags by 7.6 % of its radius, and from a
        // full turn on the whole circle counts, wherever on it the drift ends.
        let far = corners_of(&local).iter().fold(0.0f64, |r, p| r.max(path(&motion, p).1));
        let (_, angle) = motion.turn();
        let waves = path(&motion, &local.min).0;
        let rounding = 1e-12 * (1.0 + angle.abs()) * size_of(&motion, &corners);
        let end_of_drift = if angle.abs() < 0.999 * TAU { 0.0 } else { TAU / angle.abs() };
        for (k, wave) in waves.iter().enumerate() {
            let spare = 0.077 * far + wave.drift.abs() * end_of_drift;
            let over = (exact.min[k] - aabb.min[k]).max(aabb.max[k] - exact.max[k]);
            assert!(over <= spare + rounding, "{motion:?}: {aabb:?} {exact:?}");
        }
        // The ball around the whole way is no larger than the box around it would ask for.
        let swept = extent(&motion, &[sphere.center]);
        let way = 0.5 * swept.diagonal() + 0.16 * far + norm(&waves.map(|w| w.drift));
        assert!(ball.radius <= sphere.radius + way + rounding, "{motion:?}: {ball:?}");
        for t in times() {
            let pose = motion.pose_at(t);
            let middle: Point = std::array::from_fn(|k| course.center[k] + course.velocity[k] * t);
            for corner in &corners {
                let now = pose.apply(corner);
                assert!(aabb.contains(&now), "{motion:?} at {t}");
                assert!(distance(&now, &ball.center) <= ball.radius, "{motion:?} at {t}");
                let reach = course.radius + 0.5 * course.acceleration * t * t;
                assert!(distance(&now, &middle) <= reach, "{motion:?} at {t}");
            }
        }
    }
}

/// Finds nothing, and keeps the table for the test.
struct Spy(Arc<Mutex<Bounds>>);

impl Pruner for Spy {
    fn name(&self) -> &'static str {
        "spy"
    }

    fn prune(&mut self, bounds: &Bounds, _: &mut Sink<'_, Pair>) -> Progress {
        self.0.lock().expect("no panic").clone_from(bounds);
        Progress::Complete
    }

    fn bytes(&self) -> usize {
        0
    }
}

fn mesh(corners: &[Point; 4]) -> Mesh {
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    Mesh::new(corners.to_vec(), faces).expect("a mesh")
}

fn in_box(aabb: &Aabb32, p: &Point, margin: f64) -> bool {
    (0..3).all(|k| f64::from(aabb[k]) <= p[k] - margin && p[k] + margin <= f64::from(aabb[k + 3]))
}

/// The middle and the radius of a reach at a time.
fn ball_at(reach: &Reach, t: f64) -> (Point, f64) {
    let [center, velocity] = [reach.center, reach.velocity].map(|v| v.map(f64::from));
    let middle = std::array::from_fn(|k| center[k] + velocity[k] * t);
    (middle, f64::from(reach.radius) + 0.5 * f64::from(reach.acceleration) * t * t)
}

#[test]
fn the_table_holds_bodies_during_the_whole_step() {
    let mut random = Random(2);
    let (mut followed, mut swept) = (0, 0);
    for round in 0..40 {
        let table = Arc::new(Mutex::new(Bounds::default()));
        let engine = narrow::by_name("brute").expect("registered");
        let mut world = World::with(Box::new(Spy(table.clone())), engine);
        let kind = if round % 2 == 0 { BoxKind::Resized } else { BoxKind::Fixed };
        world.set_boxes(kind);
        let margin = if round % 3 == 0 { 0.25 } else { 0.0 };
        let mut cases = Vec::new();
        for _ in 0..1000 {
            let (motion, corners) = case(&mut random);
            let shape = world.add_shape(mesh(&corners)).expect("a shape");
            world.insert(Body::new(shape).moving(motion)).expect("a body");
            cases.push((motion, corners));
        }
        let gap = if margin > 0.0 { Gap::Below(margin) } else { Gap::Ignore };
        let mode = if round % 4 == 3 { Mode::PseudoDynamic(3) } else { Mode::Dynamic };
        world.step(&Query { mode, gap, ..Query::TOUCHING });
        let bounds = table.lock().expect("no panic");
        assert_eq!(bounds.live.len(), cases.len());
        for (slot, (motion, corners)) in bounds.live.iter().zip(&cases) {
            let (aabb, reach) = (&bounds.aabb[slot.index()], &bounds.reach[slot.index()]);
            let exact = extent(motion, corners);
            assert!(in_box(aabb, &exact.min, margin) && in_box(aabb, &exact.max, margin));
            let sphere = Sphere::around(corners);
            let ball = motion.sphere_bounds(&sphere, 0.0, 1.0);
            let widest = ball_at(reach, 1.0).1;
            let rounding = 1e-6 * (size_of(motion, corners) + ball.radius + margin);
            assert!(widest <= ball.radius + margin + rounding, "{reach:?} {ball:?}");
            let moves = reach.velocity != [0.0; 3];
            followed += usize::from(moves);
            swept += usize::from(!moves);
            for t in times() {
                let (middle, radius) = ball_at(reach, t);
                for corner in corners {
                    let now = motion.pose_at(t).apply(corner);
                    assert!(in_box(aabb, &now, margin), "{motion:?} at {t}");
                    let off = distance(&now, &middle) + margin;
                    assert!(off <= radius, "{motion:?} at {t}: {off} {reach:?}");
                }
            }
        }
    }
    assert!(followed > 5000 && swept > 5000, "both kinds occur: {followed} {swept}");
}

#[test]
fn a_body_beyond_f32_may_be_anywhere() {
    let table = Arc::new(Mutex::new(Bounds::default()));
    let engine = narrow::by_name("brute").expect("registered");
    let mut world = World::with(Box::new(Spy(table.clone())), engine);
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let shape = world.add_shape(mesh(&corners)).expect("a shape");
    let at = |x: f64| Pose::shift([x, 0.0, 0.0]).expect("a pose");
    for (from, to) in [(0.0, 1e60), (1e60, 0.0), (1e38, -3e38), (0.0, 1.0)] {
        let motion = Motion::lerp_slerp(at(from), at(to));
        world.insert(Body::new(shape).moving(motion)).expect("a body");
    }
    world.step(&Query { mode: Mode::Dynamic, ..Query::TOUCHING });
    let reach = table.lock().expect("no panic").reach.clone();
    assert_eq!([0, 1, 3].map(|i| reach[i].radius.is_infinite()), [true, true, false]);
    assert!(reach.iter().all(|r| r.center.iter().chain(&r.velocity).all(|x| x.is_finite())));
    world.step(&Query { mode: Mode::Dynamic, gap: Gap::Measure, ..Query::TOUCHING });
    let reach = table.lock().expect("no panic").reach.clone();
    assert!(reach.iter().all(|r| r.radius.is_infinite()));
}

/// Lets the queue prune, and keeps its pairs and the table.
struct Watched {
    inner: Box<dyn Pruner>,
    seen: Arc<Mutex<Vec<Pair>>>,
}

impl Pruner for Watched {
    fn name(&self) -> &'static str {
        "watched"
    }

    fn prune(&mut self, bounds: &Bounds, _: &mut Sink<'_, Pair>) -> Progress {
        let mut seen = self.seen.lock().expect("no panic");
        let mut sink = Sink::over(&mut *seen, usize::MAX);
        self.inner.prune(bounds, &mut sink)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

/// A body that the queue is to find: its mesh's ball and corners.
#[derive(Clone, Copy)]
struct Lump {
    sphere: Sphere,
    corners: [Point; 4],
}

/// Where a body's ball and its box are over a step, by samples.
fn places(motion: &Motion, lump: &Lump, kind: BoxKind) -> Vec<(Sphere, Aabb)> {
    let Lump { sphere, corners } = lump;
    let at = |t: f64| {
        let pose = motion.pose_at(t);
        let ball = Sphere { center: pose.apply(&sphere.center), ..*sphere };
        let aabb = match kind {
            BoxKind::Resized => Aabb::around(&corners.map(|corner| pose.apply(&corner))),
            BoxKind::Fixed => Aabb { min: ball.center, max: ball.center }.grown(ball.radius),
        };
        (ball, aabb)
    };
    times().map(at).collect()
}

/// Whether balls and boxes meet in one of the samples, as those of bodies that touch do.
fn meet(a: &[(Sphere, Aabb)], b: &[(Sphere, Aabb)]) -> bool {
    a.iter().zip(b).any(|((x, one), (y, two))| {
        distance(&x.center, &y.center) <= x.radius + y.radius && one.overlaps(two)
    })
}

#[test]
fn the_queue_never_misses_balls_that_touch() {
    let mut random = Random(3);
    let (mut pairs_seen, mut touching) = (0, 0);
    for round in 0..40 {
        let far = random.pick(&[0.0, 10.0, 1e6]);
        let spread = random.pick(&[3.0, 6.0, 10.0]);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let inner = broad::by_name("queue").expect("registered");
        let engine = narrow::by_name("brute").expect("registered");
        let mut world = World::with(Box::new(Watched { inner, seen: seen.clone() }), engine);
        let kind = if round % 2 == 0 { BoxKind::Resized } else { BoxKind::Fixed };
        world.set_boxes(kind);
        let origin = random.point(far);
        let shapes: Vec<_> = (0..6)
            .map(|_| {
                let size = random.pick(&[0.1, 0.5, 1.0]);
                let corners = random.corners(size);
                let shape = world.add_shape(mesh(&corners)).expect("a shape");
                (shape, Lump { sphere: Sphere::around(&corners), corners })
            })
            .collect();
        let mut bodies = Vec::new();
        for i in 0..24 {
            let (shape, lump) = shapes[i % shapes.len()];
            let id = world.insert(Body::new(shape)).expect("a body");
            bodies.push((id, lump, Pose::shift(origin).expect("a pose")));
        }
        for step in 0..12 {
            let mut ways = Vec::new();
            for (id, lump, pose) in &mut bodies {
                let motion = next_motion(&mut random, pose, &origin, spread);
                world.set_motion(*id, motion);
                *pose = *motion.pose1();
                ways.push(places(&motion, lump, kind));
            }
            world.step(&Query { mode: Mode::Dynamic, ..Query::TOUCHING });
            let found = seen.lock().expect("no panic");
            for (i, a) in ways.iter().enumerate() {
                for (j, b) in ways.iter().enumerate().skip(i + 1) {
                    pairs_seen += 1;
                    if meet(a, b) {
                        touching += 1;
                        let hit = found.iter().any(|p| (p.a().index(), p.b().index()) == (i, j));
                        assert!(hit, "round {round}, step {step}: bodies {i} and {j}");
                    }
                }
            }
            drop(found);
        }
    }
    assert!(pairs_seen > 100_000, "{pairs_seen} pairs of motions");
    assert!(touching > 3000 && touching < pairs_seen / 2, "{touching} of {pairs_seen} touch");
}

/// From where the body is, or from anywhere, to somewhere near `origin`.
fn next_motion(random: &mut Random, pose: &Pose, origin: &Point, spread: f64) -> Motion {
    let anywhere = |random: &mut Random| {
        let off = random.point(spread);
        let place: Point = std::array::from_fn(|k| origin[k] + off[k]);
        Pose::new(random.rotation(), place).expect("a pose")
    };
    let start = if random.unit() < 0.3 { anywhere(random) } else { *pose };
    match random.next() % 4 {
        0 => Motion::lerp_slerp(start, anywhere(random)),
        1 => {
            // A small step, as bodies usually take.
            let shift = random.point(0.1);
            let place: Point = std::array::from_fn(|k| start.translation()[k] + shift[k]);
            let end = Pose::new(start.rotation(), place).expect("a pose");
            Motion::lerp_slerp(start, end)
        }
        _ => {
            let point = anywhere(random).translation();
            let angle = (2.0 * random.unit() - 1.0) * random.pick(&[0.1, 1.0, TAU, 3.0 * TAU]);
            let advance = random.pick(&[0.0, 0.5, -2.0]);
            let direction = random.point(1.0);
            Motion::screw(start, Screw { point, direction, angle, advance }).expect("a screw")
        }
    }
}
