//! Stage `derive`: from bodies to the table of bounds. Only what changed is computed again.

use super::body::{Bodies, Reader};
use super::shapes::{Extent, Shape, Shapes};
use crate::contract::bounds::{Bounds, BoxKind, Reach};
use crate::contract::ids::Slot;
use crate::contract::job::Placement;
use crate::contract::query::Mode;
use impinge_geom::aabb::{Aabb, Aabb32, outward, round_up};
use impinge_geom::motion::course::Course;
use impinge_geom::pose::Pose;
use impinge_geom::sphere::Sphere;
use rayon::prelude::*;

/// What the entries of the table depend on besides the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) mode: Mode,
    /// By how much everything is grown: the distance that the query asks about.
    pub(super) margin: f64,
    pub(super) boxes: BoxKind,
}

/// The table, and what it was made for.
#[derive(Debug, Default)]
pub(super) struct Derived {
    bounds: Bounds,
    plan: Option<Plan>,
    fresh: Vec<(Aabb32, Reach)>,
    /// Whose table it is.
    reader: Reader,
}

/// Up to so many changes the lists of slots are mended, not made anew.
const ONE_BY_ONE: usize = 32;
/// Below this many bodies a second thread costs more than it saves.
const PARALLEL_FROM: usize = 4096;

impl Derived {
    pub(super) fn of(reader: Reader) -> Self {
        Self { reader, ..Self::default() }
    }

    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Brings the table up to date: for each body a box around all it covers during the step.
    pub(super) fn derive(&mut self, bodies: &mut Bodies, shapes: &Shapes, plan: Plan) {
        let Self { bounds, plan: made_for, fresh, reader } = self;
        let reader = *reader;
        bounds.step += 1;
        bounds.aabb.resize(bodies.slots().len(), outward(&Aabb::EMPTY));
        bounds.reach.resize(bodies.slots().len(), Reach::NONE);
        bounds.changed.clear();
        if made_for.replace(plan) == Some(plan) {
            bounds.changed.extend_from_slice(&bodies.changes(reader).slots);
            bounds.changed.sort_unstable();
        } else {
            bounds.changed.extend((0..bodies.slots().len() as u32).map(Slot));
            bodies.changes(reader).members = true;
        }
        let entry = |slot: &Slot| {
            let body = bodies.slots()[slot.index()].as_ref();
            body.map_or(NOBODY, |body| {
                let rest = Placement::Fixed(body.placement.end());
                let place = bodies.way(*slot, plan.mode).unwrap_or(&rest);
                entry(place, shapes.of_body(body.shape), plan)
            })
        };
        if bounds.changed.len() < PARALLEL_FROM {
            fresh.clear();
            fresh.extend(bounds.changed.iter().map(entry));
        } else {
            bounds.changed.par_iter().map(entry).collect_into_vec(fresh);
        }
        let mut members = false;
        for (slot, (aabb, reach)) in bounds.changed.iter().zip(&*fresh) {
            // A body that gets another shape may become empty or cease to be.
            members |= is_empty(&bounds.aabb[slot.index()]) != is_empty(aabb);
            bounds.aabb[slot.index()] = *aabb;
            bounds.reach[slot.index()] = *reach;
        }
        if members || bodies.changes(reader).members {
            list_members(bodies, bounds);
        }
        bodies.changes(reader).clear();
    }
}

const NOBODY: (Aabb32, Reach) = {
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    ([low, low, low, high, high, high], Reach::NONE)
};

fn is_empty(aabb: &Aabb32) -> bool {
    (0..3).any(|k| aabb[k] > aabb[k + 3])
}

/// Brings the lists of slots up to date: one by one if few changed, so that a body that comes or goes
/// does not make all others be looked at.
fn list_members(bodies: &Bodies, bounds: &mut Bounds) {
    let Bounds { live, frozen, aabb, changed, .. } = bounds;
    let is_frozen = |slot: Slot| {
        let body = bodies.slots()[slot.index()].as_ref();
        body.filter(|_| !is_empty(&aabb[slot.index()])).map(|body| body.frozen)
    };
    if changed.len() <= ONE_BY_ONE {
        for &slot in &*changed {
            enter(live, slot, is_frozen(slot) == Some(false));
            enter(frozen, slot, is_frozen(slot) == Some(true));
        }
        return;
    }
    live.clear();
    frozen.clear();
    for slot in (0..bodies.slots().len() as u32).map(Slot) {
        match is_frozen(slot) {
            Some(true) => frozen.push(slot),
            Some(false) => live.push(slot),
            None => {}
        }
    }
}

/// Puts a slot into a sorted list or takes it out.
fn enter(list: &mut Vec<Slot>, slot: Slot, wanted: bool) {
    match (list.binary_search(&slot), wanted) {
        (Err(at), true) => list.insert(at, slot),
        (Ok(at), false) => {
            list.remove(at);
        }
        (Ok(_), true) | (Err(_), false) => {}
    }
}

fn entry(place: &Placement, shape: &Shape, plan: Plan) -> (Aabb32, Reach) {
    if shape.extent.bounds.is_empty() {
        return NOBODY;
    }
    let Plan { margin, boxes, .. } = plan;
    let (aabb, reach) = match place {
        Placement::Fixed(pose) => at_rest(posed(&shape.extent, pose, boxes), margin),
        Placement::Moving(motion) => {
            let Extent { bounds, sphere: ball } = &shape.extent;
            let sphere = motion.sphere_bounds(ball, 0.0, 1.0);
            let around = about(sphere.center, [sphere.radius; 3]).grown(0.0);
            let aabb = match boxes {
                BoxKind::Fixed => around,
                BoxKind::Resized => motion.aabb_bounds(bounds, 0.0, 1.0),
            };
            (aabb, moving(&motion.course(ball), &sphere, margin))
        }
        Placement::Deforming(way) => {
            let start = shape.start().map_or(shape.extent, |(_, extent)| extent);
            let ends = [posed(&start, &way.from, boxes), posed(&shape.extent, &way.to, boxes)];
            (straight(&ends), in_line(&ends, margin))
        }
    };
    (outward(&aabb.grown(margin)), reach)
}

/// The box around vertices that go straight from one box to another. Those in between are rounded
/// by less than the boxes have been grown for.
fn straight([(from, _), (to, _)]: &[(Aabb, Sphere); 2]) -> Aabb {
    from.union(to).grown(0.0)
}

/// Points that go straight from one ball to another lie, at each time, in a ball that does.
fn in_line([(_, from), (_, to)]: &[(Aabb, Sphere); 2], margin: f64) -> Reach {
    let velocity = std::array::from_fn(|k| to.center[k] - from.center[k]);
    let radius = from.radius.max(to.radius);
    rounded(&Course { center: from.center, velocity, acceleration: 0.0, radius }, margin)
}

fn at_rest((aabb, sphere): (Aabb, Sphere), margin: f64) -> (Aabb, Reach) {
    (aabb, still(&sphere, margin))
}

/// A ball that stays.
fn still(sphere: &Sphere, margin: f64) -> Reach {
    let Sphere { center, radius } = *sphere;
    rounded(&Course { center, velocity: [0.0; 3], acceleration: 0.0, radius }, margin)
}

/// A ball on its way, or `swept`, the ball around all of it, where the way would end with a larger
/// one: a body that turns far comes back, which its speed and acceleration do not tell.
fn moving(course: &Course, swept: &Sphere, margin: f64) -> Reach {
    let followed = course.radius + 0.5 * course.acceleration <= swept.radius;
    if followed { rounded(course, margin) } else { still(swept, margin) }
}

/// In f32, where rounding the centre and the velocity may move them; the radius takes that in.
fn rounded(course: &Course, margin: f64) -> Reach {
    let (center, velocity) = (course.center.map(|x| x as f32), course.velocity.map(|x| x as f32));
    let lost = |x: f64, rounded: f32| (x - f64::from(rounded)).abs();
    let lost = |k: usize| lost(course.center[k], center[k]) + lost(course.velocity[k], velocity[k]);
    let moved: f64 = (0..3).map(lost).sum();
    let radius = round_up((course.radius + margin + moved) * (1.0 + 4.0 * f64::EPSILON));
    let acceleration = round_up(course.acceleration);
    // Beyond the range of f32 nothing is known but that it is somewhere.
    let certain = (moved + f64::from(radius) + f64::from(acceleration)).is_finite();
    let unknown = Reach { radius: f32::INFINITY, ..Reach::NONE };
    if certain { Reach { center, radius, velocity, acceleration } } else { unknown }
}

/// The box and the sphere of a posed shape, both grown by what rounding can move a posed vertex;
/// see [`Pose::apply`]. The box is the smaller of two, that of the turned box and of the sphere.
fn posed(extent: &Extent, pose: &Pose, boxes: BoxKind) -> (Aabb, Sphere) {
    let Extent { bounds, sphere: ball } = extent;
    // Coordinates up to `reach` go through four roundings, and the matrix is a rotation up to a few.
    let reach = largest(&bounds.min).max(largest(&bounds.max));
    let slack = 32.0 * f64::EPSILON * (reach + largest(&pose.translation()));
    let center = pose.apply(&ball.center);
    let sphere = Sphere { center, radius: ball.radius + 2.0 * slack };
    let of_sphere = about(center, [ball.radius; 3]).grown(slack);
    if boxes == BoxKind::Fixed {
        return (of_sphere, sphere);
    }
    let center = bounds.center();
    let half: [f64; 3] =
        std::array::from_fn(|k| (bounds.max[k] - center[k]).max(center[k] - bounds.min[k]));
    let matrix = pose.matrix();
    let turned: [f64; 3] =
        std::array::from_fn(|k| (0..3).map(|i| matrix[k][i].abs() * half[i]).sum());
    (about(pose.apply(&center), turned).grown(slack).intersection(&of_sphere), sphere)
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
