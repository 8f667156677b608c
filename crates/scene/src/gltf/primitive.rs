//! The primitives of a mesh, joined to one surface.

use super::buffer::{Buffers, missing};
use super::json::{Document, Primitive};
use super::{accessor, check_unfolded, whole};
use crate::error::Fault;
use impinge_geom::Point;
use std::collections::HashMap;

/// Vertices and triangles of one mesh, in its own frame.
#[derive(Default)]
pub(super) struct Surface {
    pub vertices: Vec<Point>,
    pub triangles: Vec<[u32; 3]>,
    /// Where the vertices came from.
    pub pieces: Vec<Piece>,
}

/// Vertices of one primitive, the first that uses them.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub primitive: usize,
    /// The first of its vertices.
    pub first: usize,
    pub count: usize,
}

impl Surface {
    /// Vertices and triangles together.
    pub(super) fn size(&self) -> usize {
        self.vertices.len() + self.triangles.len()
    }
}

/// Where the points of an accessor went: the first one's index, and how many there are.
#[derive(Clone, Copy)]
struct Range {
    first: usize,
    count: usize,
}

/// Joins the triangles of all primitives. Primitives that differ in material only often share their
/// points; these are then taken once.
pub(super) fn surface(
    document: &Document,
    mesh: usize,
    buffers: &mut Buffers<'_>,
) -> Result<Surface, Fault> {
    let mut surface = Surface::default();
    let mut ranges: HashMap<usize, Range> = HashMap::new();
    let unfolds = format!("mesh {mesh} unfolds");
    for (number, primitive) in document.meshes[mesh].primitives.iter().enumerate() {
        let user = format!("mesh {mesh}, primitive {number}");
        let Some(pattern) = Pattern::from_mode(primitive.mode, &user)? else {
            continue;
        };
        let position = primitive.attributes.position.ok_or_else(|| {
            whole(format!("{user} has no POSITION attribute; triangles need points"))
        })?;
        check_accessor(document, position, &user)?;
        let range = match ranges.get(&position) {
            Some(range) => *range,
            None => {
                let points = accessor::points(document, position, buffers)?;
                let range = Range { first: surface.vertices.len(), count: points.len() };
                surface.vertices.extend(points);
                check_unfolded(surface.size(), buffers, &unfolds)?;
                ranges.insert(position, range);
                let Range { first, count } = range;
                surface.pieces.push(Piece { primitive: number, first, count });
                range
            }
        };
        let corners = corners(document, primitive, range, (&user, &mut *buffers))?;
        if pattern == Pattern::Triangles && corners.len() % 3 != 0 {
            return Err(whole(format!(
                "{user} has {} corners; triangles need a multiple of 3",
                corners.len()
            )));
        }
        pattern.add_triangles(&corners, &mut surface.triangles);
        check_unfolded(surface.size(), buffers, &unfolds)?;
    }
    Ok(surface)
}

fn check_accessor(document: &Document, index: usize, user: &str) -> Result<(), Fault> {
    let count = document.accessors.len();
    if index < count { Ok(()) } else { Err(missing(user, "accessor", index, count)) }
}

/// The vertices that a primitive strings together, as indices into the joined surface.
fn corners(
    document: &Document,
    primitive: &Primitive,
    range: Range,
    (user, buffers): (&str, &mut Buffers<'_>),
) -> Result<Vec<u32>, Fault> {
    // Fits: a surface has at most 2^28 vertices.
    let first = range.first as u32;
    let Some(index) = primitive.indices else {
        return Ok((first..first + range.count as u32).collect());
    };
    check_accessor(document, index, user)?;
    let mut corners = accessor::indices(document, index, buffers)?;
    for (place, corner) in corners.iter_mut().enumerate() {
        if *corner as usize >= range.count {
            return Err(whole(format!(
                "{user}: index {place} of accessor {index} is {corner}, but there are only {} \
                 points",
                range.count
            )));
        }
        *corner += first;
    }
    Ok(corners)
}

/// How corners make triangles [glTF 2.0 §3.7.2.1].
#[derive(Clone, Copy, PartialEq)]
enum Pattern {
    Triangles,
    Strip,
    Fan,
}

impl Pattern {
    /// None for points and lines.
    fn from_mode(mode: u32, user: &str) -> Result<Option<Self>, Fault> {
        match mode {
            0..=3 => Ok(None),
            4 => Ok(Some(Self::Triangles)),
            5 => Ok(Some(Self::Strip)),
            6 => Ok(Some(Self::Fan)),
            _ => Err(whole(format!("{user} has mode {mode}; 0 to 6 are known"))),
        }
    }

    fn add_triangles(self, corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
        match self {
            Self::Triangles => {
                triangles.extend(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]));
            }
            // Every second triangle of a strip is turned, so that all face the same side.
            Self::Strip => triangles.extend(
                corners
                    .windows(3)
                    .enumerate()
                    .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[0], c[2], c[1]] }),
            ),
            Self::Fan => {
                let Some((&hub, rim)) = corners.split_first() else {
                    return;
                };
                triangles.extend(rim.windows(2).map(|c| [c[0], c[1], hub]));
            }
        }
    }
}
