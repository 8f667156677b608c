//! Samples whose vertices move: their triangles stay, and at every phase of a period each vertex has
//! a place in closed form, the same bits on every machine.

mod cloth;
mod hand;
mod pulse;
mod rod;

pub(crate) use cloth::{Cloth, PARAMETERS as CLOTH};
pub(crate) use hand::{Hand, PARAMETERS as HAND};
pub(crate) use pulse::{PARAMETERS as PULSE, Pulse};
pub(crate) use rod::{PARAMETERS as ROD, Rod};

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::surface::{Grid, Surface};
use crate::turn::sine;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_scene::animation::Animation;
use impinge_scene::frames::Frames;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Where in its period a sample begins.
const PHASE: Parameter =
    Parameter::real("phase", "where in its period it is, 1 as 0", [0.0, 0.0, 1.0]);

/// A mesh that knows where its vertices go.
///
/// ```
/// use impinge_samples::deforming;
/// let hand = deforming("hand?faces=960")?;
/// let mut vertices = Vec::new();
/// hand.vertices_at(0.3, &mut vertices);
/// assert_eq!(vertices.len(), hand.mesh.vertices().len());
/// # Ok::<(), impinge_samples::error::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deforming {
    /// Phase 0 from where it begins.
    pub mesh: Mesh,
    start: f64,
    rest: Rest,
}

/// Vertices at rest, what moves them, and the grid they are rounded to.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    vertices: Vec<Point>,
    shape: Shape,
    grid: Grid,
}

/// What moves vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Hand(Hand),
    Pulse(Pulse),
    Rod(Rod),
    Cloth(Cloth),
}

impl Deforming {
    /// From a surface at rest; `size` is how far it reaches along each axis at any time.
    pub(crate) fn new(
        values: &Values,
        rest: Surface,
        (shape, size): (Shape, Point),
    ) -> Result<Self, SampleError> {
        let start = values.real("phase");
        let grid = Grid::of(size);
        let Surface { vertices, triangles } = rest;
        let rest = Rest { vertices, shape, grid };
        let mut placed = Vec::new();
        rest.place(start, &mut placed);
        let mesh = Surface { vertices: placed, triangles }.finish(values.sample, size)?;
        Ok(Self { mesh, start, rest })
    }

    /// Its vertices at a phase, in place of what `out` holds. A phase later by 1 is the same again.
    pub fn vertices_at(&self, phase: f64, out: &mut Vec<Point>) {
        self.rest.place(self.start + phase, out);
    }

    /// So many instants of one period, evenly spaced from phase 0 on; the period's end, which is its
    /// beginning, is left out.
    pub fn frames(&self, count: u32) -> Frames {
        let mut vertices = Vec::new();
        let mut all = Vec::with_capacity(self.mesh.vertices().len() * count as usize);
        for i in 0..count {
            self.vertices_at(f64::from(i) / f64::from(count), &mut vertices);
            all.extend_from_slice(&vertices);
        }
        Frames::new(&self.mesh, all).expect("samples have finite vertices, as many in every frame")
    }
}

impl Animation for Deforming {
    fn frames(&self, count: u32) -> Result<Frames, String> {
        Ok(self.frames(count))
    }
}

impl Rest {
    fn place(&self, phase: f64, out: &mut Vec<Point>) {
        let phase = phase - phase.floor();
        out.clear();
        let mut rounded = |place: &dyn Fn(Point) -> Point| {
            out.extend(self.vertices.iter().map(|v| self.grid.round(place(*v))));
        };
        match self.shape {
            Shape::Hand(hand) => rounded(&hand.at(phase)),
            Shape::Pulse(pulse) => rounded(&pulse.at(phase)),
            Shape::Rod(rod) => rounded(&rod.at(phase)),
            Shape::Cloth(cloth) => rounded(&cloth.at(phase)),
        }
    }
}

/// From 0 at the beginning of a period to 1 in its middle and back, smoothly.
fn there_and_back(phase: f64) -> f64 {
    0.5 - 0.5 * cosine(TAU * phase)
}

fn cosine(angle: f64) -> f64 {
    sine(angle + FRAC_PI_2)
}

/// From 0 to 1 while `x` goes from 0 to 1, level at both ends.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests;
