//! Triangles that are much larger than pixels, drawn along their edges and at their own depth: row by
//! row, eight pixels at a time.
//!
//! Coordinates are in pixels, the middle of one at a whole number, and in bins alike. All bounds hold
//! for triangles whose corners are off by no more than the slack that is told.
//!
//! Edges. `E(x, y) = a·x + b·y + c` with |a|, |b| ≤ 1 is zero along an edge and not negative at the
//! third corner. A point of the true triangle is a mean of its corners, so that `E` is at least
//! −(|a| + |b|)·slack there, less the rounding of `E`, and the middle of a pixel that holds the point is
//! at most half a pixel farther in x and in y. If the third corner is so near the edge that its side is
//! not certain, either choice is within the same bound.
//!
//! Depth. Let `z(x, y)` be a plane that misses the three corners as they are calculated by at most `r`.
//! It misses the true corners by at most r + slack + (|zx| + |zy|)·slack, so it does so at every point of
//! the true triangle, which is a mean of them; and to the middle of the pixel it changes by half of
//! |zx| + |zy|. How well the plane was calculated does not matter, `r` tells.

use super::grid::{Bins, Cells};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};

/// A triangle, ready to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// What bounds it to the left and to the right: a column in row 0, and how much that changes per row.
    left: [[f64; 2]; 3],
    right: [[f64; 2]; 3],
    /// The rows that level edges leave.
    rows: [f64; 2],
    /// Depth per column and per row, and at the first pixel of all.
    plane: [f64; 3],
    /// How far from the plane it may reach within a pixel.
    thickness: f64,
}

/// Steeper faces are taken to reach all their bins everywhere.
const STEEP: f64 = 128.0;
/// More than all roundings of a sum of three products, relative to the largest.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// As far as pixels go.
const LARGEST: f64 = 1024.0;
/// Granted in columns and in rows, more than the rounding of what is within the image.
const QUOTIENT: f64 = 1e-6;
/// Edges that rise less than this over a row are taken to be level.
const LEVEL: f64 = 1e-9;

impl Outline {
    /// Of a triangle whose corners (column, row, bin) may be off by so much in the image and in depth, for
    /// pixels that reach so far from their middles: a half if all is to be covered, or nothing for
    /// the line through the middle.
    pub fn of(corners: &[[f64; 3]; 3], half: f64, [slack, slack_depth]: [f64; 2]) -> Self {
        let size = |k: usize| corners.iter().map(|corner| corner[k].abs()).fold(0.0, f64::max);
        let largest = size(0).max(size(1)) + LARGEST;
        let mut outline = Self {
            left: [[f64::NEG_INFINITY, 0.0]; 3],
            right: [[f64::INFINITY, 0.0]; 3],
            rows: [f64::NEG_INFINITY, f64::INFINITY],
            plane: [0.0; 3],
            thickness: 0.0,
        };
        for i in 0..3 {
            let [p, q, r] = [0, 1, 2].map(|k| corners[(i + k) % 3]);
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            let longer = dx.abs().max(dy.abs());
            if longer == 0.0 {
                continue;
            }
            let (a, b) = (-dy / longer, dx / longer);
            let inward = a * (r[0] - p[0]) + b * (r[1] - p[1]);
            let (a, b) = if inward < 0.0 { (-a, -b) } else { (a, b) };
            let outward = (a.abs() + b.abs()) * (half + slack) + ROUNDING * largest;
            outline.bound(i, [a, b, outward - (a * p[0] + b * p[1])]);
        }
        (outline.plane, outline.thickness) = plane_of(corners, half + slack, slack_depth);
        outline
    }

    /// Bounds it by `a·x + b·y + c ≥ 0`: to the left, to the right, or if that is level, in its rows.
    fn bound(&mut self, edge: usize, [a, b, c]: [f64; 3]) {
        if a.abs() < LEVEL {
            // Here |b| is 1, and a·x is no more than this over all columns.
            let c = c + LEVEL * LARGEST;
            if b > 0.0 {
                self.rows[0] = self.rows[0].max(-c - QUOTIENT);
            } else {
                self.rows[1] = self.rows[1].min(c + QUOTIENT);
            }
            return;
        }
        let (start, change) = (-c / a, -b / a);
        let rounding = QUOTIENT + ROUNDING * (start.abs() + LARGEST * change.abs());
        if a > 0.0 {
            self.left[edge] = [start - rounding, change];
        } else {
            self.right[edge] = [start + rounding, change];
        }
    }

    /// The columns of a row that it may touch, of those of its cells.
    #[inline]
    pub fn columns(&self, y: u16, cells: &Cells) -> Option<[usize; 2]> {
        self.ends(y, cells).map(|ends| ends.map(whole))
    }

    /// The same as numbers with nothing behind the point.
    #[inline(always)]
    fn ends(&self, y: u16, cells: &Cells) -> Option<[f64; 2]> {
        let y = f64::from(y);
        if y < self.rows[0] || y > self.rows[1] {
            return None;
        }
        // What is not a number is taken for the end of the cells.
        let greater = |x: f64, y: f64| if x > y { x } else { y };
        let less = |x: f64, y: f64| if x < y { x } else { y };
        let at = |[start, change]: [f64; 2]| start + change * y;
        let ([a, b, c], [d, e, f]) = (self.left.map(at), self.right.map(at));
        let first = greater(greater(a, greater(b, c)), f64::from(cells[0])).ceil();
        let last = less(less(d, less(e, f)), f64::from(cells[4])).floor();
        (last >= first).then_some([first, last])
    }

    /// From where to where it may reach in a pixel. Not cut off where the triangle ends.
    #[inline]
    pub fn depth(&self, x: usize, y: u16) -> [f64; 2] {
        let [zx, zy, at_first] = self.plane;
        let middle = zx * x as f64 + zy * f64::from(y) + at_first;
        [middle - self.thickness, middle + self.thickness]
    }

    /// Draws it; its cells are those of its extent.
    pub fn draw(&self, cells: &Cells, image: &mut Bins) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                self.draw_avx2(cells, image);
            }
            return;
        }
        self.draw_any::<Scalar8>(cells, image);
    }

    /// Whether some bin that it may reach is set.
    pub fn meet(&self, cells: &Cells, image: &Bins) -> bool {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { self.meet_avx2(cells, image) };
        }
        self.meet_any::<Scalar8>(cells, image)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn draw_avx2(&self, cells: &Cells, image: &mut Bins) {
        self.draw_any::<Avx8>(cells, image);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn meet_avx2(&self, cells: &Cells, image: &Bins) -> bool {
        self.meet_any::<Avx8>(cells, image)
    }

    #[inline(always)]
    fn draw_any<L: Lanes8>(&self, cells: &Cells, image: &mut Bins) {
        for y in cells[1]..=cells[5] {
            let Some(ends) = self.ends(y, cells) else { continue };
            let mut depth = Depth::<L>::of(self, (ends[0], y), cells);
            let [first, last] = ends.map(whole);
            let mut left = last - first + 1;
            for pixels in image.eights_mut(first, usize::from(y), left) {
                let (bins, there) = (depth.eight(), there(left));
                for k in 0..8 {
                    pixels[k] |= bins[k] & there[k];
                }
                left = left.saturating_sub(8);
            }
        }
    }

    #[inline(always)]
    fn meet_any<L: Lanes8>(&self, cells: &Cells, image: &Bins) -> bool {
        for y in cells[1]..=cells[5] {
            let Some(ends) = self.ends(y, cells) else { continue };
            let mut depth = Depth::<L>::of(self, (ends[0], y), cells);
            let [first, last] = ends.map(whole);
            let mut left = last - first + 1;
            for pixels in image.eights(first, usize::from(y), left) {
                let (bins, there) = (depth.eight(), there(left));
                let mut common = 0;
                for k in 0..8 {
                    common |= pixels[k] & bins[k] & there[k];
                }
                if common != 0 {
                    return true;
                }
                left = left.saturating_sub(8);
            }
        }
        false
    }
}

/// A number from 0 to 2³² that has nothing behind the point.
#[inline(always)]
fn whole(x: f64) -> usize {
    // 2⁵² and that number are it in the low bits.
    (x + 4_503_599_627_370_496.0).to_bits() as u32 as usize
}

/// All bits of the first pixels of eight, and none of the others.
#[inline(always)]
fn there(count: usize) -> &'static [u64; 8] {
    const SLIDE: [u64; 16] = [!0, !0, !0, !0, !0, !0, !0, !0, 0, 0, 0, 0, 0, 0, 0, 0];
    SLIDE[8 - count.min(8)..].first_chunk().expect("eight or more")
}

/// A plane through three corners, and how far from it the triangle may reach within a pixel.
fn plane_of(corners: &[[f64; 3]; 3], reach: f64, slack_depth: f64) -> ([f64; 3], f64) {
    let flat = ([0.0; 3], f64::from(f32::MAX));
    let [p, q, r] = corners;
    let ([ax, ay, az], [bx, by, bz]) =
        ([0, 1, 2].map(|k| q[k] - p[k]), [0, 1, 2].map(|k| r[k] - p[k]));
    let area = ax * by - bx * ay;
    let (zx, zy) = ((az * by - bz * ay) / area, (ax * bz - bx * az) / area);
    let steepness = zx.abs() + zy.abs();
    if steepness.is_nan() || steepness > STEEP {
        return flat;
    }
    let at_first = p[2] - zx * p[0] - zy * p[1];
    let missed = corners.iter().map(|[x, y, z]| (zx * x + zy * y + at_first - z).abs());
    let missed = missed.fold(0.0, f64::max);
    let size = corners.as_flattened().iter().map(|x| x.abs()).fold(LARGEST, f64::max);
    // Both ends of the depth are calculated in f32, each from what it is at the first pixel of a row. An end
    // that is within the bins at some pixel was at the first one no more than 2¹⁰ times the steepness and
    // 2⁶, however thick the face is. The roundings of that, of the way from there, and of their sum are
    // less than 2⁻²² of 2¹¹ times the steepness and 2⁷. An end that is beyond the bins by d is off by at
    // most 2⁻²² of d more, so that it is not brought back among them.
    let narrow = 2f64.powi(-22) * (128.0 + 2.0 * LARGEST * steepness);
    let rounding = ROUNDING * size * (1.0 + steepness) + narrow;
    let thickness = missed + slack_depth + steepness * reach + rounding;
    if thickness.is_nan() { flat } else { ([zx, zy, at_first], thickness) }
}

/// Depth along a row.
struct Depth<L: Lanes8> {
    low: L,
    high: L,
    /// How much it changes over as many pixels as the lane says, and over one.
    lanes: L,
    step: L,
    ends: [L; 2],
    /// The next pixel, from the first one on.
    from: f32,
}

impl<L: Lanes8> Depth<L> {
    #[inline(always)]
    fn of(outline: &Outline, (x, y): (f64, u16), cells: &Cells) -> Self {
        let [zx, zy, at_first] = outline.plane;
        let start = zx * x + zy * f64::from(y) + at_first;
        let step = L::splat(zx as f32);
        Self {
            low: L::splat((start - outline.thickness) as f32),
            high: L::splat((start + outline.thickness) as f32),
            lanes: L::load(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).mul(step),
            step,
            ends: [L::splat(f32::from(cells[2])), L::splat(f32::from(cells[6]))],
            from: 0.0,
        }
    }

    /// The bins of the next eight pixels.
    #[inline(always)]
    fn eight(&mut self) -> [u64; 8] {
        let further = self.lanes.add(self.step.mul(L::splat(self.from)));
        self.from += 8.0;
        let [least, most] = self.ends;
        let within = |x: L| x.max(least).min(most);
        within(self.low.add(further)).spans(within(self.high.add(further)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Raster, bins};
    use super::*;
    use proptest::prelude::*;

    const SIDE: u16 = 48;

    /// Corners near the image, on its lattice, far outside, or in a line.
    fn corners() -> impl Strategy<Value = [[f64; 3]; 3]> {
        let number = || {
            prop_oneof![
                6 => -10.0..60.0f64,
                2 => (-5i8..55).prop_map(f64::from),
                1 => -1e6..1e6f64,
            ]
        };
        let any = prop::array::uniform3([number(), number(), number()]);
        (any, 0..6u8, -2.0..3.0f64).prop_map(|(mut three, kind, t)| {
            if kind == 0 {
                // In a line: edge on.
                three[2] = std::array::from_fn(|k| three[0][k] + t * (three[1][k] - three[0][k]));
            } else if kind == 1 {
                three[2][0] = three[0][0];
                three[1][0] = three[0][0];
            }
            three
        })
    }

    fn cells_of(three: &[[f64; 3]; 3]) -> Cells {
        let last = [SIDE - 1, SIDE - 1, 63];
        let end = |k: usize, f: fn(f64, f64) -> f64| {
            let x = three.iter().map(|p| p[k]).reduce(f).expect("three");
            x.round().clamp(0.0, f64::from(last[k])) as u16
        };
        let [a, b, c] = [0, 1, 2].map(|k| end(k, f64::min));
        let [d, e, f] = [0, 1, 2].map(|k| end(k, f64::max));
        [a, b, c, 0, d, e, f, 0]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn every_point_is_drawn_and_not_much_else(
            three in corners(),
            shifts in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)),
            slack in prop::sample::select(vec![1e-9, 1e-3, 0.3]),
            shares in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 200),
        ) {
            let off: [[f64; 3]; 3] = std::array::from_fn(|i| {
                std::array::from_fn(|k| three[i][k] + slack * shifts[i][k])
            });
            let (cells, all) = (cells_of(&off), [0, 0, 0, 0, SIDE - 1, SIDE - 1, 63, 0]);
            let last = [SIDE - 1, SIDE - 1, 63];
            let raster = Raster { origin: [0.0; 3], scale: [1.0; 3], last };
            let outline = Outline::of(&off, 0.5, [slack, slack]);
            let (mut drawn, mut twin) = (Bins::default(), Bins::default());
            drawn.begin(&raster);
            twin.begin(&raster);
            outline.draw(&all, &mut drawn);
            outline.draw_any::<Scalar8>(&all, &mut twin);
            for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
                let at = |of: &Bins| of.get(usize::from(x), usize::from(y));
                prop_assert_eq!(at(&drawn), at(&twin));
            }
            prop_assert_eq!(outline.meet(&all, &drawn), outline.meet_any::<Scalar8>(&all, &drawn));
            for (s, t) in shares {
                let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                let point: [f64; 3] = std::array::from_fn(|k| {
                    three[0][k] + s * (three[1][k] - three[0][k]) + t * (three[2][k] - three[0][k])
                });
                let [x, y, z] = point.map(f64::round);
                let within = |x: f64, last: u16| (0.0..=f64::from(last)).contains(&x);
                if within(x, last[0]) && within(y, last[1]) && within(z, last[2]) {
                    let bits = drawn.get(x as usize, y as usize);
                    prop_assert!(bits >> z as u32 & 1 == 1, "{:?}", point);
                    let mut one = Bins::default();
                    one.begin(&raster);
                    let [x, y, z] = [x as u16, y as u16, z as u16];
                    one.draw(&[x, y, z, 0, x, y, z, 0]);
                    prop_assert!(outline.meet(&all, &one));
                }
            }
            // Pixels that are wholly beside an edge stay empty.
            for i in 0..3 {
                let [p, q, r] = [0, 1, 2].map(|k| off[(i + k) % 3]);
                let (a, b) = (p[1] - q[1], q[0] - p[0]);
                let longer = a.abs().max(b.abs());
                let side = |x: f64, y: f64| (a * (x - p[0]) + b * (y - p[1])) / longer;
                let inward = side(r[0], r[1]).signum();
                for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
                    let most = inward * side(f64::from(x), f64::from(y));
                    if most < -(1.0 + 2.0 * slack) - 1e-3 {
                        prop_assert_eq!(drawn.get(usize::from(x), usize::from(y)), 0);
                    }
                }
            }
            // Within its own cells it is drawn the same, cut off where they end.
            let mut own = Bins::default();
            own.begin(&raster);
            outline.draw(&cells, &mut own);
            for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
                let along = |k: usize, at: u16| (cells[k]..=cells[k + 4]).contains(&at);
                let inside = along(0, x) && along(1, y);
                let bits = own.get(usize::from(x), usize::from(y));
                prop_assert_eq!(bits & !bins(cells[2], cells[6]), 0);
                prop_assert!(inside || bits == 0);
            }
        }
    }
}
