//! Standard output, and what to do when nobody reads it any more.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

/// Buffered; nothing is seen before [`Write::flush`] or a full buffer.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// What an error is about when an answer cannot be written.
pub(crate) const CANNOT_WRITE: &str = "standard output cannot be written";

/// Writes a whole text.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context(CANNOT_WRITE)
}

/// Tells of an error. If that cannot be written either, the exit code still tells.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether an error only says that the reader of our output went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Refuses what cannot be a file that we write, before the work for it is done.
pub(crate) fn check_file(path: &Path) -> Result<()> {
    ensure!(!path.is_dir(), "this is a directory; the name of a file is needed");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    try_folder(folder.unwrap_or(Path::new(".")))
}

/// Refuses what is no folder that we can write to or make.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    // Of a relative name the last ancestor is empty, which does not exist.
    let there = path.ancestors().find(|folder| folder.exists());
    try_folder(there.unwrap_or(Path::new(".")))
}

/// Permissions alone do not tell what a file system allows, so something is written and taken away.
fn try_folder(folder: &Path) -> Result<()> {
    ensure!(folder.is_dir(), "{} is no directory", folder.display());
    let trial = folder.join(format!(".impinge-{}.trial", std::process::id()));
    let tried = File::create_new(&trial).and_then(|_| std::fs::remove_file(&trial));
    tried.with_context(|| format!("nothing can be written to the folder {}", folder.display()))
}

/// A field of a CSV file, quoted where it must be.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
