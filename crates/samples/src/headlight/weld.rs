//! A surface that is put together from strips: corners at the same place are one vertex.
//!
//! Whoever adds strips need not care about seams: a surface is closed when its strips meet, and
//! faces that shrink to a line on the grid of coordinates are left out. Constant time per corner.

use super::NAME;
use crate::error::SampleError;
use crate::surface::Surface;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::collections::HashMap;

/// Coordinates are rounded to 2⁻²⁰ of it; no part reaches further than this from its origin.
const SIZE: f64 = 256.0;

/// Corners and triangles so far.
#[derive(Default)]
pub(super) struct Weld {
    surface: Surface,
    /// Only ever asked for one key, so its order does not matter.
    known: HashMap<[i64; 3], u32>,
}

impl Weld {
    fn vertex(&mut self, point: Point) -> u32 {
        let place = point.map(|x| (x / SIZE * f64::from(1 << 20)).round() as i64);
        let vertices = &mut self.surface.vertices;
        *self.known.entry(place).or_insert_with(|| {
            vertices.push(point);
            vertices.len() as u32 - 1
        })
    }

    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        if a != b && b != c && c != a {
            self.surface.triangles.push([a, b, c]);
        }
    }

    /// The faces between two lines of as many points.
    pub(super) fn strip(&mut self, from: &[Point], to: &[Point]) {
        for (low, high) in from.windows(2).zip(to.windows(2)) {
            let [a, b, c, d] = [low[0], low[1], high[1], high[0]].map(|p| self.vertex(p));
            self.triangle([a, b, c]);
            self.triangle([a, c, d]);
        }
    }

    /// The faces between each line and the next, and between the last and the first.
    pub(super) fn around(&mut self, lines: &[Vec<Point>]) {
        for (i, line) in lines.iter().enumerate() {
            self.strip(line, &lines[(i + 1) % lines.len()]);
        }
    }

    /// The mesh. The strips must agree on which side is out; here that side is found.
    pub(super) fn finish(mut self) -> Result<Mesh, SampleError> {
        let corner = |v: u32| DVec3::from_array(self.surface.vertices[v as usize]);
        let six = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
        if self.surface.triangles.iter().map(six).sum::<f64>() < 0.0 {
            self.surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        }
        self.surface.finish(NAME, [SIZE; 3])
    }
}
