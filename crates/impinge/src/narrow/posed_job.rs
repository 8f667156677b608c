//! One job at one instant, for engines that find pairs of faces of bodies at their places. How they find
//! them is theirs ([`Search`]); bodies in each other, distances, self-tests and motion are dealt with here.

use super::budget::Limit;
use super::deforming;
use super::found::{Found, contact};
use super::instants::Instants;
use super::parts::look_inside;
use super::posed::{Model, Moved, Posed};
use super::tree_gap;
use crate::contract::answer::{Draft, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::Job;
use crate::contract::query::{Mode, Query, Want};
use impinge_geom::face_cells::{self, Ask, Ended, Side, UNITS_MAX};
use impinge_geom::obb_tree::gap::GapScratch;
use impinge_geom::pose::Pose;

/// How an engine finds the faces of two bodies that meet.
pub(super) trait Search {
    /// Looks for them.
    fn run(
        &mut self,
        sides: [&Side<'_>; 2],
        cells: &mut face_cells::Scratch,
        ask: &Ask<'_>,
    ) -> Ended;
    /// The pairs that were found, sorted.
    fn hits<'a>(&'a self, cells: &'a face_cells::Scratch) -> &'a [[u32; 2]];
}

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For bodies against themselves, and for searches that want it.
    cells: face_cells::Scratch,
    gap: GapScratch,
    moved: [Moved; 2],
    /// For the pairs of the next answer.
    pairs: Vec<[u32; 2]>,
}

impl Buffers {
    /// Takes back the memory of an answer that was handed on.
    pub(super) fn recycle(&mut self, draft: Draft) {
        self.pairs = draft.triangle_pairs;
        self.pairs.clear();
    }
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a, S> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    /// Where the bodies are at the end, if that was found for all jobs together.
    pub(super) places: Option<[Option<&'a Moved>; 2]>,
    pub(super) limit: &'a Limit<'a>,
    pub(super) buffers: &'a mut Buffers,
    pub(super) search: S,
}

/// How many contacts are worked out between two looks at the clock.
const CONTACTS_PER_LOOK: usize = 64;

impl<S: Search> Task<'_, S> {
    /// The answer.
    pub(super) fn answer(&mut self) -> Draft {
        let meshes = self.models.map(|model| &*model.mesh);
        let mode = self.query.mode;
        if mode == Mode::Dynamic || deforming::is_for(self.job, mode) {
            let Self { job, query, limit, .. } = *self;
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        let instants = Instants { job: self.job, mode: self.query.mode, meshes };
        instants.answer(|time| self.at_instant(time))
    }

    fn at_instant(&mut self, time: f64) -> Draft {
        if self.limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let poses = [&self.job.a, &self.job.b].map(|placed| placed.placement.at(time));
        let mut moved = std::mem::take(&mut self.buffers.moved);
        let places = match self.places {
            Some(places) if self.query.mode == Mode::Static => places,
            _ => {
                for k in 0..2 {
                    moved[k].fill(self.models[k], &poses[k]);
                }
                [Some(&moved[0]), Some(&moved[1])]
            }
        };
        let bodies = [0, 1].map(|k| Posed::of(self.models[k], places[k]));
        let draft = self.look(bodies.each_ref(), &poses);
        self.buffers.moved = moved;
        draft
    }

    fn look(&mut self, bodies: [&Posed<'_>; 2], poses: &[Pose; 2]) -> Draft {
        let mut draft = self.surface(bodies).into_draft();
        if draft.verdict != Verdict::Free || self.job.itself {
            return draft;
        }
        let [a, b] = bodies;
        if a.may_be_within(b) || b.may_be_within(a) {
            look_inside(bodies, self.limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            let placed = [(self.models[0], &poses[0]), (self.models[1], &poses[1])];
            let how = (self.query.gap, self.limit, &mut self.buffers.gap);
            tree_gap::measure(placed, how, &mut draft);
        }
        draft
    }

    /// The triangles that meet.
    fn surface(&mut self, bodies: [&Posed<'_>; 2]) -> Found {
        let [a, b] = bodies.map(Posed::side);
        let deadline = self.limit.deadline;
        let ask = Ask {
            first_only: self.query.want == Want::Touching,
            units: self.limit.left(),
            is_over: &|| deadline.is_over(),
        };
        let Buffers { cells, pairs, .. } = &mut *self.buffers;
        let ended = if self.job.itself {
            cells.search_itself(&a, self.models[0].fans(), &ask)
        } else {
            self.search.run([&a, &b], cells, &ask)
        };
        let hits = if self.job.itself { cells.hits() } else { self.search.hits(cells) };
        self.limit.spend(ended.work.units().min(UNITS_MAX));
        let mut found = Found {
            triangle_pairs: std::mem::take(pairs),
            counters: counters(&ended),
            cut_short: !ended.complete,
            ..Found::default()
        };
        found.triangle_pairs.extend_from_slice(hits);
        if self.query.want == Want::Contacts {
            for i in 0..found.triangle_pairs.len() {
                if i % CONTACTS_PER_LOOK == 0 && deadline.is_over() {
                    found.cut_short = true;
                    found.triangle_pairs.truncate(i);
                    break;
                }
                let pair = found.triangle_pairs[i];
                let both = [&a.triangle(pair[0]), &b.triangle(pair[1])];
                found.contacts.extend(contact(pair, both));
            }
        }
        found
    }
}

fn counters(ended: &Ended) -> Counters {
    Counters {
        node_tests: ended.work.faces,
        triangle_pairs: ended.work.boxes,
        triangle_tests: ended.work.pairs,
        exact_tests: ended.work.exact,
        ..Counters::default()
    }
}
