//! The scene file: bodies, where they stand, which pairs are not to be tested. TOML for people,
//! with a JSON schema for editors; docs/scene.md is the users' page.
//!
//! A scene is complete when it is loaded: every mesh is there, in the scene's unit, and every name
//! in a rule names something. Whatever is wrong is reported with its line.

mod build;
mod file;

use crate::error::FileError;
use crate::resolve::Resolver;
use crate::units::Unit;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use std::path::Path;
use std::sync::Arc;

/// A scene, ready to be put into a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The unit of all coordinates and lengths below.
    pub unit: Unit,
    /// The bodies, in the order of the file; names are unique.
    pub bodies: Vec<SceneBody>,
    /// Pairs that are not to be tested; [`Scene::ignores`] applies them.
    pub ignored: Vec<(Selector, Selector)>,
    /// Closer than that counts as a finding.
    pub clearance: Option<f64>,
}

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// Its name, unique in the scene.
    pub name: String,
    /// Its mesh, in the scene's unit. Bodies of the same file and unit share it.
    pub mesh: Arc<Mesh>,
    /// Where it stands.
    pub pose: Pose,
    /// The groups it belongs to.
    pub groups: Vec<String>,
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
    /// Reads a scene file. Mesh paths in it are relative to its folder.
    pub fn load(path: &Path, resolver: &dyn Resolver) -> Result<Self, FileError> {
        let text = file::read(path)?;
        Self::parse(&text, path, resolver)
    }

    /// The same for a text that is in memory; `path` is for messages and relative mesh paths.
    pub fn parse(text: &str, path: &Path, resolver: &dyn Resolver) -> Result<Self, FileError> {
        let base = path.parent().unwrap_or(Path::new(""));
        let built = file::parse(text).and_then(|file| build::scene(file, base, resolver));
        built.map_err(|fault| fault.locate(text).in_file(path))
    }

    /// True if a rule says that bodies `a` and `b` (indices) are not to be tested.
    pub fn ignores(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.bodies[a], &self.bodies[b]);
        self.ignored.iter().any(|(one, other)| {
            one.matches(a) && other.matches(b) || one.matches(b) && other.matches(a)
        })
    }
}

/// The JSON schema of the scene file, for editors and generators.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(file::SceneFile).to_value()
}
