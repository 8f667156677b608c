//! The first contact of two trees on their ways: the pair that may meet earliest first [E99 §4].
//!
//! A pair of boxes is worth as much as the time until which it is proven to be apart. The earliest is
//! opened at that time, rounded down to a grid so that few poses have to be made; pairs of triangles
//! that f32 cannot tell apart to the end are followed in f64. The first contact found ends the time
//! that matters, which prunes the rest. Nothing is passed over unless it is proven to stay apart until
//! then, so a contact is never missed and never late.

use super::couple::{Couple, Placed, Side, side_to_open};
use super::cross::Work;
use super::queue::{Children, Fan, Queue};
use super::{NONE, ObbTree, Place};
use crate::Point;
use crate::first_contact::pair::{self, Ask, Outcome, Rigid};
use crate::first_contact::{FirstContact, Found, Wanted};
use crate::mesh::Mesh;
use crate::motion::moment::{Moment, Travel};
use crate::pose::Pose;
use glam::{DMat3, DVec3};
use impinge_simd::leaf::Leaves;
use impinge_simd::leaf_travel;
use impinge_simd::obb::Way;
use impinge_simd::obb::travel::{Drive, Swing, lasts};

/// A mesh with its tree, on its way.
#[derive(Clone, Copy, Debug)]
pub struct Traveller<'a> {
    /// The mesh that the tree was made from.
    pub mesh: &'a Mesh,
    /// Its tree.
    pub tree: &'a ObbTree,
    /// Its way.
    pub travel: Travel<'a>,
}

impl<'a> Traveller<'a> {
    fn placed<'p>(&self, pose: &'p Pose) -> Placed<'p>
    where
        'a: 'p,
    {
        Placed { mesh: self.mesh, tree: self.tree, pose }
    }

    /// The middle of the box around everything, in the mesh's frame.
    fn middle(&self) -> DVec3 {
        let center = DVec3::from(self.tree.boxed(ObbTree::ROOT).center.map(f64::from));
        center * self.tree.unit() + DVec3::from(self.tree.origin())
    }

    fn slack(&self) -> f64 {
        self.travel.slack(self.middle().abs().element_sum() + 2.0 * self.tree.radius())
    }
}

/// Buffers that are kept between searches.
#[derive(Debug, Default)]
pub struct TravelScratch {
    queue: Queue<Kind>,
    /// The cells of the grid that were looked at: which stage is theirs.
    cells: Vec<u32>,
    stages: Vec<Stage>,
    /// The last span that was asked for.
    span: Option<Span>,
}

/// What eight pairs are.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Boxes(Children),
    /// Those of them that were apart for a whole span.
    Again {
        of: Children,
        lanes: u8,
    },
    /// A triangle of a leaf against the eight of another.
    Row {
        places: [Place; 2],
        row: u8,
        lanes: u8,
    },
}

/// The least number of cells of the grid. Times of boxes are rounded down to it, so that few poses
/// have to be made.
const CELLS_MIN: u32 = 64;
/// The most: for motions of hundreds of turns.
const CELLS_MAX: u32 = 1 << 16;
/// Bodies turn by at most about this angle per cell.
const CELL_ANGLE: f64 = 0.1;
/// Bounds are sought for spans during which bodies turn by no more than this.
const SPAN_ANGLE: f64 = 0.7;

/// Both bodies at one instant.
#[derive(Clone, Copy, Debug)]
struct Stage {
    poses: [Pose; 2],
    /// Into the frame of each from that of the other.
    ways: [Way; 2],
    /// How they turn, in the frame of A and of B: that body's first.
    swings: [[Swing; 2]; 2],
}

/// A search for the first contact.
pub struct TravelSearch<'a, 's> {
    /// The bodies.
    pub bodies: [Traveller<'a>; 2],
    /// Kept memory.
    pub scratch: &'s mut TravelScratch,
    /// What it took so far.
    pub work: Work,
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
}

/// What a search knows by now.
struct State<'w> {
    wanted: &'w Wanted<'w>,
    /// Only contacts before this time matter.
    end: f64,
    /// The bodies then.
    moments: [Moment; 2],
    first: Option<FirstContact>,
    /// How far places may be off.
    slack: f64,
    cells: u32,
    /// The most cells in a span.
    span: u32,
}

impl State<'_> {
    /// The time of a cell.
    fn time(&self, cell: u32) -> f64 {
        f64::from(cell) / f64::from(self.cells)
    }

    /// The cell in which the span ends that starts with a cell.
    fn span_end(&self, cell: u32) -> u32 {
        let last = (self.end * f64::from(self.cells)).ceil() as u32;
        last.min(self.cells).min(cell + self.span).max(cell + 1)
    }

    /// Times until which pairs are apart, as cells; infinite for those that are so to the end.
    fn lanes(&self, lasting: &[f32; 8], ids: &[u32; 8], [from, to]: [u32; 2]) -> [f32; 8] {
        let (cells, start, last) = (self.cells as f32, from as f32, to as f32);
        let whole_span = if self.time(to) >= self.end { f32::INFINITY } else { last };
        let end = ((self.end * f64::from(self.cells)) as f32).next_up();
        let mut apart = [f32::INFINITY; 8];
        for k in 0..8 {
            // With up to 2¹⁶ cells two roundings are less than what is taken off. What is not a
            // number is not apart.
            let until = lasting[k] * cells + (start - 0.01);
            let until = if until > start { until } else { start };
            let cell = round_down(until);
            let cell = if until >= end { f32::INFINITY } else { cell };
            let cell = if lasting[k] == f32::INFINITY { whole_span } else { cell };
            apart[k] = if ids[k] == NONE { f32::INFINITY } else { cell };
        }
        apart
    }
}

/// The integer below a number that is not negative and less than 2²²; no call, no branch.
fn round_down(x: f32) -> f32 {
    const SHIFT: f32 = (1 << 23) as f32;
    let near = (x + SHIFT) - SHIFT;
    if near > x { near - 1.0 } else { near }
}

impl TravelSearch<'_, '_> {
    /// The first contact, if there is one. `allow` is asked how many steps may be done before it is
    /// asked again; if none, the search is cut short.
    pub fn run(&mut self, wanted: &Wanted<'_>, mut allow: impl FnMut(&Work) -> u64) -> Found {
        let angle = self.bodies[0].travel.angle() + self.bodies[1].travel.angle();
        let cells = ((angle / CELL_ANGLE) as u32).next_power_of_two().clamp(CELLS_MIN, CELLS_MAX);
        let mut state = State {
            wanted,
            end: wanted.until,
            moments: self.bodies.map(|body| body.travel.moment(wanted.until)),
            first: None,
            slack: 2.0 * (self.bodies[0].slack() + self.bodies[1].slack()),
            cells,
            span: ((SPAN_ANGLE / angle * f64::from(cells)) as u32).clamp(1, cells),
        };
        self.scratch.queue.clear();
        self.scratch.cells.clear();
        self.scratch.stages.clear();
        self.scratch.span = None;
        self.scratch.cells.resize(cells as usize + 1, u32::MAX);
        if self.balls_stay_apart(&state) {
            return Found::Free;
        }
        if !self.is_alike() {
            return self.every_pair(&mut state, allow);
        }
        let root = Children { node: 0, other: ObbTree::ROOT, side: Side::A };
        let mut next = Some((0.0, Kind::Boxes(root), 0));
        let mut allowed = 0;
        while let Some((cell, kind, lane)) = next {
            let cell = cell as u32;
            if allowed == 0 {
                allowed = allow(&self.work);
                if allowed == 0 {
                    return Found::CutShort(state.time(cell));
                }
            }
            allowed -= 1;
            match kind {
                Kind::Boxes(of) => self.boxes(&state, cell, of.places(lane)),
                Kind::Again { of, lanes } => self.children(&state, cell, (of, lanes)),
                Kind::Row { places, row, lanes } => {
                    self.row(&mut state, cell, (places, row, lanes));
                }
            }
            let last = (state.end * f64::from(cells)).ceil() as f32;
            next = self.scratch.queue.next(last.next_down());
        }
        state.first.map_or(Found::Free, Found::Contact)
    }

    /// Whether each of the two, seen from the other, is something that f32 can work with.
    fn is_alike(&self) -> bool {
        [0.0, 0.5, 1.0].iter().all(|&time| {
            let poses = [0, 1].map(|k| self.bodies[k].travel.pose_at(time));
            let [a, b] = sides(&self.bodies, &poses);
            Couple::new(a, b).is_alike()
        })
    }

    /// Every triangle against every one, for bodies that are too unlike for one frame in f32.
    fn every_pair(&mut self, state: &mut State<'_>, mut allow: impl FnMut(&Work) -> u64) -> Found {
        let [rows, columns] = self.bodies.map(|body| body.mesh.triangles().len() as u32);
        for i in 0..rows {
            if allow(&self.work) == 0 {
                return Found::CutShort(0.0);
            }
            self.work.leaves += u64::from(columns.div_ceil(64));
            for j in 0..columns {
                self.triangles(state, 0.0, [i, j]);
            }
        }
        state.first.map_or(Found::Free, Found::Contact)
    }

    /// Whether balls around the two do not meet; a ball does not mind being turned.
    fn balls_stay_apart(&self, state: &State<'_>) -> bool {
        let [a, b] = [0, 1].map(|k| {
            let body = &self.bodies[k];
            let middle = <Point>::from(body.middle());
            let ends = [0.0, 1.0].map(|time| DVec3::from(body.travel.pose_at(time).apply(&middle)));
            let angle = body.travel.angle();
            // No farther from its chord: θ²r/8, or the whole circle.
            let radius = body.travel.radius_of(&middle);
            (ends, (0.125 * angle * angle * radius).min(2.0 * radius) + body.tree.radius())
        });
        let between = [b.0[0] - a.0[0], b.0[1] - a.0[1]];
        let way = between[1] - between[0];
        let nearest = (-between[0].dot(way) / way.length_squared()).clamp(0.0, 1.0);
        // A still pair has no way.
        let place = between[0] + if nearest.is_nan() { DVec3::ZERO } else { way * nearest };
        let slack = 4.0 * state.slack + state.wanted.distance;
        place.length() * (1.0 - 1e-9) > (a.1 + b.1) * (1.0 + 1e-9) + slack
    }

    /// The stage of a cell of the grid.
    fn stage(&mut self, state: &State<'_>, cell: u32) -> usize {
        if self.scratch.cells[cell as usize] == u32::MAX {
            self.scratch.cells[cell as usize] = self.scratch.stages.len() as u32;
            self.scratch.stages.push(self.make_stage(state, state.time(cell)));
        }
        self.scratch.cells[cell as usize] as usize
    }

    fn make_stage(&self, state: &State<'_>, time: f64) -> Stage {
        let [body_a, body_b] = &self.bodies;
        let [a, b] = [body_a.travel.moment(time), body_b.travel.moment(time)];
        let couple = Couple::new(body_a.placed(&a.pose), body_b.placed(&b.pose));
        let couple = couple.with_error(state.slack);
        let [own_a, own_b] = [couple.side(Side::A), couple.side(Side::B)];
        Stage {
            ways: *couple.ways(),
            swings: [[swing(&a, own_a), swing(&b, own_a)], [swing(&b, own_b), swing(&a, own_b)]],
            poses: [a.pose, b.pose],
        }
    }

    /// Opens one of two boxes, or holds leaves against each other.
    fn boxes(&mut self, state: &State<'_>, cell: u32, places: [Place; 2]) {
        let trees = self.bodies.map(|body| body.tree);
        match side_to_open(trees, places, self.scale()) {
            None => self.leaves(state, cell, places),
            Some((side, node)) => {
                let other = if side == Side::A { places[1] } else { places[0] };
                self.children(state, cell, (Children { node, other, side }, u8::MAX));
            }
        }
    }

    /// Holds some of the boxes of a node against another box.
    fn children(&mut self, state: &State<'_>, cell: u32, (of, wanted): (Children, u8)) {
        let span = self.span(state, cell);
        let drive = self.drive(state, &span, of.side);
        let boxes = self.bodies[of.side as usize].tree.node(of.node);
        let source = self.bodies[1 - of.side as usize].tree.source(of.other);
        let lasting = lasts(&source, boxes, &drive);
        self.work.nodes += 1;
        let mut apart = state.lanes(&lasting, &boxes.child, span.cells);
        let mut again = 0;
        for lane in 0..8 {
            let kept = wanted >> lane & 1 == 1;
            // Apart for the whole span: to be seen again then, not to be opened.
            let whole = lasting[lane] == f32::INFINITY && apart[lane] < f32::INFINITY;
            again |= u8::from(kept && whole) << lane;
            apart[lane] = if kept && !whole { apart[lane] } else { f32::INFINITY };
        }
        self.scratch.queue.push(Fan { apart, of: Kind::Boxes(of) }, f32::MAX);
        if again != 0 {
            let mut apart = [f32::INFINITY; 8];
            apart[0] = span.cells[1] as f32;
            let of = Kind::Again { of, lanes: again };
            self.scratch.queue.push(Fan { apart, of }, f32::MAX);
        }
    }

    /// The span that starts with a cell. One after the other is most often the same.
    fn span(&mut self, state: &State<'_>, cell: u32) -> Span {
        let cells = [cell, state.span_end(cell)];
        if let Some(span) = self.scratch.span.filter(|span| span.cells == cells) {
            return span;
        }
        let stages = [self.stage(state, cells[0]), self.stage(state, cells[1])];
        let [start, end] = stages.map(|stage| &self.scratch.stages[stage]);
        let matrix = |stage: &Stage, k: usize| {
            DMat3::from_cols_array_2d(&stage.poses[k].matrix()).transpose()
        };
        let turn = |k: usize| {
            let turn = matrix(end, k).transpose() * matrix(start, k);
            [0, 1, 2].map(|row| turn.row(row).as_vec3().into())
        };
        let span = Span { cells, stages, turns: [turn(0), turn(1)] };
        self.scratch.span = Some(span);
        span
    }

    /// The length of a unit of B's tree in units of A's.
    fn scale(&self) -> f32 {
        (self.bodies[1].tree.unit() / self.bodies[0].tree.unit()) as f32
    }

    /// Holds the triangles of two leaves against the leaves' boxes.
    fn leaves(&mut self, state: &State<'_>, cell: u32, places: [Place; 2]) {
        let span = self.span(state, cell);
        let drive = self.drive(state, &span, Side::A);
        let leaves = self.leaf_pair(places, drive.ways[0]);
        let sieve = leaf_travel::sieve(&leaves, &drive);
        let [a, b] = leaves.leaves;
        let rows = state.lanes(&sieve.rows, &a.ids, span.cells);
        let columns = state.lanes(&sieve.columns, &b.ids, span.cells);
        self.work.leaves += 1;
        for (row, &until) in rows.iter().enumerate().filter(|(_, until)| **until < f32::INFINITY) {
            let apart = columns.map(|column| column.max(until));
            self.push_row(&apart, (places, row as u8));
        }
    }

    /// Two leaves with their boxes.
    fn leaf_pair<'d>(&self, places: [Place; 2], way: &'d Way) -> Leaves<'d>
    where
        Self: 'd,
    {
        let [a, b] = [0, 1].map(|k| {
            let tree = self.bodies[k].tree;
            (tree.leaf(tree.child(places[k])), tree.source(places[k]))
        });
        Leaves { leaves: [a.0, b.0], boxes: [a.1, b.1], way }
    }

    /// The motion from one stage to another, in the frame of a side.
    fn drive(&self, state: &State<'_>, span: &Span, side: Side) -> Drive<'_> {
        let [start, end] = span.stages.map(|stage| &self.scratch.stages[stage]);
        let k = side as usize;
        let unit = self.bodies[k].tree.unit();
        Drive {
            ways: [&start.ways[k], &end.ways[k]],
            swings: start.swings[k],
            turn: span.turns[k],
            margin: ((state.wanted.distance / unit) as f32).next_up(),
            span: ((state.time(span.cells[1]) - state.time(span.cells[0])) as f32).next_up(),
        }
    }

    /// Keeps those pairs of a row that are not apart to the end, all together.
    fn push_row(&mut self, apart: &[f32; 8], (places, row): ([Place; 2], u8)) {
        let mut least = f32::INFINITY;
        let mut lanes = 0;
        for (lane, &until) in apart.iter().enumerate() {
            least = least.min(until);
            lanes |= u8::from(until < f32::INFINITY) << lane;
        }
        let mut apart = [f32::INFINITY; 8];
        apart[0] = least;
        self.scratch.queue.push(Fan { apart, of: Kind::Row { places, row, lanes } }, f32::MAX);
    }

    /// Holds a triangle against some others.
    fn row(
        &mut self,
        state: &mut State<'_>,
        cell: u32,
        (places, row, wanted): ([Place; 2], u8, u8),
    ) {
        let span = self.span(state, cell);
        let drive = self.drive(state, &span, Side::A);
        let leaves = self.leaf_pair(places, drive.ways[0]);
        let lasting = leaf_travel::lasts(&leaves, &drive, usize::from(row));
        let (id, ids) = (leaves.leaves[0].ids[usize::from(row)], leaves.leaves[1].ids);
        self.work.triangles += 8;
        let mut apart = state.lanes(&lasting, &ids, span.cells);
        for lane in 0..8 {
            if wanted >> lane & 1 == 0 {
                apart[lane] = f32::INFINITY;
            } else if apart[lane] <= cell as f32 {
                apart[lane] = f32::INFINITY;
                self.triangles(state, state.time(cell), [id, ids[lane]]);
            }
        }
        self.push_row(&apart, (places, row));
    }

    /// Follows two triangles to their contact.
    fn triangles(&mut self, state: &mut State<'_>, from: f64, triangles: [u32; 2]) {
        if state.wanted.except.binary_search(&triangles).is_ok() {
            return;
        }
        let [a, b] = [0, 1].map(|k| {
            Rigid::new(&self.bodies[k].travel, self.bodies[k].mesh.triangle(triangles[k]))
                .with_moment(state.end, &state.moments[k])
        });
        let ask = Ask {
            from,
            until: state.end,
            tolerance: state.wanted.tolerance,
            distance: state.wanted.distance,
            // Its neighbours are parted by what parts the first.
            hint: state.first.map_or([0.0; 3], |first| first.normal),
        };
        let (outcome, steps) = pair::first_contact(&a, &b, &ask);
        self.work.distances += u64::from(steps);
        if let Outcome::Contact(meeting) = outcome {
            let meshes = self.bodies.map(|body| body.mesh);
            let first = FirstContact::of(meshes, triangles, (&meeting, state.wanted.tolerance));
            state.end = first.time[0];
            state.moments = self.bodies.map(|body| body.travel.moment(state.end));
            state.first = Some(first);
        }
    }
}

/// How a body turns, in the frame of one of the two.
fn swing(moment: &Moment, own: &Placed<'_>) -> Swing {
    let back = own.matrix().transpose();
    let pivot = back * (moment.pivot - own.origin()) / own.tree.unit();
    Swing {
        spin: (back * moment.spin).as_vec3().into(),
        rate: (moment.spin.length() as f32).next_up(),
        pivot: pivot.as_vec3().into(),
    }
}

fn sides<'p>(bodies: &[Traveller<'p>; 2], poses: &'p [Pose; 2]) -> [Placed<'p>; 2] {
    [0, 1].map(|k| bodies[k].placed(&poses[k]))
}
