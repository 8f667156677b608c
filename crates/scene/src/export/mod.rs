//! Coloured bodies for other programs to show: PLY and GLB, by the file's extension; voxels are in
//! [`voxels`].
//!
//! Colours go to vertices, for that is what common viewers show of both formats; a vertex is shared
//! only by faces of the same colour, so each face has one crisp colour. A file appears whole or not
//! at all: it is written beside its place and renamed.

mod glb;
mod ply;
pub mod voxels;

use crate::error::{FileError, Place};
use crate::units::Unit;
use impinge_geom::Point;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A colour as screens show it (sRGB).
pub type Color = [u8; 3];

/// A body to be exported.
#[derive(Clone, Copy, Debug)]
pub struct ExportBody<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its vertices in the world.
    pub vertices: &'a [Point],
    /// Its triangles.
    pub triangles: &'a [[u32; 3]],
    /// One colour per triangle.
    pub colors: &'a [Color],
}

/// One colour per triangle: `base`, but `mark` for the triangles in `marked`.
pub fn highlight(
    triangles: usize,
    base: Color,
    mark: Color,
    marked: impl IntoIterator<Item = u32>,
) -> Vec<Color> {
    let mut colors = vec![base; triangles];
    for triangle in marked {
        colors[triangle as usize] = mark;
    }
    colors
}

/// Writes the bodies to a `.ply` or `.glb` file. PLY keeps the coordinates to the last bit and says
/// their `unit` in a comment; GLB has metres in single precision, as its specification demands.
pub fn write(path: &Path, bodies: &[ExportBody<'_>], unit: Unit) -> Result<(), FileError> {
    let fail = |message: String| fail(path, &message);
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let encode = match extension.as_deref() {
        Some("ply") => ply::encode,
        Some("glb") => glb::encode,
        _ => return Err(fail("cannot export to this format; .ply or .glb is needed".to_owned())),
    };
    let bytes = split(bodies).and_then(|bodies| encode(&bodies, unit)).map_err(fail)?;
    beside(path, |out| out.write_all(&bytes))
        .map_err(|error| fail(format!("cannot be written: {error}")))
}

/// A body whose vertices each have one colour.
struct Painted<'a> {
    name: &'a str,
    vertices: Vec<(Point, Color)>,
    triangles: Vec<[u32; 3]>,
}

fn split<'a>(bodies: &[ExportBody<'a>]) -> Result<Vec<Painted<'a>>, String> {
    let faces: usize = bodies.iter().map(|body| body.triangles.len()).sum();
    if faces == 0 {
        return Err("there are no triangles to export".to_owned());
    }
    bodies.iter().map(paint).collect()
}

fn paint<'a>(body: &ExportBody<'a>) -> Result<Painted<'a>, String> {
    if body.colors.len() != body.triangles.len() {
        return Err(format!(
            "body `{}` has {} colours for {} triangles; one each is needed",
            body.name,
            body.colors.len(),
            body.triangles.len()
        ));
    }
    let mut copies: HashMap<(u32, Color), u32> = HashMap::new();
    let mut vertices = Vec::new();
    let mut triangles = Vec::with_capacity(body.triangles.len());
    for (corners, &color) in body.triangles.iter().zip(body.colors) {
        let mut painted = [0; 3];
        for (corner, painted) in corners.iter().zip(&mut painted) {
            let point = body.vertices.get(*corner as usize).ok_or_else(|| {
                let count = body.vertices.len();
                format!("body `{}` names vertex {corner}, but has only {count}", body.name)
            })?;
            *painted = *copies.entry((*corner, color)).or_insert_with(|| {
                vertices.push((*point, color));
                vertices.len() as u32 - 1
            });
        }
        triangles.push(painted);
    }
    Ok(Painted { name: body.name, vertices, triangles })
}

fn fail(path: &Path, message: &str) -> FileError {
    FileError::new(path, Place::Whole, message)
}

/// Writes beside `path`, then renames: nobody ever sees half a file.
fn beside(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (mut file, beside) = create_beside(path, &name)?;
    let filled = fill(&mut file).and_then(|()| file.sync_all());
    let written = filled.and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The first error matters; a leftover that cannot be removed adds nothing to it.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn create_beside(path: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    // Other threads or a crashed run may hold a name; a few tries find a free one.
    for attempt in 0..16 {
        let beside = path.with_file_name(format!(".{name}.{}-{attempt}", std::process::id()));
        match File::create_new(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}
