//! How fine the parts are cut, and the directions around an axis at which they have corners.

use super::LUG_HALF;
use crate::turn::turn;

/// Steps around and along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// Steps around the openings; a multiple of 4.
    pub(super) facets: u32,
    /// Rows per millimetre, along everything long.
    pub(super) grain: f64,
    /// Bayonet lugs of a cover.
    pub(super) lugs: u32,
}

/// A direction around an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    /// Cosine and sine.
    pub(super) way: [f64; 2],
    /// Whether the bayonet, a lug or a slot for one, is here.
    pub(super) bayonet: bool,
}

impl Cut {
    /// The radius of corners whose facets are no closer to the axis than `facet`.
    pub(super) fn corner(self, facet: f64) -> f64 {
        facet / turn(1, 2 * self.facets)[0]
    }

    /// So many rows for a length.
    pub(super) fn rows(self, length: f64) -> u32 {
        ((length * self.grain).ceil() as u32).max(1)
    }

    /// Even steps along a line, without its end.
    pub(super) fn along<const N: usize>(
        self,
        from: [f64; N],
        to: [f64; N],
    ) -> impl Iterator<Item = [f64; N]> {
        let squares = (0..N).map(|k| (to[k] - from[k]) * (to[k] - from[k]));
        let rows = self.rows(squares.sum::<f64>().sqrt());
        steps(rows).map(move |part| lerp(from, to, part))
    }

    /// Even steps around.
    pub(super) fn circle(self) -> Vec<[f64; 2]> {
        (0..self.facets).map(|i| turn(i, self.facets)).collect()
    }

    /// Even steps, and the sides of bayonets that are wider than lugs by half a degree for each of
    /// `wider` on either side. The sides are steep: they take half a degree.
    ///
    /// A mirror about the x axis maps the directions onto each other, whatever the number of lugs.
    pub(super) fn bayonet(self, wider: u32) -> Vec<Direction> {
        // Half a degree is `half` of the full turn, and all angles are whole numbers.
        let half = self.facets * self.lugs;
        let full = 720 * half;
        let (inner, pitch) = ((2 * LUG_HALF + wider) * half, full / self.lugs);
        let mut angles: Vec<u32> = (0..self.facets).map(|i| i * 720 * self.lugs).collect();
        for lug in 0..self.lugs {
            let middle = full + lug * pitch;
            let sides = [middle - inner - half, middle - inner, middle + inner];
            angles.extend(sides.map(|angle| angle % full));
            angles.push((middle + inner + half) % full);
        }
        angles.sort_unstable();
        angles.dedup();
        let direction = |angle: u32| {
            let off = angle % pitch;
            Direction { way: turn(angle, full), bayonet: off.min(pitch - off) <= inner }
        };
        angles.into_iter().map(direction).collect()
    }
}

/// From 0 in so many even steps, 1 left out.
pub(super) fn steps(count: u32) -> impl DoubleEndedIterator<Item = f64> {
    (0..count).map(move |i| f64::from(i) / f64::from(count))
}

/// Between two points; exactly `to` at 1.
pub(super) fn lerp<const N: usize>(from: [f64; N], to: [f64; N], part: f64) -> [f64; N] {
    std::array::from_fn(|k| from[k] * (1.0 - part) + to[k] * part)
}
