//! The search through columns: tasks, and rounds of them.
//!
//! A task is a run of columns and how far it has got. Tasks of a round run in parallel, each up to a
//! limit of its own; what is known from earlier rounds is the same for all of them. So nothing depends
//! on who is faster.

use super::columns::{Column, List, Plan};
use super::judge::Judge;
use super::rows::{Frame, Part, union};
use super::{Asked, Bodies, Collision, Kind, Work};
use crate::aabb::{Aabb32, overlap};
use impinge_simd::swept_cull::{Edges, Faces, Fixed, Row, cull};
use impinge_simd::swept_scan::scan;
use rayon::prelude::*;
use std::ops::Range;

/// What is kept between steps.
#[derive(Debug, Default)]
pub(super) struct Memory {
    rows: [Vec<Row>; 2],
    boxes: [Vec<Aabb32>; 2],
    lists: [List; 2],
}

/// All of one kind that may meet in a part of the step.
pub(super) struct Stage<'a> {
    bodies: Bodies<'a>,
    kind: Kind,
    error: f32,
    plan: Plan,
    memory: &'a Memory,
}

/// A run of columns, and how far it has got.
#[derive(Clone, Debug)]
pub(super) struct Task {
    columns: Range<usize>,
    /// How many boxes of the first of them are done.
    done: usize,
}

impl Task {
    pub(super) fn is_done(&self) -> bool {
        self.columns.is_empty()
    }
}

/// What a thread works with.
#[derive(Default)]
struct Scratch {
    columns: [Column; 2],
    hits: Vec<u32>,
}

/// What a task may do, in the unit of [`Work::price`], and how much it may find.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) price: u64,
    pub(super) hits: usize,
}

/// What tasks of one round have found.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) hits: Vec<Collision>,
    pub(super) work: Work,
}

/// A task has at least so many boxes, but for the last.
const BOXES_PER_TASK: usize = 1024;

impl<'a> Stage<'a> {
    /// Makes rows, boxes and columns.
    pub(super) fn new(
        bodies: &Bodies<'a>,
        kind: Kind,
        span: [f64; 2],
        memory: &'a mut Memory,
    ) -> Self {
        let both = bodies.both();
        let parts = kind.parts();
        let known = if bodies.is_one() { &both[..1] } else { &both[..] };
        let frame = Frame::new(known, span);
        let Memory { rows, boxes, lists } = memory;
        for (body, rows) in known.iter().zip(rows.iter_mut()) {
            frame.rows(body, span, rows);
        }
        // Two lists, or one if features of a kind are held against each other.
        let count = if bodies.is_one() && parts[0] == parts[1] { 1 } else { 2 };
        for k in 0..count {
            let rows = &rows[if bodies.is_one() { 0 } else { k }];
            frame.boxes(&both[k], (parts[k], rows), &mut boxes[k]);
            match parts[k] {
                Part::Vertices => lists[k].choose(both[k].surface.vertices().iter().copied()),
                Part::Edges | Part::Faces => lists[k].choose(0..boxes[k].len() as u32),
            }
        }
        if count == 2 {
            keep_near(boxes, lists);
        }
        let chosen: Vec<_> = (0..count).map(|k| lists[k].chosen(&boxes[k])).collect();
        let plan = Plan::new(&chosen);
        for k in 0..2 {
            if k < count {
                lists[k].fill(&plan, &boxes[k]);
            } else {
                lists[k].choose(std::iter::empty());
                lists[k].fill(&plan, &[]);
            }
        }
        Self { bodies: *bodies, kind, error: frame.error, plan, memory }
    }

    /// The columns in runs.
    pub(super) fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        let (mut first, mut boxes) = (0, 0);
        let columns = self.plan.grid.columns();
        for column in 0..columns {
            boxes += self.memory.lists.iter().map(|list| list.column(column).len()).sum::<usize>();
            if boxes >= BOXES_PER_TASK || column + 1 == columns {
                tasks.push(Task { columns: first..column + 1, done: 0 });
                (first, boxes) = (column + 1, 0);
            }
        }
        tasks
    }

    /// Runs tasks; those that come to an end become empty.
    pub(super) fn run(&self, tasks: &mut [Task], quota: Quota, asked: &Asked) -> Round {
        let judge = Judge::new(&self.bodies, self.kind, asked);
        let done: Vec<Round> = tasks
            .par_iter_mut()
            .with_max_len(1)
            .map_init(Scratch::default, |scratch, task| {
                let mut round = Round::default();
                Search { stage: self, judge: &judge, quota, round: &mut round }.run(task, scratch);
                round
            })
            .collect();
        let mut all = Round::default();
        for round in done {
            all.work.add(&round.work);
            all.hits.extend(round.hits);
        }
        all
    }

    /// Keeps those of `ids`, features of list `1 − k`, that may meet feature `fixed` of list `k`.
    fn cull(&self, k: usize, fixed: u32, ids: &mut [u32]) -> usize {
        let of = |k: usize| &self.memory.rows[if self.bodies.is_one() { 0 } else { k }][..];
        let (own, rows) = (of(k), of(1 - k));
        let both = self.bodies.both();
        let (own_surface, surface) = (both[k].surface, both[1 - k].surface);
        match self.kind.parts()[k] {
            _ if self.kind == Kind::FaceFace => ids.len(),
            Part::Edges => {
                let fixed = self.fixed(own, own_surface.edges()[fixed as usize]);
                cull(&fixed, Edges { rows, corners: surface.edges() }, self.error, ids)
            }
            Part::Vertices => {
                let faces = Faces { rows, corners: surface.triangles() };
                cull(&self.fixed(own, [fixed]), faces, self.error, ids)
            }
            Part::Faces => {
                let fixed = self.fixed(own, own_surface.triangles()[fixed as usize]);
                cull(&fixed, rows, self.error, ids)
            }
        }
    }

    fn fixed<const N: usize>(&self, rows: &[Row], corners: [u32; N]) -> Fixed<N> {
        let rows = corners.map(|vertex| rows[vertex as usize]);
        // Only within one mesh can the same number mean the same vertex.
        Fixed { rows, corners: if self.bodies.is_one() { corners } else { [u32::MAX; N] } }
    }
}

/// Leaves out boxes that are apart from all of the other list.
fn keep_near(boxes: &[Vec<Aabb32>; 2], lists: &mut [List; 2]) {
    let wholes = [0, 1].map(|k| {
        let chosen = lists[k].chosen(&boxes[k]);
        let whole = chosen.ids.iter().map(|&id| boxes[k][id as usize]);
        whole.reduce(|a, b| union(&a, &b))
    });
    for k in 0..2 {
        let near =
            |id: &u32| wholes[1 - k].is_some_and(|whole| overlap(&whole, &boxes[k][*id as usize]));
        let ids: Vec<u32> = lists[k].chosen(&boxes[k]).ids.iter().copied().filter(near).collect();
        lists[k].choose(ids.into_iter());
    }
}

/// A task at work.
struct Search<'a, 'b> {
    stage: &'a Stage<'a>,
    judge: &'a Judge<'a>,
    quota: Quota,
    round: &'b mut Round,
}

impl Search<'_, '_> {
    fn run(&mut self, task: &mut Task, scratch: &mut Scratch) {
        let lists = &self.stage.memory.lists;
        let twin = self.stage.bodies.is_one()
            && matches!(self.stage.kind, Kind::EdgeEdge | Kind::FaceFace);
        while !task.columns.is_empty() {
            let column = task.columns.start;
            let [first, second] = [0, 1].map(|k| lists[k].column(column));
            if if twin { first.len() > 1 } else { !first.is_empty() && !second.is_empty() } {
                let axes = self.stage.plan.axes();
                scratch.columns[0].load(first, axes);
                scratch.columns[1].load(second, axes);
                let begin = self.stage.plan.begin(column);
                while task.done < first.len() + second.len() {
                    if self.round.work.price() >= self.quota.price
                        || self.round.hits.len() > self.quota.hits
                    {
                        return;
                    }
                    self.probe(scratch, task.done, begin);
                    task.done += 1;
                }
            }
            task.columns.start += 1;
            task.done = 0;
        }
    }

    /// One box of a column against those that begin after it.
    fn probe(&mut self, scratch: &mut Scratch, i: usize, begin: [f32; 2]) {
        let Scratch { columns, hits } = scratch;
        // Of two lists, those of the first come first.
        let split = columns[0].len();
        let (k, i) = if i < split { (0, i) } else { (1, i - split) };
        let twin = columns[1].len() == 0;
        let (own, others) = (&columns[k], &columns[if twin { k } else { 1 - k }]);
        let probe = own.probe(i, begin);
        // Of two that begin at one place, the one of the first list is the probe.
        let from = if twin { i + 1 } else { others.first(probe.low[0], k == 1) };
        let [count, looks] = scan(&others.ordered, from, &probe, hits);
        self.round.work.looks += looks as u64;
        self.round.work.boxes += count as u64;
        let hits = &mut hits[..count];
        for hit in hits.iter_mut() {
            *hit = others.ids[*hit as usize];
        }
        let fixed = own.ids[i];
        let kept = self.stage.cull(k, fixed, hits);
        for &other in &hits[..kept] {
            let features = match (twin, k) {
                (true, _) => [fixed.min(other), fixed.max(other)],
                (false, 0) => [fixed, other],
                _ => [other, fixed],
            };
            self.round.hits.extend(self.judge.pair(features, &mut self.round.work));
        }
    }
}
