//! Irregular convex bodies, such as the 36-faced one that [V00 §8] tests with (its figure 10).
//!
//! Corners lie at random on an ellipsoid, so that all of them stand out; the faces are their convex
//! hull, found by trying every three of them in exact integers.

use crate::error::SampleError;
use crate::parameter::Values;
use crate::random::Random;
use crate::surface::Surface;
use glam::{DVec3, I64Vec3};
use impinge_geom::mesh::Mesh;

/// Half axes for a radius of one. Unequal, to be irregular; an ellipsoid, to be convex.
const STRETCH: DVec3 = DVec3::new(1.0, 0.875, 0.75);
/// Draws of all corners before giving up; one in some hundred has four corners in a plane.
const DRAWS_MAX: u32 = 100;

/// A polytope of `n` corners in general position has `2n − 4` triangles: 20 give 36.
pub(crate) fn polytope(values: &Values) -> Result<Mesh, SampleError> {
    let (corners, radius) = (values.whole("corners") as usize, values.real("radius"));
    let mut random = Random(u64::from(values.whole("seed")));
    for _ in 0..DRAWS_MAX {
        let Some(vertices) = draw(corners, &mut random) else { continue };
        let triangles = hull(&vertices);
        if triangles.len() == 2 * corners - 4 {
            let scale = radius / GRID;
            let vertices = vertices.iter().map(|v| (v.as_dvec3() * scale).to_array()).collect();
            return Surface { vertices, triangles }.finish(values.sample, [radius; 3]);
        }
    }
    let needed = format!("{DRAWS_MAX} draws found no {corners} corners in general position");
    Err(values.conflict(needed))
}

/// Corners are drawn on a grid of this many steps to the radius; small enough for exact products
/// in 64 bits, and for the mesh's own grid not to move them.
const GRID: f64 = 65536.0;

/// Corners on the ellipsoid, none too near to another; `None` if there is no room left.
fn draw(corners: usize, random: &mut Random) -> Option<Vec<I64Vec3>> {
    // Half of what an even distribution would have: a corner's share of the sphere is 4π / n.
    let apart = 1.75 / (corners as f64).sqrt();
    let mut directions: Vec<DVec3> = Vec::with_capacity(corners);
    for _ in 0..1000 * corners {
        let v = DVec3::from_array(std::array::from_fn(|_| random.symmetric()));
        let length = v.length();
        if !(0.1..=1.0).contains(&length) {
            continue;
        }
        let v = v / length;
        if directions.iter().all(|other| (v - other).length() >= apart) {
            directions.push(v);
        }
        if directions.len() == corners {
            return Some(directions.iter().map(|d| (d * STRETCH * GRID).as_i64vec3()).collect());
        }
    }
    None
}

/// Every three corners that have all others strictly on one side, turned outward.
fn hull(corners: &[I64Vec3]) -> Vec<[u32; 3]> {
    let n = corners.len();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (corners[j] - corners[i]).cross(corners[k] - corners[i]);
                let others = (0..n).filter(|m| ![i, j, k].contains(m));
                let sides = others.map(|m| (corners[m] - corners[i]).dot(normal).signum());
                match sides.fold([false; 3], |mut seen, side| {
                    seen[(side + 1) as usize] = true;
                    seen
                }) {
                    [true, false, false] => triangles.push([i, j, k].map(|v| v as u32)),
                    [false, false, true] => triangles.push([i, k, j].map(|v| v as u32)),
                    _ => {}
                }
            }
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_in_a_plane_make_no_triangle() {
        let cube: Vec<I64Vec3> =
            (0..8).map(|i| I64Vec3::new(i & 1, i >> 1 & 1, i >> 2 & 1)).collect();
        assert!(hull(&cube).is_empty());
        let tetrahedron = [cube[0], cube[1], cube[2], cube[4]];
        assert_eq!(hull(&tetrahedron).len(), 4);
    }
}
