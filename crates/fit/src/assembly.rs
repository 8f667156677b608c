//! What a fitting check is about, as the user gives it, and what is wrong with it.

use impinge_geom::mesh::MeshError;
use impinge_scene::scene::fit::Fit;
use impinge_scene::scene::{Scene, SceneBody};
use std::collections::BTreeSet;

/// Bodies, and which of them move along which path.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// All bodies where they stand.
    pub bodies: Vec<SceneBody>,
    /// Pairs that are not to be tested, by their places in the list, the lower one first.
    pub ignored: BTreeSet<[usize; 2]>,
    /// What moves, and what may touch meanwhile.
    pub fit: Fit,
}

/// Why there is nothing to check.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A scene of things at rest.
    #[error("nothing moves: the scene has no [path]")]
    NoPath,
    /// The list of what moves is empty, names a body twice or one that is not there.
    #[error("bodies {moving:?} are to move; each of the {bodies} bodies can be named once, from 0")]
    Moving {
        /// What was given.
        moving: Vec<usize>,
        /// How many bodies there are.
        bodies: usize,
    },
    /// Nothing is in the way.
    #[error("all {0} bodies move together; at least one at rest is needed")]
    NothingAtRest(usize),
    /// A body that is carried too far from the leading one.
    #[error("body `{name}` cannot be carried: {error}")]
    Carried {
        /// The body.
        name: String,
        /// What is wrong with its vertices.
        error: MeshError,
    },
    /// The end of an allowance is no time of the path.
    #[error("a contact is allowed until {time}, but the path lasts from {start} to {end}")]
    AllowedUntil {
        /// The time that was given.
        time: f64,
        /// The start of the path.
        start: f64,
        /// Its end.
        end: f64,
    },
}

impl Assembly {
    /// The assembly of a scene that says what moves.
    pub fn of_scene(scene: Scene) -> Result<Self, FitError> {
        let ignored = scene.ignored_pairs();
        let fit = scene.fit.ok_or(FitError::NoPath)?;
        Ok(Self { bodies: scene.bodies, ignored, fit })
    }

    /// Refuses what makes no sense.
    pub(crate) fn validate(&self) -> Result<(), FitError> {
        let (moving, bodies) = (&self.fit.moving, self.bodies.len());
        let once: BTreeSet<usize> = moving.iter().copied().collect();
        let known = once.len() == moving.len() && moving.iter().all(|&body| body < bodies);
        if moving.is_empty() || !known {
            return Err(FitError::Moving { moving: moving.clone(), bodies });
        }
        if moving.len() == bodies {
            return Err(FitError::NothingAtRest(bodies));
        }
        Ok(())
    }
}
