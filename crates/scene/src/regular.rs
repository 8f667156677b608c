//! Reading of regular files only: devices and pipes may never end, or never begin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The first `most` bytes of a regular file, or all if there are fewer; links are followed.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Asked before it is opened, for the opening of a pipe waits until someone writes to it.
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let mut bytes = Vec::new();
    let expected = usize::try_from(metadata.len().min(most)).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(expected).map_err(io::Error::other)?;
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
