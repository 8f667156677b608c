//! Sines and cosines that are the same bits on every machine.
//!
//! Math libraries differ in the last bits of `sin` and `cos`, and a sample must be one mesh
//! everywhere: tests compare face pairs exactly. Here only sums, products and quotients are used,
//! which IEEE 754 fixes. Whole fractions of a turn are reduced in integers, so that a circle is
//! exactly symmetric about its axes.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

/// Cosine and sine of `k / n` of a full turn.
pub(crate) fn turn(k: u32, n: u32) -> [f64; 2] {
    let (k, n) = (u64::from(k % n), u64::from(n));
    let octant = 8 * k / n;
    let rest = 8 * k - octant * n;
    // Odd octants are measured backwards from their upper end.
    let part = if octant % 2 == 0 { rest } else { n - rest };
    let angle = FRAC_PI_4 * (part as f64 / n as f64);
    // At the diagonal the two series round differently; there both are the same number.
    let (c, s) = if part == n {
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2)
    } else {
        (cosine_small(angle), sine_small(angle))
    };
    match octant {
        0 => [c, s],
        1 => [s, c],
        2 => [-s, c],
        3 => [-c, s],
        4 => [-c, -s],
        5 => [-s, -c],
        6 => [s, -c],
        _ => [c, -s],
    }
}

/// Sine of an angle of moderate size (some hundred radians), to about 1e-13.
pub(crate) fn sine(angle: f64) -> f64 {
    let quarters = (angle / FRAC_PI_2).round();
    let rest = angle - quarters * FRAC_PI_2;
    match quarters.rem_euclid(4.0) as u8 {
        0 => sine_small(rest),
        1 => cosine_small(rest),
        2 => -sine_small(rest),
        _ => -cosine_small(rest),
    }
}

/// The power series, for angles up to an eighth of a turn: the terms left out are below 1e-21.
fn sine_small(x: f64) -> f64 {
    x * series(
        x * x,
        [20.0, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0].map(|n| n * (n + 1.0)),
    )
}

fn cosine_small(x: f64) -> f64 {
    series(x * x, [20.0, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0].map(|n| n * (n - 1.0)))
}

/// 1 − x²/d₁·(1 − x²/d₂·(…)), the divisors given last first.
fn series(square: f64, divisors: [f64; 10]) -> f64 {
    divisors.into_iter().fold(1.0, |sum, divisor| 1.0 - square / divisor * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_math_library() {
        for n in 1..200 {
            for k in 0..2 * n {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
                let [c, s] = turn(k, n);
                assert!((c - angle.cos()).abs() < 1e-14 && (s - angle.sin()).abs() < 1e-14);
            }
        }
        for i in -1000..1000 {
            let angle = f64::from(i) * 0.123;
            assert!((sine(angle) - angle.sin()).abs() < 1e-13, "{angle}");
        }
    }

    #[test]
    fn the_circle_is_exactly_symmetric() {
        assert_eq!(
            [turn(0, 7), turn(1, 4), turn(1, 2), turn(3, 4)].as_flattened(),
            [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0]
        );
        for k in 0..=24 {
            let ([c, s], [mirrored_c, mirrored_s]) = (turn(k, 24), turn(24 - k, 24));
            assert_eq!([c, s], [mirrored_c, -mirrored_s]);
        }
    }
}
