//! The eight cases in which two convex blocks can be on the line through a pixel [R98 fig. 1].

/// How the interval of B lies to that of A. The names and the order are those of the figure's numbers as the
/// text of [R98 §4] tells them; the eighth, of which it says only that the stencil stays zero, is that
/// A is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// (1) A alone.
    NoB,
    /// (2) B begins beyond the end of A.
    Beyond,
    /// (3) B begins in A and ends beyond it.
    OutOfBack,
    /// (4) B begins before A and ends beyond it.
    Around,
    /// (5) B is within A.
    Within,
    /// (6) B begins before A and ends in it.
    IntoFront,
    /// (7) B ends before A begins.
    InFront,
    /// (8) A is not there.
    NoA,
}

impl Case {
    /// Of two intervals of depth, each from the nearer end to the farther one. Touching ends are common points.
    pub fn of(a: Option<[f32; 2]>, b: Option<[f32; 2]>) -> Self {
        let Some([a_min, a_max]) = a else { return Self::NoA };
        let Some([b_min, b_max]) = b else { return Self::NoB };
        let starts_before = b_min < a_min;
        if b_min > a_max {
            Self::Beyond
        } else if b_max > a_max {
            if starts_before { Self::Around } else { Self::OutOfBack }
        } else if !starts_before {
            Self::Within
        } else if b_max >= a_min {
            Self::IntoFront
        } else {
            Self::InFront
        }
    }

    /// How many faces of B are not beyond the end of A: what the counter says after the first pass.
    pub fn count(self) -> u8 {
        match self {
            Self::NoA | Self::NoB | Self::Beyond => 0,
            Self::OutOfBack | Self::Around => 1,
            Self::Within | Self::IntoFront | Self::InFront => 2,
        }
    }

    /// Whether the intervals share a point.
    pub fn is_overlap(self) -> bool {
        matches!(self, Self::OutOfBack | Self::Around | Self::Within | Self::IntoFront)
    }
}

/// What the counters of a pass say about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// On some pixel the intervals overlap.
    Collision,
    /// On no pixel is anything of B before the end of A.
    Nothing,
    /// On some pixel all of B is before the end of A: cases 5 to 7, which a second pass tells apart.
    SecondRendering,
}

/// After the first pass. An odd number of faces before the end of A is a block that crosses it: 1, as printed. Where
/// rounding folded a rim 3 may be there instead of 1, and 4 instead of 2.
pub fn first_pass(counts: &[u8]) -> Said {
    if counts.iter().any(|count| count % 2 == 1) {
        Said::Collision
    } else if counts.iter().any(|&count| count > 0) {
        Said::SecondRendering
    } else {
        Said::Nothing
    }
}

/// After the second pass, with A and B exchanged, over the same pixels.
///
/// Departs from the paper, which asks for a count of 1: where both blocks end at the same depth, both passes
/// count 2, and a body would not collide with itself. What counted 2 in the first pass is before the end of A; if
/// any face of A is then before the end of B, they overlap.
pub fn second_pass(first: &[u8], second: &[u8]) -> bool {
    first.iter().zip(second).any(|(&first, &second)| first > 0 && second > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Case::*;

    #[test]
    fn intervals_make_the_eight_cases() {
        let a = Some([2.0, 4.0]);
        for (b, case) in [
            (None, NoB),
            (Some([5.0, 6.0]), Beyond),
            (Some([3.0, 6.0]), OutOfBack),
            (Some([4.0, 6.0]), OutOfBack),
            (Some([1.0, 6.0]), Around),
            (Some([2.5, 3.0]), Within),
            (Some([2.0, 4.0]), Within),
            (Some([1.0, 3.0]), IntoFront),
            (Some([1.0, 2.0]), IntoFront),
            (Some([0.0, 1.0]), InFront),
        ] {
            assert_eq!(Case::of(a, b), case, "{b:?}");
            let overlap = b.is_some_and(|[min, max]| min <= 4.0 && max >= 2.0);
            assert_eq!(case.is_overlap(), overlap);
            let count = b.map_or(0, |ends| ends.iter().filter(|z| **z <= 4.0).count());
            assert_eq!(usize::from(case.count()), count);
        }
        assert_eq!((Case::of(None, a), Case::of(None, None)), (NoA, NoA));
    }
}
