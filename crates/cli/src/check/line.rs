//! The answers as programs get them: these types are the JSON, and its schema is made from them.

use impinge::contract::counters::Counters;
use impinge::prelude::{
    Clearance, Contact, Feature, FirstContact, Meeting, Mesh, Point, Separation, Spent, Touch,
    Volume,
};
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;

/// One line of `impinge check --format json`: a query, or at the end the summary.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "impinge check")]
pub(crate) enum CheckLine<'a> {
    /// The answer to a query.
    Query(&'a QueryLine<'a>),
    /// The last line.
    End {
        /// What all queries came to.
        summary: &'a Summary,
    },
}

/// The answer to a query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct QueryLine<'a> {
    /// Its number, counted from 0 over all queries, also those of other shards.
    pub(crate) query: u64,
    /// `hit` if any pair is, else `unknown` if any is.
    pub(crate) verdict: Verdict,
    /// False if a budget or limit was reached, so that lists may be incomplete; else left out.
    #[serde(skip_serializing_if = "is_true")]
    #[schemars(default = "yes")]
    pub(crate) complete: bool,
    /// What became of --budget; left out without one, and of one of work but with --engine sphere-tree at
    /// single instants, which alone counts it for all pairs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) budget: Option<BudgetLine>,
    /// With two bodies every pair; with more those that have something to say.
    pub(crate) pairs: Vec<PairLine<'a>>,
}

/// What became of a budget.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(tag = "unit", rename_all = "lowercase")]
pub(crate) enum BudgetLine {
    /// Time by the clock.
    Seconds {
        /// What was used, with what went beyond the budget.
        spent: f64,
        /// What was not used.
        left: f64,
    },
    /// Units of work of the engine.
    Work {
        /// What was used.
        spent: u64,
        /// What was not used.
        left: u64,
    },
}

impl BudgetLine {
    pub(crate) fn of(spent: Spent) -> Option<Self> {
        match spent {
            Spent::Unlimited => None,
            Spent::Work { spent, left } => Some(Self::Work { spent, left }),
            Spent::Time { spent, left } => {
                Some(Self::Seconds { spent: spent.as_secs_f64(), left: left.as_secs_f64() })
            }
        }
    }
}

/// The answer for two bodies, or for one against itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PairLine<'a> {
    /// The name of the first body.
    pub(crate) a: &'a str,
    /// The name of the second; the same in a self-test.
    pub(crate) b: &'a str,
    /// The outcome.
    pub(crate) verdict: Verdict,
    /// How they touch, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<Kind>,
    /// The name of the body that is inside, for kind `inside`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inner: Option<&'a str>,
    /// False if a budget or limit ended the work on this pair, so that its lists may lack something
    /// and its clearance is wider than it need be; else left out.
    #[serde(skip_serializing_if = "is_true")]
    #[schemars(default = "yes")]
    pub(crate) complete: bool,
    /// With --motions or --between, as parts of the motion. Of a hit: nothing touches before the first time,
    /// something does at or before the second; both are 0 if it does at the start. With --pseudo: the
    /// last instant that was free, and the first that touches. Of a free pair whose clearance is
    /// told: when they are that close. Of an unknown one: when they may touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<[f64; 2]>,
    /// Of a hit that rounding cannot prove: so near they come for certain; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<f64>,
    /// Of a free or unknown pair, from an engine that works on samples: no point of either surface is deeper
    /// in the other body than this. Null if the pair is called free without such a bound, as with
    /// `sides=one` or --pseudo; left out where nothing is unseen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unseen: Option<Option<f64>>,
    /// With --motions or --between, what meets in a first contact after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<FeaturesLine>,
    /// Intersecting faces of a and b as the files have them (polygons count once), sorted, each
    /// pair once; with --want pairs or contacts. Of a first contact after the start the two that meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) faces: Option<Vec<[u32; 2]>>,
    /// Intersecting triangles of a and b after triangulation, sorted; with --want pairs or contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) triangles: Option<Vec<[u32; 2]>>,
    /// Where they touch, one per entry of `triangles`; with --want contacts. From --engine voxel one per
    /// point of a body in a voxel of the other, and no triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contacts: Option<Vec<ContactLine>>,
    /// With --between and --want pairs or contacts: all features that meet on the way, those that touch
    /// at its start among them; left out if there are none, and of two bodies that rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meetings: Option<Vec<MeetingLine>>,
    /// How to part them, with --separate; left out if nothing that is free was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) separation: Option<SeparationLine>,
    /// How far apart they are, if it was asked for, over a motion where they are closest. For an
    /// unknown pair, all that is known; left out if its `volume` proves that they overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance: Option<ClearanceLine>,
    /// How much space they share, with --volume; left out if one of them has no closed part, and of a
    /// body against itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) volume: Option<VolumeLine>,
    /// With --volume, the bodies without a closed part, of which there is no volume; else left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub(crate) no_volume: Vec<&'a str>,
    /// True if they are free but closer than --clearance; else left out.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(default)]
    pub(crate) too_close: bool,
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// No common point.
    Free,
    /// At least one common point.
    Hit,
    /// A budget or limit was reached before it was decided.
    Unknown,
}

impl Verdict {
    /// As it is printed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Hit => "hit",
            Self::Unknown => "unknown",
        }
    }
}

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Their surfaces share a point.
    Surface,
    /// A part of one lies within the other; the surfaces do not meet.
    Inside,
}

impl Kind {
    /// As it is printed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Inside => "inside",
        }
    }
}

/// Where two triangles touch.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct ContactLine {
    /// The middle of what the two share.
    pub(crate) point: Point,
    /// The unit direction in which moving b by `depth` parts the two triangles the shortest way.
    pub(crate) normal: Point,
    /// The length of that way: of these two triangles, not of the bodies.
    pub(crate) depth: f64,
    /// With --engine voxel, the middle of the voxel that the point is in; `depth` is then how deep the
    /// point is in the body, to about a voxel. Else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) voxel: Option<Point>,
}

impl ContactLine {
    /// At first contact nothing is deep.
    pub(crate) fn first(first: &FirstContact) -> Self {
        let [a, b] = first.points;
        let point = std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
        Self { point, normal: first.normal, depth: 0.0, voxel: None }
    }

    pub(crate) fn of(contact: &Contact) -> Self {
        Self { point: contact.point, normal: contact.normal, depth: contact.depth, voxel: None }
    }

    pub(crate) fn of_point(touch: &Touch) -> Self {
        let Touch { point, voxel, normal, depth, .. } = *touch;
        Self { point, normal, depth, voxel: Some(voxel) }
    }
}

/// The features that meet first.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct FeaturesLine {
    /// Of a.
    pub(crate) a: FeatureLine,
    /// Of b.
    pub(crate) b: FeatureLine,
}

/// A part of a mesh, by numbers counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FeatureLine {
    /// A vertex.
    Vertex(u32),
    /// The edge of a triangle, by its two vertices.
    Edge([u32; 2]),
    /// A face as the file has it; polygons count once.
    Face(u32),
}

impl FeaturesLine {
    pub(crate) fn of(first: &FirstContact, meshes: [&Mesh; 2]) -> Self {
        let [a, b] = [0, 1].map(|side| FeatureLine::of(first.features[side], meshes[side]));
        Self { a, b }
    }
}

impl FeatureLine {
    fn of(feature: Feature, mesh: &Mesh) -> Self {
        match feature {
            Feature::Vertex(vertex) => Self::Vertex(vertex),
            Feature::Edge(ends) => Self::Edge(ends),
            Feature::Face(triangle) => Self::Face(mesh.face(triangle)),
        }
    }
}

/// Two features that meet on the way from a frame to the next.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct MeetingLine {
    /// Of a.
    pub(crate) a: FeatureLine,
    /// Of b.
    pub(crate) b: FeatureLine,
    /// They do not meet before the first time; they do at or before the second.
    pub(crate) time: [f64; 2],
}

impl MeetingLine {
    pub(crate) fn of(meeting: &Meeting, meshes: [&Mesh; 2]) -> Self {
        let [a, b] = [0, 1].map(|side| FeatureLine::of(meeting.features[side], meshes[side]));
        Self { a, b, time: meeting.time }
    }
}

impl std::fmt::Display for FeatureLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Vertex(vertex) => write!(f, "vertex {vertex}"),
            Self::Edge([from, to]) => write!(f, "edge {from}-{to}"),
            Self::Face(face) => write!(f, "face {face}"),
        }
    }
}

/// A translation of b after which it is free of a: a place that was checked, not a way there.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct SeparationLine {
    /// To be added to the translation of b.
    pub(crate) translation: Point,
    /// Its length.
    pub(crate) depth: f64,
    /// No shorter translation parts the two.
    pub(crate) at_least: f64,
    /// True if `at_least` proves that `depth` is at most 1.1 times the shortest, up to rounding.
    pub(crate) proven: bool,
}

impl SeparationLine {
    pub(crate) fn of(separation: &Separation) -> Self {
        let Separation { translation, depth, at_least, .. } = *separation;
        Self { translation, depth, at_least, proven: separation.is_proven() }
    }
}

/// A distance, as an interval that contains it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct ClearanceLine {
    /// The true distance is not smaller.
    pub(crate) at_least: f64,
    /// The true distance is not larger.
    pub(crate) at_most: f64,
    /// Points of a and b that are `at_most` apart.
    pub(crate) points: [Point; 2],
}

impl ClearanceLine {
    pub(crate) fn of(clearance: &Clearance) -> Self {
        let Clearance { at_least, at_most, points, .. } = *clearance;
        Self { at_least, at_most, points }
    }
}

/// How much space two bodies share, in the cube of the unit. Only closed parts count.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct VolumeLine {
    /// Not less than this.
    pub(crate) at_least: f64,
    /// Not more than this.
    pub(crate) at_most: f64,
    /// About so much.
    pub(crate) estimate: f64,
}

impl VolumeLine {
    pub(crate) const NONE: Self = Self { at_least: 0.0, at_most: 0.0, estimate: 0.0 };

    pub(crate) fn of(volume: &Volume) -> Self {
        let Volume { at_least, at_most, estimate } = *volume;
        Self { at_least, at_most, estimate }
    }
}

/// What all queries came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// How many were answered.
    pub(crate) queries: u64,
    /// In how many something touches.
    pub(crate) hits: u64,
    /// In how many nothing does.
    pub(crate) free: u64,
    /// How many could not be decided.
    pub(crate) unknown: u64,
    /// In how many something is closer than --clearance without touching; only if that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) too_close: Option<u64>,
    /// Bodies that are not closed and around others that touch nothing of them, so that nobody can
    /// say whether these are inside; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub(crate) not_closed: Vec<String>,
    /// The unit of all lengths and coordinates.
    pub(crate) units: Unit,
    /// Wall time from the first query to the last answer. All else is the same in every run.
    pub(crate) seconds: f64,
    /// The work that was done.
    pub(crate) counters: CountersLine,
}

/// Work, counted.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct CountersLine {
    /// Pairs of bodies that were looked at closely.
    pub(crate) body_pairs: u64,
    /// Pairs of bounding volumes held against each other.
    pub(crate) node_tests: u64,
    /// Pairs of triangles that were looked at, if only by their boxes.
    pub(crate) triangle_pairs: u64,
    /// Pairs of triangles whose boxes overlap, so that the triangles themselves were tested.
    pub(crate) triangle_tests: u64,
    /// Those that only exact arithmetic could decide.
    pub(crate) exact_tests: u64,
    /// Distances computed between two triangles.
    pub(crate) distance_tests: u64,
    /// Points asked whether they are inside the other body.
    pub(crate) inside_tests: u64,
}

impl CountersLine {
    pub(crate) fn of(counters: &Counters) -> Self {
        Self {
            body_pairs: counters.body_pairs,
            node_tests: counters.node_tests,
            triangle_pairs: counters.triangle_pairs,
            triangle_tests: counters.triangle_tests,
            exact_tests: counters.exact_tests,
            distance_tests: counters.distance_tests,
            inside_tests: counters.inside_tests,
        }
    }
}

/// For flags that are left out where they are as a rule.
pub(crate) fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references to such functions")]
pub(crate) fn is_true(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references to such functions")]
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_told_as_users_count() {
        // One square and a triangle beside it.
        let corners =
            [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]];
        let triangles = vec![[0, 1, 2], [0, 2, 3], [1, 4, 2]];
        let mesh = Mesh::with_faces(corners.to_vec(), triangles, vec![0, 0, 1]).unwrap();
        let first = |features| FirstContact {
            time: [0.25, 0.25],
            triangles: [2, 0],
            features,
            points: [[0.0; 3], [1.0, 0.0, 0.0]],
            normal: [1.0, 0.0, 0.0],
            within: 0.0,
        };
        let told = |features| {
            let line = FeaturesLine::of(&first(features), [&mesh, &mesh]);
            (serde_json::to_string(&line).unwrap(), format!("{}, {}", line.a, line.b))
        };
        let (json, text) = told([Feature::Face(2), Feature::Vertex(4)]);
        assert_eq!(json, r#"{"a":{"face":1},"b":{"vertex":4}}"#);
        assert_eq!(text, "face 1, vertex 4");
        let (json, text) = told([Feature::Edge([1, 4]), Feature::Edge([0, 2])]);
        assert_eq!(json, r#"{"a":{"edge":[1,4]},"b":{"edge":[0,2]}}"#);
        assert_eq!(text, "edge 1-4, edge 0-2");
        let contact = ContactLine::first(&first([Feature::Face(2), Feature::Vertex(4)]));
        assert_eq!((contact.point, contact.normal), ([0.5, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }
}
