//! Boxes of faces in the rows of a lattice that they reach, and which of them a box meets.
//!
//! A row is all cells with the same y and z. Faces stand in every row they reach, so a pair may be met
//! in several; it counts in the row of the greater of both lower cells. Rows are not sorted along x:
//! they are short, and eight boxes are one test.

#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};

/// A box: lower corner, upper corner. Made of f64 by rounding, which is monotone, so that boxes that
/// share a point still do.
pub type Box32 = [f32; 6];

/// The boxes around faces, seen from `origin`.
pub fn boxes_of(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    (ids, origin): (&[u32], [f64; 3]),
    out: &mut Vec<Box32>,
) {
    out.clear();
    out.extend(ids.iter().map(|&id| {
        let [p, q, r] = triangles[id as usize].map(|v| &points[v as usize]);
        let least = |k: usize| (p[k].min(q[k]).min(r[k]) - origin[k]) as f32;
        let most = |k: usize| (p[k].max(q[k]).max(r[k]) - origin[k]) as f32;
        [least(0), least(1), least(2), most(0), most(1), most(2)]
    }));
}

/// The number of the row of cells.
#[inline(always)]
pub fn row_of(cells: u32) -> usize {
    let [_, y, z, _] = cells.to_le_bytes();
    usize::from(z & 63) << 6 | usize::from(y & 63)
}

/// How many rows there can be.
pub const ROWS: usize = 64 * 64;

/// Boxes, row after row; kept and filled again.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Where each row begins, and the end of the last.
    starts: Vec<u32>,
    columns: [Vec<f32>; 6],
    low: Vec<u32>,
    ids: Vec<u32>,
}

/// A face: which cells it reaches, and its box.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The lowest cells.
    pub low: u32,
    /// The highest cells.
    pub high: u32,
    /// The box.
    pub around: Box32,
}

/// The rows between two cells.
#[inline(always)]
fn rows_between(low: u32, high: u32) -> impl Iterator<Item = usize> {
    let [_, y0, z0, _] = low.to_le_bytes();
    let [_, y1, z1, _] = high.to_le_bytes();
    let row = |z: u8, y: u8| usize::from(z & 63) << 6 | usize::from(y & 63);
    (z0..=z1).flat_map(move |z| (y0..=y1).map(move |y| row(z, y)))
}

impl Rows {
    /// Takes in faces, named by their place in the lists.
    pub fn fill(&mut self, low: &[u32], high: &[u32], boxes: &[Box32]) {
        let Self { starts, columns, low: lows, ids } = self;
        starts.clear();
        starts.resize(ROWS + 2, 0);
        for (&low, &high) in low.iter().zip(high) {
            rows_between(low, high).for_each(|row| starts[row + 2] += 1);
        }
        for row in 2..ROWS + 2 {
            starts[row] += starts[row - 1];
        }
        let count = starts[ROWS + 1] as usize;
        // Eight are read at a time, so that there is room after the last.
        for column in columns.iter_mut() {
            column.resize(count + 8, f32::NAN);
        }
        lows.resize(count + 8, 0);
        ids.resize(count + 8, 0);
        for (i, ((&low, &high), around)) in low.iter().zip(high).zip(boxes).enumerate() {
            for row in rows_between(low, high) {
                let at = starts[row + 1] as usize;
                starts[row + 1] += 1;
                for k in 0..6 {
                    columns[k][at] = around[k];
                }
                lows[at] = low;
                ids[at] = i as u32;
            }
        }
    }

    /// How many boxes stand in the rows that a face reaches.
    pub fn price(&self, low: u32, high: u32) -> u64 {
        rows_between(low, high).map(|row| u64::from(self.starts[row + 1] - self.starts[row])).sum()
    }

    /// Adds the places of all faces whose boxes share a point with that of `of`, each once, with `name`
    /// beside them.
    #[inline]
    pub fn meet(&self, of: &Reach, name: u32, out: &mut Vec<[u32; 2]>) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                meet_avx2(self, of, name, out);
            }
            return;
        }
        meet_any::<Scalar8>(self, of, name, out);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn meet_avx2(rows: &Rows, of: &Reach, name: u32, out: &mut Vec<[u32; 2]>) {
    meet_any::<Avx8>(rows, of, name, out);
}

/// The greater of both, byte by byte, of y and z only.
#[inline(always)]
fn owner(a: u32, b: u32) -> usize {
    let ([_, y, z, _], [_, v, w, _]) = (a.to_le_bytes(), b.to_le_bytes());
    usize::from(z.max(w) & 63) << 6 | usize::from(y.max(v) & 63)
}

#[inline(always)]
fn meet_any<L: Lanes8>(rows: &Rows, of: &Reach, name: u32, out: &mut Vec<[u32; 2]>) {
    let [_, y0, z0, _] = of.low.to_le_bytes();
    let [_, y1, z1, _] = of.high.to_le_bytes();
    let mut z = z0;
    while z <= z1 {
        let mut y = y0;
        while y <= y1 {
            let row = usize::from(z & 63) << 6 | usize::from(y & 63);
            meet_row::<L>(rows, (of, row), name, out);
            y += 1;
        }
        z += 1;
    }
}

#[inline(always)]
fn meet_row<L: Lanes8>(
    rows: &Rows,
    (of, row): (&Reach, usize),
    name: u32,
    out: &mut Vec<[u32; 2]>,
) {
    let (start, end) = (rows.starts[row] as usize, rows.starts[row + 1] as usize);
    let mut at = start;
    while at < end {
        let mut set = overlaps::<L>(&rows.columns, at, &of.around);
        let left = end - at;
        if left < 8 {
            set &= (1 << left) - 1;
        }
        while set != 0 {
            let i = at + set.trailing_zeros() as usize;
            set &= set - 1;
            if owner(rows.low[i], of.low) == row {
                out.push([rows.ids[i], name]);
            }
        }
        at += 8;
    }
}

#[inline(always)]
fn overlaps<L: Lanes8>(columns: &[Vec<f32>; 6], at: usize, around: &Box32) -> u8 {
    let mut all = eight::<L>(&columns[0], at).le_mask(L::splat(around[3]));
    all = L::and(all, L::splat(around[0]).le_mask(eight::<L>(&columns[3], at)));
    all = L::and(all, eight::<L>(&columns[1], at).le_mask(L::splat(around[4])));
    all = L::and(all, L::splat(around[1]).le_mask(eight::<L>(&columns[4], at)));
    all = L::and(all, eight::<L>(&columns[2], at).le_mask(L::splat(around[5])));
    all = L::and(all, L::splat(around[2]).le_mask(eight::<L>(&columns[5], at)));
    L::bits(all)
}

#[inline(always)]
fn eight<L: Lanes8>(column: &[f32], at: usize) -> L {
    match column[at..].first_chunk::<8>() {
        Some(eight) => L::load(eight),
        None => L::splat(f32::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::Lattice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_overlapping_pair_is_met_once(
            a in prop::collection::vec((prop::array::uniform3(0.0..9.0f64), 0.0..2.0f64), 0..40),
            b in prop::collection::vec((prop::array::uniform3(0.0..9.0f64), 0.0..2.0f64), 1..40),
            cells in prop::array::uniform3(1u8..20),
        ) {
            let lattice = Lattice::of([0.0; 3], [11.0; 3], cells);
            let reach = |(at, size): &([f64; 3], f64)| {
                let end = at.map(|x| x + size);
                let around =
                    std::array::from_fn(|k| if k < 3 { at[k] } else { end[k - 3] } as f32);
                Reach { low: lattice.cells(at), high: lattice.cells(&end), around }
            };
            let (a, b): (Vec<Reach>, Vec<Reach>) =
                (a.iter().map(reach).collect(), b.iter().map(reach).collect());
            let column = |f: fn(&Reach) -> u32| a.iter().map(f).collect::<Vec<u32>>();
            let boxes: Vec<Box32> = a.iter().map(|one| one.around).collect();
            let mut rows = Rows::default();
            rows.fill(&column(|r| r.low), &column(|r| r.high), &boxes);
            let mut found = Vec::new();
            for (name, one) in (0..).zip(&b) {
                let before = found.len();
                rows.meet(one, name, &mut found);
                let mut twin = Vec::new();
                meet_any::<Scalar8>(&rows, one, name, &mut twin);
                prop_assert_eq!(&found[before..], &twin);
            }
            let overlap = |p: &Box32, q: &Box32| (0..3).all(|k| p[k] <= q[k + 3] && q[k] <= p[k + 3]);
            let mut expected = Vec::new();
            for (i, one) in (0..).zip(&a) {
                for (j, other) in (0..).zip(&b) {
                    if overlap(&one.around, &other.around) {
                        expected.push([i, j]);
                    }
                }
            }
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
