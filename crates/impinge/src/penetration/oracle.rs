//! The engine, asked about one pair with the second body moved.

use super::Subject;
use crate::contract::answer::{Answers, Clearance, Contact, Verdict};
use crate::contract::engine::{Engine, Scratch};
use crate::contract::job::{Batch, Job, Placed, Placement};
use crate::contract::query::Query;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::pose::Pose;

/// What the engine says of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Certainly no contact.
    Free,
    /// Contact.
    Hit,
    /// Not decided, not exactly, or there is no such place.
    Unknown,
}

/// Answers questions about translations of the second body, up to a number.
pub(super) struct Oracle<'a> {
    engine: &'a dyn Engine,
    /// The pose of the second body, and the job with that pose replaced.
    rest: Pose,
    job: Job,
    scratch: Scratch,
    answers: Answers,
    left: u32,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(engine: &'a dyn Engine, a: &Subject<'_>, b: &Subject<'_>) -> Self {
        let placed = |subject: &Subject<'_>| Placed {
            shape: subject.shape,
            placement: Placement::Fixed(subject.pose),
        };
        let job = Job { a: placed(a), b: placed(b), itself: false, memory: None, priority: 1.0 };
        let (scratch, answers) = (Scratch::default(), Answers::default());
        Self { engine, rest: b.pose, job, scratch, answers, left: u32::MAX }
    }

    /// From now on so many questions are answered; then everything is unknown.
    pub(super) fn allow(&mut self, questions: u32) {
        self.left = questions;
    }

    /// Whether nothing will be answered any more.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether the second body, moved, touches the first.
    pub(super) fn state(&mut self, translation: DVec3) -> State {
        self.ask(translation, &Query::TOUCHING)
    }

    /// The distance of the two, if they are free of each other.
    pub(super) fn clearance(&mut self, translation: DVec3) -> Option<Clearance> {
        let free = self.ask(translation, &Query::CLEARANCE) == State::Free;
        self.answers.all().first().filter(|_| free)?.clearance
    }

    /// Where the two touch.
    pub(super) fn contacts(&mut self, translation: DVec3) -> &[Contact] {
        if self.ask(translation, &Query::CONTACTS) != State::Hit {
            return &[];
        }
        self.answers.all().first().map_or(&[], |answer| self.answers.contacts(answer))
    }

    fn ask(&mut self, translation: DVec3, query: &Query) -> State {
        let Some(left) = self.left.checked_sub(1) else { return State::Unknown };
        self.left = left;
        let place: Point = (DVec3::from(self.rest.translation()) + translation).into();
        let Ok(pose) = Pose::new(self.rest.rotation(), place) else { return State::Unknown };
        self.job.b.placement = Placement::Fixed(pose);
        let batch = Batch { jobs: std::slice::from_ref(&self.job), query };
        self.engine.collide(&batch, &mut self.scratch, &mut self.answers.refill());
        match self.answers.all().first() {
            Some(answer) if answer.complete => match answer.verdict {
                Verdict::Free if !answer.guarantee.may_miss => State::Free,
                Verdict::Hit(_) if !answer.guarantee.may_invent => State::Hit,
                _ => State::Unknown,
            },
            _ => State::Unknown,
        }
    }
}
