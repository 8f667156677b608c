//! An instant of a path as its motions know it: which piece, and how much of it is past.

use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;

/// An instant of a path. Times of the path are rounded; this names the pose bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Moment {
    /// Which motion of the path.
    pub piece: usize,
    /// How much of it is past, 0…1.
    pub part: f64,
}

impl Moment {
    /// The start of any path.
    pub const START: Self = Self { piece: 0, part: 0.0 };

    /// The end of a path.
    pub fn end_of(path: &Path) -> Self {
        Self { piece: path.motions().len() - 1, part: 1.0 }
    }

    /// The instant at a time of the path.
    pub fn at(path: &Path, time: f64) -> Self {
        let (piece, part) = path.locate(time);
        Self { piece, part }
    }

    /// The time of the path.
    pub fn time(self, path: &Path) -> f64 {
        path.time_at(self.piece, self.part)
    }

    /// Where the leading body is.
    pub fn pose(self, path: &Path) -> Pose {
        path.motions()[self.piece].pose_at(self.part)
    }
}

/// Instants so close to each other that hardly anything happens unseen between them: at least sixteen for
/// each piece, and one for each hundredth of a turn, up to a limit for each piece.
pub(crate) fn closely(path: &Path) -> impl Iterator<Item = Moment> {
    let of_piece = |piece: usize| {
        let turned = path.motions()[piece].turn().1.abs() / (0.01 * std::f64::consts::TAU);
        let steps = (turned.ceil() as u32).clamp(16, 100_000);
        (0..steps).map(move |k| Moment { piece, part: f64::from(k) / f64::from(steps) })
    };
    (0..path.motions().len()).flat_map(of_piece).chain([Moment::end_of(path)])
}

/// About `count` instants from the start of a path to its end: the ends of its pieces and instants
/// evenly spread between them, or, if there are more pieces than that, over all of the path's time.
pub(crate) fn spread(path: &Path, count: usize) -> Vec<Moment> {
    let [start, end] = path.span();
    let (pieces, steps) = (path.motions().len(), count.max(2) - 1);
    let mut moments: Vec<Moment> = Vec::with_capacity(count + pieces);
    if pieces > steps {
        let time = |k: usize| start + (end - start) * (k as f64 / steps as f64);
        moments.extend((0..steps).map(|k| Moment::at(path, time(k))));
    } else {
        for (piece, two) in path.times().windows(2).enumerate() {
            let share = (two[1] - two[0]) / (end - start);
            let parts = (share * steps as f64).round().max(1.0);
            let part = |k: usize| Moment { piece, part: k as f64 / parts };
            moments.extend((0..parts as usize).map(part));
        }
    }
    moments.push(Moment::end_of(path));
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geom::motion::Motion;

    fn path(pieces: usize) -> Path {
        let pose = |k: usize| Pose::shift([k as f64, 0.0, 0.0]).unwrap();
        let motions = (0..pieces).map(|k| Motion::lerp_slerp(pose(k), pose(k + 1))).collect();
        Path::new((0..=pieces).map(|k| 2.0 * k as f64).collect(), motions).unwrap()
    }

    #[test]
    fn instants_are_spread_over_the_time_and_the_keyframes() {
        let two = path(2);
        let times: Vec<f64> = spread(&two, 5).iter().map(|moment| moment.time(&two)).collect();
        assert_eq!(times, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(spread(&two, 5).last(), Some(&Moment::end_of(&two)));
        assert_eq!(spread(&two, 3).len(), 3);
        // Of more keyframes than instants some are left out, but not the ends.
        let many = path(100);
        let moments = spread(&many, 5);
        assert_eq!(moments.len(), 5);
        assert_eq!((moments[0], moments[4]), (Moment::START, Moment::end_of(&many)));
        assert_eq!(spread(&many, 0).len(), 2);
    }
}
