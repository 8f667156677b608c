//! How a scene gets its meshes: by file name, or by the name of something built in.
//!
//! The scene file only knows names. Whoever loads it says what they stand for, so that this crate
//! need not know the built-in samples, and tests need no disk.

use crate::load::load;
use crate::object::Object;
use std::path::Path;

/// How names of built-in meshes begin; all others are paths of files.
pub const BUILT_IN: &str = "sample:";

/// Turns the `mesh` of a body into objects.
pub trait Resolver {
    /// The objects of `name`, at least one. `base` is the folder that relative paths start from.
    /// The error says what is wrong, with the name of the file where there is one.
    fn resolve(&self, name: &str, base: &Path) -> Result<Vec<Object>, String>;
}

impl<F: Fn(&str, &Path) -> Result<Vec<Object>, String>> Resolver for F {
    fn resolve(&self, name: &str, base: &Path) -> Result<Vec<Object>, String> {
        self(name, base)
    }
}

/// The resolver of those who know files only: `name` is a path, relative to `base` or absolute.
pub fn files(name: &str, base: &Path) -> Result<Vec<Object>, String> {
    load(&base.join(name)).map_err(|error| error.to_string())
}
