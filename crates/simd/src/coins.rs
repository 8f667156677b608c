//! Eight coins against one: bounds of the distance of what they hold.
//!
//! A coin is a ball cut by a slab: all that it holds is within `radius` of the centre, and within `half` of
//! the plane through the centre whose unit normal it has. Along a unit direction `u` at an angle φ to the
//! normal it reaches no farther from its centre than `min(radius, |cos φ| half + sin φ radius)`. Along any
//! direction the way between two centres, less what both reach, is a lower bound of the distance;
//! tried are the direction between the centres and both normals. Sines are lengths of vector products, which
//! rounding leaves alone where the angle is small; a root of 1 − cos² would not be.
//!
//! Each coin also tells a point of what it holds: the distance of two of them is an upper bound.

use crate::lanes32::{Lanes8, Scalar8};

/// Eight coins; lanes that are not used have an infinite centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coins8 {
    /// x, y and z of the centres.
    pub centre: [[f32; 8]; 3],
    /// Radii of the balls.
    pub radius: [f32; 8],
    /// Unit normals.
    pub normal: [[f32; 8]; 3],
    /// Half the thickness of the slabs.
    pub half: [f32; 8],
    /// A point of what each holds.
    pub witness: [[f32; 8]; 3],
}

impl Coins8 {
    /// No coins.
    pub const NONE: Self = Self {
        centre: [[f32::INFINITY; 8]; 3],
        radius: [0.0; 8],
        normal: [[0.0; 8]; 3],
        half: [0.0; 8],
        witness: [[f32::INFINITY; 8]; 3],
    };

    /// One of them.
    #[inline]
    pub fn coin(&self, lane: usize) -> Coin {
        let at = |three: &[[f32; 8]; 3]| [three[0][lane], three[1][lane], three[2][lane]];
        Coin {
            centre: at(&self.centre),
            radius: self.radius[lane],
            normal: at(&self.normal),
            half: self.half[lane],
            witness: at(&self.witness),
        }
    }
}

/// One coin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coin {
    /// The centre.
    pub centre: [f32; 3],
    /// The radius of the ball.
    pub radius: f32,
    /// The unit normal.
    pub normal: [f32; 3],
    /// Half the thickness of the slab.
    pub half: f32,
    /// A point of what it holds.
    pub witness: [f32; 3],
}

/// How coins get from one frame to another: turned, scaled by a power of two, and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Rows of the rotation.
    pub rows: [[f32; 3]; 3],
    /// The scale.
    pub scale: f32,
    /// Where the origin gets.
    pub origin: [f32; 3],
}

impl Move {
    /// A coin in the other frame.
    #[inline(always)]
    pub fn coin(&self, coin: &Coin) -> Coin {
        Coin {
            centre: self.point(&coin.centre),
            radius: coin.radius * self.scale,
            normal: self.turn(&coin.normal),
            half: coin.half * self.scale,
            witness: self.point(&coin.witness),
        }
    }

    #[inline(always)]
    fn turn(&self, [x, y, z]: &[f32; 3]) -> [f32; 3] {
        self.rows.map(|[m0, m1, m2]| m0 * x + m1 * y + m2 * z)
    }

    #[inline(always)]
    fn point(&self, point: &[f32; 3]) -> [f32; 3] {
        let turned = self.turn(point);
        [0, 1, 2].map(|k| turned[k] * self.scale + self.origin[k])
    }
}

/// How the eight coins of a node are held against a coin of another frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From the frame of the other coin to that of the eight.
    pub into: Move,
    /// From the unit of that frame to the one that bounds are told in: a power of two.
    pub scale: f32,
    /// What rounding may do to a bound, in that unit: taken off lower ones, added to upper ones.
    pub slack: f32,
}

/// What is known of eight distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// They are at least this; may be negative.
    pub lower: [f32; 8],
    /// And at most this.
    pub upper: [f32; 8],
}

/// Lower bounds up to this tell nothing, and are not what pairs wait by.
pub const NOTHING_KNOWN: f32 = 1e-25;
/// What may touch waits by how near its points are, times this: before all that is known to be apart.
const TOUCHING: f32 = 1e-31;
/// How far that counts.
const POINTS_MAX: f32 = 1e5;

/// What is known before eight pairs are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// None of them waits by less than this: what the pair that they come from waited by, if that tells
    /// something, else zero.
    pub least: f32,
    /// What is farther than this does not matter.
    pub most: f32,
    /// Added to all lower bounds that tell something.
    pub drift: f32,
    /// What does not matter is told all the same.
    pub whole: bool,
}

/// Eight pairs, by what they wait for in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Lower bounds and the drift; for pairs that may touch something below [`NOTHING_KNOWN`], the less the nearer their points
    /// are; infinite for what does not matter.
    pub keys: [f32; 8],
    /// The least of them.
    pub least: f32,
    /// The first lane that has it.
    pub first: u32,
    /// The least of the upper bounds.
    pub upper: f32,
    /// The first lane that has it.
    pub nearest: u32,
}

/// The distances of what eight coins hold from what one holds.
#[inline]
pub fn bounds(coins: &Coins8, other: &Coin, view: &View) -> Bounds {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::bounds(proof, coins, other, view);
    }
    measure::<Scalar8>(coins, other, view)
}

/// The same, as pairs that wait.
#[inline]
pub fn waiting(coins: &Coins8, other: &Coin, view: &View, known: Known) -> Waiting {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::waiting(proof, coins, other, (view, known));
    }
    wait::<Scalar8>(coins, other, (view, known))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn bounds(_: Avx2, coins: &Coins8, other: &Coin, view: &View) -> Bounds {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(coins: &Coins8, other: &Coin, view: &View) -> Bounds {
            super::measure::<Avx8>(coins, other, view)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(coins, other, view) }
    }

    #[inline]
    pub(super) fn waiting(_: Avx2, coins: &Coins8, other: &Coin, how: (&View, Known)) -> Waiting {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(coins: &Coins8, other: &Coin, how: (&View, Known)) -> Waiting {
            super::wait::<Avx8>(coins, other, how)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(coins, other, how) }
    }
}

type V<L> = [L; 3];

#[inline(always)]
fn dot<L: Lanes8>(a: &V<L>, b: &V<L>) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

/// The length of the vector product.
#[inline(always)]
fn across<L: Lanes8>(a: &V<L>, b: &V<L>) -> L {
    let x = a[1].mul(b[2]).sub(a[2].mul(b[1]));
    let y = a[2].mul(b[0]).sub(a[0].mul(b[2]));
    let z = a[0].mul(b[1]).sub(a[1].mul(b[0]));
    x.mul_add(x, y.mul_add(y, z.mul(z))).sqrt()
}

/// How far a coin reaches along a direction, of whose angle to the normal cosine and sine are told.
#[inline(always)]
fn reach<L: Lanes8>((radius, half): (L, L), (cosine, sine): (L, L)) -> L {
    sine.mul_add(radius, cosine.abs().mul(half)).min(radius)
}

/// Lower and upper bounds.
#[inline(always)]
fn both<L: Lanes8>(coins: &Coins8, other: &Coin, view: &View) -> [L; 2] {
    let other = view.into.coin(other);
    let three = |x: &[[f32; 8]; 3]| [L::load(&x[0]), L::load(&x[1]), L::load(&x[2])];
    let same = |x: &[f32; 3]| [L::splat(x[0]), L::splat(x[1]), L::splat(x[2])];
    let (centre, normal) = (three(&coins.centre), three(&coins.normal));
    let (own, their) = (same(&other.centre), same(&other.normal));
    let way = [centre[0].sub(own[0]), centre[1].sub(own[1]), centre[2].sub(own[2])];
    let (one, two) = (
        (L::load(&coins.radius), L::load(&coins.half)),
        (L::splat(other.radius), L::splat(other.half)),
    );
    let length = dot(&way, &way).sqrt();
    // Where both centres are the same there is no direction, and what is no number loses below.
    let part = L::splat(1.0).div(length);
    let (along_one, along_two) = (dot(&way, &normal), dot(&way, &their));
    let reach_one = reach(one, (along_one.mul(part), across(&way, &normal).mul(part)));
    let reach_two = reach(two, (along_two.mul(part), across(&way, &their).mul(part)));
    let between = length.sub(reach_one).sub(reach_two);
    let normals = (dot(&normal, &their), across(&normal, &their));
    let by_one = along_one.abs().sub(one.1).sub(reach(two, normals));
    let by_two = along_two.abs().sub(two.1).sub(reach(one, normals));
    let balls = length.sub(one.0).sub(two.0);
    // The first is taken where it is greater, so that what is no number is not.
    let lower = between.max(by_one.max(by_two.max(balls)));
    let (witness, theirs) = (three(&coins.witness), same(&other.witness));
    let way = [witness[0].sub(theirs[0]), witness[1].sub(theirs[1]), witness[2].sub(theirs[2])];
    let upper = dot(&way, &way).sqrt();
    let (scale, slack) = (L::splat(view.scale), L::splat(view.slack));
    [lower.mul_sub(scale, slack), upper.mul_add(scale, slack)]
}

#[inline(always)]
fn measure<L: Lanes8>(coins: &Coins8, other: &Coin, view: &View) -> Bounds {
    let [lower, upper] = both::<L>(coins, other, view);
    Bounds { lower: lower.store(), upper: upper.store() }
}

#[inline(always)]
fn wait<L: Lanes8>(coins: &Coins8, other: &Coin, (view, known): (&View, Known)) -> Waiting {
    let [lower, upper] = both::<L>(coins, other, view);
    let nothing = L::splat(NOTHING_KNOWN);
    let near = upper.min(L::splat(POINTS_MAX)).mul(L::splat(TOUCHING));
    // Where there is no coin both are infinite.
    let key = lower.add(L::splat(known.drift)).select(lower.gt_mask(nothing), near);
    let key = key.max(L::splat(known.least));
    let best = upper.least();
    let infinite = L::splat(f32::INFINITY);
    let most = if known.whole { infinite } else { best.min(L::splat(known.most)) };
    let most = most.max(nothing).add(L::splat(known.drift));
    let key = infinite.select(key.gt_mask(most), key);
    let least = key.least();
    Waiting {
        keys: key.store(),
        least: least.store()[0],
        first: u32::from(key.le(least)).trailing_zeros() & 7,
        upper: best.store()[0],
        nearest: u32::from(upper.le(best)).trailing_zeros() & 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All in one frame, and nothing granted.
    const HERE: View = View {
        into: Move {
            rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            scale: 1.0,
            origin: [0.0; 3],
        },
        scale: 1.0,
        slack: 0.0,
    };

    fn unit(v: [f32; 3]) -> [f32; 3] {
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 1e-3 { v.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
    }

    /// Points of a coin, among them some on its rim.
    fn points(coin: &Coin, parts: &[[f32; 3]]) -> Vec<[f64; 3]> {
        let n = coin.normal;
        let side = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let u = unit([
            n[1] * side[2] - n[2] * side[1],
            n[2] * side[0] - n[0] * side[2],
            n[0] * side[1] - n[1] * side[0],
        ]);
        let v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
        let point = |[turn, out, up]: &[f32; 3]| {
            let high = (up.clamp(-1.0, 1.0) * coin.half.min(coin.radius)) as f64;
            let wide = (f64::from(coin.radius).powi(2) - high * high).max(0.0).sqrt();
            let wide = wide * f64::from(out.abs().min(1.0));
            let (s, c) = (f64::from(*turn) * 3.2).sin_cos();
            std::array::from_fn(|k| {
                f64::from(coin.centre[k])
                    + high * f64::from(n[k])
                    + wide * (c * f64::from(u[k]) + s * f64::from(v[k]))
            })
        };
        parts.iter().map(point).collect()
    }

    proptest! {
        #[test]
        fn no_two_points_are_nearer_than_the_bound(
            raw in prop::array::uniform9(prop::array::uniform8(-1f32..1.0)),
            flat in prop::sample::select(vec![0f32, 1e-4, 0.1, 1.0]),
            parts in prop::collection::vec(prop::array::uniform3(-1.3f32..1.3), 12),
        ) {
            let coin = |r: &[f32; 8]| Coin {
                centre: [r[0], r[1], r[2]].map(|x| 2.0 * x),
                radius: r[3].abs(),
                normal: unit([r[4], r[5], r[6]]),
                half: flat * (r[7] * r[3]).abs(),
                witness: [r[0], r[1], r[2]].map(|x| 2.0 * x),
            };
            let mut eight = Coins8::NONE;
            for (lane, r) in raw[..8].iter().enumerate() {
                let coin = coin(r);
                for k in 0..3 {
                    eight.centre[k][lane] = coin.centre[k];
                    eight.normal[k][lane] = coin.normal[k];
                    eight.witness[k][lane] = coin.witness[k];
                }
                (eight.radius[lane], eight.half[lane]) = (coin.radius, coin.half);
            }
            let other = coin(&raw[8]);
            let found = bounds(&eight, &other, &HERE);
            prop_assert_eq!(found, measure::<Scalar8>(&eight, &other, &HERE));
            let (drift, whole) = (raw[0][1].max(0.0), raw[0][2] > 0.5);
            let least = (0.1 * raw[0][0]).max(0.0);
            let known = Known { least, most: 2.0, drift, whole };
            let waiting = waiting(&eight, &other, &HERE, known);
            prop_assert_eq!(waiting, wait::<Scalar8>(&eight, &other, (&HERE, known)));
            let most = known.most.min(waiting.upper).max(NOTHING_KNOWN);
            for (lane, key) in waiting.keys.iter().enumerate() {
                let lower = found.lower[lane];
                prop_assert!(waiting.upper <= found.upper[lane] && waiting.least <= *key);
                let apart = if lower > NOTHING_KNOWN { lower + drift } else { 0.0 };
                let cut = apart.max(least) > most + drift && !whole;
                let expected = if cut { f32::INFINITY } else { apart.max(least) };
                prop_assert!((key - expected).abs() < NOTHING_KNOWN || *key == expected);
            }
            prop_assert_eq!(waiting.upper, found.upper[waiting.nearest as usize]);
            prop_assert_eq!(waiting.least, waiting.keys[waiting.first as usize]);
            let theirs = points(&other, &parts);
            for lane in 0..8 {
                let coin = eight.coin(lane);
                for p in points(&coin, &parts) {
                    for q in &theirs {
                        let square: f64 = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum();
                        let lower = f64::from(found.lower[lane]);
                        prop_assert!(lower <= square.sqrt() + 3e-6, "{} {}", lower, square.sqrt());
                    }
                }
                let balls = f64::from(found.upper[lane] - coin.radius - other.radius);
                prop_assert!(f64::from(found.lower[lane]) >= balls - 3e-6);
            }
        }
    }

    #[test]
    fn coins_that_are_not_there_are_infinitely_far() {
        let other = Coin {
            centre: [0.0; 3],
            radius: 1.0,
            normal: [0.0, 0.0, 1.0],
            half: 0.1,
            witness: [0.0; 3],
        };
        let found = bounds(&Coins8::NONE, &other, &HERE);
        assert!(found.lower.iter().chain(&found.upper).all(|x| *x == f32::INFINITY), "{found:?}");
    }

    #[test]
    fn coins_side_by_side_are_told_apart_along_their_normals() {
        let coin = |z: f32| Coin {
            centre: [0.0, 0.0, z],
            radius: 1.0,
            normal: [0.0, 0.0, 1.0],
            half: 0.01,
            witness: [0.0, 0.0, z],
        };
        let mut eight = Coins8::NONE;
        for lane in 0..8 {
            let coin = coin(0.0);
            for k in 0..3 {
                eight.centre[k][lane] = coin.centre[k];
                eight.normal[k][lane] = coin.normal[k];
                eight.witness[k][lane] = coin.witness[k];
            }
            (eight.radius[lane], eight.half[lane]) = (coin.radius, coin.half);
        }
        let found = bounds(&eight, &coin(0.5), &HERE);
        assert!((found.lower[3] - 0.48).abs() < 1e-6 && (found.upper[3] - 0.5).abs() < 1e-6);
        // At the same place nothing is known but that.
        assert!(bounds(&eight, &coin(0.0), &HERE).lower[0] <= 0.0);
    }
}
