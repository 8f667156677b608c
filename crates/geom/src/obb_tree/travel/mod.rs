//! The first contact of two trees on their ways: the pair that may meet earliest first [E99 §4].
//!
//! A pair of boxes is worth as much as the time until which it is proven to be apart. The earliest is
//! opened at that time, rounded down to a grid so that few poses have to be made; pairs of triangles
//! that f32 cannot tell apart to the end are followed in f64. The first contact found ends the time
//! that matters, which prunes the rest. Nothing is passed over unless it is proven to stay apart until
//! then, so a contact is never missed and never late.

mod plane;
mod stages;

use super::children::Children;
use super::couple::{Side, side_to_open};
use super::cross::Work;
use super::{ObbTree, Place};
use crate::Point;
use crate::fans::{Fan, Queue};
use crate::first_contact::pair::{self, Ask, Outcome, Rigid};
use crate::first_contact::{FirstContact, Found, Wanted};
use crate::mesh::Mesh;
use crate::motion::moment::{Clock, Phase, Travel};
use glam::DVec3;
use impinge_simd::leaf::Leaves;
use impinge_simd::leaf_travel;
use impinge_simd::obb::Way;
use impinge_simd::obb::travel::{Grid, lasts};
use plane::{Plane, Trial};
use stages::Stages;

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

impl Traveller<'_> {
    /// The middle of the box around everything, in the mesh's frame.
    fn middle(&self) -> DVec3 {
        let center = DVec3::from(self.tree.boxed(ObbTree::ROOT).center.map(f64::from));
        center * self.tree.unit() + DVec3::from(self.tree.origin())
    }

    /// About how long the way of a point is.
    fn way_length(&self) -> f64 {
        self.travel.angle() * self.tree.radius() + self.travel.drift_length()
    }

    /// About how large a leaf is.
    fn leaf_size(&self) -> f64 {
        self.tree.radius() / (self.tree.leaf_count() as f64).sqrt()
    }

    fn slack(&self) -> f64 {
        self.travel.slack(self.middle().abs().element_sum() + 2.0 * self.tree.radius())
    }
}

/// Buffers that are kept between searches.
#[derive(Debug, Default)]
pub struct TravelScratch {
    queue: Queue<Kind>,
    stages: Stages,
    plane: Plane,
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
    /// The triangles of a leaf of A against a leaf of B.
    Rows {
        places: [Place; 2],
    },
    /// A triangle of a leaf of A against some of a leaf of B.
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
/// The most because of a fine mesh.
const CELLS_FINE_MAX: u32 = 1 << 12;
/// Bodies turn by at most about this angle per cell.
const CELL_ANGLE: f64 = 0.1;
/// What it costs to follow two triangles, in units of holding a triangle against eight.
const PAIR_EFFORT: u32 = 4;
/// After so much of that a plane that parts more of them is looked for: few motions take as much.
const PLANE_AFTER: u32 = 512;
/// So many leaves are looked at in about the time of holding a triangle against eight.
const LEAVES_PER_EFFORT: usize = 6;
/// Bounds are sought for spans during which bodies turn by no more than this.
const SPAN_ANGLE: f64 = 0.7;

/// A search for the first contact.
pub struct TravelSearch<'a, 's> {
    /// The bodies.
    pub bodies: [Traveller<'a>; 2],
    /// Kept memory.
    pub scratch: &'s mut TravelScratch,
    /// What it took so far.
    pub work: Work,
}

/// What a search knows by now.
struct State<'w> {
    wanted: &'w Wanted<'w>,
    /// Only contacts from this time on matter.
    start: f64,
    /// Only contacts before this time matter.
    end: f64,
    /// The first cell that is not before that time.
    last: u32,
    /// How the bodies move, and how far they are then.
    clocks: [Clock; 2],
    phases: [Phase; 2],
    first: Option<FirstContact>,
    cells: u32,
    /// The most cells in a span.
    span: u32,
    /// How far places may be off.
    slack: f64,
    /// The work on triangles so far, and after how much a plane is looked for.
    effort: u32,
    plane_after: u32,
    /// The work when a plane was last tried on everything.
    effort_then: u32,
}

impl State<'_> {
    /// The time of a cell, if it is not before the start.
    fn time(&self, cell: u32) -> f64 {
        (f64::from(cell) / f64::from(self.cells)).max(self.start)
    }

    /// The cell that holds the start.
    fn first_cell(&self) -> u32 {
        ((self.start * f64::from(self.cells)) as u32).min(self.cells - 1)
    }

    /// From now on only contacts before a time matter.
    fn end_at(&mut self, end: f64) {
        self.end = end;
        self.last = ((end * f64::from(self.cells)).ceil() as u32).min(self.cells);
        self.phases = self.clocks.map(|clock| clock.at(end));
    }

    /// The span that starts with a cell.
    fn span_from(&self, cell: u32) -> [u32; 2] {
        [cell, self.last.min(cell + self.span).max(cell + 1)]
    }

    /// The grid for such a span.
    fn grid(&self, [from, to]: [u32; 2]) -> Grid {
        Grid {
            cells: self.cells as f32,
            start: from as f32,
            end: ((self.end * f64::from(self.cells)) as f32).next_up(),
            again: if to >= self.last { f32::INFINITY } else { to as f32 },
        }
    }
}

impl TravelSearch<'_, '_> {
    /// The first contact, if there is one. `allow` is asked how many steps may be done before it is
    /// asked again; if none, the search is cut short.
    pub fn run(&mut self, wanted: &Wanted<'_>, allow: impl FnMut(&Work) -> u64) -> Found {
        self.run_from(0.0, wanted, allow)
    }

    /// The same for contacts at or after a time, within 0…1; what meets before does not count.
    pub fn run_from(
        &mut self,
        start: f64,
        wanted: &Wanted<'_>,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Found {
        let angle = self.bodies[0].travel.angle() + self.bodies[1].travel.angle();
        let cells = self.cells(angle);
        let clocks = self.bodies.map(|body| body.travel.clock());
        let slack = 2.0 * (self.bodies[0].slack() + self.bodies[1].slack());
        let mut state = State {
            wanted,
            start,
            end: wanted.until,
            last: cells,
            clocks,
            phases: clocks.map(|clock| clock.at(wanted.until)),
            first: None,
            cells,
            span: ((SPAN_ANGLE / angle * f64::from(cells)) as u32).clamp(1, cells),
            slack,
            effort: 0,
            plane_after: PLANE_AFTER,
            effort_then: 0,
        };
        state.end_at(wanted.until);
        if self.balls_stay_apart(wanted.distance + 4.0 * slack) {
            return Found::Free;
        }
        self.scratch.queue.clear();
        self.scratch.plane.clear();
        self.scratch.stages.start(&self.bodies, cells, [slack, wanted.distance]);
        if !self.scratch.stages.are_alike() {
            return self.every_pair(&mut state, allow);
        }
        let root = Children { node: 0, other: ObbTree::ROOT, side: Side::A };
        let mut next = Some((state.first_cell() as f32, Kind::Boxes(root), 0));
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
                Kind::Boxes(of) => self.boxes(&mut state, cell, of.places(lane)),
                Kind::Again { of, lanes } => self.children(&state, cell, (of, lanes)),
                Kind::Rows { places } => self.row(&mut state, cell, (places, lane as u8, u8::MAX)),
                Kind::Row { places, row, lanes } => {
                    self.row(&mut state, cell, (places, row, lanes));
                }
            }
            next = self.scratch.queue.next((state.last as f32).next_down());
        }
        state.first.map_or(Found::Free, Found::Contact)
    }

    /// How many cells the grid has: more for motions that turn much, and for fine meshes that go far.
    fn cells(&self, angle: f64) -> u32 {
        let way = self.bodies[0].way_length() + self.bodies[1].way_length();
        let leaf = self.bodies[0].leaf_size().min(self.bodies[1].leaf_size());
        let fine = ((way / leaf) as u32).min(CELLS_FINE_MAX);
        ((angle / CELL_ANGLE) as u32).max(fine).next_power_of_two().clamp(CELLS_MIN, CELLS_MAX)
    }

    /// Every triangle against every one, for bodies that are too unlike for one frame in f32.
    fn every_pair(&mut self, state: &mut State<'_>, mut allow: impl FnMut(&Work) -> u64) -> Found {
        let [rows, columns] = self.bodies.map(|body| body.mesh.triangles().len() as u32);
        for i in 0..rows {
            if allow(&self.work) == 0 {
                return Found::CutShort(state.start);
            }
            self.work.leaves += u64::from(columns.div_ceil(64));
            for j in 0..columns {
                self.triangles(state, state.start, [i, j]);
            }
        }
        state.first.map_or(Found::Free, Found::Contact)
    }

    /// Whether balls around the two do not meet; a ball does not mind being turned.
    fn balls_stay_apart(&self, slack: f64) -> bool {
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
        place.length() * (1.0 - 1e-9) > (a.1 + b.1) * (1.0 + 1e-9) + slack
    }

    /// Opens one of two boxes, or holds leaves against each other.
    fn boxes(&mut self, state: &mut State<'_>, cell: u32, places: [Place; 2]) {
        if self.scratch.plane.parts(&self.bodies, places) {
            self.widen_plane(state);
            return;
        }
        let trees = [self.bodies[0].tree, self.bodies[1].tree];
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
        let cells = state.span_from(cell);
        let drive = self.scratch.stages.drive(cells, of.side, state.grid(cells));
        let boxes = self.bodies[of.side as usize].tree.node(of.node);
        let source = self.bodies[1 - of.side as usize].tree.source(of.other);
        let mut outlook = lasts(&source, boxes, &drive);
        self.work.nodes += 1;
        // Apart for the whole span: to be seen again then, not to be opened.
        let again = outlook.again & wanted;
        outlook.keep(wanted & !again);
        self.scratch.queue.push(Fan { apart: outlook.apart, of: Kind::Boxes(of) }, f32::MAX);
        if again != 0 {
            let again = one(cells[1] as f32, Kind::Again { of, lanes: again });
            self.scratch.queue.push(again, f32::MAX);
        }
    }

    /// The length of a unit of B's tree in units of A's.
    fn scale(&self) -> f32 {
        (self.bodies[1].tree.unit() / self.bodies[0].tree.unit()) as f32
    }

    /// Holds the triangles of a leaf of A against the box of a leaf of B.
    fn leaves(&mut self, state: &State<'_>, cell: u32, places: [Place; 2]) {
        let cells = state.span_from(cell);
        let drive = self.scratch.stages.drive(cells, Side::A, state.grid(cells));
        let leaves = leaf_pair(&self.bodies, places, drive.ways[0]);
        let outlook = leaf_travel::sieve(&leaves, &drive);
        self.work.leaves += 1;
        let of = Kind::Rows { places };
        self.scratch.queue.push(Fan { apart: outlook.apart, of }, f32::MAX);
    }

    /// Holds a triangle against some others: follows the pairs that are not apart now, and keeps
    /// those that are not apart to the end, all together.
    fn row(
        &mut self,
        state: &mut State<'_>,
        cell: u32,
        (places, row, wanted): ([Place; 2], u8, u8),
    ) {
        if self.scratch.plane.parts(&self.bodies, places) {
            self.widen_plane(state);
            return;
        }
        let cells = state.span_from(cell);
        let drive = self.scratch.stages.drive(cells, Side::A, state.grid(cells));
        let leaves = leaf_pair(&self.bodies, places, drive.ways[0]);
        let mut outlook = leaf_travel::lasts(&leaves, &drive, usize::from(row));
        let (id, ids) = (leaves.leaves[0].ids[usize::from(row)], leaves.leaves[1].ids);
        self.work.triangles += 8;
        state.effort += 1;
        let mut due = outlook.due & wanted;
        outlook.keep(wanted & !due);
        let least = outlook.apart.iter().fold(f32::INFINITY, |least, x| x.min(least));
        if least < f32::INFINITY {
            let mut lanes = 0;
            for (lane, until) in outlook.apart.iter().enumerate() {
                lanes |= u8::from(*until < f32::INFINITY) << lane;
            }
            self.scratch.queue.push(one(least, Kind::Row { places, row, lanes }), f32::MAX);
        }
        let mut pair = [id, ids[0]];
        while due != 0 {
            pair[1] = ids[due.trailing_zeros() as usize];
            self.triangles(state, state.time(cell), pair);
            due &= due - 1;
            if state.effort >= state.plane_after {
                break;
            }
        }
        if state.effort >= state.plane_after {
            self.find_plane(state, state.time(cell), (places, pair));
        }
        if due != 0 && !self.scratch.plane.parts(&self.bodies, places) {
            self.scratch
                .queue
                .push(one(cell as f32, Kind::Row { places, row, lanes: due }), f32::MAX);
        }
    }

    /// Looks for a plane that parts two leaves to the end: what it parts need not be followed.
    fn find_plane(
        &mut self,
        state: &mut State<'_>,
        time: f64,
        (places, pair): ([Place; 2], [u32; 2]),
    ) {
        // Ever less often, since it takes a look at everything.
        state.plane_after = state.effort + state.effort / 2;
        let [a, b] = [0, 1].map(|k| {
            let pose = self.bodies[k].travel.pose_at(time);
            self.bodies[k].mesh.triangle(pair[k]).map(|corner| DVec3::from(pose.apply(&corner)))
        });
        let normals = [a, b].map(|[p, q, r]| (q - p).cross(r - p));
        let contact = state.first.map_or(DVec3::ZERO, |first| DVec3::from(first.normal));
        let granted = state.slack + state.wanted.distance;
        // First those that may part everything.
        for is_wide in [true, false] {
            for normal in [contact, normals[0], -normals[0], normals[1], -normals[1]] {
                let trial = Trial { normal, times: [time, state.end], granted, is_wide };
                if time < state.end && self.scratch.plane.try_out(&self.bodies, &trial, places) {
                    self.widen_plane(state);
                    return;
                }
            }
        }
    }

    /// Tries if the plane parts everything, when as much was done as that takes: then nothing that is
    /// left meets.
    fn widen_plane(&mut self, state: &mut State<'_>) {
        state.effort += 1;
        let leaves = self.bodies[0].tree.leaf_count() + self.bodies[1].tree.leaf_count();
        let too_dear = leaves > LEAVES_PER_EFFORT * state.effort as usize;
        // Ever less often if it does not.
        if too_dear || state.effort < 3 * state.effort_then {
            return;
        }
        state.effort_then = state.effort;
        if self.scratch.plane.parts_all(&self.bodies) {
            self.scratch.queue.clear();
        }
    }

    /// Follows two triangles to their contact.
    fn triangles(&mut self, state: &mut State<'_>, from: f64, triangles: [u32; 2]) {
        if state.wanted.except.binary_search(&triangles).is_ok() {
            return;
        }
        let rigid = |k: usize| {
            let body = &self.bodies[k];
            Rigid::new(&body.travel, body.mesh.triangle(triangles[k])).knowing(&state.phases[k])
        };
        let (a, b) = (rigid(0), rigid(1));
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
        state.effort += PAIR_EFFORT;
        if let Outcome::Contact(meeting) = outcome {
            let meshes = self.bodies.map(|body| body.mesh);
            let mut first = FirstContact::of(meshes, triangles, (&meeting, state.wanted.tolerance));
            first.time[0] = first.time[0].max(state.start);
            state.end_at(first.time[0]);
            self.scratch.plane.clear();
            state.first = Some(first);
        }
    }
}

/// What is to be seen again at one time.
fn one(cell: f32, of: Kind) -> Fan<Kind> {
    let mut apart = [f32::INFINITY; 8];
    apart[0] = cell;
    Fan { apart, of }
}

/// Two leaves with their boxes.
fn leaf_pair<'d>(bodies: &[Traveller<'d>; 2], places: [Place; 2], way: &'d Way) -> Leaves<'d> {
    let of = |k: usize| {
        let tree = bodies[k].tree;
        (tree.leaf(tree.child(places[k])), tree.source(places[k]))
    };
    let (a, b) = (of(0), of(1));
    Leaves { leaves: [a.0, b.0], boxes: [a.1, b.1], way }
}
