//! Several programs over the same frames, in turns, with their answers compared.

use anyhow::{Result, bail};
use impinge::contract::answer::Progress;
use impinge::contract::bounds::Bounds;
use impinge::contract::ids::Pair;
use impinge::contract::pruner::Pruner;
use impinge::contract::sink::Sink;
use impinge_lab::nbody::{Frames, Summary};
use impinge_scene::nbody::NBody;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A program that finds overlapping boxes.
pub(crate) trait Contestant {
    /// How results name it.
    fn name(&self) -> String;
    /// Takes the boxes over into its own form; not timed.
    fn look(&mut self, bounds: &Bounds);
    /// Finds all pairs and returns how many there are; timed.
    fn find(&mut self, bounds: &Bounds) -> usize;
}

/// One of our pruners.
pub(crate) struct Ours {
    name: &'static str,
    pruner: Box<dyn Pruner>,
    pairs: Vec<Pair>,
}

impl Ours {
    /// With its memory of the first frame.
    pub(crate) fn new(name: &'static str, pruner: Box<dyn Pruner>, bounds: &Bounds) -> Self {
        let mut ours = Self { name, pruner, pairs: Vec::new() };
        ours.find(bounds);
        ours
    }
}

impl Contestant for Ours {
    fn name(&self) -> String {
        format!("impinge {}", self.name)
    }

    fn look(&mut self, _: &Bounds) {}

    fn find(&mut self, bounds: &Bounds) -> usize {
        let mut sink = Sink::over(&mut self.pairs, usize::MAX);
        let progress = self.pruner.prune(bounds, &mut sink);
        assert_eq!(progress, Progress::Complete, "there is no limit");
        self.pairs.len()
    }
}

/// What one of them did.
pub(crate) struct Score {
    pub(crate) name: String,
    pub(crate) times: Summary,
    /// Of each frame.
    pub(crate) pairs: Vec<usize>,
}

/// Frames in a row of one contestant: enough to warm its caches, few enough to share the machine's
/// moods with the others.
const BLOCK: usize = 10;

/// Runs all of them, each through the frames after the start of `world`; an error if they do not
/// find the same.
pub(crate) fn run(
    world: &NBody,
    frames: usize,
    contestants: &mut [Box<dyn Contestant>],
) -> Result<Vec<Score>> {
    let mut worlds: Vec<Frames> = contestants.iter().map(|_| Frames::new(world.clone())).collect();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); contestants.len()];
    let mut pairs: Vec<Vec<usize>> = vec![Vec::new(); contestants.len()];
    for start in (0..frames).step_by(BLOCK) {
        let block = BLOCK.min(frames - start);
        for turn in 0..contestants.len() {
            // Who begins changes from block to block.
            let who = (turn + start / BLOCK) % contestants.len();
            for _ in 0..block {
                worlds[who].advance();
                let bounds = worlds[who].bounds();
                contestants[who].look(bounds);
                let before = thread_time();
                let found = contestants[who].find(bounds);
                times[who].push(thread_time() - before);
                pairs[who].push(found);
            }
        }
    }
    for (contestant, found) in contestants.iter().zip(&pairs) {
        if let Some(k) = (0..frames).find(|&k| found[k] != pairs[0][k]) {
            let (a, b) = (contestants[0].name(), contestant.name());
            bail!("frame {k}: {a} finds {} pairs, {b} {}", pairs[0][k], found[k]);
        }
    }
    let scores = contestants.iter().zip(times).zip(pairs).map(|((contestant, times), pairs)| {
        Score { name: contestant.name(), times: Summary::of(times), pairs }
    });
    Ok(scores.collect())
}

/// The time that this thread was given by the machine; what others take of it does not count.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
