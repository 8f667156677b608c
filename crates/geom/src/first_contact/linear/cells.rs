//! Intervals of time in units of a grid, 2⁻⁶² or 2⁻¹⁰⁴ of all of it: to and from f64, and how they are
//! cut. Where rounding cannot be avoided it is to a known side.

/// An interval of time, in units of the grid.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) from: u128,
    pub(super) to: u128,
}

impl Cell {
    /// The same in units that are smaller by `2^bits`.
    pub(super) fn refined(self, bits: i32) -> Self {
        Self { from: self.from << bits, to: self.to << bits }
    }
}

/// About the time of units of the grid.
pub(super) fn to_time(time: u128, grid: i32) -> f64 {
    time as f64 * 2f64.powi(-grid)
}

/// A time in units of the grid, rounded down.
pub(super) fn to_grid(time: f64, grid: i32) -> u128 {
    (time * 2f64.powi(grid)) as u128
}

/// The same, rounded up.
pub(super) fn to_grid_up(time: f64, grid: i32) -> u128 {
    (time * 2f64.powi(grid)).ceil() as u128
}

/// The largest f64 that is not later.
pub(super) fn grid_lower(time: u128, grid: i32) -> f64 {
    let near = time as f64;
    let near = if near as u128 > time { near.next_down() } else { near };
    near * 2f64.powi(-grid)
}

/// The smallest f64 that is not earlier.
pub(super) fn grid_upper(time: u128, grid: i32) -> f64 {
    let near = time as f64;
    let near = if (near as u128) < time { near.next_up() } else { near };
    near * 2f64.powi(-grid)
}

/// The fraction with the smallest denominator in an interval, by its continued fraction.
pub(super) fn simplest(cell: Cell, grid: i32) -> [u128; 2] {
    let (mut low, mut high) = ([cell.from, 1 << grid], [cell.to, 1 << grid]);
    // The last two of the fractions that lead there.
    let (mut before, mut last) = ([0, 1], [1, 0]);
    loop {
        let (whole, rest) = (low[0] / low[1], low[0] % low[1]);
        let done = rest == 0 || high[0] / high[1] > whole;
        let term = whole + u128::from(done && rest != 0);
        (before, last) = (last, [term * last[0] + before[0], term * last[1] + before[1]]);
        if done {
            return last;
        }
        // What is left of both is turned over, which changes their order.
        (low, high) = ([high[1], high[0] - whole * high[1]], [low[1], rest]);
    }
}

/// The smallest f64 that is not below a fraction of numbers below 2⁵³.
pub(super) fn fraction_upper([n, d]: [u128; 2]) -> f64 {
    let near = n as f64 / d as f64;
    if d.is_power_of_two() { near } else { near.next_up() }
}

/// The time at a part of an interval.
fn place(cell: Cell, share: f64) -> u128 {
    let width = cell.to - cell.from;
    let part = (share.clamp(0.0, 1.0) * (1u64 << 62) as f64) as u64;
    // In two parts, as the whole product might not fit.
    let (high, low) = (width >> 62, width & ((1 << 62) - 1));
    cell.from + high * u128::from(part) + ((low * u128::from(part)) >> 62)
}

/// Half the width of the interval around the centre, as a part of the whole interval.
const NARROW: f64 = 1.0 / (1u64 << 42) as f64;

/// The part of an interval of at least two units around its centre, where something is likely to
/// remain open. At least one of its ends is within the interval.
pub(super) fn around(cell: Cell, centre: f64) -> Cell {
    let from = place(cell, centre - NARROW).min(cell.to - 1);
    Cell { from, to: place(cell, centre + NARROW).max(cell.from + 1) }
}

/// Cuts an interval in up to three, the first one on top.
pub(super) fn split(cell: Cell, centre: Cell, cells: &mut Vec<Cell>) {
    let (low, high) = (centre.from, centre.to);
    for (from, to) in [(high, cell.to), (low, high), (cell.from, low)] {
        if from < to {
            cells.push(Cell { from, to });
        }
    }
}
