//! Where something is on a path, and spans of it that can be split: at keyframes, then in halves.

use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use serde::{Deserialize, Serialize};

/// A point of a path: the number of a piece, and how much of it is past, 0…1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Place(
    /// The piece.
    pub usize,
    /// How much of it is past.
    pub f64,
);

impl Place {
    /// The start of a path.
    pub const START: Self = Self(0, 0.0);

    /// The end of a path.
    pub fn end(path: &Path) -> Self {
        Self(path.motions().len() - 1, 1.0)
    }

    /// Whether the path has it.
    pub fn is_on(&self, path: &Path) -> bool {
        self.0 < path.motions().len() && (0.0..=1.0).contains(&self.1)
    }

    /// The same place, as the start of a piece if it is the end of one.
    pub fn forward(self, path: &Path) -> Self {
        if self.1 >= 1.0 && self.0 + 1 < path.motions().len() {
            Self(self.0 + 1, 0.0)
        } else {
            self
        }
    }

    /// The time of the path.
    pub fn time(&self, path: &Path) -> f64 {
        path.time_at(self.0, self.1)
    }

    /// The pose on the path.
    pub fn pose(&self, path: &Path) -> Pose {
        path.motions()[self.0].pose_at(self.1)
    }
}

/// A span of a path: from one place to a later one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
}

impl Span {
    /// Two halves: the pieces are shared out; a single piece is cut in the middle. None if there
    /// is no number between its ends.
    pub fn split(&self) -> Option<[Self; 2]> {
        let [first, last] = [self.from.0, self.to.0];
        if first < last {
            let middle = (first + last).div_ceil(2);
            let [end, start] = [Place(middle - 1, 1.0), Place(middle, 0.0)];
            return Some([Self { to: end, ..*self }, Self { from: start, ..*self }]);
        }
        let middle = 0.5 * (self.from.1 + self.to.1);
        let place = Place(first, middle);
        (self.from.1 < middle && middle < self.to.1)
            .then_some([Self { to: place, ..*self }, Self { from: place, ..*self }])
    }

    /// Its parts within single pieces: the piece, and the times in it.
    pub fn pieces(&self) -> impl Iterator<Item = (usize, [f64; 2])> {
        let Self { from, to } = *self;
        (from.0..=to.0).map(move |piece| {
            let start = if piece == from.0 { from.1 } else { 0.0 };
            let end = if piece == to.0 { to.1 } else { 1.0 };
            (piece, [start, end])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: (usize, f64), to: (usize, f64)) -> Span {
        Span { from: Place(from.0, from.1), to: Place(to.0, to.1) }
    }

    #[test]
    fn halves_are_the_whole() {
        let mut left = vec![span((0, 0.25), (6, 0.5))];
        let mut single = Vec::new();
        while let Some(next) = left.pop() {
            if next.from.0 == next.to.0 {
                single.push((next.from.0, [next.from.1, next.to.1]));
                continue;
            }
            let [a, b] = next.split().unwrap();
            assert_eq!((a.from, b.to), (next.from, next.to));
            assert_eq!((a.to.0 + 1, a.to.1, b.from.1), (b.from.0, 1.0, 0.0));
            left.extend([b, a]);
        }
        assert_eq!(single, span((0, 0.25), (6, 0.5)).pieces().collect::<Vec<_>>());
        assert_eq!(span((2, 0.5), (2, 1.0)).split().unwrap()[0], span((2, 0.5), (2, 0.75)));
    }

    #[test]
    fn what_is_too_short_is_not_split() {
        let next = 0.5f64.next_up();
        assert_eq!(span((0, 0.5), (0, next)).split(), None);
        assert_eq!(span((0, 0.5), (0, 0.5)).split(), None);
    }
}
