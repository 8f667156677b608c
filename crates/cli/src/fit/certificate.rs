//! `--certificate`: the proof of the answer as a file.

use super::Fitted;
use crate::output;
use anyhow::{Context, Result};
use impinge_fit::certify::{CertifyError, certify};
use impinge_fit::question::Watch;
use impinge_scene::scene::Source;
use impinge_verify::format::SourceEntry;
use std::path::{Component, Path, PathBuf};

/// Makes the certificate and writes it.
pub(super) fn write(fitted: &Fitted, path: &Path, watch: &dyn Watch) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let source = |source: &Source| SourceEntry {
        mesh: source.path.as_ref().map_or(source.mesh.clone(), |file| named_from(folder, file)),
        object: source.object.clone(),
        unit: source.unit.to_string(),
    };
    let bodies = &fitted.prepared.bodies;
    let sources: Vec<SourceEntry> = bodies.iter().map(|body| source(&body.source)).collect();
    let unit = fitted.unit.to_string();
    let made = match certify((&fitted.prepared, &fitted.answer), &sources, &unit, watch) {
        // Whoever presses Ctrl-C has the answer already.
        Err(CertifyError::Cancelled) => {
            let text = format!("interrupted: no certificate was written to {}", path.display());
            output::complain(&text);
            return Ok(());
        }
        made => made?,
    };
    let place = || format!("{} cannot be written", path.display());
    std::fs::write(path, made.write()).with_context(place)
}

/// A file as it is named from a folder, so that both can be moved together. What cannot be found, or
/// has no name that is text, stays as it is.
fn named_from(folder: &Path, file: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let relative = match (folder.canonicalize(), file.canonicalize()) {
        (Ok(folder), Ok(file)) => way(&folder, &file),
        _ => file.to_owned(),
    };
    relative.to_string_lossy().into_owned()
}

fn way(folder: &Path, file: &Path) -> PathBuf {
    let [from, to] = [folder, file].map(|path| path.components().collect::<Vec<Component<'_>>>());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return file.to_owned();
    }
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    up.chain(to[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_folders() {
        let named = |folder: &str, file: &str| way(Path::new(folder), Path::new(file));
        assert_eq!(named("/a/b", "/a/b/c.stl"), Path::new("c.stl"));
        assert_eq!(named("/a/b", "/a/c/d.stl"), Path::new("../c/d.stl"));
        assert_eq!(named("/a/b/c", "/x.stl"), Path::new("../../../x.stl"));
    }
}
