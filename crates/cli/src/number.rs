//! Numbers for people. Programs get all digits.

use impinge_geom::Point;

/// Digits that people care for.
const DIGITS: i32 = 5;

/// A few significant digits, without trailing zeros.
pub(crate) fn short(x: f64) -> String {
    if x.abs() < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let magnitude = x.abs().log10().floor() as i32;
    if !(-5..9).contains(&magnitude) {
        let text = format!("{x:.4e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (DIGITS - 1 - magnitude).max(0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `(x, y, z)`. What is nothing beside the largest coordinate is shown as 0.
pub(crate) fn point(point: &Point) -> String {
    let largest = point.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let [x, y, z] = point.map(|x| if x.abs() < 1e-9 * largest { 0.0 } else { x }).map(short);
    format!("({x}, {y}, {z})")
}

/// A count with thin groups of three: `1 234 567`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// `1 pair`, `2 pairs`, `2 bodies`, `2 vertices`.
pub(crate) fn of(n: u64, one: &str) -> String {
    let many = match (one.strip_suffix('y'), one.strip_suffix("ex")) {
        (Some(stem), _) => format!("{stem}ies"),
        (_, Some(stem)) => format!("{stem}ices"),
        _ => format!("{one}s"),
    };
    format!("{} {}", count(n), if n == 1 { one } else { &many })
}

/// A time in the unit that suits it.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        let cases = [
            (0.0, "0"),
            (0.5, "0.5"),
            (-12.34567, "-12.346"),
            (123_456.0, "123456"),
            (1e-7, "1e-7"),
            (-1.25e12, "-1.25e12"),
            (99.9999, "100"),
            (0.000_123_4, "0.0001234"),
            (-5e303, "-5e303"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
        assert_eq!(point(&[1.0, 1e-17, -2.5]), "(1, 0, -2.5)");
        assert_eq!([count(7), count(1000), count(1_234_567)], ["7", "1 000", "1 234 567"]);
        assert_eq!([of(1, "pair"), of(2, "pair")], ["1 pair", "2 pairs"]);
        assert_eq!([of(2, "body"), of(0, "vertex")], ["2 bodies", "0 vertices"]);
    }
}
