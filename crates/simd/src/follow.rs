//! Bodies on their way, eight at a time, in f32: each is moved on by a step, and it is told which
//! changed their way by more than granted or left the box that goes with them. From the same numbers
//! follow boxes around where they can be within some steps, and which of these meet.

use crate::lanes32::{Lanes8, Scalar8};
use crate::sweep::Boxes8;

/// Eight bodies as they were at the end of a step, `[coordinate][lane]`.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
pub struct Tracks8 {
    /// Where the middle is.
    pub middle: [[f32; 8]; 3],
    /// How far the box reaches from there at most, along each axis.
    pub half: [f32; 8],
    /// By how much the middle moved since the step before.
    pub way: [[f32; 8]; 3],
    /// The square of the most by which two ways one after the other may differ.
    pub bend2: [f32; 8],
    /// The square by which the last two ways did differ.
    pub bent2: [f32; 8],
}

impl Tracks8 {
    /// Nobody: whoever comes here has left at once.
    pub const NOBODY: Self = Self {
        middle: [[f32::NAN; 8]; 3],
        half: [f32::INFINITY; 8],
        way: [[f32::NAN; 8]; 3],
        bend2: [-1.0; 8],
        bent2: [f32::NAN; 8],
    };
}

/// Follows all bodies by a step. `now` tells of the body with a number: centre, anything, velocity,
/// anything; its middle is at centre + velocity in the end, rounded to f32, as are all sums and
/// products here, none of them fused. `boxes` hold min x y z, max x y z.
///
/// One byte per block comes out, with a bit for each body that did not keep to what was granted,
/// compared with `<=`, so that NaN does not either. Lanes without a box have their bits set.
pub fn follow(
    tracks: &mut [Tracks8],
    now: impl Fn(usize) -> [f32; 8],
    boxes: &[[f32; 6]],
    left: &mut Vec<u8>,
) {
    left.clear();
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        x86::follow(proof, (tracks, boxes), now, left);
        return;
    }
    run::<Scalar8>(tracks, now, boxes, left);
}

/// By how much more boxes grow than numbers say, since these are rounded.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    /// A share of the bend, and a length.
    pub bend: f32,
    /// Added to the bend.
    pub bend_more: f32,
    /// A share of the longest side of the way, added to the bend.
    pub way: f32,
    /// A share of all numbers that a side is the sum of.
    pub round: f32,
}

/// Boxes around where bodies can be from now on for so many steps, if no two ways of theirs one after
/// the other differ by more than granted: within `half + bend · steps (steps + 1)/2` of the way straight
/// on. Of bodies of whom nothing is granted come NaN.
pub fn ahead(tracks: &[Tracks8], steps: f32, grant: &Grant, out: &mut Vec<Boxes8>) {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        x86::ahead(proof, tracks, (steps, grant), out);
        return;
    }
    all_ahead::<Scalar8>(tracks, steps, grant, out);
}

/// The pairs of numbers of boxes that share a point, each box with those behind it. NaN meets nothing.
pub fn meeting(boxes: &[Boxes8], out: &mut Vec<[u32; 2]>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        x86::meeting(proof, boxes, out);
        return;
    }
    all_meeting::<Scalar8>(boxes, out);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    pub(super) fn follow(
        _: Avx2,
        (tracks, boxes): (&mut [Tracks8], &[[f32; 6]]),
        now: impl Fn(usize) -> [f32; 8],
        left: &mut Vec<u8>,
    ) {
        #[target_feature(enable = "avx2")]
        fn compiled(
            tracks: &mut [Tracks8],
            now: impl Fn(usize) -> [f32; 8],
            boxes: &[[f32; 6]],
            left: &mut Vec<u8>,
        ) {
            run::<Avx8>(tracks, now, boxes, left);
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(tracks, now, boxes, left) }
    }

    pub(super) fn ahead(
        _: Avx2,
        tracks: &[Tracks8],
        (steps, grant): (f32, &Grant),
        out: &mut Vec<Boxes8>,
    ) {
        #[target_feature(enable = "avx2")]
        fn compiled(tracks: &[Tracks8], steps: f32, grant: &Grant, out: &mut Vec<Boxes8>) {
            all_ahead::<Avx8>(tracks, steps, grant, out);
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(tracks, steps, grant, out) }
    }

    pub(super) fn meeting(_: Avx2, boxes: &[Boxes8], out: &mut Vec<[u32; 2]>) {
        #[target_feature(enable = "avx2")]
        fn compiled(boxes: &[Boxes8], out: &mut Vec<[u32; 2]>) {
            all_meeting::<Avx8>(boxes, out);
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(boxes, out) }
    }
}

#[inline(always)]
fn run<L: Lanes8>(
    tracks: &mut [Tracks8],
    now: impl Fn(usize) -> [f32; 8],
    boxes: &[[f32; 6]],
    left: &mut Vec<u8>,
) {
    for (b, track) in tracks.iter_mut().enumerate() {
        let mut places = [[f32::NAN; 8]; 8];
        let mut sides = [[f32::NAN; 8]; 8];
        for (lane, aabb) in boxes.iter().skip(8 * b).take(8).enumerate() {
            places[lane] = now(8 * b + lane);
            let [a, b, c, d, e, f] = *aabb;
            sides[lane] = [a, b, c, d, e, f, 0.0, 0.0];
        }
        left.push(!keeping::<L>(track, &places, &sides));
    }
}

/// Moves a block on; the lanes that keep to what was granted.
#[inline(always)]
fn keeping<L: Lanes8>(track: &mut Tracks8, places: &[[f32; 8]; 8], sides: &[[f32; 8]; 8]) -> u8 {
    let place = L::transposed(places.each_ref());
    let side = L::transposed(sides.each_ref());
    let half = L::load(&track.half);
    let mut square = L::splat(0.0);
    let mut inside = L::splat(0.0).le_mask(half);
    for k in 0..3 {
        let now = place[k].add(place[k + 4]);
        let went = now.sub(L::load(&track.middle[k]));
        let bent = went.sub(L::load(&track.way[k]));
        square = square.add(bent.mul(bent));
        inside = L::and(inside, now.sub(half).le_mask(side[k]));
        inside = L::and(inside, side[k + 3].le_mask(now.add(half)));
        (track.middle[k], track.way[k]) = (now.store(), went.store());
    }
    track.bent2 = square.store();
    L::bits(L::and(inside, square.le_mask(L::load(&track.bend2))))
}

// No closures and no iterators over lanes from here on: they would not be compiled for the CPU.

#[inline(always)]
fn all_ahead<L: Lanes8>(tracks: &[Tracks8], steps: f32, grant: &Grant, out: &mut Vec<Boxes8>) {
    for block in tracks {
        out.push(ahead_of::<L>(block, steps, grant));
    }
}

#[inline(always)]
fn ahead_of<L: Lanes8>(track: &Tracks8, steps: f32, grant: &Grant) -> Boxes8 {
    let (far, fast) = (longest::<L>(&track.middle), longest::<L>(&track.way));
    let count = L::splat(steps);
    let bend = L::load(&track.bend2).sqrt();
    let bend = bend.mul(L::splat(grant.bend)).add(L::splat(grant.bend_more));
    let bend = bend.add(fast.mul(L::splat(grant.way)));
    let grown = L::load(&track.half).add(bend.mul(L::splat(0.5 * steps * (steps + 1.0))));
    let sum = far.add(count.mul(fast)).add(grown);
    let most = grown.add(sum.mul(L::splat(grant.round)));
    let mut out = Boxes8::NONE;
    for k in 0..3 {
        let (middle, end) = (L::load(&track.middle[k]), count.mul(L::load(&track.way[k])));
        out.low[k] = middle.add(end.min(L::splat(0.0))).sub(most).store();
        out.high[k] = middle.add(end.max(L::splat(0.0))).add(most).store();
    }
    out
}

/// The longest side of vectors.
#[inline(always)]
fn longest<L: Lanes8>(v: &[[f32; 8]; 3]) -> L {
    L::load(&v[0]).abs().max(L::load(&v[1]).abs()).max(L::load(&v[2]).abs())
}

#[inline(always)]
fn all_meeting<L: Lanes8>(boxes: &[Boxes8], out: &mut Vec<[u32; 2]>) {
    for row in 0..8 * boxes.len() {
        let (first, lane) = (row / 8, row % 8);
        let mut behind = 0xfe_u32 << lane;
        for b in first..boxes.len() {
            let mut bits = met_by::<L>(&boxes[first], lane, &boxes[b]) & behind & 0xff;
            behind = 0xff;
            while bits != 0 {
                out.push([row as u32, 8 * b as u32 + bits.trailing_zeros()]);
                bits &= bits - 1;
            }
        }
    }
}

/// The lanes of a block that a box of another one meets.
#[inline(always)]
fn met_by<L: Lanes8>(own: &Boxes8, lane: usize, block: &Boxes8) -> u32 {
    let mut meets = L::splat(0.0).le_mask(L::splat(0.0));
    for k in 0..3 {
        let over = L::splat(own.low[k][lane]).le_mask(L::load(&block.high[k]));
        let under = L::load(&block.low[k]).le_mask(L::splat(own.high[k][lane]));
        meets = L::and(meets, L::and(over, under));
    }
    u32::from(L::bits(meets))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that goes straight on keeps to anything; one that turns, grows, or has no box does not.
    #[test]
    fn who_bends_or_grows_has_left() {
        let mut tracks = vec![Tracks8::NOBODY; 2];
        let boxes = |step: f32| -> Vec<[f32; 6]> {
            let at = |i: usize| i as f32 + 0.5 * step;
            let grown = |i: usize| if i == 3 && step > 1.0 { 2.0 } else { 1.0 };
            (0..11).map(|i| [at(i), 0.0, 0.0, at(i) + grown(i), 1.0, 1.0]).collect()
        };
        let turned = |i: usize, step: f32| if i == 9 && step > 1.0 { 0.25 } else { 0.0 };
        let now = |i: usize, step: f32| {
            [i as f32 + 0.5 * step, 0.5, 0.5, 0.0, 0.5, turned(i, step), 0.0, 0.0]
        };
        let mut left = Vec::new();
        for step in [0.0, 1.0] {
            follow(&mut tracks, |i| now(i, step), &boxes(step), &mut left);
            assert_eq!(left, [0xff; 2], "nothing was granted");
        }
        for block in &mut tracks {
            (block.half, block.bend2) = ([0.5; 8], [0.01; 8]);
        }
        follow(&mut tracks, |i| now(i, 2.0), &boxes(2.0), &mut left);
        assert_eq!(left, [1 << 3, 1 << 1 | 0xf8]);
        assert_eq!(tracks[1].bent2[1], 0.0625);
        assert_eq!([tracks[1].middle[0][1], tracks[1].way[1][1]], [10.5, 0.25]);
    }

    fn number(i: usize) -> f32 {
        ((i * 7919) % 1009) as f32 * 0.137 - 60.0
    }

    fn some_tracks() -> Vec<Tracks8> {
        let row = |i: usize| std::array::from_fn(|lane| number(31 * i + lane));
        let block = |b: usize| Tracks8 {
            middle: [row(b), row(b + 50), row(b + 90)],
            half: row(b + 7).map(|x| 1.0 + 0.01 * x.abs()),
            way: [row(b + 1), row(b + 2), row(b + 3)].map(|side| side.map(|x| 0.01 * x)),
            bend2: row(b + 4).map(|x| 1e-4 * x),
            bent2: [0.0; 8],
        };
        (0..5).map(block).collect()
    }

    const GRANT: Grant = Grant { bend: 1.001, bend_more: 1e-9, way: 1e-6, round: 1e-6 };

    /// Whoever goes on, bending as much as it may, stays in its box; nothing granted meets nothing.
    #[test]
    fn boxes_ahead_hold_bodies_that_bend_all_the_time() {
        let (tracks, mut boxes) = (some_tracks(), Vec::new());
        ahead(&tracks, 9.0, &GRANT, &mut boxes);
        let mut granted = 0;
        for (track, boxed) in tracks.iter().zip(&boxes) {
            for lane in 0..8 {
                if track.bend2[lane] < 0.0 {
                    assert!(boxed.low[0][lane].is_nan());
                    continue;
                }
                granted += 1;
                for (k, turn) in [(0, 1.0), (1, -1.0), (2, 1.0)] {
                    let bend = turn * f64::from(track.bend2[lane]).sqrt();
                    let mut way = f64::from(track.way[k][lane]);
                    let mut middle = f64::from(track.middle[k][lane]);
                    for _ in 0..9 {
                        way += bend;
                        middle += way;
                        let half = f64::from(track.half[lane]);
                        assert!(f64::from(boxed.low[k][lane]) <= middle - half);
                        assert!(f64::from(boxed.high[k][lane]) >= middle + half);
                    }
                    let wide = boxed.high[k][lane] - boxed.low[k][lane];
                    let need = 2.0 * track.half[lane] + 9.0 * track.way[k][lane].abs();
                    assert!(wide < need + 91.0 * bend.abs() as f32 + 0.1, "too wide: {wide}");
                }
            }
        }
        assert!(granted > 10);
    }

    #[test]
    fn pairs_that_meet_are_those_of_all_pairs() {
        let mut boxes = Vec::new();
        ahead(&some_tracks(), 40.0, &GRANT, &mut boxes);
        let mut found = Vec::new();
        meeting(&boxes, &mut found);
        let side = |i: u32, k: usize| {
            let block = &boxes[i as usize / 8];
            (block.low[k][i as usize % 8], block.high[k][i as usize % 8])
        };
        let mut all = Vec::new();
        for a in 0..8 * boxes.len() as u32 {
            for b in a + 1..8 * boxes.len() as u32 {
                let meet = |k| side(a, k).0 <= side(b, k).1 && side(b, k).0 <= side(a, k).1;
                if meet(0) && meet(1) && meet(2) {
                    all.push([a, b]);
                }
            }
        }
        assert!(!all.is_empty());
        assert_eq!(found, all);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn both_forms_agree() {
        use crate::lanes32::{Avx2, Avx8};
        if Avx2::detect().is_none() {
            return;
        }
        let place = |i: usize| std::array::from_fn(|k| number(8 * i + k));
        let boxes: Vec<[f32; 6]> =
            (0..37).map(|i| std::array::from_fn(|k| number(6 * i + k))).collect();
        let granted = Tracks8 { half: [250.0; 8], bend2: [3e4; 8], ..Tracks8::NOBODY };
        let (mut one, mut other) = (vec![granted; 5], vec![granted; 5]);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for step in 0..3 {
            left.clear();
            right.clear();
            run::<Scalar8>(&mut one, |i| place(i + step), &boxes, &mut left);
            run::<Avx8>(&mut other, |i| place(i + step), &boxes, &mut right);
            assert_eq!(left, right);
        }
        assert!(left.iter().any(|bits| !matches!(bits, 0 | 0xff)), "all alike: {left:?}");
        assert_eq!(one[3].bent2, other[3].bent2);
        for block in &some_tracks() {
            let boxed = ahead_of::<Scalar8>(block, 20.0, &GRANT);
            let same = ahead_of::<Avx8>(block, 20.0, &GRANT);
            let bits = |boxed: &Boxes8| {
                let all = boxed.low.iter().chain(&boxed.high).flatten();
                all.map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect::<Vec<u32>>()
            };
            assert_eq!(bits(&boxed), bits(&same));
        }
    }
}
