//! Axis-aligned boxes, in f64 for geometry and in f32 (rounded outward) for tables and trees.

use crate::Point;

/// A closed box in f64. Empty when some `min` exceeds its `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: Point,
    /// Upper corner.
    pub max: Point,
}

impl Aabb {
    /// The box that contains nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The smallest box around the points.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, point| aabb.with(point))
    }

    /// This box, grown to hold `point`.
    #[must_use]
    pub fn with(&self, point: &Point) -> Self {
        self.union(&Self { min: *point, max: *point })
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    /// What both boxes share; empty if they are disjoint.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].max(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].min(other.max[k])),
        }
    }

    /// This box grown by `margin` on every side, rounded outward.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min.map(|x| (x - margin).next_down()),
            max: self.max.map(|x| (x + margin).next_up()),
        }
    }

    /// Whether the closed boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether the closed box holds `point`.
    pub fn contains(&self, point: &Point) -> bool {
        (0..3).all(|k| self.min[k] <= point[k] && point[k] <= self.max[k])
    }

    /// Whether the box holds no point at all.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// The middle of the box.
    pub fn center(&self) -> Point {
        std::array::from_fn(|k| 0.5 * self.min[k] + 0.5 * self.max[k])
    }

    /// The edge lengths.
    pub fn size(&self) -> Point {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }

    /// The length of the diagonal; zero for an empty box.
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let [x, y, z] = self.size();
        (x * x + y * y + z * z).sqrt()
    }
}

/// A closed box in f32, never smaller than the f64 box it was made from: min x y z, then max x y z.
/// A plain array, so that tables of boxes go to vector kernels as they are.
pub type Aabb32 = [f32; 6];

/// The f32 box around an f64 box, rounded outward.
pub fn outward(aabb: &Aabb) -> Aabb32 {
    let ([a, b, c], [d, e, f]) = (aabb.min.map(round_down), aabb.max.map(round_up));
    [a, b, c, d, e, f]
}

/// Whether the closed f32 boxes share a point.
#[inline]
pub fn overlap(a: &Aabb32, b: &Aabb32) -> bool {
    (0..3).all(|k| a[k] <= b[k + 3] && b[k] <= a[k + 3])
}

/// The largest f32 that does not exceed `x`.
#[inline]
pub fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    stepped(nearest, -i32::from(f64::from(nearest) > x))
}

/// The smallest f32 that is not below `x`.
#[inline]
pub fn round_up(x: f64) -> f32 {
    let nearest = x as f32;
    stepped(nearest, i32::from(f64::from(nearest) < x))
}

/// The number some steps of f32 away, without a branch: whether to step is a matter of chance, which
/// processors cannot foresee. The two zeros count as neighbours, so a step must not go from one to
/// the other; away from what was rounded to a zero it never does.
#[inline]
fn stepped(x: f32, steps: i32) -> f32 {
    // Bits of negative numbers count downward; as whole numbers in this order they do not.
    let order = |bits: i32| bits ^ ((bits >> 31) & i32::MAX);
    let bits = x.to_bits() as i32;
    f32::from_bits(order(order(bits).wrapping_add(steps)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn outward_rounding_never_shrinks_and_is_tight(x in proptest::num::f64::ANY) {
            prop_assume!(!x.is_nan());
            let (low, high) = (round_down(x), round_up(x));
            prop_assert!(f64::from(low) <= x && x <= f64::from(high));
            prop_assert!(low == high || low.next_up() == high);
        }
    }

    #[test]
    fn rounding_beyond_the_range_of_f32_goes_to_the_ends() {
        assert_eq!(round_down(1e300), f32::MAX);
        assert_eq!(round_up(1e300), f32::INFINITY);
        assert_eq!(round_down(-1e300), f32::NEG_INFINITY);
        assert_eq!(round_up(1e-300), f32::from_bits(1));
    }

    #[test]
    fn boxes_that_share_only_a_corner_overlap() {
        let a = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let b = Aabb { min: [1.0; 3], max: [2.0; 3] };
        assert!(a.overlaps(&b) && !a.intersection(&b).is_empty());
        assert!(!a.overlaps(&Aabb::EMPTY) && Aabb::EMPTY.is_empty());
    }
}
