//! A plane that stays between much of two bodies: for faces that lie on each other, or almost, of which
//! f32 tells nothing.
//!
//! Along its normal, which is fixed in space, all corners of some leaves are held against all corners
//! of others in f64, at the start and at the end of a span of time; in between, points on circles
//! deviate from their chords by a bounded amount. What a leaf reaches is kept, so that each is looked
//! at once.

use super::super::{LEAF, NONE, ObbTree, Place};
use super::Traveller;
use crate::Point;
use glam::DVec3;

/// The plane, and what leaves reach along its normal.
#[derive(Debug, Default)]
pub(super) struct Plane {
    cut: Option<Cut>,
    /// For each leaf of the two trees.
    reaches: [Vec<Reach>; 2],
    /// The number of the plane: what was kept for another does not count.
    number: u32,
    /// Places that are still to be looked at.
    open: Vec<Place>,
}

/// What is known of a plane.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// For each body, at the start and at the end.
    views: [[View; 2]; 2],
    /// A gap must be wider to be one at all times.
    least: f64,
}

/// Points of a body along the normal: `along · p + shift`.
#[derive(Clone, Copy, Debug)]
struct View {
    along: DVec3,
    shift: f64,
}

impl View {
    #[inline]
    fn of(&self, point: &Point) -> f64 {
        self.along.dot(DVec3::from(*point)) + self.shift
    }
}

/// The farthest corner of a leaf, at the start and at the end: of A towards B, of B towards A.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    plane: u32,
    ends: [f64; 2],
}

/// Where a plane is to be tried.
pub(super) struct Trial {
    /// From A to B.
    pub(super) normal: DVec3,
    /// From when until when.
    pub(super) times: [f64; 2],
    /// How far places may be off, and what counts as a contact.
    pub(super) granted: f64,
    /// Only if it may part everything.
    pub(super) is_wide: bool,
}

impl Plane {
    /// Forgets the plane.
    pub(super) fn clear(&mut self) {
        self.cut = None;
    }

    /// Takes a plane if it parts two leaves.
    pub(super) fn try_out(
        &mut self,
        bodies: &[Traveller<'_>; 2],
        trial: &Trial,
        places: [Place; 2],
    ) -> bool {
        self.cut = None;
        let Some(cut) = Cut::new(bodies, trial) else { return false };
        if trial.is_wide && !cut.may_part(bodies, [ObbTree::ROOT; 2]) {
            return false;
        }
        if self.number == u32::MAX {
            self.reaches = Default::default();
            self.number = 0;
        }
        self.number += 1;
        if self.holds(&cut, bodies, places) {
            self.cut = Some(cut);
        }
        self.cut.is_some()
    }

    /// Whether the plane parts two leaves during its span of time; of larger parts nothing is told,
    /// since many corners would have to be looked at.
    #[inline]
    pub(super) fn parts(&mut self, bodies: &[Traveller<'_>; 2], places: [Place; 2]) -> bool {
        let Some(cut) = self.cut else { return false };
        let are_leaves = (0..2).all(|k| bodies[k].tree.child(places[k]) & LEAF != 0);
        are_leaves && self.holds(&cut, bodies, places)
    }

    /// Whether it parts all of the two bodies.
    pub(super) fn parts_all(&mut self, bodies: &[Traveller<'_>; 2]) -> bool {
        let all = [ObbTree::ROOT; 2];
        self.cut.is_some_and(|cut| cut.may_part(bodies, all) && self.holds(&cut, bodies, all))
    }

    fn holds(&mut self, cut: &Cut, bodies: &[Traveller<'_>; 2], places: [Place; 2]) -> bool {
        let reach_a = self.reach(cut, &bodies[0], (0, places[0]));
        let reach_b = self.reach(cut, &bodies[1], (1, places[1]));
        (0..2).all(|end| reach_b[end] - reach_a[end] > cut.least)
    }

    /// What the leaves below a place reach.
    fn reach(
        &mut self,
        cut: &Cut,
        body: &Traveller<'_>,
        (side, place): (usize, Place),
    ) -> [f64; 2] {
        let farther = |x: f64, y: f64| if side == 0 { x.max(y) } else { x.min(y) };
        let mut all = [if side == 0 { f64::NEG_INFINITY } else { f64::INFINITY }; 2];
        let leaves = body.tree.leaf_count();
        if self.reaches[side].len() < leaves {
            self.reaches[side].resize(leaves, Reach::default());
        }
        self.open.push(place);
        while let Some(place) = self.open.pop() {
            let child = body.tree.child(place);
            if child == NONE {
                continue;
            }
            if child & LEAF == 0 {
                self.open.extend((0..8).map(|lane| 8 * child + lane));
                continue;
            }
            let kept = &mut self.reaches[side][(child & !LEAF) as usize];
            if kept.plane != self.number {
                let mut ends = [if side == 0 { f64::NEG_INFINITY } else { f64::INFINITY }; 2];
                for id in body.tree.leaf(child).ids.into_iter().filter(|id| *id != NONE) {
                    for corner in &body.mesh.triangle(id) {
                        for (end, view) in ends.iter_mut().zip(&cut.views[side]) {
                            *end = farther(*end, view.of(corner));
                        }
                    }
                }
                *kept = Reach { plane: self.number, ends };
            }
            all = [farther(all[0], kept.ends[0]), farther(all[1], kept.ends[1])];
        }
        all
    }
}

impl Cut {
    fn new(bodies: &[Traveller<'_>; 2], trial: &Trial) -> Option<Self> {
        let normal = trial.normal.try_normalize()?;
        let [start, end] = trial.times;
        let view = |body: &Traveller<'_>, time: f64| {
            let pose = body.travel.pose_at(time);
            let [x, y, z] = pose.matrix().map(DVec3::from);
            let along = x * normal.x + y * normal.y + z * normal.z;
            View { along, shift: normal.dot(DVec3::from(pose.translation())) }
        };
        let views = |body: &Traveller<'_>| [view(body, start), view(body, end)];
        let mut least = trial.granted;
        for body in bodies {
            let far = body.travel.farthest() + body.tree.farthest();
            // Eight roundings or less of what is at most so large; chords by half of c·τ·(h − τ).
            least += 16.0 * f64::EPSILON * far + 0.125 * body.bend_along(normal, end - start);
        }
        Some(Self { views: [views(&bodies[0]), views(&bodies[1])], least })
    }

    /// Whether boxes are parted or do not overlap by much, at the start: else it is not worth while to
    /// look at many corners.
    fn may_part(&self, bodies: &[Traveller<'_>; 2], places: [Place; 2]) -> bool {
        let seen = |k: usize| {
            let (tree, view) = (bodies[k].tree, &self.views[k][0]);
            let shape = tree.boxed(places[k]);
            let center = DVec3::from(shape.center.map(f64::from)) * tree.unit();
            let middle = view.of(&(center + DVec3::from(tree.origin())).into());
            let reach = (0..3).fold(0.0, |sum, axis| {
                let along = view.along.dot(DVec3::from(shape.axes[axis].map(f64::from)));
                sum + along.abs() * f64::from(shape.half[axis])
            });
            let size = f64::from(shape.half[0] + shape.half[1] + shape.half[2]) * tree.unit();
            (middle, reach * tree.unit(), size)
        };
        let ((a, reach_a, size_a), (b, reach_b, size_b)) = (seen(0), seen(1));
        b - reach_b - (a + reach_a) > -BOXES_OVERLAP * (size_a + size_b)
    }
}

/// By so much of their size boxes around what a plane parts may overlap along its normal.
const BOXES_OVERLAP: f64 = 0.1;

impl Traveller<'_> {
    /// A bound of the acceleration of all points along a direction, times the square of a time.
    fn bend_along(&self, direction: DVec3, time: f64) -> f64 {
        let far = self.travel.radius_of(&self.middle().into()) + self.tree.radius();
        let spin = self.travel.spin();
        let across = spin.cross(direction).length() + 8.0 * f64::EPSILON * spin.length();
        across * spin.length() * far * time * time * (1.0 + 1e-12)
    }
}
