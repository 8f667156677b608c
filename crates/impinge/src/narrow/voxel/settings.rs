//! What can be set about the engine.

use crate::narrow::settings;
use impinge_geom::voxels::body::Fill;
use impinge_geom::voxels::solid::Inside;

/// How bodies are turned into voxels and points, and which are looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How large voxels are.
    pub size: Size,
    /// Which are filled.
    pub fill: Fill,
    /// What is inside.
    pub inside: Inside,
    /// Whose points are looked up.
    pub sides: Sides,
}

/// How large voxels are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Of this edge, for all bodies.
    Edge(f64),
    /// So many along the longest side of each body.
    Resolution(u32),
}

/// Whose points are looked up in whose voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Those of the body with fewer points. If none is in a voxel, those of the other body too: a spike
    /// that is thinner than the points are apart passes between them, but has points itself.
    Both,
    /// Those of the body with fewer points, as in [V00 §5].
    One,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: Size::Resolution(128),
            fill: Fill::Cover,
            inside: Inside::Closed,
            sides: Sides::Both,
        }
    }
}

/// What can be set, for people.
pub const SETTINGS: &str =
    "size=1.5 or resolution=128, fill=cover|centre, inside=closed|winding, sides=both|one";

/// The settings that `text` makes of the default ones.
pub(in crate::narrow) fn read(text: &str) -> Result<Settings, String> {
    let mut made = Settings::default();
    let mut sized = false;
    settings::read(text, |name, value| {
        let needed = |what: &str| format!("`{name}={value}`: {what} is needed");
        if matches!(name, "size" | "resolution") && std::mem::replace(&mut sized, true) {
            return Err("set the size or the resolution, not both".to_owned());
        }
        match name {
            "size" => {
                let size = value.parse().ok().filter(|size: &f64| size.is_finite() && *size > 0.0);
                made.size = Size::Edge(size.ok_or_else(|| needed("a positive length"))?);
            }
            "resolution" => {
                let count = value.parse().ok().filter(|count| (1..=1024).contains(count));
                let count = count.ok_or_else(|| needed("a whole number from 1 to 1024"))?;
                made.size = Size::Resolution(count);
            }
            "fill" => {
                made.fill = match value {
                    "cover" => Fill::Cover,
                    "centre" => Fill::Centre,
                    _ => return Err(needed("`cover` or `centre`")),
                }
            }
            "inside" => {
                made.inside = match value {
                    "closed" => Inside::Closed,
                    "winding" => Inside::Winding,
                    _ => return Err(needed("`closed` or `winding`")),
                }
            }
            "sides" => {
                made.sides = match value {
                    "both" => Sides::Both,
                    "one" => Sides::One,
                    _ => return Err(needed("`both` or `one`")),
                }
            }
            _ => return Err(format!("`{name}` is not known; {SETTINGS} can be set")),
        }
        Ok(())
    })?;
    Ok(made)
}
