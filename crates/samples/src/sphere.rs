//! Spheres by latitude and longitude, as the standardised spheres of [K98 §4.1], and their kin.

use crate::error::SampleError;
use crate::parameter::Values;
use crate::surface::Surface;
use crate::turn::{sine, turn};
use impinge_geom::mesh::Mesh;

/// A sphere of `segments` meridians and `rings` bands has `2 · segments · (rings − 1)` faces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Division {
    segments: u32,
    rings: u32,
}

/// The division with the fewest faces, but at least `faces`, whose cells are not too long: one and a
/// half to three times as many meridians as bands. Among equals, the one nearest to twice as many.
///
/// All counts of [K98 §4.1] are met exactly. Others may not be: 14, for instance, becomes 20.
fn divide(faces: u32) -> Division {
    let mut half = faces.div_ceil(2);
    // Ends soon: of any few hundred numbers in a row, some have two factors of the right ratio.
    loop {
        if let Some(division) = divide_exactly(half) {
            return division;
        }
        half += 1;
    }
}

/// `segments · (rings − 1) = half`, if there is such a division of the right proportions.
fn divide_exactly(half: u32) -> Option<Division> {
    let rings_max = (f64::from(half) / 1.5).sqrt() as u32 + 2;
    (2..=rings_max)
        .filter(|rings| half.is_multiple_of(rings - 1))
        .map(|rings| Division { segments: half / (rings - 1), rings })
        .filter(|d| 2 * d.segments >= 3 * d.rings && d.segments <= 3 * d.rings)
        .min_by_key(|d| {
            u64::from(d.segments.abs_diff(2 * d.rings)) * 1_000_000 / u64::from(d.rings)
        })
}

pub(crate) fn unit_sphere(faces: u32) -> Surface {
    divide(faces).unit_sphere()
}

/// A sphere of at most so many faces, of at least 8, that can still be cut finer.
pub(crate) fn unit_sphere_below(faces: u32) -> Surface {
    let below = (4..=faces / 2).rev().find_map(divide_exactly);
    below.unwrap_or(Division { segments: 4, rings: 2 }).unit_sphere()
}

impl Division {
    fn unit_sphere(self) -> Surface {
        let Self { segments, rings } = self;
        let profile: Vec<[f64; 2]> = (0..=rings)
            .map(|i| {
                let [cosine, sine] = turn(i, 2 * rings);
                [sine, -cosine]
            })
            .collect();
        Surface::revolved(&profile, segments)
    }
}

pub(crate) fn sphere(values: &Values) -> Result<Mesh, SampleError> {
    stretched(unit_sphere(values.whole("faces")), values, [values.real("radius"); 3])
}

pub(crate) fn ellipsoid(values: &Values) -> Result<Mesh, SampleError> {
    let radii = ["rx", "ry", "rz"].map(|name| values.real(name));
    stretched(unit_sphere(values.whole("faces")), values, radii)
}

/// A sphere with waves of two lengths on it: not convex, its faces of very different sizes.
pub(crate) fn bumpy(values: &Values) -> Result<Mesh, SampleError> {
    let mut surface = unit_sphere(values.whole("faces"));
    for vertex in &mut surface.vertices {
        let [x, y, z] = *vertex;
        let long = sine(9.0 * x + 1.0) * sine(11.0 * y + 2.0) * sine(10.0 * z + 3.0);
        let short = sine(31.0 * x) * sine(37.0 * y) * sine(29.0 * z);
        let height = 1.0 + 0.06 * long + 0.02 * short;
        *vertex = [x * height, y * height, z * height];
    }
    stretched(surface, values, [values.real("radius"); 3])
}

fn stretched(mut surface: Surface, values: &Values, by: [f64; 3]) -> Result<Mesh, SampleError> {
    for vertex in &mut surface.vertices {
        *vertex = std::array::from_fn(|k| vertex[k] * by[k]);
    }
    surface.finish(values.sample, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::FACES_MAX;

    fn faces(d: Division) -> u32 {
        2 * d.segments * (d.rings - 1)
    }

    #[test]
    fn the_counts_of_the_paper_are_met_exactly() {
        for count in [8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968] {
            assert_eq!(faces(divide(count)), count);
        }
        assert_eq!(divide(960), Division { segments: 32, rings: 16 });
    }

    #[test]
    fn other_counts_are_reached_from_above_and_closely() {
        for count in 8..5000 {
            let reached = faces(divide(count));
            assert!(reached >= count && reached <= count + 8 + count / 20, "{count} → {reached}");
        }
        assert_eq!(faces(divide(14)), 20);
        assert_eq!(u64::from(faces(divide(FACES_MAX as u32))), FACES_MAX);
    }
}
