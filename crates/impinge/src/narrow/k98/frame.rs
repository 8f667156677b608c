//! One instant: from bodies at their places to what there is to say of each pair of them.

use super::cast::{Cast, Couple};
use super::checklist::{self, Checklist, Face};
use super::model::{Model, Posed};
use super::settings::{LEVEL_MAX, Level, Settings, WorldCube};
use super::walk::{Links, Space, Walked};
use crate::contract::answer::{Draft, Verdict};
use crate::contract::query::{Query, Want};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::found::{Found, contact};
use crate::narrow::gap;
use crate::narrow::models::Models;
use crate::narrow::parts::{Solid, look_inside};
use impinge_geom::aabb::Aabb;
use rayon::prelude::*;

/// How many times as large as a face the finest cells are at least where the level is found
/// automatically. Finer ones cost more tests of faces against cells than they spare tests of faces
/// against faces: with spheres of 168 to 20,000 faces the time is then within about a fifth of that
/// of the best level.
const CELL_OVER_FACE: f64 = 3.0;

/// How much may be done.
#[derive(Clone, Copy)]
pub(super) enum Pay<'a> {
    /// Anything, by all threads, until then.
    Until(&'a Deadline),
    /// As much as is left, by this thread.
    With(&'a Limit<'a>),
}

impl<'a> Pay<'a> {
    pub(super) fn deadline(&self) -> &'a Deadline {
        match self {
            Self::Until(deadline) => deadline,
            Self::With(limit) => limit.deadline,
        }
    }

    /// None if any work may be done.
    pub(super) fn limit(&self) -> Option<&'a Limit<'a>> {
        match self {
            Self::Until(_) => None,
            Self::With(limit) => Some(limit),
        }
    }

    fn take(&self, work: u64) -> bool {
        self.limit().is_none_or(|limit| limit.take(work))
    }
}

/// Bodies at their places, and which of them are asked about.
pub(super) struct Frame<'a> {
    settings: &'a Settings,
    query: &'a Query,
    bodies: Vec<Posed<'a>>,
    couples: &'a [Couple],
}

/// What the stages before the tests of what is inside say: one entry per couple, and the tests that
/// cannot be told apart by couples.
struct Searched {
    found: Vec<Found>,
    shared_tests: u64,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        cast: &'a Cast,
        models: &'a Models<Model>,
        settings: &'a Settings,
        query: &'a Query,
    ) -> Self {
        let bodies = cast.bodies.par_iter();
        let bodies = bodies.map(|(shape, pose)| models.get(*shape).at(pose)).collect();
        Self { settings, query, bodies, couples: &cast.couples }
    }

    /// A draft per couple. What cannot be told apart is counted with the first one.
    pub(super) fn answer(&self, pay: Pay<'_>) -> Vec<Draft> {
        let Searched { found, shared_tests } = self.search(pay);
        let mut drafts: Vec<Draft> = match pay {
            Pay::Until(deadline) => {
                let all = found.into_par_iter().enumerate();
                let limit = || Limit::new(deadline, u64::MAX);
                all.map(|(couple, found)| self.finish(couple, found, &limit())).collect()
            }
            Pay::With(limit) => {
                let all = found.into_iter().enumerate();
                all.map(|(couple, found)| self.finish(couple, found, limit)).collect()
            }
        };
        if let Some(first) = drafts.first_mut() {
            first.counters.node_tests += shared_tests;
        }
        drafts
    }

    /// The stages of the paper.
    fn search(&self, pay: Pay<'_>) -> Searched {
        let count = self.couples.len();
        let mut found: Vec<Found> = (0..count).map(|_| Found::default()).collect();
        let unseen = |found: &mut Found| found.cut_short = true;
        if pay.deadline().is_over() || !pay.take(count as u64) {
            found.iter_mut().for_each(unseen);
            return Searched { found, shared_tests: 0 };
        }
        let (alive, list) = self.checklist(pay);
        found.iter_mut().for_each(|found| found.counters.node_tests = 1);
        if list.cut_short {
            found.iter_mut().zip(&alive).filter(|(_, alive)| **alive).for_each(|(f, _)| unseen(f));
            return Searched { found, shared_tests: list.tests };
        }
        let mut shared_tests = list.tests;
        for part in self.subdivide(&list, &alive, pay) {
            shared_tests += part.cell_tests;
            for (couple, face_pair) in part.hits {
                found[couple as usize].triangle_pairs.push(face_pair);
            }
            for ((found, looked), alive) in found.iter_mut().zip(part.looked).zip(&alive) {
                found.counters.triangle_pairs += looked[0];
                found.counters.triangle_tests += looked[1];
                found.cut_short |= part.cut_short && *alive;
            }
        }
        Searched { found, shared_tests }
    }

    /// The couples whose boxes overlap, and the faces that meet overlap regions; without the stage of
    /// the boxes all of both.
    fn checklist(&self, pay: Pay<'_>) -> (Vec<bool>, Checklist) {
        if !self.settings.boxes {
            return (vec![true; self.couples.len()], checklist::all_faces(&self.bodies));
        }
        let regions = checklist::regions(&self.bodies, self.couples);
        let alive: Vec<bool> = regions.iter().map(|region| !region.is_empty()).collect();
        let mut of_body = vec![Vec::new(); self.bodies.len()];
        for ((couple, region), _) in self.couples.iter().zip(&regions).zip(&alive).filter(|x| *x.1)
        {
            let [a, b] = couple.bodies;
            of_body[a as usize].push(*region);
            if !couple.is_self() {
                of_body[b as usize].push(*region);
            }
        }
        let price = |(body, regions): (&Posed<'_>, &Vec<Aabb>)| {
            u64::from(body.face_count()) * regions.len() as u64
        };
        if !pay.take(self.bodies.iter().zip(&of_body).map(price).sum()) {
            return (alive, Checklist { cut_short: true, ..Checklist::default() });
        }
        let list = checklist::faces(&self.bodies, &of_body, self.settings.cell, pay.deadline());
        (alive, list)
    }

    fn subdivide(&self, list: &Checklist, alive: &[bool], pay: Pay<'_>) -> Vec<Walked> {
        let links = Links::of(self.couples, self.bodies.len(), |couple| alive[couple]);
        let root = self.world_cube();
        let mut space = Space {
            faces: &list.faces,
            couples: self.couples,
            links: &links,
            split: self.settings.split,
            cell: self.settings.cell,
            depth_max: 0,
            want: self.query.want,
        };
        space.depth_max = space.divisions(self.level(&root, &list.faces));
        match pay {
            Pay::Until(deadline) => space.walk_apart(root, deadline),
            Pay::With(limit) => vec![space.walk(root, limit)],
        }
    }

    fn world_cube(&self) -> Aabb {
        let all = self.bodies.iter().fold(Aabb::EMPTY, |all, body| all.union(&body.bounds));
        match self.settings.world {
            WorldCube::Fit => {
                let side = all.size().into_iter().fold(0.0, f64::max);
                // Adding may round, but the cube must hold all.
                let max = std::array::from_fn(|k| (all.min[k] + side).max(all.max[k]));
                Aabb { min: all.min, max }
            }
            WorldCube::Side(side) => {
                let reach = all.min.iter().chain(&all.max).fold(0.5 * side, |r, x| r.max(x.abs()));
                Aabb { min: [-reach; 3], max: [reach; 3] }
            }
        }
    }

    fn level(&self, root: &Aabb, faces: &[Face]) -> u32 {
        let Level::Fixed(level) = self.settings.level else {
            let extent = |face: &Face| face.bounds.size().into_iter().fold(0.0, f64::max);
            let mean = faces.iter().map(extent).sum::<f64>() / faces.len() as f64;
            let cells = root.size()[0] / (CELL_OVER_FACE * mean);
            // Not a number if there are no faces, or only points in one place: no level.
            let level = cells.log2().floor().clamp(0.0, f64::from(LEVEL_MAX));
            return level as u32;
        };
        level
    }

    /// What was found, in order; then what is inside, and how far apart the rest is.
    fn finish(&self, couple: usize, mut found: Found, limit: &Limit<'_>) -> Draft {
        let couple = &self.couples[couple];
        let [a, b] = couple.bodies.map(|body| &self.bodies[body as usize]);
        let pairs = &mut found.triangle_pairs;
        if self.query.want == Want::Touching && !pairs.is_empty() {
            pairs.truncate(1);
            // One contact is all that was asked for.
            found.cut_short = false;
        }
        // Neighbouring subtrees can both have found a pair.
        pairs.sort_unstable();
        pairs.dedup();
        if self.query.want == Want::Contacts {
            for (done, &[i, j]) in found.triangle_pairs.iter().enumerate() {
                if limit.deadline.is_over() {
                    found.cut_short = true;
                    found.triangle_pairs.truncate(done);
                    break;
                }
                found.contacts.extend(contact([i, j], [&a.triangle(i), &b.triangle(j)]));
            }
        }
        let mut draft = found.into_draft();
        if couple.is_self() {
            return draft;
        }
        if draft.verdict == Verdict::Free {
            look_inside([a, b], limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            gap::measure([a.surface(), b.surface()], self.query.gap, limit, &mut draft);
        }
        draft
    }
}
