//! RAW triangles, the input of the voxeliser of [V00 §5].
//!
//! The paper names the format and no more, so this is our reading of what converters write: each
//! line holds nine numbers, the corners of one triangle; text behind them (a texture's name) is
//! skipped. A line that does not begin with a number and has fewer than nine words is a name, and
//! starts a new body. `#` starts a comment. Corners at the same position become one vertex.

use crate::error::{Fault, Place};
use crate::merge::Merger;
use crate::number;
use crate::part::Part;
use crate::text::Scanner;
use impinge_geom::mesh::{Mesh, MeshError};

/// The bodies of a RAW file.
pub fn read(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    let mut scan = Scanner::new(bytes);
    let mut parts = Vec::new();
    let mut body = Body::named(None);
    while scan.seek_words() {
        let line = scan.line_left();
        if is_name(line) {
            body.finish(&mut parts)?;
            body = Body::named(Some(String::from_utf8_lossy(line).into_owned()));
        } else {
            let mut corners = [0; 3];
            for corner in &mut corners {
                *corner = body.merger.vertex(scan.point()?);
            }
            body.triangles.push(corners);
            if scan.word().is_some_and(|word| number::parse(word).is_some()) {
                return Err(scan.fault("the line has more than nine numbers; nine are needed"));
            }
        }
        scan.end_line();
    }
    body.finish(&mut parts)?;
    if parts.is_empty() {
        return Err(Fault::new(Place::Whole, MeshError::NoFaces));
    }
    Ok(parts)
}

struct Body {
    name: Option<String>,
    merger: Merger,
    triangles: Vec<[u32; 3]>,
}

impl Body {
    fn named(name: Option<String>) -> Self {
        Self { name, merger: Merger::with_corners(0), triangles: Vec::new() }
    }

    fn finish(self, parts: &mut Vec<Part>) -> Result<(), Fault> {
        if self.triangles.is_empty() {
            return Ok(());
        }
        let mesh = Mesh::new(self.merger.into_vertices(), self.triangles)
            .map_err(|error| Fault::new(Place::Whole, error))?;
        parts.push(Part { name: self.name, mesh });
        Ok(())
    }
}

fn is_name(line: &[u8]) -> bool {
    let numeric = |byte: u8| byte.is_ascii_digit() || b"+-.".contains(&byte);
    if line.first().is_none_or(|&byte| numeric(byte)) {
        return false;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first_is_number = words.next().is_some_and(|word| number::parse(word).is_some());
    !first_is_number && words.take(8).count() < 8
}
