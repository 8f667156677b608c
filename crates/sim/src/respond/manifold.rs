//! Where two bodies touch and in which direction they part, from what the engine tells.
//!
//! The direction comes from the normals of the faces that meet [K98 §4.3], each weighted by the length
//! of what the two faces share, so that it does not depend on how finely a surface is cut. Engines that
//! look at voxels tell a direction for each point.

use crate::columns::Columns;
use crate::look::Look;
use glam::DVec3;
use impinge::world::report::PairReport;
use impinge_geom::first_contact::FirstContact;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use std::ops::Range;

/// A point at which two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) point: DVec3,
    pub(crate) depth: f64,
}

/// Two bodies that touch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) pair: [usize; 2],
    /// The part of the step after which they touch; 1 for what is seen at its end.
    pub(crate) time: f64,
    /// The unit direction in which the second is to move.
    pub(crate) normal: DVec3,
    /// In the list of spots of all hits; none if nobody asked, or no surfaces meet.
    pub(crate) spots: Range<usize>,
}

/// So many points stand for all; four hold a flat side.
const SPOTS_MAX: usize = 4;

/// Vertices nearer to a plane than this part of the body's size lie in it.
const FLAT: f64 = 1e-4;

/// What is needed to judge a pair.
pub(crate) struct Seen<'a> {
    pub(crate) columns: &'a Columns,
    pub(crate) looks: &'a [Look],
    /// Where bodies were before the step.
    pub(crate) starts: &'a [Pose],
    pub(crate) pair: [usize; 2],
}

impl Seen<'_> {
    /// Direction and points of a pair; points are appended to `spots`.
    pub(crate) fn hit(&self, report: &PairReport<'_>, spots: &mut Vec<Spot>) -> Hit {
        let start = spots.len();
        let mut sum = DVec3::ZERO;
        for touch in report.touches {
            sum += DVec3::from(touch.normal);
            spots.push(Spot { point: touch.point.into(), depth: touch.depth });
        }
        for contact in report.contacts {
            let [p, q] = contact.ends.map(DVec3::from);
            sum += self.facing(contact.triangles) * p.distance(q);
            spots.push(Spot { point: p, depth: contact.depth });
            if p != q {
                spots.push(Spot { point: q, depth: contact.depth });
            }
        }
        if sum == DVec3::ZERO {
            // They share single points only.
            sum = report.contacts.iter().map(|contact| self.facing(contact.triangles)).sum();
        }
        if let Some(first) = report.answer.first {
            // On the way they met in this direction, wherever they are at its end.
            sum = first.normal.into();
            spots.truncate(start);
            spots.push(Spot { point: self.met_at(&first), depth: 0.0 });
        }
        let [a, b] = self.pair;
        let apart = self.columns.place[b] - self.columns.place[a];
        let normal = sum.try_normalize().or(apart.try_normalize()).unwrap_or(DVec3::Z);
        if spots.len() == start {
            let middle = 0.5 * (self.columns.place[a] + self.columns.place[b]);
            spots.push(Spot { point: middle, depth: 0.0 });
        }
        thin_out(spots, start);
        let time = report.answer.time.map_or(1.0, |[from, _]| from);
        Hit { pair: self.pair, time, normal, spots: start..spots.len() }
    }

    /// Where two met on their way: the middle of what touched then. Faces may meet flat, of which the
    /// engine names one pair of features; so the vertices in the plane of the contact are looked at, of
    /// the body that has the smaller part of it.
    fn met_at(&self, first: &FirstContact) -> DVec3 {
        let [p, q] = first.points.map(DVec3::from);
        let (named, normal) = (0.5 * (p + q), DVec3::from(first.normal));
        let mut best = (f64::INFINITY, named);
        for i in self.pair {
            let way = Motion::lerp_slerp(self.starts[i], self.columns.pose[i]);
            let pose = way.pose_at(first.time[0]);
            let thin = FLAT * self.columns.reach[i];
            let posed = self.looks[i].points().iter().map(|vertex| DVec3::from(pose.apply(vertex)));
            let flat = posed.filter(|at| (at - named).dot(normal).abs() <= thin);
            let (mut sum, mut count, mut spread) = (DVec3::ZERO, 0.0, 0.0f64);
            for at in flat {
                (sum, count) = (sum + at, count + 1.0);
                spread = spread.max(at.distance_squared(named));
            }
            if count > 0.0 && spread < best.0 {
                best = (spread, sum / count);
            }
        }
        best.1
    }

    /// The outward normal of the first body's face less that of the second's.
    fn facing(&self, triangles: [u32; 2]) -> DVec3 {
        let [a, b] = self.pair;
        let [p, q] = [(a, b, triangles[0]), (b, a, triangles[1])].map(|(i, other, triangle)| {
            let pose = &self.columns.pose[i];
            let normal = DVec3::from(pose.rotate(&self.looks[i].face_normal(triangle)));
            let to_other = self.columns.place[other] - self.columns.place[i];
            // What is open has no outside: it faces whoever it meets.
            if self.looks[i].is_open() && normal.dot(to_other) < 0.0 { -normal } else { normal }
        });
        p - q
    }
}

/// Keeps the deepest point and those farthest from the ones that are kept already, from `start` on.
pub(crate) fn thin_out(spots: &mut Vec<Spot>, start: usize) {
    let found = &mut spots[start..];
    if found.len() <= SPOTS_MAX {
        return;
    }
    for kept in 0..SPOTS_MAX {
        let (before, rest) = found.split_at(kept);
        let worth = |spot: &Spot| {
            let gaps = before.iter().map(|other| other.point.distance_squared(spot.point));
            gaps.fold(f64::INFINITY, f64::min)
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (i, spot) in rest.iter().enumerate() {
            let value = if kept == 0 { spot.depth } else { worth(spot) };
            if value > best.1 {
                best = (i, value);
            }
        }
        found.swap(kept, kept + best.0);
    }
    spots.truncate(start + SPOTS_MAX);
}
