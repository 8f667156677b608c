//! Standard output, and what to do when nobody reads it any more.

use anyhow::{Context, Result};
use std::io::{self, BufWriter, StdoutLock, Write};

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

/// A field of a CSV file, quoted where it must be.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
