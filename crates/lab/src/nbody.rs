//! The broad phase alone, on worlds of moving boxes: what is timed is `prune` and nothing else.
//!
//! Moving the bodies and writing their boxes into the table of bounds is not timed, and neither are
//! the first frames, which find pruners without memory of others: other programs are held to the
//! same, so that figures compare.

use anyhow::{Result, ensure};
use impinge::broad::by_name;
use impinge::contract::answer::Progress;
use impinge::contract::bounds::{Bounds, Reach};
use impinge::contract::ids::{Pair, Slot};
use impinge::contract::pruner::Pruner;
use impinge::contract::sink::Sink;
use impinge_scene::nbody::NBody;
use std::time::{Duration, Instant};

/// A world of boxes and the table that pruners read, kept in step.
#[derive(Clone, Debug)]
pub struct Frames {
    world: NBody,
    bounds: Bounds,
}

impl Frames {
    /// The world as it is, before its first frame.
    pub fn new(world: NBody) -> Self {
        let slots: Vec<Slot> = (0..world.len() as u32).map(Slot).collect();
        let bounds = Bounds {
            aabb: vec![[0.0; 6]; world.len()],
            reach: vec![Reach::NONE; world.len()],
            changed: slots.clone(),
            live: slots,
            ..Bounds::default()
        };
        let mut frames = Self { world, bounds };
        frames.write();
        frames
    }

    /// One frame: the bodies move, and the table follows.
    pub fn advance(&mut self) {
        self.world.step();
        self.bounds.step += 1;
        self.bounds.changed.clear();
        let moves = |i: &usize| self.world.bodies[*i].v != [0; 3];
        let changed = (0..self.world.len()).filter(moves).map(|i| Slot(i as u32));
        self.bounds.changed.extend(changed);
        self.write();
    }

    /// What pruners read.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// How many bodies there are.
    pub fn bodies(&self) -> usize {
        self.world.len()
    }

    fn write(&mut self) {
        for slot in &self.bounds.changed {
            let aabb = self.world.aabb(slot.index());
            self.bounds.aabb[slot.index()] = aabb;
            self.bounds.reach[slot.index()] = ball_around(&aabb);
        }
    }
}

/// The body is the whole box, so the ball reaches to its corners.
fn ball_around(aabb: &[f32; 6]) -> Reach {
    let center = std::array::from_fn(|k| 0.5 * (aabb[k] + aabb[k + 3]));
    // A few thousandths of a per mille more than the farthest corner, for the rounding of all this.
    let far: [f32; 3] = std::array::from_fn(|k| (aabb[k + 3] - center[k]).max(center[k] - aabb[k]));
    let square: f32 = far.iter().map(|x| x * x).sum();
    Reach { center, radius: square.sqrt() * 1.000_01, ..Reach::NONE }
}

/// What a frame came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// How long `prune` took.
    pub time: Duration,
    /// How many pairs it found.
    pub pairs: usize,
    /// Whether these are all.
    pub progress: Progress,
}

/// Prunes and times it. The pairs are left in `pairs`, whose memory is used again.
pub fn prune(
    pruner: &mut dyn Pruner,
    bounds: &Bounds,
    pairs: &mut Vec<Pair>,
    limit: usize,
) -> Frame {
    let start = Instant::now();
    let mut sink = Sink::over(pairs, limit);
    let progress = pruner.prune(bounds, &mut sink);
    let time = start.elapsed();
    Frame { time, pairs: pairs.len(), progress }
}

/// How one pruner did in a [`race`].
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The time of each frame, the better of two.
    pub times: Vec<Duration>,
    /// The pairs of each frame.
    pub pairs: Vec<usize>,
}

impl Run {
    /// The mean of all frames: what is rebuilt only now and then counts, too.
    pub fn mean_ms(&self) -> f64 {
        Summary::of(self.times.iter().copied()).mean_ms
    }
}

/// The race of pruners by their names.
pub fn race_named(start: &NBody, frames: usize, names: &[&str]) -> Result<Vec<Run>> {
    let unknown = names.iter().find(|name| by_name(name).is_none());
    ensure!(unknown.is_none(), "there is no pruner `{}`", unknown.unwrap_or(&""));
    let makes: Vec<_> =
        names.iter().map(|name| || by_name(name).expect("was just found")).collect();
    race(start, frames, &makes.iter().map(|make| make as Make<'_>).collect::<Vec<_>>())
}

/// Makes a pruner without memory.
pub type Make<'a> = &'a (dyn Fn() -> Box<dyn Pruner> + Sync);

/// Frames that are run before the timed ones, so that what adapts has adapted.
const WARM_UP: usize = 8;

/// Runs each pruner through the same frames, `frames` after the warm-up. All is done twice, and each frame counts with the better of its two times, for the other may be the
/// machine's.
pub fn race(start: &NBody, frames: usize, makes: &[Make<'_>]) -> Result<Vec<Run>> {
    let mut runs: Vec<Option<Run>> = vec![None; makes.len()];
    let mut pairs = Vec::new();
    for _ in 0..2 {
        for (run, make) in runs.iter_mut().zip(makes) {
            let mut pruner = make();
            let mut world = Frames::new(start.clone());
            for _ in 0..WARM_UP {
                prune(pruner.as_mut(), world.bounds(), &mut pairs, usize::MAX);
                world.advance();
            }
            let mut seen = Run { times: Vec::new(), pairs: Vec::new() };
            for _ in 0..frames {
                let frame = prune(pruner.as_mut(), world.bounds(), &mut pairs, usize::MAX);
                seen.times.push(frame.time);
                seen.pairs.push(frame.pairs);
                world.advance();
            }
            match run {
                None => *run = Some(seen),
                Some(first) => {
                    let name = pruner.name();
                    ensure!(first.pairs == seen.pairs, "`{name}` finds other pairs when run again");
                    let both = first.times.iter_mut().zip(&seen.times);
                    both.for_each(|(best, time)| *best = (*best).min(*time));
                }
            }
        }
    }
    Ok(runs.into_iter().flatten().collect())
}

/// The frames of a run in short, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The fastest frame.
    pub min_ms: f64,
    /// The middle one, or the mean of the middle two.
    pub median_ms: f64,
    /// The mean of all.
    pub mean_ms: f64,
    /// The slowest one.
    pub worst_ms: f64,
}

impl Summary {
    /// Of at least one frame.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let mut sorted: Vec<f64> = times.into_iter().map(ms).collect();
        assert!(!sorted.is_empty(), "there is nothing to sum up");
        sorted.sort_by(f64::total_cmp);
        let (half, last) = (sorted.len() / 2, sorted.len() - 1);
        Self {
            min_ms: sorted[0],
            median_ms: 0.5 * (sorted[last - half] + sorted[half]),
            mean_ms: sorted.iter().sum::<f64>() / sorted.len() as f64,
            worst_ms: sorted[last],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_samples::nbody::{Kind, Params, world};
    use impinge_scene::nbody::read;

    #[test]
    fn the_table_follows_the_world() {
        let text = b"3 10 100 8388608\n20 20 20 10 0 0\n60 20 20 0 0 0\n50 60 60 0 1 0\n";
        let mut frames = Frames::new(read(text).unwrap());
        let (mut brute, mut pairs) = (by_name("brute").unwrap(), Vec::new());
        let mut found = Vec::new();
        for _ in 0..3 {
            found.push(prune(brute.as_mut(), frames.bounds(), &mut pairs, 9).pairs);
            frames.advance();
        }
        // The first body comes closer by ten a frame, and touches after two.
        assert_eq!(found, [0, 0, 1]);
        assert_eq!(frames.bounds().changed, [Slot(0), Slot(2)]);
        assert_eq!((frames.bounds().step, frames.bodies()), (3, 3));
        assert_eq!(frames.bounds().aabb[0], [40.0, 10.0, 10.0, 60.0, 30.0, 30.0]);
    }

    #[test]
    fn balls_hold_their_boxes() {
        for kind in Kind::ALL {
            let params = Params { kind, n: 500, ..Params::default() };
            let frames = Frames::new(world(&params).unwrap());
            for (aabb, reach) in frames.bounds().aabb.iter().zip(&frames.bounds().reach) {
                for corner in 0..8 {
                    let far = |k: usize| {
                        let x = aabb[k + 3 * (corner >> k & 1)];
                        (f64::from(x) - f64::from(reach.center[k])).powi(2)
                    };
                    let distance = (far(0) + far(1) + far(2)).sqrt();
                    assert!(distance <= f64::from(reach.radius), "{aabb:?} {reach:?}");
                }
            }
        }
    }

    #[test]
    fn a_limit_ends_a_frame() {
        let frames = Frames::new(read(b"2 10 100 64\n50 50 50 0 0 0\n50 50 50 0 0 0\n").unwrap());
        let mut brute = by_name("brute").unwrap();
        let mut pairs = Vec::new();
        let frame = prune(brute.as_mut(), frames.bounds(), &mut pairs, 0);
        assert_eq!((frame.pairs, frame.progress), (0, Progress::Limit));
    }

    #[test]
    fn a_race_finds_the_pairs_of_every_frame() {
        let start = world(&Params { n: 300, density: 0.1, ..Params::default() }).unwrap();
        let names: Vec<&str> = impinge::broad::names().collect();
        let runs = race_named(&start, 6, &names).unwrap();
        assert!(runs.iter().all(|run| run.pairs == runs[0].pairs && run.times.len() == 6));
        assert!(runs[0].pairs.iter().sum::<usize>() > 0 && runs[0].mean_ms() > 0.0);
        assert!(race_named(&start, 1, &["none"]).is_err());
    }

    #[test]
    fn a_summary_has_the_middle_of_odd_and_even() {
        let of = |ms: &[u64]| Summary::of(ms.iter().map(|&ms| Duration::from_millis(ms)));
        let odd = of(&[5, 1, 9]);
        assert!((odd.median_ms - 5.0).abs() + (odd.mean_ms - 5.0).abs() < 1e-9);
        let even = of(&[8, 1, 3, 2]);
        assert!((even.median_ms - 2.5).abs() + (even.mean_ms - 3.5).abs() < 1e-9);
        assert!((even.min_ms - 1.0).abs() + (even.worst_ms - 8.0).abs() < 1e-9);
    }
}
