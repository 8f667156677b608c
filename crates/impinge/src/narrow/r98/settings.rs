//! Parameters as text: `resolution=64&boxes=aligned&plane=axis&blocks=16&concavity=0.02&reuse=yes`.

use crate::narrow::settings;
use impinge_geom::blocks::Recipe;
use impinge_geom::recode::{self, Plane, Resolution};

/// What can be set, for people.
pub const SETTINGS: &str = "resolution=64 or pixel=0.01, boxes=aligned|oriented, \
    plane=axis|x|y|z|separating, blocks=16|shells, concavity=0.02, reuse=yes|no";
/// The most pixels along the longer side of a region.
pub const RESOLUTION_MAX: u32 = 2048;
/// The most blocks of a body.
pub const BLOCKS_MAX: usize = 4096;

/// From which boxes the region that two blocks share is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxes {
    /// Along the axes of the view.
    Aligned,
    /// Fitted to the blocks, too.
    Oriented,
}

/// All that can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How fine pixels are, on what they lie, and whether depth maps are shared.
    pub drawing: recode::Settings,
    /// From which boxes regions are made.
    pub boxes: Boxes,
    /// How bodies become blocks.
    pub recipe: Recipe,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            drawing: recode::Settings {
                resolution: Resolution::Pixels(64),
                plane: Plane::Axis(2),
                reuse: true,
            },
            boxes: Boxes::Aligned,
            recipe: Recipe::default(),
        }
    }
}

impl Settings {
    /// Those that `text` (may be empty) makes of the default ones.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut made = Self::default();
        let mut sized = false;
        settings::read(text, |name, value| {
            let is_size = matches!(name, "resolution" | "pixel");
            if is_size && std::mem::replace(&mut sized, true) {
                return Err("set the resolution or the pixel, not both".to_owned());
            }
            made.set(name, value)
        })?;
        Ok(made)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let needed = |what: &str| format!("`{name}={value}`: {what} is needed");
        match name {
            "resolution" => {
                let count = value.parse().ok().filter(|count| (1..=RESOLUTION_MAX).contains(count));
                let count = count.ok_or_else(|| needed("a whole number from 1 to 2048"))?;
                self.drawing.resolution = Resolution::Pixels(count);
            }
            "pixel" => {
                let size = value.parse().ok().filter(|size: &f64| size.is_finite() && *size > 0.0);
                let size = size.ok_or_else(|| needed("a positive length"))?;
                self.drawing.resolution = Resolution::Length(size);
            }
            "boxes" => {
                self.boxes = match value {
                    "aligned" => Boxes::Aligned,
                    "oriented" => Boxes::Oriented,
                    _ => return Err(needed("`aligned` or `oriented`")),
                }
            }
            "plane" => {
                self.drawing.plane = match value {
                    "x" => Plane::Axis(0),
                    "y" => Plane::Axis(1),
                    "z" | "axis" => Plane::Axis(2),
                    "separating" => Plane::Separating,
                    _ => return Err(needed("`axis`, `x`, `y`, `z` or `separating`")),
                }
            }
            "blocks" if value == "shells" => self.recipe.cut = false,
            "blocks" => {
                let count = value.parse().ok().filter(|count| (1..=BLOCKS_MAX).contains(count));
                let needed = || needed("`shells` or a whole number from 1 to 4096");
                self.recipe.count_max = count.ok_or_else(needed)?;
            }
            "concavity" => {
                let part = value.parse().ok().filter(|part: &f64| (0.0..=1.0).contains(part));
                self.recipe.concavity = part.ok_or_else(|| needed("a number from 0 to 1"))?;
            }
            "reuse" => {
                self.drawing.reuse = match value {
                    "yes" => true,
                    "no" => false,
                    _ => return Err(needed("`yes` or `no`")),
                }
            }
            _ => return Err(format!("`{name}` is not known; {SETTINGS} can be set")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_sets_what_it_names() {
        let text = "resolution=32&boxes=oriented&plane=separating&blocks=8&concavity=0.1&reuse=no";
        let made = Settings::read(text).unwrap();
        assert_eq!(made.drawing.resolution, Resolution::Pixels(32));
        assert_eq!((made.drawing.plane, made.drawing.reuse), (Plane::Separating, false));
        assert_eq!(made.boxes, Boxes::Oriented);
        assert_eq!(made.recipe, Recipe { cut: true, count_max: 8, concavity: 0.1 });
        assert_eq!(Settings::read("").unwrap(), Settings::default());
        assert!(!Settings::read("blocks=shells").unwrap().recipe.cut);
        for wrong in [
            "resolution=0",
            "pixel=-1",
            "pixel=nan",
            "resolution=8&pixel=1",
            "boxes=round",
            "plane=w",
            "blocks=0",
            "concavity=2",
            "reuse=1",
            "depth=3",
            "blocks",
        ] {
            assert!(Settings::read(wrong).is_err(), "{wrong}");
        }
    }
}
