//! Parameters as text: `splitter=gottschalk&quality=surface&alpha=0.5&degree=2-6&dynamic=linear`.

use super::dynamic::Dynamic;
use crate::narrow::settings;
use impinge_geom::first_contact::paper::Method;
use impinge_geom::hierarchy::{Kind, Params, Quality, Splitter};

/// What can be set, for people.
pub const SETTINGS: &str = "splitter=plain|heuristic|gottschalk, quality=volume|surface|hausdorff, \
                            alpha=0.75, degree=2-6, leaf=4, dynamic=regula-falsi|linear, between=0";
/// The most times between start and end at which volumes are enclosed.
const BETWEEN_MAX: u32 = 64;

/// All that can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How hierarchies are built.
    pub params: Params,
    /// How motions are looked at.
    pub dynamic: Dynamic,
}

impl From<Params> for Settings {
    fn from(params: Params) -> Self {
        Self { params, dynamic: Dynamic::default() }
    }
}

/// Reads `text` (may be empty) over the defaults.
pub(in crate::narrow) fn read(kind: Kind, text: &str) -> Result<Settings, String> {
    let mut settings = Settings::from(Params { kind, ..Params::default() });
    settings::read(text, |name, value| set(&mut settings, name, value))?;
    Ok(settings)
}

fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), String> {
    let needed = |what: &str| format!("`{name}={value}`: {what} is needed");
    let Settings { params, dynamic } = settings;
    match name {
        "splitter" => {
            params.splitter = match value {
                "plain" => Splitter::Plain,
                "heuristic" => Splitter::Heuristic,
                "gottschalk" => Splitter::Gottschalk,
                _ => return Err(needed("plain, heuristic or gottschalk")),
            }
        }
        "quality" => {
            params.quality = match value {
                "volume" => Quality::Volume,
                "surface" => Quality::Surface,
                "hausdorff" => Quality::Hausdorff,
                _ => return Err(needed("volume, surface or hausdorff")),
            }
        }
        "alpha" => {
            let between = |alpha: &f64| *alpha > 0.0 && *alpha < 1.0;
            let alpha = value.parse().ok().filter(between);
            params.alpha = alpha.ok_or_else(|| needed("a number between 0 and 1"))?;
        }
        "degree" => {
            let (low, high) = value.split_once('-').unwrap_or((value, value));
            let degree = |text: &str| text.parse().ok().filter(|d| (2..=6).contains(d));
            params.degrees = match (degree(low), degree(high)) {
                (Some(low), Some(high)) if low <= high => [low, high],
                _ => return Err(needed("a number from 2 to 6, or a range as 2-6,")),
            }
        }
        "leaf" => {
            let leaf = value.parse().ok().filter(|leaf| (1..=1024).contains(leaf));
            params.leaf_max = leaf.ok_or_else(|| needed("a whole number from 1 to 1024"))?;
        }
        "dynamic" => {
            dynamic.method = match value {
                "regula-falsi" => Method::RegulaFalsi,
                "linear" => Method::Linear,
                _ => return Err(needed("regula-falsi or linear")),
            }
        }
        "between" => {
            let between = value.parse().ok().filter(|between| *between <= BETWEEN_MAX);
            dynamic.between = between.ok_or_else(|| needed("a whole number from 0 to 64"))?;
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
        let text = "splitter=plain&quality=hausdorff&alpha=0.5&degree=3&leaf=1";
        let params = Params {
            kind: Kind::Aabbs,
            splitter: Splitter::Plain,
            quality: Quality::Hausdorff,
            alpha: 0.5,
            degrees: [3, 3],
            leaf_max: 1,
        };
        assert_eq!(read(Kind::Aabbs, text), Ok(params.into()));
        let range = read(Kind::Obbs, "degree=2-4").unwrap();
        assert_eq!(range, Params { degrees: [2, 4], ..Params::default() }.into());
        assert_eq!(read(Kind::Obbs, ""), Ok(Params::default().into()));
        let linear = read(Kind::Obbs, "dynamic=linear&between=3").unwrap();
        assert_eq!(linear.dynamic, Dynamic { method: Method::Linear, between: 3 });
        let falsi = read(Kind::Obbs, "dynamic=regula-falsi").unwrap();
        assert_eq!(falsi.dynamic, Dynamic::default());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bad, said) in [
            ("alpha", "`alpha` sets nothing; NAME=VALUE is needed"),
            ("alpha=1", "`alpha=1`: a number between 0 and 1 is needed"),
            ("alpha=nan", "`alpha=nan`: a number between 0 and 1 is needed"),
            ("leaf=0", "`leaf=0`: a whole number from 1 to 1024 is needed"),
            ("leaf=4&leaf=4", "`leaf` is set twice"),
            ("splitter=best", "`splitter=best`: plain, heuristic or gottschalk is needed"),
            ("dynamic=exact", "`dynamic=exact`: regula-falsi or linear is needed"),
            ("between=-1", "`between=-1`: a whole number from 0 to 64 is needed"),
            ("between=65", "`between=65`: a whole number from 0 to 64 is needed"),
            ("quality=", "`quality=`: volume, surface or hausdorff is needed"),
        ] {
            assert_eq!(read(Kind::Obbs, bad).unwrap_err(), said);
        }
        for bad in ["degree=1", "degree=7", "degree=4-2", "degree=2-", "degree=-2", "depth=3"] {
            assert!(read(Kind::Obbs, bad).is_err(), "{bad}");
        }
    }
}
