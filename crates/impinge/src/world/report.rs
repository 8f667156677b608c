//! What a step came to.

use super::World;
use super::events::Event;
use crate::contract::answer::{Answer, Contact, Meeting, Progress, Touch, Verdict};
use crate::contract::counters::Counters;
use crate::contract::ids::BodyId;
use crate::contract::query::Budget;
use std::time::Duration;

/// The outcome of a step; borrows the world's buffers until the next one.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    world: &'a World,
    progress: Progress,
    took: Duration,
    budget: Budget,
}

/// What became of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// There was none.
    Unlimited,
    /// Units of work, in the engine's own measure.
    Work {
        /// What was done.
        spent: u64,
        /// What was not needed.
        left: u64,
    },
    /// Time, of the whole step.
    Time {
        /// What it took.
        spent: Duration,
        /// What was not needed; zero if the step took all of it, or more.
        left: Duration,
    },
}

/// The outcome for one candidate pair. Pairs that the broad phase ruled out are free and not listed.
#[derive(Clone, Copy, Debug)]
pub struct PairReport<'a> {
    /// The first body.
    pub a: BodyId,
    /// The second; the same one in a self-test.
    pub b: BodyId,
    /// Verdict, clearance, time, guarantee, work.
    pub answer: &'a Answer,
    /// The intersecting triangles, sorted.
    pub triangle_pairs: &'a [[u32; 2]],
    /// One per intersecting triangle pair, if contacts were asked for.
    pub contacts: &'a [Contact],
    /// All features that meet over the step, where bodies deform and pairs or contacts were asked for
    /// in dynamic mode; see [`Answers::meetings`](crate::contract::answer::Answers::meetings).
    pub meetings: &'a [Meeting],
    /// The points of one body in voxels of the other, from engines that look at those; see
    /// [`Answers::touches`](crate::contract::answer::Answers::touches).
    pub touches: &'a [Touch],
}

impl<'a> Report<'a> {
    pub(super) fn new(
        world: &'a World,
        progress: Progress,
        (took, budget): (Duration, Budget),
    ) -> Self {
        Self { world, progress, took, budget }
    }

    /// What became of the budget. Of a budget of work only where the engine tells, which is engine
    /// `sphere-tree` in static mode.
    pub fn spent(&self) -> Option<Spent> {
        match self.budget {
            Budget::Unlimited => Some(Spent::Unlimited),
            Budget::Work(work) => {
                let left = self.world.answers.work_left()?;
                Some(Spent::Work { spent: work.saturating_sub(left), left })
            }
            Budget::Time(time) => {
                Some(Spent::Time { spent: self.took, left: time.saturating_sub(self.took) })
            }
        }
    }

    /// How long the whole step took.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// All candidate pairs, in the order of their bodies.
    pub fn pairs(&self) -> impl Iterator<Item = PairReport<'a>> + use<'a> {
        let world = self.world;
        world.pairs.iter().zip(world.answers.all()).map(move |(pair, answer)| PairReport {
            a: world.bodies.id(pair.a()),
            b: world.bodies.id(pair.b()),
            answer,
            triangle_pairs: world.answers.triangle_pairs(answer),
            contacts: world.answers.contacts(answer),
            meetings: world.answers.meetings(answer),
            touches: world.answers.touches(answer),
        })
    }

    /// The pairs that touch.
    pub fn hits(&self) -> impl Iterator<Item = PairReport<'a>> + use<'a> {
        self.pairs().filter(|pair| matches!(pair.answer.verdict, Verdict::Hit(_)))
    }

    /// What began, went on and ended: those that touch first, in order, then those that ended.
    pub fn events(&self) -> &'a [Event] {
        &self.world.events
    }

    /// The bodies that were seen to break what [`World::promise`] said of them, by their slots. Only
    /// pruners that build on promises look.
    pub fn broken_promises(&self) -> impl Iterator<Item = BodyId> + use<'a> {
        let world = self.world;
        world.pruner.broken().iter().map(|&slot| world.bodies.id(slot))
    }

    /// Whether everything was answered.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The work of the whole step.
    pub fn counters(&self) -> Counters {
        self.world.answers.all().iter().map(|answer| answer.counters).sum()
    }
}
