//! The search for a proof that two bodies stay apart for a span of the path, in steps that `verify`
//! accepts.
//!
//! A case is closed by a direction if there is one: that of the case before, which serves neighbours
//! often, or that of the shortest vector between the two hulls in the middle of the span. If there is none, the
//! case is split: in time if the moving faces go far compared with their size, else the larger
//! of the two sets of faces. Two triangles that are apart at an instant have a direction there, and for a while around
//! it, so the search ends unless they come nearer than what is to be proven.

use super::apart::{Apart, apart};
use glam::DVec3;
use impinge_geom::distance::triangle_triangle;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_verify::body::Boxed;
use impinge_verify::gap::{Case, Pair, Track};
use impinge_verify::route::{Place, Span};
use impinge_verify::steps::{Fineness, Step, Writer};
use std::rc::Rc;

/// Sets of more faces than this are held apart by their boxes alone.
const FACES_MAX: usize = 64;
/// Sets of so many faces are tried to be parted by a cylinder, if they turn by such an angle.
const ROUND_FACES_MAX: usize = 256;
const ROUND_TURN_MIN: f64 = 0.01;
/// The time is split if faces go farther than so many times their size.
const WAY_MAX: f64 = 1.5;

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unproven {
    /// Two triangles come too near here.
    TooNear(Place),
    /// It was called off.
    Cancelled,
}

/// A search for a proof.
pub(super) struct Search<'a> {
    pub(super) pair: &'a Pair<'a>,
    /// How far apart the two are to be.
    pub(super) distance: f64,
    /// Asked now and then.
    pub(super) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// What is open, with a direction that may do.
struct Open<'c> {
    case: Case<'c>,
    hint: Option<DVec3>,
}

/// A pose, and the two sets of faces then.
struct Scene<'s> {
    case: &'s Case<'s>,
    pose: Pose,
}

impl Search<'_> {
    /// The steps of a proof for a span.
    pub(super) fn prove(&self, span: Span) -> Result<Writer, Unproven> {
        let Pair { rest, mover, .. } = self.pair;
        let mut writer = Writer::default();
        let track = Rc::new(Track::new(self.pair.path, span));
        let whole = Case { rest: rest.all(), mover: mover.all(), track };
        let mut open = vec![Open { case: whole, hint: None }];
        let mut steps = 0u32;
        while let Some(Open { case, hint }) = open.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1024) && (self.is_cancelled)() {
                return Err(Unproven::Cancelled);
            }
            let again = writer.last().filter(|&direction| self.parts(&case, direction));
            if let Some(direction) = again {
                writer.push(Step::Apart(direction), Fineness::Double);
                continue;
            }
            let found = self.direction(&case, hint);
            if let Some((direction, fineness)) = found.good {
                writer.push(Step::Apart(direction), fineness);
                continue;
            }
            if self.parts_around(&case) {
                writer.push(Step::Round, Fineness::Double);
                continue;
            }
            let step = self.choose(&case);
            let halves = self.pair.split(&case, step);
            let [first, second] = halves.ok_or(Unproven::TooNear(case.track.span().from))?;
            writer.push(step, Fineness::Double);
            open.push(Open { case: second, hint: found.hint });
            open.push(Open { case: first, hint: found.hint });
        }
        Ok(writer)
    }

    fn gap(&self, case: &Case<'_>, direction: DVec3) -> f64 {
        let enough = self.distance.max(f64::MIN_POSITIVE);
        match case.rest.count().max(case.mover.count()) > FACES_MAX {
            true => self.pair.gap_of_boxes(case, direction, enough),
            false => self.pair.gap(case, direction, enough),
        }
    }

    fn parts(&self, case: &Case<'_>, direction: DVec3) -> bool {
        let gap = self.gap(case, direction);
        gap >= self.distance && gap > 0.0
    }

    /// Whether a cylinder about the axis parts them; worth asking where directions do not last.
    fn parts_around(&self, case: &Case<'_>) -> bool {
        let is_large = case.rest.count().max(case.mover.count()) > ROUND_FACES_MAX;
        if is_large || turn(self.pair.path, case.track.span()) < ROUND_TURN_MIN {
            return false;
        }
        let gap = self.pair.gap_around(case, self.distance.max(f64::MIN_POSITIVE));
        gap >= self.distance && gap > 0.0
    }

    /// The direction as coarsely as it still serves.
    fn rounded(&self, case: &Case<'_>, direction: DVec3) -> Option<(DVec3, Fineness)> {
        let coarse = Fineness::Whole.round(direction);
        if self.parts(case, coarse) {
            return Some((coarse, Fineness::Whole));
        }
        if !self.parts(case, direction) {
            return None;
        }
        let single = Fineness::Single.round(direction);
        Some(match self.parts(case, single) {
            true => (single, Fineness::Single),
            false => (direction, Fineness::Double),
        })
    }

    /// A direction for a case.
    fn direction(&self, case: &Case<'_>, hint: Option<DVec3>) -> Suggested {
        let nothing = Suggested { good: None, hint };
        if let Some(good) = hint.and_then(|direction| self.rounded(case, direction)) {
            return Suggested { good: Some(good), hint };
        }
        let pose = middle(case.track.span()).pose(self.pair.path);
        let scene = Scene { case, pose };
        if case.rest.count() == 1 && case.mover.count() == 1 {
            let mut directions = scene.between_triangles(self.pair).into_iter();
            let good = directions.find_map(|direction| self.rounded(case, direction));
            return Suggested { good, hint };
        }
        let boxes = scene.between_boxes(self.pair);
        let is_useful = |found: &Apart| found.gap > self.distance;
        if let Some(found) = boxes.filter(is_useful)
            && let Some(good) = self.rounded(case, found.direction)
        {
            return Suggested { good: Some(good), hint: Some(found.direction) };
        }
        if case.rest.count().max(case.mover.count()) > FACES_MAX {
            return nothing;
        }
        match scene.between_corners(self.pair).filter(is_useful) {
            Some(found) => {
                Suggested { good: self.rounded(case, found.direction), hint: Some(found.direction) }
            }
            None => nothing,
        }
    }

    /// How to split a case that no direction closes.
    fn choose(&self, case: &Case<'_>) -> Step {
        let [rest, mover] = [self.pair.rest.boxed(&case.rest), self.pair.mover.boxed(&case.mover)];
        let [rest_size, mover_size] = [rest, mover].map(|boxed: &Boxed| boxed.half.length());
        let [rest_count, mover_count] = [case.rest.count(), case.mover.count()];
        let span = case.track.span();
        let goes_far = || self.way(span, mover) > WAY_MAX * rest_size.max(mover_size);
        if rest_count.max(mover_count) == 1 || (goes_far() && span.split().is_some()) {
            return Step::Time;
        }
        let is_larger = rest_size >= mover_size || mover_count == 1;
        if rest_count > 1 && is_larger { Step::Rest } else { Step::Mover }
    }

    /// About how far a box goes during a span.
    fn way(&self, span: &Span, boxed: &Boxed) -> f64 {
        let center = boxed.center.into();
        let piece = |(piece, [start, end]): (usize, [f64; 2])| {
            let motion = &self.pair.path.motions()[piece];
            let [p, q] = [start, end].map(|t| DVec3::from(motion.pose_at(t).apply(&center)));
            let turned = (motion.turn().1 * (end - start)).abs();
            p.distance(q) + turned * (motion.radius_of(&center) + boxed.half.length())
        };
        span.pieces().map(piece).sum()
    }
}

/// A direction that closes a case, and one that may help its parts.
struct Suggested {
    good: Option<(DVec3, Fineness)>,
    hint: Option<DVec3>,
}

/// By how much a body turns in a span of its path.
pub(super) fn turn(path: &Path, span: &Span) -> f64 {
    let piece = |(piece, [start, end]): (usize, [f64; 2])| {
        (path.motions()[piece].turn().1 * (end - start)).abs()
    };
    span.pieces().map(piece).sum()
}

fn middle(span: &Span) -> Place {
    match span.split() {
        Some([_, second]) => second.from,
        None => span.from,
    }
}

impl Scene<'_> {
    /// By the boxes around both.
    fn between_boxes(&self, pair: &Pair<'_>) -> Option<Apart> {
        let [a, b] = [pair.rest.boxed(&self.case.rest), pair.mover.boxed(&self.case.mover)];
        let corner = |boxed: &Boxed, n: DVec3| boxed.center - n.signum() * boxed.half;
        self.apart([a.center, b.center], |n| -corner(a, -n), |n| corner(b, n))
    }

    /// By their corners.
    fn between_corners(&self, pair: &Pair<'_>) -> Option<Apart> {
        let [a, b] = [pair.rest.boxed(&self.case.rest), pair.mover.boxed(&self.case.mover)];
        self.apart(
            [a.center, b.center],
            |n| -pair.rest.support(&self.case.rest, -n),
            |n| pair.mover.support(&self.case.mover, n),
        )
    }

    /// `still` gives the negative of the greatest point, `moving` the least one in the moving frame.
    fn apart(
        &self,
        [a, b]: [DVec3; 2],
        still: impl Fn(DVec3) -> DVec3,
        moving: impl Fn(DVec3) -> DVec3,
    ) -> Option<Apart> {
        let rows = self.pose.matrix().map(DVec3::from);
        let back = |n: DVec3| rows[0] * n.x + rows[1] * n.y + rows[2] * n.z;
        let place = |p: DVec3| DVec3::from(self.pose.apply(&p.into()));
        apart(place(b) - a, |n| still(n) + place(moving(back(n))))
    }

    /// Directions for two triangles: that of their nearest points, and where that is not precise, for
    /// they almost touch, the normals of their faces and of pairs of their edges.
    fn between_triangles(&self, pair: &Pair<'_>) -> Vec<DVec3> {
        let a = pair.rest.face(&self.case.rest);
        let b = pair.mover.face(&self.case.mover).map(|p| self.pose.apply(&p));
        let points = triangle_triangle(&a, &b).points.map(DVec3::from);
        let [a, b] = [a, b].map(|triangle| triangle.map(DVec3::from));
        let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let [a_edges, b_edges] = [edges(&a), edges(&b)];
        let mut found = vec![points[1] - points[0]];
        found.extend([&a_edges, &b_edges].map(|edges| edges[0].cross(edges[1])));
        found.extend(a_edges.iter().flat_map(|p| b_edges.iter().map(|q| p.cross(*q))));
        let way = b.iter().sum::<DVec3>() - a.iter().sum::<DVec3>();
        found.iter_mut().for_each(|n| *n = n.normalize_or_zero());
        // From the resting to the moving triangle: they may be of either sense.
        found[1..].iter_mut().for_each(|n| *n *= if n.dot(way) < 0.0 { -1.0 } else { 1.0 });
        found.retain(|n| *n != DVec3::ZERO);
        found
    }
}
