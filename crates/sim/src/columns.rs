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
    fn halt(&mut self, i: usize) {
        let pose = self.pose[i];
        self.place[i] = DVec3::from(pose.apply(&self.body[i].center.into()));
        self.turn[i] = (quaternion(pose.rotation()) * self.body[i].axes).normalize();
        self.velocity[i] = DVec3::ZERO;
        self.swirl[i] = DVec3::ZERO;
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
