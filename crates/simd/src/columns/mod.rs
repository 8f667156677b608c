//! Boxes into columns, and the sweep along one column: the inner loops of the pruner `columns`.

mod grid;
mod row;
mod sweep;

pub use grid::{Boxes, Grid, Run, Source, count, scatter};
pub use sweep::{Scratch, Sweep};

/// A box with its number: the bits of its lower corner, the number, the bits of its upper corner,
/// and one lane without meaning. 32 bytes, so that two share a cache line and a register holds one.
pub type Entry = [u32; 8];

/// The whole number that `x` is rounded to, 0 or `last` if it lies outside. Adding 2²³ rounds and
/// leaves the number in the low bits, which is faster than a checked conversion.
#[inline(always)]
fn step(x: f32, last: f32) -> u32 {
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < last { x } else { last };
    (x + 8_388_608.0).to_bits() & 0x7F_FFFF
}

/// A whole number that grows with `x`.
#[inline(always)]
fn rank(x: f32) -> i64 {
    let bits = i64::from(x.to_bits());
    if bits >> 31 == 0 { bits } else { 0x8000_0000 - bits }
}

fn of_rank(rank: i64) -> f32 {
    f32::from_bits(if rank >= 0 { rank as u32 } else { (0x8000_0000 - rank) as u32 })
}
