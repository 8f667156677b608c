//! Several pieces of a path as one motion that is nowhere farther from it than a bound.
//!
//! Keyframes are often so dense that a pair looks the same from piece to piece. Who keeps a distance
//! from a motion keeps that distance, less the bound, from the path, so that one search does for many.

use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, MotionKind};
use impinge_geom::pose::Pose;
use std::ops::Range;

/// Some pieces, and a motion that stands for them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) pieces: Range<usize>,
    pub(crate) motion: Motion,
    /// No point of the mesh is farther from where the path has it: at some instant of the motion for
    /// each instant of the path, in the same order.
    pub(crate) deviation: f64,
}

/// The most pieces in a block.
const PIECES_MAX: usize = 32;

/// The blocks of at least two pieces along which a mesh stays within `most` of its path.
pub(crate) fn blocks(path: &Path, mesh: &Mesh, most: f64) -> Vec<Block> {
    let reach = Reach::of(mesh);
    let count = path.motions().len();
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < count {
        let mut size = PIECES_MAX.min(count - start);
        let found = loop {
            if size < 2 {
                break None;
            }
            let block = block(path, start..start + size, &reach);
            if let Some(block) = block.filter(|block| block.deviation <= most) {
                break Some(block);
            }
            size /= 2;
        };
        start += found.as_ref().map_or(1, |block| block.pieces.len());
        blocks.extend(found);
    }
    blocks
}

/// How far a mesh reaches.
struct Reach {
    center: [f64; 3],
    /// From the center.
    radius: f64,
    /// From the origin, about which it turns.
    arm: f64,
}

impl Reach {
    fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let far = |k: usize| bounds.min[k].abs().max(bounds.max[k].abs());
        let arm = (far(0).powi(2) + far(1).powi(2) + far(2).powi(2)).sqrt();
        Self { center: bounds.center(), radius: 0.5 * bounds.diagonal(), arm }
    }

    /// How far apart two places of one point can be, at most, and how much a unit vector is turned.
    ///
    /// A difference of two rotations stretches no vector by more than its Frobenius norm over √2.
    fn between(&self, one: &Pose, other: &Pose) -> [f64; 2] {
        let [a, b] = [one, other].map(|pose| pose.apply(&self.center));
        let moved = norm((0..3).map(|k| a[k] - b[k]));
        let [a, b] = [one, other].map(Pose::matrix);
        let turned = norm((0..9).map(|k| a[k / 3][k % 3] - b[k / 3][k % 3]));
        let turned = turned * std::f64::consts::FRAC_1_SQRT_2;
        [moved + turned * self.radius, turned]
    }

    /// How far two points that turn are apart between two instants at most, beyond what they are at
    /// those: an eighth of the difference of their accelerations, which are θ² times the part of
    /// their arms that is normal to their axes.
    fn bulge(&self, [u, v]: [Turn; 2], turned: f64) -> f64 {
        let apart = norm((0..3).map(|k| u.axis[k] - v.axis[k]));
        let squares = [u.angle * u.angle, v.angle * v.angle];
        // Matrices are apart in between as points are.
        let turned = turned + 0.125 * (squares[0] + squares[1]);
        let alike = (squares[0] - squares[1]).abs() + squares[1] * (apart + turned);
        0.125 * self.arm * alike.min(squares[0] + squares[1])
    }

    /// About how long a piece is: what tells how far along a block it is.
    fn length(&self, motion: &Motion) -> f64 {
        let [a, b] = [motion.pose0(), motion.pose1()].map(Pose::translation);
        norm((0..3).map(|k| a[k] - b[k])) + motion.turn().1.abs() * self.arm
    }

    /// What rounding does to all of this, twice over.
    fn rounding(&self, pose: &Pose) -> f64 {
        let far = pose.translation().iter().map(|x| x.abs()).sum::<f64>();
        1e-13 * (far + self.arm + self.radius)
    }
}

/// How a body turns.
#[derive(Clone, Copy)]
struct Turn {
    axis: [f64; 3],
    angle: f64,
}

fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}

fn block(path: &Path, pieces: Range<usize>, reach: &Reach) -> Option<Block> {
    let motions = &path.motions()[pieces.clone()];
    let straight = |motion: &Motion| motion.kind() == MotionKind::LerpSlerp;
    if !motions.iter().all(straight) {
        return None;
    }
    let (first, last) = (motions.first()?, motions.last()?);
    let motion = Motion::lerp_slerp(*first.pose0(), *last.pose1());
    let total: f64 = motions.iter().map(|piece| reach.length(piece)).sum();
    if total.is_nan() || total <= 0.0 {
        return None;
    }
    let (axis, angle) = motion.turn();
    let (mut past, mut deviation, mut before) = (0.0, 0.0f64, [0.0; 2]);
    for piece in motions {
        let share = reach.length(piece) / total;
        past += share;
        let after = reach.between(piece.pose1(), &motion.pose_at(past));
        let [apart, turned] = [0, 1].map(|k| after[k].max(before[k]));
        let turn = Turn { axis: piece.turn().0, angle: piece.turn().1 };
        let bulge = reach.bulge([turn, Turn { axis, angle: angle * share }], turned);
        let rounding = reach.rounding(piece.pose0()) + reach.rounding(piece.pose1());
        deviation = deviation.max(apart + bulge + rounding);
        before = after;
    }
    Some(Block { pieces, motion, deviation: deviation * (1.0 + 1e-9) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pose(angle: f64, [x, y]: [f64; 2]) -> Pose {
        let (s, c) = (0.5 * angle).sin_cos();
        Pose::new([c, 0.1 * s, 0.2 * s, s], [x, y, -x]).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Every instant of the path is near one of the motion.
        #[test]
        fn a_block_is_no_farther_from_its_path_than_it_says(
            steps in prop::collection::vec((0.0..0.1f64, [-0.1..0.1f64, -0.1..0.1f64]), 2..20),
            drift in -0.5..0.5f64,
        ) {
            let mut at = (0.3, [4.0, -2.0]);
            let mut poses = vec![pose(at.0, at.1)];
            for (turn, way) in steps {
                at = (at.0 + turn, [at.1[0] + drift + way[0], at.1[1] + way[1]]);
                poses.push(pose(at.0, at.1));
            }
            let motions: Vec<Motion> =
                poses.windows(2).map(|two| Motion::lerp_slerp(two[0], two[1])).collect();
            let times = (0..poses.len()).map(|k| k as f64).collect();
            let path = Path::new(times, motions).unwrap();
            let corners = vec![[1.0, 0.0, 0.0], [0.0, 3.0, 0.5], [-1.0, 0.0, 2.0]];
            let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]]).unwrap();
            let reach = Reach::of(&mesh);
            for block in blocks(&path, &mesh, f64::INFINITY) {
                for k in 0..=50 {
                    let part = f64::from(k) / 50.0 * block.pieces.len() as f64;
                    let here = path.pose_at(block.pieces.start as f64 + part);
                    let apart = |s: f64| {
                        let there = block.motion.pose_at(s);
                        let of = |p: &[f64; 3]| {
                            let (a, b) = (here.apply(p), there.apply(p));
                            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
                        };
                        corners.iter().map(of).fold(0.0, f64::max)
                    };
                    let nearest = (0..=1000).map(|s| apart(f64::from(s) / 1000.0));
                    let nearest = nearest.fold(f64::INFINITY, f64::min);
                    // The steps of this search are no finer than this.
                    let step = 1e-3 * reach.length(&block.motion);
                    prop_assert!(nearest <= block.deviation + step);
                }
            }
        }
    }

    #[test]
    fn what_goes_on_alike_is_one_block_and_what_turns_off_is_not() {
        let shift = |x: f64, y: f64| Pose::shift([x, y, 0.0]).unwrap();
        let mut poses: Vec<Pose> = (0..=10).map(|k| shift(f64::from(k), 0.0)).collect();
        poses.extend((1..=10).map(|k| shift(10.0, f64::from(k))));
        let motions: Vec<Motion> =
            poses.windows(2).map(|two| Motion::lerp_slerp(two[0], two[1])).collect();
        let path = Path::new((0..=20).map(f64::from).collect(), motions).unwrap();
        let mesh = Mesh::new(vec![[1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
        let found = blocks(&path, &mesh.unwrap(), 1e-9);
        assert!(found.iter().all(|block| block.deviation < 1e-11));
        assert!(found.iter().all(|block| !(block.pieces.start < 10 && block.pieces.end > 10)));
        let covered: usize = found.iter().map(|block| block.pieces.len()).sum();
        assert!(covered >= 18, "{found:?}");
    }
}
