//! The models that engines are measured on, in any number of faces, and poses near contact for them.

use crate::near::{Approach, poses};
use anyhow::{Context, Result};
use impinge::narrow;
use impinge::prelude::{Mesh, Pose, PosedPair};
use impinge_samples::build_mesh;
use std::sync::Arc;

/// A family of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    Sphere,
    Bumpy,
    Torus,
    Knot,
}

impl Model {
    pub(super) const ALL: [Self; 4] = [Self::Sphere, Self::Knot, Self::Torus, Self::Bumpy];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Bumpy => "bumpy-sphere",
            Self::Torus => "torus",
            Self::Knot => "torus-knot",
        }
    }

    /// About so many faces.
    pub(super) fn mesh(self, faces: u32) -> Result<Arc<Mesh>> {
        let name = self.name();
        let sample = match self {
            Self::Sphere | Self::Bumpy => format!("{name}?faces={faces}"),
            Self::Torus => tube(name, faces, 3.2),
            Self::Knot => tube(name, faces, 13.5),
        };
        Ok(Arc::new(build_mesh(&sample)?))
    }
}

/// A tube with so many times as many segments as sides.
fn tube(name: &str, faces: u32, ratio: f64) -> String {
    let sides = (0.5 * f64::from(faces) / ratio).sqrt().round().max(4.0);
    let segments = (0.5 * f64::from(faces) / sides).round();
    format!("{name}?segments={segments}&sides={sides}")
}

/// A mesh twice, as two that have nothing in common: other programs prepare both, too.
pub(super) fn twice(mesh: &Arc<Mesh>) -> [Arc<Mesh>; 2] {
    [Arc::clone(mesh), Arc::new(Mesh::clone(mesh))]
}

/// Poses near contact of a mesh with itself, found by the engine of that name.
pub(super) fn near(engine: &str, mesh: &Arc<Mesh>, [count, seed]: [u64; 2]) -> Result<Vec<Pose>> {
    let engine = narrow::by_name(engine).context("engines are named from their list")?;
    let mut pair = PosedPair::with(engine, Arc::clone(mesh), Arc::clone(mesh))?;
    poses(&mut pair, &Approach::of([mesh, mesh], seed), count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_about_the_faces_that_are_asked_for() {
        for model in Model::ALL {
            for faces in [1000, 10_000] {
                let found = model.mesh(faces).unwrap().triangles().len() as f64;
                let ratio = found / f64::from(faces);
                assert!((0.9..1.1).contains(&ratio), "{model:?} {faces}: {found}");
            }
        }
    }
}
