//! One bit per cell of a lattice: a word per row, a bit per cell along x.

use impinge_simd::faces::rows::ROWS;

/// Cells that something reaches.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    rows: Box<[u64; ROWS]>,
}

impl Default for Marks {
    fn default() -> Self {
        Self { rows: Box::new([0; ROWS]) }
    }
}

/// The cells between two along x, as bits.
#[inline(always)]
fn between(x0: u8, x1: u8) -> u64 {
    (2u64 << (x1 & 63)) - (1u64 << (x0 & 63))
}

#[inline(always)]
fn row(z: u8, y: u8) -> usize {
    usize::from(z & 63) << 6 | usize::from(y & 63)
}

impl Marks {
    /// Nothing reaches anything, in a lattice with so many layers.
    pub(super) fn clear(&mut self, last: [u8; 3]) {
        self.rows[..row(last[2], 63) + 1].fill(0);
    }

    /// Marks the cells between two.
    #[inline(always)]
    pub(super) fn add(&mut self, low: u32, high: u32) {
        let ([x0, y0, z0, _], [x1, y1, z1, _]) = (low.to_le_bytes(), high.to_le_bytes());
        let bits = between(x0, x1);
        if z1 - z0 <= 1 && y1 - y0 <= 1 {
            // Nearly all are of this kind; what is there twice is marked twice, without a branch.
            self.rows[row(z0, y0)] |= bits;
            self.rows[row(z0, y1)] |= bits;
            self.rows[row(z1, y0)] |= bits;
            self.rows[row(z1, y1)] |= bits;
            return;
        }
        for z in z0..=z1 {
            for y in y0..=y1 {
                self.rows[row(z, y)] |= bits;
            }
        }
    }

    /// Whether one of the cells between two is marked.
    #[inline(always)]
    pub(super) fn meet(&self, low: u32, high: u32) -> bool {
        let ([x0, y0, z0, _], [x1, y1, z1, _]) = (low.to_le_bytes(), high.to_le_bytes());
        let bits = between(x0, x1);
        if z1 - z0 <= 1 && y1 - y0 <= 1 {
            let all = self.rows[row(z0, y0)]
                | self.rows[row(z0, y1)]
                | self.rows[row(z1, y0)]
                | self.rows[row(z1, y1)];
            return all & bits != 0;
        }
        (z0..=z1).any(|z| (y0..=y1).any(|y| self.rows[row(z, y)] & bits != 0))
    }
}
