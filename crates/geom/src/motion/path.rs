//! A way in pieces: motions that follow each other, and the times at which they begin.

use super::Motion;
use crate::pose::Pose;

/// A way of a rigid body: each piece is a motion that begins where the one before ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    times: Vec<f64>,
    motions: Vec<Motion>,
}

/// Why some motions and times are no path.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PathError {
    /// There is nothing to do.
    #[error("a path needs at least one motion")]
    Empty,
    /// One time more than motions is needed.
    #[error("{motions} motions need {} times, found {times}", motions + 1)]
    TimeCount {
        /// How many motions there are.
        motions: usize,
        /// How many times there are.
        times: usize,
    },
    /// A time that is not later than the one before.
    #[error("time {index} is {time}; times must be finite and rise")]
    TimeOrder {
        /// Which time.
        index: usize,
        /// Its value.
        time: f64,
    },
    /// A jump.
    #[error("motion {0} does not begin where the one before ends")]
    Jump(usize),
}

impl Path {
    /// Motions and their times, one more than there are motions. A motion begins at the very bits at
    /// which the one before ends.
    pub fn new(times: Vec<f64>, motions: Vec<Motion>) -> Result<Self, PathError> {
        if motions.is_empty() {
            return Err(PathError::Empty);
        }
        if times.len() != motions.len() + 1 {
            return Err(PathError::TimeCount { motions: motions.len(), times: times.len() });
        }
        let rises = |index: usize| {
            let time = times[index];
            time.is_finite() && (index == 0 || times[index - 1] < time)
        };
        if let Some(index) = (0..times.len()).find(|&index| !rises(index)) {
            return Err(PathError::TimeOrder { index, time: times[index] });
        }
        let jumps = |k: &usize| motions[k - 1].pose1() != motions[*k].pose0();
        match (1..motions.len()).find(jumps) {
            Some(index) => Err(PathError::Jump(index)),
            None => Ok(Self { times, motions }),
        }
    }

    /// When the pieces begin, and when the last one ends.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The pieces.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// When the path begins and ends.
    pub fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// The piece at a time, and how much of it is past, 0…1. At a time between two pieces it is the
    /// later one; times beyond the ends count as the ends.
    pub fn locate(&self, time: f64) -> (usize, f64) {
        let after = self.times.partition_point(|&start| start <= time);
        let piece = after.saturating_sub(1).min(self.motions.len() - 1);
        let [start, end] = [self.times[piece], self.times[piece + 1]];
        (piece, ((time - start) / (end - start)).clamp(0.0, 1.0))
    }

    /// The time at which `part` of a piece is past.
    pub fn time_at(&self, piece: usize, part: f64) -> f64 {
        let [start, end] = [self.times[piece], self.times[piece + 1]];
        if part >= 1.0 { end } else { start + part * (end - start) }
    }

    /// The pose at a time.
    pub fn pose_at(&self, time: f64) -> Pose {
        let (piece, part) = self.locate(time);
        self.motions[piece].pose_at(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shift(x: f64) -> Pose {
        Pose::shift([x, 0.0, 0.0]).unwrap()
    }

    fn step(from: f64, to: f64) -> Motion {
        Motion::lerp_slerp(shift(from), shift(to))
    }

    #[test]
    fn times_lead_to_pieces_and_back() {
        let path = Path::new(vec![1.0, 2.0, 4.0], vec![step(0.0, 1.0), step(1.0, 5.0)]).unwrap();
        assert_eq!(path.span(), [1.0, 4.0]);
        let cases = [
            (0.0, 0, 0.0),
            (1.0, 0, 0.0),
            (1.5, 0, 0.5),
            (2.0, 1, 0.0),
            (3.0, 1, 0.5),
            (9.0, 1, 1.0),
        ];
        for (time, piece, part) in cases {
            assert_eq!(path.locate(time), (piece, part), "{time}");
            assert_eq!(path.time_at(piece, part), time.clamp(1.0, 4.0));
        }
        assert_eq!(path.pose_at(3.0).translation(), [3.0, 0.0, 0.0]);
        assert_eq!(path.pose_at(4.0), shift(5.0));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let steps = || vec![step(0.0, 1.0), step(1.0, 2.0)];
        assert_eq!(Path::new(vec![0.0], Vec::new()), Err(PathError::Empty));
        let counted = PathError::TimeCount { motions: 2, times: 2 };
        assert_eq!(Path::new(vec![0.0, 1.0], steps()), Err(counted));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = Path::new(vec![0.0, bad, f64::INFINITY], steps());
            assert!(matches!(refused, Err(PathError::TimeOrder { index: 1 | 2, .. })));
        }
        let jump = vec![step(0.0, 1.0), step(1.5, 2.0)];
        assert_eq!(Path::new(vec![0.0, 1.0, 2.0], jump), Err(PathError::Jump(1)));
    }
}
