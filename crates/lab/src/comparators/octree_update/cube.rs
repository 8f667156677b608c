//! Cells of octrees, and cubes that were turned against cells that were not.

use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::pose::Pose;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cube {
    pub(super) center: Point,
    pub(super) half: f64,
}

impl Cube {
    pub(super) fn bounds(&self) -> Aabb {
        let Self { center, half } = *self;
        Aabb { min: center.map(|x| x - half), max: center.map(|x| x + half) }
    }

    pub(super) fn children(&self) -> [Self; 8] {
        let half = 0.5 * self.half;
        std::array::from_fn(|child| {
            let shift = |k: usize| if child >> k & 1 == 1 { half } else { -half };
            Self { center: std::array::from_fn(|k| self.center[k] + shift(k)), half }
        })
    }
}

/// All cubes of one body: they differ in their middles alone, so what depends on the turn is
/// worked out once per cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    /// Row by row, as the pose has it: the columns are the cube's axes.
    matrix: [[f64; 3]; 3],
    half: f64,
    /// Half of the box around it.
    reach: [f64; 3],
    /// Half of its shadow on coordinate × axis.
    crossed: [[f64; 3]; 3],
}

impl Turned {
    pub(super) fn new(pose: &Pose, half: f64) -> Self {
        let matrix = pose.matrix();
        let reach = matrix.map(|row| half * row.iter().map(|x| x.abs()).sum::<f64>());
        // The axis e_k × u_n is perpendicular to u_n: the shadow comes from the other two axes,
        // |(e_k × u_n) · u_m| = |e_k · u_l| with l the third.
        let crossed = std::array::from_fn(|k| {
            std::array::from_fn(|n| {
                half * (matrix[k][(n + 1) % 3].abs() + matrix[k][(n + 2) % 3].abs())
            })
        });
        Self { matrix, half, reach, crossed }
    }

    /// Whether the cube at `center` shares a point with a box, by the fifteen axes.
    pub(super) fn meets(&self, center: &Point, middle: &Point, half: &Point) -> bool {
        let d: Point = std::array::from_fn(|k| center[k] - middle[k]);
        if (0..3).any(|k| d[k].abs() > self.reach[k] + half[k]) {
            return false;
        }
        let m = &self.matrix;
        let own = |n: usize| {
            let along = d[0] * m[0][n] + d[1] * m[1][n] + d[2] * m[2][n];
            let shadow =
                half[0] * m[0][n].abs() + half[1] * m[1][n].abs() + half[2] * m[2][n].abs();
            along.abs() <= self.half + shadow
        };
        if !(own(0) && own(1) && own(2)) {
            return false;
        }
        (0..3).all(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            (0..3).all(|n| {
                // e_k × u_n has the coordinates −u_n[j] along i and u_n[i] along j.
                let along = d[j] * m[i][n] - d[i] * m[j][n];
                let shadow = half[i] * m[j][n].abs() + half[j] * m[i][n].abs();
                along.abs() <= self.crossed[k][n] + shadow
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparators::gjk::{Support, closest};
    use crate::near::Random;
    use glam::DVec3;

    struct Corners(Vec<DVec3>);

    impl Support for Corners {
        fn farthest(&mut self, direction: DVec3) -> (u32, DVec3) {
            let heights = self.0.iter().map(|p| p.dot(direction)).enumerate();
            let best =
                heights.fold((0, f64::MIN), |best, (k, h)| if h > best.1 { (k, h) } else { best });
            (best.0 as u32, self.0[best.0])
        }
    }

    fn corners(half: Point, place: impl Fn(Point) -> Point) -> Corners {
        let sign =
            |k: usize, axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
        let corner = |k: usize| place([sign(k, 0), sign(k, 1), sign(k, 2)]);
        Corners((0..8).map(|k| DVec3::from(corner(k))).collect())
    }

    #[test]
    fn the_fifteen_axes_agree_with_the_distance() {
        let mut random = Random::of([9, 9, 8]);
        let mut counts = [0; 2];
        for round in 0..4000 {
            let turn = if round % 5 == 0 { [1.0, 0.0, 0.0, 0.0] } else { random.on_sphere::<4>() };
            let pose = Pose::new(turn, [(); 3].map(|()| random.between([-1.6, 1.6]))).unwrap();
            let half = [(); 3].map(|()| random.between([0.1, 1.0]));
            let turned = Turned::new(&pose, 0.5);
            let meets = turned.meets(&pose.translation(), &[0.0; 3], &half);
            let mut a = corners([0.5; 3], |p| pose.apply(&p));
            let mut b = corners(half, |p| p);
            let gap = closest(&mut a, &mut b, DVec3::X).between.length();
            if gap > 1e-9 || meets {
                assert_eq!(meets, gap <= 1e-9, "{pose:?} {half:?} {gap}");
            }
            counts[usize::from(meets)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }
}
