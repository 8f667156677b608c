//! A spaceship for the simulator of [H93], not convex at all: a hull with four wings like blades, in
//! pairs that gape, and between them on each side an engine, hollow at both ends. Three closed
//! surfaces.
//!
//! The corners of all sections of the hull are on the same rays from its axis, so that it cannot meet
//! itself. The engines stand free between the wings.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::surface::{FACES_MAX, Surface, check_faces};
use crate::turn::turn;
use impinge_geom::mesh::Mesh;

pub(crate) static PARAMETERS: [Parameter; 1] = [Parameter::count(
    "faces",
    "faces; if the count cannot be met, the next that can",
    [3072, 1024, FACES_MAX as u32],
)];

const STERN: f64 = -4.0;
const NOSE: f64 = 6.0;
/// How deep the stern is hollow.
const HOLLOW: f64 = 0.5;
/// How far wings reach, in radii of the hull, beyond the hull itself.
const SPAN: f64 = 3.5;
/// How far from the middle of a wing it begins to rise, in parts of the angle between wing and xy plane.
const ROOT: f64 = 2.0 / 3.0;
/// Outline of an engine, `[radius, x]`: from the bottom of its nozzle around to that of its intake.
const ENGINE: [[f64; 2]; 10] = [
    [0.0, 0.625],
    [0.15625, 0.625],
    [0.265625, 0.0],
    [0.34375, 0.0],
    [0.34375, 1.5],
    [0.28125, 2.625],
    [0.21875, 3.25],
    [0.171875, 3.25],
    [0.140625, 2.625],
    [0.0, 2.625],
];
/// Where the nozzle of the right engine ends.
const ENGINE_AT: [f64; 2] = [-3.25, 1.6875];

/// Its nose along x, its wings to both sides along y.
pub(crate) fn spaceship(values: &Values) -> Result<Mesh, SampleError> {
    let faces = values.whole("faces");
    // Rays around and sections along grow alike. Wings are at whole 16ths of a turn.
    let fineness = ((f64::from(faces) / 3072.0).sqrt() * 3.0).round().max(2.0) as u32;
    let (rays, segments) = (16 * fineness, 8 * fineness);
    let engine_faces = 2 * segments * (ENGINE.len() as u32 - 2);
    let left = faces.saturating_sub(2 * engine_faces);
    let sections = left.div_ceil(2 * rays).max(10);
    check_faces(values.sample, u64::from(2 * rays * sections + 2 * engine_faces))?;
    let mut surface = hull(rays, sections);
    for side in [1.0, -1.0] {
        let mut engine = Surface::revolved(&ENGINE, segments);
        let [x, y] = ENGINE_AT;
        for vertex in &mut engine.vertices {
            // From the z axis to the x axis, by a turn.
            *vertex = [vertex[2] + x, vertex[0] + side * y, vertex[1]];
        }
        surface.append(engine);
    }
    surface.finish(values.sample, [8.0, 8.0, 4.0])
}

/// Sections from the stern to the nose, and a corner on the axis at both ends.
fn hull(rays: u32, sections: u32) -> Surface {
    let mut surface = Surface::default();
    surface.vertices.push([STERN + HOLLOW, 0.0, 0.0]);
    for section in 0..sections {
        let along = f64::from(section) / f64::from(sections);
        let radius = 0.8 * (1.0 - along * along).sqrt() + 0.6 * along * (1.0 - along);
        surface.vertices.extend((0..rays).map(|ray| {
            let reach = radius * (1.0 + SPAN * span(along) * blade(ray, rays / 16));
            let [y, z] = turn(ray, rays);
            [STERN + (NOSE - STERN) * along, reach * y, reach * z]
        }));
    }
    surface.vertices.push([NOSE, 0.0, 0.0]);
    let last = surface.vertices.len() as u32 - 1;
    for ray in 0..rays {
        let next = (ray + 1) % rays;
        surface.triangles.push([0, 1 + next, 1 + ray]);
        for low in (1..last - rays).step_by(rays as usize) {
            let [a, b, c, d] = [low + ray, low + next, low + rays + next, low + rays + ray];
            surface.triangles.extend([[a, b, c], [a, c, d]]);
        }
        surface.triangles.push([last, last - rays + ray, last - rays + next]);
    }
    surface
}

/// How much of its full span a wing has along the ship, 0 at the stern and 1 at the nose: swept back.
fn span(along: f64) -> f64 {
    ((0.6 - along) / 0.4).clamp(0.0, 1.0) * ((along - 0.0625) / 0.09375).clamp(0.0, 1.0)
}

/// How much of a wing is at a ray: wings are a 16th of a turn above and below the xy plane.
fn blade(ray: u32, sixteenth: u32) -> f64 {
    let eighth = 8 * sixteenth;
    // Folded into the quarter from the xy plane up.
    let folded = (ray % eighth).min(eighth - ray % eighth);
    let off = f64::from(folded.abs_diff(sixteenth)) / f64::from(sixteenth);
    let rise = (1.0 - off / ROOT).max(0.0);
    rise * rise
}
