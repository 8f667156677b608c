//! The state of all bodies, one column per quantity, so that a stage reads only what it needs.

use crate::mass::Solid;
use glam::{DQuat, DVec3};
use impinge_geom::Point;
use impinge_geom::pose::Pose;

/// One entry per body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Where the centre of mass is.
    pub(crate) place: Vec<DVec3>,
    pub(crate) velocity: Vec<DVec3>,
    /// From the frame of the principal axes to the world; of unit length.
    pub(crate) turn: Vec<DQuat>,
    /// The angular momentum along the principal axes.
    pub(crate) swirl: Vec<DVec3>,
    /// Where the mesh is; made of place and turn.
    pub(crate) pose: Vec<Pose>,
    /// Zero for what nothing can push.
    pub(crate) inverse_mass: Vec<f64>,
    /// Of the principal moments; zero for what nothing can turn.
    pub(crate) inverse_moments: Vec<DVec3>,
    /// No vertex is farther from the centre of mass.
    pub(crate) reach: Vec<f64>,
    /// Whether there is a force or a torque; most bodies have none.
    pub(crate) forced: Vec<bool>,
    pub(crate) force: Vec<DVec3>,
    pub(crate) torque: Vec<DVec3>,
    pub(crate) body: Vec<Still>,
}

/// What a body never changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Still {
    pub(crate) mass: f64,
    pub(crate) moments: DVec3,
    /// In the mesh's frame.
    pub(crate) center: DVec3,
    /// From the frame of the principal axes to the mesh's.
    pub(crate) axes: DQuat,
}

/// What moves of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    place: DVec3,
    turn: DQuat,
    pose: Pose,
    velocity: DVec3,
    swirl: DVec3,
}

impl Columns {
    /// Takes in a body; `free` if it can be pushed and turned.
    pub(crate) fn push(&mut self, mass: f64, solid: &Solid, (pose, free): (Pose, bool)) {
        let moments = solid.moments * mass;
        self.place.push(DVec3::from(pose.apply(&solid.center.into())));
        self.velocity.push(DVec3::ZERO);
        self.turn.push((quaternion(pose.rotation()) * solid.axes).normalize());
        self.swirl.push(DVec3::ZERO);
        self.pose.push(pose);
        self.inverse_mass.push(if free { mass.recip() } else { 0.0 });
        self.inverse_moments.push(if free { moments.recip() } else { DVec3::ZERO });
        self.forced.push(false);
        self.force.push(DVec3::ZERO);
        self.torque.push(DVec3::ZERO);
        self.body.push(Still { mass, moments, center: solid.center, axes: solid.axes });
    }

    pub(crate) fn len(&self) -> usize {
        self.place.len()
    }

    /// The angular velocity in the world's frame.
    pub(crate) fn spin(&self, i: usize) -> DVec3 {
        self.turn[i] * (self.swirl[i] / self.body[i].moments)
    }

    pub(crate) fn set_spin(&mut self, i: usize, spin: DVec3) {
        self.swirl[i] = (self.turn[i].conjugate() * spin) * self.body[i].moments;
    }

    /// What accelerates a body.
    #[inline]
    pub(crate) fn pull(&self, i: usize, gravity: DVec3) -> DVec3 {
        if self.forced[i] { gravity + self.force[i] * self.inverse_mass[i] } else { gravity }
    }

    /// The velocity of a body's material at a point of the world.
    pub(crate) fn velocity_at(&self, i: usize, point: DVec3) -> DVec3 {
        self.velocity[i] + self.spin(i).cross(point - self.place[i])
    }

    /// By how much a unit impulse at a point changes the speed there, both along `direction`.
    pub(crate) fn give(&self, i: usize, point: DVec3, direction: DVec3) -> f64 {
        let lever = self.turn[i].conjugate() * (point - self.place[i]).cross(direction);
        self.inverse_mass[i] + lever.dot(lever * self.inverse_moments[i])
    }

    /// An impulse at a point.
    pub(crate) fn push_at(&mut self, i: usize, point: DVec3, impulse: DVec3) {
        if self.inverse_mass[i] > 0.0 {
            self.velocity[i] += impulse * self.inverse_mass[i];
            let turned = (point - self.place[i]).cross(impulse);
            self.swirl[i] += self.turn[i].conjugate() * turned;
        }
    }

    /// Puts a body somewhere; its velocity stays.
    pub(crate) fn put(&mut self, i: usize, pose: Pose) {
        self.pose[i] = pose;
        self.place[i] = DVec3::from(pose.apply(&self.body[i].center.into()));
        let swirl = self.turn[i] * self.swirl[i];
        self.turn[i] = (quaternion(pose.rotation()) * self.body[i].axes).normalize();
        self.swirl[i] = self.turn[i].conjugate() * swirl;
    }

    /// What moves of a body.
    pub(crate) fn state(&self, i: usize) -> State {
        let (place, turn, pose) = (self.place[i], self.turn[i], self.pose[i]);
        State { place, turn, pose, velocity: self.velocity[i], swirl: self.swirl[i] }
    }

    /// Undoes what happened since.
    pub(crate) fn restore(&mut self, i: usize, state: State) {
        (self.place[i], self.turn[i], self.pose[i]) = (state.place, state.turn, state.pose);
        (self.velocity[i], self.swirl[i]) = (state.velocity, state.swirl);
    }

    /// Brings a body somewhere within `dt`, which gives it its velocity and spin.
    pub(crate) fn lead(&mut self, i: usize, pose: Pose, dt: f64) {
        let (place, turn) = (self.place[i], self.turn[i]);
        self.put(i, pose);
        if dt <= 0.0 {
            return;
        }
        self.velocity[i] = (self.place[i] - place) / dt;
        let DQuat { x, y, z, w } = self.turn[i] * turn.conjugate();
        // The short way round; what half the tangent says is enough within a frame.
        let half = DVec3::new(x, y, z) * if w < 0.0 { -1.0 } else { 1.0 };
        self.set_spin(i, half * (2.0 / dt));
    }

    /// Whether it can be pushed.
    pub(crate) fn set_free(&mut self, i: usize, free: bool) {
        let Still { mass, moments, .. } = self.body[i];
        self.inverse_mass[i] = if free { mass.recip() } else { 0.0 };
        self.inverse_moments[i] = if free { moments.recip() } else { DVec3::ZERO };
    }

    /// Makes the pose anew; false if there is none, since something is not finite or too large. The
    /// body is then put to rest where it was.
    pub(crate) fn settle(&mut self, i: usize) -> bool {
        let Still { center, axes, .. } = self.body[i];
        let turn = self.turn[i] * axes.conjugate();
        let place = self.place[i] - turn * center;
        let made = Pose::new([turn.w, turn.x, turn.y, turn.z], place);
        let finite = self.velocity[i].is_finite() && self.swirl[i].is_finite();
        match made {
            Ok(pose) if finite => {
                self.pose[i] = pose;
                true
            }
            _ => {
                self.halt(i);
                false
            }
        }
    }

    /// Back to the last pose, at rest.
    pub(crate) fn halt(&mut self, i: usize) {
        self.velocity[i] = DVec3::ZERO;
        self.swirl[i] = DVec3::ZERO;
        self.put(i, self.pose[i]);
    }

    /// Kinetic energy of going and turning.
    pub(crate) fn kinetic(&self, i: usize) -> f64 {
        let body = &self.body[i];
        let swirl = self.swirl[i];
        0.5 * (body.mass * self.velocity[i].length_squared() + swirl.dot(swirl / body.moments))
    }

    /// Angular momentum about the world's origin.
    pub(crate) fn angular(&self, i: usize) -> DVec3 {
        let own = self.turn[i] * self.swirl[i];
        own + self.place[i].cross(self.velocity[i] * self.body[i].mass)
    }
}

/// From `w x y z`.
pub(crate) fn quaternion([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w)
}

/// A vector as users know it.
pub(crate) fn point(vector: DVec3) -> Point {
    vector.to_array()
}
