//! The truth about two features whose corners move linearly, without rounding and by other means
//! than the library: the roots of the volume as algebraic numbers, and signs there.

pub(crate) mod poly;

use impinge_geom::Point;
use num_bigint::BigInt;
use poly::{Poly, Root};

/// A moving vector: three polynomials.
type Vector = [Poly; 3];

/// Which features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Features {
    VertexFace,
    EdgeEdge,
}

/// When the features touch first, between two f64s; none if they never do.
pub(crate) fn first_contact(
    features: Features,
    start: &[Point; 4],
    end: &[Point; 4],
) -> Option<[f64; 2]> {
    let corners = polygon(features, start, end);
    let n = corners.len();
    let turns: Vec<Vector> = (0..n).map(|i| cross(&corners[i], &corners[(i + 1) % n])).collect();
    let volume = dot(&corners[0], &cross(&corners[1], &corners[2]));
    let mut candidates: Vec<Root> = if volume.is_zero() {
        let zero = Poly::new(vec![BigInt::ZERO, BigInt::from(1)]);
        let events = turns.iter().chain(&corners).flatten();
        let moving = events.filter(|p| !p.is_zero()).chain([&zero]);
        moving.flat_map(Poly::roots).collect()
    } else {
        volume.roots()
    };
    let mut first: Option<[f64; 2]> = None;
    for root in &mut candidates {
        if touch(root, &corners, &turns) {
            for _ in 0..64 {
                root.refine();
            }
            let time = [root.from.around()[0], root.to.around()[1]];
            first = Some(match first {
                Some(known) if known[0] <= time[0] => known,
                _ => time,
            });
        }
    }
    first
}

/// The corners of one feature as seen from those of the other, in turn.
fn polygon(features: Features, start: &[Point; 4], end: &[Point; 4]) -> Vec<Vector> {
    let unit = start.iter().chain(end).flatten().filter(|x| **x != 0.0).map(|x| lowest(*x)).min();
    let moving = |i: usize| -> Vector {
        std::array::from_fn(|k| {
            let [from, to] = [start[i][k], end[i][k]].map(|x| whole(x, unit.unwrap_or(0)));
            Poly::new(vec![from.clone(), to - from])
        })
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(moving);
    let from = |p: &Vector, q: &Vector| -> Vector { std::array::from_fn(|k| q[k].minus(&p[k])) };
    match features {
        Features::VertexFace => vec![from(&a, &b), from(&a, &c), from(&a, &d)],
        Features::EdgeEdge => vec![from(&a, &c), from(&a, &d), from(&b, &d), from(&b, &c)],
    }
}

/// The exponent of the last bit.
fn lowest(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) as i32 & 0x7ff).max(1) - 1075;
    let hidden = if bits >> 52 & 0x7ff == 0 { 0 } else { 1u64 << 52 };
    exponent + (bits & ((1 << 52) - 1) | hidden).trailing_zeros() as i32
}

fn whole(x: f64, unit: i32) -> BigInt {
    if x == 0.0 {
        return BigInt::ZERO;
    }
    let shift = lowest(x) - unit;
    // In two steps, as the power itself may be out of range.
    let half = -lowest(x) / 2;
    let odd = x * 2f64.powi(half) * 2f64.powi(-lowest(x) - half);
    BigInt::from(odd as i64) << shift
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

/// Whether the polygon, which is in a plane with the origin at that time, holds the origin.
fn touch(root: &mut Root, corners: &[Vector], turns: &[Vector]) -> bool {
    let mut spread = false;
    for axis in 0..3 {
        let signs: Vec<i32> = turns.iter().map(|turn| root.sign_of(&turn[axis])).collect();
        if signs.contains(&1) && signs.contains(&-1) {
            return false;
        }
        spread |= signs.iter().any(|&sign| sign != 0);
    }
    spread
        || (0..3).all(|axis| {
            let signs: Vec<i32> = corners.iter().map(|c| root.sign_of(&c[axis])).collect();
            signs.contains(&0) || (signs.contains(&1) && signs.contains(&-1))
        })
}
