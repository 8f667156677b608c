//! From what the user named to an assembly with a path.

use anyhow::{Result, anyhow, bail};
use impinge_fit::assembly::{Assembly, FitError};
use impinge_samples::Sampled;
use impinge_scene::scene::Scene;
use impinge_scene::units::Unit;
use std::path::Path;

/// What was read.
pub(crate) struct Loaded {
    pub(crate) assembly: Assembly,
    pub(crate) unit: Unit,
    /// The clearance that the scene asks for.
    pub(crate) clearance: Option<f64>,
}

/// Reads a scene file or a sample.
///
/// Paths in a scene file are relative to `base`, if one is given, else to its folder.
pub(crate) fn load(text: &str, base: Option<&Path>) -> Result<Loaded> {
    if let Some(sample) = text.strip_prefix(impinge_samples::PREFIX) {
        return of_sample(text, sample);
    }
    let path = Path::new(text);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        bail!("`{text}` is no scene; a .toml file with a [path] or `sample:NAME` is needed");
    }
    let scene = match base {
        Some(base) => Scene::load_in(path, base, &impinge_samples::resolve)?,
        None => Scene::load(path, &impinge_samples::resolve)?,
    };
    let (unit, clearance) = (scene.unit, scene.clearance);
    let assembly = Assembly::of_scene(scene).map_err(|error| told(text, &error))?;
    Ok(Loaded { assembly, unit, clearance })
}

fn told(text: &str, error: &FitError) -> anyhow::Error {
    match error {
        FitError::NoPath => {
            anyhow!("{text}: nothing moves; a [path] is needed, which docs/scene.md describes")
        }
        other => anyhow!("{text}: {other}"),
    }
}

fn of_sample(text: &str, sample: &str) -> Result<Loaded> {
    let Sampled::Scene(scene) = impinge_samples::build(sample)? else {
        bail!("{text} is a mesh; a scene is needed, see `impinge samples`");
    };
    if scene.fit.is_none() {
        bail!("{text}: nothing moves; `impinge samples` tells which samples are fitting checks");
    }
    let unit = scene.unit;
    let assembly =
        Assembly::of_scene(scene.into_scene(text)).map_err(|error| told(text, &error))?;
    Ok(Loaded { assembly, unit, clearance: None })
}
