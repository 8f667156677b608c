//! What is told of points in filled voxels, eight at a time: the voxel, how deep they are, the way out, and all
//! of it in the world.
//!
//! Depths are distances of voxels, linear between their middles. Over two voxels slopes are less rough than
//! over one, and where they are steep it is linear in between; where they are not, as in parts of one or two
//! voxels, neighbours tell.

use super::{Bits, Octet, Turn, window};
use crate::lanes32::{Lanes8, Scalar8};

/// Distances of voxels are kept in this part of an edge.
pub const PART: f64 = 1.0 / 19.0;
/// Deeper than this, in voxels, distances of voxels do not tell.
pub const DEPTH_MAX: f32 = 4.0;
/// Distances that change by less than this per voxel do not tell a way: the middle of a thin part.
const FLAT: f32 = 0.3;
/// Those that change by more are those of a surface with nothing else near.
const STEEP: f32 = 0.8;

/// Distances of voxels in bricks of 8³: byte `64·z + 8·y + x` is that of a voxel, negative if it is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    index: Vec<u32>,
    bricks: Vec<[i8; 512]>,
    counts: [u32; 3],
}

impl Distances {
    /// For each brick, x fastest and z slowest, its place among those that are stored; `counts` bricks along
    /// the axes. None if a place is not among them, or there are not as many bricks.
    pub fn new(index: Vec<u32>, bricks: Vec<[i8; 512]>, counts: [u32; 3]) -> Option<Self> {
        let fits = counts.iter().all(|count| (1..=256).contains(count))
            && index.len() == counts.iter().map(|&n| n as usize).product::<usize>()
            && index.iter().all(|&brick| (brick as usize) < bricks.len());
        fits.then_some(Self { index, bricks, counts })
    }

    /// The distance of a voxel, in voxels; of one beyond the map, that of the nearest on its rim.
    pub fn of(&self, voxel: [i32; 3]) -> f64 {
        let last = |k: usize| 8 * self.counts[k] as i32 - 1;
        let [x, y, z] = [0, 1, 2].map(|k| voxel[k].clamp(0, last(k)) as u32);
        let brick = ((z >> 3) * self.counts[1] + (y >> 3)) * self.counts[0] + (x >> 3);
        let within = (z & 7) << 6 | (y & 7) << 3 | (x & 7);
        let place = self.index[brick as usize] as usize;
        f64::from(self.bricks[place][within as usize]) * PART
    }

    /// The memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.bricks) + size_of_val(&*self.index)
    }
}

/// How numbers become places in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The rows of a matrix.
    pub rows: [[f64; 3]; 3],
    /// Where the origin is.
    pub origin: [f64; 3],
}

impl Frame {
    /// Eight points.
    #[inline(always)]
    fn eight(&self, points: &Eight) -> Eight {
        let mut there = [[0.0; 8]; 3];
        for (k, there) in there.iter_mut().enumerate() {
            let [m0, m1, m2] = self.rows[k];
            for i in 0..8 {
                there[i] =
                    m0 * points[0][i] + m1 * points[1][i] + m2 * points[2][i] + self.origin[k];
            }
        }
        there
    }
}

/// What it takes to tell points of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The map that they were looked up in.
    pub bits: &'a Bits,
    /// Its distances.
    pub distances: &'a Distances,
    /// How the cluster gets there.
    pub turn: Turn,
    /// Its steps in the world.
    pub points: Frame,
    /// Numbers of voxels to their middles in the world.
    pub voxels: Frame,
    /// The rows of the matrix that turns directions of the map into those of the world.
    pub out: [[f64; 3]; 3],
}

/// Eight points: x of all, y of all, z of all.
pub type Eight = [[f64; 8]; 3];

/// What is told of eight points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// In the world.
    pub point: Eight,
    /// The middles of their voxels, in the world.
    pub middle: Eight,
    /// Unit directions, in the world, in which the depth decreases fastest; zero where there is none.
    pub out: Eight,
    /// In voxels; negative outside.
    pub depth: [f32; 8],
    /// A bit for those whose depth or way out is not to be known from distances of voxels.
    pub open: u8,
    /// Where they are, in voxels from the corner of the map.
    pub place: [[f32; 8]; 3],
}

/// Eight points, each in its voxel; for those that are not on the map the nearest on its rim.
#[inline]
pub fn tell(scene: &Scene<'_>, octet: &Octet) -> Told {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::tell(proof, scene, octet);
    }
    told::<Scalar8>(scene, octet)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls a function compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn tell(_: Avx2, scene: &Scene<'_>, octet: &Octet) -> Told {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(scene: &Scene<'_>, octet: &Octet) -> Told {
            super::told::<Avx8>(scene, octet)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(scene, octet) }
    }
}

#[inline(always)]
pub(super) fn told<L: Lanes8>(scene: &Scene<'_>, octet: &Octet) -> Told {
    let steps = [numbers(&octet[0]), numbers(&octet[1]), numbers(&octet[2])];
    let Places { voxel, part } = Places::of::<L>(scene, &steps);
    let near = Near::around(scene.distances, &voxel);
    let (distance, slope, open) = depth::<L>(&near, &part);
    let mut wide = [[0.0; 8]; 3];
    let (mut middle, mut place) = (wide, part);
    for k in 0..3 {
        for i in 0..8 {
            wide[k][i] = f64::from(steps[k][i]);
            middle[k][i] = f64::from(voxel[k][i]);
            place[k][i] += voxel[k][i] as f32;
        }
    }
    let mut depth = distance;
    for depth in &mut depth {
        *depth = -*depth;
    }
    Told {
        point: scene.points.eight(&wide),
        middle: scene.voxels.eight(&middle),
        out: units(&scene.out, &slope),
        depth,
        open,
        place,
    }
}

#[inline(always)]
fn numbers(steps: &[i16; 8]) -> [f32; 8] {
    let mut numbers = [0.0; 8];
    for (number, step) in numbers.iter_mut().zip(steps) {
        *number = f32::from(*step);
    }
    numbers
}

/// Directions that were turned, of length one; zero where there is none.
#[inline(always)]
fn units(rows: &[[f64; 3]; 3], directions: &[[f32; 8]; 3]) -> Eight {
    let mut wide = [[0.0; 8]; 3];
    for k in 0..3 {
        for i in 0..8 {
            wide[k][i] = f64::from(directions[k][i]);
        }
    }
    let mut turned = Frame { rows: *rows, origin: [0.0; 3] }.eight(&wide);
    let [x, y, z] = &mut turned;
    for i in 0..8 {
        let length = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt();
        let part = if length > 0.0 { 1.0 / length } else { 0.0 };
        x[i] *= part;
        y[i] *= part;
        z[i] *= part;
    }
    turned
}

/// Voxels, and where in them.
struct Places {
    voxel: [[i32; 8]; 3],
    part: [[f32; 8]; 3],
}

impl Places {
    /// As looking up finds them, to the last bit.
    #[inline(always)]
    fn of<L: Lanes8>(scene: &Scene<'_>, steps: &[[f32; 8]; 3]) -> Self {
        let Scene { bits, turn, .. } = scene;
        let steps = [L::load(&steps[0]), L::load(&steps[1]), L::load(&steps[2])];
        let first = window::place(bits, turn).unwrap_or([0; 3]);
        let mut all = Self { voxel: [[0; 8]; 3], part: [[0.0; 8]; 3] };
        for (k, first) in first.into_iter().enumerate() {
            let [m0, m1, m2] = turn.rows[k];
            let at = steps[0].mul_add(L::splat(m0), L::splat(turn.corner[k] - first as f32));
            let at = steps[2].mul_add(L::splat(m2), steps[1].mul_add(L::splat(m1), at));
            let last = bits.counts[k] as i32 - 1;
            let rim = L::splat((last - first) as f32 + 0.5);
            let at = at.min(rim).max(L::splat(0.0)).store();
            for (i, at) in at.into_iter().enumerate() {
                let within = at as i32;
                all.voxel[k][i] = (first + within).clamp(0, last);
                all.part[k][i] = at - within as f32;
            }
        }
        all
    }
}

/// Along each axis, where the bricks of the voxels before, at and behind eight places are in the index, and
/// where the voxels are in these.
struct Near<'a> {
    distances: &'a Distances,
    bricks: [[[u32; 8]; 3]; 3],
    within: [[[u32; 8]; 3]; 3],
}

impl<'a> Near<'a> {
    #[inline(always)]
    fn around(distances: &'a Distances, voxel: &[[i32; 8]; 3]) -> Self {
        let counts = &distances.counts;
        let strides = [1, counts[0], counts[0] * counts[1]];
        let (mut bricks, mut within) = ([[[0; 8]; 3]; 3], [[[0; 8]; 3]; 3]);
        for k in 0..3 {
            // What is beyond the map is as empty as its rim.
            let last = 8 * counts[k] as i32 - 1;
            for step in 0..3 {
                for i in 0..8 {
                    let at = (voxel[k][i] + step as i32 - 1).clamp(0, last) as u32;
                    bricks[k][step][i] = (at >> 3) * strides[k];
                    within[k][step][i] = (at & 7) << (3 * k);
                }
            }
        }
        Self { distances, bricks, within }
    }

    /// The distances of eight voxels, in voxels; along each axis where their bricks are and they in these.
    #[inline(always)]
    fn distances<L: Lanes8>(&self, axes: [&([u32; 8], [u32; 8]); 3]) -> L {
        let [(x, in_x), (y, in_y), (z, in_z)] = axes;
        let (mut bricks, mut voxels) = ([0; 8], [0; 8]);
        for i in 0..8 {
            bricks[i] = x[i] + y[i] + z[i];
            voxels[i] = (in_x[i] | in_y[i] | in_z[i]) & 511;
        }
        let mut bytes = [0i8; 8];
        for i in 0..8 {
            let brick = self.distances.index[bricks[i] as usize];
            bytes[i] = self.distances.bricks[brick as usize][voxels[i] as usize];
        }
        let mut values = [0.0; 8];
        for i in 0..8 {
            values[i] = f32::from(bytes[i]);
        }
        L::load(&values).mul(L::splat(PART as f32))
    }

    /// The voxel before and that behind.
    #[inline(always)]
    fn ends(&self, k: usize) -> [([u32; 8], [u32; 8]); 2] {
        [0, 2].map(|step| (self.bricks[k][step], self.within[k][step]))
    }

    /// The two voxels between whose middles a place is.
    #[inline(always)]
    fn neighbours(&self, k: usize, low: &[bool; 8]) -> [([u32; 8], [u32; 8]); 2] {
        let mut both = [([0; 8], [0; 8]); 2];
        for (step, (bricks, within)) in both.iter_mut().enumerate() {
            for i in 0..8 {
                let from = |three: &[[u32; 8]; 3]| {
                    if low[i] { three[step][i] } else { three[step + 1][i] }
                };
                (bricks[i], within[i]) = (from(&self.bricks[k]), from(&self.within[k]));
            }
        }
        both
    }

    /// Distances at the corners of cubes.
    #[inline(always)]
    fn corners<L: Lanes8>(&self, axes: &[[([u32; 8], [u32; 8]); 2]; 3]) -> [L; 8] {
        let mut corners = [L::splat(0.0); 8];
        for (c, corner) in corners.iter_mut().enumerate() {
            *corner = self.distances([&axes[0][c & 1], &axes[1][c >> 1 & 1], &axes[2][c >> 2]]);
        }
        corners
    }
}

/// The distance, its slope, and where these cannot be told.
#[inline(always)]
fn depth<L: Lanes8>(near: &Near<'_>, part: &[[f32; 8]; 3]) -> ([f32; 8], [[f32; 8]; 3], u8) {
    let (mut over_one, mut over_two) = ([L::splat(0.0); 3], [L::splat(0.0); 3]);
    let mut is_low = [[false; 8]; 3];
    for k in 0..3 {
        let mut between = [0.0; 8];
        for i in 0..8 {
            // The middle of this voxel, or of the one before it.
            is_low[k][i] = part[k][i] < 0.5;
            between[i] = if is_low[k][i] { part[k][i] + 0.5 } else { part[k][i] - 0.5 };
        }
        over_one[k] = L::load(&between);
        over_two[k] = L::load(&part[k]).add(L::splat(0.5)).mul(L::splat(0.5));
    }
    let ends = [near.ends(0), near.ends(1), near.ends(2)];
    let wide = Cube { corners: near.corners::<L>(&ends), part: over_two };
    let mut distance = wide.value();
    let mut slope = wide.slope();
    for slope in &mut slope {
        *slope = slope.mul(L::splat(0.5));
    }
    let steepness = square(&slope);
    let gentle = steepness.le_mask(L::splat(STEEP * STEEP));
    if L::bits(gentle) != 0 {
        let both = [0, 1, 2].map(|k| near.neighbours(k, &is_low[k]));
        let narrow = Cube { corners: near.corners::<L>(&both), part: over_one };
        distance = narrow.value().select(gentle, distance);
        let flat = steepness.le_mask(L::splat(FLAT * FLAT));
        let finer = narrow.slope();
        for k in 0..3 {
            slope[k] = finer[k].select(flat, slope[k]);
        }
    }
    let is_deep = distance.abs().gt_mask(L::splat(DEPTH_MAX));
    let is_flat = square(&slope).le_mask(L::splat(FLAT * FLAT));
    let open = L::bits(L::or(is_deep, is_flat));
    (distance.store(), [slope[0].store(), slope[1].store(), slope[2].store()], open)
}

#[inline(always)]
fn square<L: Lanes8>([x, y, z]: &[L; 3]) -> L {
    x.mul(*x).add(y.mul(*y)).add(z.mul(*z))
}

/// Distances at the corners of a cube, x fastest, and how far a place is between them.
struct Cube<L> {
    corners: [L; 8],
    part: [L; 3],
}

#[inline(always)]
fn between<L: Lanes8>(a: L, b: L, part: L) -> L {
    a.add(b.sub(a).mul(part))
}

impl<L: Lanes8> Cube<L> {
    #[inline(always)]
    fn value(&self) -> L {
        let ([x, y, z], c) = (self.part, &self.corners);
        let low = between(between(c[0], c[1], x), between(c[2], c[3], x), y);
        let high = between(between(c[4], c[5], x), between(c[6], c[7], x), y);
        between(low, high, z)
    }

    /// How the value grows along the axes, per width of the cube.
    #[inline(always)]
    fn slope(&self) -> [L; 3] {
        let [x, y, z] = self.part;
        [
            self.face([0, 2, 4, 6], 1, [y, z]),
            self.face([0, 1, 4, 5], 2, [x, z]),
            self.face([0, 1, 2, 3], 4, [x, y]),
        ]
    }

    /// How it grows from four corners to those `step` behind them, between these.
    #[inline(always)]
    fn face(&self, [i, j, k, l]: [usize; 4], step: usize, [p, q]: [L; 2]) -> L {
        let c = &self.corners;
        let low = between(c[i + step].sub(c[i]), c[j + step].sub(c[j]), p);
        let high = between(c[k + step].sub(c[k]), c[l + step].sub(c[l]), p);
        between(low, high, q)
    }
}
