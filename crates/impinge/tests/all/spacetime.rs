//! Pruner `spacetime` against brute force: bodies that keep what they promise, that break it, that come,
//! go, jump and change their minds, at instants and over the way between them.

use crate::random::Random;
use impinge::broad::by_name;
use impinge::contract::answer::Progress;
use impinge::contract::bounds::{Bounds, Reach};
use impinge::contract::ids::{Pair, Slot};
use impinge::contract::promise::Promise;
use impinge::contract::pruner::Pruner;
use impinge::contract::sink::Sink;
use impinge::prelude::*;
use impinge_geom::aabb::{Aabb, outward, overlap, round_up};
use impinge_samples::build_mesh;

/// How bodies of a scene behave.
#[derive(Clone, Copy, Debug)]
struct Habits {
    /// The most that each promises, as a share of its radius.
    acceleration: f64,
    /// How often one has a push, breaks its promise, jumps, comes or goes, changes its promise.
    pushed: f64,
    breaks: f64,
    jumps: f64,
    members: f64,
    changes: f64,
    /// How many have no promise.
    silent: f64,
    /// Whether the table covers the way of the step.
    moving: bool,
}

const CALM: Habits = Habits {
    acceleration: 3e-4,
    pushed: 0.0,
    breaks: 0.0,
    jumps: 0.0,
    members: 0.0,
    changes: 0.0,
    silent: 0.0,
    moving: false,
};

struct Body {
    place: [f64; 3],
    way: [f64; 3],
    bound: f64,
    push: Option<[f64; 3]>,
    speaks: bool,
}

struct Scene {
    habits: Habits,
    bodies: Vec<Option<Body>>,
    /// Slots without a way in this step.
    jumped: Vec<usize>,
    /// Slots that broke their promises by far.
    broke: Vec<usize>,
    bounds: Bounds,
    random: Random,
    side: f64,
}

const RADIUS: f64 = 0.5;

fn direction(random: &mut Random) -> [f64; 3] {
    loop {
        let v = [0; 3].map(|_| 2.0 * random.unit() - 1.0);
        let length = dot(&v, &v).sqrt();
        if (0.1..=1.0).contains(&length) {
            return v.map(|x| x / length);
        }
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Scene {
    fn new(habits: Habits, n: usize, seed: u64) -> Self {
        let mut scene = Self {
            habits,
            bodies: Vec::new(),
            jumped: (0..n).collect(),
            broke: Vec::new(),
            bounds: Bounds::default(),
            random: Random(seed),
            side: 3.0 * (n as f64).cbrt(),
        };
        scene.bodies = (0..n).map(|_| Some(scene.body())).collect();
        scene.write();
        scene
    }

    fn body(&mut self) -> Body {
        let random = &mut self.random;
        let speed = 0.05 * random.unit();
        let way = direction(random).map(|x| x * speed);
        let push = (random.unit() < self.habits.pushed).then(|| direction(random));
        Body {
            place: [0; 3].map(|_| self.side * random.unit()),
            way,
            bound: self.habits.acceleration * RADIUS * random.unit(),
            push,
            speaks: random.unit() >= self.habits.silent,
        }
    }

    /// One step of all bodies.
    fn step(&mut self) {
        self.jumped.clear();
        self.broke.clear();
        for slot in 0..self.bodies.len() {
            let [member, jump, change, broken] = [0; 4].map(|_| self.random.unit());
            if member < self.habits.members {
                let gone = self.bodies[slot].is_some();
                self.bodies[slot] = (!gone).then(|| self.body());
                self.jumped.push(slot);
            } else if jump < self.habits.jumps {
                let place = self.body().place;
                if let Some(body) = &mut self.bodies[slot] {
                    body.place = place;
                    self.jumped.push(slot);
                }
            } else if let Some(body) = &mut self.bodies[slot] {
                if change < self.habits.changes {
                    body.bound = self.habits.acceleration * RADIUS * self.random.unit();
                }
                body.bend(self.side, &mut self.random);
                if broken < self.habits.breaks {
                    let kick = direction(&mut self.random).map(|x| x * 0.2);
                    body.way = std::array::from_fn(|k| body.way[k] + kick[k]);
                    if body.speaks && change >= self.habits.changes {
                        self.broke.push(slot);
                    }
                }
                body.place = std::array::from_fn(|k| body.place[k] + body.way[k]);
            }
        }
        self.write();
    }

    /// The table, as the world makes it.
    fn write(&mut self) {
        let Self { bodies, bounds, .. } = self;
        bounds.step += 1;
        bounds.aabb.resize(bodies.len(), outward(&Aabb::EMPTY));
        bounds.reach.resize(bodies.len(), Reach::NONE);
        bounds.promise.resize(bodies.len(), None);
        bounds.promised.clear();
        bounds.live.clear();
        for (slot, body) in bodies.iter().enumerate() {
            let jumped = self.jumped.contains(&slot);
            let Some(body) = body else { continue };
            bounds.live.push(Slot(slot as u32));
            let timed = self.habits.moving && !jumped;
            let from: [f64; 3] =
                std::array::from_fn(|k| body.place[k] - if timed { body.way[k] } else { 0.0 });
            let around = Aabb::around(&[from, body.place]).grown(RADIUS);
            bounds.aabb[slot] = outward(&around);
            let velocity: [f64; 3] = std::array::from_fn(|k| body.place[k] - from[k]);
            bounds.reach[slot] = Reach {
                center: from.map(|x| x as f32),
                radius: round_up(RADIUS * (1.0 + 1e-5)),
                velocity: velocity.map(|x| x as f32),
                acceleration: 0.0,
            };
            let promise = (body.speaks && !jumped).then(|| body.promise());
            if bounds.promise[slot] != promise {
                bounds.promise[slot] = promise;
                bounds.promised.push(Slot(slot as u32));
            }
        }
        bounds.changed.clone_from(&bounds.live);
    }

    fn overlapping(&self) -> Vec<Pair> {
        let Bounds { live, aabb, .. } = &self.bounds;
        let mut pairs = Vec::new();
        for (i, &a) in live.iter().enumerate() {
            let mine = &aabb[a.index()];
            let others = live[i + 1..].iter().filter(|b| overlap(mine, &aabb[b.index()]));
            pairs.extend(others.map(|&b| Pair::new(a, b)));
        }
        pairs.sort_unstable();
        pairs
    }
}

impl Body {
    fn promise(&self) -> Promise {
        let promise = Promise::new(self.bound).unwrap();
        self.push.map_or(promise, |push| promise.pushed(push).unwrap())
    }

    /// Bends the way by as much as is promised, mostly back to where the others are.
    fn bend(&mut self, side: f64, random: &mut Random) {
        let to: [f64; 3] = std::array::from_fn(|k| 0.5 * side - self.place[k]);
        let far = dot(&to, &to).sqrt();
        let back = far > 0.5 * side && dot(&to, &self.way) < 0.0;
        let mut bend = if back { to.map(|x| x / far) } else { direction(random) };
        if let Some(push) = self.push {
            let along = dot(&bend, &push);
            if along < 0.0 {
                bend = std::array::from_fn(|k| bend[k] - 2.0 * along * push[k]);
            }
        }
        let size = self.bound * if random.unit() < 0.5 { 1.0 } else { random.unit() };
        self.way = std::array::from_fn(|k| self.way[k] + bend[k] * size);
    }
}

/// Runs the pruner through a scene, against brute force in every step; how many pairs there were.
fn run(habits: Habits, n: usize, (seed, steps): (u64, usize)) -> usize {
    run_named("h93-spacetime", habits, (n, seed, steps));
    run_named("spacetime", habits, (n, seed, steps))
}

fn run_named(name: &str, habits: Habits, (n, seed, steps): (usize, u64, usize)) -> usize {
    let mut scene = Scene::new(habits, n, seed);
    let mut pruner = by_name(name).unwrap();
    let (mut all, mut named) = (0, 0);
    for step in 0..steps {
        let mut found = Vec::new();
        let progress = pruner.prune(&scene.bounds, &mut Sink::over(&mut found, usize::MAX));
        assert_eq!(progress, Progress::Complete);
        found.sort_unstable();
        let expected = scene.overlapping();
        assert!(
            found == expected,
            "{name}, {habits:?}, seed {seed}, step {step}: {found:?} {expected:?}"
        );
        all += found.len();
        check_broken(&scene, pruner.as_ref(), step);
        named += pruner.broken().len();
        scene.step();
    }
    assert!(habits.breaks > 0.0 || named == 0, "{named} named, none broke a promise");
    all
}

/// Whoever broke its promise is named, and nobody else.
fn check_broken(scene: &Scene, pruner: &dyn Pruner, step: usize) {
    let named: Vec<usize> = pruner.broken().iter().map(|slot| slot.index()).collect();
    assert!(named.iter().all(|slot| scene.broke.contains(slot)), "step {step}: {named:?}");
    // A body is followed from the third step on in which it is there with a promise; those that
    // have come lately may be missing.
    let quiet = scene.habits.jumps + scene.habits.members + scene.habits.changes == 0.0;
    if step > 3 && quiet {
        assert_eq!(named, scene.broke, "step {step}");
    }
}

#[test]
fn calm_bodies_lose_no_pair() {
    for seed in 0..4 {
        assert!(run(CALM, 60, (seed, 1500)) > 1000);
        assert!(run(Habits { moving: true, ..CALM }, 60, (seed, 600)) > 100);
    }
    run(Habits { acceleration: 0.0, ..CALM }, 40, (9, 600));
    run(CALM, 1, (9, 20));
    // So few that for long nobody meets anybody, and all times are found by sweeping faces.
    for seed in 0..20 {
        run(CALM, 4, (seed, 1000));
    }
    run(CALM, 600, (5, 150));
}

#[test]
fn lively_bodies_lose_no_pair() {
    for (seed, acceleration) in [(1, 3e-3), (2, 0.03), (3, 0.3)] {
        run(Habits { acceleration, ..CALM }, 60, (seed, 300));
        run(Habits { acceleration, moving: true, ..CALM }, 60, (seed, 300));
    }
}

#[test]
fn pushes_cut_nothing_that_is_there() {
    for seed in 0..3 {
        for moving in [false, true] {
            run(Habits { pushed: 0.7, acceleration: 3e-3, moving, ..CALM }, 50, (seed, 500));
        }
    }
}

#[test]
fn broken_promises_are_named_and_lose_no_pair() {
    for seed in 0..3 {
        for moving in [false, true] {
            let habits = Habits { breaks: 0.005, moving, ..CALM };
            run(habits, 60, (seed, 500));
            run(Habits { breaks: 0.1, pushed: 0.5, ..habits }, 60, (seed, 200));
        }
    }
}

#[test]
fn whatever_bodies_do_no_pair_is_lost() {
    for seed in 0..6 {
        let habits = Habits {
            pushed: 0.3,
            breaks: 0.002,
            jumps: 0.002,
            members: 0.003,
            changes: 0.01,
            silent: if seed % 2 == 0 { 0.03 } else { 0.2 },
            moving: seed >= 3,
            ..CALM
        };
        run(habits, 70, (seed, 700));
    }
}

/// A push is a promise of its own: whoever bends against it breaks it, however little.
#[test]
fn a_bend_against_the_push_is_named() {
    let habits = Habits { pushed: 1.0, acceleration: 0.02, ..CALM };
    let mut scene = Scene::new(habits, 30, 3);
    let mut pruner = by_name("spacetime").unwrap();
    let mut prune = |scene: &Scene| {
        pruner.prune(&scene.bounds, &mut Sink::over(&mut Vec::new(), usize::MAX));
        pruner.broken().to_vec()
    };
    for _ in 0..10 {
        assert_eq!(prune(&scene), []);
        scene.step();
    }
    prune(&scene);
    let body = scene.bodies[7].as_mut().unwrap();
    let push = body.push.unwrap();
    let back = 0.3 * body.bound;
    for (k, along) in push.iter().enumerate() {
        body.place[k] += body.way[k] - along * back;
    }
    for (_, body) in scene.bodies.iter_mut().enumerate().filter(|(slot, _)| *slot != 7) {
        let body = body.as_mut().unwrap();
        body.place = std::array::from_fn(|k| body.place[k] + body.way[k]);
    }
    scene.write();
    assert_eq!(prune(&scene), [Slot(7)]);
}

/// The same table, step after step: resting bodies are not looked at, and nothing is forgotten.
#[test]
fn a_step_that_was_not_seen_and_a_limit_spoil_nothing() {
    let mut scene = Scene::new(Habits { moving: true, ..CALM }, 80, 2);
    let mut pruner = by_name("spacetime").unwrap();
    for step in 0..300 {
        let expected = scene.overlapping();
        let limit = if step % 23 == 5 { expected.len() / 2 } else { usize::MAX };
        let mut found = Vec::new();
        let progress = pruner.prune(&scene.bounds, &mut Sink::over(&mut found, limit));
        assert_eq!(found.len(), expected.len().min(limit), "step {step}");
        assert_eq!(progress == Progress::Limit, expected.len() > limit);
        scene.step();
        if step % 31 == 7 {
            scene.step();
        }
    }
}

/// Through the world: what touches is the same as without promises, and who breaks one is told.
#[test]
fn the_world_hands_promises_on() {
    let cube = build_mesh("box").unwrap();
    let make = |name: &str| {
        let engine = impinge::narrow::by_text("auto").unwrap();
        let mut world = World::with(by_name(name).unwrap(), engine);
        let shape = world.add_shape(cube.clone()).unwrap();
        let ids: Vec<BodyId> = (0..24)
            .map(|i| {
                let place = [f64::from(i % 6) * 2.0, f64::from(i / 6) * 2.0, 0.0];
                world.insert(impinge::world::body::Body::new(shape).at(Pose::shift(place).unwrap()))
            })
            .map(Result::unwrap)
            .collect();
        (world, ids)
    };
    for query in [Query::TOUCHING, Query { mode: Mode::Dynamic, ..Query::TOUCHING }] {
        let ((mut ours, ids), (mut plain, same)) = (make("spacetime"), make("brute"));
        for &id in &ids {
            assert!(ours.promise(id, Some(Promise::new(1.5e-3).unwrap())));
        }
        let mut touched = 0;
        for step in 0..200 {
            for (i, (&a, &b)) in ids.iter().zip(&same).enumerate() {
                let t = f64::from(step) * 0.02 + if i == 5 && step >= 120 { 0.9 } else { 0.0 };
                let swing = [(t + i as f64).sin(), (1.3 * t + i as f64).cos(), (0.7 * t).sin()];
                let home = [(i % 6) as f64 * 2.0, (i / 6) as f64 * 2.0, 0.0];
                let place = std::array::from_fn(|k| home[k] + 1.5 * swing[k]);
                let pose = Pose::new([t.cos(), 0.0, t.sin(), 0.0], place).unwrap();
                if step == 60 && i == 3 {
                    ours.teleport(a, pose);
                    plain.teleport(b, pose);
                } else {
                    ours.set_pose(a, pose);
                    plain.set_pose(b, pose);
                }
            }
            let expected: Vec<_> = plain.step(&query).hits().map(|hit| [hit.a, hit.b]).collect();
            let report = ours.step(&query);
            let found: Vec<_> = report.hits().map(|hit| [hit.a, hit.b]).collect();
            assert_eq!(found, expected, "step {step}");
            let broken: Vec<BodyId> = report.broken_promises().collect();
            // The jump bends the way twice: when it begins and when it is over.
            let jump = if step == 120 || step == 121 { vec![ids[5]] } else { Vec::new() };
            assert!(step <= 2 || broken == jump, "step {step}: {broken:?}");
            touched += found.len();
        }
        assert!(touched > 20);
    }
}

/// A table with two balls whose middles are at these places.
fn two(step: u64, places: [[f32; 3]; 2], promise: Option<Promise>) -> Bounds {
    let mut bounds = Bounds { live: vec![Slot(0), Slot(1)], step, ..Bounds::default() };
    for center in places {
        let side = |i: usize| if i < 3 { center[i] - 0.5 } else { center[i - 3] + 0.5 };
        bounds.aabb.push(std::array::from_fn(side));
        bounds.reach.push(Reach { center, radius: 0.5, ..Reach::NONE });
        bounds.promise.push(promise);
    }
    bounds
}

/// How many pairs there are, of at most so many.
fn count(pruner: &mut dyn Pruner, bounds: &Bounds, most: usize) -> usize {
    let mut pairs = Vec::new();
    pruner.prune(bounds, &mut Sink::over(&mut pairs, most));
    pairs.len()
}

#[test]
fn bodies_that_were_frozen_when_all_was_forgotten_are_found() {
    let mut pruner = by_name("spacetime").unwrap();
    let near = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]];
    let at = |step: u64| two(step, near, Promise::new(0.001).ok());
    for step in 1..4 {
        assert_eq!(count(pruner.as_mut(), &at(step), 9), 1);
    }
    assert_eq!(count(pruner.as_mut(), &at(4), 0), 0, "there is no room for any");
    for step in 5..7 {
        let frozen = vec![Slot(0), Slot(1)];
        let still = Bounds { live: Vec::new(), frozen, ..at(step) };
        assert_eq!(count(pruner.as_mut(), &still, 9), 0);
    }
    for step in 7..40 {
        assert_eq!(count(pruner.as_mut(), &at(step), 9), 1, "step {step}");
    }
}

#[test]
fn promises_are_held_to_as_they_are_now() {
    let mut pruner = by_name("spacetime").unwrap();
    let pushed = Promise::new(0.01).unwrap().pushed([1.0, 0.0, 0.0]).unwrap();
    let plain = |most: f64| Promise::new(most).unwrap();
    let (mut x, mut way) = (0.0f64, 0.1);
    let mut go = |step: u64, bend: f64, promise: Promise, changed: bool| {
        way += bend;
        x += way;
        let mut bounds = two(step, [[x as f32, 0.0, 0.0], [90.0, 0.0, 0.0]], Some(promise));
        bounds.promised = if changed { vec![Slot(0), Slot(1)] } else { Vec::new() };
        count(pruner.as_mut(), &bounds, 9);
        pruner.broken().to_vec()
    };
    for step in 1..6 {
        assert!(go(step, 0.0, pushed, false).is_empty());
    }
    assert_eq!(go(6, -0.004, pushed, false), [Slot(0)], "against the push");
    assert!(go(7, 0.0, pushed, false).is_empty());
    // Without the push it may go back, also in the step in which that is said.
    assert!(go(8, -0.004, plain(0.005), true).is_empty());
    for step in 9..15 {
        assert!(go(step, -0.004, plain(0.005), false).is_empty(), "step {step}");
    }
    // A stronger promise does not count for the way to where it was made, but from then on.
    assert!(go(15, 0.004, plain(0.001), true).is_empty());
    assert!(go(16, 0.0005, plain(0.001), false).is_empty());
    assert_eq!(go(17, 0.004, plain(0.001), false), [Slot(0)]);
}
