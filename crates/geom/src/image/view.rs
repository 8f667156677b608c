//! Along which direction two bodies are looked at, and the view along it.
//!
//! Any direction is safe. The best is the one along which the bodies overlap least: what both reach is
//! then small, and often empty. Few are tried, on the middles of few runs of faces.

use crate::Point;
use crate::aabb::{Aabb, round_up};
use crate::face_cells::Side;
use glam::DVec3;
use impinge_simd::image::View;

/// A direction that was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// Of length one.
    along: DVec3,
    /// Which part of what both reach they had in common along it.
    part: f64,
}

/// So many runs of each body are looked at to choose a direction.
const SAMPLES: usize = 128;
/// A direction is kept while the bodies overlap by no more than this many times what they did, and a
/// little.
const WORSE: f64 = 1.25;
const LITTLE: f64 = 0.02;

/// Directions that are always tried: the axes and the diagonals between them.
const ALWAYS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// The middles of the runs of two bodies within a region, some of them.
struct Middles {
    of: [Vec<DVec3>; 2],
    region: Aabb,
}

impl Direction {
    /// The direction for two bodies, given the runs of faces of each that reach the region: that of
    /// the last look, if there was one and it is still good.
    pub fn choose(
        sides: [&Side<'_>; 2],
        runs: [&[u32]; 2],
        region: &Aabb,
        last: Option<Self>,
    ) -> Self {
        let middles = Middles::of(sides, runs, region);
        if let Some(last) = last {
            let part = middles.part(last.along);
            if part <= WORSE * last.part + LITTLE {
                // What it was chosen for stays the measure, or it would be kept however bad it becomes.
                return last;
            }
        }
        let between = |[a, b]: [DVec3; 2]| (b - a).try_normalize();
        let bodies = between(sides.map(|side| DVec3::from(side.bounds.center())));
        let nearby = between(middles.means());
        let always = ALWAYS.map(|along| Some(DVec3::from(along).normalize()));
        let candidates = [bodies, nearby].into_iter().chain(always).flatten();
        let judged = candidates.map(|along| Self { along, part: middles.part(along) });
        let lesser = |one: Self, other: Self| if other.part < one.part { other } else { one };
        judged.reduce(lesser).expect("there are always the axes")
    }

    /// The axis along which a region is longest, the one for boxes whose sides are along the axes.
    pub(super) fn longest(region: &Aabb) -> Self {
        let size = region.size();
        let axis = (0..3).fold(0, |most, k| if size[k] > size[most] { k } else { most });
        Self { along: DVec3::from(ALWAYS[axis]), part: 1.0 }
    }

    /// Three directions at right angles, up to rounding; the last is this one.
    fn frame(self) -> [DVec3; 3] {
        let along = self.along;
        // From the axis least along it, so that the others are axes if this is one.
        let least =
            (0..3).fold(0, |least, k| if along[k].abs() < along[least].abs() { k } else { least });
        let axis = DVec3::from(ALWAYS[least]);
        let across = along.cross(axis).normalize();
        [across, along.cross(across), along]
    }

    /// The view along it: the region fills the image. All that is looked at is within `reach`.
    ///
    /// The grant. A coordinate in the image is `Σ mᵢ·(xᵢ − cᵢ)` with numbers `mᵢ` and `cᵢ` as they are, so
    /// that only the arithmetic is inexact, not the view. It takes a difference, a product and up to two
    /// sums, each rounded in f64 by 2⁻⁵³ of itself: together less than 5 · 2⁻⁵³ · Σ |mᵢ|·|xᵢ − cᵢ|. Then it
    /// is rounded to f32 and brought to within ±4, where a rounding is at most 2⁻²³; beyond, it makes no
    /// difference. Nothing brought to within ±4 is off by more than 8.
    ///
    /// An end of an extent is rounded once more as it is grown, for the grant is subtracted in f32. That
    /// matters only at points that both bodies may share. They are in the region, so within ±1, or within
    /// ±1.995 if it is so narrow that its middle is rounded to its end. Let a true end be no greater than
    /// such a point, and what is calculated of it be off by `a` before it is rounded to f32. If that and
    /// the grown end are within ±2, either is rounded by at most 2⁻²⁴, which is 2⁻²³ together. If the
    /// grown end is below −2, it is below the point however it is rounded. If the end is above 2 before it
    /// is grown, `a` is more than 0.004, and of the 5 · 2⁻⁵³ four parts were enough for `a`: the fifth is
    /// far more than all roundings of f32.
    pub(super) fn view(self, region: &Aabb, reach: &Aabb) -> View {
        let centre = region.center();
        let far: Point = std::array::from_fn(|k| {
            (reach.max[k] - centre[k]).max(centre[k] - reach.min[k]).max(0.0)
        });
        let farthest = far.into_iter().fold(0.0, f64::max);
        // A region that is nearly a point is not made larger than f64 can tell.
        let widest = region.size().into_iter().fold(0.0, f64::max);
        let half = (0.87 * widest).max(farthest * 2f64.powi(-30));
        let scale = power_below_inverse(half);
        let rows = self.frame().map(|row| row * scale);
        let sum = |row: &DVec3| (0..3).map(|k| row[k].abs() * far[k]).sum::<f64>();
        let largest = rows.iter().map(sum).fold(0.0, f64::max) * (1.0 + 1e-9);
        let grant = 2f64.powi(-23) + 5.0 * 2f64.powi(-53) * largest;
        let column = |k: usize| [rows[0][k], rows[1][k], rows[2][k], 0.0];
        View { centre, columns: [column(0), column(1), column(2)], grant: round_up(grant.min(8.0)) }
    }
}

/// A power of two that makes a length at most one; more than 1/2 unless that is out of range.
fn power_below_inverse(length: f64) -> f64 {
    let exponent = ((length.to_bits() >> 52) & 0x7ff) as i64 - 1022;
    // Products with coordinates, up to 2³⁰¹ from the middle, stay far from overflow.
    f64::from_bits(((1023 - exponent.clamp(-650, 650)) as u64) << 52)
}

impl Middles {
    fn of(sides: [&Side<'_>; 2], runs: [&[u32]; 2], region: &Aabb) -> Self {
        let of = [0, 1].map(|k| {
            let every = runs[k].len().div_ceil(SAMPLES).max(1);
            let middle = |&run: &u32| {
                let [min, max] = sides[k].boxes[run as usize];
                DVec3::from(Aabb { min, max }.intersection(region).center())
            };
            runs[k].iter().step_by(every).map(middle).collect()
        });
        Self { of, region: *region }
    }

    fn means(&self) -> [DVec3; 2] {
        self.of.each_ref().map(|of| of.iter().sum::<DVec3>() / of.len().max(1) as f64)
    }

    /// How much both have in common along a direction, as a part of the region's width along it;
    /// negative if there is room between them.
    fn part(&self, along: DVec3) -> f64 {
        let [a, b] = self.of.each_ref().map(|of| {
            let ends = of.iter().map(|middle| middle.dot(along));
            ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            })
        });
        let width = DVec3::from(self.region.size()).dot(along.abs());
        (a[1].min(b[1]) - a[0].max(b[0])) / width.max(f64::MIN_POSITIVE)
    }
}
