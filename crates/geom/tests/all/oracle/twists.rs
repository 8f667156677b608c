//! What is done to a generated pair before it is judged: moved, scaled, turned, or off by one ulp.
//!
//! Rounding turns exact contact into contact or a gap of a few ulps, which is what breaks careless tests.

use super::rng::Rng;
use impinge_geom::{COORDINATE_MAX, COORDINATE_MIN, Point, Triangle, flush};

/// One change of a pair.
pub(crate) struct Twist {
    pub(crate) name: &'static str,
    /// Whether pairs in special position stay so exactly.
    pub(crate) exact: bool,
    /// How often it is used, against the weights of the others.
    pub(crate) weight: usize,
    pub(crate) apply: fn(&mut Rng, [Triangle; 2]) -> [Triangle; 2],
}

pub(crate) const TWISTS: [Twist; 11] = [
    Twist { name: "as it is", exact: true, weight: 7, apply: |_, pair| pair },
    Twist { name: "power of two", exact: true, weight: 3, apply: power_of_two },
    Twist { name: "grid translation", exact: true, weight: 2, apply: grid_translation },
    Twist { name: "coordinates swapped", exact: true, weight: 1, apply: swapped },
    Twist { name: "one ulp", exact: false, weight: 3, apply: one_ulp },
    Twist { name: "decimal scale", exact: false, weight: 2, apply: decimal_scale },
    Twist { name: "two scales", exact: false, weight: 1, apply: two_scales },
    Twist { name: "far offset", exact: false, weight: 2, apply: far_offset },
    Twist { name: "turned", exact: false, weight: 2, apply: turned },
    Twist { name: "turned, one ulp", exact: false, weight: 1, apply: turned_one_ulp },
    Twist { name: "turned, ends of the range", exact: false, weight: 1, apply: turned_range_end },
];

/// Draws a twist by its weight.
pub(crate) fn draw(rng: &mut Rng) -> usize {
    let mut left = rng.below(TWISTS.iter().map(|twist| twist.weight).sum());
    for (i, twist) in TWISTS.iter().enumerate() {
        if left < twist.weight {
            return i;
        }
        left -= twist.weight;
    }
    unreachable!("the weights are summed up above")
}

fn each(pair: [Triangle; 2], change: impl Fn(Point) -> Point) -> [Triangle; 2] {
    pair.map(|triangle| triangle.map(|point| change(point).map(in_range)))
}

/// Keeps a coordinate where exact tests are promised.
fn in_range(x: f64) -> f64 {
    flush(x.clamp(-COORDINATE_MAX, COORDINATE_MAX))
}

/// Grid coordinates are 1…2⁴⁰ in size, so they stay in range and none is flushed or clamped.
fn power_of_two(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let wide = rng.below(8) == 0;
    let exponent = if wide { rng.integer(-300, 260) } else { rng.integer(-60, 60) };
    let factor = 2f64.powi(exponent as i32);
    each(pair, |point| point.map(|x| x * factor))
}

/// Exact for grid coordinates: sums stay far below 2⁵³.
fn grid_translation(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let reach = 1 << rng.integer(4, 44);
    let by: Point = std::array::from_fn(|_| rng.integer(-reach, reach) as f64);
    each(pair, |point| std::array::from_fn(|k| point[k] + by[k]))
}

/// Mirrors and permutes the axes.
fn swapped(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let mut axes = [0, 1, 2];
    rng.shuffle(&mut axes);
    let signs: Point = std::array::from_fn(|_| if rng.flip() { 1.0 } else { -1.0 });
    each(pair, |point| std::array::from_fn(|k| signs[k] * point[axes[k]]))
}

/// One to three coordinates go to the next number up or down.
fn one_ulp(rng: &mut Rng, mut pair: [Triangle; 2]) -> [Triangle; 2] {
    for _ in 0..rng.integer(1, 3) {
        let x = &mut pair[rng.below(2)][rng.below(3)][rng.below(3)];
        let up = rng.flip();
        *x = if *x != 0.0 {
            if up { x.next_up() } else { x.next_down() }
        } else {
            // Next to zero is the smallest legal coordinate; a larger one keeps most pairs small.
            let tiny = if rng.below(4) == 0 { COORDINATE_MIN } else { 0.5f64.powi(30) };
            if up { tiny } else { -tiny }
        };
    }
    each(pair, |point| point)
}

fn decimal(rng: &mut Rng) -> f64 {
    (1.0 + rng.unit()) * 10f64.powi(rng.integer(-12, 12) as i32)
}

fn decimal_scale(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let factor = decimal(rng);
    each(pair, |point| point.map(|x| x * factor))
}

/// Both are scaled about a corner of A, by different factors.
fn two_scales(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let wide = if rng.below(8) == 0 { 2f64.powi(rng.integer(-200, 200) as i32) } else { 1.0 };
    let factors = [decimal(rng), decimal(rng) * wide];
    let [a, b] = pair;
    let about = a[0];
    let scaled = [(a, factors[0]), (b, factors[1])].map(|(triangle, factor)| {
        triangle.map(|p| std::array::from_fn(|k| (p[k] - about[k]) * factor))
    });
    each(scaled, |point| point)
}

/// Far from the origin only a few bits of the shape are left.
fn far_offset(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let far = 10f64.powi(rng.integer(6, 12) as i32);
    let by: Point = std::array::from_fn(|_| far * rng.centered());
    let factor = decimal(rng).min(far);
    each(pair, |point| std::array::from_fn(|k| point[k] * factor + by[k]))
}

/// A rotation by a random quaternion, rounded.
fn turned(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let [w, x, y, z] = std::array::from_fn(|_| rng.centered());
    let rows = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ];
    each(pair, |p| rows.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]))
}

fn turned_one_ulp(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let pair = turned(rng, pair);
    one_ulp(rng, pair)
}

/// Full mantissas where products of three coordinates come closest to under- and overflow.
fn turned_range_end(rng: &mut Rng, pair: [Triangle; 2]) -> [Triangle; 2] {
    let pair = turned(rng, pair);
    let largest = pair.iter().flatten().flatten().fold(1e-9f64, |m, x| m.max(x.abs()));
    let end = if rng.flip() { COORDINATE_MAX } else { COORDINATE_MIN * 64.0 };
    let factor = end / largest;
    each(pair, |point| point.map(|x| x * factor))
}
