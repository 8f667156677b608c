//! What a body weighs and how it resists being turned: integrals over the volume of its mesh.
//!
//! Each face spans a tetrahedron with the middle of the mesh; the signed sums over these are the
//! volume, its centre and its second moments. Moments of inertia are kept along the principal axes,
//! where the equations of a turning body are plain. A mesh that encloses no volume is taken for the
//! solid box around it, and says so.

use glam::{DMat3, DQuat, DVec3};
use impinge_geom::mesh::Mesh;
use impinge_geom::topology::Topology;

/// Where the numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassSource {
    /// From the volume that the mesh encloses.
    Volume,
    /// From the box around the mesh, which is open, turned inconsistently or flat.
    Box,
}

/// Volume and second moments of a solid of density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Its volume.
    pub volume: f64,
    /// Its centre, in the mesh's frame.
    pub center: DVec3,
    /// The principal moments of inertia about the centre, per mass.
    pub moments: DVec3,
    /// From the frame of the principal axes to the mesh's.
    pub axes: DQuat,
    /// What it was taken from.
    pub source: MassSource,
    /// Whether the faces are clockwise seen from outside; never so for a box.
    pub inverted: bool,
}

/// A volume below this part of the box around it is no solid, but rounding.
const VOLUME_PART_MIN: f64 = 1e-9;
/// A flat box is this thick, as a part of its diagonal, so that nothing turns without resistance.
const THICKNESS_MIN: f64 = 1e-3;
/// Sweeps of the search for principal axes; it converges quadratically, five are the rule.
const SWEEPS_MAX: usize = 30;

impl Solid {
    /// Looks at all faces.
    pub fn of(mesh: &Mesh) -> Self {
        let topology = Topology::of(mesh);
        let solid = topology.closed && topology.oriented;
        solid.then(|| Self::of_volume(mesh)).flatten().unwrap_or_else(|| Self::of_box(mesh))
    }

    fn of_volume(mesh: &Mesh) -> Option<Self> {
        let bounds = mesh.bounds();
        // Relative to the middle and in units of the size, so that little is lost to rounding.
        let (middle, size) = (DVec3::from(bounds.center()), bounds.diagonal());
        if size <= 0.0 {
            return None;
        }
        let mut volume = 0.0;
        let mut first = DVec3::ZERO;
        let mut second = DMat3::ZERO;
        for i in 0..mesh.triangles().len() as u32 {
            let [a, b, c] = mesh.triangle(i).map(|p| (DVec3::from(p) - middle) / size);
            let six = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += six / 6.0;
            first += sum * (six / 24.0);
            // ∫ x xᵀ over the tetrahedron (0, a, b, c) is det/120 · (aaᵀ + bbᵀ + ccᵀ + ssᵀ).
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six / 120.0);
        }
        let [x, y, z] = bounds.size().map(|x| x / size);
        if volume.abs() <= VOLUME_PART_MIN * (x * y * z) {
            return None;
        }
        let center = first / volume;
        let spread = second * (1.0 / volume) - outer(center);
        let (spread, axes) = principal(spread);
        let moments = DVec3::new(spread.y + spread.z, spread.x + spread.z, spread.x + spread.y);
        if moments.min_element() <= 0.0 {
            return None;
        }
        Some(Self {
            volume: volume.abs() * size.powi(3),
            center: middle + center * size,
            moments: moments * (size * size),
            axes,
            source: MassSource::Volume,
            inverted: volume < 0.0,
        })
    }

    fn of_box(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        // A single point has no size at all; any will do, for nothing can turn it visibly.
        let diagonal = if bounds.diagonal() > 0.0 { bounds.diagonal() } else { 1.0 };
        let size = DVec3::from(bounds.size()).max(DVec3::splat(THICKNESS_MIN * diagonal));
        let square = size * size / 12.0;
        Self {
            volume: size.element_product(),
            center: bounds.center().into(),
            moments: DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y),
            axes: DQuat::IDENTITY,
            source: MassSource::Box,
            inverted: false,
        }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Eigenvalues of a symmetric matrix, and the turn from the frame of its axes, by Jacobi's method.
/// A matrix that is diagonal already keeps its axes to the bit.
pub(crate) fn principal(matrix: DMat3) -> (DVec3, DQuat) {
    let mut m = matrix.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    let scale = m.iter().flatten().fold(0.0f64, |max, x| max.max(x.abs()));
    for _ in 0..SWEEPS_MAX {
        let mut largest = 0.0f64;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m[p][q];
            largest = largest.max(off.abs());
            if off.abs() <= f64::EPSILON * scale {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
                (axes[p][k], axes[q][k]) =
                    (c * axes[p][k] - s * axes[q][k], s * axes[p][k] + c * axes[q][k]);
            }
        }
        if largest <= f64::EPSILON * scale {
            break;
        }
    }
    // Column k of `axes` is the k-th axis; rotations only were applied, so it is one.
    let axes = DMat3::from_cols_array_2d(&axes);
    (DVec3::new(m[0][0], m[1][1], m[2][2]), DQuat::from_mat3(&axes).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geom::Point;
    use impinge_geom::pose::Pose;

    fn brick(size: Point) -> Mesh {
        let corner = |i: usize| [0, 1, 2].map(|k| (i >> k & 1) as f64 * size[k]);
        let quads: [[u32; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    #[test]
    fn a_brick_is_what_the_book_says() {
        let [a, b, c] = [1.0, 2.0, 3.0];
        let solid = Solid::of(&brick([a, b, c]));
        assert_eq!(solid.source, MassSource::Volume);
        assert!((solid.volume - 6.0).abs() < 1e-12);
        assert!((solid.center - DVec3::new(0.5, 1.0, 1.5)).length() < 1e-12);
        let expected = DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b) / 12.0;
        assert!((solid.moments - expected).length() < 1e-12, "{}", solid.moments);
        assert_eq!(solid.axes, DQuat::IDENTITY);
    }

    #[test]
    fn turning_a_mesh_turns_its_axes() {
        let pose = Pose::new([0.3, -0.5, 0.7, 0.2], [100.0, -20.0, 3.0]).unwrap();
        let straight = brick([1.0, 2.0, 3.0]);
        let vertices = straight.vertices().iter().map(|v| pose.apply(v)).collect();
        let (one, two) =
            (Solid::of(&straight), Solid::of(&straight.with_vertices(vertices).unwrap()));
        assert!((one.volume - two.volume).abs() < 1e-10);
        let center = DVec3::from(pose.apply(&one.center.into()));
        assert!((two.center - center).length() < 1e-10);
        // The tensors agree, whatever the order of the axes.
        let tensor = |solid: &Solid, turn: DMat3| {
            let axes = turn * DMat3::from_quat(solid.axes);
            axes * DMat3::from_diagonal(solid.moments) * axes.transpose()
        };
        let turn = DMat3::from_cols_array_2d(&pose.matrix()).transpose();
        let gap = tensor(&one, turn) - tensor(&two, DMat3::IDENTITY);
        assert!(gap.to_cols_array().iter().all(|x| x.abs() < 1e-11), "{gap}");
    }

    #[test]
    fn inside_out_counts_as_well_and_open_meshes_are_boxes() {
        let straight = brick([1.0, 2.0, 3.0]);
        let turned = straight.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let turned = Mesh::new(straight.vertices().to_vec(), turned).unwrap();
        assert!(Solid::of(&turned).inverted && !Solid::of(&straight).inverted);
        assert_eq!(Solid::of(&turned).source, MassSource::Volume);
        assert!((Solid::of(&turned).volume - 6.0).abs() < 1e-12);
        let open = straight.triangles()[1..].to_vec();
        let open = Solid::of(&Mesh::new(straight.vertices().to_vec(), open).unwrap());
        assert_eq!(open.source, MassSource::Box);
        assert!((open.volume - 6.0).abs() < 1e-12);
        let flat = Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
        let flat = Solid::of(&flat.unwrap());
        assert!(flat.volume > 0.0 && flat.moments.min_element() > 0.0);
        let point = Solid::of(&Mesh::new(vec![[7.0; 3]], vec![[0, 0, 0]]).unwrap());
        assert!(point.volume > 0.0 && point.moments.min_element() > 0.0);
    }
}
