//! Where the voxels of a map are: equal cubes along the axes of the body.
//!
//! A grid reaches one voxel beyond those that may be filled, on every side. Those voxels are never
//! filled, so that a point outside the grid can be moved to its rim without changing what it finds.
//!
//! A box whose sides are multiples of the voxel size is parted by faces of voxels exactly; middles on the
//! sides of the box would be inside or outside by rounding alone.

use crate::aabb::Aabb;
use crate::{COORDINATE_MAX, COORDINATE_MIN, Point};
use std::fmt;

/// Equal cubes along the axes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: Point,
    size: f64,
    counts: [u32; 3],
}

/// The most voxels along an axis. In units of voxels every place in a grid is then exact to 2⁻¹³ in f32.
pub const COUNT_MAX: u32 = 2048;

/// A box may reach so far, in voxels, beyond those that were counted for it. Coordinates that were stored
/// in f32 are off by that much in the finest grids, and a box that is larger by rounding gets no
/// voxels more.
const SLIVER: f64 = 1e-3;

/// Why there is no such grid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// No length.
    #[error(
        "a voxel size of {}; it must be positive, from {} to {}",
        Digits(*size), Digits(COORDINATE_MIN), Digits(COORDINATE_MAX)
    )]
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
    /// Nothing that a number of voxels could be laid along.
    #[error("all vertices are in one place, so that {resolution} voxels along it have no size")]
    Point {
        /// How many voxels were asked for.
        resolution: u32,
    },
    /// More than can be handled.
    #[error(
        "voxels of {} would be {} by {} by {} (dense {} GB at a bit each); at most {COUNT_MAX} \
         along an axis are possible, so the voxel size must be at least {}",
        Digits(*size), Digits(counts[0]), Digits(counts[1]), Digits(counts[2]), Digits(*gigabytes),
        Digits(rounded_up(*needed))
    )]
    TooFine {
        /// What was asked for.
        size: f64,
        /// How many that would be along each axis.
        counts: [f64; 3],
        /// How much memory a bit for each would take.
        gigabytes: f64,
        /// The smallest size that is possible.
        needed: f64,
    },
}

impl Grid {
    /// Voxels of `size` over a box, and one more on every side: for voxels whose middles are in it.
    pub fn around(bounds: &Aabb, size: f64) -> Result<Self, GridError> {
        Self::over(bounds, size, false)
    }

    /// Voxels of `size` over a box, all beside it that touch it, and one more on every side: for
    /// voxels that a surface touches. What ends at a face of a voxel touches the voxels on both sides.
    pub fn covering(bounds: &Aabb, size: f64) -> Result<Self, GridError> {
        Self::over(bounds, size, true)
    }

    fn over(bounds: &Aabb, size: f64, with_touched: bool) -> Result<Self, GridError> {
        check_size(size)?;
        if !(0..3).all(|k| bounds.min[k] <= bounds.max[k]) {
            return Err(GridError::Empty);
        }
        let extent: Point = std::array::from_fn(|k| bounds.max[k] - bounds.min[k]);
        let counts = extent.map(|length| {
            let inner = (length / size - SLIVER).ceil().max(1.0);
            // What is left of the outer voxels is on both sides; without it the box touches the next.
            let ends_at_faces = inner - length / size < SLIVER;
            inner + if with_touched && ends_at_faces { 4.0 } else { 2.0 }
        });
        if counts.iter().any(|&count| count > f64::from(COUNT_MAX)) {
            let longest = extent.into_iter().fold(0.0, f64::max);
            let rim = if with_touched { 4 } else { 2 };
            return Err(GridError::TooFine {
                size,
                counts,
                gigabytes: counts.iter().product::<f64>() / 8e9,
                needed: longest / f64::from(COUNT_MAX - rim),
            });
        }
        let middle: Point =
            std::array::from_fn(|k| bounds.min[k] + 0.5 * (bounds.max[k] - bounds.min[k]));
        let origin = std::array::from_fn(|k| middle[k] - 0.5 * counts[k] * size);
        Ok(Self { origin, size, counts: counts.map(|count| count as u32) })
    }

    /// So many voxels from a corner on, the outermost of which are never filled.
    pub fn new(origin: Point, size: f64, counts: [u32; 3]) -> Result<Self, GridError> {
        check_size(size)?;
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
                counts: counts.map(f64::from),
                gigabytes: counts.iter().map(|&count| f64::from(count)).product::<f64>() / 8e9,
                needed: size * f64::from(longest) / f64::from(COUNT_MAX),
            });
        }
        Ok(Self { origin, size, counts })
    }

    /// The edge of voxels of which as many lie along the longest side of a box as told.
    pub fn size_for(bounds: &Aabb, resolution: u32) -> Result<f64, GridError> {
        let longest = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        if longest == 0.0 {
            return Err(GridError::Point { resolution });
        }
        Ok(longest / f64::from(resolution))
    }

    /// As many voxels along the longest side of a box as told, and one more on every side.
    pub fn of_resolution(bounds: &Aabb, resolution: u32) -> Result<Self, GridError> {
        Self::around(bounds, Self::size_for(bounds, resolution)?)
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

/// Cubes and squares of sizes within the range of coordinates are numbers, too.
fn check_size(size: f64) -> Result<(), GridError> {
    let is_length = (COORDINATE_MIN..=COORDINATE_MAX).contains(&size);
    if is_length { Ok(()) } else { Err(GridError::BadSize { size }) }
}

/// The next larger number of three digits or so.
fn rounded_up(x: f64) -> f64 {
    let step = 10f64.powf(x.log10().floor() - 3.0);
    if step > 0.0 { (x / step).ceil() * step } else { x }
}

/// A number for people: a few digits, but whole numbers that can be read whole.
struct Digits(f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, size) = (self.0, self.0.abs());
        if x == f64::INFINITY {
            return write!(f, "more than {:.0e}", f64::MAX);
        }
        if x == 0.0 || !x.is_finite() || (x.fract() == 0.0 && size < 1e9) {
            return write!(f, "{x}");
        }
        if !(1e-5..1e9).contains(&size) {
            return write!(f, "{x:.3e}");
        }
        let decimals = (3.0 - size.log10().floor()).max(1.0) as usize;
        let text = format!("{x:.decimals$}");
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Aabb = Aabb { min: [0.0; 3], max: [1.0, 2.0, 0.5] };

    /// The voxels with the lower and with the upper corner of the box, which lie in the inner ones.
    fn ends(grid: &Grid) -> [[u32; 3]; 2] {
        [UNIT.min, UNIT.max].map(|corner| grid.voxel(&corner).unwrap())
    }

    #[test]
    fn the_box_and_all_that_touches_it_lie_within_the_inner_voxels() {
        for size in [0.5, 0.3, 0.1, 0.07, 1.0 / 3.0, 5.0] {
            let grid = Grid::covering(&UNIT, size).unwrap();
            for voxel in ends(&grid) {
                assert!((0..3).all(|k| voxel[k] >= 1 && voxel[k] + 1 < grid.counts()[k]), "{size}");
            }
            let near = |x: f64| (x - x.round()).abs() < 1e-9;
            for corner in [UNIT.min, UNIT.max].map(|corner| grid.to_voxels(&corner)) {
                for (k, x) in corner.into_iter().enumerate().filter(|(_, x)| near(*x)) {
                    let both = [x.round() - 1.0, x.round()];
                    let rim = [0.0, f64::from(grid.counts()[k] - 1)];
                    assert!(both.iter().all(|i| !rim.contains(i)), "{size} {corner:?}");
                }
            }
        }
    }

    #[test]
    fn slack_is_the_same_on_both_sides_and_less_than_a_voxel() {
        for size in [0.5, 0.3, 0.1, 0.07, 1.0 / 3.0, 5.0] {
            let grid = Grid::around(&UNIT, size).unwrap();
            let [low, high] = [UNIT.min, UNIT.max].map(|corner| grid.to_voxels(&corner));
            for k in 0..3 {
                let slack = [low[k] - 1.0, f64::from(grid.counts()[k]) - 1.0 - high[k]];
                assert!((slack[0] - slack[1]).abs() < 1e-9, "{size} {slack:?}");
                assert!((-1e-9..0.5).contains(&slack[0]), "{size} {slack:?}");
            }
        }
    }

    #[test]
    fn multiples_are_counted_as_such_whatever_the_rounding() {
        for low in [0.0, 0.1, 0.3, 0.7, -12.34, 1e5] {
            for n in 1..300u32 {
                for (size, stored) in [(0.1, false), (1.0, true), (0.7, false), (1.0 / 3.0, true)] {
                    let high = low + f64::from(n) * size;
                    let [low, high] = [low, high]
                        .map(|x| if stored && low < 1e3 { f64::from(x as f32) } else { x });
                    let bounds = Aabb { min: [low; 3], max: [high; 3] };
                    let grid = Grid::around(&bounds, size).unwrap();
                    assert_eq!((grid.size(), grid.counts()), (size, [n + 2; 3]), "{low} {size}");
                    assert_eq!(Grid::covering(&bounds, size).unwrap().counts(), [n + 4; 3]);
                }
            }
        }
        // A plane and a point get a voxel, in whose middle they are.
        let flat = Grid::around(&Aabb { min: [0.0; 3], max: [1.0, 1.0, 0.0] }, 0.5).unwrap();
        assert_eq!((flat.counts(), flat.middle(2, 1)), ([4, 4, 3], 0.0));
    }

    #[test]
    fn a_resolution_is_that_of_the_longest_side() {
        let grid = Grid::of_resolution(&UNIT, 100).unwrap();
        assert_eq!((grid.size(), grid.counts()[1]), (0.02, 102));
        let point = Aabb { min: [1.0; 3], max: [1.0; 3] };
        assert_eq!(Grid::of_resolution(&point, 7), Err(GridError::Point { resolution: 7 }));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_could() {
        let error = |size| Grid::around(&UNIT, size).unwrap_err().to_string();
        assert!(error(0.0).contains("must be positive"), "{}", error(0.0));
        assert!(error(f64::NAN).contains("must be positive"));
        let much = error(1e-4);
        assert!(much.contains("10002 by 20002 by 5002") && much.contains("125.1 GB"), "{much}");
        for size in [1e-320, 1e-80, 1e300] {
            assert!(error(size).len() < 250, "{}", error(size));
        }
        let small = Aabb { min: [0.0; 3], max: [2e-5; 3] };
        let message = Grid::of_resolution(&small, 5000).unwrap_err().to_string();
        assert!(message.ends_with("at least 9.776e-9"), "{message}");
        assert_eq!(Grid::around(&Aabb::EMPTY, 1.0), Err(GridError::Empty));
        assert_eq!(Grid::new([0.0; 3], 1.0, [3, 0, 3]), Err(GridError::Empty));
        assert!(matches!(Grid::new([0.0; 3], 1.0, [3, 4096, 3]), Err(GridError::TooFine { .. })));
        let nowhere = Grid::new([0.0, f64::NAN, 0.0], 1.0, [3; 3]);
        assert!(matches!(nowhere, Err(GridError::BadOrigin { .. })));
    }

    #[test]
    fn what_is_told_to_be_enough_is() {
        for lay in [Grid::around, Grid::covering] {
            for longest in [2.0, 3.3e-7, 1e17, 123.456] {
                let bounds = Aabb { min: [0.0; 3], max: [longest, 0.3 * longest, 0.0] };
                let message = lay(&bounds, longest / 5000.0).unwrap_err().to_string();
                let enough: f64 = message.rsplit(' ').next().unwrap().parse().unwrap();
                assert!(lay(&bounds, enough).is_ok(), "{message}");
                assert!(lay(&bounds, 0.998 * enough).is_err(), "{message}");
            }
        }
    }
}
