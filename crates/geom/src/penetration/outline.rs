//! What is prepared of a shape once, so that its pairs can be parted quickly: its vertices under a
//! tree, what of its hull is known to be solid, and some balls that are.
//!
//! **Solid** means inside the closed shells of the mesh ([`crate::shells`]), where another body cannot
//! be without touching. Two things are proven here, for any mesh:
//!
//! - A ball whose centre is inside and which no face of a shell reaches into is solid.
//! - If each face of the shells lies within `dent` of a plane that has the whole mesh on one side,
//!   then all of them lie within `dent` of the surface of the hull. What is deeper in the hull than
//!   that is convex and meets no face, so it is solid as a whole if one point of it is. For a convex
//!   mesh `dent` is no more than rounding.
//!
//! O(n log n), plus O(n) for each of a few balls. Open meshes have no solid part, except that a single
//! triangle is its own hull.

use super::support::SupportTree;
use crate::aabb::Aabb;
use crate::distance::{aabb_gap, point_triangle};
use crate::inside::Location;
use crate::mesh::Mesh;
use crate::shells::{Shell, locate_in, shells};
use crate::sphere::Sphere;
use crate::topology::merge;
use crate::{Point, Triangle, flush};
use glam::DVec3;

/// At most so many balls are looked for.
const BALLS_MAX: usize = 16;
/// So many faces are looked at for all of them together, if four balls leave some over.
const BALL_WORK: usize = 1 << 20;
/// A hull with deeper dents, as a part of the largest ball, is not worth being called solid.
const DENT_MAX: f64 = 0.25;
/// A face whose height is a smaller part of its longest edge is a sliver.
const SLIVER: f64 = 1e-3;
/// More than rounding can add to a length that is computed here, as a part of the size.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A shape, prepared to be parted from others.
#[derive(Clone, Debug)]
pub struct Outline {
    pub(super) tree: SupportTree,
    /// No vertex is farther from the origin of the shape.
    pub(super) reach: f64,
    pub(super) fill: Fill,
    /// In the solid part.
    pub(super) balls: Vec<Sphere>,
}

/// What is known of the convex hull of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fill {
    /// The shape is its hull, to the last bit: one triangle.
    Whole,
    /// What lies deeper in the hull than `dent` is solid.
    Solid {
        /// A ball within the hull.
        core: Sphere,
        /// No vertex is farther from the centre of the core.
        reach: f64,
        /// See the head of this file.
        dent: f64,
    },
    /// Nothing.
    Unknown,
}

impl Outline {
    /// Prepares a shape.
    pub fn of(mesh: &Mesh) -> Self {
        let used = mesh.vertices().iter().zip(mesh.used());
        let points: Vec<Point> = used.filter_map(|(v, used)| used.then_some(*v)).collect();
        let largest = points.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        let unit = power_of_two(largest);
        let shape = Shape::of(mesh, unit);
        let tree = SupportTree::new(points);
        // The mean of a convex body's faces is inside it, so that other balls need not be tried.
        let mut balls = shape.balls(shape.means());
        let core = balls.iter().copied().reduce(|a, b| if b.radius > a.radius { b } else { a });
        let fill = match core {
            _ if mesh.triangles().len() == 1 => Fill::Whole,
            Some(core) => shape.fill(&core, &tree, unit),
            None => Fill::Unknown,
        };
        if fill == Fill::Unknown {
            balls.extend(shape.balls(shape.depths()));
        }
        let world = |ball: Sphere| Sphere {
            center: ball.center.map(|x| x * unit),
            radius: ball.radius * unit,
        };
        let balls = balls.into_iter().map(world).collect();
        Self { tree, reach: 2.0 * largest, fill, balls }
    }
}

/// The power of two just below a number, or one for zero: a unit that keeps squares in range.
pub(super) fn power_of_two(x: f64) -> f64 {
    let exponent = x.to_bits() & f64::INFINITY.to_bits();
    if exponent == 0 { 1.0 } else { f64::from_bits(exponent) }
}

/// The faces of the closed shells, in a unit in which no coordinate exceeds two.
struct Shape {
    shells: Vec<Shell>,
    /// All faces of the mesh, by number.
    triangles: Vec<Triangle>,
    /// Those of the shells, with their boxes.
    walls: Vec<(Aabb, Triangle)>,
}

impl Shape {
    fn of(mesh: &Mesh, unit: f64) -> Self {
        let scaled = |p: Point| p.map(|x| flush(x / unit));
        let count = mesh.triangles().len() as u32;
        let triangles: Vec<Triangle> = (0..count).map(|i| mesh.triangle(i).map(scaled)).collect();
        let shells = shells(mesh);
        let walls = shells.iter().flat_map(|shell| &shell.triangles).map(|&i| {
            let triangle = triangles[i as usize];
            (Aabb::around(&triangle), triangle)
        });
        let walls = walls.collect();
        Self { shells, triangles, walls }
    }

    /// The balls around some points that are proven solid.
    fn balls(&self, centers: impl Iterator<Item = Point>) -> Vec<Sphere> {
        centers.filter_map(|center| self.ball(center.map(flush))).collect()
    }

    /// The middle of the box, and the mean of the faces.
    fn means(&self) -> impl Iterator<Item = Point> {
        let around = self.walls.iter().fold(Aabb::EMPTY, |all, (aabb, _)| all.union(aabb));
        let sum: DVec3 = self.walls.iter().map(|(_, t)| middle(t)).sum();
        let mean = sum / self.walls.len() as f64;
        let count = if self.walls.is_empty() { 0 } else { 2 };
        [around.center(), mean.into()].into_iter().take(count)
    }

    /// Points midway between opposite faces, from all over the shape.
    fn depths(&self) -> impl Iterator<Item = Point> {
        let walls = self.walls.len();
        let count = (BALL_WORK / walls.max(1)).clamp(4, BALLS_MAX).min(walls);
        let spread = (0..count).map(move |k| k * walls / count);
        spread.filter_map(|wall| self.under(&self.walls[wall].1))
    }

    /// The middle of the way from a face straight inward to the next one.
    fn under(&self, triangle: &Triangle) -> Option<Point> {
        let (from, inward) = (middle(triangle), -normal(triangle)?);
        let ahead = |(aabb, other): &(Aabb, Triangle)| {
            // Cheap enough to be asked of every face: most boxes lie beside the ray.
            let center = DVec3::from(aabb.center()) - from;
            let beside = center.cross(inward).length_squared();
            if beside > DVec3::from(aabb.size()).length_squared() {
                None
            } else {
                hit(from, inward, other)
            }
        };
        let near = self.walls.iter().filter_map(ahead).filter(|&t| t > 1e-9).reduce(f64::min)?;
        Some((from + inward * (0.5 * near)).into())
    }

    /// The largest ball around a point that no face reaches into, if the point is inside.
    fn ball(&self, center: Point) -> Option<Sphere> {
        if locate_in(&self.shells, &center, |i| self.triangles[i as usize]) != Location::Inside {
            return None;
        }
        let at = Aabb { min: center, max: center };
        let mut radius = f64::INFINITY;
        for (aabb, triangle) in &self.walls {
            if aabb_gap(&at, aabb) < radius {
                radius = radius.min(point_triangle(&center, triangle).lo);
            }
        }
        (radius > 0.0 && radius.is_finite()).then_some(Sphere { center, radius })
    }

    /// How solid the hull is; `tree` is in the unit of the mesh.
    fn fill(&self, core: &Sphere, tree: &SupportTree, unit: f64) -> Fill {
        let dent_max = DENT_MAX * core.radius;
        let mut corners = None;
        let mut dent = 0.0f64;
        for (k, (_, triangle)) in self.walls.iter().enumerate() {
            // How deep the face lies under the highest plane across a direction; any proves something.
            let depth = |out: DVec3| {
                let top = DVec3::from(tree.farthest(&out.into())) / unit;
                triangle.iter().map(|&p| out.dot(top - DVec3::from(p))).fold(0.0, f64::max)
            };
            let normal = normal(triangle);
            let mut own = normal.map_or(f64::INFINITY, depth);
            if own > dent_max && is_sliver(triangle) {
                // Rounding turns narrow faces anywhere, so those around it stand for this one.
                let out = corners.get_or_insert_with(|| self.corner_normals())[k];
                own = own.min(out.map_or(f64::INFINITY, |out| depth(out).min(depth(-out))));
            } else if own > dent_max {
                // Perhaps the mesh is inside out.
                own = own.min(normal.map_or(f64::INFINITY, |out| depth(-out)));
            }
            dent = dent.max(own);
            if dent > dent_max {
                return Fill::Unknown;
            }
        }
        let center = DVec3::from(core.center);
        let away = |p: &Point| (DVec3::from(*p) / unit - center).length();
        let reach = tree.points().iter().map(away).fold(0.0, f64::max);
        let center = core.center.map(|x| x * unit);
        let core = Sphere { center, radius: core.radius * unit };
        Fill::Solid { core, reach: (reach + ROUNDING) * unit, dent: (dent + ROUNDING) * unit }
    }

    /// For each wall the mean direction of the faces around its corners, by their areas.
    fn corner_normals(&self) -> Vec<Option<DVec3>> {
        let points: Vec<Point> = self.walls.iter().flat_map(|(_, triangle)| *triangle).collect();
        let same = merge(&points);
        let mut sums = vec![DVec3::ZERO; points.len()];
        for (corners, (_, triangle)) in same.chunks_exact(3).zip(&self.walls) {
            let [a, b, c] = triangle.map(DVec3::from);
            corners.iter().for_each(|&v| sums[v as usize] += (b - a).cross(c - a));
        }
        let around = |corners: &[u32]| corners.iter().map(|&v| sums[v as usize]).sum::<DVec3>();
        same.chunks_exact(3).map(|corners| around(corners).try_normalize()).collect()
    }
}

/// Whether a face is so narrow that rounding may have turned it.
fn is_sliver(triangle: &Triangle) -> bool {
    let [a, b, c] = triangle.map(DVec3::from);
    let longest =
        (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() < SLIVER * longest
}

fn middle(triangle: &Triangle) -> DVec3 {
    triangle.iter().map(|&p| DVec3::from(p)).sum::<DVec3>() / 3.0
}

/// The unit normal, if rounding leaves one.
fn normal(triangle: &Triangle) -> Option<DVec3> {
    let [a, b, c] = triangle.map(DVec3::from);
    let size = (b - a).abs().max((c - a).abs()).max_element();
    if size == 0.0 {
        return None;
    }
    ((b - a) / size).cross((c - a) / size).try_normalize()
}

/// How far along a ray a triangle is met; rounded, for what is checked later.
fn hit(from: DVec3, direction: DVec3, triangle: &Triangle) -> Option<f64> {
    let [a, b, c] = triangle.map(|p| DVec3::from(p) - from);
    let normal = (b - a).cross(c - a);
    let slope = normal.dot(direction);
    let sides = [a.cross(b), b.cross(c), c.cross(a)].map(|side| side.dot(direction));
    let through = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
    (through && slope != 0.0).then(|| normal.dot(a) / slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(size: f64) -> Mesh {
        let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { 0.0 } else { size });
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = quads.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).concat();
        Mesh::new((0..8).map(corner).collect(), halves).unwrap()
    }

    #[test]
    fn a_cube_is_solid_at_any_size_and_also_inside_out() {
        for size in [2f64.powi(-290), 1.0, 3e80] {
            let mesh = cube(size);
            let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
            let inside_out = Mesh::new(mesh.vertices().to_vec(), turned).unwrap();
            for mesh in [mesh, inside_out] {
                let Fill::Solid { core, reach, dent } = Outline::of(&mesh).fill else {
                    panic!("a cube is convex");
                };
                assert!((core.radius / size - 0.5).abs() < 1e-12 && dent < 1e-13 * size);
                assert!((reach / size - 0.75f64.sqrt()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_open_dented_or_hollow_is_not_called_solid() {
        let solid = cube(1.0);
        let lidless = Mesh::new(solid.vertices().to_vec(), solid.triangles()[1..].to_vec());
        let open = Outline::of(&lidless.unwrap());
        assert!(open.fill == Fill::Unknown && open.balls.is_empty());

        let mut vertices = solid.vertices().to_vec();
        vertices[7] = [0.3; 3];
        let dented = Outline::of(&Mesh::new(vertices, solid.triangles().to_vec()).unwrap());
        assert!(dented.fill == Fill::Unknown && !dented.balls.is_empty());

        let cavity = cube(0.5).vertices().iter().map(|p| p.map(|x| x + 0.25)).collect::<Vec<_>>();
        let walls = solid.triangles().iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]);
        let hollow = Mesh::new(
            [solid.vertices(), &cavity].concat(),
            solid.triangles().iter().copied().chain(walls).collect(),
        );
        let hollow = Outline::of(&hollow.unwrap());
        assert_eq!(hollow.fill, Fill::Unknown);
        assert!(!hollow.balls.is_empty() && hollow.balls.iter().all(|ball| ball.radius < 0.1251));
    }

    /// A corner between two others, off their line by rounding: a face turned anywhere, which must
    /// not make the body seem dented.
    #[test]
    fn slivers_do_not_hide_that_a_body_is_convex() {
        let solid = cube(1.0);
        for off in [1e-16, 1e-9] {
            let mut vertices = solid.vertices().to_vec();
            // In the middle of the edge from corner 0 to 1, a little within the cube.
            vertices.push([0.5, off, off]);
            // Of the two faces of that edge one is split, and a sliver closes the gap to the other.
            let faces = solid.triangles().iter().flat_map(|&t| match t {
                [0, 1, 5] => vec![[0, 8, 5], [8, 1, 5], [0, 1, 8]],
                _ => vec![t],
            });
            let split = Mesh::new(vertices, faces.collect()).unwrap();
            let Fill::Solid { dent, .. } = Outline::of(&split).fill else {
                panic!("it is convex up to {off}");
            };
            assert!(dent < 2.0 * off + 1e-13, "{dent} {off}");
        }
    }

    #[test]
    fn flat_and_tiny_meshes_are_legal() {
        let flat = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let one = Mesh::new(flat.clone(), vec![[0, 1, 2]]).unwrap();
        assert_eq!(Outline::of(&one).fill, Fill::Whole);
        let two = Mesh::new(flat.clone(), vec![[0, 1, 2], [1, 3, 2]]).unwrap();
        assert_eq!(Outline::of(&two).fill, Fill::Unknown);
        let both_sides = Mesh::new(flat, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
        assert_eq!(Outline::of(&both_sides).fill, Fill::Unknown);
        let point = Mesh::new(vec![[0.0; 3]], vec![[0, 0, 0], [0, 0, 0]]).unwrap();
        assert_eq!(Outline::of(&point).fill, Fill::Unknown);
    }
}
