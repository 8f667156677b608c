//! First contact as printed [E99 §4]: descent with volumes that enclose start and end of the motion,
//! and for pairs of faces the tests of vertices against faces and edges against edges.
//!
//! Both bodies may move; each has its own volumes and all points are where they are in the world. The
//! earliest time of all pairs of faces is the first contact. Nothing is certain: the volumes are no
//! bounds where bodies turn, and the tests miss roots and place others wrongly (see
//! `impinge_geom::first_contact::paper`). Time is not subdivided; the paper takes small steps. No
//! found time rules out a pair of volumes, as the paper's volumes have no times.
//!
//! What touches at the start is not a matter of these tests, and looked for beforehand.

use super::model::Model;
use super::surface::{TESTS_PER_LOOK, opens_first};
use crate::contract::answer::{Contact, Draft, Guarantee, HitKind, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::Placement;
use crate::contract::query::Want;
use crate::narrow::budget::Limit;
use impinge_geom::Triangle;
use impinge_geom::first_contact::paper::{Method, Part, faces, meeting};
use impinge_geom::first_contact::{Feature, FirstContact};
use impinge_geom::hierarchy::{Bound, Sweep, View};
use impinge_geom::pose::Pose;

/// How a motion is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// How roots are approximated.
    pub method: Method,
    /// At how many times between start and end volumes are enclosed, too.
    pub between: u32,
}

impl Default for Dynamic {
    /// As the paper did in the end: start and end only, regula falsi.
    fn default() -> Self {
        Self { method: Method::RegulaFalsi, between: 0 }
    }
}

/// What dynamic answers can be trusted for: nothing, but they are near the truth for small steps.
pub(super) const GUARANTEE: Guarantee = Guarantee { may_invent: true, ..Guarantee::BLIND };

/// Two bodies on their way.
pub(super) struct Course<'a, B> {
    pub(super) models: [&'a Model<B>; 2],
    pub(super) placements: [&'a Placement; 2],
    pub(super) dynamic: Dynamic,
    pub(super) want: Want,
    /// Pairs of faces that do not count, sorted.
    pub(super) except: &'a [[u32; 2]],
}

impl<B: Bound> Course<'_, B> {
    /// The first contact after the start.
    pub(super) fn answer(&self, limit: &Limit<'_>) -> Draft {
        let mut descent = Descent::new(self, limit);
        descent.run();
        let Descent { counters, cut_short, best, .. } = descent;
        let first = best.map(|best| self.first_contact(&best));
        let verdict = match first {
            Some(_) => Verdict::Hit(HitKind::Surface),
            None if cut_short => Verdict::Unknown,
            None => Verdict::Free,
        };
        let unknown = (verdict == Verdict::Unknown).then_some([0.0, 1.0]);
        Draft {
            time: first.map(|first| first.time).or(unknown),
            first,
            complete: !cut_short,
            guarantee: GUARANTEE,
            counters,
            triangle_pairs: first.iter().map(|first| first.triangles).collect(),
            contacts: first.iter().filter(|_| self.want == Want::Contacts).map(contact).collect(),
            ..Draft::of(verdict)
        }
    }

    fn poses(&self, time: f64) -> [Pose; 2] {
        self.placements.map(|placement| placement.at(time))
    }

    fn triangles(&self, faces: [u32; 2], poses: &[Pose; 2]) -> [Triangle; 2] {
        std::array::from_fn(|k| posed(self.models[k], faces[k], &poses[k]))
    }

    fn feature(&self, side: usize, face: u32, part: Part) -> Feature {
        let corners = self.models[side].mesh.triangles()[face as usize];
        match part {
            Part::Vertex(i) => Feature::Vertex(corners[i]),
            Part::Edge(i) => {
                let mut ends = [corners[i], corners[(i + 1) % 3]];
                ends.sort_unstable();
                Feature::Edge(ends)
            }
            Part::Face => Feature::Face(face),
        }
    }

    fn first_contact(&self, best: &Best) -> FirstContact {
        let [start, now] =
            [0.0, best.time].map(|time| self.triangles(best.triangles, &self.poses(time)));
        let meeting = meeting(best.parts, &start, &now);
        FirstContact {
            time: [best.time; 2],
            triangles: best.triangles,
            features: best.features,
            points: meeting.points,
            normal: meeting.normal,
            within: meeting.within,
        }
    }
}

fn posed<B>(model: &Model<B>, face: u32, pose: &Pose) -> Triangle {
    let vertices = model.mesh.vertices();
    model.mesh.triangles()[face as usize].map(|v| pose.apply(&vertices[v as usize]))
}

fn contact(first: &FirstContact) -> Contact {
    Contact {
        triangles: first.triangles,
        point: first.points[0],
        ends: [first.points[0]; 2],
        normal: first.normal,
        depth: 0.0,
    }
}

/// The earliest contact so far; of several at one time that of the simplest and smallest features.
#[derive(Clone, Copy)]
struct Best {
    time: f64,
    features: [Feature; 2],
    triangles: [u32; 2],
    parts: [Part; 2],
}

impl Best {
    fn is_before(&self, other: &Self) -> bool {
        let rest = |best: &Self| (best.features, best.triangles);
        self.time.total_cmp(&other.time).then_with(|| rest(self).cmp(&rest(other))).is_lt()
    }
}

struct Descent<'a, 'l, B> {
    course: &'a Course<'a, B>,
    limit: &'a Limit<'l>,
    sweeps: [Sweep; 2],
    view: View,
    /// At the start and at the end.
    ends: [[Pose; 2]; 2],
    /// Pairs of nodes whose swept volumes are not apart, with these volumes.
    stack: Vec<([u32; 2], [B; 2])>,
    /// The faces of two leaves at the start and at the end.
    faces: [Vec<[Triangle; 2]>; 2],
    counters: Counters,
    cut_short: bool,
    best: Option<Best>,
}

impl<'a, 'l, B: Bound> Descent<'a, 'l, B> {
    fn new(course: &'a Course<'a, B>, limit: &'a Limit<'l>) -> Self {
        let ends = [course.poses(0.0), course.poses(1.0)];
        let sweeps = course.placements.map(|placement| sweep(placement, course.dynamic.between));
        let reaches = std::array::from_fn(|k| sweeps[k].reach(course.models[k].reach));
        let [start_a, start_b] = &ends[0];
        Self {
            course,
            limit,
            view: View::new([start_a, start_b], reaches),
            sweeps,
            ends,
            stack: Vec::new(),
            faces: [Vec::new(), Vec::new()],
            counters: Counters::default(),
            cut_short: false,
            best: None,
        }
    }

    fn run(&mut self) {
        let [a, b] = self.course.models.map(|model| &model.tree);
        self.push([0, 0], [self.swept(0, 0), self.swept(1, 0)]);
        while let Some(([i, j], [volume_a, volume_b])) = self.stack.pop() {
            if self.cut_short {
                break;
            }
            let (node_a, node_b) = (&a.nodes()[i as usize], &b.nodes()[j as usize]);
            if node_a.is_leaf() && node_b.is_leaf() {
                self.leaves([a.faces(node_a), b.faces(node_b)]);
            } else if opens_first(node_a, node_b) {
                for child in node_a.children() {
                    self.push([child, j], [self.swept(0, child), volume_b]);
                }
            } else {
                for child in node_b.children() {
                    self.push([i, child], [volume_a, self.swept(1, child)]);
                }
            }
        }
    }

    fn swept(&self, side: usize, node: u32) -> B {
        let nodes = self.course.models[side].tree.nodes();
        nodes[node as usize].bound.swept(&self.sweeps[side])
    }

    /// Keeps a pair of nodes unless their swept volumes are apart.
    fn push(&mut self, nodes: [u32; 2], [a, b]: [B; 2]) {
        let tests = &mut self.counters.node_tests;
        *tests += 1;
        let late = tests.is_multiple_of(TESTS_PER_LOOK) && self.limit.deadline.is_over();
        if late || !self.limit.take(1) {
            self.cut_short = true;
        }
        if !a.is_apart(&b, &self.view) {
            self.stack.push((nodes, [a, b]));
        }
    }

    /// All faces of two leaves against each other.
    fn leaves(&mut self, numbers: [&[u32]; 2]) {
        let pairs = numbers[0].len() as u64 * numbers[1].len() as u64;
        if !self.limit.take(pairs) {
            self.cut_short = true;
            return;
        }
        self.counters.triangle_pairs += pairs;
        for (k, faces) in self.faces.iter_mut().enumerate() {
            let model = self.course.models[k];
            faces.clear();
            let ends = &self.ends;
            let at_ends = |&face: &u32| [0, 1].map(|end| posed(model, face, &ends[end][k]));
            faces.extend(numbers[k].iter().map(at_ends));
        }
        for (i, &face) in numbers[0].iter().enumerate() {
            for (j, &other) in numbers[1].iter().enumerate() {
                if self.course.except.binary_search(&[face, other]).is_err() {
                    self.counters.triangle_tests += 1;
                    self.two_faces([face, other], [self.faces[0][i], self.faces[1][j]]);
                }
            }
        }
    }

    /// The fifteen tests of two faces, each given at the start and at the end.
    fn two_faces(&mut self, triangles: [u32; 2], [a, b]: [[Triangle; 2]; 2]) {
        let (course, best) = (self.course, &mut self.best);
        let at = |time: f64| course.triangles(triangles, &course.poses(time));
        let ends = [&[a[0], b[0]], &[a[1], b[1]]];
        faces(course.dynamic.method, ends, at, |time, parts| {
            let features = std::array::from_fn(|k| course.feature(k, triangles[k], parts[k]));
            let found = Best { time, features, triangles, parts };
            if best.as_ref().is_none_or(|best| found.is_before(best)) {
                *best = Some(found);
            }
        });
    }
}

/// The places of a body after the start that its volumes enclose.
fn sweep(placement: &Placement, between: u32) -> Sweep {
    match placement {
        Placement::Fixed(_) | Placement::Deforming(_) => Sweep::STILL,
        Placement::Moving(motion) => {
            let steps = between.saturating_add(1);
            let time = |step: u32| f64::from(step) / f64::from(steps);
            Sweep::new(motion.pose0(), (1..=steps).map(|step| motion.pose_at(time(step))))
        }
    }
}
