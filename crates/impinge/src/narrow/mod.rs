//! Engines, one folder each. They never import each other; what they share is in `impinge_geom`
//! and in the files beside this one. Only `auto` knows others, to which it hands the jobs.

pub mod auto;
pub mod brute;
mod budget;
pub mod bvh;
mod deforming;
pub mod e99;
mod first;
mod found;
mod gap;
pub mod image;
mod instants;
pub mod k98;
mod models;
pub mod octree;
mod parts;
mod posed;
mod posed_job;
pub mod r98;
mod settings;
mod spare;
pub mod sphere_tree;
mod straight;
mod tree_gap;
mod vertices;
pub mod voxel;

use crate::contract::engine::Engine;
use e99::E99;
use impinge_geom::hierarchy::Kind;
use k98::{K98, Split};

type Make = fn() -> Box<dyn Engine>;
type MakeWith = fn(&str) -> Result<Box<dyn Engine>, String>;

/// Why a text names no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No engine is called that.
    #[error("there is no engine of that name; known are {known}")]
    UnknownName {
        /// The names of all engines.
        known: String,
    },
    /// Something was set where nothing can be.
    #[error("the engine {engine} takes no parameters, found `{found}`")]
    NoParameters {
        /// The engine.
        engine: String,
        /// What was to be set.
        found: String,
    },
    /// A parameter that is not there, or a value that it cannot have.
    #[error("engine {engine}: {reason}")]
    BadParameter {
        /// The engine.
        engine: String,
        /// What was found and what was needed.
        reason: String,
    },
}

/// All engines by name, the default first.
static ENGINES: &[(&str, Make)] = &[
    (auto::NAME, || Box::new(auto::Auto::default())),
    (bvh::NAME, || Box::new(bvh::Bvh::default())),
    (octree::NAME, || Box::new(octree::Octree::default())),
    (image::NAME, || Box::new(image::Image::default())),
    (voxel::NAME, || Box::new(voxel::Voxel::default())),
    (sphere_tree::NAME, || Box::new(sphere_tree::SphereTree::default())),
    (brute::NAME, || Box::new(brute::Brute::default())),
    (e99::SPHERES, || Box::new(E99::of_kind(Kind::Spheres))),
    (e99::AABB, || Box::new(E99::of_kind(Kind::Aabbs))),
    (e99::OBB, || Box::new(E99::of_kind(Kind::Obbs))),
    (k98::OCTREE, || Box::new(K98::of_split(Split::Octree))),
    (k98::BINTREE, || Box::new(K98::of_split(Split::Bintree))),
    (r98::NAME, || Box::new(r98::R98::new(r98::Settings::default()))),
];

/// Engines with parameters, and what they do with the text that sets them.
static TUNABLE: &[(&str, MakeWith)] = &[
    (octree::NAME, |text| Ok(Box::new(octree::Octree::read(text)?))),
    (image::NAME, |text| Ok(Box::new(image::Image::read(text)?))),
    (voxel::NAME, |text| Ok(Box::new(voxel::Voxel::new(voxel::read(text)?)))),
    (e99::SPHERES, |text| Ok(Box::new(E99::new(e99::read(Kind::Spheres, text)?)))),
    (e99::AABB, |text| Ok(Box::new(E99::new(e99::read(Kind::Aabbs, text)?)))),
    (e99::OBB, |text| Ok(Box::new(E99::new(e99::read(Kind::Obbs, text)?)))),
    (k98::OCTREE, |text| Ok(Box::new(K98::new(k98::read(Split::Octree, text)?)))),
    (k98::BINTREE, |text| Ok(Box::new(K98::new(k98::read(Split::Bintree, text)?)))),
    (r98::NAME, |text| Ok(Box::new(r98::R98::new(r98::Settings::read(text)?)))),
];

/// The names of all engines, the default first.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    ENGINES.iter().map(|(name, _)| *name)
}

/// The names of the engines whose static answers are exact.
pub fn exact_names() -> impl Iterator<Item = &'static str> + Clone {
    names().filter(|name| ![voxel::NAME, r98::NAME].contains(name))
}

/// The engine of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    ENGINES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// The engine that `text` names: `NAME`, or `NAME?parameter=value&…` for engines with parameters.
pub fn by_text(text: &str) -> Result<Box<dyn Engine>, EngineError> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    let engine = || name.to_owned();
    if let Some((_, make)) = TUNABLE.iter().find(|(known, _)| *known == name) {
        return make(settings)
            .map_err(|reason| EngineError::BadParameter { engine: engine(), reason });
    }
    match by_name(name) {
        Some(_) if !settings.is_empty() => {
            Err(EngineError::NoParameters { engine: engine(), found: settings.to_owned() })
        }
        Some(made) => Ok(made),
        None => {
            let known = names().collect::<Vec<_>>().join(", ");
            Err(EngineError::UnknownName { known })
        }
    }
}
