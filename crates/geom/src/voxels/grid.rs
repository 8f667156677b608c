//! Where the voxels of a map are: equal cubes along the axes of the body.
//!
//! A grid reaches one voxel beyond the box that it was made for, on every side. Those voxels are never
//! filled, so that a point outside the grid can be moved to its rim without changing what it finds.

use crate::Point;
use crate::aabb::Aabb;

/// Equal cubes along the axes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: Point,
    size: f64,
    counts: [u32; 3],
}

/// The most voxels along an axis. In units of voxels every place in a grid is then exact to 2⁻¹³ in f32.
pub const COUNT_MAX: u32 = 2048;

/// Why there is no such grid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// No length.
    #[error("a voxel size of {size}; it must be positive and finite")]
    BadSize {
        /// What was asked for.
        size: f64,
    },
    /// No place.
    #[error("the grid begins at {origin:?}; three finite numbers are needed")]
    BadOrigin {
        /// What was asked for.
        origin: Point,
    },
    /// Nothing to cover.
    #[error("there are no vertices to lay voxels around")]
    Empty,
    /// More than can be handled.
    #[error(
        "voxels of {size} would be {} by {} by {} (dense {gigabytes:.1} GB at a bit each); at most \
         {COUNT_MAX} along an axis are possible, so the voxel size must be at least {needed:.4}",
        counts[0], counts[1], counts[2]
    )]
    TooFine {
        /// What was asked for.
        size: f64,
        /// How many that would be along each axis.
        counts: [u64; 3],
        /// How much memory a bit for each would take.
        gigabytes: f64,
        /// The smallest size that is possible.
        needed: f64,
    },
}

impl Grid {
    /// Voxels of `size` over a box, and one more on every side.
    pub fn around(bounds: &Aabb, size: f64) -> Result<Self, GridError> {
        if !(size.is_finite() && size > 0.0) {
            return Err(GridError::BadSize { size });
        }
        if !(0..3).all(|k| bounds.min[k] <= bounds.max[k]) {
            return Err(GridError::Empty);
        }
        let extent: Point = std::array::from_fn(|k| bounds.max[k] - bounds.min[k]);
        // One more than fits: the box then lies within the inner voxels whatever the rounding.
        let counts = extent.map(|length| (length / size).floor() + 3.0);
        if counts.iter().any(|&count| count > f64::from(COUNT_MAX)) {
            let longest = extent.into_iter().fold(0.0, f64::max);
            return Err(GridError::TooFine {
                size,
                counts: counts.map(|count| count as u64),
                gigabytes: counts.iter().product::<f64>() / 8e9,
                needed: longest / f64::from(COUNT_MAX - 3),
            });
        }
        let middle: Point =
            std::array::from_fn(|k| bounds.min[k] + 0.5 * (bounds.max[k] - bounds.min[k]));
        let origin = std::array::from_fn(|k| middle[k] - 0.5 * counts[k] * size);
        Ok(Self { origin, size, counts: counts.map(|count| count as u32) })
    }

    /// So many voxels from a corner on, the outermost of which are never filled.
    pub fn new(origin: Point, size: f64, counts: [u32; 3]) -> Result<Self, GridError> {
        if !(size.is_finite() && size > 0.0) {
            return Err(GridError::BadSize { size });
        }
        if origin.iter().any(|x| !x.is_finite()) {
            return Err(GridError::BadOrigin { origin });
        }
        if counts.contains(&0) {
            return Err(GridError::Empty);
        }
        let longest = counts.into_iter().fold(0, u32::max);
        if longest > COUNT_MAX {
            return Err(GridError::TooFine {
                size,
                counts: counts.map(u64::from),
                gigabytes: counts.iter().map(|&count| f64::from(count)).product::<f64>() / 8e9,
                needed: size * f64::from(longest) / f64::from(COUNT_MAX),
            });
        }
        Ok(Self { origin, size, counts })
    }

    /// As many voxels along the longest side of a box as told, and one more on every side.
    pub fn of_resolution(bounds: &Aabb, resolution: u32) -> Result<Self, GridError> {
        let longest = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        Self::around(bounds, longest / f64::from(resolution))
    }

    /// The lower corner of the first voxel.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// The edge of a voxel.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// How many voxels there are along each axis.
    pub fn counts(&self) -> [u32; 3] {
        self.counts
    }

    /// How many bricks of 8³ voxels there are along each axis; the last ones may reach beyond the grid.
    pub fn bricks(&self) -> [u32; 3] {
        self.counts.map(|count| count.div_ceil(8))
    }

    /// The coordinate of the middle of the voxels with number `i` along `axis`. This rounded value *is*
    /// the middle: whoever decides whether it is inside a body decides about this number.
    #[inline]
    pub fn middle(&self, axis: usize, i: u32) -> f64 {
        self.origin[axis] + (f64::from(i) + 0.5) * self.size
    }

    /// The middle of a voxel.
    pub fn centre(&self, voxel: [u32; 3]) -> Point {
        std::array::from_fn(|k| self.middle(k, voxel[k]))
    }

    /// A place in units of voxels, counted from the lower corner of the grid.
    pub fn to_voxels(&self, point: &Point) -> Point {
        std::array::from_fn(|k| (point[k] - self.origin[k]) / self.size)
    }

    /// The voxel with the point, if there is one.
    pub fn voxel(&self, point: &Point) -> Option<[u32; 3]> {
        let at = self.to_voxels(point);
        let within = (0..3).all(|k| at[k] >= 0.0 && at[k] < f64::from(self.counts[k]));
        within.then(|| at.map(|x| x as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Aabb = Aabb { min: [0.0; 3], max: [1.0, 2.0, 0.5] };

    #[test]
    fn the_box_lies_within_the_inner_voxels() {
        for size in [0.5, 0.3, 0.1, 0.07, 1.0 / 3.0, 5.0] {
            let grid = Grid::around(&UNIT, size).unwrap();
            for corner in [UNIT.min, UNIT.max] {
                let voxel = grid.voxel(&corner).unwrap();
                assert!((0..3).all(|k| voxel[k] >= 1 && voxel[k] + 1 < grid.counts()[k]), "{size}");
            }
        }
    }

    #[test]
    fn a_resolution_is_that_of_the_longest_side() {
        let grid = Grid::of_resolution(&UNIT, 100).unwrap();
        assert_eq!((grid.size(), grid.counts()[1]), (0.02, 103));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_could() {
        let error = |size| Grid::around(&UNIT, size).unwrap_err().to_string();
        assert!(error(0.0).contains("must be positive"), "{}", error(0.0));
        assert!(error(f64::NAN).contains("must be positive"));
        let much = error(1e-4);
        assert!(much.contains("10003 by 20003 by 5003") && much.contains("125.1 GB"), "{much}");
        assert_eq!(Grid::around(&Aabb::EMPTY, 1.0), Err(GridError::Empty));
        assert_eq!(Grid::new([0.0; 3], 1.0, [3, 0, 3]), Err(GridError::Empty));
        assert!(matches!(Grid::new([0.0; 3], 1.0, [3, 4096, 3]), Err(GridError::TooFine { .. })));
        let nowhere = Grid::new([0.0, f64::NAN, 0.0], 1.0, [3; 3]);
        assert!(matches!(nowhere, Err(GridError::BadOrigin { .. })));
        assert!(Grid::around(&UNIT, 2.0 / f64::from(COUNT_MAX - 3) * 1.000_001).is_ok());
    }
}
