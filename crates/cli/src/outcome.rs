//! How a command ended, as programs see it.

use std::process::ExitCode;

/// What a command came to; bad input is an error instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and nothing touches.
    Done,
    /// Something touches, or is closer than it may be.
    Hit,
    /// Nothing is known to touch, but not everything could be decided.
    Unknown,
}

impl Outcome {
    /// The exit code of the contract.
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::Hit => 1,
            Self::Unknown => 3,
        })
    }
}

/// The exit code of bad input and usage.
pub(crate) const BAD_INPUT: u8 = 2;
