//! The parts that the pruner is made of, each against its definition.

use super::calendar::{Calendar, Entry, STEPS_MAX};
use super::faces::{Trapezoid, first_of_all};
use super::meeting::{first_meeting, first_meeting_along};
use super::track::{Horn, Tracks};
use crate::contract::bounds::{Bounds, Reach};
use crate::contract::ids::Slot;
use crate::contract::promise::Promise;
use proptest::prelude::*;

/// The slot that all of them speak of, and the number of slots.
const OURS: Slot = Slot(9);
const SLOTS: usize = 11;

/// A table with one ball in it.
fn ball(center: [f32; 3], radius: f32) -> Bounds {
    let side = |i: usize| if i < 3 { center[i] - radius } else { center[i - 3] + radius };
    let mut bounds = Bounds::default();
    bounds.aabb.resize(SLOTS, [0.0; 6]);
    bounds.reach.resize(SLOTS, Reach::NONE);
    bounds.aabb[OURS.index()] = std::array::from_fn(side);
    bounds.reach[OURS.index()] = Reach { center, radius, ..Reach::NONE };
    bounds
}

fn nobody() -> Tracks {
    let mut tracks = Tracks::default();
    tracks.reserve(SLOTS);
    tracks
}

/// The square of the difference of ways if the ball left its horn.
fn follow(tracks: &mut Tracks, bounds: &Bounds) -> Option<f32> {
    let mut left = Vec::new();
    tracks.follow(bounds, &[0, 1 << (OURS.index() % 8)], &mut left);
    left.first().map(|&(slot, square)| {
        assert_eq!((slot, left.len()), (OURS, 1));
        square
    })
}

/// The box around the horn for so many steps.
fn swept(tracks: &Tracks, steps: f32) -> [f32; 6] {
    let mut blocks = Vec::new();
    tracks.swept(steps, &mut blocks);
    let (block, lane) = (&blocks[OURS.index() / 8], OURS.index() % 8);
    std::array::from_fn(|i| if i < 3 { block.low[i][lane] } else { block.high[i - 3][lane] })
}

fn horn() -> impl Strategy<Value = Horn> {
    let number = || prop_oneof![(-9i8..10).prop_map(f64::from), -9.0..9.0f64];
    let three = move || prop::array::uniform3(number());
    let bend = prop_oneof![Just(0.0), 0.0..0.1f64];
    (three(), three(), 0.0..2.0f64, bend).prop_map(|(middle, way, half, bend)| Horn {
        middle: middle.map(|x| 10.0 * x),
        way: way.map(|x| 0.1 * x),
        half,
        bend,
    })
}

/// Whether the boxes around both can overlap on all axes after `m` steps.
fn can_meet(a: &Horn, b: &Horn, m: f64) -> bool {
    let sum = 0.5 * m * (m + 1.0);
    (0..3).all(|k| {
        let gap = (a.middle[k] + m * a.way[k]) - (b.middle[k] + m * b.way[k]);
        gap.abs() <= a.half + b.half + (a.bend + b.bend) * sum
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn horns_do_not_meet_before_their_time(a in horn(), b in horn()) {
        let time = first_meeting(&a, &b);
        prop_assert!(time >= 0.0);
        for m in (0..400).map(f64::from).take_while(|m| *m < time) {
            prop_assert!(!can_meet(&a, &b, m), "after {} of {} steps", m, time);
        }
        // And not much sooner: on the last axis they begin to overlap then.
        if time > 0.0 && time < 1e6 {
            let sum = 0.5 * time * (time + 1.0);
            let over = |k: usize| {
                let gap = a.middle[k] - b.middle[k] + time * (a.way[k] - b.way[k]);
                gap.abs() - (a.half + b.half + (a.bend + b.bend) * sum)
            };
            let nearest = (0..3).map(|k| over(k).abs()).fold(f64::INFINITY, f64::min);
            prop_assert!(nearest < 1e-3 + 1e-6 * time * time, "{}", nearest);
        }
    }

    /// Bodies that use all that was promised against each other.
    #[test]
    fn a_push_keeps_what_is_behind_apart(a in horn(), b in horn(), push in 0usize..3) {
        let direction: [f32; 3] = std::array::from_fn(|k| f32::from(k == push));
        let time = first_meeting_along(&a, &b, &direction, 0.0);
        for m in (0..400).map(f64::from).take_while(|m| *m < time) {
            // The worst of both: `a` goes straight on, `b` bends towards it as much as it may.
            let behind = a.middle[push] + m * a.way[push] - a.half;
            let ahead = b.middle[push] + m * b.way[push] + b.half + b.bend * 0.5 * m * (m + 1.0);
            prop_assert!(ahead < behind, "after {} of {} steps", m, time);
        }
    }

    /// All pairs, at many times.
    #[test]
    fn no_two_horns_meet_before_the_sweep_says_so(horns in prop::collection::vec(horn(), 2..9)) {
        let pairs = || (1..horns.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let narrow = |horn: &Horn| Horn { half: 0.3 * horn.half, ..*horn };
        let horns: Vec<Horn> = horns.iter().map(narrow).collect();
        let meet = |m: f64| pairs().any(|(i, j)| can_meet(&horns[i], &horns[j], m));
        prop_assume!(!meet(0.0));
        let bodies: Vec<Trapezoid> = horns.iter().map(|h| Trapezoid::around(h, 64.0)).collect();
        let first = first_of_all(&bodies, 64.0);
        for m in (0..640).map(|i| 0.1 * f64::from(i)).take_while(|m| *m < first * (1.0 - 1e-9)) {
            // The sum that horns grow by belongs to whole steps; in between chords are above it.
            prop_assert!(!meet(m), "after {} of {} steps", m, first);
        }
        // Without bends trapezoids are horns, and the time is that of the first pair, unless a pair
        // that overlaps on all axes in turn never does at once.
        let earliest = pairs().map(|(i, j)| first_meeting(&horns[i], &horns[j]));
        let earliest = earliest.fold(64.0, f64::min);
        if horns.iter().all(|horn| horn.bend == 0.0) {
            prop_assert!(first >= earliest * (1.0 - 1e-3), "{} {}", first, earliest);
        }
    }

    #[test]
    fn whoever_keeps_a_promise_stays_within_the_horn(
        bends in prop::collection::vec(prop::array::uniform3(-1.0..1.0f32), 60),
        start in prop::array::uniform3(-50.0..50.0f32),
        way in prop::array::uniform3(-0.5..0.5f32),
    ) {
        let promise = Promise::new(0.01).unwrap();
        let mut tracks = nobody();
        let (mut place, mut way) = (start.map(f64::from), way.map(f64::from));
        let mut begun: Option<(Horn, [f32; 6], usize)> = None;
        for (i, bend) in bends.iter().enumerate() {
            let bounds = ball(place.map(|x| x as f32), 0.5);
            let aabb = bounds.aabb[OURS.index()];
            if let Some(square) = follow(&mut tracks, &bounds) {
                // Far from where it began rounding is more than was granted then: a new horn, not a broken promise.
                prop_assert!(i < 2 || !tracks.of(OURS).breaks(&promise, square), "step {}", i);
                prop_assert_eq!(tracks.admit(OURS, &promise, &bounds), i > 0);
                begun = (i > 0).then(|| (tracks.of(OURS).horn(), swept(&tracks, 60.0), i));
            } else {
                let (horn, swept, since) = begun.expect("it was admitted");
                let m = (i - since) as f64;
                for k in 0..3 {
                    let middle = horn.middle[k] + m * horn.way[k];
                    let most = horn.half + horn.bend * 0.5 * m * (m + 1.0);
                    prop_assert!(f64::from(aabb[k]) >= middle - most);
                    prop_assert!(f64::from(aabb[k + 3]) <= middle + most);
                    prop_assert!(aabb[k] >= swept[k] && aabb[k + 3] <= swept[k + 3]);
                }
            }
            let length = bend.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt();
            for k in 0..3 {
                way[k] += 0.01 * f64::from(bend[k]) / length.max(1.0);
                place[k] += way[k];
            }
        }
    }
}

#[test]
fn whoever_bends_too_much_or_grows_leaves_the_horn() {
    let promise = Promise::new(0.01).unwrap();
    let at = |x: f32, radius: f32| ball([x, 0.0, 0.0], radius);
    let admitted = || {
        let mut tracks = nobody();
        follow(&mut tracks, &at(1.0, 0.5));
        follow(&mut tracks, &at(1.1, 0.5));
        assert!(tracks.admit(OURS, &promise, &at(1.1, 0.5)) && tracks.is_admitted(OURS));
        tracks
    };
    assert_eq!(follow(&mut admitted(), &at(1.209, 0.5)), None);
    let mut broken = admitted();
    let square = follow(&mut broken, &at(1.215, 0.5)).expect("it left");
    assert!(broken.of(OURS).breaks(&promise, square));
    let mut grown = admitted();
    let square = follow(&mut grown, &at(1.2, 0.6)).expect("it left");
    assert!(!grown.of(OURS).breaks(&promise, square));
    // Numbers that are none, or too large, are nothing to build on.
    for x in [f32::NAN, 3e38] {
        let mut lost = admitted();
        assert!(follow(&mut lost, &at(x, 0.5)).is_some());
        assert!(!lost.admit(OURS, &promise, &at(x, 0.5)));
    }
    // A stronger promise keeps the horn, a weaker one needs another.
    let mut narrowed = admitted();
    assert!(!narrowed.is_narrower(OURS, &Promise::new(0.02).unwrap()));
    let stronger = Promise::new(0.005).unwrap();
    assert!(narrowed.is_narrower(OURS, &stronger) && !nobody().is_narrower(OURS, &stronger));
    narrowed.narrow(OURS, &stronger);
    assert!(follow(&mut narrowed, &at(1.209, 0.5)).is_some());
}

#[test]
fn the_calendar_gives_back_what_was_put() {
    let mut calendar = Calendar::default();
    let entry = |a: u32| Entry { a, b: 0, stamp: 0, rest: 0 };
    calendar.put(7, entry(1));
    calendar.put(7 + STEPS_MAX - 1, entry(2));
    calendar.put(7, entry(4));
    let mut due = vec![entry(3)];
    calendar.take(7, &mut due);
    assert_eq!(due.iter().map(|entry| entry.a).collect::<Vec<_>>(), [3, 4, 1]);
    // What is free is used again, and nothing comes twice.
    for a in 5..9 {
        calendar.put(u64::from(a), entry(a));
    }
    due.clear();
    (0..STEPS_MAX).for_each(|step| calendar.take(step, &mut due));
    assert_eq!(due.iter().map(|entry| entry.a).collect::<Vec<_>>(), [5, 6, 2, 7, 8]);
    calendar.put(7, entry(1));
    calendar.clear();
    due.clear();
    (0..STEPS_MAX).for_each(|step| calendar.take(step, &mut due));
    assert!(due.is_empty());
}
