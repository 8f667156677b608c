//! One query: bodies to their places, one step of the world, the answer as it will be printed.

use super::frames::View;
use super::line::{
    BudgetLine, ClearanceLine, ContactLine, FeaturesLine, Kind, MeetingLine, PairLine, QueryLine,
    SeparationLine, Verdict, VolumeLine,
};
use super::plan::Plan;
use crate::gpu;
use anyhow::{Context, Result};
use impinge::contract::answer as contract;
use impinge::contract::counters::Counters;
use impinge::contract::job::Placement;
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_geom::aabb::Aabb;
use impinge_geom::distance::aabb_gap;
use rayon::prelude::*;
use std::sync::Arc;

/// Up to this many bodies every pair is listed, whatever it has to say.
const LIST_ALL_MAX: usize = 2;

/// A query to be answered.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) number: u64,
    pub(crate) view: View,
}

/// An answer and the work it took.
#[derive(Debug)]
pub(crate) struct Answered<'p> {
    pub(crate) line: QueryLine<'p>,
    /// Bodies around others of which nobody can say whether they are inside.
    pub(crate) not_closed: Vec<usize>,
    pub(crate) counters: Counters,
}

impl Answered<'_> {
    /// Whether a pair is free but closer than it may be.
    pub(crate) fn too_close(&self) -> bool {
        self.line.pairs.iter().any(|pair| pair.too_close)
    }

    /// Whether there is something to act on.
    pub(crate) fn is_finding(&self) -> bool {
        self.line.verdict == Verdict::Hit || self.too_close()
    }
}

/// A world with the bodies of a plan.
pub(crate) struct Asker<'p> {
    plan: &'p Plan,
    world: World,
    ids: Vec<BodyId>,
    /// The frame in which all bodies have come to rest, if they have in one.
    settled: Option<usize>,
}

impl<'p> Asker<'p> {
    /// Hands all meshes to the engine.
    pub(crate) fn new(plan: &'p Plan) -> Result<Self> {
        let pruner = broad::by_name(&plan.pruner).context("pruners were checked by name")?;
        let engine = match &plan.gpu {
            Some(adapter) => gpu::engine(&plan.engine, adapter)?,
            None => narrow::by_text(&plan.engine)?,
        };
        let mut world = World::with(pruner, engine);
        // Queries are shared out among threads: what is remembered, and so the work that is counted, would
        // depend on how.
        world.set_memory(false);
        world.set_boxes(plan.boxes);
        world.set_pair_limit(plan.pair_limit);
        let meshes: Vec<(Arc<Mesh>, Option<f64>)> =
            plan.bodies.iter().map(|body| (body.mesh.clone(), body.voxel)).collect();
        let shapes = world.add_shapes_to(&meshes).map_err(|refused| {
            let name = &plan.bodies[refused.index].name;
            anyhow::Error::new(refused.error).context(format!("body `{name}`"))
        })?;
        let inserted = shapes.into_iter().map(|shape| world.insert(Body::new(shape)));
        let ids: Vec<BodyId> = inserted.collect::<Result<_, _>>()?;
        for &[a, b] in &plan.ignored {
            world.deny(ids[a], ids[b]);
        }
        Ok(Self { plan, world, ids, settled: None })
    }

    /// Brings all bodies to where they are looked at.
    fn bring(&mut self, view: &View) -> Result<()> {
        match *view {
            View::Given | View::Moved(_) => self.place(view.place()),
            View::Frame(frame) => {
                self.place(None);
                self.show(frame, World::reset_vertices)?;
            }
            View::Step(frame) => {
                if self.settled != Some(frame) {
                    self.place(None);
                    self.show(frame, World::reset_vertices)?;
                    // Ways begin where a step ends; this one looks at no pair.
                    self.world.set_pair_limit(0);
                    self.world.step(&Query::TOUCHING);
                    self.world.set_pair_limit(self.plan.pair_limit);
                }
                self.show(frame + 1, World::deform)?;
                self.settled = Some(frame + 1);
            }
        }
        Ok(())
    }

    /// Moves the vertices of all bodies that deform.
    fn show(&mut self, frame: usize, deform: Deform) -> Result<()> {
        for (id, body) in self.ids.iter().zip(&self.plan.bodies) {
            if let Some(frames) = &body.frames {
                deform(&mut self.world, *id, frames.vertices(frame)).with_context(|| {
                    format!("body `{}`, frame {}", body.name, frame % frames.len())
                })?;
            }
        }
        Ok(())
    }

    fn place(&mut self, place: Option<&Placement>) {
        for (id, body) in self.ids.iter().zip(&self.plan.bodies) {
            match body.at(place) {
                // One query has nothing to do with the next, so there is no way between them.
                Placement::Fixed(pose) => self.world.teleport(*id, pose),
                Placement::Moving(motion) => self.world.set_motion(*id, *motion),
                Placement::Deforming(way) => self.world.teleport(*id, way.to),
            };
        }
    }

    /// The answer to a question. The engine may refuse a body as it is in one of its frames.
    pub(crate) fn ask(&mut self, question: &Question) -> Result<Answered<'p>> {
        let view = &question.view;
        self.bring(view)?;
        let report = self.world.step(&self.plan.query);
        let counters = report.counters();
        let listing = Listing { plan: self.plan, ids: &self.ids, view };
        let mut pairs = listing.pairs(&report);
        let not_closed = listing.not_closed(&report);
        let complete = report.progress() == Progress::Complete;
        let budget = report.spent().and_then(BudgetLine::of);
        if self.plan.separate {
            let hits: Vec<[BodyId; 2]> = report.hits().map(|pair| [pair.a, pair.b]).collect();
            // Every hit is listed, in the order of the report.
            let touching = pairs.iter_mut().filter(|line| line.verdict == Verdict::Hit);
            for (line, [a, b]) in touching.zip(hits) {
                line.separation = self.world.separation(a, b).as_ref().map(SeparationLine::of);
            }
        }
        if let Some(resolution) = self.plan.volume {
            for line in pairs.iter_mut().filter(|line| line.a != line.b) {
                self.tell_volume(line, resolution);
            }
        }
        let has = |verdict: Verdict| pairs.iter().any(|pair| pair.verdict == verdict);
        let verdict = if has(Verdict::Hit) {
            Verdict::Hit
        } else if has(Verdict::Unknown) || !complete {
            Verdict::Unknown
        } else {
            Verdict::Free
        };
        let line = QueryLine { query: question.number, verdict, complete, budget, pairs };
        Ok(Answered { line, not_closed, counters })
    }
}

impl Asker<'_> {
    /// Adds how much space two bodies share.
    fn tell_volume(&self, line: &mut PairLine<'_>, resolution: u16) {
        let names = [line.a, line.b];
        let of = |name: &str| self.plan.bodies.iter().position(|body| body.name == name);
        let ids = names.map(|name| of(name).map(|body| self.ids[body]));
        let [Some(a), Some(b)] = ids else { return };
        let open = |id| self.world.has_inside(id) == Some(false);
        line.no_volume = names
            .into_iter()
            .zip([a, b])
            .filter(|(_, id)| open(*id))
            .map(|(name, _)| name)
            .collect();
        if !line.no_volume.is_empty() {
            return;
        }
        // What is certainly free shares nothing, however coarse an image is.
        line.volume = if line.verdict == Verdict::Free && line.unseen.is_none() {
            Some(VolumeLine::NONE)
        } else {
            self.world.shared_volume(a, b, resolution).ok().as_ref().map(VolumeLine::of)
        };
        // Of what shares space for certain, a distance that a limit left open would tell the contrary.
        if line.verdict == Verdict::Unknown && line.volume.is_some_and(|found| found.at_least > 0.0)
        {
            line.clearance = None;
        }
    }
}

/// How new vertices come to a body, with a way there or without.
type Deform = fn(&mut World, BodyId, &[Point]) -> Result<(), DeformError>;

/// From the report of a step to the pairs that are listed.
struct Listing<'p, 'q> {
    plan: &'p Plan,
    /// By body; rising, since bodies are only ever added.
    ids: &'q [BodyId],
    view: &'q View,
}

impl<'p> Listing<'p, '_> {
    fn pairs(&self, report: &Report<'_>) -> Vec<PairLine<'p>> {
        let all = self.plan.bodies.len() <= LIST_ALL_MAX;
        let mut lines = Vec::new();
        let mut seen = Vec::new();
        for pair in report.pairs() {
            let line = self.line(&pair);
            let clearance = line.clearance.is_some();
            if all || clearance || line.verdict != Verdict::Free {
                seen.push([pair.a, pair.b]);
                lines.push(line);
            }
        }
        // The broad phase may have ruled the only pair out, which is an answer all the same.
        if let ([a, b], true) = (self.ids, all)
            && !seen.contains(&[*a, *b])
            && !self.plan.ignored.contains(&[0, 1])
        {
            let [a, b] = [0, 1].map(|body: usize| self.plan.bodies[body].name.as_str());
            let at = lines.iter().position(|line| line.a == b).unwrap_or(lines.len());
            lines.insert(at, blank(a, b, Verdict::Free));
        }
        lines
    }

    /// Bodies that are not closed and whose box is around the whole box of a body that is free of
    /// them. Those boxes overlap, so the broad phase has let such a pair through.
    fn not_closed(&self, report: &Report<'_>) -> Vec<usize> {
        let free = report.pairs().filter(|pair| pair.answer.verdict == contract::Verdict::Free);
        let indices = free.map(|pair| [pair.a, pair.b].map(|id| self.index(id)));
        let ordered = indices.flat_map(|[i, j]| [[i, j], [j, i]]).filter(|[i, j]| i != j);
        let around = ordered.filter(|&[outer, inner]| self.is_around(outer, inner));
        let mut outer: Vec<usize> = around.map(|[outer, _]| outer).collect();
        outer.sort_unstable();
        outer.dedup();
        outer.into_par_iter().filter(|&i| !self.plan.bodies[i].is_closed()).collect()
    }

    /// Whether the box of one body is around that of another, each along its body's own axes; at the
    /// end of a motion.
    fn is_around(&self, outer: usize, inner: usize) -> bool {
        let [outer, inner] = [outer, inner].map(|body| &self.plan.bodies[body]);
        let Aabb { min, max } = *inner.bounds_at(self.view);
        let [a, b] = [outer, inner].map(|body| body.at(self.view.place()).end());
        let place = a.inverse().after(&b);
        (0..8).all(|corner| {
            let side = |k: usize| if corner >> k & 1 == 0 { min[k] } else { max[k] };
            outer.bounds_at(self.view).contains(&place.apply(&[side(0), side(1), side(2)]))
        })
    }

    fn line(&self, pair: &PairReport<'_>) -> PairLine<'p> {
        let [i, j] = [pair.a, pair.b].map(|id| self.index(id));
        let [a, b] = [i, j].map(|body| &self.plan.bodies[body]);
        let answer = pair.answer;
        let (verdict, kind, inner) = match answer.verdict {
            contract::Verdict::Free => (Verdict::Free, None, None),
            contract::Verdict::Unknown => (Verdict::Unknown, None, None),
            contract::Verdict::Hit(HitKind::Surface) => (Verdict::Hit, Some(Kind::Surface), None),
            contract::Verdict::Hit(HitKind::Inside { inner }) => {
                let inner = if inner == Side::A { a } else { b };
                (Verdict::Hit, Some(Kind::Inside), Some(inner.name.as_str()))
            }
        };
        let want = self.plan.query.want;
        let surface = kind == Some(Kind::Surface);
        let complete = answer.complete;
        let mut line = PairLine { kind, inner, complete, ..blank(&a.name, &b.name, verdict) };
        // Of a contact on the way the features are known; at the start, or at an instant, all faces.
        let first = answer.first.as_ref();
        if !pair.touches.is_empty() && want == Want::Contacts {
            line.contacts = Some(pair.touches.iter().map(ContactLine::of_point).collect());
        } else if surface && want != Want::Touching && pair.touches.is_empty() {
            let triangles = first.map(|first| vec![first.triangles]);
            let triangles = triangles.unwrap_or_else(|| pair.triangle_pairs.to_vec());
            let faces = |&[x, y]: &[u32; 2]| [a.mesh.face(x), b.mesh.face(y)];
            let mut faces: Vec<[u32; 2]> = triangles.iter().map(faces).collect();
            faces.sort_unstable();
            faces.dedup();
            line.faces = Some(faces);
            line.triangles = Some(triangles);
        }
        if surface && want == Want::Contacts && line.contacts.is_none() {
            let contacts = first.map(|first| vec![ContactLine::first(first)]);
            let all = || pair.contacts.iter().map(ContactLine::of).collect();
            line.contacts = Some(contacts.unwrap_or_else(all));
        }
        line.time = answer.time;
        line.within = Some(answer.guarantee.error_max)
            .filter(|error| verdict == Verdict::Hit && answer.guarantee.may_invent && *error > 0.0);
        let unseen = answer.guarantee.unseen_max;
        line.unseen = match verdict {
            Verdict::Free if answer.guarantee.may_miss => {
                Some(Some(unseen).filter(|d| d.is_finite()))
            }
            Verdict::Unknown if unseen > 0.0 && unseen.is_finite() => Some(Some(unseen)),
            _ => None,
        };
        let met = first.filter(|_| surface);
        line.features = met.map(|first| FeaturesLine::of(first, [&a.mesh, &b.mesh]));
        // Of rigid bodies there is no such list, and an empty one would claim that nothing meets.
        if !pair.meetings.is_empty() {
            let told = |found| MeetingLine::of(found, [&a.mesh, &b.mesh]);
            line.meetings = Some(pair.meetings.iter().map(told).collect());
        }
        line.clearance = answer.clearance.as_ref().map(ClearanceLine::of);
        if verdict == Verdict::Unknown && line.clearance.is_none() && i != j {
            line.clearance = Some(self.known_interval([i, j]));
        }
        line.too_close = verdict == Verdict::Free
            && line.clearance.zip(self.plan.clearance).is_some_and(is_too_close);
        line
    }

    fn index(&self, id: BodyId) -> usize {
        self.ids.binary_search(&id).expect("reports name bodies of this world")
    }

    /// What is certain of a pair without looking at its triangles: the distance of two of its
    /// vertices, at the end of a motion, and that of the boxes, over all of it.
    fn known_interval(&self, pair: [usize; 2]) -> ClearanceLine {
        let [(a, p), (b, q)] = pair.map(|body| {
            let body = &self.plan.bodies[body];
            let place = body.at(self.view.place());
            let pose = place.end();
            let [start, end] = self.view.frames();
            let of = |frame: usize| -> Vec<Point> {
                let corners = body.mesh.triangles().iter().flatten();
                corners.map(|&v| pose.apply(&body.vertices(frame)[v as usize])).collect()
            };
            let used = of(end);
            let around = match place {
                // Vertices go straight, so a box around both ends is around all of the way.
                Placement::Fixed(_) | Placement::Deforming(_) => {
                    let at_start = if start == end { Vec::new() } else { of(start) };
                    Aabb::around(at_start.iter().chain(&used))
                }
                Placement::Moving(motion) => motion.aabb_bounds(&body.bounds, 0.0, 1.0),
            };
            (around, used[0])
        });
        let apart: f64 = (0..3).map(|k| (p[k] - q[k]) * (p[k] - q[k])).sum();
        // A few roundings, all within this margin.
        let at_most = apart.sqrt() * (1.0 + 8.0 * f64::EPSILON);
        ClearanceLine { at_least: aabb_gap(&a, &b).min(at_most), at_most, points: [p, q] }
    }
}

/// Certainly closer than allowed; a gap of just the limit is not.
fn is_too_close((clearance, limit): (ClearanceLine, f64)) -> bool {
    clearance.at_most < limit
}

fn blank<'p>(a: &'p str, b: &'p str, verdict: Verdict) -> PairLine<'p> {
    PairLine {
        a,
        b,
        verdict,
        kind: None,
        inner: None,
        complete: true,
        time: None,
        features: None,
        faces: None,
        triangles: None,
        contacts: None,
        meetings: None,
        separation: None,
        clearance: None,
        volume: None,
        no_volume: Vec::new(),
        too_close: false,
        within: None,
        unseen: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_close_is_what_certainly_is() {
        let gap = |at_least, at_most| ClearanceLine { at_least, at_most, points: [[0.0; 3]; 2] };
        for (clearance, too_close) in [
            (gap(0.5, 0.5), false),
            (gap(0.4, 0.5), false),
            (gap(0.4, 0.5 - 1e-15), true),
            (gap(0.5 - 1e-15, 0.5), false),
            (gap(0.5, 0.6), false),
        ] {
            assert_eq!(is_too_close((clearance, 0.5)), too_close, "{clearance:?}");
        }
    }
}
