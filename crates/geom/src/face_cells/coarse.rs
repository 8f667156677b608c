//! Runs of faces that may meet something of the other mesh, and the tiles in which to look.

use super::Side;
use super::marks::Marks;
use super::tile::Tile;
use crate::aabb::Aabb;
use impinge_simd::faces::{CELLS_MAX, Lattice};

/// What is known of both meshes run by run.
#[derive(Debug, Default)]
pub(super) struct Coarse {
    lattice: Option<Lattice>,
    region: Option<Aabb>,
    sides: [Runs; 2],
    marks: Marks,
    counts: Vec<u32>,
}

/// The runs of one mesh.
#[derive(Debug, Default)]
struct Runs {
    /// By run: the cells it reaches; the lowest, the highest.
    reach: Vec<[u32; 2]>,
    /// The runs of faces that are left.
    left: Vec<u32>,
}

/// Cells are about so many faces wide: with fewer, faces are in many cells, with more, cells hold many
/// faces.
const FACES_PER_CELL: f64 = 1.4;
/// The same for cells of runs.
const RUN_EDGE: f64 = 4.0;
/// So many faces are looked at to learn how large they are.
const SAMPLES: usize = 64;
/// Tiles with more runs of faces are cut in two.
const RUNS_MAX: usize = 640;
/// Tiles with fewer are cut only if they would need many cells.
const RUNS_ALONE: usize = 64;
/// So many cells along an axis are too many; up to that they may be wider instead.
const CELLS_MANY: f64 = 1.5 * CELLS_MAX as f64;
/// Tiles with fewer are not, however many cells they would need.
const RUNS_MIN: usize = 16;

impl Coarse {
    /// Finds the runs of faces that may meet; false if there are none.
    pub(super) fn find_runs(&mut self, sides: [&Side<'_>; 2], region: &Aabb) -> bool {
        let edge = [0, 1].map(|k| {
            let count = sides[k].triangles.len();
            mean_edge(sides[k], (0..count).step_by(count.div_ceil(SAMPLES)))
        });
        // Cells about as large as what is put into them.
        let cells = cells_for(region, RUN_EDGE * edge[0].max(edge[1]));
        let lattice = Lattice::of(region.min, region.max, cells.map(|cells| cells as u8));
        for (runs, side) in self.sides.iter_mut().zip(sides) {
            runs.reach_into(&lattice, side);
        }
        let [a, b] = &mut self.sides;
        self.marks.clear();
        b.mark(&mut self.marks);
        a.keep_marked(&self.marks);
        self.marks.clear();
        a.mark(&mut self.marks);
        b.keep_marked(&self.marks);
        (self.lattice, self.region) = (Some(lattice), Some(*region));
        !a.left.is_empty() && !b.left.is_empty()
    }

    /// Cuts the region into tiles, until each has few runs and few cells.
    pub(super) fn cut(
        &mut self,
        sides: [&Side<'_>; 2],
        (tiles, spare): (&mut Vec<Tile>, &mut Vec<Tile>),
    ) {
        let (Some(lattice), Some(region)) = (self.lattice, self.region) else { return };
        let mut whole = spare.pop().unwrap_or_default();
        whole.begin(&region);
        for (runs, known) in whole.runs.iter_mut().zip(&self.sides) {
            runs.extend_from_slice(&known.left);
        }
        self.cut_up((sides, &lattice), whole, (tiles, spare));
        tiles.retain_mut(|tile| {
            let needed = tile.runs.iter().all(|runs| !runs.is_empty());
            if !needed {
                spare.push(std::mem::take(tile));
            }
            needed
        });
    }

    /// The same for one mesh alone.
    pub(super) fn cut_itself(
        &mut self,
        side: &Side<'_>,
        (tiles, spare): (&mut Vec<Tile>, &mut Vec<Tile>),
    ) {
        let lattice = Lattice::of(side.bounds.min, side.bounds.max, [CELLS_MAX; 3]);
        let [runs, none] = &mut self.sides;
        runs.reach_into(&lattice, side);
        none.left.clear();
        let mut whole = spare.pop().unwrap_or_default();
        whole.begin(side.bounds);
        whole.runs[0].extend_from_slice(&runs.left);
        self.cut_up(([side, side], &lattice), whole, (tiles, spare));
    }

    fn cut_up(
        &mut self,
        (sides, lattice): ([&Side<'_>; 2], &Lattice),
        whole: Tile,
        (tiles, spare): (&mut Vec<Tile>, &mut Vec<Tile>),
    ) {
        // Not all in one, if there is more than little, so that threads can share it.
        let runs = whole.runs[0].len() + whole.runs[1].len();
        let most = (runs * 3 / 5).clamp(RUNS_ALONE, RUNS_MAX);
        tiles.push(whole);
        let mut at = 0;
        while at < tiles.len() {
            let tile = &mut tiles[at];
            let edge = [0, 1].map(|k| {
                let runs = &tile.runs[k];
                let some = runs.iter().step_by(runs.len().div_ceil(SAMPLES).max(1));
                let first = |&run: &u32| sides[k].layout.run(run).faces[0] as usize;
                mean_edge(sides[k], some.map(first))
            });
            let cells = cells_for(&tile.region, FACES_PER_CELL * edge[0].max(edge[1]));
            tile.cells = cells.map(|cells| cells.min(f64::from(CELLS_MAX)) as u8);
            let runs = tile.runs[0].len() + tile.runs[1].len();
            let many = runs > most || (runs > RUNS_MIN && cells.iter().any(|&c| c > CELLS_MANY));
            if !many || !self.halve(lattice, (tiles, at), spare) {
                at += 1;
            }
        }
    }

    /// Cuts a tile in two at the middle of its runs; false if that would not part them.
    fn halve(
        &mut self,
        lattice: &Lattice,
        (tiles, at): (&mut Vec<Tile>, usize),
        spare: &mut Vec<Tile>,
    ) -> bool {
        let tile = &mut tiles[at];
        let width = |k: usize| (tile.region.max[k] - tile.region.min[k]) * lattice.scale[k];
        let axis = (0..3).fold(0, |most, k| if width(k) > width(most) { k } else { most });
        let all = tile.runs.iter().map(Vec::len).sum::<usize>();
        let Some(cell) = self.middle(tile, axis) else { return false };
        // Just below the end of the cell, so that it is in that cell.
        let split = lattice.origin[axis] + (f64::from(cell) - 1e-3) / lattice.scale[axis];
        if !(tile.region.min[axis] < split && split < tile.region.max[axis]) {
            return false;
        }
        let cell = lattice.cell(axis, split);
        let mut upper = spare.pop().unwrap_or_default();
        upper.begin(&tile.region);
        for (k, known) in self.sides.iter().enumerate() {
            let end = |run: u32, end: usize| known.reach[run as usize][end].to_le_bytes()[axis];
            upper.runs[k].extend(tile.runs[k].iter().filter(|&&run| end(run, 1) >= cell));
        }
        let lower = |k: usize| {
            let known = &self.sides[k];
            let is_lower = |&&run: &&u32| known.reach[run as usize][0].to_le_bytes()[axis] <= cell;
            tile.runs[k].iter().filter(is_lower).count()
        };
        let most = (lower(0) + lower(1)).max(upper.runs[0].len() + upper.runs[1].len());
        if 8 * most > 7 * all {
            spare.push(upper);
            return false;
        }
        for (k, known) in self.sides.iter().enumerate() {
            let low = |run: &u32| known.reach[*run as usize][0].to_le_bytes()[axis];
            tile.runs[k].retain(|run| low(run) <= cell);
        }
        tile.region.max[axis] = split;
        upper.region.min[axis] = split;
        tile.is_part = true;
        upper.is_part = true;
        upper.part = tile.part;
        upper.part.from[axis] = split;
        tile.part.until[axis] = split;
        tiles.push(upper);
        true
    }

    /// The cell along an axis in which the middle one of a tile's runs is.
    fn middle(&mut self, tile: &Tile, axis: usize) -> Option<u8> {
        self.counts.clear();
        self.counts.resize(64, 0);
        for (runs, known) in tile.runs.iter().zip(&self.sides) {
            for &run in runs {
                let [low, high] = known.reach[run as usize].map(|cells| cells.to_le_bytes()[axis]);
                self.counts[usize::from((low + high) / 2)] += 1;
            }
        }
        let all: u32 = self.counts.iter().sum();
        let mut below = 0;
        let middle = self.counts.iter().position(|&count| {
            below += count;
            2 * below >= all
        });
        middle.map(|cell| cell as u8)
    }
}

impl Runs {
    /// Finds the runs of faces that reach into the region.
    fn reach_into(&mut self, lattice: &Lattice, side: &Side<'_>) {
        let Self { reach, left } = self;
        reach.resize(side.boxes.len(), [0; 2]);
        lattice.cells_of(side.boxes.as_flattened(), reach.as_flattened_mut());
        left.clear();
        for (run, ends) in (0..).zip(reach) {
            let [mut low, mut high] = ends.map(u32::to_le_bytes);
            let mut within = true;
            for k in 0..3 {
                within &= high[k] > 0 && low[k] <= lattice.last[k];
                low[k] = low[k].max(1);
                high[k] = high[k].min(lattice.last[k]);
            }
            *ends = [low, high].map(u32::from_le_bytes);
            if within {
                left.push(run);
            }
        }
    }

    fn mark(&self, marks: &mut Marks) {
        for &run in &self.left {
            marks.add(self.reach[run as usize]);
        }
    }

    fn keep_marked(&mut self, marks: &Marks) {
        let reach = &self.reach;
        self.left.retain(|&run| marks.meet(reach[run as usize]));
    }
}

/// The mean of the longest edges of the boxes around some faces.
fn mean_edge(side: &Side<'_>, faces: impl Iterator<Item = usize>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for face in faces.filter(|&face| face < side.triangles.len()) {
        let around = Aabb::around(&side.triangle(face as u32));
        sum += (0..3).map(|k| around.max[k] - around.min[k]).fold(0.0, f64::max);
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// How many cells of an edge there are along each axis of a region, at least one.
fn cells_for(region: &Aabb, edge: f64) -> [f64; 3] {
    std::array::from_fn(|k| {
        let cells = ((region.max[k] - region.min[k]) / edge).ceil();
        // Without faces of any size, or with a flat region, there is nothing to tell apart.
        if cells.is_finite() { cells.max(1.0) } else { 1.0 }
    })
}
