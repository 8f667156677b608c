//! The screw that leads from one pose to another: every displacement of a rigid body is a turn about
//! some line with a shift along it (Chasles).

use glam::DVec3;
use impinge_geom::motion::{Motion, MotionError, Screw};
use impinge_geom::pose::Pose;

/// Below this angle the line is so far away that its place is lost to rounding: with the way `d` across
/// it, it lies at `d/θ`, and the end of the motion is off by `ε·d/θ`. The straight way is off by
/// `d·θ/8` in the middle and not at all at the end. Where both are equal they are 5e-9 of the way.
const ANGLE_MIN: f64 = 4e-8;

/// From one pose to another by a screw that turns by at most half a turn. Its end may differ from
/// `pose1` by rounding.
pub(super) fn screw(pose0: Pose, pose1: Pose) -> Result<Motion, MotionError> {
    let [w, x, y, z] = pose1.after(&pose0.inverse()).rotation();
    // A quaternion and its negative are one rotation; the one with w ≥ 0 turns by at most π.
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let half_axis = DVec3::new(x, y, z) * sign;
    let sine = half_axis.length();
    let angle = 2.0 * sine.atan2(w * sign);
    if angle < ANGLE_MIN {
        return Ok(Motion::lerp_slerp(pose0, pose1));
    }
    let axis = half_axis / sine;
    let start = DVec3::from(pose0.translation());
    let way = DVec3::from(pose1.translation()) - start;
    let advance = way.dot(axis);
    let across = way - axis * advance;
    // The body's origin goes by `across` on a circle; its centre is beside the middle of that chord,
    // at the distance cot(θ/2) times half its length. The quaternion has that cotangent as it is.
    let center = start + 0.5 * (across + w * sign / sine * axis.cross(across));
    let screw = Screw { point: center.into(), direction: axis.into(), angle, advance };
    Motion::screw(pose0, screw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use impinge_geom::motion::MotionKind;
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn turned(axis: DVec3, angle: f64, place: DVec3) -> Pose {
        let q = DQuat::from_axis_angle(axis.normalize(), angle);
        Pose::new([q.w, q.x, q.y, q.z], place).unwrap()
    }

    fn vectors(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from)
    }

    /// How far a pose puts some points away from where another one does, at most.
    fn apart(a: &Pose, b: &Pose) -> f64 {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let far = points.map(|p| (DVec3::from(a.apply(&p)) - DVec3::from(b.apply(&p))).length());
        far.into_iter().fold(0.0, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_screw_is_found_again_from_its_ends(
            (place, tilt) in (vectors(9.0), vectors(1.0)),
            (point, direction) in (vectors(9.0), vectors(1.0)),
            (angle, advance) in (1e-3..3.1f64, -9.0..9.0f64),
        ) {
            prop_assume!(direction.length() > 0.1 && tilt.length() > 0.1);
            let start = turned(tilt, 1.0, place);
            let given = Screw { point: point.into(), direction: direction.into(), angle, advance };
            let given = Motion::screw(start, given).unwrap();
            let found = screw(start, *given.pose1()).unwrap();
            // The place of the axis is known less well, the smaller the angle.
            let error = 1e-12 / angle;
            for t in [0.0, 0.2, 0.5, 0.9, 1.0] {
                let off = apart(&found.pose_at(t), &given.pose_at(t));
                prop_assert!(off < error, "{off} at {t}, turning by {angle}");
            }
        }

        #[test]
        fn the_end_is_reached_whatever_the_angle(
            (place, tilt) in (vectors(9.0), vectors(1.0)),
            (way, direction) in (vectors(9.0), vectors(1.0)),
            power in -20.0..0.0f64,
            kind in 0..4,
        ) {
            prop_assume!(direction.length() > 0.1 && tilt.length() > 0.1);
            let angle = match kind {
                0 => 0.0,
                1 => PI,
                2 => PI - 10f64.powf(power),
                _ => 10f64.powf(power),
            };
            let start = turned(tilt, 1.0, place);
            let turn = turned(direction, angle, DVec3::ZERO).after(&start).rotation();
            let end = Pose::new(turn, place + way).unwrap();
            let motion = screw(start, end).unwrap();
            let off = apart(motion.pose1(), &end);
            prop_assert!(off < 1e-6, "{off}, turning by {angle}");
            prop_assert!(off < 1e-13 / angle.max(1e-8), "{off}, turning by {angle}");
            prop_assert!(motion.turn().1 <= PI.next_up());
            let straight = matches!(motion.kind(), MotionKind::LerpSlerp);
            prop_assert!(!straight || (angle < 2.0 * ANGLE_MIN && *motion.pose1() == end));
        }
    }

    #[test]
    fn exact_half_turns_and_pure_shifts() {
        let half = Pose::new([0.0, 0.0, 0.0, 1.0], [4.0, 0.0, 3.0]).unwrap();
        let motion = screw(Pose::IDENTITY, half).unwrap();
        let MotionKind::Screw(found) = motion.kind() else { panic!("{motion:?}") };
        assert_eq!((found.point, found.direction), ([2.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
        assert_eq!((found.angle, found.advance), (PI, 3.0));
        let shift = Pose::shift([1.0, 2.0, 3.0]).unwrap();
        let straight = Motion::lerp_slerp(Pose::IDENTITY, shift);
        assert_eq!(screw(Pose::IDENTITY, shift), Ok(straight));
    }
}
