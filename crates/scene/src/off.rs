//! OFF, the object file format of Geomview, in text: `OFF` and its kin with colours, normals or
//! texture coordinates (`COFF`, `NOFF`, `STOFF`, `STCNOFF` …).
//!
//! One vertex or face per line; what follows the coordinates or the corners is colour and the
//! like, and is skipped. The counts may stand behind the keyword (even without a blank, as some
//! data sets have it) or on the next line. Faces of fewer than three corners are wires: they keep
//! their number but give no triangle. Lines behind the last face are ignored.

use crate::error::{Fault, Place};
use crate::part::{Faces, Part};
use crate::text::{Scanner, counted, quoted};
use impinge_geom::Point;

/// The body of an OFF file.
pub fn read(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    let mut scan = Scanner::new(bytes);
    read_keyword(&mut scan)?;
    if !scan.seek_words() {
        return Err(ended(&scan, "the line with both counts"));
    }
    let vertex_count = scan.count("a count of vertices")?;
    let face_count = scan.count("a count of faces")?;
    scan.end_line();
    let vertices = read_vertices(&mut scan, vertex_count)?;
    let faces = read_faces(&mut scan, face_count, vertex_count)?;
    Ok(vec![Part { name: None, mesh: faces.into_mesh(vertices)? }])
}

/// Takes the keyword, if there is one: it is optional.
fn read_keyword(scan: &mut Scanner<'_>) -> Result<(), Fault> {
    if !scan.seek_words() {
        return Err(Fault::new(Place::Whole, "the file has no content; `OFF` is needed"));
    }
    let start = scan.remaining();
    if start[0].is_ascii_digit() && !start.starts_with(b"4OFF") && !start.starts_with(b"4nOFF") {
        return Ok(());
    }
    let mut rest = start;
    for flag in [&b"ST"[..], b"C", b"N"] {
        rest = rest.strip_prefix(flag).unwrap_or(rest);
    }
    let Some(rest) = rest.strip_prefix(b"OFF") else {
        let word = scan.needed_word("`OFF`")?;
        let message = format!(
            "found {} where `OFF` is needed, or one of its kin with three dimensions",
            quoted(word)
        );
        return Err(scan.fault(message));
    };
    scan.skip(start.len() - rest.len());
    if rest.trim_ascii_start().starts_with(b"BINARY") {
        return Err(scan.fault("the file is binary OFF; the text form is needed"));
    }
    Ok(())
}

fn read_vertices(scan: &mut Scanner<'_>, count: usize) -> Result<Vec<Point>, Fault> {
    // A vertex takes at least six bytes, whatever the header promises.
    let mut vertices = Vec::with_capacity(count.min(scan.remaining().len() / 6));
    for i in 0..count {
        if !scan.seek_words() {
            return Err(ended(scan, &format!("vertex {i} of {count}")));
        }
        vertices.push(scan.point()?);
        scan.end_line();
    }
    Ok(vertices)
}

fn read_faces(scan: &mut Scanner<'_>, count: usize, vertices: usize) -> Result<Faces, Fault> {
    let mut faces = Faces::default();
    for i in 0..count {
        if !scan.seek_words() {
            return Err(ended(scan, &format!("face {i} of {count}")));
        }
        for _ in 0..scan.count("a count of corners")? {
            let index = scan.integer("a vertex index")?;
            match u32::try_from(index) {
                Ok(vertex) if (vertex as usize) < vertices => faces.corners.push(vertex),
                _ => return Err(scan.fault(no_vertex(index, vertices))),
            }
        }
        faces.close_face();
        scan.end_line();
    }
    Ok(faces)
}

/// What to say of an index that is none, where vertices count from 0.
pub(crate) fn no_vertex(index: i64, count: usize) -> String {
    let found = counted(count, "vertex", "vertices");
    format!("the face names vertex {index}, but the file has only {found}, counted from 0")
}

fn ended(scan: &Scanner<'_>, needed: &str) -> Fault {
    scan.fault(format!("the file ends where {needed} is needed"))
}
