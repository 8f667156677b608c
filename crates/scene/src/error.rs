//! The one error of this crate: which file, where in it, what was found and what was needed.

use std::fmt;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{place}: {message}", path.display())]
pub struct FileError {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// Where in the file.
    pub place: Place,
    /// What was found and what was needed.
    pub message: String,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Byte(byte) => write!(f, ": byte {byte}"),
        }
    }
}

impl FileError {
    /// An error at `place` of `path`.
    pub fn new(path: &Path, place: Place, message: impl fmt::Display) -> Self {
        Self { path: path.to_owned(), place, message: message.to_string() }
    }
}

/// What a reader that sees only bytes reports; [`Fault::in_file`] adds the file's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Where in the bytes.
    pub place: Place,
    /// What was found and what was needed.
    pub message: String,
}

impl Fault {
    /// A fault at `place`.
    pub fn new(place: Place, message: impl fmt::Display) -> Self {
        Self { place, message: message.to_string() }
    }

    /// The same, with the name of the file.
    pub fn in_file(self, path: &Path) -> FileError {
        FileError { path: path.to_owned(), place: self.place, message: self.message }
    }
}
