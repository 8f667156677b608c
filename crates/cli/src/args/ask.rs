//! The arguments of `impinge ask`.

use super::value;
use impinge_geom::Point;
use impinge_scene::units::{Length, Unit};
use std::path::PathBuf;

/// `impinge ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge ask part.stl --ray 0,0,100,0,0,-1
  impinge ask assembly.glb --point 10,20,30 --within 1mm --format json
  impinge ask sample:headlight --from questions.txt --all

A ray is origin and direction, `ox,oy,oz,dx,dy,dz`; the length of the direction does not matter. It
meets a face also at its edges and corners, exactly. A point, `x,y,z`, is told what it is inside of
and which surface is closest. Coordinates are in the unit that the summary states.

Questions are answered in this order: --ray, --point, --from. Bodies are where their files put them.

Exit codes: 0 nothing is met, 1 a ray meets something or a point is inside, on or (with --within)
near something, 2 bad input.")]
pub(crate) struct AskArgs {
    /// Mesh files (obj, stl, ply, off, raw, gltf, glb, mseq), scenes (toml) or `sample:NAME`
    #[arg(required = true, value_name = "MESH")]
    pub(crate) meshes: Vec<String>,
    /// What does a ray meet? `ox,oy,oz,dx,dy,dz`; may be given several times
    #[arg(long, value_name = "RAY", value_parser = value::ray, allow_hyphen_values = true)]
    pub(crate) ray: Vec<Asked>,
    /// What is a point inside of, and what is closest to it? `x,y,z`; may be given several times
    #[arg(long, value_name = "POINT", value_parser = value::point, allow_hyphen_values = true)]
    pub(crate) point: Vec<Asked>,
    /// One question per line: three numbers are a point, six a ray; `-` is standard input, answered
    /// line by line; `#` starts a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Only what is within this distance of the point or of the ray's origin, as 0.5mm
    #[arg(long, value_name = "LENGTH", value_parser = value::length, allow_hyphen_values = true)]
    pub(crate) within: Option<Length>,
    /// Every face that a ray meets, not only the first
    #[arg(long)]
    pub(crate) all: bool,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<Unit>,
}

/// A question as it was typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// Origin and direction.
    Ray(Point, Point),
    /// A point.
    Point(Point),
}

impl Asked {
    /// Numbers between blanks or commas: three are a point, six a ray.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for word in text.split([',', ' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
            let shown: String = word.chars().take(40).collect();
            numbers.push(word.parse().map_err(|_| format!("`{shown}` is no number; {NEEDED}"))?);
        }
        let asked = match numbers[..] {
            [x, y, z] => Self::Point([x, y, z]),
            [ox, oy, oz, dx, dy, dz] => Self::Ray([ox, oy, oz], [dx, dy, dz]),
            _ => return Err(format!("there are {} numbers; {NEEDED}", numbers.len())),
        };
        asked.check()?;
        Ok(asked)
    }

    fn check(self) -> Result<(), String> {
        let checked = match self {
            Self::Ray(origin, direction) => impinge::prelude::Ray::new(origin, direction).map(drop),
            Self::Point(point) => impinge::prelude::Spot::new(point).map(drop),
        };
        checked.map_err(|error| error.to_string())
    }
}

/// What a question needs to be.
const NEEDED: &str = "three numbers for a point or six for a ray are needed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_three_or_six_numbers() {
        assert_eq!(Asked::parse("1,2,-3"), Ok(Asked::Point([1.0, 2.0, -3.0])));
        let ray = Asked::Ray([0.0; 3], [0.0, 0.0, -1.0]);
        assert_eq!(Asked::parse("0 0 0\t0, 0 -1\r\n"), Ok(ray));
        for (text, part) in [
            ("1,2", "2 numbers"),
            ("1,2,x", "`x` is no number"),
            ("1,2,nan", "finite"),
            ("0,0,0,0,0,0", "direction of the ray is zero"),
            ("1,2,1e99", "too large"),
        ] {
            assert!(Asked::parse(text).unwrap_err().contains(part), "{text}");
        }
    }
}
