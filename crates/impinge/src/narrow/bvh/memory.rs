//! What is remembered of a pair from one question to the next. It saves work and changes no answer.
//!
//! Of a pair that touched: the two triangles, which often still do. Of a pair that was free: the
//! boxes that kept it apart, each of which is looked at again only after the bodies have moved as far
//! as it was from the other. Of a distance: how far apart the pair was, so that it is free without a
//! look as long as no point can have moved that far since, and the leaves of the nearest points,
//! where the search begins.

use crate::contract::job::Job;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::Place;
use impinge_geom::obb_tree::couple::Relative;
use impinge_geom::obb_tree::front::Front;
use std::collections::HashMap;
use std::sync::Arc;

/// What is known of one pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The meshes this is about. They are held, so that no other can come to stand in their place.
    meshes: Option<[Arc<Mesh>; 2]>,
    /// Two triangles that met.
    pub(super) touching: Option<[u32; 2]>,
    /// The leaves of the nearest points.
    pub(super) nearest: Option<[Place; 2]>,
    /// When the pair was free and how far apart it was.
    free: Option<Free>,
    /// Where the pair was when it was last asked about.
    last: Option<Relative>,
    /// What kept the pair apart.
    pub(super) front: Front,
    /// How many entries of the front must be looked at.
    used_up: usize,
    trial: Trial,
}

#[derive(Clone, Copy, Debug)]
struct Free {
    at: Relative,
    at_least: f64,
}

/// Whether a front pays: its steps must cost clearly less than descents do.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// What making the front took: about what a descent takes.
    whole: f64,
    /// The part of that which a step takes, smoothed.
    part: f64,
    /// Questions to let pass before the next front, and how many after one that did not pay.
    pause: u32,
    patience: u32,
}

/// A front that takes more than this part of a descent is given up.
const PART_MAX: f64 = 0.6;
/// A front that takes less than this part has proved itself.
const PART_GOOD: f64 = 0.3;
/// How much of the smoothed part the last step is.
const FRESH: f64 = 0.125;
/// The fewest and the most questions between two fronts.
const PATIENCE: [u32; 2] = [4, 256];

impl Default for Trial {
    fn default() -> Self {
        // No front is made for the first question.
        Self { whole: 0.0, part: 0.0, pause: 1, patience: PATIENCE[0] }
    }
}

/// What to do with the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Nothing: an ordinary descent is cheaper.
    Descend,
    /// Make it.
    Make,
    /// Look at what is used up.
    Renew,
}

impl Memory {
    /// Forgets everything if it is about other meshes than these.
    pub(super) fn keep_if_of(&mut self, meshes: [&Arc<Mesh>; 2]) {
        let same = |of: &[Arc<Mesh>; 2]| (0..2).all(|k| Arc::ptr_eq(&of[k], meshes[k]));
        if !self.meshes.as_ref().is_some_and(same) {
            *self = Self { meshes: Some(meshes.map(Arc::clone)), ..Self::default() };
        }
    }

    /// A lower bound of the distance now, from what is known of an earlier one; zero if nothing is.
    pub(super) fn apart(&self, now: &Relative) -> f64 {
        self.free.map_or(0.0, |free| free.at_least - now.moved_since(&free.at))
    }

    /// The pair is asked about here.
    pub(super) fn moves_to(&mut self, now: Relative) {
        if self.front.is_kept() {
            let by = self.last.map_or(f64::INFINITY, |last| now.moved_since(&last));
            self.used_up = self.front.moves(by);
        }
        self.last = Some(now);
    }

    /// Whether what kept the surfaces apart still does, without a look.
    pub(super) fn is_held(&self) -> bool {
        self.front.is_kept() && self.used_up == 0
    }

    /// How to see whether the surfaces meet.
    pub(super) fn plan(&mut self) -> Plan {
        if self.front.is_kept()
            && 2 * self.used_up <= self.front.size()
            && !self.front.is_overgrown()
        {
            return Plan::Renew;
        }
        if self.trial.pause > 0 {
            self.trial.pause -= 1;
            return Plan::Descend;
        }
        Plan::Make
    }

    /// A front was made or renewed, and that took so many steps.
    pub(super) fn took(&mut self, plan: Plan, steps: u64) {
        let trial = &mut self.trial;
        let steps = steps as f64;
        if plan == Plan::Make {
            // Making one costs more than a descent; that must pay, too.
            (trial.whole, trial.part) = (steps, trial.part.mul_add(1.0 - FRESH, 1.5 * FRESH));
        } else {
            trial.part = trial.part.mul_add(1.0 - FRESH, FRESH * steps / trial.whole.max(1.0));
        }
        if trial.part > PART_MAX {
            self.front.clear();
            (trial.pause, trial.part) = (trial.patience, 0.0);
            trial.patience = (2 * trial.patience).min(PATIENCE[1]);
        } else if trial.part < PART_GOOD && plan == Plan::Renew {
            trial.patience = PATIENCE[0];
        }
    }

    /// The pair is at least this far apart.
    pub(super) fn is_free(&mut self, now: Relative, at_least: f64) {
        if at_least > self.apart(&now) {
            self.free = Some(Free { at: now, at_least });
        }
        self.touching = None;
    }

    /// The pair touches.
    pub(super) fn touches(&mut self, triangles: Option<[u32; 2]>) {
        self.touching = triangles;
        self.free = None;
        self.front.clear();
        // Most often it still does when it is asked about again: no front then.
        self.trial.pause = self.trial.pause.max(1);
    }
}

/// All that is remembered, by the keys of the pairs. Looked up, never iterated.
#[derive(Debug, Default)]
pub(super) struct Memories {
    by_pair: HashMap<u64, Box<Memory>>,
}

impl Memories {
    /// Takes out what is known of a pair; none if it has no key.
    pub(super) fn take(&mut self, key: Option<u64>) -> Option<Box<Memory>> {
        key.map(|key| self.by_pair.remove(&key).unwrap_or_default())
    }

    /// Keeps what is known of these pairs, and of no others: a pair that is not asked about in one
    /// call is forgotten, so that what is kept does not grow.
    pub(super) fn keep(&mut self, jobs: &[Job], memories: Vec<Option<Box<Memory>>>) {
        self.by_pair.clear();
        let keyed = jobs.iter().zip(memories);
        self.by_pair.extend(keyed.filter_map(|(job, memory)| Some((job.memory?, memory?))));
    }
}
