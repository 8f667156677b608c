//! The vertices of a body that deforms, frame by frame.

use crate::units::Unit;
use impinge_geom::Point;
use impinge_geom::mesh::{Mesh, MeshError};
use impinge_geom::skin::Skin;
use std::sync::Arc;

/// Vertices of a mesh at instants one after another; its triangles stay.
///
/// Invariant: at least one frame; every frame has as many vertices as the mesh, and each of them is one
/// that a mesh may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Frame after frame.
    vertices: Vec<Point>,
    /// Of each frame.
    count: usize,
}

/// Why some numbers are no frames of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FramesError {
    /// Not a whole number of frames, or none.
    #[error(
        "{found} vertices are no whole number of frames of {needed} vertices each, at least one"
    )]
    Count {
        /// Vertices of all frames together.
        found: usize,
        /// Vertices of the mesh.
        needed: usize,
    },
    /// Vertices that no mesh may have.
    #[error("frame {frame}: {error}")]
    Frame {
        /// The frame, counted from 0.
        frame: usize,
        /// What is wrong with it.
        error: MeshError,
    },
}

/// Vertices of all frames together; 1.6 GB of them.
const VERTICES_MAX: usize = 1 << 26;

impl Frames {
    /// Refuses more frames than memory should be asked for, before they are made.
    pub fn check_size(frames: usize, vertices: usize) -> Result<(), String> {
        if frames.saturating_mul(vertices) <= VERTICES_MAX {
            return Ok(());
        }
        Err(format!(
            "{frames} frames of {vertices} vertices are too many; together at most {VERTICES_MAX} \
             vertices are possible"
        ))
    }

    /// Frames of `mesh`: their vertices, one frame after another.
    pub fn new(mesh: &Mesh, vertices: Vec<Point>) -> Result<Self, FramesError> {
        let count = mesh.vertices().len();
        if vertices.is_empty() || !vertices.len().is_multiple_of(count) {
            return Err(FramesError::Count { found: vertices.len(), needed: count });
        }
        let mut frames = Self { vertices, count };
        // One skin takes the vertices of all frames in turn: it knows what is allowed.
        let mut judge = Skin::of(Arc::new(mesh.clone()));
        for (frame, vertices) in frames.vertices.chunks_exact_mut(count).enumerate() {
            judge.deform(vertices).map_err(|error| FramesError::Frame { frame, error })?;
            vertices.copy_from_slice(judge.mesh().vertices());
        }
        Ok(frames)
    }

    /// How many frames there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is always a frame")]
    pub fn len(&self) -> usize {
        self.vertices.len() / self.count
    }

    /// The vertices of a frame below [`Frames::len`].
    pub fn frame(&self, index: usize) -> &[Point] {
        &self.vertices[index * self.count..][..self.count]
    }

    /// All frames in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Point]> {
        self.vertices.chunks_exact(self.count)
    }

    /// The first frames only; all if there are fewer.
    pub fn first(&self, frames: usize) -> Self {
        let kept = frames.clamp(1, self.len()) * self.count;
        Self { vertices: self.vertices[..kept].to_vec(), count: self.count }
    }

    /// Frame 0 with the triangles of `mesh`, all in another unit. In the same unit no bit changes.
    pub fn convert(
        &self,
        mesh: &Mesh,
        (from, to): (Unit, Unit),
    ) -> Result<(Mesh, Self), FramesError> {
        let convert = |point: &Point| point.map(|x| from.convert(x, to));
        let frames = Self::new(mesh, self.vertices.iter().map(convert).collect())?;
        let mesh = mesh.with_vertices(frames.frame(0).to_vec());
        Ok((mesh.map_err(|error| FramesError::Frame { frame: 0, error })?, frames))
    }
}
