//! Two bodies at the instants that a search looks at, and from one instant to another.
//!
//! Instants are cells of a grid of times, so that few poses have to be made.

use super::super::couple::{Frame, Side, are_alike, ways};
use super::Traveller;
use crate::motion::moment::{Clock, Wheel};
use glam::{DMat3, DVec3};
use impinge_simd::obb::Way;
use impinge_simd::obb::travel::{Drive, Grid, Swing};

/// Both bodies at one instant.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// From the bodies' frames to the world's.
    matrices: [DMat3; 2],
    /// Into the frame of each from that of the other.
    ways: [Way; 2],
    /// How they turn, in the frame of A and of B: that body's first.
    swings: [[Swing; 2]; 2],
}

/// A part of the motion.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Of the grid, where it starts and ends.
    cells: [u32; 2],
    /// The numbers of their stages.
    stages: [usize; 2],
    /// As in [`Drive`], for each of the bodies.
    turns: [[[f32; 3]; 3]; 2],
    length: f32,
}

/// One of the bodies on its way.
#[derive(Clone, Copy, Debug)]
struct Body {
    clock: Clock,
    wheel: Wheel,
    /// The direction of the axis, times the angle.
    spin: DVec3,
    unit: f64,
    farthest: f64,
}

/// What was looked at.
#[derive(Debug, Default)]
pub(super) struct Stages {
    /// Which stage is that of a cell.
    cells: Vec<u32>,
    list: Vec<Stage>,
    bodies: Option<[Body; 2]>,
    /// The last span that was asked for: one after the other is most often the same.
    span: Option<Span>,
    /// How far places may be off in the world.
    slack: f64,
    /// Being this near counts as met, in the units of each tree.
    margins: [f32; 2],
}

impl Stages {
    /// Begins with a grid of so many cells. Places may be off by `slack`, and being as near as
    /// `distance` counts as met.
    pub(super) fn start(&mut self, bodies: &[Traveller<'_>; 2], cells: u32, limits: [f64; 2]) {
        let [slack, distance] = limits;
        self.cells.clear();
        self.cells.resize(cells as usize + 1, u32::MAX);
        self.list.clear();
        self.span = None;
        self.bodies = Some(bodies.map(|body| Body {
            clock: body.travel.clock(),
            wheel: body.travel.wheel(&body.tree.origin()),
            spin: body.travel.spin(),
            unit: body.tree.unit(),
            farthest: body.travel.farthest() + body.tree.farthest(),
        }));
        self.slack = slack;
        self.margins = bodies.map(|body| ((distance / body.tree.unit()) as f32).next_up());
    }

    /// Whether each of the two, seen from the other, is something that f32 can work with.
    pub(super) fn are_alike(&mut self) -> bool {
        let last = self.cells.len() - 1;
        [0, last / 2, last].into_iter().all(|cell| {
            let stage = self.stage(cell as u32);
            are_alike(&self.list[stage].ways)
        })
    }

    /// The motion from one cell to another, in the frame of a side.
    #[inline]
    pub(super) fn drive(&mut self, cells: [u32; 2], side: Side, grid: Grid) -> Drive<'_> {
        if self.span.as_ref().is_none_or(|span| span.cells != cells) {
            self.span = Some(self.make_span(cells));
        }
        let span = self.span.as_ref().expect("it was just made");
        let [start, end] = [&self.list[span.stages[0]], &self.list[span.stages[1]]];
        let k = side as usize;
        Drive {
            ways: [&start.ways[k], &end.ways[k]],
            swings: &start.swings[k],
            turn: &span.turns[k],
            margin: self.margins[k],
            span: span.length,
            grid,
        }
    }

    fn make_span(&mut self, cells: [u32; 2]) -> Span {
        let stages = [self.stage(cells[0]), self.stage(cells[1])];
        let [start, end] = [&self.list[stages[0]], &self.list[stages[1]]];
        let bodies = self.bodies.as_ref().expect("a search has started");
        let turn = |k: usize| {
            if bodies[k].spin == DVec3::ZERO {
                return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            }
            let turn = end.matrices[k].transpose() * start.matrices[k];
            [turn.row(0), turn.row(1), turn.row(2)].map(|row| row.as_vec3().into())
        };
        let length = self.time(cells[1]) - self.time(cells[0]);
        Span { cells, stages, turns: [turn(0), turn(1)], length: (length as f32).next_up() }
    }

    fn time(&self, cell: u32) -> f64 {
        f64::from(cell) / (self.cells.len() - 1) as f64
    }

    /// The number of the stage of a cell.
    fn stage(&mut self, cell: u32) -> usize {
        let known = self.cells[cell as usize];
        if known != u32::MAX {
            return known as usize;
        }
        let number = self.list.len();
        self.cells[cell as usize] = number as u32;
        let time = self.time(cell);
        let bodies = self.bodies.as_ref().expect("a search has started");
        let [(a, of_a), (b, of_b)] = [bodies[0].at(time), bodies[1].at(time)];
        self.list.push(Stage {
            matrices: [a.matrix, b.matrix],
            ways: ways(&a, &b, self.slack),
            swings: [
                [of_a.seen_from(&a), of_b.seen_from(&a)],
                [of_b.seen_from(&b), of_a.seen_from(&b)],
            ],
        });
        number
    }
}

impl Body {
    fn at(&self, time: f64) -> (Frame, Spin) {
        let phase = self.clock.at(time);
        let (matrix, origin) = self.wheel.at(&phase);
        let frame = Frame { matrix, origin, unit: self.unit, farthest: self.farthest };
        (frame, Spin { spin: self.spin, pivot: phase.pivot })
    }
}

/// How a body turns, in the world.
struct Spin {
    spin: DVec3,
    /// A point of the axis.
    pivot: DVec3,
}

impl Spin {
    fn seen_from(&self, frame: &Frame) -> Swing {
        if self.spin == DVec3::ZERO {
            return Swing::default();
        }
        let back = frame.matrix.transpose();
        let pivot = back * (self.pivot - frame.origin) / frame.unit;
        Swing {
            spin: (back * self.spin).as_vec3().into(),
            rate: (self.spin.length() as f32).next_up(),
            pivot: pivot.as_vec3().into(),
        }
    }
}
