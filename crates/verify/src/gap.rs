//! The one inequality that everything rests on: a direction that keeps two sets of faces apart for a
//! span of a path, by a certain distance.
//!
//! Let `n` be a direction that is fixed in space. A point of the moving body goes round a circle while
//! the circle drifts, so within one piece of the path its height over the plane is off the straight line
//! between its heights at both ends by at most `|n × axis| θ² r / 8`, with the angle `θ` that the piece
//! turns by meanwhile and the distance `r` from the axis. The least height of many points is therefore
//! no less than the lesser of the least heights at both ends, less that. What rests has a greatest
//! height, once. Their difference is a gap at all times between.
//!
//! Rounding: heights are sums of products of numbers that are exact in f64; each is off by less than
//! 32 ε times what its terms add up to in amount. How far an evaluated pose is off the path, and
//! what `Pose::apply` makes of it, `Motion::slack` tells. Coordinates are below 2³⁰⁰ and directions
//! neither long nor short, so nothing overflows.

use crate::body::{Body, Faces};
use crate::route::Span;
use glam::{DMat3, DVec3};
use impinge_geom::motion::Motion;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use std::rc::Rc;

/// Directions are about this long, either way, so that no product over- or underflows.
const LENGTH_MAX: f64 = 1e9;

/// A resting body, and one that moves along a path; the faces that count.
#[derive(Debug)]
pub struct Pair<'a> {
    /// The resting body, in the world.
    pub rest: &'a Body,
    /// The moving one, in the frame that the path moves.
    pub mover: &'a Body,
    /// The path.
    pub path: &'a Path,
}

/// Some faces of both, for a span of the path.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// Of the resting body.
    pub rest: Faces,
    /// Of the moving one.
    pub mover: Faces,
    /// For how long. Cases that differ in their faces share it.
    pub track: Rc<Track<'a>>,
}

/// A span of a path, with the poses at the ends of its pieces.
#[derive(Debug)]
pub struct Track<'a> {
    span: Span,
    start: Station,
    pieces: Vec<Piece<'a>>,
}

#[derive(Debug)]
struct Piece<'a> {
    motion: &'a Motion,
    /// The square of the angle by which the body turns meanwhile.
    turned: f64,
    end: Station,
}

/// A pose, such that directions can be taken into the frame of the body.
#[derive(Debug)]
struct Station {
    back: DMat3,
    origin: DVec3,
    /// What the coordinates of the origin add up to, in amount.
    reach: f64,
}

impl Station {
    fn new(pose: &Pose) -> Self {
        let rows = pose.matrix().map(DVec3::from);
        let origin = DVec3::from(pose.translation());
        // The transpose: its columns are the rows.
        let back = DMat3::from_cols(rows[0], rows[1], rows[2]);
        Self { back, origin, reach: origin.abs().element_sum() }
    }
}

impl<'a> Track<'a> {
    /// For a span of a path.
    pub fn new(path: &'a Path, span: Span) -> Self {
        let piece = |(piece, [start, end]): (usize, [f64; 2])| {
            let motion = &path.motions()[piece];
            let turned = motion.turn().1 * (end - start);
            Piece { motion, turned: turned * turned, end: Station::new(&motion.pose_at(end)) }
        };
        let start = Station::new(&span.from.pose(path));
        Self { span, start, pieces: span.pieces().map(piece).collect() }
    }

    /// The span.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The motions of the pieces, each with the times in it.
    pub(crate) fn motions(&self) -> impl Iterator<Item = (&'a Motion, [f64; 2])> {
        self.pieces.iter().map(|piece| piece.motion).zip(self.span.pieces().map(|piece| piece.1))
    }
}

/// Whether heights along a direction are numbers.
fn is_fit(direction: DVec3) -> bool {
    let largest = direction.abs().max_element();
    direction.is_finite() && (1.0 / LENGTH_MAX..=LENGTH_MAX).contains(&largest)
}

impl Pair<'_> {
    /// A distance by which a direction, from the resting to the moving body, certainly keeps some faces
    /// apart; zero or less if it does not. Boxes are asked first; corners only if that leads to less
    /// than `enough`.
    pub fn gap(&self, case: &Case<'_>, direction: DVec3, enough: f64) -> f64 {
        let by_boxes = self.gap_of_boxes(case, direction, enough);
        if by_boxes >= enough || !is_fit(direction) {
            return by_boxes;
        }
        by_boxes.max(self.gap_of::<true>(case, direction, enough))
    }

    /// The same by boxes alone: quicker for many faces, but no more than that.
    pub fn gap_of_boxes(&self, case: &Case<'_>, direction: DVec3, enough: f64) -> f64 {
        match is_fit(direction) {
            true => self.gap_of::<false>(case, direction, enough),
            false => f64::NEG_INFINITY,
        }
    }

    /// The same by the boxes or by the corners. Once it is below `enough` the rest does not matter.
    fn gap_of<const CORNERS: bool>(&self, case: &Case<'_>, direction: DVec3, enough: f64) -> f64 {
        let (length, sum) = (direction.length(), direction.abs().element_sum());
        let ceiling = self.ceiling::<CORNERS>(&case.rest, direction);
        let mover = self.mover.boxed(&case.mover);
        let radius = mover.half.length() * (1.0 + 8.0 * f64::EPSILON);
        let reach = mover.reach + self.rest.boxed(&case.rest).reach;
        let floor = |at: &Station| {
            direction.dot(at.origin) + self.floor::<CORNERS>(&case.mover, at.back * direction)
        };
        let Track { start, pieces, .. } = &*case.track;
        let (mut before, mut before_reach) = (floor(start), start.reach);
        let mut least = f64::INFINITY;
        for Piece { motion, turned, end } in pieces {
            let after = floor(end);
            let wheel = motion.radius_of(&mover.center.into()) + radius;
            let axis = DVec3::from(motion.turn().0);
            let across = direction.cross(axis).length() + 8.0 * f64::EPSILON * sum;
            let sag = 0.125 * turned * wheel * across * (1.0 + 1e-12);
            let reach = reach + before_reach.max(end.reach);
            let rounding = 2.0 * motion.slack(mover.reach) + 32.0 * f64::EPSILON * reach;
            let height = before.min(after) - ceiling - sag - rounding * sum;
            least = least.min(height / (length * (1.0 + 8.0 * f64::EPSILON)));
            if least < enough {
                return least;
            }
            (before, before_reach) = (after, end.reach);
        }
        least
    }

    /// The greatest height of some resting faces.
    fn ceiling<const CORNERS: bool>(&self, faces: &Faces, direction: DVec3) -> f64 {
        if CORNERS {
            return -self.rest.least(faces, -direction);
        }
        let boxed = self.rest.boxed(faces);
        direction.dot(boxed.center) + direction.abs().dot(boxed.half)
    }

    /// The least height of some moving faces over the frame's origin.
    fn floor<const CORNERS: bool>(&self, faces: &Faces, direction: DVec3) -> f64 {
        if CORNERS {
            return self.mover.least(faces, direction);
        }
        let boxed = self.mover.boxed(faces);
        direction.dot(boxed.center) - direction.abs().dot(boxed.half)
    }
}
