//! A space shuttle of 528 faces, as flown in [K98 §4.2]: fuselage, delta wings, a fin, and a hollow
//! where the engines are, one closed surface.
//!
//! Eleven sections along the fuselage have their corners on the same 24 rays from the axis, so the
//! surface cannot meet itself.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::surface::Surface;
use glam::DVec2;
use impinge_geom::mesh::Mesh;

/// The fuselage's corners right of the axis, from the keel up; wings begin between the fourth and the
/// eighth. The keel and the ridge are on the axis' own plane.
const CORNERS: [DVec2; 13] = [
    DVec2::new(0.0, -0.9),
    DVec2::new(0.5, -0.875),
    DVec2::new(0.875, -0.8125),
    DVec2::new(1.0, -0.625),
    DVec2::new(1.0, -0.28125),
    DVec2::new(1.0, -0.171875),
    DVec2::new(1.0, -0.15625),
    DVec2::new(1.0, -0.0625),
    DVec2::new(0.9375, 0.375),
    DVec2::new(0.6875, 0.75),
    DVec2::new(0.34375, 0.96875),
    DVec2::new(0.125, 1.0625),
    DVec2::new(0.0, 1.09375),
];
/// Which of them are on the lower side, the edge and the upper side of a wing.
const WING: [usize; 3] = [4, 5, 6];
/// Where the fin is.
const RIDGE: usize = 12;

struct Section {
    x: f64,
    /// The size of the fuselage.
    size: f64,
    /// From the axis to the tip of a wing, and to that of the fin, in widths and heights of the
    /// fuselage.
    span: f64,
    fin: f64,
}

const fn section([x, size]: [f64; 2], [span, fin]: [f64; 2]) -> Section {
    Section { x, size, span, fin }
}

const SECTIONS: [Section; 11] = [
    section([0.1875, 0.375], [1.0, 1.0]),
    section([0.75, 0.6875], [1.0, 1.0]),
    section([1.5, 0.90625], [1.0, 1.0]),
    section([2.5, 1.0], [1.0, 1.0]),
    section([3.75, 1.0], [1.25, 1.0]),
    section([5.0, 1.0], [1.625, 1.0]),
    section([6.5, 1.0], [2.875, 1.0]),
    section([7.0, 1.0], [3.0, 1.75]),
    section([7.5, 1.0], [3.0, 2.5]),
    section([8.0, 1.0], [2.9375, 2.75]),
    section([8.375, 0.9375], [1.25, 2.25]),
];
const NOSE: f64 = 0.0;
/// The bottom of the hollow at the stern.
const STERN: f64 = 8.125;

pub(crate) static PARAMETERS: [Parameter; 1] =
    [Parameter::count("faces", "faces; an odd number is rounded up", [528, 528, 1_000_000])];

/// Its nose at the origin, its stern along x, its fin along z.
pub(crate) fn shuttle(values: &Values) -> Result<Mesh, SampleError> {
    let mut surface = Surface::default();
    surface.vertices.push([NOSE, 0.0, 0.0]);
    for section in &SECTIONS {
        surface.vertices.extend((0..24).map(|ray| {
            let DVec2 { x: y, y: z } = section.corner(ray);
            [section.x, y, z]
        }));
    }
    surface.vertices.push([STERN, 0.0, 0.0]);
    let last = surface.vertices.len() as u32 - 1;
    for ray in 0..24 {
        let next = (ray + 1) % 24;
        surface.triangles.push([0, 1 + next, 1 + ray]);
        for low in (1..last - 24).step_by(24) {
            let [a, b, c, d] = [low + ray, low + next, low + 24 + next, low + 24 + ray];
            surface.triangles.extend([[a, b, c], [a, c, d]]);
        }
        surface.triangles.push([last, last - 24 + ray, last - 24 + next]);
    }
    surface.refined(values.whole("faces")).finish(values.sample, [8.0, 4.0, 4.0])
}

impl Section {
    /// Rays are counted from the keel, up on the right side and down on the left one.
    fn corner(&self, ray: usize) -> DVec2 {
        let (k, side) = if ray <= RIDGE { (ray, 1.0) } else { (24 - ray, -1.0) };
        let reach = match k {
            _ if k == WING[1] => self.span,
            _ if WING.contains(&k) => f64::midpoint(1.0, self.span),
            RIDGE => self.fin,
            _ => 1.0,
        };
        CORNERS[k] * self.size * reach * DVec2::new(side, 1.0)
    }
}
