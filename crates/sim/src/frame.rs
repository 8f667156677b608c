//! What a step came to.

use impinge::contract::answer::Progress;
use impinge_geom::Point;
use std::time::Duration;

/// The outcome of a step; borrows the simulation's buffers until the next one.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Which step it was, from 1 on.
    pub number: u64,
    /// The time after it.
    pub time: f64,
    /// What began, went on and ended between bodies.
    pub events: &'a [Event],
    /// The collisions that were answered, those with walls first.
    pub collisions: &'a [Collision],
    /// Pairs of bodies that touch.
    pub touching: usize,
    /// Bodies that were put to rest, since their motion led beyond all numbers.
    pub halted: usize,
    /// Bodies that were seen to break what was promised of their accelerations.
    pub broken_promises: usize,
    /// Whether the world answered everything.
    pub progress: Progress,
    /// Where the time went.
    pub spent: Spent,
}

/// A change, or the lack of one, between two steps; bodies by their places in the list, as
/// [`impinge::world::events::Event`] tells it by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The two touch and did not in the step before.
    Begin(usize, usize),
    /// The two touch and did in the step before.
    Stay(usize, usize),
    /// The two touched in the step before and do not any more.
    End(usize, usize),
}

/// A collision that was answered: from then on the two do not approach each other any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The body, by its place in the list.
    pub body: usize,
    /// What it met.
    pub with: Other,
    /// How fast they approached each other.
    pub speed: f64,
    /// Where, as far as it is known; else the middle between them.
    pub point: Point,
}

/// What a body can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Another body, with a higher place in the list.
    Body(usize),
    /// The wall at the lower end of an axis, 0 to 2.
    Lower(usize),
    /// The wall at the upper end of an axis, 0 to 2.
    Upper(usize),
}

/// Time by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Moving bodies, walls included.
    pub motion: Duration,
    /// Bounds, pruning and engine: the world's step.
    pub detection: Duration,
    /// Answers to what touches.
    pub response: Duration,
}

impl Spent {
    /// All stages together.
    pub fn total(&self) -> Duration {
        self.motion + self.detection + self.response
    }
}
