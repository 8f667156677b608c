//! One instant: the pairs of blocks of all jobs through the frame, and what that says about each job.

use super::model::{Cast, Model};
use super::settings::Settings;
use crate::contract::answer::{Draft, Guarantee, HitKind, Side, Touch, Verdict};
use crate::contract::job::Job;
use crate::contract::query::{Gap, Query, Want};
use crate::narrow::budget::Limit;
use crate::narrow::parts::look_inside;
use crate::narrow::posed::{self, Moved, Posed};
use crate::narrow::tree_gap;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::face_cells::{self, Ask, UNITS_MAX};
use impinge_geom::obb_tree::gap::GapScratch;
use impinge_geom::pose::Pose;
use impinge_geom::recode::region::{Region, Spot};
use impinge_geom::recode::render::Renderer;
use impinge_geom::recode::{Block, Outcome, collide_until, region};
use rayon::prelude::*;

/// Jobs of an instant.
pub(super) struct Frame<'a> {
    pub(super) cast: &'a Cast<'a>,
    pub(super) settings: &'a Settings,
    pub(super) query: &'a Query,
}

/// The pairs of blocks of a job.
struct Near {
    pairs: Vec<[u32; 2]>,
    looks: u64,
    /// Whether they could be paid for.
    paid: bool,
}

impl Frame<'_> {
    /// A draft per job. The limit is for all of them.
    pub(super) fn answer<R: Renderer>(
        &self,
        renderer: &R,
        jobs: &[Job],
        limit: &Limit<'_>,
    ) -> Vec<Draft> {
        if limit.deadline.is_over() {
            let cut_short = Draft { complete: false, ..blind(Verdict::Unknown) };
            return vec![cut_short; jobs.len()];
        }
        let blocks = self.cast.blocks();
        let near = self.near(jobs, &blocks, limit);
        let pairs: Vec<[u32; 2]> =
            near.iter().filter(|near| near.paid).flat_map(|near| near.pairs.clone()).collect();
        let how = (&self.settings.drawing, &|| limit.deadline.is_over());
        let (outcomes, _) = collide_until(renderer, &blocks, &pairs, (how.0, how.1));
        let mut drafts = Vec::with_capacity(jobs.len());
        let mut next = 0;
        for (k, (job, near)) in jobs.iter().zip(&near).enumerate() {
            let count = if near.paid { near.pairs.len() } else { 0 };
            let found = &outcomes[next..next + count];
            next += count;
            let mut draft = match (job.itself, near.paid) {
                (true, _) => blind(Verdict::Unknown),
                (false, false) => Draft { complete: false, ..blind(Verdict::Unknown) },
                (false, true) => self.judge(self.cast.of_job[k], &near.pairs, found),
            };
            draft.counters.node_tests = near.looks;
            draft.counters.triangle_pairs = self.price(&blocks, &near.pairs) * u64::from(near.paid);
            if matches!(draft.verdict, Verdict::Hit(_)) && self.query.want != Want::Touching {
                let hits = near.pairs.iter().zip(found).filter(|(_, outcome)| outcome.hit);
                let hits: Vec<[u32; 2]> = hits.map(|(pair, _)| *pair).collect();
                draft.touches = self.touches(renderer, &blocks, &hits);
            }
            self.measure(self.cast.of_job[k], limit, &mut draft);
            drafts.push(draft);
        }
        drafts
    }

    /// Blocks that may meet, job by job, as long as they can be paid for.
    fn near(&self, jobs: &[Job], blocks: &[Block<'_>], limit: &Limit<'_>) -> Vec<Near> {
        let find = |(job, bodies): (&Job, &[u32; 2])| {
            if job.itself { (Vec::new(), 0) } else { self.cast.near(*bodies) }
        };
        let all: Vec<(Vec<[u32; 2]>, u64)> =
            jobs.par_iter().zip(&self.cast.of_job).map(find).collect();
        let pay = |(pairs, looks): (Vec<[u32; 2]>, u64)| {
            let paid = limit.take(looks + self.price(blocks, &pairs));
            Near { pairs, looks, paid }
        };
        all.into_iter().map(pay).collect()
    }

    /// The faces that two passes draw.
    fn price(&self, blocks: &[Block<'_>], pairs: &[[u32; 2]]) -> u64 {
        let faces = |k: u32| blocks[k as usize].triangles.len() as u64;
        pairs.iter().map(|&[i, j]| 2 * (faces(i) + faces(j))).sum()
    }

    /// What the pairs of blocks say about a pair of bodies, and how far that can be trusted.
    fn judge(&self, bodies: [u32; 2], pairs: &[[u32; 2]], found: &[Outcome]) -> Draft {
        let prepared = |pair: &[u32; 2]| [0, 1].map(|k| self.cast.prepared(bodies[k], pair[k]));
        let hits = pairs.iter().zip(found).filter(|(_, outcome)| outcome.hit);
        // Two blocks are a hit: they are next to each other, and next to their bodies.
        let error = |(pair, outcome): (&[u32; 2], &Outcome)| {
            let beyond = prepared(pair).iter().map(|block| block.excess).sum::<f64>();
            let told = outcome.rounding + beyond;
            if told.is_finite() { told } else { self.boxes(bodies, prepared(pair)) }
        };
        if let Some(error_max) = hits.map(error).reduce(f64::min) {
            let guarantee = Guarantee { may_invent: true, error_max, ..Guarantee::BLIND };
            return Draft { guarantee, ..Draft::of(Verdict::Hit(HitKind::Surface)) };
        }
        if found.iter().any(|outcome| outcome.skipped) {
            return Draft { complete: false, ..blind(Verdict::Unknown) };
        }
        let covers = bodies.iter().all(|&body| self.cast.body(body).0.blocks.covers());
        if pairs.is_empty() && covers {
            // Bodies are in the boxes of their blocks.
            return Draft::of(Verdict::Free);
        }
        let is_one = |&body: &u32| self.cast.body(body).0.blocks.all().len() == 1;
        let whole = covers && bodies.iter().all(is_one);
        let mut draft = blind(Verdict::Free);
        if whole {
            // If a point of one block is d deep in the other, so is a copy of its own block that is shrunk towards
            // the point to a diameter of d, with a ball of d / slenderness. A ball that is wider than a pixel's
            // diagonal holds the centre line of a pixel.
            let unseen = |(pair, outcome): (&[u32; 2], &Outcome)| {
                let slim = prepared(pair).iter().map(|b| b.slenderness).fold(0.0, f64::max);
                let reach = prepared(pair).iter().map(|b| reach(&b.points)).fold(0.0, f64::max);
                let rounding = outcome.rounding + 1e-14 * reach;
                slim * (0.5f64.sqrt() * outcome.pixel + 2.0 * rounding)
            };
            // No point is deeper in a body than half of its size.
            let half = |&body: &u32| 0.5 * self.cast.body(body).0.mesh.bounds().diagonal();
            let most = bodies.iter().map(half).fold(0.0, f64::max);
            let unseen = pairs.iter().zip(found).map(unseen).fold(0.0, f64::max);
            draft.guarantee.unseen_max = unseen.min(most);
        }
        draft
    }

    /// How far apart two bodies can be whose blocks were drawn: boxes around these overlap but for rounding, and
    /// points of the bodies are in both.
    fn boxes(&self, bodies: [u32; 2], blocks: [&impinge_geom::blocks::Block; 2]) -> f64 {
        let of = |k: usize| {
            let bounds = &blocks[k].bounds;
            let place = self.cast.body(bodies[k]).1.translation();
            let reach = reach(&[bounds.min, bounds.max, place]);
            1.001 * bounds.diagonal() + 1e-13 * reach
        };
        of(0) + of(1)
    }

    /// The contact region, pair of blocks by pair of blocks, pixel by pixel.
    fn touches<R: Renderer>(
        &self,
        renderer: &R,
        blocks: &[Block<'_>],
        hits: &[[u32; 2]],
    ) -> Vec<Touch> {
        let look = |pair: &[u32; 2]| {
            let two = pair.map(|k| blocks[k as usize]);
            let region = region(renderer, two, &self.settings.drawing);
            region.map_or_else(Vec::new, |region| {
                region.spots.iter().map(|spot| touch(&region, spot)).collect()
            })
        };
        let all: Vec<Vec<Touch>> = hits.par_iter().map(look).collect();
        all.concat()
    }

    /// The clearance of a free pair, if it is asked for. It is measured on the meshes, after exact tests have told that
    /// they are free: what was missed has none.
    fn measure(&self, bodies: [u32; 2], limit: &Limit<'_>, draft: &mut Draft) {
        if draft.verdict != Verdict::Free || self.query.gap == Gap::Ignore {
            return;
        }
        let exact = bodies.map(|body| {
            let (model, pose): (&Model, _) = self.cast.body(body);
            (model.exact(), pose)
        });
        if draft.guarantee.may_miss {
            self.decide(exact, limit, draft);
        }
        if draft.verdict == Verdict::Free {
            let mut scratch = GapScratch::default();
            tree_gap::measure(exact, (self.query.gap, limit, &mut scratch), draft);
        }
    }

    /// Whether meshes that were called free are.
    fn decide(&self, exact: [(&posed::Model, &Pose); 2], limit: &Limit<'_>, draft: &mut Draft) {
        let mut moved = [Moved::default(), Moved::default()];
        for ((model, pose), moved) in exact.iter().zip(&mut moved) {
            moved.fill(model, pose);
        }
        let placed = [0, 1].map(|k| Posed::of(exact[k].0, Some(&moved[k])));
        let [a, b] = placed.each_ref().map(Posed::side);
        let mut cells = face_cells::Scratch::default();
        let is_over = || limit.deadline.is_over();
        let ask = Ask { first_only: true, units: limit.left(), is_over: &is_over };
        let ended = cells.search(&a, &b, &ask);
        limit.spend(ended.work.units().min(UNITS_MAX));
        draft.guarantee = Guarantee::EXACT;
        if !cells.hits().is_empty() {
            draft.verdict = Verdict::Hit(HitKind::Surface);
        } else if !ended.complete {
            (draft.verdict, draft.complete) = (Verdict::Unknown, false);
        } else {
            look_inside(placed.each_ref(), limit, draft);
        }
    }
}

fn blind(verdict: Verdict) -> Draft {
    Draft { guarantee: Guarantee::BLIND, ..Draft::of(verdict) }
}

fn reach(points: &[Point]) -> f64 {
    points.iter().flatten().fold(0.0, |reach, x| reach.max(x.abs()))
}

/// What two bodies share on a pixel: B leaves A along the line of view, the shorter way.
fn touch(region: &Region, spot: &Spot) -> Touch {
    let into = DVec3::from(region.direction);
    let along = |from: Point, to: Point| into.dot(DVec3::from(to) - DVec3::from(from)).max(0.0);
    let (ahead, back) = (along(spot.b[0], spot.a[1]), along(spot.a[0], spot.b[1]));
    let (normal, depth) = if ahead <= back { (into, ahead) } else { (-into, back) };
    let [point, voxel] = spot.shared;
    Touch { of: Side::B, point, voxel, normal: normal.into(), depth }
}
