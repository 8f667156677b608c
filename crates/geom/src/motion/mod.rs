//! How a body gets from one pose to the next, and certain bounds of where it goes meanwhile.
//!
//! Boxes at the start and the end of a turn do not hold what happens between, so the bounds here
//! are made from the turn itself: a point at distance r from the axis that turns by φ ≤ π is at
//! no time further than r·(1 − cos(φ/2)) from where straight interpolation would put it. Larger
//! angles are cut into pieces first.

pub mod course;
pub mod moment;
pub mod path;
pub mod vertex;

use crate::aabb::Aabb;
use crate::mesh::MeshError;
use crate::pose::{Pose, PoseError};
use crate::sphere::Sphere;
use crate::{COORDINATE_MAX, COORDINATE_MIN, Point};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_4, PI, TAU};

/// A turn about a line, with a shift along it: what a screw does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// Some point of the axis, in world coordinates.
    pub point: Point,
    /// Along the axis; any length but zero.
    pub direction: Point,
    /// The angle of the whole motion in radians, of either sign; may be several turns.
    pub angle: f64,
    /// How far the body moves along the axis in the whole motion.
    pub advance: f64,
}

/// Which rule a [`Motion`] follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionKind {
    /// Straight translation, and the shortest rotation at a steady rate.
    LerpSlerp,
    /// Steady turning about a fixed axis with a steady advance.
    Screw(Screw),
}

/// Why some numbers are no motion.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A NaN or infinite number.
    #[error("a screw needs finite numbers, found {0}")]
    NotFinite(f64),
    /// The direction has no direction.
    #[error("the axis direction is zero; a screw needs a direction")]
    NoAxis,
    /// Angles lose their meaning when rounding is a noticeable part of a turn.
    #[error("the angle {0:e} is too large; at most {ANGLE_MAX:e} radians are possible")]
    TooManyTurns(f64),
    /// The screw leads beyond what exact tests can handle.
    #[error("the screw reaches {0:e} from the origin; at most 2e90 is possible")]
    TooFar(f64),
    /// The end pose cannot be made.
    #[error("the end of the motion is no pose: {0}")]
    End(#[from] PoseError),
    /// A vertex that is no point.
    #[error(transparent)]
    Vertex(MeshError),
    /// Start and end of a deforming mesh differ in length.
    #[error("{start} vertices at the start but {end} at the end; as many are needed")]
    VertexCount {
        /// Vertices at the start.
        start: usize,
        /// Vertices at the end.
        end: usize,
    },
}

/// The largest angle of a [`Screw`], in radians.
pub const ANGLE_MAX: f64 = 1e6;

/// The motion of a rigid body over the time 0…1.
///
/// The real-number path is `x(t) = R(axis, angle·t)·(M·p + arm) + base + t·drift`, where `M` is
/// the matrix of the start pose and all other numbers are those stored here. [`Motion::pose_at`]
/// is that path up to rounding, except that it gives the two end poses bit for bit. All bounds
/// hold the real-number path *and* everything that `pose_at` and [`Pose::apply`] make of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    kind: MotionKind,
    pose0: Pose,
    pose1: Pose,
    /// Of unit length up to rounding.
    axis: Point,
    angle: f64,
    arm: Point,
    base: Point,
    drift: Point,
}

impl Motion {
    /// From one pose to another: the translation straight, the rotation the short way round. A half
    /// turn, where both ways are equally long, goes the way that rounding finds.
    pub fn lerp_slerp(pose0: Pose, pose1: Pose) -> Self {
        // `inverse` and `after` treat the translation too; only the quaternion is used here.
        let [w, x, y, z] = pose1.after(&pose0.inverse()).rotation();
        // A quaternion and its negative are one rotation; the one with w ≥ 0 turns by at most π.
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let half_axis = DVec3::new(x, y, z) * sign;
        let length = half_axis.length();
        let axis = if length > 0.0 { half_axis / length } else { DVec3::Z };
        let (base, end) = (pose0.translation(), pose1.translation());
        Self {
            kind: MotionKind::LerpSlerp,
            pose0,
            pose1,
            axis: axis.into(),
            angle: 2.0 * length.atan2(w * sign),
            arm: [0.0; 3],
            base,
            drift: std::array::from_fn(|k| end[k] - base[k]),
        }
    }

    /// From a pose by a screw.
    pub fn screw(pose0: Pose, screw: Screw) -> Result<Self, MotionError> {
        let Screw { point, direction, angle, advance } = screw;
        let numbers = point.iter().chain(&direction).chain([&angle, &advance]);
        if let Some(bad) = numbers.into_iter().find(|x| !x.is_finite()) {
            return Err(MotionError::NotFinite(*bad));
        }
        if angle.abs() > ANGLE_MAX {
            return Err(MotionError::TooManyTurns(angle));
        }
        // Divided first, so that the square of a huge or tiny direction stays a number.
        let largest = DVec3::from(direction).abs().max_element();
        let axis = (DVec3::from(direction) / largest).try_normalize().ok_or(MotionError::NoAxis)?;
        let arm = DVec3::from(pose0.translation()) - DVec3::from(point);
        let reach = norm1(&arm.into()) + norm1(&point) + advance.abs();
        if reach > COORDINATE_MAX {
            return Err(MotionError::TooFar(reach));
        }
        let mut motion = Self {
            kind: MotionKind::Screw(screw),
            pose0,
            pose1: pose0,
            axis: axis.into(),
            angle,
            arm: arm.into(),
            base: point,
            drift: (axis * advance).into(),
        };
        let end = motion.evaluate(1.0);
        motion.pose1 = Pose::new(end.rotation(), end.translation())?;
        Ok(motion)
    }

    /// Which rule the motion follows.
    pub fn kind(&self) -> MotionKind {
        self.kind
    }

    /// The pose at time 0.
    pub fn pose0(&self) -> &Pose {
        &self.pose0
    }

    /// The pose at time 1.
    pub fn pose1(&self) -> &Pose {
        &self.pose1
    }

    /// The direction about which the body turns, of unit length, and the angle of the whole motion.
    pub fn turn(&self) -> (Point, f64) {
        (self.axis, self.angle)
    }

    /// The pose at time `t`; times before 0 count as 0, those after 1 as 1.
    pub fn pose_at(&self, t: f64) -> Pose {
        if t >= 1.0 {
            self.pose1
        } else if t > 0.0 {
            self.evaluate(t)
        } else {
            self.pose0
        }
    }

    fn evaluate(&self, t: f64) -> Pose {
        let (sine, cosine) = (0.5 * self.angle * t).sin_cos();
        let [x, y, z] = self.axis.map(|u| u * sine);
        let base: Point = std::array::from_fn(|k| self.base[k] + t * self.drift[k]);
        let turn = Pose::derived([cosine, x, y, z], base);
        turn.after_parts(self.pose0.rotation(), &self.arm)
    }

    /// Everywhere the body's point `p` goes during `t0…t1`.
    pub fn point_bounds(&self, p: &Point, t0: f64, t1: f64) -> Aabb {
        self.span(t0, t1).point_bounds(p)
    }

    /// Everywhere the body's box goes during `t0…t1`.
    pub fn aabb_bounds(&self, local: &Aabb, t0: f64, t1: f64) -> Aabb {
        if local.is_empty() {
            return Aabb::EMPTY;
        }
        let span = self.span(t0, t1);
        // At every instant the posed box is the hull of its posed corners.
        (0..8).fold(Aabb::EMPTY, |bounds, corner| {
            let pick = |k: usize| if corner >> k & 1 == 0 { local.min[k] } else { local.max[k] };
            bounds.union(&span.point_bounds(&std::array::from_fn(pick)))
        })
    }

    /// Everywhere the body's sphere goes during `t0…t1`.
    pub fn sphere_bounds(&self, local: &Sphere, t0: f64, t1: f64) -> Sphere {
        if local.radius < 0.0 {
            return Sphere::EMPTY;
        }
        let span = self.span(t0, t1);
        let path = span.center_sphere(&local.center);
        // A rotation matrix may stretch by its rounding, which the slack of a point at the
        // sphere's rim accounts for.
        let rim = self.slack(norm1(&local.center) + 2.0 * local.radius);
        Sphere { center: path.center, radius: up(path.radius + local.radius + 2.0 * rim) }
    }

    /// How far apart two places of one point of the body's sphere can be during `t0…t1`, at most.
    pub fn displacement_max(&self, local: &Sphere, t0: f64, t1: f64) -> f64 {
        if local.radius < 0.0 {
            return 0.0;
        }
        let (t0, t1) = ordered(t0, t1);
        let time = up(t1 - t0);
        let angle = (self.angle.abs() * time).min(PI);
        let radius = self.radius_of(&local.center) + local.radius;
        let (along, across) = self.drift_parts();
        // A chord of the circle and the drift's part in its plane lie in one plane; the rest of the
        // drift is normal to it.
        let in_plane = across * time + 2.0 * radius * (0.5 * angle).sin();
        let slack = self.slack(norm1(&local.center) + 2.0 * local.radius);
        // Two places, and the slack is per coordinate: 2·√3 < 4.
        up(up(along * time).hypot(up(in_plane))) + 4.0 * slack
    }

    /// The lengths of the drift along the axis and across it.
    fn drift_parts(&self) -> (f64, f64) {
        let (drift, axis) = (DVec3::from(self.drift), DVec3::from(self.axis));
        let spare = 8.0 * f64::EPSILON * norm1(&self.drift);
        (drift.dot(axis).abs() + spare, drift.cross(axis).length() + spare)
    }

    /// A point of the axis about which the body turns, at a time. It drifts as the body does.
    pub fn axis_at(&self, t: f64) -> Point {
        std::array::from_fn(|k| self.base[k] + t * self.drift[k])
    }

    /// The way of the axis over the whole motion.
    pub fn drift(&self) -> Point {
        self.drift
    }

    /// Where the body's point `p` is at the start, relative to that point of the axis.
    pub fn from_axis(&self, p: &Point) -> Point {
        self.arm_of(p).into()
    }

    fn arm_of(&self, p: &Point) -> DVec3 {
        DVec3::from(self.pose0.rotate(p)) + DVec3::from(self.arm)
    }

    /// How far the body's point `p` is from the axis about which it turns, at most.
    pub fn radius_of(&self, p: &Point) -> f64 {
        let arm = self.arm_of(p);
        // The cross product is off by below 4 ε and the unit length of the axis by 2 ε.
        arm.cross(self.axis.into()).length() + 8.0 * f64::EPSILON * arm.abs().element_sum()
    }

    /// What rounding may do to each coordinate of a point whose coordinates add up to `local` in
    /// amount, twice over: once in an evaluated pose, once in the bound that must hold it.
    ///
    /// Half of it, in units of ε: the angle θ·t is rounded by θ/2 and sine and cosine by 1 each,
    /// the axis is of unit length up to 2; with the quaternion product (4) and a start quaternion
    /// that is a unit one up to 4, the quaternion is off by at most θ/4 + 15, the matrix by twice
    /// that plus its own roundings (12) and those of applying it (4): θ/2 + 46. In a `LerpSlerp`
    /// axis and angle come from a rounded product (another 2·12) so that the end pose is off by as
    /// much, and the stored start matrix stands for a quaternion that may be 8 off: below θ/2 + 80,
    /// times `local` and `arm`. Base, drift and their sums are rounded twice at most, each by ½.
    pub fn slack(&self, local: f64) -> f64 {
        let turned = (160.0 + self.angle.abs()) * (local + norm1(&self.arm));
        let shifted = 4.0 * (norm1(&self.base) + norm1(&self.drift) + norm1(&self.arm));
        f64::EPSILON * (turned + shifted) + COORDINATE_MIN
    }

    fn span(&self, t0: f64, t1: f64) -> Span<'_> {
        let (t0, t1) = ordered(t0, t1);
        let angle = up(self.angle.abs() * (t1 - t0));
        // NaN cannot occur, and the number of pieces is at most eight.
        let pieces = if angle < TAU { (angle / FRAC_PI_4).ceil().max(1.0) as usize } else { 0 };
        let time = |i: usize| if i == pieces { t1 } else { t0 + (t1 - t0) * share(i, pieces) };
        let mut poses = [self.pose0; PIECES_MAX + 1];
        for (i, pose) in poses.iter_mut().enumerate().take(pieces + 1) {
            *pose = self.pose_at(time(i));
        }
        // The pieces are equal up to the rounding of their times, an absolute ε of the whole turn.
        let each = angle / pieces.max(1) as f64 + 4.0 * f64::EPSILON * self.angle.abs();
        let quarter = (0.25 * each).sin();
        Span { motion: self, times: [t0, t1], poses, pieces, sag: up(2.0 * quarter * quarter) }
    }
}

/// The most pieces that an interval is cut into: a full turn by eighths.
const PIECES_MAX: usize = 8;

/// A motion during an interval, cut into pieces that turn by at most π/4.
struct Span<'a> {
    motion: &'a Motion,
    times: [f64; 2],
    /// The poses at the ends of the pieces.
    poses: [Pose; PIECES_MAX + 1],
    /// Zero when the interval holds a full turn or more: then the whole circle counts.
    pieces: usize,
    /// 1 − cos(φ/2) for the angle φ of a piece, rounded up.
    sag: f64,
}

impl Span<'_> {
    fn stations(&self, p: &Point) -> [Point; PIECES_MAX + 1] {
        self.poses.map(|pose| pose.apply(p))
    }

    /// The centres of the circle about the axis at the start and the end of the interval.
    fn circle_centers(&self, p: &Point) -> [Point; 2] {
        let (motion, axis) = (self.motion, DVec3::from(self.motion.axis));
        let foot = axis * motion.arm_of(p).dot(axis);
        self.times.map(|t| (foot + DVec3::from(motion.base) + DVec3::from(motion.drift) * t).into())
    }

    fn point_bounds(&self, p: &Point) -> Aabb {
        let radius = self.motion.radius_of(p);
        let slack = self.motion.slack(norm1(p));
        let (ends, swing) = if self.pieces == 0 {
            (Aabb::around(&self.circle_centers(p)), radius)
        } else {
            let stations = self.stations(p);
            (Aabb::around(&stations[..=self.pieces]), radius * self.sag)
        };
        let axis = self.motion.axis;
        // The swing is normal to the axis, so a coordinate sees only its share of it.
        let margin: Point = std::array::from_fn(|k| {
            let share = axis[(k + 1) % 3].hypot(axis[(k + 2) % 3]) * (1.0 + 8.0 * f64::EPSILON);
            up(up(swing * share) + slack)
        });
        Aabb {
            min: std::array::from_fn(|k| (ends.min[k] - margin[k]).next_down()),
            max: std::array::from_fn(|k| (ends.max[k] + margin[k]).next_up()),
        }
    }

    /// A sphere around the way of one point.
    fn center_sphere(&self, p: &Point) -> Sphere {
        let motion = self.motion;
        let radius = motion.radius_of(p);
        // The slack is per coordinate: √3 < 2.
        let slack = 2.0 * motion.slack(norm1(p));
        if self.pieces == 0 {
            let [from, to] = self.circle_centers(p).map(DVec3::from);
            let half_time = 0.5 * up(self.times[1] - self.times[0]);
            let (along, across) = motion.drift_parts();
            let reach = up(along * half_time).hypot(up(across * half_time + radius));
            return Sphere { center: (from * 0.5 + to * 0.5).into(), radius: up(reach) + slack };
        }
        let stations = self.stations(p);
        let chords = Sphere::around(&stations[..=self.pieces]);
        let reach = up(chords.radius + radius * self.sag) + slack;
        Sphere { center: chords.center, radius: up(reach) }
    }
}

/// Both times within 0…1, the earlier first.
fn ordered(t0: f64, t1: f64) -> (f64, f64) {
    // Not `clamp`, which would hand a NaN on; as in `pose_at` it counts as 0.
    let within = |t: f64| if t > 0.0 { t.min(1.0) } else { 0.0 };
    (within(t0).min(within(t1)), within(t0).max(within(t1)))
}

fn share(i: usize, pieces: usize) -> f64 {
    i as f64 / pieces as f64
}

/// A little more than a value that a handful of roundings made: 8 ε for at most 8 roundings.
fn up(x: f64) -> f64 {
    x * (1.0 + 8.0 * f64::EPSILON)
}

fn norm1(v: &Point) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    const SAMPLES: u32 = 200;

    pub(super) fn places() -> impl Strategy<Value = Point> {
        let size = prop_oneof![Just(0.0), Just(1.0), Just(1e-7), Just(1e6)];
        (prop::array::uniform3(-1.0..1.0f64), size).prop_map(|(p, size)| p.map(|x| x * size))
    }

    fn axes() -> impl Strategy<Value = Point> {
        let any = prop::array::uniform3(-1.0..1.0f64).prop_filter("no axis", |v| norm1(v) > 0.1);
        prop_oneof![any, Just([0.0, 0.0, 1.0]), Just([1.0, 0.0, 0.0]), Just([1.0, 1.0, 0.0])]
    }

    fn turned(axis: Point, angle: f64, place: Point) -> Pose {
        let q = DQuat::from_axis_angle(DVec3::from(axis).normalize(), angle);
        Pose::new([q.w, q.x, q.y, q.z], place).unwrap()
    }

    pub(super) fn motions() -> impl Strategy<Value = Motion> {
        let angles = prop_oneof![
            Just(0.0),
            Just(1e-15),
            Just(1e-9),
            Just(1e-4),
            Just(0.05),
            Just(PI),
            Just(PI.next_up()),
            Just(TAU),
            Just(10.0 * TAU),
            Just(-3.3 * TAU),
            Just(0.9 * ANGLE_MAX),
            -7.0..7.0f64,
        ];
        let poses = (axes(), 0.0..TAU, places()).prop_map(|(u, a, p)| turned(u, a, p));
        (poses, axes(), angles, places(), places(), any::<bool>()).prop_map(
            |(pose0, direction, angle, point, way, is_screw)| {
                if is_screw {
                    let advance = way[0];
                    let screw = Screw { point, direction, angle, advance };
                    return Motion::screw(pose0, screw).unwrap();
                }
                let end: Point = std::array::from_fn(|k| pose0.translation()[k] + way[k]);
                let turn = turned(direction, angle, [0.0; 3]).after(&pose0);
                Motion::lerp_slerp(pose0, Pose::new(turn.rotation(), end).unwrap())
            },
        )
    }

    pub(super) fn times() -> impl Strategy<Value = (f64, f64)> {
        prop_oneof![Just((0.0, 1.0)), (0.0..1.0f64, 0.0..1.0f64), Just((0.3, 0.3 + 1e-12))]
    }

    pub(super) fn samples(t0: f64, t1: f64) -> impl Iterator<Item = f64> {
        let (t0, t1) = ordered(t0, t1);
        let between = move |i| t0 + (t1 - t0) * f64::from(i) / f64::from(SAMPLES);
        (0..SAMPLES).map(between).map(move |t| t.min(t1)).chain([t1])
    }

    pub(super) fn distance(a: &Point, b: &Point) -> f64 {
        (DVec3::from(*a) - DVec3::from(*b)).length()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        #[test]
        fn every_sample_is_within_every_bound(
            motion in motions(), (t0, t1) in times(), center in places(), size in places(),
            inner in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let local = Aabb::around(&[center, std::array::from_fn(|k| center[k] + size[k])]);
            let (middle, half) = (local.center(), local.size().map(|x| 0.5 * x));
            let p: Point = std::array::from_fn(|k| {
                (middle[k] + half[k] * inner[k]).clamp(local.min[k], local.max[k])
            });
            let sphere = Sphere::around(&[local.min, local.max]);
            let ball = motion.sphere_bounds(&sphere, t0, t1);
            let bounds = motion.aabb_bounds(&local, t0, t1);
            let way = motion.point_bounds(&p, t0, t1);
            let far = motion.displacement_max(&sphere, t0, t1);
            let corners = [local.min, local.max, p];
            let start = corners.map(|c| motion.pose_at(ordered(t0, t1).0).apply(&c));
            for t in samples(t0, t1) {
                let now = corners.map(|c| motion.pose_at(t).apply(&c));
                prop_assert!(way.contains(&now[2]), "{t}: {:?} not in {way:?}", now[2]);
                for (now, start) in now.iter().zip(&start) {
                    prop_assert!(bounds.contains(now), "{t}: {now:?} not in {bounds:?}");
                    let off = distance(now, &ball.center);
                    prop_assert!(off <= ball.radius, "{t}: {now:?} {ball:?}");
                    prop_assert!(distance(now, start) <= far, "{t}: {now:?} {start:?} {far}");
                }
            }
        }

        #[test]
        fn the_ends_are_kept_bit_for_bit(motion in motions(), other in motions()) {
            prop_assert_eq!(motion.pose_at(0.0), *motion.pose0());
            prop_assert_eq!(motion.pose_at(1.0), *motion.pose1());
            let slerp = Motion::lerp_slerp(*motion.pose0(), *other.pose0());
            prop_assert_eq!(slerp.pose_at(0.0), *motion.pose0());
            prop_assert_eq!(slerp.pose_at(1.0), *other.pose0());
            prop_assert!(slerp.turn().1 <= PI, "the short way");
            // The formula must lead to the given end, or the path would jump there.
            let end = slerp.evaluate(1.0);
            for k in 0..3 {
                let p = [1.0, -2.0, 3.0];
                let gap = (end.apply(&p)[k] - slerp.pose1().apply(&p)[k]).abs();
                prop_assert!(2.0 * gap <= slerp.slack(6.0), "{gap}");
            }
        }

        #[test]
        fn small_turns_are_bounded_tightly(
            axis in axes(), angle in 1e-6..0.1f64, place in prop::array::uniform3(-1.0..1.0f64),
            advance in -1.0..1.0f64,
        ) {
            let screw = Screw { point: place, direction: axis, angle, advance };
            let motion = Motion::screw(turned(axis, 1.0, [0.5; 3]), screw).unwrap();
            let local = Aabb { min: [-0.5; 3], max: [0.5; 3] };
            let corner = |c: u32| [0, 1, 2].map(|k| f64::from(c >> k & 1) - 0.5);
            let swept: Vec<Point> = samples(0.0, 1.0)
                .flat_map(|t| (0..8).map(move |c| motion.pose_at(t).apply(&corner(c))))
                .collect();
            let volume = |aabb: &Aabb| aabb.size().iter().product::<f64>();
            let sampled = volume(&Aabb::around(&swept));
            let bounds = motion.aabb_bounds(&local, 0.0, 1.0);
            prop_assert!(volume(&bounds) <= 1.05 * sampled, "{bounds:?} {sampled}");
            let ball = motion.sphere_bounds(&Sphere { center: [0.0; 3], radius: 0.5 }, 0.0, 1.0);
            let far = motion.displacement_max(&Sphere { center: [0.0; 3], radius: 0.0 }, 0.0, 1.0);
            prop_assert!(ball.radius <= 1.05 * (0.5 + 0.5 * far) + 1e-9);
        }
    }

    #[test]
    fn boxes_at_start_and_end_would_miss_the_turn() {
        let half_turn =
            Screw { point: [0.0; 3], direction: [0.0, 0.0, 2.0], angle: PI, advance: 0.0 };
        let motion = Motion::screw(Pose::IDENTITY, half_turn).unwrap();
        let tip = [1.0, 0.0, 0.0];
        let ends = Aabb::around(&[tip, motion.pose_at(1.0).apply(&tip)]);
        let top = motion.pose_at(0.5).apply(&tip);
        assert!(top[1] > 0.999 && !ends.contains(&top));
        assert!(motion.point_bounds(&tip, 0.0, 1.0).contains(&top));
    }

    #[test]
    fn what_is_no_screw_is_refused() {
        let good =
            Screw { point: [0.0; 3], direction: [0.0, 1e-300, 0.0], angle: 1.0, advance: 0.0 };
        let try_screw = |screw| Motion::screw(Pose::IDENTITY, screw).map(|m| m.turn());
        assert_eq!(try_screw(good), Ok(([0.0, 1.0, 0.0], 1.0)));
        assert_eq!(try_screw(Screw { direction: [0.0; 3], ..good }), Err(MotionError::NoAxis));
        let nan = try_screw(Screw { angle: f64::NAN, ..good });
        assert!(matches!(nan, Err(MotionError::NotFinite(_))));
        let turns = try_screw(Screw { angle: 1e7, ..good });
        assert_eq!(turns, Err(MotionError::TooManyTurns(1e7)));
        assert_eq!(try_screw(Screw { advance: 1e91, ..good }), Err(MotionError::TooFar(1e91)));
    }
}
