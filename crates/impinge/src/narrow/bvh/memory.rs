//! What is remembered of a pair from one question to the next. It saves work and changes no answer.
//!
//! Of a pair that touched: the two triangles, which often still do. Of a pair that was free: how far
//! apart it was at least, and where; as long as no point can have moved that far since, it is free
//! without a look. Of a distance: the leaves of the nearest points, where the search begins.

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

/// How many steps ahead a margin is looked for. Looking costs about as much as a question.
#[derive(Clone, Copy, Debug)]
struct Margin {
    steps: f64,
    /// Questions to let pass before the next try, and how many after a try in vain.
    pause: u32,
    patience: u32,
}

/// The fewest steps for which looking for a margin pays.
const STEPS_MIN: f64 = 4.0;
/// Where it begins, and the most.
const STEPS: [f64; 2] = [16.0, 256.0];
/// The most questions between two tries.
const PATIENCE_MAX: u32 = 64;

impl Default for Margin {
    fn default() -> Self {
        Self { steps: STEPS[0], pause: 0, patience: 1 }
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
    /// look; none if that is not worth it.
    pub(super) fn margin_wanted(&mut self, now: &Relative) -> Option<f64> {
        let step = self.last.map(|last| now.moved_since(&last))?;
        if self.margin.pause > 0 {
            self.margin.pause -= 1;
            return None;
        }
        Some(step * self.margin.steps)
    }

    /// What came of looking for a margin.
    pub(super) fn margin_found(&mut self, now: &Relative, wanted: f64, at_least: f64) {
        let margin = &mut self.margin;
        let step = self.last.map_or(f64::INFINITY, |last| now.moved_since(&last));
        if at_least >= wanted {
            margin.steps = (4.0 * margin.steps).min(STEPS[1]);
        } else {
            margin.steps = (at_least / step).clamp(STEPS_MIN, STEPS[1]);
        }
        if at_least < STEPS_MIN * step {
            margin.pause = margin.patience;
            margin.patience = (2 * margin.patience).min(PATIENCE_MAX);
        } else {
            margin.patience = 1;
        }
    }
}

/// All that is remembered, by the keys of the pairs. Looked up, never iterated.
#[derive(Debug, Default)]
pub(super) struct Memories {
    by_pair: HashMap<u64, Memory>,
}

impl Memories {
    /// Takes out what is known of a pair.
    pub(super) fn take(&mut self, key: Option<u64>) -> Memory {
        key.and_then(|key| self.by_pair.remove(&key)).unwrap_or_default()
    }

    /// Keeps what is known of these pairs, and of no others: a pair that is not asked about in one
    /// call is forgotten, so that what is kept does not grow.
    pub(super) fn replace(&mut self, known: impl Iterator<Item = (u64, Memory)>) {
        self.by_pair.clear();
        self.by_pair.extend(known);
    }
}
