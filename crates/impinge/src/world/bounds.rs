//! Stage `derive`: from bodies to the table of bounds.

use super::body::{Bodies, Body};
use super::shapes::{Shape, Shapes};
use crate::contract::bounds::Bounds;
use crate::contract::ids::Slot;
use crate::contract::job::Placement;
use crate::contract::query::{Mode, Query};
use impinge_geom::aabb::{Aabb, Aabb32};
use impinge_geom::pose::Pose;

/// Fills the table: for each body a box around all it covers during the step, grown by the distance
/// that the query asks about.
pub(super) fn derive(bodies: &Bodies, shapes: &Shapes, query: &Query, bounds: &mut Bounds) {
    bounds.live.clear();
    bounds.aabb.clear();
    for (i, body) in bodies.slots().iter().enumerate() {
        let aabb = body.as_ref().map_or(Aabb::EMPTY, |body| {
            bounds.live.push(Slot(i as u32));
            around(body, shapes.of_body(body.shape), query.mode).grown(query.margin())
        });
        bounds.aabb.push(Aabb32::outward(&aabb));
    }
}

fn around(body: &Body, shape: &Shape, mode: Mode) -> Aabb {
    match (&body.placement, mode) {
        (Placement::Fixed(pose), _) => posed(shape, pose),
        (Placement::Moving(motion), Mode::Static) => posed(shape, &motion.pose_at(1.0)),
        (Placement::Moving(motion), Mode::PseudoDynamic(_) | Mode::Dynamic) => {
            motion.aabb_bounds(&shape.bounds, 0.0, 1.0)
        }
    }
}

/// The smaller of two boxes around a posed shape: its turned box and its turned sphere. Both are
/// grown by what rounding can move a posed vertex; see [`Pose::apply`].
fn posed(shape: &Shape, pose: &Pose) -> Aabb {
    let center = shape.bounds.center();
    let half: [f64; 3] = std::array::from_fn(|k| {
        (shape.bounds.max[k] - center[k]).max(center[k] - shape.bounds.min[k])
    });
    let matrix = pose.matrix();
    let turned: [f64; 3] =
        std::array::from_fn(|k| (0..3).map(|i| matrix[k][i].abs() * half[i]).sum());
    let of_box = about(pose.apply(&center), turned);
    let of_sphere = about(pose.apply(&shape.sphere.center), [shape.sphere.radius; 3]);
    // Coordinates up to `reach` go through four roundings, and the matrix is a rotation up to a few.
    let reach = largest(&shape.bounds.min).max(largest(&shape.bounds.max));
    let slack = 32.0 * f64::EPSILON * (reach + largest(&pose.translation()));
    of_box.intersection(&of_sphere).grown(slack)
}

fn about(center: [f64; 3], half: [f64; 3]) -> Aabb {
    Aabb {
        min: std::array::from_fn(|k| center[k] - half[k]),
        max: std::array::from_fn(|k| center[k] + half[k]),
    }
}

fn largest(point: &[f64; 3]) -> f64 {
    point.iter().fold(0.0, |most, x| most.max(x.abs()))
}
