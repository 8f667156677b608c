//! Trees of boxes with eight children each, and which boxes of two trees share a point, eight boxes
//! against eight at a time.
//!
//! Coordinates are numbers of steps of a fine lattice, 16 bits each. As with cells that number never
//! falls as the coordinate rises, so that boxes that share a point still do. A box of one tree asks
//! and boxes of the other are asked: the first is kept as its upper corner and the complement of its
//! lower one, the others as lower corners and complements of upper ones. Then boxes share a point
//! exactly if no number of the asked is greater than that of the asking, and the box around some is
//! their greatest or their least, number by number.

use super::points::Ends;
use super::ranges::{Run, VERTICES_MAX};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// A lattice of many steps over a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    origin: [f64; 3],
    scale: [f64; 3],
}

/// A corner: its steps along each axis and nothing, then the same with all bits turned.
type Corner = [u16; 8];

/// The steps of the box are 1 to this; so are those of all that is outside.
const LAST: u16 = u16::MAX - 1;
/// What is at these steps shares nothing with anything, as a box that asks and as one that is asked.
const NOBODY: (Corner, u16) = ([0; 8], u16::MAX);

/// Eight boxes that ask, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Asking([Corner; 8]);

/// Eight boxes that are asked: along each axis the lower ends, then the complements of the upper ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Asked([[u16; 16]; 3]);

impl Default for Asking {
    fn default() -> Self {
        Self([NOBODY.0; 8])
    }
}

impl Default for Asked {
    fn default() -> Self {
        Self([[NOBODY.1; 16]; 3])
    }
}

/// Eight boxes of either kind.
pub trait Boxes: Copy + Default {
    /// Takes the place of a box in eight.
    fn set(&mut self, lane: usize, ends: [[u16; 3]; 2]);
    /// Makes the lane the box around eight others.
    fn surround(&mut self, lane: usize, others: &Self);
    /// The steps of the corners of boxes, eight boxes at a time.
    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>);
    /// The boxes of the faces of some runs, and those around each eight of them.
    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) where
        Self: 'a;
}

/// A run of faces: the boxes around each eight of them, and the boxes of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened<B> {
    groups: B,
    faces: [B; 8],
}

impl Steps {
    /// So many steps over the box with corners `low` and `high`.
    pub fn of(low: [f64; 3], high: [f64; 3]) -> Self {
        let scale = std::array::from_fn(|k| {
            let width = (high[k] - low[k]).max(low[k].abs().max(high[k].abs()) * f64::EPSILON);
            let scale = f64::from(LAST - 2) / width;
            if scale < f64::MAX { scale } else { f64::MAX }
        });
        Self { origin: low, scale }
    }

    #[inline(always)]
    fn step(&self, axis: usize, x: f64) -> u16 {
        let t = (x - self.origin[axis]) * self.scale[axis] + 1.0;
        let t = if t > 1.0 { t } else { 1.0 };
        let t = if t < f64::from(LAST) { t } else { f64::from(LAST) };
        t as u16
    }

    #[inline(always)]
    fn of_point(&self, point: &[f64; 3]) -> [u16; 3] {
        [self.step(0, point[0]), self.step(1, point[1]), self.step(2, point[2])]
    }
}

fn of_ends_scalar<B: Boxes>(steps: &Steps, ends: &[Ends], out: &mut Vec<B>) {
    for eight in ends.chunks(8) {
        let mut boxes = B::default();
        for (lane, ends) in eight.iter().enumerate() {
            boxes.set(lane, ends.map(|end| steps.of_point(&end)));
        }
        out.push(boxes);
    }
}

/// The boxes around each eight boxes, eight at a time.
pub fn parents<B: Boxes>(children: &[B], out: &mut Vec<B>) {
    out.clear();
    for eight in children.chunks(8) {
        let mut boxes = B::default();
        eight.iter().enumerate().for_each(|(lane, others)| boxes.surround(lane, others));
        out.push(boxes);
    }
}

impl Boxes for Asking {
    #[inline(always)]
    fn set(&mut self, lane: usize, [low, high]: [[u16; 3]; 2]) {
        let ([x, y, z], [u, v, w]) = (high, low);
        self.0[lane] = [x, y, z, 0, !u, !v, !w, 0];
    }

    #[inline(always)]
    fn surround(&mut self, lane: usize, others: &Self) {
        let most = |k: usize| others.0.iter().fold(0, |most, other| other[k].max(most));
        self.0[lane] = std::array::from_fn(most);
    }

    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>) {
        out.clear();
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::asking_of_ends(steps, ends, out);
            }
            return;
        }
        of_ends_scalar(steps, ends, out);
    }

    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::open_asking(steps, points, runs);
            }
            return;
        }
        runs.for_each(|(run, out)| open_scalar(steps, points, &run, out));
    }
}

impl Boxes for Asked {
    #[inline(always)]
    fn set(&mut self, lane: usize, [low, high]: [[u16; 3]; 2]) {
        for k in 0..3 {
            self.0[k][lane] = low[k];
            self.0[k][8 + lane] = !high[k];
        }
    }

    #[inline(always)]
    fn surround(&mut self, lane: usize, others: &Self) {
        for (own, other) in self.0.iter_mut().zip(&others.0) {
            own[lane] = other[..8].iter().fold(u16::MAX, |least, &x| least.min(x));
            own[8 + lane] = other[8..].iter().fold(u16::MAX, |least, &x| least.min(x));
        }
    }

    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>) {
        out.clear();
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::asked_of_ends(steps, ends, out);
            }
            return;
        }
        of_ends_scalar(steps, ends, out);
    }

    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::open_asked(steps, points, runs);
            }
            return;
        }
        runs.for_each(|(run, out)| open_scalar(steps, points, &run, out));
    }
}

fn open_scalar<B: Boxes>(steps: &Steps, points: &[[f64; 3]], run: &Run<'_>, out: &mut Opened<B>) {
    let mut corners = [[0; 3]; VERTICES_MAX];
    for (&id, corner) in run.vertices.iter().zip(&mut corners) {
        *corner = steps.of_point(&points[id as usize]);
    }
    *out = Opened::default();
    for ((group, places), faces) in out.faces.iter_mut().zip(run.corners).zip(run.faces.chunks(8)) {
        for lane in 0..faces.len() {
            let [p, q, r] = [0, 1, 2].map(|corner| corners[usize::from(places[corner][lane])]);
            let low = std::array::from_fn(|k| p[k].min(q[k]).min(r[k]));
            let high = std::array::from_fn(|k| p[k].max(q[k]).max(r[k]));
            group.set(lane, [low, high]);
        }
    }
    for (lane, group) in out.faces.iter().enumerate() {
        out.groups.surround(lane, group);
    }
}

/// Which of eight boxes share a point with which of eight others: bit `8 i + j` if the one at `i` of
/// those that ask does with the one at `j` of those that are asked.
#[inline(always)]
fn meets_scalar(asking: &Asking, asked: &Asked) -> u64 {
    let mut all = 0;
    for (i, corner) in asking.0.iter().enumerate() {
        for j in 0..8 {
            let shares =
                (0..3).all(|k| asked.0[k][j] <= corner[k] && asked.0[k][8 + j] <= corner[4 + k]);
            all |= u64::from(shares) << (8 * i + j);
        }
    }
    all
}

/// Which trees, or runs, are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Two of them.
    Two,
    /// One against itself: of each pair the earlier comes first, and nothing is paired with itself.
    Itself,
}

impl Pairing {
    /// Which of the pairs of eight with the same eight count: for boxes with more in them also the
    /// same box twice.
    fn kept(self, twice: bool) -> u64 {
        let later = |i: u32| 0xff << i << u32::from(!twice) & 0xff;
        match self {
            Self::Two => u64::MAX,
            Self::Itself => (0..8).fold(0, |all, i| all | later(i) << (8 * i)),
        }
    }
}

/// Goes from pairs of nodes to those of their children that share a point, until there are `most`;
/// false if there are more.
pub fn descend(
    trees: (&[Asking], &[Asked], Pairing),
    nodes: &[[u32; 2]],
    (out, most): (&mut Vec<[u32; 2]>, usize),
) -> bool {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::descend(trees, nodes, (out, most)) };
    }
    descend_by(trees, nodes, (out, most), meets_scalar)
}

#[inline(always)]
fn descend_by(
    (asking, asked, pairing): (&[Asking], &[Asked], Pairing),
    nodes: &[[u32; 2]],
    (out, most): (&mut Vec<[u32; 2]>, usize),
    meets: impl Fn(&Asking, &Asked) -> u64,
) -> bool {
    let kept = pairing.kept(true);
    for &[i, j] in nodes {
        let mut set = meets(&asking[i as usize], &asked[j as usize]);
        set &= if i == j { kept } else { u64::MAX };
        while set != 0 {
            let bit = set.trailing_zeros();
            set &= set - 1;
            out.push([8 * i + bit / 8, 8 * j + bit % 8]);
        }
        if out.len() > most {
            return false;
        }
    }
    true
}

/// Adds the pairs of names of faces of two runs whose boxes share a point, each once. Returns how many
/// pairs of boxes were looked at.
#[inline]
pub fn meet(
    runs: (&Opened<Asking>, &Opened<Asked>, Pairing),
    names: [&[u32]; 2],
    out: &mut Vec<[u32; 2]>,
) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::meet(runs, names, out) };
    }
    meet_by(runs, names, out, meets_scalar)
}

#[inline(always)]
fn meet_by(
    (a, b, pairing): (&Opened<Asking>, &Opened<Asked>, Pairing),
    names: [&[u32]; 2],
    out: &mut Vec<[u32; 2]>,
    meets: impl Fn(&Asking, &Asked) -> u64,
) -> u64 {
    let mut groups = meets(&a.groups, &b.groups) & pairing.kept(true);
    let kept = pairing.kept(false);
    let looked = 64 * (1 + u64::from(groups.count_ones()));
    while groups != 0 {
        let bit = groups.trailing_zeros() as usize;
        groups &= groups - 1;
        let (i, j) = (bit / 8, bit % 8);
        let mut set = meets(&a.faces[i], &b.faces[j]);
        set &= if i == j { kept } else { u64::MAX };
        while set != 0 {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            out.push([names[0][8 * i + bit / 8], names[1][8 * j + bit % 8]]);
        }
    }
    looked
}

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;
