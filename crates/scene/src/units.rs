//! Units of length. Geometry is never rescaled behind the user's back: units matter when bodies of
//! different files meet, and when a length is read from or shown to a person.

use impinge_geom::Point;
use impinge_geom::mesh::{Mesh, MeshError};
use std::fmt;
use std::str::FromStr;

/// A unit of length.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Micrometres.
    Um,
    /// Millimetres.
    Mm,
    /// Centimetres.
    Cm,
    /// Metres.
    M,
    /// Inches.
    In,
    /// Feet.
    Ft,
}

impl Unit {
    /// All units, smallest first.
    pub const ALL: [Self; 6] = [Self::Um, Self::Mm, Self::Cm, Self::In, Self::Ft, Self::M];

    /// The symbol, as in `0.5mm`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Um => "um",
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::In => "in",
            Self::Ft => "ft",
        }
    }

    /// How many nanometres one of it is: a whole number, so that no unit is itself rounded.
    fn nanometres(self) -> f64 {
        match self {
            Self::Um => 1e3,
            Self::Mm => 1e6,
            Self::Cm => 1e7,
            Self::In => 25.4e6,
            Self::Ft => 304.8e6,
            Self::M => 1e9,
        }
    }

    /// A length of this unit in another. Between two units of which one is a whole multiple of the
    /// other the result is the nearest number there is.
    pub fn convert(self, value: f64, to: Self) -> f64 {
        let (from, to) = (self.nanometres(), to.nanometres());
        if from >= to { value * (from / to) } else { value / (to / from) }
    }

    /// A mesh of this unit in another. In the same unit no bit changes.
    pub fn convert_mesh(self, mesh: &Mesh, to: Self) -> Result<Mesh, MeshError> {
        let convert = |point: &Point| point.map(|x| self.convert(x, to));
        mesh.with_vertices(mesh.vertices().iter().map(convert).collect())
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::symbol).join(", ");
            format!("unknown unit `{text}`; known are {known}")
        })
    }
}

/// A length with an optional unit, as a user types it: `0.5mm`, `2 in`, `0.5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// The number.
    pub value: f64,
    /// Its unit; none means the unit of the scene.
    pub unit: Option<Unit>,
}

impl Length {
    /// The length in `unit`.
    pub fn to(self, unit: Unit) -> f64 {
        self.unit.map_or(self.value, |own| own.convert(self.value, unit))
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let symbol = &text[digits.len()..];
        let value: f64 = digits.trim().parse().map_err(|_| {
            format!("`{text}` is no length; a number with a unit is needed, as 0.5mm")
        })?;
        if !(value.is_finite() && value >= 0.0) {
            return Err(format!("`{text}` is no length; it must be finite and not negative"));
        }
        let unit = if symbol.is_empty() { None } else { Some(symbol.parse()?) };
        Ok(Self { value, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_as_exact_as_can_be() {
        assert_eq!(Unit::In.convert(1.0, Unit::Um), 25400.0);
        assert_eq!(Unit::Mm.convert(0.7, Unit::M), 0.0007);
        assert_eq!(Unit::M.convert(0.0007, Unit::Mm), 0.7);
        assert_eq!(Unit::Ft.convert(1.0, Unit::In), 12.0);
        assert_eq!(Unit::Mm.convert(0.1, Unit::Mm), 0.1);
    }

    #[test]
    fn lengths_are_read_with_and_without_unit() {
        let read = |text: &str| text.parse::<Length>();
        assert_eq!(read("0.5mm"), Ok(Length { value: 0.5, unit: Some(Unit::Mm) }));
        assert_eq!(read("2 in").unwrap().to(Unit::Mm), 50.8);
        assert_eq!(read("1e-3"), Ok(Length { value: 1e-3, unit: None }));
        assert!(read("mm").is_err() && read("-1mm").is_err() && read("nan").is_err());
        assert!(read("1 parsec").unwrap_err().contains("known are"));
    }
}
