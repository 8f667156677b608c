//! Triangle against box, eight at a time, in f32 with error bounds: a filter for exact tests.
//!
//! Separating axes as in the scalar test: three coordinates, nine edge × coordinate directions and
//! the triangle's normal. Each comparison is made twice, once with a slack against and once in
//! favour of overlap; what neither decides is left to exact arithmetic.

use crate::lanes32::{Lanes8, Scalar8};

/// Eight triangles: `[corner][coordinate][lane]`.
pub type Triangles8 = [[[f32; 8]; 3]; 3];
/// One triangle: `[corner][coordinate]`.
pub type Triangle32 = [[f32; 3]; 3];

/// Eight boxes, none of them empty: `min <= max` in all coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes8 {
    /// Lower corners, `[coordinate][lane]`.
    pub min: [[f32; 8]; 3],
    /// Upper corners, `[coordinate][lane]`.
    pub max: [[f32; 8]; 3],
}

/// What is certain, one bit per lane; a lane in neither mask is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certain {
    /// Lanes whose triangle and closed box share a point.
    pub hit: u8,
    /// Lanes whose triangle and closed box do not.
    pub miss: u8,
}

impl Certain {
    /// Lanes that need the exact test.
    pub fn undecided(self) -> u8 {
        !(self.hit | self.miss)
    }
}

/// Half the distance from one to the next f32: the relative error of one rounding.
const UNIT: f32 = f32::EPSILON / 2.0;
/// Products of three numbers up to this cannot overflow; larger ones are left undecided.
const MAGNITUDE_MAX: f32 = (1u64 << 40) as f32;
/// More than all that can be lost to underflow: each of at most 64 roundings loses 2⁻¹⁴⁹, times
/// what is multiplied later, at most 2⁴⁰ and in the plane test 2·2⁴⁰ against lost 2⁻¹⁴⁹.
const UNDERFLOW: f32 = f32::from_bits((127 - 100) << 23);

/// Eight triangles against one box, `min <= max`. Every coordinate given is within `error` of the
/// true one.
pub fn one_box(triangles: &Triangles8, min: &[f32; 3], max: &[f32; 3], error: f32) -> Certain {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::one_box(proof, triangles, &[*min, *max], error);
    }
    one_box_scalar(triangles, min, max, error)
}

/// The twin of [`one_box`] that runs on any CPU.
pub fn one_box_scalar(
    triangles: &Triangles8,
    min: &[f32; 3],
    max: &[f32; 3],
    error: f32,
) -> Certain {
    spread_box::<Scalar8>(triangles, &[*min, *max], error)
}

/// One triangle against eight boxes. Every coordinate given is within `error` of the true one.
pub fn one_triangle(triangle: &Triangle32, boxes: &Boxes8, error: f32) -> Certain {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::one_triangle(proof, triangle, boxes, error);
    }
    one_triangle_scalar(triangle, boxes, error)
}

/// The twin of [`one_triangle`] that runs on any CPU.
pub fn one_triangle_scalar(triangle: &Triangle32, boxes: &Boxes8, error: f32) -> Certain {
    spread_triangle::<Scalar8>(triangle, boxes, error)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn one_box(_: Avx2, t: &Triangles8, b: &[[f32; 3]; 2], error: f32) -> Certain {
        #[target_feature(enable = "avx2")]
        fn compiled(t: &Triangles8, b: &[[f32; 3]; 2], error: f32) -> Certain {
            spread_box::<Avx8>(t, b, error)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(t, b, error) }
    }

    #[inline]
    pub(super) fn one_triangle(_: Avx2, t: &Triangle32, b: &Boxes8, error: f32) -> Certain {
        #[target_feature(enable = "avx2")]
        fn compiled(t: &Triangle32, b: &Boxes8, error: f32) -> Certain {
            spread_triangle::<Avx8>(t, b, error)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(t, b, error) }
    }
}

// From here on plain loops and no closures: what goes through `map` is compiled outside the
// function that has AVX2 switched on, and then every operation becomes a call.

#[inline(always)]
fn spread_box<L: Lanes8>(t: &Triangles8, [min, max]: &[[f32; 3]; 2], error: f32) -> Certain {
    let corners = [load3(&t[0]), load3(&t[1]), load3(&t[2])];
    Job::<L> { corners, min: splat3(min), max: splat3(max) }.decide(error)
}

#[inline(always)]
fn spread_triangle<L: Lanes8>(t: &Triangle32, boxes: &Boxes8, error: f32) -> Certain {
    let corners = [splat3(&t[0]), splat3(&t[1]), splat3(&t[2])];
    Job::<L> { corners, min: load3(&boxes.min), max: load3(&boxes.max) }.decide(error)
}

#[inline(always)]
fn load3<L: Lanes8>(x: &[[f32; 8]; 3]) -> [L; 3] {
    [L::load(&x[0]), L::load(&x[1]), L::load(&x[2])]
}

#[inline(always)]
fn splat3<L: Lanes8>(x: &[f32; 3]) -> [L; 3] {
    [L::splat(x[0]), L::splat(x[1]), L::splat(x[2])]
}

#[inline(always)]
fn sub3<L: Lanes8>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn halved3<L: Lanes8>(a: [L; 3]) -> [L; 3] {
    let half = L::splat(0.5);
    [a[0].mul(half), a[1].mul(half), a[2].mul(half)]
}

/// The largest magnitude of a coordinate.
#[inline(always)]
fn largest<L: Lanes8>(v: &[L; 3]) -> L {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

/// A triangle and a box per lane.
struct Job<L> {
    corners: [[L; 3]; 3],
    min: [L; 3],
    max: [L; 3],
}

/// The box seen from its middle, and what the comparisons need of it and of the triangle.
struct Centered<L> {
    corners: [[L; 3]; 3],
    edges: [[L; 3]; 3],
    half: [L; 3],
    /// At least the magnitude of every coordinate of `corners` and `half`.
    size: L,
    /// At least the error of every coordinate of `corners` and `half`.
    error: L,
    /// At least the error of every given coordinate.
    given: L,
}

impl<L: Lanes8> Job<L> {
    #[inline(always)]
    fn decide(&self, error: f32) -> Certain {
        let (mut inside, mut overlap, mut apart) = ([0xffu8; 3], 0xffu8, 0u8);
        // Both sides of a comparison are off by `error`, and their difference is rounded.
        let given = L::splat(error * 2.5);
        for k in 0..3 {
            let (low, high) = (self.min[k], self.max[k]);
            let [a, b, c] = [self.corners[0][k], self.corners[1][k], self.corners[2][k]];
            let (least, most) = (a.min(b).min(c), a.max(b).max(c));
            apart |= given.lt(least.sub(high)) | given.lt(low.sub(most));
            overlap &= given.le(high.sub(least)) & given.le(most.sub(low));
            inside[0] &= given.le(a.sub(low)) & given.le(high.sub(a));
            inside[1] &= given.le(b.sub(low)) & given.le(high.sub(b));
            inside[2] &= given.le(c.sub(low)) & given.le(high.sub(c));
        }
        let within = inside[0] | inside[1] | inside[2];
        // In a tree most lanes end here: far away, or with a corner in the box.
        if apart | within == 0xff {
            return Certain { hit: within, miss: apart };
        }
        let centered = self.centered(error);
        let (edges_overlap, edges_apart) = centered.edge_axes(error == 0.0);
        let (plane_overlaps, plane_apart) = centered.plane();
        let usable = centered.size.le(L::splat(MAGNITUDE_MAX));
        apart |= (edges_apart | plane_apart) & usable;
        overlap &= edges_overlap & plane_overlaps & usable;
        Certain { hit: within | overlap, miss: apart }
    }

    /// The middle is off by the given error and one rounding of its size, a corner seen from it by
    /// both given errors, that and its own rounding; twice the roundings are granted.
    #[inline(always)]
    fn centered(&self, error: f32) -> Centered<L> {
        let (min, max, [a, b, c]) = (&self.min, &self.max, &self.corners);
        let middle = halved3([min[0].add(max[0]), min[1].add(max[1]), min[2].add(max[2])]);
        let half = halved3(sub3(max, min));
        let corners = [sub3(a, &middle), sub3(b, &middle), sub3(c, &middle)];
        let edges = [sub3(b, a), sub3(c, b), sub3(a, c)];
        let reach = largest(&corners[0]).max(largest(&corners[1])).max(largest(&corners[2]));
        let size = reach.max(largest(&half));
        let rounding = largest(&middle).add(size).mul(L::splat(2.0 * UNIT));
        let given = L::splat(error);
        Centered { corners, edges, half, size, error: given.add(given).add(rounding), given }
    }
}

impl<L: Lanes8> Centered<L> {
    /// The nine directions edge × coordinate: where none separates for certain, and where one does.
    ///
    /// With ε = `error`, m = `size`, δ = `given`, u one rounding and g = |eᵢ| + |eⱼ|, an edge is
    /// off by η = 2δ + u·g, each projection by 2gε + 8mη and the reach of the box by as much; the
    /// comparison adds 4u·gm: 4gε + 20mη altogether, and 5gε + 24mη are granted.
    #[inline(always)]
    fn edge_axes(&self, exact: bool) -> (u8, u8) {
        let per_edge = self.error.mul(L::splat(5.0)).add(self.size.mul(L::splat(24.0 * UNIT)));
        let fixed = self.size.mul(self.given).mul(L::splat(48.0)).add(L::splat(UNDERFLOW));
        let (mut overlap, mut apart) = (0xffu8, 0u8);
        for n in 0..3 {
            let (edge, p, q) = (&self.edges[n], &self.corners[n], &self.corners[(n + 2) % 3]);
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let on_edge = edge[i].mul(p[j]).sub(edge[j].mul(p[i]));
                let off_edge = edge[i].mul(q[j]).sub(edge[j].mul(q[i]));
                let (along_i, along_j) = (edge[i].abs(), edge[j].abs());
                let reach = along_i.mul(self.half[j]).add(along_j.mul(self.half[i]));
                let length = along_i.add(along_j);
                let slack = length.mul(per_edge).add(fixed);
                // Without input errors an edge along the axis has no direction to separate by.
                let none = if exact { length.le(L::splat(0.0)) } else { 0 };
                let shadow = [on_edge.min(off_edge), on_edge.max(off_edge)];
                let (over, under) = separation(shadow, reach, slack);
                overlap &= over | none;
                apart |= under;
            }
        }
        (overlap, apart)
    }

    /// The triangle's plane, with the letters of `edge_axes` and g the largest edge coordinate.
    /// The normal is off by 10gη, its product with a corner by 6g²ε + 54mgη, the reach of the box
    /// by as much, the comparison by 12u·g²m: 12g²ε + 120mgη altogether, and 16g²ε + 128mgη are
    /// granted.
    #[inline(always)]
    fn plane(&self) -> (u8, u8) {
        let [a, b, _] = &self.edges;
        let x = a[1].mul(b[2]).sub(a[2].mul(b[1]));
        let y = a[2].mul(b[0]).sub(a[0].mul(b[2]));
        let z = a[0].mul(b[1]).sub(a[1].mul(b[0]));
        let (p, half) = (&self.corners[0], &self.half);
        let distance = x.mul(p[0]).add(y.mul(p[1])).add(z.mul(p[2]));
        let reach = x.abs().mul(half[0]).add(y.abs().mul(half[1])).add(z.abs().mul(half[2]));
        let g = largest(a).max(largest(b));
        let by_area = self.error.mul(L::splat(16.0)).add(self.size.mul(L::splat(128.0 * UNIT)));
        let by_length = self.size.mul(self.given).mul(L::splat(256.0));
        let slack = g.mul(g.mul(by_area).add(by_length)).add(L::splat(UNDERFLOW));
        separation([distance, distance], reach, slack)
    }
}

/// Whether the shadow `least…most` and `−reach…reach` overlap for certain, and whether they are
/// apart for certain.
#[inline(always)]
fn separation<L: Lanes8>([least, most]: [L; 2], reach: L, slack: L) -> (u8, u8) {
    let zero = L::splat(0.0);
    let (wide, narrow) = (reach.add(slack), reach.sub(slack));
    let overlap = least.le(narrow) & zero.sub(narrow).le(most);
    let apart = wide.lt(least) | most.lt(zero.sub(wide));
    (overlap, apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = f32> {
        let grid = (-4i32..=4).prop_map(|x| x as f32);
        prop_oneof![3 => -4.0..4.0f32, 3 => grid, 1 => proptest::num::f32::ANY]
    }

    fn places() -> impl Strategy<Value = [[f32; 8]; 3]> {
        prop::array::uniform3(prop::array::uniform8(numbers()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn both_twins_agree_bit_for_bit(
            triangles in prop::array::uniform3(places()),
            corners in prop::array::uniform2(places()),
            error in prop_oneof![Just(0.0f32), Just(1e-6), Just(0.1), Just(f32::INFINITY)],
        ) {
            let boxes = Boxes8 { min: corners[0], max: corners[1] };
            let (min, max) = (boxes.min.map(|x| x[0]), boxes.max.map(|x| x[0]));
            prop_assert_eq!(
                one_box(&triangles, &min, &max, error),
                one_box_scalar(&triangles, &min, &max, error)
            );
            for lane in 0..8 {
                let triangle = triangles.map(|corner| corner.map(|x| x[lane]));
                let found = one_triangle(&triangle, &boxes, error);
                prop_assert_eq!(found, one_triangle_scalar(&triangle, &boxes, error));
            }
        }
    }

    #[test]
    fn clear_cases_are_certain() {
        let boxes =
            Boxes8 { min: [[0.0; 8]; 3], max: [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]; 3] };
        // The plane x + y + z = 9 passes the boxes of side 1 and 2 by and meets the corner of 3.
        let triangle = [[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]];
        let found = one_triangle(&triangle, &boxes, 0.0);
        assert_eq!((found.hit, found.miss, found.undecided()), (0xf8, 0x03, 0x04));
        // Edges along the coordinate axes are decided as long as the numbers are exact.
        let flat = [[-1.0, -1.0, 0.5], [20.0, -1.0, 0.5], [-1.0, 20.0, 0.5]];
        assert_eq!(one_triangle(&flat, &boxes, 0.0).hit, 0xff);
    }
}
