//! One bit per cell of a lattice: a word per row, a bit per cell along x.

use impinge_simd::faces::rows::{Bits, ROWS, between, row};

/// Cells that something reaches.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    rows: Box<Bits>,
}

impl Default for Marks {
    fn default() -> Self {
        Self { rows: Box::new([0; ROWS]) }
    }
}

impl Marks {
    /// Nothing reaches anything.
    pub(super) fn clear(&mut self) {
        self.rows.fill(0);
    }

    /// As words.
    pub(super) fn bits(&self) -> &Bits {
        &self.rows
    }

    /// Marks the cells between two.
    #[inline(always)]
    pub(super) fn add(&mut self, [low, high]: [u32; 2]) {
        let bits = between(low, high);
        let (first, last) = (row(low), row(high));
        if is_small(low, high) {
            // Nearly all are of this kind; what is there twice is marked twice, without a branch.
            self.rows[first] |= bits;
            self.rows[first & Z | last & Y] |= bits;
            self.rows[first & Y | last & Z] |= bits;
            self.rows[last] |= bits;
            return;
        }
        for z in first >> 6..=last >> 6 {
            self.rows[z << 6 | first & Y..=z << 6 | last & Y].iter_mut().for_each(|r| *r |= bits);
        }
    }

    /// Whether one of the cells between two is marked.
    #[inline(always)]
    pub(super) fn meet(&self, [low, high]: [u32; 2]) -> bool {
        let bits = between(low, high);
        let (first, last) = (row(low), row(high));
        if is_small(low, high) {
            let some = self.rows[first] | self.rows[first & Z | last & Y];
            let all = some | self.rows[first & Y | last & Z] | self.rows[last];
            return all & bits != 0;
        }
        (first >> 6..=last >> 6).any(|z| {
            self.rows[z << 6 | first & Y..=z << 6 | last & Y].iter().any(|r| r & bits != 0)
        })
    }
}

/// The bits of y and of z in the number of a row.
const Y: usize = 63;
const Z: usize = 63 << 6;

/// Whether there are at most two cells along y and along z.
#[inline(always)]
fn is_small(low: u32, high: u32) -> bool {
    high.wrapping_sub(low) & 0x00fe_fe00 == 0
}
