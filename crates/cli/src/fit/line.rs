//! The answer as programs get it: these types are the JSON, and its schema is made from them.

use super::Fitted;
use crate::check::line::{FeatureLine, FeaturesLine, is_false, is_true, yes};
use impinge_fit::answer::{self, Answer, Feature, Near, Side, State};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_scene::scene::fit::Until;
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge fit --format json`. Of two bodies `a` is the one that moves. Times are those of
/// the path.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "impinge fit")]
pub(crate) struct FitLine<'a> {
    /// The outcome.
    pub(crate) verdict: VerdictLine,
    /// True if a free path comes nearer than the clearance that is needed; else left out.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub(crate) too_close: bool,
    /// True if the search ended before all was asked, because of --budget or Ctrl-C; else left out.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub(crate) partial: bool,
    /// Of a free path: how near it comes. Left out if all contacts are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance: Option<ClearanceLine<'a>>,
    /// Of a path that is too close: not before the first time, but at or before the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) too_close_from: Option<[f64; 2]>,
    /// The first contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact: Option<ContactLine<'a>>,
    /// Every interval of contact, pair by pair and in the order of time.
    pub(crate) intervals: Vec<IntervalLine<'a>>,
    /// Of an unknown outcome: when something may touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undecided: Option<[f64; 2]>,
    /// The contacts that do not count.
    pub(crate) allowed: Vec<AllowedLine<'a>>,
    /// Pair by pair.
    pub(crate) pairs: Vec<PairLine<'a>>,
    /// The clearance at many instants.
    pub(crate) curve: Vec<SampleLine<'a>>,
    /// All of it.
    pub(crate) summary: SummaryLine<'a>,
}

/// The outcome.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VerdictLine {
    /// It is proven that nothing touches but what may.
    Free,
    /// Something does.
    Hit,
    /// It could not be decided.
    Unknown,
}

/// How near a free path comes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClearanceLine<'a> {
    /// It is proven that the clearance is nowhere less.
    pub(crate) at_least: f64,
    /// It is not more where it is least.
    pub(crate) at_most: f64,
    /// When that is.
    pub(crate) time: f64,
    /// Between which bodies.
    pub(crate) a: &'a str,
    /// And which.
    pub(crate) b: &'a str,
    /// What is nearest.
    pub(crate) features: FeaturesLine,
    /// The nearest points.
    pub(crate) points: [Point; 2],
}

/// How bodies touch.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KindLine {
    /// Their surfaces share a point.
    Surface,
    /// A part of one lies within the other; the surfaces do not meet.
    Inside,
}

/// The first contact.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ContactLine<'a> {
    /// The body that moves.
    pub(crate) a: &'a str,
    /// The body that it touches.
    pub(crate) b: &'a str,
    /// How.
    pub(crate) kind: KindLine,
    /// The body that is inside, for kind `inside`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inner: Option<&'a str>,
    /// Nothing touches before the first time; the bodies touch at the second.
    pub(crate) time: [f64; 2],
    /// They touch at the start of the path, or when an allowance ends.
    pub(crate) at_start: bool,
    /// What meets, of a contact on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<FeaturesLine>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) point: Option<Point>,
    /// The unit direction from a to b in which they meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal: Option<Point>,
    /// All faces that meet at the second time as the files have them, sorted, each pair once.
    pub(crate) faces: Vec<[u32; 2]>,
    /// All triangles that meet at the second time, sorted.
    pub(crate) triangles: Vec<[u32; 2]>,
}

/// An interval of contact. Free spans within it that are shorter than the time between two samples are
/// not seen.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IntervalLine<'a> {
    /// The body that moves.
    pub(crate) a: &'a str,
    /// The body that it touches.
    pub(crate) b: &'a str,
    /// How, when it begins.
    pub(crate) kind: KindLine,
    /// It begins between these times.
    pub(crate) enter: [f64; 2],
    /// It ends between these times, or with the path, or when contacts are allowed again.
    pub(crate) leave: [f64; 2],
    /// False if rounding cannot tell whether they touch; else left out.
    #[serde(skip_serializing_if = "is_true")]
    #[schemars(default = "yes")]
    pub(crate) certain: bool,
    /// What meets first, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<FeaturesLine>,
    /// How many pairs of triangles meet when it begins.
    pub(crate) triangle_pairs: usize,
}

/// Contacts that do not count.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AllowedLine<'a> {
    /// The body that moves.
    pub(crate) a: &'a str,
    /// The body at rest.
    pub(crate) b: &'a str,
    /// The rule, by its place among the rules of the scene, from 0.
    pub(crate) rule: usize,
    /// How long it was meant to last: `end`, `release` or `time`.
    pub(crate) until: &'static str,
    /// When it ends; left out if with the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ends: Option<f64>,
    /// How many triangles of b it is for; left out if for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) triangles: Option<usize>,
    /// What for, if the scene tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'a str>,
}

/// What became of a pair.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PairLine<'a> {
    /// The body that moves.
    pub(crate) a: &'a str,
    /// The body at rest.
    pub(crate) b: &'a str,
    /// Whether they touch at the start of the path, allowed or not.
    pub(crate) at_start: bool,
    /// From when on contacts count; left out if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counts_from: Option<f64>,
    /// From when on the clearance counts; left out if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance_from: Option<f64>,
    /// How many intervals of contact there are.
    pub(crate) intervals: usize,
    /// The least distance that was seen where this pair was the nearest; left out if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nearest: Option<NearestLine>,
}

/// A distance that was seen.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NearestLine {
    /// The distance is not more than this.
    pub(crate) at_most: f64,
    /// When.
    pub(crate) time: f64,
    /// The nearest points.
    pub(crate) points: [Point; 2],
}

/// The clearance at an instant.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SampleLine<'a> {
    /// When.
    pub(crate) time: f64,
    /// `free`, `hit`, `allowed` if nothing counts then, or `unknown` if it was not looked at.
    pub(crate) state: &'static str,
    /// How far apart the nearest pair is; 0 if one touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance: Option<f64>,
    /// The body of it that moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) a: Option<&'a str>,
    /// The body of it at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) b: Option<&'a str>,
    /// The nearest points; of a contact twice the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) points: Option<[Point; 2]>,
}

/// All of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SummaryLine<'a> {
    /// The bodies that move, the leading one first.
    pub(crate) moving: Vec<&'a str>,
    /// How many bodies there are.
    pub(crate) bodies: usize,
    /// How many faces they have together.
    pub(crate) faces: usize,
    /// When the path begins and ends.
    pub(crate) path: [f64; 2],
    /// How many pieces it has.
    pub(crate) pieces: usize,
    /// The clearance that is needed, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) needed_clearance: Option<f64>,
    /// The unit of all lengths and coordinates.
    pub(crate) units: Unit,
    /// Wall time of the search. All else is the same in every run, but for a --budget of time.
    pub(crate) seconds: f64,
    /// The work that was done.
    pub(crate) counters: CountersLine,
}

/// Work, counted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CountersLine {
    /// Searches over time, of one pair of bodies in one piece of the path.
    pub(crate) searches: u64,
    /// Looks at one pair of bodies at one instant.
    pub(crate) looks: u64,
    /// Pairs of bounding boxes held against each other.
    pub(crate) node_tests: u64,
    /// Pairs of triangles that were looked at, if only by their boxes.
    pub(crate) triangle_pairs: u64,
    /// Distances of triangles worked out, at instants or step by step over time.
    pub(crate) distance_tests: u64,
}

impl<'a> FitLine<'a> {
    pub(crate) fn of(fitted: &'a Fitted) -> Self {
        let answer = &fitted.answer;
        let pairs = 0..fitted.prepared.pairs.len();
        Self {
            verdict: match answer.verdict {
                answer::Verdict::Free => VerdictLine::Free,
                answer::Verdict::Contact => VerdictLine::Hit,
                answer::Verdict::Unknown => VerdictLine::Unknown,
            },
            too_close: answer.too_close.is_some(),
            partial: answer.partial,
            clearance: answer.clearance.as_ref().map(|found| clearance(found, fitted)),
            too_close_from: answer.too_close.map(|close| close.time),
            contact: answer.contact.as_ref().map(|found| contact(found, fitted)),
            intervals: answer.intervals.iter().map(|found| interval(found, fitted)).collect(),
            undecided: answer.undecided,
            allowed: allowed(fitted),
            pairs: pairs.map(|number| pair(number, fitted)).collect(),
            curve: answer.curve.iter().map(|found| sample(found, fitted)).collect(),
            summary: summary(fitted, answer),
        }
    }
}

fn clearance<'a>(found: &answer::Clearance, fitted: &'a Fitted) -> ClearanceLine<'a> {
    let near = &found.nearest;
    let [a, b] = fitted.prepared.names(near.pair);
    ClearanceLine {
        at_least: found.at_least,
        at_most: near.at_most,
        time: found.time,
        a,
        b,
        features: features(near.features, near.pair, fitted),
        points: near.points,
    }
}

fn contact<'a>(found: &answer::Contact, fitted: &'a Fitted) -> ContactLine<'a> {
    let [a, b] = fitted.prepared.names(found.pair);
    let (kind, inner) = kind(found.kind, [a, b]);
    ContactLine {
        a,
        b,
        kind,
        inner,
        time: found.time,
        at_start: found.at_start,
        features: found.features.map(|two| features(two, found.pair, fitted)),
        point: found.point,
        normal: found.normal,
        faces: faces(found, fitted),
        triangles: found.triangles.clone(),
    }
}

fn interval<'a>(found: &answer::Interval, fitted: &'a Fitted) -> IntervalLine<'a> {
    let [a, b] = fitted.prepared.names(found.pair);
    IntervalLine {
        a,
        b,
        kind: kind(found.kind, [a, b]).0,
        enter: found.enter,
        leave: found.leave,
        certain: found.certain,
        features: found.features.map(|two| features(two, found.pair, fitted)),
        triangle_pairs: found.triangle_pairs,
    }
}

fn kind(kind: answer::Kind, [a, b]: [&str; 2]) -> (KindLine, Option<&str>) {
    match kind {
        answer::Kind::Surface => (KindLine::Surface, None),
        answer::Kind::Inside(Side::Mover) => (KindLine::Inside, Some(a)),
        answer::Kind::Inside(Side::Rest) => (KindLine::Inside, Some(b)),
    }
}

fn allowed<'a>(fitted: &'a Fitted) -> Vec<AllowedLine<'a>> {
    let prepared = &fitted.prepared;
    let of_pair = |(pair, of_pair): (usize, &'a impinge_fit::prepared::Pair)| {
        let [a, b] = prepared.names(pair);
        let line = |excuse: &'a impinge_fit::duty::Excuse| AllowedLine {
            a,
            b,
            rule: excuse.rule,
            until: match excuse.until {
                Until::End => "end",
                Until::Release => "release",
                Until::Time(_) => "time",
            },
            ends: excuse.ends.map(|at| at.time(&prepared.path)),
            triangles: excuse.triangles.as_ref().map(Vec::len),
            reason: prepared.allowed[excuse.rule].reason.as_deref(),
        };
        of_pair.excuses.iter().map(line).collect::<Vec<_>>()
    };
    prepared.pairs.iter().enumerate().flat_map(of_pair).collect()
}

fn pair(number: usize, fitted: &Fitted) -> PairLine<'_> {
    let prepared = &fitted.prepared;
    let [a, b] = prepared.names(number);
    let found = &fitted.answer.pairs[number];
    let first = prepared.pairs[number].duties.first();
    let nearest = |(time, near): (f64, Near)| NearestLine {
        at_most: near.at_most,
        time,
        points: near.points,
    };
    PairLine {
        a,
        b,
        at_start: found.at_start,
        counts_from: first.map(|duty| duty.from.time(&prepared.path)),
        clearance_from: found.clearance_from.map(|at| at.time(&prepared.path)),
        intervals: found.intervals,
        nearest: found.nearest.map(nearest),
    }
}

fn sample<'a>(found: &answer::Sample, fitted: &'a Fitted) -> SampleLine<'a> {
    let (state, clearance, pair, points) = match &found.state {
        State::Apart(near) => ("free", Some(near.at_most), Some(near.pair), Some(near.points)),
        State::Touching { pair, point, .. } => {
            ("hit", Some(0.0), Some(*pair), point.map(|point| [point; 2]))
        }
        State::Allowed => ("allowed", None, None, None),
        State::Unknown => ("unknown", None, None, None),
    };
    let names = pair.map(|pair| fitted.prepared.names(pair));
    let (a, b) = (names.map(|[a, _]| a), names.map(|[_, b]| b));
    SampleLine { time: found.time, state, clearance, a, b, points }
}

fn summary<'a>(fitted: &'a Fitted, answer: &Answer) -> SummaryLine<'a> {
    let prepared = &fitted.prepared;
    let name = |mover: &impinge_fit::prepared::Mover| prepared.bodies[mover.body].name.as_str();
    let counters = &answer.counters;
    SummaryLine {
        moving: prepared.movers.iter().map(name).collect(),
        bodies: prepared.bodies.len(),
        faces: prepared.bodies.iter().map(|body| body.mesh.face_count()).sum(),
        path: prepared.path.span(),
        pieces: prepared.path.motions().len(),
        needed_clearance: fitted.clearance,
        units: fitted.unit,
        seconds: answer.seconds,
        counters: CountersLine {
            searches: counters.searches,
            looks: counters.looks,
            node_tests: counters.node_tests,
            triangle_pairs: counters.triangle_pairs,
            distance_tests: counters.distance_tests,
        },
    }
}

fn features(two: [Feature; 2], pair: usize, fitted: &Fitted) -> FeaturesLine {
    let [a, b] = fitted.prepared.bodies_of(pair).map(|body| &fitted.prepared.bodies[body].mesh);
    FeaturesLine { a: feature(two[0], a), b: feature(two[1], b) }
}

/// A feature with faces as the user counts them.
pub(super) fn feature(feature: Feature, mesh: &Mesh) -> FeatureLine {
    match feature {
        Feature::Vertex(vertex) => FeatureLine::Vertex(vertex),
        Feature::Edge(ends) => FeatureLine::Edge(ends),
        Feature::Face(triangle) => FeatureLine::Face(mesh.face(triangle)),
    }
}

/// The pairs of faces of a contact as the user counts them, each once.
pub(super) fn faces(contact: &answer::Contact, fitted: &Fitted) -> Vec<[u32; 2]> {
    let bodies = fitted.prepared.bodies_of(contact.pair);
    let [a, b] = bodies.map(|body| &fitted.prepared.bodies[body].mesh);
    let faces = contact.triangles.iter().map(|&[i, j]| [a.face(i), b.face(j)]);
    let mut faces: Vec<[u32; 2]> = faces.collect();
    faces.sort_unstable();
    faces.dedup();
    faces
}
