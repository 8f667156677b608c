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
        let replanned = made_for.replace(plan) != Some(plan);
        if !replanned {
            bounds.changed.extend_from_slice(&bodies.changes(reader).slots);
            bounds.changed.sort_unstable();
        } else {
            bounds.changed.extend((0..bodies.slots().len() as u32).map(Slot));
            bodies.changes(reader).members = true;
        }
        let source = Source { bodies, shapes, plan };
        let mut members = false;
        let Bounds { aabb: boxes, reach: reaches, changed, .. } = bounds;
        let mut write = |slot: &Slot, (aabb, reach): (Aabb32, Reach)| {
            // A body that gets another shape may become empty or cease to be.
            members |= is_empty(&boxes[slot.index()]) != is_empty(&aabb);
            (boxes[slot.index()], reaches[slot.index()]) = (aabb, reach);
        };
        if changed.len() < PARALLEL_FROM {
            changed.iter().for_each(|slot| write(slot, source.entry(*slot)));
        } else {
            changed.par_iter().map(|slot| source.entry(*slot)).collect_into_vec(fresh);
            changed.iter().zip(&*fresh).for_each(|(slot, entry)| write(slot, *entry));
        }
        if members || bodies.changes(reader).members {
            list_members(bodies, bounds);
        }
        bodies.changes(reader).clear();
        if matches!(reader, Reader::Step) {
            if replanned {
                bodies.promises.suspend_all();
            }
            bodies.promises.write(bounds);
        }
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

/// What an entry of the table is made from.
struct Source<'a> {
    bodies: &'a Bodies,
    shapes: &'a Shapes,
    plan: Plan,
}

impl Source<'_> {
    fn entry(&self, slot: Slot) -> (Aabb32, Reach) {
        let Some(body) = self.bodies.slots()[slot.index()].as_ref() else { return NOBODY };
        let shape = self.shapes.of_body(body.shape);
        if shape.extent.is_empty() {
            return NOBODY;
        }
        match (self.bodies.way(slot, self.plan.mode), &body.placement) {
            (Some(way), _) => self.on_the_way(way, shape),
            (None, Placement::Fixed(pose)) => self.at_rest(pose, shape),
            (None, place) => self.at_rest(&place.end(), shape),
        }
    }

    fn at_rest(&self, pose: &Pose, shape: &Shape) -> (Aabb32, Reach) {
        let Plan { margin, boxes, .. } = self.plan;
        let (aabb, sphere) = posed(&shape.extent, pose, boxes, margin);
        (outward(&aabb), still(&sphere, margin))
    }

    fn on_the_way(&self, way: &Placement, shape: &Shape) -> (Aabb32, Reach) {
        let Plan { margin, boxes, .. } = self.plan;
        let (aabb, reach) = match way {
            Placement::Fixed(pose) => return self.at_rest(pose, shape),
            Placement::Moving(motion) => {
                let Extent { bounds, sphere: ball, .. } = &shape.extent;
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
                let ends = [(&start, &way.from), (&shape.extent, &way.to)];
                let ends = ends.map(|(extent, pose)| posed(extent, pose, boxes, 0.0));
                (straight(&ends), in_line(&ends, margin))
            }
        };
        (outward(&aabb.grown(margin)), reach)
    }
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

/// The box and the sphere of a posed shape, both grown by what rounding can move a posed vertex (see
/// [`Pose::apply`]), the box by a margin besides. The box is the smaller of two, that of the turned
/// box and of the sphere.
fn posed(extent: &Extent, pose: &Pose, boxes: BoxKind, margin: f64) -> (Aabb, Sphere) {
    let Extent { sphere: ball, center, half, .. } = extent;
    // Coordinates up to `largest` go through four roundings, the matrix is a rotation up to a few,
    // and the sides of the box are rounded three times more.
    let slack = 36.0 * f64::EPSILON * (extent.largest + largest(&pose.translation()));
    let pad = slack + margin * (1.0 + 4.0 * f64::EPSILON);
    let middle = pose.apply(&ball.center);
    let sphere = Sphere { center: middle, radius: ball.radius + 2.0 * slack };
    let of_sphere = about(middle, [ball.radius + pad; 3]);
    if boxes == BoxKind::Fixed {
        return (of_sphere, sphere);
    }
    let matrix = pose.matrix();
    let turned = |k: usize| {
        let [x, y, z] = matrix[k].map(f64::abs);
        (x * half[0] + y * half[1]) + z * half[2] + pad
    };
    let turned = about(pose.apply(center), std::array::from_fn(turned));
    (turned.intersection(&of_sphere), sphere)
}

fn about(center: [f64; 3], half: [f64; 3]) -> Aabb {
    Aabb {
        min: std::array::from_fn(|k| center[k] - half[k]),
        max: std::array::from_fn(|k| center[k] + half[k]),
    }
}

fn largest(point: &[f64; 3]) -> f64 {
    let [x, y, z] = point.map(f64::abs);
    x.max(y).max(z)
}
