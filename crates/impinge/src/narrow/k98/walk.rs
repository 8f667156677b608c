//! The implicit face octree [K98 §3.5]: cells are held against faces, and nothing of them is stored.
//!
//! The order is depth first with an explicit stack; a cell knows its list of faces on another stack
//! and which child comes next, so memory is the depth times the length of a list. A cell is divided
//! only while it holds faces of two bodies that are asked about; faces of bodies without a partner in
//! the cell are dropped. At the finest level all pairs of faces of such bodies are tested [K98 §3.6].
//!
//! Cells are closed and halves share the very number of their plane, so they cover their parent
//! whatever was rounded: a point that two faces share is in a finest cell that both meet.
//!
//! Departs from the paper: boxes of faces are compared before a pair is looked up among those that
//! were put already, as that is cheaper.

use super::cast::Couple;
use super::checklist::Face;
use super::put::Put;
use super::settings::{CellTest, Split};
use crate::contract::query::Want;
use crate::narrow::budget::{Deadline, Limit};
use impinge_geom::aabb::Aabb;
use impinge_geom::flush;
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::tri_tri::intersect;
use rayon::prelude::*;

/// The clock is looked at once in so many tests.
const TESTS_PER_LOOK: u64 = 64;
/// Subtrees that begin at this level go to threads. Fixed, so that nothing depends on their number.
const LEVEL_OF_TASKS: u32 = 2;
/// A body without faces in the cell.
const NONE: u32 = u32::MAX;

/// What is subdivided.
pub(super) struct Space<'a> {
    /// Sorted by body.
    pub(super) faces: &'a [Face],
    pub(super) couples: &'a [Couple],
    pub(super) links: &'a Links,
    pub(super) split: Split,
    pub(super) cell: CellTest,
    /// Divisions until the finest cells.
    pub(super) depth_max: u32,
    pub(super) want: Want,
}

/// The couples of each body.
pub(super) struct Links {
    /// By body: where its part of the list begins; and the end of the list.
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Links {
    /// Each couple that is `alive` is listed with that of its bodies that has fewer of them: a body
    /// that is asked about with a thousand others would otherwise be slow in every cell.
    pub(super) fn of(couples: &[Couple], bodies: usize, alive: impl Fn(usize) -> bool) -> Self {
        let live = || couples.iter().enumerate().filter(|(i, _)| alive(*i));
        let mut degrees = vec![0u32; bodies];
        for body in live().flat_map(|(_, couple)| couple.bodies) {
            degrees[body as usize] += 1;
        }
        let home = |couple: &Couple| {
            let [a, b] = couple.bodies;
            if degrees[a as usize] <= degrees[b as usize] { a } else { b }
        };
        let mut at_home: Vec<[u32; 2]> =
            live().map(|(i, couple)| [home(couple), i as u32]).collect();
        at_home.sort_unstable();
        let before = |body: usize| at_home.partition_point(|[home, _]| (*home as usize) < body);
        let starts = (0..=bodies).map(|body| before(body) as u32).collect();
        Self { starts, list: at_home.into_iter().map(|[_, couple]| couple).collect() }
    }

    fn of_body(&self, body: u32) -> &[u32] {
        let [start, end] = [body, body + 1].map(|k| self.starts[k as usize] as usize);
        &self.list[start..end]
    }
}

/// A cell with its faces.
struct Cell {
    bounds: Aabb,
    depth: u32,
    faces: Vec<u32>,
}

/// What came of a subdivision, or of a part of it.
pub(super) struct Walked {
    /// Couples with pairs of faces that intersect, as they were found.
    pub(super) hits: Vec<(u32, [u32; 2])>,
    /// By couple: pairs of faces looked at, and tested.
    pub(super) looked: Vec<[u64; 2]>,
    /// Faces held against cells.
    pub(super) cell_tests: u64,
    pub(super) cut_short: bool,
}

impl Space<'_> {
    /// Everything, subtree by subtree on all threads.
    pub(super) fn walk_apart(&self, root: Aabb, deadline: &Deadline) -> Vec<Walked> {
        let limit = || Limit::new(deadline, u64::MAX);
        let levels = self.divisions(LEVEL_OF_TASKS).min(self.depth_max);
        let mut tasks = vec![self.root(root)];
        let mut walked = Vec::new();
        for _ in 0..levels {
            let opened: Vec<(Vec<Cell>, Walked)> =
                tasks.par_iter().map(|cell| Walk::new(self, &limit()).open(cell)).collect();
            tasks.clear();
            for (cells, counts) in opened {
                tasks.extend(cells);
                walked.push(counts);
            }
        }
        let run = |task: Cell| Walk::new(self, &limit()).run(task);
        walked.par_extend(tasks.into_par_iter().map(run));
        walked
    }

    /// Everything on this thread, as long as the work lasts.
    pub(super) fn walk(&self, root: Aabb, limit: &Limit<'_>) -> Walked {
        Walk::new(self, limit).run(self.root(root))
    }

    /// How many divisions make so many levels.
    pub(super) fn divisions(&self, levels: u32) -> u32 {
        match self.split {
            Split::Octree => levels,
            Split::Bintree => 3 * levels,
        }
    }

    fn root(&self, bounds: Aabb) -> Cell {
        Cell { bounds, depth: 0, faces: (0..self.faces.len() as u32).collect() }
    }

    fn children(&self) -> u32 {
        match self.split {
            Split::Octree => 8,
            Split::Bintree => 2,
        }
    }

    /// One of the parts of a cell. There are fewer where no number is left between two sides.
    fn child(&self, cell: &Aabb, depth: u32, child: u32) -> Option<Aabb> {
        let mut part = *cell;
        let (axes, bits) = match self.split {
            Split::Octree => (0..3, child),
            Split::Bintree => {
                let axis = depth as usize % 3;
                (axis..axis + 1, child << axis)
            }
        };
        for axis in axes {
            let middle = flush(0.5 * cell.min[axis] + 0.5 * cell.max[axis]);
            let inside = cell.min[axis] < middle && middle < cell.max[axis];
            match (bits >> axis & 1 == 0, inside) {
                (true, true) => part.max[axis] = middle,
                (false, true) => part.min[axis] = middle,
                (true, false) => {}
                (false, false) => return None,
            }
        }
        Some(part)
    }
}

/// A cell on the stack.
struct Open {
    bounds: Aabb,
    depth: u32,
    /// The child that comes next.
    next: u32,
    /// Where its faces begin in the list; they end where those of its child begin.
    start: usize,
    end: usize,
}

/// Faces of one body in a cell, as a part of the list.
#[derive(Clone, Copy)]
struct Run {
    body: u32,
    start: usize,
    end: usize,
    /// Some other body of a couple is there, too.
    has_partner: bool,
}

struct Walk<'a, 'l> {
    space: &'a Space<'a>,
    limit: &'a Limit<'l>,
    /// Faces of all cells on the stack, one after the other.
    list: Vec<u32>,
    runs: Vec<Run>,
    /// By body, of the cell that was looked at last.
    run_of: Vec<u32>,
    /// Couples with both bodies in that cell, and their runs.
    meeting: Vec<(u32, [u32; 2])>,
    /// Couples of which no more is asked.
    done: Vec<bool>,
    put: Put,
    looks: u64,
    walked: Walked,
}

impl<'a, 'l> Walk<'a, 'l> {
    fn new(space: &'a Space<'a>, limit: &'a Limit<'l>) -> Self {
        let couples = space.couples.len();
        Self {
            space,
            limit,
            list: Vec::new(),
            runs: Vec::new(),
            run_of: vec![NONE; space.links.starts.len() - 1],
            meeting: Vec::new(),
            done: vec![false; couples],
            put: Put::default(),
            looks: 0,
            walked: Walked {
                hits: Vec::new(),
                looked: vec![[0; 2]; couples],
                cell_tests: 0,
                cut_short: false,
            },
        }
    }

    /// The children of a cell in which bodies meet.
    fn open(mut self, cell: &Cell) -> (Vec<Cell>, Walked) {
        let mut cells = Vec::new();
        self.list.extend(&cell.faces);
        let end = self.list.len();
        for child in 0..self.space.children() {
            let Some(bounds) = self.space.child(&cell.bounds, cell.depth, child) else { continue };
            self.narrow(0..end, &bounds);
            self.match_up(end);
            if !self.meeting.is_empty() {
                cells.push(Cell {
                    bounds,
                    depth: cell.depth + 1,
                    faces: self.list[end..].to_vec(),
                });
            }
            self.list.truncate(end);
        }
        (cells, self.walked)
    }

    /// All below a cell.
    fn run(mut self, Cell { bounds, depth, faces }: Cell) -> Walked {
        self.list = faces;
        self.match_up(0);
        let mut stack: Vec<Open> = Vec::new();
        self.enter(&mut stack, (bounds, depth, 0));
        while let Some(cell) = stack.last_mut() {
            self.list.truncate(cell.end);
            if cell.next == self.space.children() || self.walked.cut_short {
                stack.pop();
                continue;
            }
            let child = self.space.child(&cell.bounds, cell.depth, cell.next);
            let (parent, depth) = (cell.start..cell.end, cell.depth + 1);
            cell.next += 1;
            let Some(bounds) = child else { continue };
            let start = self.list.len();
            self.narrow(parent, &bounds);
            self.match_up(start);
            self.enter(&mut stack, (bounds, depth, start));
        }
        self.walked
    }

    /// Looks into the cell whose faces begin at `start`, if bodies meet there: now if it is one of
    /// the finest, else as soon as it is on top of the stack.
    fn enter(&mut self, stack: &mut Vec<Open>, (bounds, depth, start): (Aabb, u32, usize)) {
        if self.meeting.is_empty() || self.walked.cut_short {
            return;
        }
        if depth == self.space.depth_max {
            self.finest();
        } else {
            stack.push(Open { bounds, depth, next: 0, start, end: self.list.len() });
        }
    }

    /// Appends those of some faces that meet a cell.
    fn narrow(&mut self, faces: std::ops::Range<usize>, cell: &Aabb) {
        let tests = faces.len() as u64;
        self.walked.cell_tests += tests;
        self.looks += tests;
        if self.looks >= TESTS_PER_LOOK {
            self.looks = 0;
            self.walked.cut_short |= self.limit.deadline.is_over();
        }
        if !self.limit.take(tests) {
            self.walked.cut_short = true;
        }
        if self.walked.cut_short {
            return;
        }
        for at in faces {
            let face = self.list[at];
            if self.space.faces[face as usize].meets(cell, self.space.cell) {
                self.list.push(face);
            }
        }
    }

    /// Finds the couples that meet in the cell whose faces begin at `start`, and drops the faces of
    /// bodies that have no partner there.
    fn match_up(&mut self, start: usize) {
        self.find_runs(start);
        let Self { space, runs, run_of, meeting, done, .. } = self;
        meeting.clear();
        for at in 0..runs.len() {
            for &couple in space.links.of_body(runs[at].body) {
                let of = space.couples[couple as usize];
                let [a, b] = of.bodies.map(|body| run_of[body as usize]);
                let alone = a == NONE || b == NONE;
                let single = of.is_self() && runs[at].end - runs[at].start < 2;
                if !(alone || single || done[couple as usize]) {
                    meeting.push((couple, [a, b]));
                    [a, b].into_iter().for_each(|run| runs[run as usize].has_partner = true);
                }
            }
        }
        let mut end = start;
        for run in runs {
            run_of[run.body as usize] = NONE;
            if run.has_partner {
                self.list.copy_within(run.start..run.end, end);
                let len = run.end - run.start;
                (run.start, run.end) = (end, end + len);
                end += len;
            }
        }
        self.list.truncate(end);
    }

    fn find_runs(&mut self, start: usize) {
        self.runs.clear();
        let mut at = start;
        let body = |face: u32| self.space.faces[face as usize].body;
        for run in self.list[start..].chunk_by(|&a, &b| body(a) == body(b)) {
            let (start, end, body) = (at, at + run.len(), body(run[0]));
            self.run_of[body as usize] = self.runs.len() as u32;
            self.runs.push(Run { body, start, end, has_partner: false });
            at = end;
        }
    }

    /// All pairs of faces in a finest cell.
    fn finest(&mut self) {
        for at in 0..self.meeting.len() {
            let (couple, runs) = self.meeting[at];
            let [rows, columns] = runs.map(|run| self.runs[run as usize]);
            for row in rows.start..rows.end {
                // A body against itself: each pair once.
                let first = if runs[0] == runs[1] { row + 1 } else { columns.start };
                let late = self.limit.deadline.is_over();
                if late || !self.limit.take((columns.end - first) as u64) {
                    self.walked.cut_short = true;
                    return;
                }
                self.row(couple, row, first..columns.end);
                if self.done[couple as usize] {
                    break;
                }
            }
        }
    }

    /// One face against some others.
    fn row(&mut self, couple: u32, row: usize, columns: std::ops::Range<usize>) {
        let Self { space, list, put, walked, .. } = self;
        let itself = space.couples[couple as usize].is_self();
        let (i, looked) = (list[row], &mut walked.looked[couple as usize]);
        let a = &space.faces[i as usize];
        looked[0] += columns.len() as u64;
        for &j in &list[columns] {
            let b = &space.faces[j as usize];
            if !a.bounds.overlaps(&b.bounds) || !put.is_new([i, j]) {
                continue;
            }
            looked[1] += 1;
            let meets = match itself {
                true => intersect_beyond_shared(&a.triangle, &b.triangle),
                false => intersect(&a.triangle, &b.triangle),
            };
            if meets {
                walked.hits.push((couple, [a.number, b.number]));
                if space.want == Want::Touching {
                    self.done[couple as usize] = true;
                    return;
                }
            }
        }
    }
}
