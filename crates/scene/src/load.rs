//! The door for mesh files: a path in, named bodies out.

use crate::error::{FileError, Place};
use crate::object::Object;
use crate::part::Part;
use crate::{gltf, mseq, obj, off, ply, raw, regular, stl};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A kind of mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
    /// OFF in text.
    Off,
    /// RAW triangles.
    Raw,
    /// glTF, as JSON or binary.
    Gltf,
    /// A sequence of meshes.
    Mseq,
}

/// How file names end, without regard to case.
const EXTENSIONS: [(&str, Format); 8] = [
    ("obj", Format::Obj),
    ("stl", Format::Stl),
    ("ply", Format::Ply),
    ("off", Format::Off),
    ("raw", Format::Raw),
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("mseq", Format::Mseq),
];

impl Format {
    /// The format that the name of a file tells.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let known = EXTENSIONS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
        known.map(|&(_, format)| format).ok_or_else(|| {
            let known = EXTENSIONS.map(|(extension, _)| extension).join(", ");
            let found = match extension.as_ref() {
                "" => "the file's name has no extension".to_owned(),
                other => format!("the extension `{other}` is unknown"),
            };
            FileError::new(path, Place::Whole, format!("{found}; known are {known}"))
        })
    }
}

/// Reads a mesh file: at least one body, each with a name of its own. Only regular files are read,
/// never devices or pipes; links are followed.
pub fn load(path: &Path) -> Result<Vec<Object>, FileError> {
    let whole = |message: &str| FileError::new(path, Place::Whole, message);
    if path.is_dir() {
        return Err(whole("this is a directory; a mesh file is needed"));
    }
    let format = Format::of(path)?;
    let bytes = regular::read(path, u64::MAX).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => whole("there is no such file"),
        _ if path.exists() && !path.is_file() => whole(&format!("{error}; a mesh file is needed")),
        _ => whole(&format!("the file cannot be read: {error}")),
    })?;
    load_bytes(format, &bytes, path)
}

/// Reads the content of a mesh file; `path` is for messages and names.
pub fn load_bytes(format: Format, bytes: &[u8], path: &Path) -> Result<Vec<Object>, FileError> {
    if bytes.is_empty() {
        return Err(FileError::new(path, Place::Whole, "the file is empty; a mesh is needed"));
    }
    let parts = match format {
        Format::Obj => obj::read(bytes),
        Format::Stl => stl::read(bytes),
        Format::Ply => ply::read(bytes),
        Format::Off => off::read(bytes),
        Format::Raw => raw::read(bytes),
        Format::Gltf => return gltf::read(bytes, path),
        Format::Mseq => return sequence(bytes, path),
    };
    Ok(named(parts.map_err(|fault| fault.in_file(path))?, path))
}

/// A sequence of meshes is one body, named after the file.
fn sequence(bytes: &[u8], path: &Path) -> Result<Vec<Object>, FileError> {
    let mseq::Sequence { mesh, frames } = mseq::read(bytes).map_err(|fault| fault.in_file(path))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(vec![Object { name, mesh, unit: None, animation: Some(Arc::new(frames)) }])
}

/// Bodies without a name get the file's; a name that repeats gets a number.
fn named(parts: Vec<Part>, path: &Path) -> Vec<Object> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // How often each name was wanted or given, so that numbering many alike takes no search.
    let mut uses: HashMap<String, usize> = HashMap::new();
    let mut unique = |wanted: String| {
        let mut name = wanted.clone();
        while uses.contains_key(&name) {
            let count = uses.entry(wanted.clone()).or_default();
            *count += 1;
            name = format!("{wanted}-{count}");
        }
        uses.insert(name.clone(), 1);
        name
    };
    let object = |part: Part| {
        let name = unique(part.name.unwrap_or_else(|| stem.clone().into_owned()));
        Object::rigid(name, part.mesh, None)
    };
    parts.into_iter().map(object).collect()
}
