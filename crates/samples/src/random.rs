//! SplitMix64: small, and the same everywhere. Only operations that IEEE 754 rounds in one way, so
//! that samples are the same bits on every machine.

use glam::DVec3;

/// A stream of numbers that the seed alone decides.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from −1 to 1.
    pub(crate) fn symmetric(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Evenly from 0 to 1, 1 itself left out.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number from `min` to `max`, both possible.
    pub(crate) fn between(&mut self, min: i32, max: i32) -> i32 {
        assert!(min <= max, "there is nothing between {min} and {max}");
        let count = u128::from(max.abs_diff(min)) + 1;
        // The product's upper half is below `count`, so the sum is at most `max`.
        min.wrapping_add_unsigned(((u128::from(self.next()) * count) >> 64) as u32)
    }

    /// A direction: all are equally likely.
    pub(crate) fn direction(&mut self) -> DVec3 {
        // A draw from the cube falls into this shell with a chance of about one half.
        loop {
            let v = DVec3::from_array(std::array::from_fn(|_| self.symmetric()));
            let length = v.length();
            if (0.1..=1.0).contains(&length) {
                return v / length;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_between_two_reach_both() {
        let mut random = Random(1);
        let drawn: Vec<i32> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert!((-2..=2).all(|k| drawn.contains(&k)) && drawn.iter().all(|k| k.abs() <= 2));
        assert_eq!(random.between(i32::MAX, i32::MAX), i32::MAX);
        assert!(random.between(i32::MIN, i32::MAX) != random.between(i32::MIN, i32::MAX));
    }

    #[test]
    fn directions_are_unit_and_go_everywhere() {
        let mut random = Random(1);
        let mean = (0..10_000).map(|_| random.direction()).inspect(|d| {
            assert!((d.length() - 1.0).abs() < 1e-12);
        });
        assert!((mean.sum::<DVec3>() / 10_000.0).length() < 0.03);
    }
}
