//! Whether one body lies inside another at an instant, given that their surfaces do not meet.

use impinge_geom::Point;
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::{Anatomy, locate_in};

/// A mesh, and where its points are.
type Placed<'a> = (&'a Mesh, &'a dyn Fn(&Point) -> Point);

/// A point of a body at its place. Where the place is none the point keeps its bits.
pub(crate) fn placed(place: &Pose, point: &Point) -> Point {
    if *place == Pose::IDENTITY { *point } else { place.apply(point) }
}

/// Whether a connected part of one lies inside the other: with all its points, or with none.
pub(crate) fn is_one_inside(a: Placed<'_>, b: Placed<'_>) -> bool {
    holds(a, b) || holds(b, a)
}

fn holds((outer, place): Placed<'_>, (inner, inner_place): Placed<'_>) -> bool {
    let bounds = |mesh: &Mesh, place: &dyn Fn(&Point) -> Point| {
        let used = mesh.triangles().as_flattened().iter();
        let points = used.map(|&v| place(&mesh.vertices()[v as usize]));
        points.fold(impinge_geom::aabb::Aabb::EMPTY, |bounds, p| bounds.with(&p))
    };
    let around = bounds(outer, place);
    if !around.overlaps(&bounds(inner, inner_place)) {
        return false;
    }
    let shells = Anatomy::of(outer).shells;
    let Anatomy { components, component_count, .. } = Anatomy::of(inner);
    let mut asked = vec![false; component_count];
    for (corners, &part) in inner.triangles().iter().zip(&components) {
        if std::mem::replace(&mut asked[part as usize], true) {
            continue;
        }
        let point = inner_place(&inner.vertices()[corners[0] as usize]);
        let triangle = |i: u32| outer.triangle(i).map(|p| place(&p));
        if around.contains(&point) && locate_in(&shells, &point, triangle) == Location::Inside {
            return true;
        }
    }
    false
}
