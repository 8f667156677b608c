//! Decimal text to `f64`, always the correctly rounded value.
//!
//! Most coordinates have at most 2⁵³ as digits and a power of ten within ±22: both are exact in
//! `f64`, so one multiplication or division rounds once and is right (Clinger 1990). The rest goes
//! to the standard library.

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number that `token` spells, by the grammar of [`str::parse`] (so also `nan` and `inf`).
pub(crate) fn parse(token: &[u8]) -> Option<f64> {
    match leading(token) {
        Some((value, length)) if length == token.len() => Some(value),
        _ => std::str::from_utf8(token).ok()?.parse().ok(),
    }
}

/// The number at the start of `bytes` and its length, if it is one of the easy kind.
#[inline]
pub(crate) fn leading(bytes: &[u8]) -> Option<(f64, usize)> {
    let sign = bytes.first().copied();
    let mut at = usize::from(matches!(sign, Some(b'-' | b'+')));
    let mut mantissa = 0;
    let whole = digits(bytes, &mut at, &mut mantissa);
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        fraction = digits(bytes, &mut at, &mut mantissa);
    }
    // Nineteen digits always fit into the mantissa; with more it may have wrapped around.
    if !(1..=19).contains(&(whole + fraction)) || mantissa > 1 << 53 {
        return None;
    }
    let mut power = -(fraction as i64);
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        power += exponent(bytes, &mut at)?;
    }
    let value = match power {
        0..=22 => mantissa as f64 * POWERS[power as usize],
        -22..=-1 => mantissa as f64 / POWERS[-power as usize],
        _ => return None,
    };
    Some((if sign == Some(b'-') { -value } else { value }, at))
}

#[inline]
fn digits(bytes: &[u8], at: &mut usize, mantissa: &mut u64) -> usize {
    let start = *at;
    while let Some(digit) = bytes.get(*at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        *at += 1;
    }
    *at - start
}

fn exponent(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let sign = bytes.get(*at).copied();
    *at += usize::from(matches!(sign, Some(b'-' | b'+')));
    let mut size = 0;
    let count = digits(bytes, at, &mut size);
    let size = i64::try_from(size).ok().filter(|_| (1..=18).contains(&count))?;
    Some(if sign == Some(b'-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let truth = text.parse::<f64>().ok().map(f64::to_bits);
        prop_assert_eq!(parse(text.as_bytes()).map(f64::to_bits), truth, "{}", text);
        Ok(())
    }

    #[test]
    fn nasty_spellings_agree_with_the_standard_library() {
        let spellings = "0 -0 +0 1 -1 +1 . - + e 1e 1e+ .e1 1. .5 -.5 +.5e-3 1.e2 00012 \
            9007199254740992 9007199254740993 9007199254740994 9007199254740993e0 1e22 1e23 \
            1e-22 1e-23 9007199254740991e22 9007199254740991e-22 1e308 1e309 1e999 -1e999 \
            2.2250738585072011e-308 5e-324 2e-324 1e-999 nan NaN inf -inf infinity \
            18446744073709551615 18446744073709551616 9999999999999999999 99999999999999999999 \
            0.1 0.30000000000000004 123456789012345678901234567890 0000000000000000000000001 \
            1e00000000000000000000001 1e99999999999999999999 1e-99999999999999999999 \
            0e99999999999999999999 0e30 --1 1-1 1e1.5 0x10 1_000 1e5f 3.14159265358979323846";
        for text in spellings.split_whitespace() {
            agrees(text).unwrap();
        }
        agrees("").unwrap();
        agrees("1 ").unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn number_like_text_agrees(
            text in "[+-]?[0-9]{0,21}[.]?[0-9]{0,21}([eE][+-]?[0-9]{0,4})?",
        ) {
            agrees(&text)?;
        }

        #[test]
        fn easy_numbers_agree(digits in 0u64..=1 << 54, power in -25i32..=25) {
            agrees(&format!("{digits}e{power}"))?;
            agrees(&format!("-0.{digits}e{power}"))?;
        }

        #[test]
        fn every_double_survives(bits: u64) {
            let value = f64::from_bits(bits);
            agrees(&format!("{value:?}"))?;
            agrees(&format!("{value:e}"))?;
        }

        #[test]
        fn any_text_agrees(text in "[-+.eE0-9a-z ]{0,8}") {
            agrees(&text)?;
        }
    }
}
