//! Why a sample cannot be made. Every message says what is known or allowed instead.

/// A name or a parameter that does not lead to a sample.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// No sample has that name.
    #[error("there is no sample `{name}`; known are {known}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// A scene was named where one mesh is needed.
    #[error("the sample `{0}` is a scene of several bodies; one mesh is needed here")]
    NotAMesh(String),
    /// A mesh that does not deform was named where one that does is needed.
    #[error("the sample `{sample}` does not deform; those that do are {known}")]
    Rigid {
        /// The sample.
        sample: &'static str,
        /// Those that do, separated by commas.
        known: String,
    },
    /// The sample has no such parameter.
    #[error("the sample `{sample}` has no parameter `{parameter}`; it has {known}")]
    UnknownParameter {
        /// The sample.
        sample: &'static str,
        /// What was asked for.
        parameter: String,
        /// Its parameters, separated by commas.
        known: String,
    },
    /// The sample has no such motion.
    #[error("the sample `{sample}` has no motion `{motion}`; it has {known}")]
    UnknownMotion {
        /// The sample.
        sample: &'static str,
        /// What was asked for.
        motion: String,
        /// Its motions, separated by commas, or `none`.
        known: String,
    },
    /// The part after `?` is not a list of `name=value`.
    #[error("`{found}` is no parameter of `{sample}`; `name=value` is needed, joined by `&`")]
    NotAParameter {
        /// The sample.
        sample: &'static str,
        /// What was found.
        found: String,
    },
    /// A parameter is given twice.
    #[error("the parameter `{parameter}` of `{sample}` is given twice")]
    Twice {
        /// The sample.
        sample: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// The value is no number, or not within the range.
    #[error("`{sample}?{parameter}={found}`: {needed} from {min} to {max} is needed")]
    OutOfRange {
        /// The sample.
        sample: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        found: String,
        /// `a number` or `a whole number`.
        needed: &'static str,
        /// The smallest value allowed.
        min: f64,
        /// The largest value allowed.
        max: f64,
    },
    /// The value is none of the words that are possible.
    #[error("`{sample}?{parameter}={found}`: one of {known} is needed")]
    UnknownWord {
        /// The sample.
        sample: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        found: String,
        /// What could be, separated by commas.
        known: String,
    },
    /// Each value is within its range, but they do not fit together.
    #[error("the sample `{sample}` cannot be made: {needed}")]
    Conflict {
        /// The sample.
        sample: &'static str,
        /// What must hold, and what was found.
        needed: String,
    },
    /// More faces than a sample may have.
    #[error("the sample `{sample}` would have {faces} faces; at most {limit} are possible")]
    TooManyFaces {
        /// The sample.
        sample: &'static str,
        /// How many faces were asked for.
        faces: u64,
        /// How many are possible.
        limit: u64,
    },
    /// The coordinates are too coarse for so thin or fine a shape.
    #[error(
        "face {face} of the sample `{sample}` shrinks to nothing on the coordinate grid; \
         fewer faces or a thicker shape are needed"
    )]
    TooFine {
        /// The sample.
        sample: &'static str,
        /// The face, counted from 0.
        face: usize,
    },
}
