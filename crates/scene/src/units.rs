//! Units of length. Geometry is never rescaled behind the user's back: units matter when bodies of
//! different files meet, and when a length is read from or shown to a person.

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

    /// How many millimetres one of it is.
    pub fn millimetres(self) -> f64 {
        match self {
            Self::Um => 0.001,
            Self::Mm => 1.0,
            Self::Cm => 10.0,
            Self::M => 1000.0,
            Self::In => 25.4,
            Self::Ft => 304.8,
        }
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
        match self.unit {
            Some(own) if own != unit => self.value * (own.millimetres() / unit.millimetres()),
            _ => self.value,
        }
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
    fn lengths_are_read_with_and_without_unit() {
        let read = |text: &str| text.parse::<Length>();
        assert_eq!(read("0.5mm"), Ok(Length { value: 0.5, unit: Some(Unit::Mm) }));
        assert_eq!(read("2 in").unwrap().to(Unit::Mm), 50.8);
        assert_eq!(read("1e-3"), Ok(Length { value: 1e-3, unit: None }));
        assert!(read("mm").is_err() && read("-1mm").is_err() && read("nan").is_err());
        assert!(read("1 parsec").unwrap_err().contains("known are"));
    }
}
