//! Where the vertices of a body are at an instant and how they move during a span, from the two poses
//! or the pose and the screw: `x(t) = base + t·drift + R(axis, θt)·(M p + arm)`.
//!
//! With `q = M p + arm` and the axis `k` that is `base + q + t·drift + (cos θt − 1)·q⊥ + sin θt · k × q`,
//! whose vectors do not depend on time. All numbers are intervals that hold the rotation of the given
//! quaternion as well as the matrix that the pose says is its.

use super::interval::{Interval, Vector, add, cross, dot, minus, scaled, vector};
use impinge_geom::motion::moment::Travel;
use impinge_geom::motion::{Motion, MotionKind, Screw};
use impinge_geom::pose::Pose;

type Quaternion = [Interval; 4];

/// The way of a body.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    matrix: [Vector; 3],
    arm: Vector,
    base: Vector,
    drift: Vector,
    axis: Vector,
    angle: Interval,
}

/// A vertex of a body.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    start: Vector,
    across: Vector,
    turned: Vector,
}

/// A vertex during a span.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// At the middle of the span.
    pub(crate) middle: Vector,
    /// How it moves, at all times of the span.
    pub(crate) velocity: Vector,
    /// Everywhere it is.
    pub(crate) all: Vector,
}

/// A time and the turn until then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    time: Interval,
    sine: Interval,
    /// The cosine, less one.
    versed: Interval,
}

/// The turn over a span: a middle, and the rates at which both parts change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    middle: Instant,
    half: Interval,
    sine: Interval,
    cosine: Interval,
}

impl Course {
    pub(crate) fn of(travel: &Travel<'_>) -> Self {
        match travel {
            Travel::Still(pose) => Self {
                matrix: matrix_of(pose),
                arm: [Interval::ZERO; 3],
                base: vector(pose.translation()),
                drift: [Interval::ZERO; 3],
                axis: vector([0.0, 0.0, 1.0]),
                angle: Interval::ZERO,
            },
            Travel::Moving(motion) => match motion.kind() {
                MotionKind::LerpSlerp => Self::lerp_slerp(motion),
                MotionKind::Screw(screw) => Self::screw(motion.pose0(), &screw),
            },
        }
    }

    fn screw(start: &Pose, screw: &Screw) -> Self {
        let direction = vector(screw.direction);
        let length = dot(&direction, &direction).sqrt();
        let axis = direction.map(|x| x / length);
        Self {
            matrix: matrix_of(start),
            arm: minus(&vector(start.translation()), &vector(screw.point)),
            base: vector(screw.point),
            drift: scaled(&axis, Interval::point(screw.advance)),
            axis,
            angle: Interval::point(screw.angle),
        }
    }

    fn lerp_slerp(motion: &Motion) -> Self {
        let [start, end] = [motion.pose0(), motion.pose1()];
        let [w, x, y, z] = unit(product(
            end.rotation().map(Interval::point),
            conjugate(start.rotation().map(Interval::point)),
        ));
        let chosen = motion.turn().0;
        let along = dot(&[x, y, z], &vector(chosen));
        // The short way; of a half turn either way is right, and the motion says which it takes.
        let back = match w.sign() {
            0 => along.middle() < 0.0,
            sign => sign < 0,
        };
        let [w, x, y, z] = if back { [w, x, y, z].map(|q| -q) } else { [w, x, y, z] };
        let sine = dot(&[x, y, z], &[x, y, z]).sqrt();
        let axis = match sine.sign() {
            0 => [Interval::UNIT; 3],
            _ => [x, y, z].map(|q| q / sine),
        };
        Self {
            matrix: matrix_of(start),
            arm: [Interval::ZERO; 3],
            base: vector(start.translation()),
            drift: minus(&vector(end.translation()), &vector(start.translation())),
            axis,
            angle: Interval::point(2.0) * angle_of(sine, w),
        }
    }

    pub(crate) fn vertex(&self, p: [f64; 3]) -> Vertex {
        let p = vector(p);
        let q = add(&[0, 1, 2].map(|row| dot(&self.matrix[row], &p)), &self.arm);
        let turned = cross(&self.axis, &q);
        Vertex {
            start: add(&q, &self.base),
            across: cross(&self.axis, &turned).map(|x| -x),
            turned,
        }
    }

    pub(crate) fn instant(&self, time: f64) -> Instant {
        let time = Interval::point(time);
        let [sine, cosine] = (self.angle * time * Interval::point(0.5)).sin_cos();
        Instant {
            time,
            sine: Interval::point(2.0) * sine * cosine,
            versed: -(Interval::point(2.0) * sine.square()),
        }
    }

    /// From `middle − half` to `middle + half`.
    pub(crate) fn span(&self, middle: f64, half: f64) -> Span {
        let at = self.instant(middle);
        // With s up to h: sin(m + s) = sin m · cos s + cos m · sin s.
        let turn = (self.angle * Interval::within(half)).hi;
        let near = Interval::new((1.0 - (0.5 * turn * turn).next_up()).next_down().max(-1.0), 1.0);
        let swing = Interval::within(turn.min(1.0));
        let cosine = at.versed + Interval::point(1.0);
        let clamp = |x: Interval| Interval::new(x.lo.max(-1.0), x.hi.min(1.0));
        Span {
            middle: at,
            half: Interval::within(half),
            sine: clamp(at.sine * near + cosine * swing) * self.angle,
            cosine: clamp(cosine * near - at.sine * swing) * self.angle,
        }
    }

    pub(crate) fn place(&self, vertex: &Vertex, at: &Instant) -> Vector {
        let Vertex { start, across, turned } = vertex;
        [0, 1, 2].map(|k| {
            start[k] + self.drift[k] * at.time + across[k] * at.versed + turned[k] * at.sine
        })
    }

    pub(crate) fn see(&self, vertex: &Vertex, span: &Span) -> Seen {
        let middle = self.place(vertex, &span.middle);
        let velocity = [0, 1, 2]
            .map(|k| self.drift[k] + vertex.turned[k] * span.cosine - vertex.across[k] * span.sine);
        let all = [0, 1, 2].map(|k| middle[k] + velocity[k] * span.half);
        Seen { middle, velocity, all }
    }
}

/// The angle in 0…π/2 with this sine and cosine.
fn angle_of(sine: Interval, cosine: Interval) -> Interval {
    let near = sine.middle().atan2(cosine.middle());
    let [s, c] = Interval::point(near).sin_cos();
    // The sine and the cosine of what is still missing.
    let (missing, rest) = (sine * c - cosine * s, cosine * c + sine * s);
    let most = missing.hi.max(-missing.lo);
    assert!(rest.lo > 0.5 && most < 1e-6, "an angle is within rounding of what atan2 says");
    // The arc sine of so small a number is above it by less than its square.
    Interval::point(near) + Interval::within((most * (1.0 + 1e-9)).next_up())
}

fn unit(q: Quaternion) -> Quaternion {
    let length = (q[0].square() + q[1].square() + q[2].square() + q[3].square()).sqrt();
    q.map(|x| x / length)
}

fn conjugate([w, x, y, z]: Quaternion) -> Quaternion {
    [w, -x, -y, -z]
}

fn product([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion) -> Quaternion {
    [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
}

/// The rotation of a pose as a matrix: of the unit quaternion, and as the pose says.
fn matrix_of(pose: &Pose) -> [Vector; 3] {
    let [w, x, y, z] = unit(pose.rotation().map(Interval::point));
    let (one, two) = (Interval::point(1.0), Interval::point(2.0));
    let [xx, yy, zz] = [x.square(), y.square(), z.square()];
    let rows = [
        [one - two * (yy + zz), two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), one - two * (xx + zz), two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), one - two * (xx + yy)],
    ];
    let said = pose.matrix();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| rows[i][j].hull(Interval::point(said[i][j]))))
}
