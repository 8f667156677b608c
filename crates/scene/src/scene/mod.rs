//! The scene file: bodies, where they stand, which pairs are not to be tested, and what moves in a
//! fitting check. TOML for people, with a JSON schema for editors; docs/scene.md is the users' page.
//!
//! A scene is complete when it is loaded: every mesh is there, in the scene's unit, and every name
//! in a rule names something. Whatever is wrong is reported with its line.

mod between;
mod build;
mod build_fit;
mod csv;
mod file;
pub mod fit;
mod keyframes;
mod path_file;
pub mod pilot;
mod sequence;
pub mod sim;
mod sim_file;

use crate::error::FileError;
use crate::frames::Frames;
use crate::resolve::Resolver;
use crate::units::Unit;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene, ready to be put into a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The unit of all coordinates and lengths below.
    pub unit: Unit,
    /// The bodies, in the order of the file; names are unique.
    pub bodies: Vec<SceneBody>,
    /// What is not to be tested; [`Scene::ignored_pairs`] applies it.
    pub ignored: Vec<(Selector, Selector)>,
    /// Closer than that counts as a finding.
    pub clearance: Option<f64>,
    /// What moves, if the scene says so.
    pub fit: Option<fit::Fit>,
    /// How it is simulated, if the scene says so.
    pub sim: Option<sim::Sim>,
}

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// Its name, unique in the scene.
    pub name: String,
    /// Its mesh, in the scene's unit. Bodies of the same file and unit share it.
    pub mesh: Arc<Mesh>,
    /// If it deforms, its vertices at instants one after another, in the scene's unit and the body's own
    /// frame; the first are those of its mesh. Bodies that share their mesh share them too.
    pub frames: Option<Arc<Frames>>,
    /// Where it stands.
    pub pose: Pose,
    /// The edge of its voxels for engines that have any, in the scene's unit, if the scene says it.
    pub voxel: Option<f64>,
    /// The groups it belongs to.
    pub groups: Vec<String>,
    /// Where its mesh came from.
    pub source: Source,
}

/// Where the mesh of a body came from; certificates name meshes by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The mesh as the scene file names it.
    pub mesh: String,
    /// The file that was read, with its folder; none for what is built in.
    pub path: Option<PathBuf>,
    /// Which object of the file it is, if the file has several.
    pub object: Option<String>,
    /// The unit of the file's coordinates; those of [`SceneBody::mesh`] are in the scene's.
    pub unit: Unit,
}

/// One side of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// The body of that name.
    Body(String),
    /// All bodies of that group.
    Group(String),
}

impl Selector {
    /// True if the rule's side means this body.
    pub fn matches(&self, body: &SceneBody) -> bool {
        match self {
            Self::Body(name) => body.name == *name,
            Self::Group(name) => body.groups.contains(name),
        }
    }
}

impl Scene {
    /// Reads a scene file. Paths in it, of meshes and keyframes, are relative to its folder.
    pub fn load(path: &Path, resolver: &dyn Resolver) -> Result<Self, FileError> {
        Self::load_in(path, path.parent().unwrap_or(Path::new("")), resolver)
    }

    /// Reads a scene file. Paths in it, of meshes and keyframes, are relative to `base`.
    pub fn load_in(path: &Path, base: &Path, resolver: &dyn Resolver) -> Result<Self, FileError> {
        let text = file::read(path)?;
        Self::parse_in(&text, path, base, resolver)
    }

    /// The same as [`Scene::load`] for a text that is in memory; `path` is for messages and for paths
    /// relative to its folder.
    pub fn parse(text: &str, path: &Path, resolver: &dyn Resolver) -> Result<Self, FileError> {
        Self::parse_in(text, path, path.parent().unwrap_or(Path::new("")), resolver)
    }

    fn parse_in(
        text: &str,
        path: &Path,
        base: &Path,
        resolver: &dyn Resolver,
    ) -> Result<Self, FileError> {
        let built = file::parse(text).and_then(|file| build::scene(&file, base, resolver));
        built.map_err(|fault| fault.locate(text).in_file(path))
    }

    /// The pairs of bodies that the rules exclude, as indices, the lower one first. A body is excluded
    /// from its self-test only by a rule that names it on both sides; a group against itself means
    /// each of its bodies against the others.
    pub fn ignored_pairs(&self) -> BTreeSet<[usize; 2]> {
        let members = |side: &Selector| -> Vec<usize> {
            (0..self.bodies.len()).filter(|&i| side.matches(&self.bodies[i])).collect()
        };
        let mut pairs = BTreeSet::new();
        for (one, other) in &self.ignored {
            let itself = one == other && matches!(one, Selector::Body(_));
            let others = members(other);
            for a in members(one) {
                let meant = others.iter().filter(|&&b| itself || a != b);
                pairs.extend(meant.map(|&b| [a.min(b), a.max(b)]));
            }
        }
        pairs
    }
}

/// The JSON schema of the scene file, for editors and generators.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(file::SceneFile).to_value()
}
