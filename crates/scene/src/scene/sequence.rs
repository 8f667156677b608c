//! Bodies that deform as a sequence of mesh files tells: one file for each frame, the same faces in all.

use super::file::SpanFault;
use crate::frames::Frames;
use crate::object::Object;
use crate::resolve::Resolver;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

/// Which files a sequence has, and where the scene file says so.
pub(super) struct Sequence<'a> {
    pub files: &'a [String],
    pub span: Range<usize>,
    /// Which object of each file, where files have several.
    pub object: Option<&'a Spanned<String>>,
}

/// The files that a pattern with one `*` means: those that have a number in its place, by number.
pub(super) fn matching(pattern: &str, base: &Path) -> Result<Vec<String>, String> {
    let needed = "one `*` in the file's name is needed, where the frame's number is";
    let (folder, name) = match pattern.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), pattern),
    };
    let parts: Vec<&str> = name.split('*').collect();
    let &[before, after] = parts.as_slice() else {
        return Err(format!("`{pattern}` is no pattern of files; {needed}"));
    };
    if folder.contains('*') {
        return Err(format!("`{pattern}` has a `*` in its folder; {needed}"));
    }
    let listed = std::fs::read_dir(base.join(if folder.is_empty() { "." } else { &folder }))
        .map_err(|error| format!("the folder of `{pattern}` cannot be read: {error}"))?;
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for entry in listed {
        let entry = entry.map_err(|error| format!("the folder of `{pattern}`: {error}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let Some(middle) = middle.filter(|middle| !middle.is_empty()) else { continue };
        if middle.bytes().all(|byte| byte.is_ascii_digit()) {
            // Numbers of any length: without leading zeros the longer one is the larger.
            let number = middle.trim_start_matches('0').to_owned();
            found.push((number.len(), number, format!("{folder}{name}")));
        }
    }
    if found.is_empty() {
        return Err(format!("no file is like `{pattern}` with a number in place of the `*`"));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, _, name)| name).collect())
}

impl Sequence<'_> {
    /// One object with all frames.
    pub(super) fn load(&self, base: &Path, resolver: &dyn Resolver) -> Result<Object, SpanFault> {
        let fault = |message: String| SpanFault::new(self.span.clone(), message);
        let Some((first, others)) = self.files.split_first() else {
            return Err(fault(
                "the list of frames is empty; at least one file is needed".to_owned(),
            ));
        };
        let mut object = self.one(first, base, resolver)?;
        let count = object.mesh.vertices().len();
        Frames::check_size(self.files.len(), count).map_err(fault)?;
        let mut vertices: Vec<Point> = Vec::with_capacity(count * self.files.len());
        vertices.extend_from_slice(object.mesh.vertices());
        for file in others.iter() {
            let mesh = self.one(file, base, resolver)?.mesh;
            if mesh.vertices().len() != count {
                let found = mesh.vertices().len();
                return Err(fault(format!(
                    "`{file}` has {found} vertices, but `{first}` has {count}; frames need the same"
                )));
            }
            if !same_faces(&object.mesh, &mesh) {
                return Err(fault(format!(
                    "`{file}` has other faces than `{first}`; frames need the same"
                )));
            }
            vertices.extend_from_slice(mesh.vertices());
        }
        let frames =
            Frames::new(&object.mesh, vertices).map_err(|error| fault(error.to_string()))?;
        object.animation = Some(Arc::new(frames));
        Ok(object)
    }

    fn one(&self, file: &str, base: &Path, resolver: &dyn Resolver) -> Result<Object, SpanFault> {
        let fault = |message: String| SpanFault::new(self.span.clone(), message);
        let mut objects = resolver.resolve(file, base).map_err(fault)?;
        let wanted = match self.object {
            Some(name) => objects.iter().position(|object| object.name == *name.get_ref()),
            None if objects.len() == 1 => Some(0),
            None => None,
        };
        match (wanted, self.object) {
            (Some(index), _) => Ok(objects.swap_remove(index)),
            (None, Some(name)) => {
                let message = format!("`{file}` has no object `{}`", name.get_ref());
                Err(SpanFault::new(name.span(), message))
            }
            (None, None) => Err(fault(format!(
                "`{file}` has {} objects; `object` is needed to say which one deforms",
                objects.len()
            ))),
        }
    }
}

/// Polygons may be cut into other triangles as their corners move: then corners decide.
fn same_faces(a: &Mesh, b: &Mesh) -> bool {
    if a.triangles() == b.triangles() {
        return true;
    }
    let corners = |mesh: &Mesh| {
        let of = |(i, t): (usize, &[u32; 3])| t.map(|vertex| (mesh.face(i as u32), vertex));
        let mut corners: Vec<(u32, u32)> =
            mesh.triangles().iter().enumerate().flat_map(of).collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    };
    a.triangles().len() == b.triangles().len() && corners(a) == corners(b)
}
