//! Stage `filter`: which candidate pairs are to be tested at all.

use super::body::Bodies;
use crate::contract::answer::Progress;
use crate::contract::bounds::{Bounds, Reach};
use crate::contract::ids::{BodyId, Pair};
use crate::contract::query::Query;
use glam::DVec3;

/// Exceptions from the groups, pair by pair. Kept sorted, so that looking up is a binary search.
#[derive(Debug, Default)]
pub(super) struct PairRules {
    rules: Vec<([BodyId; 2], Rule)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Allow,
    Deny,
}

impl PairRules {
    pub(super) fn allow(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, Some(Rule::Allow));
    }

    pub(super) fn deny(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, Some(Rule::Deny));
    }

    pub(super) fn reset(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, None);
    }

    pub(super) fn forget(&mut self, id: BodyId) {
        self.rules.retain(|(bodies, _)| !bodies.contains(&id));
    }

    fn set(&mut self, a: BodyId, b: BodyId, rule: Option<Rule>) {
        let key = ordered(a, b);
        match (self.rules.binary_search_by_key(&key, |(bodies, _)| *bodies), rule) {
            (Ok(at), Some(rule)) => self.rules[at].1 = rule,
            (Ok(at), None) => drop(self.rules.remove(at)),
            (Err(at), Some(rule)) => self.rules.insert(at, (key, rule)),
            (Err(_), None) => {}
        }
    }

    fn get(&self, a: BodyId, b: BodyId) -> Option<Rule> {
        let key = ordered(a, b);
        let at = self.rules.binary_search_by_key(&key, |(bodies, _)| *bodies).ok()?;
        Some(self.rules[at].1)
    }
}

fn ordered(a: BodyId, b: BodyId) -> [BodyId; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Keeps the first pairs, at most so many.
pub(super) fn keep_first(limit: usize, pairs: &mut Vec<Pair>) -> Progress {
    let all = pairs.len() <= limit;
    pairs.truncate(limit);
    if all { Progress::Complete } else { Progress::Limit }
}

/// Drops the pairs whose balls stay apart, for many bodies are round and their boxes meet at corners
/// where nothing is.
pub(super) fn keep_near(bounds: &Bounds, pairs: &mut Vec<Pair>) {
    pairs.retain(|pair| {
        let [a, b] = [pair.a(), pair.b()].map(|slot| &bounds.reach[slot.index()]);
        !are_apart(a, b)
    });
}

/// Whether two balls on their ways stay apart for the whole step: the least distance of two points that
/// go straight, against the radii and what the accelerations may add.
fn are_apart(a: &Reach, b: &Reach) -> bool {
    let minus = |x: &[f32; 3], y: &[f32; 3]| {
        DVec3::from_array(std::array::from_fn(|k| f64::from(x[k]) - f64::from(y[k])))
    };
    let (gap, speed) = (minus(&a.center, &b.center), minus(&a.velocity, &b.velocity));
    let (gap2, speed2) = (gap.length_squared(), speed.length_squared());
    let nearest = if speed2 > 0.0 {
        (gap - speed * (gap.dot(speed) / speed2).clamp(-1.0, 0.0)).length_squared()
    } else {
        gap2
    };
    let sum = |x: f32, y: f32| f64::from(x) + f64::from(y);
    let far = sum(a.radius, b.radius) + 0.5 * sum(a.acceleration, b.acceleration);
    // All of this is right to some 10⁻¹⁴. Where nothing is known the radius is infinite.
    nearest > far * far + 1e-12 * (far * far + gap2 + speed2)
}

/// Drops the pairs that groups and rules exclude, and adds each body against itself if asked.
pub(super) fn keep_allowed(
    bodies: &Bodies,
    rules: &PairRules,
    query: &Query,
    pairs: &mut Vec<Pair>,
) {
    if query.itself {
        pairs.extend(bodies.iter().map(|(id, _)| Pair::new(id.slot, id.slot)));
    }
    pairs.retain(|pair| {
        let (a, b) = (bodies.live(pair.a()), bodies.live(pair.b()));
        match rules.get(bodies.id(pair.a()), bodies.id(pair.b())) {
            Some(rule) => rule == Rule::Allow,
            None => pair.is_self() || (a.groups & b.mask != 0 && b.groups & a.mask != 0),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whole numbers make balls that just touch.
    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![(-8i8..9).prop_map(f32::from), -8.0..8.0f32]
    }

    fn reach() -> impl Strategy<Value = Reach> {
        let three = || prop::array::uniform3(number());
        let scale = prop_oneof![3 => Just(1.0f32), 1 => Just(1e-30), 1 => Just(1e30)];
        (three(), three(), [number(), number()], any::<bool>(), scale).prop_map(
            |(center, velocity, [radius, acceleration], still, scale)| Reach {
                center: center.map(|x| x * scale),
                velocity: if still { [0.0; 3] } else { velocity.map(|x| x * scale) },
                radius: if radius == 8.0 { f32::INFINITY } else { radius.abs() / 4.0 * scale },
                acceleration: if still { 0.0 } else { acceleration.abs() / 4.0 * scale },
            },
        )
    }

    /// By how much the balls are apart at a time, if the accelerations do their best against it.
    fn gap_at(a: &Reach, b: &Reach, t: f64) -> f64 {
        let at =
            |ball: &Reach, k: usize| f64::from(ball.center[k]) + t * f64::from(ball.velocity[k]);
        let square: f64 = (0..3).map(|k| (at(a, k) - at(b, k)).powi(2)).sum();
        let bend = 0.5 * t * t * (f64::from(a.acceleration) + f64::from(b.acceleration));
        square.sqrt() - f64::from(a.radius) - f64::from(b.radius) - bend
    }

    proptest! {
        #[test]
        fn balls_that_meet_are_kept_and_resting_ones_apart_are_not(a in reach(), b in reach()) {
            let apart = are_apart(&a, &b);
            let meet = (0..=64).any(|i| gap_at(&a, &b, f64::from(i) / 64.0) <= 0.0);
            prop_assert!(!(apart && meet), "{a:?} {b:?}");
            if a.velocity == b.velocity && a.acceleration + b.acceleration == 0.0 {
                let size = gap_at(&Reach { radius: 0.0, ..a }, &Reach { radius: 0.0, ..b }, 0.0);
                prop_assert!(apart || gap_at(&a, &b, 0.0) <= 1e-9 * size, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn balls_that_pass_each_other_are_kept() {
        let ball = |x: f32, v: f32| Reach {
            center: [x, 0.0, 0.0],
            velocity: [v, 0.0, 0.0],
            radius: 1.0,
            acceleration: 0.0,
        };
        assert!(are_apart(&ball(0.0, 0.0), &ball(2.001, 0.0)));
        assert!(!are_apart(&ball(0.0, 0.0), &ball(2.0, 0.0)));
        assert!(!are_apart(&ball(0.0, 20.0), &ball(10.0, 0.0)));
        assert!(are_apart(&ball(0.0, -20.0), &ball(10.0, 0.0)));
        assert!(are_apart(&ball(0.0, 7.9), &ball(10.0, 0.0)));
    }
}
