//! What is remembered of a pair from one question to the next. It saves work and changes no answer.
//!
//! Of a pair that touched: the two triangles, which often still do. Of a pair that was free: how far
//! apart it was at least, and where; as long as no point can have moved that far since, it is free
//! without a look. Of a distance: the leaves of the nearest points, where the search begins.

use crate::contract::job::Job;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::Place;
use impinge_geom::obb_tree::couple::Relative;
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
    margin: Margin,
}

#[derive(Clone, Copy, Debug)]
struct Free {
    at: Relative,
    at_least: f64,
}

/// Whether looking for a margin pays: for more than what it costs must come of it, in questions that
/// need no look.
#[derive(Clone, Copy, Debug)]
struct Margin {
    /// About how far apart the pair is, if that was seen.
    gap: Option<f64>,
    /// What a plain question costs, in steps of a search.
    plain: f64,
    /// Questions to let pass before the next try, and how many after a try in vain.
    pause: u32,
    patience: u32,
}

/// What is looked for first, in steps of the motion.
const STEPS_FIRST: f64 = 12.0;
/// This part of a known distance is looked for: the whole would cost much more.
const PART: f64 = 0.6;
/// The fewest steps of the motion for which it is tried.
const STEPS_MIN: f64 = 3.0;
/// The most questions between two tries.
const PATIENCE_MAX: u32 = 64;

impl Default for Margin {
    fn default() -> Self {
        Self { gap: None, plain: 0.0, pause: 0, patience: 2 }
    }
}

impl Margin {
    fn try_later(&mut self) {
        self.pause = self.patience;
        self.patience = (2 * self.patience).min(PATIENCE_MAX);
    }
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

    /// The pair was asked about here.
    pub(super) fn seen(&mut self, now: Relative) {
        self.last = Some(now);
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
    }

    /// How far apart a pair that is free should be shown to be, so that the next questions need not
    /// look; none if that is not worth it. `cost` is what this question took.
    pub(super) fn margin_wanted(&mut self, now: &Relative, cost: u64) -> Option<f64> {
        let step = self.last.map(|last| now.moved_since(&last))?;
        let margin = &mut self.margin;
        margin.plain = cost as f64;
        if margin.pause > 0 {
            margin.pause -= 1;
            return None;
        }
        let wanted = margin.gap.map_or(STEPS_FIRST * step, |gap| PART * gap);
        if wanted < STEPS_MIN * step {
            margin.gap = None;
            margin.try_later();
            return None;
        }
        Some(wanted)
    }

    /// What came of looking for a margin, and what it cost.
    pub(super) fn margin_found(&mut self, now: &Relative, found: Looked) {
        let step = self.last.map_or(f64::INFINITY, |last| now.moved_since(&last));
        let margin = &mut self.margin;
        // Farther than was looked for: twice as far next time.
        let more = || margin.gap.map_or(found.at_least, |gap| gap.max(found.at_least));
        margin.gap = Some(if found.is_all { found.at_least } else { 2.0 * more() });
        let saved = (found.at_least / step) * margin.plain;
        if saved < 2.0 * found.cost as f64 {
            margin.try_later();
        } else {
            margin.patience = 2;
        }
    }
}

/// What came of looking for a margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked {
    /// The pair is at least this far apart.
    pub(super) at_least: f64,
    /// That is its distance; else it may be farther.
    pub(super) is_all: bool,
    /// The steps of the search.
    pub(super) cost: u64,
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
