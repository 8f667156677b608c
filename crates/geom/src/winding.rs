//! The generalised winding number: how often a surface runs around a point, as a fraction where the
//! surface has holes. It serves soup, for which ray parity means nothing.
//!
//! It is the sum of the signed solid angles of all triangles over 4π; the angle of one triangle is
//! the arc tangent form of van Oosterom and Strackee (1983). Rounded, not exact.

use glam::DVec3;

use crate::{Point, Triangle};

/// 1 inside a closed mesh whose faces are counterclockwise seen from outside, 0 outside, something
/// between for a surface with holes. For a point on the surface the value has no meaning.
pub fn winding_number(point: &Point, triangles: impl IntoIterator<Item = Triangle>) -> f64 {
    let eye = DVec3::from(*point);
    let half_angles: f64 = triangles
        .into_iter()
        .map(|triangle| half_solid_angle(triangle.map(|p| DVec3::from(p) - eye)))
        .sum();
    half_angles / (2.0 * std::f64::consts::PI)
}

/// Half the signed solid angle of a triangle seen from the origin; zero if a corner is there.
fn half_solid_angle(corners: [DVec3; 3]) -> f64 {
    // Unit vectors keep the triple product in range, however large or small the mesh is.
    let [Some(a), Some(b), Some(c)] = corners.map(DVec3::try_normalize) else {
        return 0.0;
    };
    let volume = a.dot(b.cross(c));
    let flatness = 1.0 + a.dot(b) + b.dot(c) + c.dot(a);
    volume.atan2(flatness)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    fn tetrahedron(scale: f64) -> Vec<Triangle> {
        FACES.iter().map(|f| f.map(|v| CORNERS[v].map(|x| x * scale))).collect()
    }

    #[test]
    fn a_closed_surface_runs_around_its_inside_once_at_any_scale() {
        for scale in [2f64.powi(-290), 1e-12, 1.0, 1e12, 2f64.powi(290)] {
            let at = |x: f64| winding_number(&[x * scale; 3], tetrahedron(scale));
            assert!((at(0.25) - 1.0).abs() < 1e-14);
            assert!(at(0.75).abs() < 1e-14 && at(-1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_quarter_turn_of_space_is_an_eighth() {
        let octant = [CORNERS[1], CORNERS[2], CORNERS[3]];
        assert!((winding_number(&[0.0; 3], [octant]) - 0.125).abs() < 1e-15);
        let [a, b, c] = octant;
        assert!((winding_number(&[0.0; 3], [[a, c, b]]) + 0.125).abs() < 1e-15);
    }
}
