//! What a fitting check found.

pub use crate::limit::Counters;
pub use crate::model::Side;
use crate::moment::Moment;
use impinge_geom::Point;
pub use impinge_geom::first_contact::Feature;

/// The answer. Pairs are named by their place in [`crate::prepared::Prepared::pairs`]; what is told of
/// two bodies is told of the mover first. Times are those of the path.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The outcome.
    pub verdict: Verdict,
    /// Of a free path: how near it comes to anything.
    pub clearance: Option<Clearance>,
    /// Of a free path: where it first comes nearer than it may, for certain.
    pub too_close: Option<TooClose>,
    /// The first contact that is no allowed one.
    pub contact: Option<Contact>,
    /// All intervals of contact, pair by pair and in the order of time.
    pub intervals: Vec<Interval>,
    /// Of an unknown outcome: when something may touch.
    pub undecided: Option<[f64; 2]>,
    /// Pair by pair.
    pub pairs: Vec<PairAnswer>,
    /// The clearance at many instants.
    pub curve: Vec<Sample>,
    /// The work ended before all was asked: because of a budget, or because nobody waited any more.
    pub partial: bool,
    /// The work.
    pub counters: Counters,
    /// Wall time.
    pub seconds: f64,
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is proven that nothing touches but what may.
    Free,
    /// Something does.
    Contact,
    /// It could not be decided: the budget was too small, or bodies are as near as rounding errors.
    Unknown,
}

/// How near two bodies are at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which pair.
    pub pair: usize,
    /// The distance is at least this.
    pub at_least: f64,
    /// And at most this.
    pub at_most: f64,
    /// The nearest triangles.
    pub triangles: [u32; 2],
    /// Their parts that hold the nearest points.
    pub features: [Feature; 2],
    /// The nearest points.
    pub points: [Point; 2],
}

/// How near a free path comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// It is proven that the clearance is nowhere less. Zero if only that nothing touches is proven.
    pub at_least: f64,
    /// Where it is least, as far as was seen; the clearance is at most what it is there.
    pub nearest: Near,
    /// When.
    pub at: Moment,
    /// The same as a time of the path.
    pub time: f64,
}

/// Where a free path comes nearer than it may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooClose {
    /// Not before the one time, but at or before the other.
    pub time: [f64; 2],
    /// At a time between the two.
    pub nearest: Near,
}

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Their surfaces share a point.
    Surface,
    /// A part of that one lies within the other.
    Inside(Side),
}

/// A first contact. Two triangles that share a point by exact arithmetic are its witness.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Which pair.
    pub pair: usize,
    /// How they touch.
    pub kind: Kind,
    /// Nothing counts before the first time; the bodies touch at the second.
    pub time: [f64; 2],
    /// The same instants. The bodies touch at the very pose of the second.
    pub at: [Moment; 2],
    /// They touch when the pair begins to count: at the start of the path, or when an allowance ends.
    pub at_start: bool,
    /// What meets: left out for bodies inside each other, or if many triangles meet at once.
    pub features: Option<[Feature; 2]>,
    /// Where: left out for bodies inside each other.
    pub point: Option<Point>,
    /// The unit direction from the mover to the body at rest in which they meet.
    pub normal: Option<Point>,
    /// All triangles that meet at the second instant, sorted.
    pub triangles: Vec<[u32; 2]>,
}

/// A span of time during which two bodies touch all the time, or with interruptions that were not seen:
/// shorter ones than the time between two samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Which pair.
    pub pair: usize,
    /// How they touch when it begins.
    pub kind: Kind,
    /// It begins between these times.
    pub enter: [f64; 2],
    /// It ends between these times: the two touch at the one, and are free at the other if the path
    /// does not end there.
    pub leave: [f64; 2],
    /// False if rounding cannot tell whether they touch.
    pub certain: bool,
    /// What meets first, if that is known.
    pub features: Option<[Feature; 2]>,
    /// How many pairs of triangles meet at the end of `enter`.
    pub triangle_pairs: usize,
    /// The same instant: they touch there, if it is certain that they do.
    pub at: Moment,
}

/// What became of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairAnswer {
    /// The least distance that was seen where it counts; others may never have been measured.
    pub nearest: Option<(f64, Near)>,
    /// From when on the clearance counts; none if it never does. Later than the contacts for bodies
    /// that leave a seat: from when on the distance no longer only grows.
    pub clearance_from: Option<Moment>,
    /// How many intervals of contact it has.
    pub intervals: usize,
    /// Whether they touch, or are within each other, at the start of the path, allowed or not.
    pub at_start: bool,
}

/// The clearance at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub at: Moment,
    /// The same as a time of the path.
    pub time: f64,
    /// How near the nearest pair is.
    pub state: State,
}

/// How near the nearest pair is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// This pair touches, or one is inside the other.
    Touching {
        /// Which pair.
        pair: usize,
        /// How.
        kind: Kind,
        /// Where, if it does not lie inside.
        point: Option<Point>,
    },
    /// The nearest.
    Apart(Near),
    /// Nothing counts at that time.
    Allowed,
    /// It was not looked at.
    Unknown,
}
