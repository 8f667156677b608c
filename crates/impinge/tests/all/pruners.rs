//! Every registered pruner against brute force: long sequences of insertions, removals, teleports
//! and small moves in nasty worlds.
//!
//! Bodies are balls that move straight. Box pruners must return exactly the pairs whose boxes
//! overlap; `spheres` and `queue` a subset that holds every pair whose balls touch.

use crate::random::Random;
use impinge::broad;
use impinge::contract::answer::Progress;
use impinge::contract::bounds::{Bounds, Reach};
use impinge::contract::ids::{Pair, Slot};
use impinge::contract::pruner::Pruner;
use impinge::contract::sink::Sink;
use impinge_geom::aabb::{Aabb, outward, overlap, round_up};
use proptest::prelude::*;

/// Those that may return fewer pairs than boxes overlap.
const SUBSET: [&str; 2] = ["spheres", "queue"];

/// What these tests draw.
trait Draw {
    fn chance(&mut self, probability: f64) -> bool;
}

impl Draw for Random {
    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Whole numbers, so that boxes touch and coincide all the time.
    Lattice,
    /// Sizes from 1e-3 to 1e3.
    Sizes,
    /// All of one size in one place.
    OnePlace,
    /// A layer without thickness.
    Flat,
    /// A small world at 1e6.
    Far,
    /// Most bodies in a hundredth of the room.
    Clustered,
    /// As sparse as the n-body rooms, moving fast.
    Sparse,
    /// Some boxes reach to infinity.
    Infinite,
}

const KINDS: [Kind; 8] = [
    Kind::Lattice,
    Kind::Sizes,
    Kind::OnePlace,
    Kind::Flat,
    Kind::Far,
    Kind::Clustered,
    Kind::Sparse,
    Kind::Infinite,
];

/// The axis along which the flat world has no extent.
const FLAT_AXIS: usize = 1;

/// A ball that moves straight during the step, and the half size of its box.
#[derive(Clone, Copy, Debug)]
struct Ball {
    center: [f64; 3],
    velocity: [f64; 3],
    radius: f64,
}

impl Ball {
    fn random(kind: Kind, n: usize, random: &mut Random) -> Self {
        let mut place = |low: f64, size: f64| low + size * random.unit();
        let center = match kind {
            Kind::Lattice | Kind::Flat => [0; 3].map(|_| place(0.0, 12.0).floor()),
            Kind::OnePlace => [3.0; 3],
            Kind::Far => [1e6, -1e6, 1e6].map(|x| x + place(0.0, 8.0)),
            Kind::Sizes | Kind::Infinite => [0; 3].map(|_| place(-50.0, 100.0)),
            Kind::Sparse => [0; 3].map(|_| place(0.0, 3.0 * (n as f64).cbrt())),
            Kind::Clustered => {
                let size = if place(0.0, 1.0) < 0.9 { 4.0 } else { 20.0 };
                [0; 3].map(|_| place(0.0, size))
            }
        };
        let radius = match kind {
            Kind::Lattice | Kind::Flat => place(0.0, 3.0).floor() * 0.5,
            Kind::Sizes => 10f64.powf(place(-3.0, 6.0)),
            Kind::Infinite if place(0.0, 1.0) < 0.1 => f64::INFINITY,
            Kind::OnePlace | Kind::Far | Kind::Sparse | Kind::Clustered | Kind::Infinite => 0.5,
        };
        let mut ball = Self { center, velocity: [0.0; 3], radius };
        if kind == Kind::Flat {
            ball.center[FLAT_AXIS] = 7.0;
        }
        ball
    }

    /// A small move, as from one step to the next, and sometimes a motion within the step.
    fn drift(&mut self, (kind, pace): (Kind, f64), random: &mut Random) {
        let moving = random.chance(0.5);
        for k in 0..3 {
            let lattice = matches!(kind, Kind::Lattice | Kind::Flat);
            let step = 0.2 * (random.unit() - 0.5);
            let step = if lattice { (step * 14.0).round() } else { step * pace };
            self.center[k] += self.velocity[k];
            self.velocity[k] = if moving { step } else { 0.0 };
            // A flat world stays flat.
            let flat = kind == Kind::Flat && k == FLAT_AXIS;
            if flat {
                self.velocity[k] = 0.0;
            } else if !moving && kind != Kind::OnePlace {
                self.center[k] += step;
            }
        }
    }

    fn enter(&self, slot: usize, bounds: &mut Bounds) {
        let ends = [0.0, 1.0].map(|t| self.at(t));
        let aabb = ends.iter().fold(Aabb::EMPTY, |aabb, end| {
            let low = end.map(|x| x - self.radius);
            aabb.with(&low).with(&end.map(|x| x + self.radius))
        });
        bounds.aabb[slot] = outward(&aabb);
        let center = self.center.map(|x| x as f32);
        let velocity = self.velocity.map(|x| x as f32);
        let error: f64 = (0..3)
            .map(|k| {
                (self.center[k] - f64::from(center[k])).abs()
                    + (self.velocity[k] - f64::from(velocity[k])).abs()
            })
            .sum();
        let radius = round_up((self.radius + error) * (1.0 + 1e-15));
        bounds.reach[slot] = Reach { center, radius, velocity, acceleration: 0.0 };
    }

    fn at(&self, t: f64) -> [f64; 3] {
        std::array::from_fn(|k| self.center[k] + t * self.velocity[k])
    }

    /// Whether the balls certainly touch during the step.
    fn touches(&self, other: &Self) -> bool {
        let gap: [f64; 3] = std::array::from_fn(|k| self.center[k] - other.center[k]);
        let speed: [f64; 3] = std::array::from_fn(|k| self.velocity[k] - other.velocity[k]);
        let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let square = dot(&speed, &speed);
        let t = if square > 0.0 { (-dot(&gap, &speed) / square).clamp(0.0, 1.0) } else { 0.0 };
        let least: [f64; 3] = std::array::from_fn(|k| gap[k] + t * speed[k]);
        dot(&least, &least).sqrt() <= (self.radius + other.radius) * (1.0 - 1e-12)
    }
}

/// A table of bounds that is changed step by step, as the world does it.
struct Scene {
    kind: Kind,
    balls: Vec<Option<(Ball, bool)>>,
    bounds: Bounds,
    random: Random,
    steps: u32,
}

impl Scene {
    fn new(kind: Kind, n: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let balls = (0..n).map(|_| Some((Ball::random(kind, n, &mut random), false))).collect();
        let mut scene = Self { kind, balls, bounds: Bounds::default(), random, steps: 0 };
        scene.fill((0..n).collect());
        scene
    }

    /// Some bodies move a little, a few come, go, jump, grow, freeze or thaw.
    fn change(&mut self) {
        let (n, random) = (self.balls.len(), &mut self.random);
        self.steps += 1;
        // Some dozens of lively steps, then as many in which next to nothing happens.
        let pace = if (self.steps / 40).is_multiple_of(2) { 1.0 } else { 0.01 };
        let calm = random.chance(0.3);
        let mut changed = Vec::new();
        for (slot, place) in self.balls.iter_mut().enumerate() {
            let fresh = |random: &mut Random| Ball::random(self.kind, n, random);
            let action = random.unit() / pace;
            match place {
                Some(_) if action < 0.01 => *place = None,
                Some((ball, _)) if action < 0.02 => *ball = fresh(random),
                Some((_, frozen)) if action < 0.03 => *frozen = !*frozen,
                Some((ball, false)) if !calm || action < 0.2 => {
                    ball.drift((self.kind, pace), random);
                }
                None if action < 0.1 => *place = Some((fresh(random), random.chance(0.1))),
                Some(_) | None => continue,
            }
            changed.push(slot);
        }
        // Now and then a step goes by that the pruner does not see.
        if random.chance(0.02) {
            self.bounds.step += 1;
        }
        if random.chance(0.05) {
            self.balls.push(None);
        }
        self.fill(changed);
    }

    fn fill(&mut self, changed: Vec<usize>) {
        let Self { balls, bounds, .. } = self;
        bounds.step += 1;
        bounds.aabb.resize(balls.len(), outward(&Aabb::EMPTY));
        bounds.reach.resize(balls.len(), Reach::NONE);
        for &slot in &changed {
            bounds.aabb[slot] = outward(&Aabb::EMPTY);
            bounds.reach[slot] = Reach::NONE;
            if let Some((ball, _)) = &balls[slot] {
                ball.enter(slot, bounds);
            }
        }
        bounds.changed = changed.into_iter().map(|slot| Slot(slot as u32)).collect();
        let of = |wanted: bool| {
            let slots = balls.iter().enumerate();
            let hit = slots.filter(|(_, ball)| ball.is_some_and(|(_, frozen)| frozen == wanted));
            hit.map(|(slot, _)| Slot(slot as u32)).collect()
        };
        (bounds.live, bounds.frozen) = (of(false), of(true));
    }

    fn ball(&self, slot: Slot) -> &Ball {
        &self.balls[slot.index()].as_ref().expect("it is live").0
    }

    /// By definition.
    fn overlapping(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (i, &a) in self.bounds.live.iter().enumerate() {
            for &b in &self.bounds.live[i + 1..] {
                if overlap(&self.bounds.aabb[a.index()], &self.bounds.aabb[b.index()]) {
                    pairs.push(Pair::new(a, b));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

fn pruned(pruner: &mut dyn Pruner, bounds: &Bounds, limit: usize) -> (Vec<Pair>, Progress) {
    let mut pairs = Vec::new();
    let progress = pruner.prune(bounds, &mut Sink::over(&mut pairs, limit));
    (pairs, progress)
}

/// Says what is wrong with the pairs that a pruner found.
fn judge(name: &str, scene: &Scene, found: &[Pair], boxes: &[Pair]) -> Result<(), TestCaseError> {
    let mut sorted = found.to_vec();
    sorted.sort_unstable();
    if !SUBSET.contains(&name) {
        prop_assert!(sorted == boxes, "{name}: {} pairs of {}", sorted.len(), boxes.len());
        return Ok(());
    }
    prop_assert!(sorted.windows(2).all(|two| two[0] < two[1]), "{name}: a pair twice");
    prop_assert!(sorted.iter().all(|pair| boxes.binary_search(pair).is_ok()), "{name}: invented");
    let touching = boxes.iter().filter(|pair| scene.ball(pair.a()).touches(scene.ball(pair.b())));
    let missed = touching.filter(|pair| sorted.binary_search(pair).is_err()).count();
    prop_assert!(missed == 0, "{name}: {missed} pairs missed");
    Ok(())
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be had").install(work)
}

fn run_sequence(kind: Kind, n: usize, seed: u64, steps: u32) -> Result<(), TestCaseError> {
    let mut scene = Scene::new(kind, n, seed);
    let mut pruners: Vec<_> =
        broad::names().map(|name| broad::by_name(name).expect("registered")).collect();
    for step in 0..steps {
        let boxes = scene.overlapping();
        for (pruner, name) in pruners.iter_mut().zip(broad::names()) {
            let (found, progress) = pruned(pruner.as_mut(), &scene.bounds, usize::MAX);
            judge(name, &scene, &found, &boxes)
                .map_err(|error| TestCaseError::fail(format!("{error}, step {step}")))?;
            prop_assert_eq!(progress, Progress::Complete);
        }
        scene.change();
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn sequences_of_changes_give_what_brute_force_gives(
        kind in prop::sample::select(&KINDS[..]),
        n in prop_oneof![Just(0usize), 1usize..4, 5usize..90],
        seed in any::<u64>(),
    ) {
        run_sequence(kind, n, seed, 200)?;
    }

    /// Enough bodies that every pruner splits, levels and vectorises.
    #[test]
    fn larger_worlds_give_what_brute_force_gives(
        kind in prop::sample::select(&KINDS[..]),
        n in 500usize..2500,
        seed in any::<u64>(),
    ) {
        let n = if kind == Kind::OnePlace { n / 5 } else { n };
        let mut scene = Scene::new(kind, n, seed);
        let mut pruners: Vec<_> =
            broad::names().map(|name| broad::by_name(name).expect("registered")).collect();
        for _ in 0..3 {
            let boxes = scene.overlapping();
            for (pruner, name) in pruners.iter_mut().zip(broad::names()) {
                let (found, _) = pruned(pruner.as_mut(), &scene.bounds, usize::MAX);
                judge(name, &scene, &found, &boxes)?;
            }
            scene.change();
        }
    }

    #[test]
    fn the_list_does_not_depend_on_threads(
        kind in prop::sample::select(&KINDS[..]),
        n in 1usize..400,
        seed in any::<u64>(),
    ) {
        for name in broad::names() {
            let run = |threads: usize| on_threads(threads, || {
                let mut scene = Scene::new(kind, n, seed);
                let mut pruner = broad::by_name(name).expect("registered");
                let mut lists = Vec::new();
                for _ in 0..6 {
                    lists.push(pruned(pruner.as_mut(), &scene.bounds, usize::MAX).0);
                    scene.change();
                }
                lists
            });
            let one = run(1);
            prop_assert!(one == run(2) && one == run(7), "{name}");
        }
    }

    /// A limit ends a step with what was found so far, and does not spoil the next one.
    #[test]
    fn a_limit_is_kept_and_forgotten(
        kind in prop::sample::select(&KINDS[..]),
        n in 2usize..120,
        seed in any::<u64>(),
    ) {
        let mut scene = Scene::new(kind, n, seed);
        let mut pruners: Vec<_> =
            broad::names().map(|name| broad::by_name(name).expect("registered")).collect();
        for step in 0..12 {
            let boxes = scene.overlapping();
            for (pruner, name) in pruners.iter_mut().zip(broad::names()) {
                if step % 3 != 1 {
                    let (found, _) = pruned(pruner.as_mut(), &scene.bounds, usize::MAX);
                    judge(name, &scene, &found, &boxes)?;
                    continue;
                }
                let limit = boxes.len() * (seed % 11) as usize / 8;
                let (found, progress) = pruned(pruner.as_mut(), &scene.bounds, limit);
                prop_assert!(found.len() <= limit, "{name}");
                prop_assert!(found.iter().all(|pair| boxes.binary_search(pair).is_ok()), "{name}");
                if SUBSET.contains(&name) {
                    if progress == Progress::Complete {
                        judge(name, &scene, &found, &boxes)?;
                    }
                } else {
                    prop_assert_eq!(found.len(), limit.min(boxes.len()), "{}", name);
                    prop_assert_eq!(progress == Progress::Limit, limit < boxes.len(), "{}", name);
                }
            }
            scene.change();
        }
    }
}

/// Enough bodies and steps that columns and trees are kept, split, worn out and built anew.
#[test]
fn larger_worlds_are_followed_for_many_steps() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        let n = if kind == Kind::OnePlace || kind == Kind::Infinite { 150 } else { 1200 };
        run_sequence(kind, n, seed as u64, 130).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
}

/// Every box pruner, without memory.
fn assert_all_find(boxes: &[Pair], scene: &Scene) {
    for name in broad::names().filter(|name| !SUBSET.contains(name)) {
        let mut pruner = broad::by_name(name).expect("registered");
        let (mut found, _) = pruned(pruner.as_mut(), &scene.bounds, usize::MAX);
        found.sort_unstable();
        assert!(found == boxes, "{name}");
    }
}

/// Lower ends so far apart that their difference is no number in f32.
#[test]
fn worlds_as_wide_as_numbers_go_lose_no_pair() {
    let mut scene = Scene::new(Kind::Lattice, 32, 1);
    for (i, aabb) in scene.bounds.aabb.iter_mut().enumerate() {
        let [low, high] = match i {
            0 => [-3e38, -2.9e38],
            1 => [0.9e38, 1.5e38],
            2 => [1e38, 1.2e38],
            _ => [3e38, 3.1e38],
        };
        *aabb = [low, 0.0, 0.0, high, 1.0, 1.0];
    }
    let boxes = scene.overlapping();
    assert_eq!(boxes.len(), 1 + 29 * 28 / 2);
    assert_all_find(&boxes, &scene);
}

/// Boxes at infinity, among others in one place.
#[test]
fn boxes_at_infinity_meet_each_other_and_nothing_else() {
    let mut scene = Scene::new(Kind::Lattice, 60, 1);
    for (i, aabb) in scene.bounds.aabb.iter_mut().enumerate() {
        let x = if i % 5 == 0 { f32::INFINITY } else { 0.0 };
        *aabb = [x, 0.0, 0.0, x, 1.0, 1.0];
    }
    let boxes = scene.overlapping();
    assert_eq!(boxes.len(), 12 * 11 / 2 + 48 * 47 / 2);
    assert_all_find(&boxes, &scene);
}

/// Boxes that grow until columns must be chosen anew: which pairs a limit leaves must not depend on
/// how the work was shared out.
#[test]
fn growing_boxes_and_a_limit_give_one_list_on_any_number_of_threads() {
    let run = |threads: usize| {
        on_threads(threads, || {
            let mut scene = Scene::new(Kind::Sparse, 10_000, 3);
            let mut pruner = broad::by_name("columns").expect("registered");
            let mut lists = Vec::new();
            for _ in 0..60 {
                for aabb in &mut scene.bounds.aabb {
                    for k in 0..3 {
                        let grow = 0.025 * (aabb[k + 3] - aabb[k]);
                        (aabb[k], aabb[k + 3]) = (aabb[k] - grow, aabb[k + 3] + grow);
                    }
                }
                scene.bounds.step += 1;
                lists.push(pruned(pruner.as_mut(), &scene.bounds, 2000));
            }
            lists
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(7));
}

/// Enough bodies that the work is really shared out.
#[test]
fn large_worlds_give_one_list_on_any_number_of_threads() {
    for name in broad::names().filter(|name| *name != "brute") {
        let run = |threads: usize| {
            on_threads(threads, || {
                let mut scene = Scene::new(Kind::Sparse, 20_000, 7);
                let mut pruner = broad::by_name(name).expect("registered");
                let steps = (0..5).map(|step| {
                    scene.change();
                    let limit = if step == 3 { 200 } else { usize::MAX };
                    pruned(pruner.as_mut(), &scene.bounds, limit)
                });
                steps.collect::<Vec<_>>()
            })
        };
        let one = run(1);
        assert!(one[0].0.len() > 1000, "{name}");
        assert!(one == run(2) && one == run(7), "{name}");
    }
}

/// 5·10⁹ pairs: no pruner may hang on them or fill the memory.
#[test]
fn a_hundred_thousand_bodies_in_one_point_end_at_the_limit() {
    let n = 100_000;
    let mut scene = Scene::new(Kind::OnePlace, n, 1);
    let limit = 1 << 20;
    for name in broad::names() {
        let mut pruner = broad::by_name(name).expect("registered");
        for _ in 0..2 {
            scene.bounds.step += 1;
            let (found, progress) = pruned(pruner.as_mut(), &scene.bounds, limit);
            assert_eq!((found.len(), progress), (limit, Progress::Limit), "{name}");
        }
        assert!(pruner.bytes() < 200 << 20, "{name} holds {} bytes", pruner.bytes());
    }
}
