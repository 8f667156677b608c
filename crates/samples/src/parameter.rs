//! Parameters of samples, and the text `faces=960&radius=2` that sets them.

use crate::error::SampleError;

/// A number that shapes a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name in `name=value`.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// The value when none is given.
    pub default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// If there are any, one of these words is to be given instead of its place among them.
    pub words: &'static [&'static str],
}

impl Parameter {
    /// A number of things.
    pub(crate) const fn count(
        name: &'static str,
        about: &'static str,
        [default, min, max]: [u32; 3],
    ) -> Self {
        let [default, min, max] = [default as f64, min as f64, max as f64];
        Self { name, about, default, min, max, whole: true, words: &[] }
    }

    /// A number between two others.
    pub(crate) const fn real(
        name: &'static str,
        about: &'static str,
        [default, min, max]: [f64; 3],
    ) -> Self {
        Self { name, about, default, min, max, whole: false, words: &[] }
    }

    /// A length, from a millionth to a million.
    pub(crate) const fn length(name: &'static str, about: &'static str, default: f64) -> Self {
        Self { name, about, default, min: 1e-6, max: 1e6, whole: false, words: &[] }
    }

    /// One of some words, the first unless another is given.
    pub(crate) const fn word(
        name: &'static str,
        about: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        let max = (words.len() - 1) as f64;
        Self { name, about, default: 0.0, min: 0.0, max, whole: true, words }
    }

    /// A value as it is given.
    pub fn shown(&self, value: f64) -> String {
        match self.words.get(value as usize) {
            Some(word) => (*word).to_owned(),
            None => value.to_string(),
        }
    }
}

/// The values of one sample's parameters.
pub(crate) struct Values {
    pub(crate) sample: &'static str,
    parameters: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    /// Reads `text` (may be empty) over the defaults.
    pub(crate) fn read(
        sample: &'static str,
        parameters: &'static [Parameter],
        text: &str,
    ) -> Result<Self, SampleError> {
        let mut given = vec![None; parameters.len()];
        for item in text.split('&').filter(|item| !item.is_empty()) {
            let (name, value) = item
                .split_once('=')
                .ok_or_else(|| SampleError::NotAParameter { sample, found: item.to_owned() })?;
            let i = parameters.iter().position(|p| p.name == name).ok_or_else(|| {
                SampleError::UnknownParameter {
                    sample,
                    parameter: name.to_owned(),
                    known: known(parameters),
                }
            })?;
            if given[i].is_some() {
                return Err(SampleError::Twice { sample, parameter: parameters[i].name });
            }
            given[i] = Some(parse(sample, &parameters[i], value)?);
        }
        let values = given.iter().zip(parameters).map(|(v, p)| v.unwrap_or(p.default)).collect();
        Ok(Self { sample, parameters, values })
    }

    /// The value of a parameter that the sample declares.
    pub(crate) fn real(&self, name: &str) -> f64 {
        let i = self.parameters.iter().position(|p| p.name == name);
        self.values[i.expect("builders ask only for parameters that their sample declares")]
    }

    /// The same, as a whole number.
    pub(crate) fn whole(&self, name: &str) -> u32 {
        self.real(name) as u32
    }

    /// An error about values that do not fit together.
    pub(crate) fn conflict(&self, needed: String) -> SampleError {
        SampleError::Conflict { sample: self.sample, needed }
    }
}

fn parse(sample: &'static str, parameter: &Parameter, text: &str) -> Result<f64, SampleError> {
    let Parameter { name, min, max, whole, words, .. } = *parameter;
    if !words.is_empty() {
        let place = words.iter().position(|word| *word == text);
        return place.map(|place| place as f64).ok_or_else(|| SampleError::UnknownWord {
            sample,
            parameter: name,
            found: text.to_owned(),
            known: words.join(", "),
        });
    }
    let fits = |v: &f64| (min..=max).contains(v) && (!whole || v.fract() == 0.0);
    text.parse().ok().filter(fits).ok_or_else(|| SampleError::OutOfRange {
        sample,
        parameter: name,
        found: text.to_owned(),
        needed: if whole { "a whole number" } else { "a number" },
        min,
        max,
    })
}

fn known(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "none".to_owned();
    }
    parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")
}
