//! A head of 1816 faces, as that of [K98 §4.3]: skull, brow, eye sockets, nose, lips,
//! chin, ears and neck.
//!
//! Every direction from the middle has one distance, so the surface cannot meet itself however
//! coarse it is.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::sphere;
use glam::DVec3;
use impinge_geom::mesh::Mesh;

pub(crate) static PARAMETERS: [Parameter; 1] =
    [Parameter::count("faces", "faces; an odd number is rounded up", [1816, 200, 1_000_000])];

/// It looks along x, its right ear is at −y, its crown up along z; the skull has a radius of about 1.
pub(crate) fn head(values: &Values) -> Result<Mesh, SampleError> {
    let faces = values.whole("faces");
    let middle = |[a, b]: [DVec3; 2]| (a + b).normalize().to_array();
    let mut surface = sphere::unit_sphere_below(faces).refined_by(faces, middle);
    for vertex in &mut surface.vertices {
        let direction = DVec3::from_array(*vertex);
        *vertex = (direction * distance(direction)).to_array();
    }
    surface.finish(values.sample, [2.0; 3])
}

/// How far the surface is in a direction.
fn distance(way: DVec3) -> f64 {
    let skull = ellipsoid(way, [-0.12, 0.0, 0.2], [1.0, 0.78, 0.88]);
    let face = ellipsoid(way, [0.22, 0.0, -0.15], [0.66, 0.62, 0.95]);
    let solid = skull.max(face).max(neck(way));
    let swell: f64 = FEATURES
        .iter()
        .map(|feature| feature.height * feature.share([way.x, way.y.abs(), way.z]))
        .sum();
    solid * (1.0 + swell)
}

/// A bump or a dent around a direction, the same on both sides of the head.
struct Feature {
    at: [f64; 3],
    /// How wide it is along each axis, as a part of the distance from the middle.
    width: [f64; 3],
    height: f64,
}

const FEATURES: [Feature; 7] = [
    // Bridge and tip of the nose.
    Feature { at: [1.0, 0.0, 0.02], width: [9.0, 0.13, 0.24], height: 0.1 },
    Feature { at: [0.98, 0.0, -0.16], width: [9.0, 0.16, 0.14], height: 0.2 },
    // Eye sockets and the brow above them.
    Feature { at: [0.9, 0.36, 0.08], width: [9.0, 0.2, 0.14], height: -0.16 },
    Feature { at: [0.9, 0.3, 0.3], width: [9.0, 0.4, 0.12], height: 0.05 },
    // Lips and chin.
    Feature { at: [0.9, 0.0, -0.45], width: [9.0, 0.26, 0.07], height: 0.06 },
    Feature { at: [0.75, 0.0, -0.7], width: [9.0, 0.26, 0.16], height: 0.06 },
    // Ears.
    Feature { at: [-0.08, 1.0, 0.0], width: [0.16, 9.0, 0.3], height: 0.26 },
];

impl Feature {
    /// 1 in the middle, 0 from its border on, and smooth.
    fn share(&self, way: [f64; 3]) -> f64 {
        let part = |k: usize| (way[k] - self.at[k]) / self.width[k];
        let square: f64 = (0..3).map(|k| part(k) * part(k)).sum();
        let left = (1.0 - 0.5 * square).max(0.0);
        left * left
    }
}

/// How far a ray from the middle leaves an ellipsoid that holds it.
fn ellipsoid(way: DVec3, center: [f64; 3], radii: [f64; 3]) -> f64 {
    let scale = DVec3::from_array(radii);
    let (way, from) = (way / scale, DVec3::from_array(center) / -scale);
    let (square, half) = (way.length_squared(), from.dot(way));
    ((half * half + square * (1.0 - from.length_squared())).sqrt() - half) / square
}

/// An upright cylinder behind the middle that ends below the chin.
fn neck(way: DVec3) -> f64 {
    const RADIUS: f64 = 0.5;
    const BEHIND: f64 = 0.2;
    const END: f64 = 1.75;
    if way.z >= 0.0 {
        return 0.0;
    }
    let across = way.x * way.x + way.y * way.y;
    let half = way.x * BEHIND;
    let left = half * half + across * (RADIUS * RADIUS - BEHIND * BEHIND);
    // Straight down the wall is never met.
    let wall = if across > 0.0 { (left.sqrt() - half) / across } else { f64::INFINITY };
    wall.min(END / -way.z)
}
