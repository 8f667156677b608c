//! The queue against all pairs, over long runs of bodies that do what they like.

use super::*;
use crate::contract::bounds::Reach;
use impinge_geom::aabb::{Aabb, outward};
use proptest::prelude::*;

/// A small generator of numbers, so that a run is one seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// In 0…1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| (2.0 * self.share() - 1.0) * size)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Absent,
    Live,
    Frozen,
}

/// A ball that does what it likes.
#[derive(Clone, Copy, Debug)]
struct Puck {
    center: [f64; 3],
    velocity: [f64; 3],
    force: [f64; 3],
    radius: f64,
    kind: Kind,
}

/// What kind of world it is.
#[derive(Clone, Copy, Debug)]
struct Rules {
    side: f64,
    origin: f64,
    /// The smallest and the largest radius.
    radii: [f64; 2],
    /// Speed per step in radii.
    speed: f64,
    /// Whether bodies accelerate.
    forces: bool,
    /// Whether the table tells velocities.
    dynamic: bool,
    /// How often a body does something unforeseen.
    mischief: f64,
}

struct Room {
    rules: Rules,
    dice: Dice,
    pucks: Vec<Puck>,
    bounds: Bounds,
}

impl Room {
    fn new(rules: Rules, count: usize, seed: u64) -> Self {
        let mut room =
            Self { rules, dice: Dice(seed), pucks: Vec::new(), bounds: Bounds::default() };
        for _ in 0..count {
            let puck = room.puck();
            room.pucks.push(puck);
        }
        room
    }

    fn puck(&mut self) -> Puck {
        let Rules { side, origin, radii: [least, most], speed, forces, .. } = self.rules;
        let radius = least * (most / least).powf(self.dice.share());
        let place = self.dice.vector(0.5 * side);
        let push = if forces && self.dice.chance(0.5) { 0.1 * speed * radius } else { 0.0 };
        Puck {
            center: place.map(|x| x + origin),
            velocity: self.dice.vector(speed * radius),
            force: self.dice.vector(push),
            radius,
            kind: Kind::Live,
        }
    }

    /// Something unforeseen.
    fn mischief(&mut self, i: usize) {
        let other = self.puck();
        let puck = &mut self.pucks[i];
        match self.dice.next() % 8 {
            0 => puck.center = other.center,
            1 => puck.velocity = other.velocity,
            2 => puck.radius = other.radius,
            3 => puck.kind = Kind::Absent,
            4 => puck.kind = Kind::Frozen,
            5 => puck.velocity = [0.0; 3],
            6 => *puck = other,
            _ => puck.kind = Kind::Live,
        }
    }

    /// Fills the table for the step from where the pucks are.
    fn tell(&mut self) {
        let bounds = &mut self.bounds;
        let before = bounds.clone();
        bounds.step += 1;
        for list in [&mut bounds.live, &mut bounds.frozen, &mut bounds.changed] {
            list.clear();
        }
        bounds.aabb.clear();
        bounds.reach.clear();
        for (i, puck) in self.pucks.iter().enumerate() {
            let slot = Slot(i as u32);
            match puck.kind {
                Kind::Live => bounds.live.push(slot),
                Kind::Frozen => bounds.frozen.push(slot),
                Kind::Absent => {}
            }
            let (aabb, reach) = entry(puck, self.rules.dynamic);
            bounds.aabb.push(aabb);
            bounds.reach.push(reach);
            let same_kind = [(&before.live, &bounds.live), (&before.frozen, &bounds.frozen)]
                .iter()
                .all(|(old, new)| old.binary_search(&slot).is_ok() == (new.last() == Some(&slot)));
            let same = before.aabb.get(i) == Some(&aabb) && before.reach.get(i) == Some(&reach);
            if !same_kind || !same {
                bounds.changed.push(slot);
            }
        }
    }

    /// Moves on by a step, as the table says.
    fn go(&mut self) {
        let Rules { side, origin, mischief, .. } = self.rules;
        for i in 0..self.pucks.len() {
            let puck = &mut self.pucks[i];
            if puck.kind == Kind::Live {
                puck.center = way(puck, 1.0);
                for k in 0..3 {
                    puck.velocity[k] += puck.force[k];
                    let off = puck.center[k] - origin;
                    if off.abs() > 0.5 * side && off * puck.velocity[k] > 0.0 {
                        puck.velocity[k] = -puck.velocity[k];
                    }
                }
            }
            if self.dice.chance(mischief) {
                self.mischief(i);
            }
        }
    }
}

fn way(puck: &Puck, t: f64) -> [f64; 3] {
    std::array::from_fn(|k| puck.center[k] + puck.velocity[k] * t + 0.5 * puck.force[k] * t * t)
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The table's entry, made generously.
fn entry(puck: &Puck, dynamic: bool) -> ([f32; 6], Reach) {
    let moves = dynamic && puck.kind == Kind::Live;
    let (velocity, force) = if moves { (puck.velocity, puck.force) } else { ([0.0; 3], [0.0; 3]) };
    let size = puck.center.iter().chain(&velocity).fold(0.0f64, |m, x| m.max(x.abs()));
    let radius = puck.radius + 4e-7 * size;
    let reach = Reach {
        center: puck.center.map(|x| x as f32),
        radius: (radius * 1.000_001) as f32,
        velocity: velocity.map(|x| x as f32),
        acceleration: (norm(&force) * 1.000_001) as f32,
    };
    let end: [f64; 3] = std::array::from_fn(|k| puck.center[k] + velocity[k]);
    let aabb = Aabb::around(&[puck.center, end]).grown(radius + 0.5 * norm(&force));
    (outward(&aabb), reach)
}

/// Whether two pucks really touch during the step.
fn really_touch(a: &Puck, b: &Puck, dynamic: bool) -> bool {
    let times = if dynamic { 16 } else { 0 };
    let reach = a.radius + b.radius;
    let gap = |t: f64| {
        let (x, y) = (way(a, t), way(b, t));
        norm(&std::array::from_fn(|k| x[k] - y[k]))
    };
    let sampled = (0..=times).any(|i| gap(f64::from(i) / 16.0) <= reach);
    let straight = dynamic && norm(&a.force) == 0.0 && norm(&b.force) == 0.0;
    if sampled || !straight {
        return sampled;
    }
    let w: [f64; 3] = std::array::from_fn(|k| a.velocity[k] - b.velocity[k]);
    let square: f64 = w.iter().map(|x| x * x).sum();
    let along: f64 = (0..3).map(|k| (a.center[k] - b.center[k]) * w[k]).sum();
    square > 0.0 && gap((-along / square).clamp(0.0, 1.0)) <= reach
}

/// All pairs of live bodies.
fn couples(bounds: &Bounds) -> impl Iterator<Item = Pair> + '_ {
    let firsts = bounds.live.iter().enumerate();
    firsts.flat_map(|(i, &a)| bounds.live[i + 1..].iter().map(move |&b| Pair::new(a, b)))
}

fn prune(queue: &mut Queue, bounds: &Bounds, limit: usize) -> (Vec<Pair>, Progress) {
    let mut pairs = Vec::new();
    let progress = queue.prune(bounds, &mut Sink::over(&mut pairs, limit));
    pairs.sort_unstable();
    (pairs, progress)
}

/// Runs a room and holds every step against all pairs. Returns how many pairs were found and how
/// many steps began with pairs that waited.
fn run(rules: Rules, count: usize, steps: usize, seed: u64) -> (usize, usize) {
    let (mut room, mut queue) = (Room::new(rules, count, seed), Queue::default());
    let (mut found, mut waited) = (0, 0);
    for step in 0..steps {
        room.tell();
        waited += usize::from(queue.horizon.end > room.bounds.step);
        let (pairs, progress) = prune(&mut queue, &room.bounds, usize::MAX);
        assert_eq!(progress, Progress::Complete);
        let mut expected = Vec::new();
        for pair in couples(&room.bounds) {
            let reported = matters(&room.bounds, pair.a().0, pair.b().0);
            if reported {
                expected.push(pair);
            }
            let [a, b] = [pair.a(), pair.b()].map(|slot| &room.pucks[slot.index()]);
            let touch = really_touch(a, b, rules.dynamic);
            assert!(reported || !touch, "step {step}: {a:?} {b:?} touch");
        }
        expected.sort_unstable();
        assert!(pairs == expected, "step {step} of {rules:?}, seed {seed}");
        found += pairs.len();
        room.go();
    }
    (found, waited)
}

const CALM: Rules = Rules {
    side: 20.0,
    origin: 0.0,
    radii: [0.5, 0.5],
    speed: 0.1,
    forces: false,
    dynamic: true,
    mischief: 0.001,
};

#[test]
fn nothing_is_missed_whatever_bodies_do() {
    let wild = Rules { forces: true, mischief: 0.05, speed: 0.5, ..CALM };
    let sizes = Rules { side: 300.0, radii: [1e-3, 1e3], mischief: 0.01, ..CALM };
    let far = Rules { origin: 1e6, ..CALM };
    let one_place = Rules { side: 1.0, ..CALM };
    let fast = Rules { speed: 20.0, side: 40.0, ..CALM };
    for (seed, rules) in [CALM, wild, sizes, far, one_place, fast].into_iter().enumerate() {
        for dynamic in [true, false] {
            let (found, _) = run(Rules { dynamic, ..rules }, 150, 250, seed as u64);
            assert!(found > 100, "{rules:?} found {found}");
        }
    }
}

#[test]
fn pairs_of_a_calm_room_wait() {
    for dynamic in [true, false] {
        let (_, waited) = run(Rules { dynamic, side: 60.0, ..CALM }, 400, 200, 1);
        assert!(waited > 150, "{waited} of 200 steps used what was known");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_world_agrees_with_all_pairs(
        seed in any::<u64>(), sizes in 0..3i32, origin in 0..3usize, crowd in 2.0..40.0f64,
        speed in 0.0..2.0f64, mischief in 0.0..0.1f64, flags in 0..4u32,
    ) {
        let rules = Rules {
            side: crowd,
            origin: [0.0, 1e3, 1e6][origin],
            radii: [10f64.powi(-sizes), 10f64.powi(sizes)],
            speed,
            forces: flags & 1 == 1,
            dynamic: flags & 2 == 2,
            mischief,
        };
        run(rules, 60, 200, seed);
    }
}

#[test]
fn a_step_that_was_not_seen_voids_what_is_known() {
    let (mut room, mut queue) = (Room::new(CALM, 200, 3), Queue::default());
    for step in 0..60 {
        room.tell();
        if step % 7 != 3 {
            let (pairs, _) = prune(&mut queue, &room.bounds, usize::MAX);
            assert_eq!(pairs, prune(&mut Queue::default(), &room.bounds, usize::MAX).0);
        }
        room.go();
    }
}

#[test]
fn infinite_balls_and_boxes_meet_everything() {
    let mut room = Room::new(Rules { mischief: 0.0, ..CALM }, 50, 4);
    let mut queue = Queue::default();
    for _ in 0..20 {
        room.tell();
        let unknown = Reach { radius: f32::INFINITY, ..Reach::NONE };
        let most = f32::INFINITY;
        for slot in [3, 17] {
            room.bounds.aabb[slot] = [-most, -most, -most, most, most, most];
            room.bounds.reach[slot] = unknown;
        }
        let (pairs, _) = prune(&mut queue, &room.bounds, usize::MAX);
        let with =
            |slot| pairs.iter().filter(|p| p.a() == Slot(slot) || p.b() == Slot(slot)).count();
        assert_eq!((with(3), with(17)), (49, 49));
        room.go();
    }
}

#[test]
fn a_limit_is_a_limit_only_if_there_are_more() {
    let (mut room, mut queue) = (Room::new(Rules { side: 6.0, ..CALM }, 100, 5), Queue::default());
    for step in 0..40 {
        room.tell();
        let (all, _) = prune(&mut Queue::default(), &room.bounds, usize::MAX);
        let limit = if step % 4 == 0 { all.len() - 1 } else { all.len() };
        let (some, progress) = prune(&mut queue, &room.bounds, limit);
        assert_eq!(progress == Progress::Limit, step % 4 == 0);
        assert_eq!(some.len(), limit);
        assert!(some.iter().all(|pair| all.binary_search(pair).is_ok()));
        room.go();
    }
}

#[test]
fn a_crowd_in_one_place_reaches_the_limit_and_nothing_else() {
    let rules = Rules { side: 0.0, speed: 0.0, mischief: 0.0, ..CALM };
    let (mut room, mut queue) = (Room::new(rules, 100_000, 6), Queue::default());
    for _ in 0..2 {
        room.tell();
        let (pairs, progress) = prune(&mut queue, &room.bounds, 1 << 20);
        assert_eq!((pairs.len(), progress), (1 << 20, Progress::Limit));
        assert!(queue.bytes() < 1 << 12, "the state is dropped");
    }
}

#[test]
fn memory_is_linear_in_bodies() {
    // The density of [V00 §7]: bodies fill 2.5 % of the room.
    let count = 20_000;
    let side = (count as f64 * 4.19 * 0.125 / 0.025).cbrt();
    let (mut room, mut queue) =
        (Room::new(Rules { side, mischief: 0.0, ..CALM }, count, 7), Queue::default());
    let mut most = 0;
    for _ in 0..80 {
        room.tell();
        prune(&mut queue, &room.bounds, usize::MAX);
        most = most.max(queue.bytes());
        room.go();
    }
    assert!(queue.horizon.length >= 8, "{:?}", queue.horizon);
    assert!(most / count < 400, "{} bytes per body", most / count);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let runs = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut room, mut queue) = (Room::new(CALM, 500, 8), Queue::default());
            let mut all = Vec::new();
            for _ in 0..50 {
                room.tell();
                // Unsorted: even the order is the same.
                let mut pairs = Vec::new();
                queue.prune(&room.bounds, &mut Sink::over(&mut pairs, usize::MAX));
                all.push(pairs);
                room.go();
            }
            all
        })
    });
    assert!(runs[0] == runs[1]);
}
