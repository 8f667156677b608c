//! Parting two bodies that touch: a translation of the second one after which they do not, and how
//! much shorter another one could be.
//!
//! First the hulls are moved apart the shortest way (`impinge_geom::penetration`), which parts any two
//! bodies and for convex ones is the best there is. Where that is not proven, shorter ways are looked
//! for in `search`, as far as the number of questions to the engine allows.
//!
//! **What holds of a [`Separation`].** An exact engine was asked about the second body at
//! `Pose::new(rotation, translation + t)` and answered free; touching is not free. No translation
//! shorter than `at_least` parts the bodies. [`Separation::is_proven`] says whether these two facts
//! together bound the excess by a tenth: for convex bodies they do, for others they need not, and
//! then nothing is claimed of how good the translation is. It is a place that is free, not a way to
//! get there: on its way a body may pass through the other one.

mod oracle;
mod planes;
mod search;

use crate::contract::engine::{Engine, PrepareError};
use crate::contract::ids::ShapeId;
use crate::narrow;
use glam::DVec3;
use impinge_geom::mesh::Mesh;
use impinge_geom::penetration::Pair;
use impinge_geom::penetration::outline::Outline;
use impinge_geom::pose::Pose;
use impinge_geom::{COORDINATE_MIN, Point};
use oracle::{Oracle, State};
use search::Search;
use std::sync::Arc;

/// How often the step beyond the overlap is doubled when the engine still finds contact. The first
/// step covers rounding, so that this is hardly ever needed.
const DOUBLINGS: i32 = 64;

/// A translation that parts two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// To be added to the translation of the second body.
    pub translation: Point,
    /// Its length.
    pub depth: f64,
    /// No shorter translation parts the two; proven, rounding included. Zero if nothing is known.
    pub at_least: f64,
    /// What rounding does to such lengths, at most: the coordinates of the posed bodies are known no
    /// better than that.
    pub rounding: f64,
}

impl Separation {
    /// What [`Separation::is_proven`] says of the depth, as a multiple of the shortest.
    pub const FACTOR: f64 = 1.1;

    /// Whether it is certain that no translation parts the two that is shorter by more than a factor
    /// of [`Separation::FACTOR`], or, where they hardly overlap, by more than rounding.
    pub fn is_proven(&self) -> bool {
        self.depth <= Self::FACTOR * self.at_least + 4.0 * self.rounding
    }
}

/// A prepared shape at its place.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// As the engine knows it.
    pub shape: ShapeId,
    /// What else is prepared of it.
    pub outline: &'a Outline,
    /// Where it is.
    pub pose: Pose,
}

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many questions may be put to the engine in search of a shorter way than that of the hulls.
    /// Convex bodies need none.
    pub questions_max: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { questions_max: 256 }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeparationError {
    /// The engine is not exact, or did not decide.
    #[error("engine {0} did not decide; one that is exact is needed to verify what is free")]
    Undecided(&'static str),
    /// The second body would have to leave the range of coordinates.
    #[error("no free place was found within the range of coordinates")]
    OutOfRange,
    /// The engine refused a mesh.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// A translation of `b` that parts it from `a`; `None` if the two do not touch. The engine must have
/// prepared both shapes.
///
/// The same question has the same answer, bit for bit.
pub fn separate(
    engine: &dyn Engine,
    a: &Subject<'_>,
    b: &Subject<'_>,
    effort: Effort,
) -> Result<Option<Separation>, SeparationError> {
    let mut oracle = Oracle::new(engine, a, b);
    match oracle.state(DVec3::ZERO) {
        State::Free => return Ok(None),
        State::Unknown => return Err(SeparationError::Undecided(engine.name())),
        State::Hit => {}
    }
    let pair = Pair::new((a.outline, a.pose), (b.outline, b.pose));
    let rounding = pair.noise().max(4.0 * COORDINATE_MIN);
    let exit = pair.exit();
    let way_out = DVec3::from(exit.normal);
    let step = |k: i32| way_out * (exit.overlap + rounding * 2f64.powi(k));
    let mut free = (0..DOUBLINGS).map(step).filter(|&t| oracle.state(t) == State::Free);
    let translation = free.next().ok_or(SeparationError::OutOfRange)?;
    let found = Separation {
        translation: translation.into(),
        depth: translation.length(),
        at_least: exit.at_least,
        rounding,
    };
    if found.is_proven() {
        return Ok(Some(found));
    }
    oracle.allow(effort.questions_max);
    Ok(Some(Search::new(oracle, found).run()))
}

/// [`separate`] for meshes that nothing is prepared of, with the default engine.
pub fn separate_meshes(
    a: (&Arc<Mesh>, &Pose),
    b: (&Arc<Mesh>, &Pose),
    effort: Effort,
) -> Result<Option<Separation>, SeparationError> {
    let mut engine = narrow::by_name("auto").expect("the default engine is registered");
    let shapes = [ShapeId(0), ShapeId(1)];
    engine.prepare(shapes[0], a.0)?;
    engine.prepare(shapes[1], b.0)?;
    let outlines = [Outline::of(a.0), Outline::of(b.0)];
    let subject =
        |k: usize, pose: &Pose| Subject { shape: shapes[k], outline: &outlines[k], pose: *pose };
    separate(engine.as_ref(), &subject(0, a.1), &subject(1, b.1), effort)
}
