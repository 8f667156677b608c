//! Wavefront OBJ: `v`, `f` and `o`.
//!
//! Each `o` that has faces is a body; groups (`g`), materials and smoothing do not divide a body.
//! Lines, points, curves and lines with other keywords are skipped. A file with a single body
//! keeps all its vertices and their numbers; bodies that share a list get their own vertices each,
//! in file order.
//!
//! The numbers of texture coordinates and normals at a corner must be whole numbers, but what they
//! name is not looked up: lines `vt` and `vn` stay unread, whatever they hold.

use crate::error::{Fault, Place};
use crate::part::{Faces, Part};
use crate::text::{Scanner, counted};
use impinge_geom::Point;
use impinge_geom::mesh::MeshError;

/// The bodies of an OBJ file.
pub fn read(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    let mut scan = Scanner::joining_lines(bytes);
    let mut reader = Reader { vertices: Vec::new(), bodies: vec![Body::default()], ahead: vec![] };
    while let Some(word) = scan.first_word() {
        match word {
            b"v" => reader.vertices.push(scan.point()?),
            b"f" => reader.face(&mut scan)?,
            b"o" => reader.bodies.push(Body { name: scan.name(), faces: Faces::default() }),
            _ => {}
        }
        scan.end_line();
    }
    reader.finish()
}

#[derive(Default)]
struct Body {
    name: Option<String>,
    faces: Faces,
}

struct Reader {
    vertices: Vec<Point>,
    bodies: Vec<Body>,
    /// Line and index of corners that stand before their vertex.
    ahead: Vec<(usize, i64)>,
}

impl Reader {
    #[inline]
    fn face(&mut self, scan: &mut Scanner<'_>) -> Result<(), Fault> {
        let faces = &mut self.bodies.last_mut().expect("there is always a body").faces;
        while scan.has_word() {
            let index = scan.corner()?;
            let count = self.vertices.len() as i64;
            let vertex = if index < 0 { count + index } else { index - 1 };
            faces.corners.push(match u32::try_from(vertex) {
                Ok(vertex) if index != 0 => vertex,
                _ => return Err(no_vertex(scan, index, self.vertices.len())),
            });
            if vertex >= count {
                self.ahead.push((scan.line(), index));
            }
        }
        match faces.open_corners() {
            corners @ 0..3 => {
                let found = counted(corners, "corner", "corners");
                Err(scan.fault(format!("the face has {found}; at least 3 are needed")))
            }
            _ => {
                faces.close_face();
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Vec<Part>, Fault> {
        let count = self.vertices.len();
        if let Some(&(line, index)) = self.ahead.iter().find(|&&(_, i)| i > count as i64) {
            return Err(Fault::new(Place::Line(line), too_far(index, count)));
        }
        self.bodies.retain(|body| !body.faces.is_empty());
        if self.bodies.len() == 1 {
            let Body { name, faces } = self.bodies.remove(0);
            return Ok(vec![Part { name, mesh: faces.into_mesh(self.vertices)? }]);
        }
        if self.bodies.is_empty() {
            return Err(Fault::new(Place::Whole, MeshError::NoFaces));
        }
        let mut own_index = vec![0; count];
        let part = |mut body: Body| {
            let own = take_own_vertices(&mut body.faces, &self.vertices, &mut own_index);
            Ok(Part { name: body.name, mesh: body.faces.into_mesh(own)? })
        };
        self.bodies.into_iter().map(part).collect()
    }
}

/// The vertices that `faces` use, in file order; the corners become indices into them.
/// `own_index` is scratch space, one entry per vertex of the file.
fn take_own_vertices(faces: &mut Faces, all: &[Point], own_index: &mut [u32]) -> Vec<Point> {
    let mut used = faces.corners.clone();
    used.sort_unstable();
    used.dedup();
    for (own, &vertex) in used.iter().enumerate() {
        own_index[vertex as usize] = own as u32;
    }
    for corner in &mut faces.corners {
        *corner = own_index[*corner as usize];
    }
    used.iter().map(|&vertex| all[vertex as usize]).collect()
}

#[cold]
fn no_vertex(scan: &Scanner<'_>, index: i64, count: usize) -> Fault {
    scan.fault(match index {
        0 => "the face names vertex 0; vertices count from 1, or backwards from -1".to_owned(),
        ..0 => {
            let stand = counted(count, "vertex stands", "vertices stand");
            format!("the face names vertex {index}, but only {stand} before it")
        }
        _ => too_far(index, count),
    })
}

fn too_far(index: i64, count: usize) -> String {
    let found = counted(count, "vertex", "vertices");
    format!("the face names vertex {index}, but the file has only {found}")
}
