//! Parameters as text: `level=6&boxes=yes&cell=exact&world=fit`.

use crate::narrow::settings;

/// What can be set, for people.
pub const SETTINGS: &str = "level=6|auto, boxes=yes|no, cell=exact|clip|box, world=fit|SIDE";
/// The finest level; two coplanar faces as large as the world meet in 4ᴸ of its cells.
pub const LEVEL_MAX: u32 = 10;

/// How a cell is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Into eight, along all axes at once [K98 §3.5].
    Octree,
    /// Into two, along x, y and z in turn [K98 §7]; three divisions are a level.
    Bintree,
}

/// Where the subdivision ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// After so many levels.
    Fixed(u32),
    /// Where cells are as large as it takes to hold a few faces of those that are left.
    Auto,
}

/// How a face is held against a cell or an overlap region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellTest {
    /// Exactly, by separating axes.
    Exact,
    /// By clipping as printed [K98 §3.7]. As that rounds, the exact test confirms each rejection.
    Clip,
    /// By the box around the face [K98 §2.3].
    Box,
}

/// The world cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldCube {
    /// Around all bodies that are asked about.
    Fit,
    /// With this edge around the origin; larger where bodies leave it.
    Side(f64),
}

/// All that can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How a cell is divided.
    pub split: Split,
    /// Where the subdivision ends.
    pub level: Level,
    /// Whether only faces that meet overlap regions go to the subdivision, or all [K98 §2.2.4].
    pub boxes: bool,
    /// How a face is held against a cell.
    pub cell: CellTest,
    /// Where the subdivision begins.
    pub world: WorldCube,
}

impl Settings {
    /// As in the paper's experiments: level 6, all stages, the exact test.
    pub fn paper(split: Split) -> Self {
        let (level, cell) = (Level::Fixed(6), CellTest::Exact);
        Self { split, level, boxes: true, cell, world: WorldCube::Fit }
    }
}

/// Reads `text` (may be empty) over the defaults.
pub(in crate::narrow) fn read(split: Split, text: &str) -> Result<Settings, String> {
    let mut settings = Settings::paper(split);
    settings::read(text, |name, value| set(&mut settings, name, value))?;
    Ok(settings)
}

fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), String> {
    let needed = |what: &str| format!("`{name}={value}`: {what} is needed");
    match name {
        "level" if value == "auto" => settings.level = Level::Auto,
        "level" => {
            let level = value.parse().ok().filter(|level| *level <= LEVEL_MAX);
            let level = level.ok_or_else(|| needed("a whole number from 0 to 10, or auto,"))?;
            settings.level = Level::Fixed(level);
        }
        "boxes" => {
            settings.boxes = match value {
                "yes" => true,
                "no" => false,
                _ => return Err(needed("yes or no")),
            }
        }
        "cell" => {
            settings.cell = match value {
                "exact" => CellTest::Exact,
                "clip" => CellTest::Clip,
                "box" => CellTest::Box,
                _ => return Err(needed("exact, clip or box")),
            }
        }
        "world" if value == "fit" => settings.world = WorldCube::Fit,
        "world" => {
            let length = |side: &f64| side.is_finite() && *side > 0.0;
            let side = value.parse().ok().filter(length);
            let side = side.ok_or_else(|| needed("a length above 0, or fit,"))?;
            settings.world = WorldCube::Side(side);
        }
        _ => return Err(format!("there is no parameter `{name}`; known are {SETTINGS}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_can_be_set() {
        let all = Settings {
            split: Split::Bintree,
            level: Level::Auto,
            boxes: false,
            cell: CellTest::Clip,
            world: WorldCube::Side(2.5),
        };
        let text = "level=auto&boxes=no&cell=clip&world=2.5";
        assert_eq!(read(Split::Bintree, text), Ok(all));
        let paper = Settings::paper(Split::Octree);
        assert_eq!(read(Split::Octree, ""), Ok(paper));
        assert_eq!(read(Split::Octree, "world=fit&cell=exact&boxes=yes&level=6"), Ok(paper));
        let coarse = Settings { level: Level::Fixed(0), cell: CellTest::Box, ..paper };
        assert_eq!(read(Split::Octree, "cell=box&level=0"), Ok(coarse));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bad, said) in [
            ("level", "`level` sets nothing; NAME=VALUE is needed"),
            ("level=11", "`level=11`: a whole number from 0 to 10, or auto, is needed"),
            ("level=-1", "`level=-1`: a whole number from 0 to 10, or auto, is needed"),
            ("boxes=maybe", "`boxes=maybe`: yes or no is needed"),
            ("cell=", "`cell=`: exact, clip or box is needed"),
            ("world=0", "`world=0`: a length above 0, or fit, is needed"),
            ("world=inf", "`world=inf`: a length above 0, or fit, is needed"),
            ("level=1&level=1", "`level` is set twice"),
        ] {
            assert_eq!(read(Split::Octree, bad).unwrap_err(), said);
        }
        assert!(read(Split::Octree, "depth=3").unwrap_err().contains(SETTINGS));
    }
}
