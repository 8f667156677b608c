//! The points of one body in the voxels of another over a whole motion.
//!
//! Time is halved. Over a span no point of either body goes farther from where it is in the middle of
//! the span than a bound; clusters that are farther than both bounds together from what is filled are
//! done with. When the bounds are below a quarter of a voxel, a point that enters a voxel at some
//! time of the span is that near to it in the middle, so that looking around it there cannot miss it,
//! however thin the part is.

use super::body::VoxelBody;
use super::look::{Found, Lookup, Scratch, Work};
use crate::motion::Motion;
use crate::pose::Pose;
use crate::sphere::Sphere;

/// Points are looked up this far around, in voxels: less than a half.
pub const AROUND: f64 = 0.25;

/// Spans are halved no more often than this; bodies so far away that rounding takes more are not followed.
const HALVINGS_MAX: u32 = 40;

/// Where a body is over time.
#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    /// At rest.
    Rests(&'a Pose),
    /// On its way.
    Moves(&'a Motion),
}

/// A body, around which a ball lies in its own frame, on its way.
#[derive(Clone, Copy, Debug)]
pub struct Traveller<'a> {
    /// Its voxels and points.
    pub body: &'a VoxelBody,
    /// Around all of it.
    pub ball: &'a Sphere,
    /// How it goes.
    pub way: Way<'a>,
}

impl Traveller<'_> {
    fn pose_at(&self, time: f64) -> Pose {
        match self.way {
            Way::Rests(pose) => *pose,
            Way::Moves(motion) => motion.pose_at(time),
        }
    }

    /// How far a point of it may be, at some time of a span, from where it is in the middle.
    fn range(&self, [start, end]: [f64; 2]) -> f64 {
        let Way::Moves(motion) = self.way else { return 0.0 };
        let middle = 0.5 * (start + end);
        let before = motion.displacement_max(self.ball, start, middle);
        before.max(motion.displacement_max(self.ball, middle, end))
    }
}

/// When points first come to a filled voxel.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The span; they do not come earlier.
    pub time: [f64; 2],
    /// Which, in the middle of the span.
    pub found: Vec<Found>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// They never do.
    Free,
    /// They do.
    Arrives(Arrival),
    /// Not known from this time on.
    CutShort(f64),
}

/// The first time before `until` at which points of `points` come within [`AROUND`] of a filled voxel of
/// `voxels`, along each of its axes. `go_on` is asked before every span and told the work so far.
pub fn first_arrival(
    [points, voxels]: [&Traveller<'_>; 2],
    until: f64,
    scratch: &mut Scratch,
    mut go_on: impl FnMut(&Work) -> bool,
) -> (Course, Work) {
    let size = voxels.body.map().grid().size();
    let mut work = Work::default();
    let mut clusters = Vec::new();
    let mut spans = vec![([0.0, until], 0)];
    while let Some((span, halvings)) = spans.pop() {
        if !go_on(&work) {
            return (Course::CutShort(span[0]), work);
        }
        let middle = 0.5 * (span[0] + span[1]);
        let [from, to] = [points.pose_at(middle), voxels.pose_at(middle)];
        let map = (voxels.body.map(), voxels.body.lattice(), &to);
        let lookup = Lookup::new((points.body.shell(), &from), map);
        // Rounding of the bounds themselves is far below a ten-thousandth of a voxel.
        let way = (points.range(span) + voxels.range(span)) / size + 1e-4;
        clusters.clear();
        work.balls += lookup.within(way as f32, scratch, &mut clusters).balls;
        if clusters.is_empty() {
            continue;
        }
        if way > AROUND && halvings == HALVINGS_MAX {
            return (Course::CutShort(span[0]), work);
        }
        if way > AROUND {
            spans.push(([middle, span[1]], halvings + 1));
            spans.push(([span[0], middle], halvings + 1));
            continue;
        }
        work.clusters += 8 * clusters.len() as u64;
        let all = points.body.shell().clusters();
        let look = |&cluster: &u32| Found {
            cluster,
            points: lookup.look_around(&all[cluster as usize], AROUND as f32),
        };
        let found: Vec<Found> = clusters.iter().map(look).filter(|f| f.points != 0).collect();
        if !found.is_empty() {
            return (Course::Arrives(Arrival { time: span, found }), work);
        }
    }
    (Course::Free, work)
}
