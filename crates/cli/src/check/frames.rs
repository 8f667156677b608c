//! Bodies that deform: what a query looks at, and where their vertices are then.

use anyhow::{Context, Result, anyhow};
use impinge::contract::job::Placement;
use impinge::prelude::{Mesh, Point};
use impinge_geom::aabb::Aabb;
use impinge_scene::frames::Frames;
use impinge_scene::units::Unit;
use std::sync::Arc;

/// What a query looks at.
#[derive(Clone, Debug)]
pub(crate) enum View {
    /// All bodies as they stand.
    Given,
    /// Where the moving mesh is, or how it moves.
    Moved(Placement),
    /// All bodies in this frame.
    Frame(usize),
    /// All bodies on their way from this frame to the next.
    Step(usize),
}

impl View {
    /// The place of what is moved, if it is.
    pub(crate) fn place(&self) -> Option<&Placement> {
        match self {
            Self::Moved(place) => Some(place),
            Self::Given | Self::Frame(_) | Self::Step(_) => None,
        }
    }

    /// The frames at the start and at the end, of the same number at an instant.
    pub(crate) fn frames(&self) -> [usize; 2] {
        match *self {
            Self::Given | Self::Moved(_) => [0, 0],
            Self::Frame(frame) => [frame, frame],
            Self::Step(frame) => [frame, frame + 1],
        }
    }
}

/// The frames of a body, in the unit of the plan.
#[derive(Clone, Debug)]
pub(crate) struct BodyFrames {
    /// At least two: with a single one a body is rigid.
    frames: Arc<Frames>,
    /// The boxes around what is used by triangles, by frame.
    bounds: Vec<Aabb>,
}

impl BodyFrames {
    /// None if nothing moves.
    pub(crate) fn of(frames: Arc<Frames>, mesh: &Mesh) -> Option<Self> {
        if frames.len() < 2 {
            return None;
        }
        let used = mesh.used();
        let around = |frame: &[Point]| {
            let used = frame.iter().zip(&used).filter(|(_, used)| **used);
            Aabb::around(used.map(|(vertex, _)| vertex))
        };
        let bounds = frames.iter().map(around).collect();
        Some(Self { frames, bounds })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// The vertices in a frame of the scene. A body with fewer frames than others starts again.
    pub(crate) fn vertices(&self, frame: usize) -> &[Point] {
        self.frames.frame(frame % self.len())
    }

    /// The box around them.
    pub(crate) fn bounds(&self, frame: usize) -> &Aabb {
        &self.bounds[frame % self.len()]
    }

    /// The mesh at a time of what is looked at, 0 at its start and 1 at its end.
    pub(crate) fn mesh_at(&self, mesh: &Mesh, view: &View, time: f64) -> Result<Arc<Mesh>> {
        let [from, to] = view.frames().map(|frame| self.vertices(frame));
        let between =
            |(p, q): (&Point, &Point)| std::array::from_fn(|k| (1.0 - time) * p[k] + time * q[k]);
        let vertices = from.iter().zip(to).map(between).collect();
        Ok(Arc::new(mesh.with_vertices(vertices).context("between two frames")?))
    }
}

/// Frames in another unit. In the same unit no bit changes.
pub(crate) fn convert(
    frames: &Arc<Frames>,
    mesh: &Mesh,
    units: (Unit, Unit),
) -> Result<Arc<Frames>> {
    if units.0 == units.1 {
        return Ok(Arc::clone(frames));
    }
    let converted = frames.convert(mesh, units);
    let (_, frames) = converted.map_err(|error| {
        anyhow!("its frames cannot be taken from {} to {}: {error}", units.0, units.1)
    })?;
    Ok(Arc::new(frames))
}
