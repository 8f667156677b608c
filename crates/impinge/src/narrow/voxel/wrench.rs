//! Force and torque from points in voxels, as haptic devices want them.

use crate::contract::answer::Touch;
use impinge_geom::Point;

/// How hard points push back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Force per depth of a point.
    pub stiffness: f64,
    /// The force is not greater than this, whatever the depth; torque is lessened alike.
    pub force_max: f64,
}

/// What acts on B; the opposite acts on A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// The sum of all forces.
    pub force: Point,
    /// The sum of their torques about a point that was chosen.
    pub torque: Point,
}

impl Wrench {
    /// Every point is a spring that pushes along the way out with a force that grows with its depth.
    pub fn of(touches: &[Touch], spring: &Spring, about: &Point) -> Self {
        let mut all = Self::default();
        for touch in touches {
            let force = touch.normal.map(|x| x * spring.stiffness * touch.depth);
            let arm: Point = std::array::from_fn(|k| touch.point[k] - about[k]);
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                all.force[k] += force[k];
                all.torque[k] += arm[i] * force[j] - arm[j] * force[i];
            }
        }
        let length = all.force.iter().map(|x| x * x).sum::<f64>().sqrt();
        let part = if length > spring.force_max { spring.force_max / length } else { 1.0 };
        Self { force: all.force.map(|x| x * part), torque: all.torque.map(|x| x * part) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::answer::Side;

    fn touch(point: Point, normal: Point, depth: f64) -> Touch {
        Touch { of: Side::A, point, voxel: point, normal, depth }
    }

    #[test]
    fn springs_add_up_and_are_limited() {
        let up = [0.0, 0.0, 1.0];
        let touches = [touch([1.0, 0.0, 0.0], up, 0.5), touch([3.0, 0.0, 0.0], up, 0.25)];
        let spring = Spring { stiffness: 8.0, force_max: f64::INFINITY };
        let wrench = Wrench::of(&touches, &spring, &[0.0; 3]);
        assert_eq!(wrench, Wrench { force: [0.0, 0.0, 6.0], torque: [0.0, -10.0, 0.0] });
        let about = Wrench::of(&touches, &spring, &[5.0 / 3.0, 0.0, 0.0]);
        assert!(about.torque.iter().all(|x| x.abs() < 1e-12), "{about:?}");
        let weak = Wrench::of(&touches, &Spring { force_max: 3.0, ..spring }, &[0.0; 3]);
        assert_eq!(weak, Wrench { force: [0.0, 0.0, 3.0], torque: [0.0, -5.0, 0.0] });
    }
}
