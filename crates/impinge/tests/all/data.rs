//! Finds the reference data that some tests want; it is not a part of the project.

use std::path::PathBuf;

/// The folder of that name in `$IMPINGE_DATA`; says so where there is none.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    match std::env::var_os("IMPINGE_DATA") {
        Some(root) => Some(PathBuf::from(root).join(name)),
        None => {
            println!("skipped: IMPINGE_DATA is not set");
            None
        }
    }
}
