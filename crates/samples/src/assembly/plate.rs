//! A square plate of three by three tiles with round holes through some of them.
//!
//! Each tile is cut into rays from its middle to its border, so that neighbours meet in the same
//! points; holes have as many facets as everything round.

use super::{Detail, NAME};
use crate::error::SampleError;
use crate::surface::Surface;
use crate::turn::turn;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::collections::BTreeMap;

/// Half the side of a tile; a plate reaches three times as far.
pub(super) const HALF: f64 = 18.0;

/// Facet radii of the holes: in the middle tile, and in those at the corners.
pub(super) struct Holes {
    pub(super) middle: f64,
    pub(super) corners: f64,
}

/// The plate from z = 0 to `height`, about the z axis.
pub(super) fn plate(detail: Detail, holes: &Holes, height: f64) -> Result<Mesh, SampleError> {
    let mut plate = Plate { detail, height, surface: Surface::default(), known: BTreeMap::new() };
    for i in -1i32..=1 {
        for j in -1i32..=1 {
            let hole = match (i, j) {
                (0, 0) => Some(holes.middle),
                (0, _) | (_, 0) => None,
                _ => Some(holes.corners),
            };
            plate.tile([i, j], hole);
        }
    }
    plate.surface.finish(NAME, [64.0; 3])
}

struct Plate {
    detail: Detail,
    height: f64,
    surface: Surface,
    /// Points that tiles share, by their place in steps of 2⁻¹⁶; rounding has not happened yet, but
    /// equal points of neighbours are equal to far below a step.
    known: BTreeMap<[i64; 3], u32>,
}

impl Plate {
    fn vertex(&mut self, point: Point) -> u32 {
        let key = point.map(|x| (x * 65536.0).round() as i64);
        let vertices = &mut self.surface.vertices;
        *self.known.entry(key).or_insert_with(|| {
            vertices.push(point);
            vertices.len() as u32 - 1
        })
    }

    fn quad(&mut self, [a, b, c, d]: [Point; 4]) {
        let [a, b, c, d] = [a, b, c, d].map(|point| self.vertex(point));
        self.surface.triangles.extend([[a, b, c], [a, c, d]]);
    }

    fn tile(&mut self, at: [i32; 2], hole: Option<f64>) {
        let middle = at.map(|k| 2.0 * HALF * f64::from(k));
        let (facets, height) = (self.detail.facets, self.height);
        let point = |[x, y]: [f64; 2], z: f64| [middle[0] + x, middle[1] + y, z];
        for j in 0..facets {
            let [way, next] = [turn(j, facets), turn(j + 1, facets)];
            let [p, q] = [way, next].map(on_border);
            match hole {
                Some(facet) => {
                    let radius = self.detail.corner(facet);
                    let [a, b] = [way, next].map(|cs| cs.map(|x| radius * x));
                    let (low, high) = (0.0, height);
                    self.quad([point(a, high), point(p, high), point(q, high), point(b, high)]);
                    self.quad([point(a, low), point(b, low), point(q, low), point(p, low)]);
                    self.quad([point(a, low), point(a, high), point(b, high), point(b, low)]);
                }
                None => {
                    for (z, [p, q]) in [(height, [p, q]), (0.0, [q, p])] {
                        let face = [[0.0; 2], p, q].map(|at| self.vertex(point(at, z)));
                        self.surface.triangles.push(face);
                    }
                }
            }
            if is_outside(at, p, q) {
                let (low, high) = (0.0, height);
                self.quad([point(p, low), point(q, low), point(q, high), point(p, high)]);
            }
        }
    }
}

/// Where a ray from the middle of a tile meets its border.
fn on_border([c, s]: [f64; 2]) -> [f64; 2] {
    if c.abs() >= s.abs() {
        [HALF * c.signum(), HALF * s / c.abs()]
    } else {
        [HALF * c / s.abs(), HALF * s.signum()]
    }
}

/// Whether a piece of a tile's border is part of the plate's.
fn is_outside(at: [i32; 2], p: [f64; 2], q: [f64; 2]) -> bool {
    (0..2).any(|k| {
        let side = f64::from(at[k]) * HALF;
        at[k] != 0 && (p[k] - side).abs() < 1e-9 && (q[k] - side).abs() < 1e-9
    })
}
