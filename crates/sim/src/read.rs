//! What can be read of a simulation between steps, and set for the next one.

use crate::columns::point;
use crate::mass::MassSource;
use crate::settings::Settings;
use crate::simulation::{Role, Simulation};
use glam::DVec3;
use impinge::contract::ids::BodyId;
use impinge::world::World;
use impinge_geom::Point;
use impinge_geom::pose::Pose;

impl Simulation {
    /// How many bodies there are.
    #[expect(clippy::len_without_is_empty, reason = "it is no collection")]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The world, for other questions.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for rules about pairs. Bodies are to be moved through the simulation alone, and
    /// neither taken out nor put in.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Its name in the world.
    pub fn id(&self, body: usize) -> BodyId {
        self.ids[body]
    }

    /// How many steps there were.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How much time has passed.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Where the mesh of a body is.
    pub fn pose(&self, body: usize) -> &Pose {
        &self.columns.pose[body]
    }

    /// The velocity of its centre of mass.
    pub fn velocity(&self, body: usize) -> Point {
        point(self.columns.velocity[body])
    }

    /// Its angular velocity, in the world's frame.
    pub fn spin(&self, body: usize) -> Point {
        point(self.columns.spin(body))
    }

    /// Its mass.
    pub fn mass(&self, body: usize) -> f64 {
        self.columns.body[body].mass
    }

    /// Its centre of mass, in the world.
    pub fn center(&self, body: usize) -> Point {
        point(self.columns.place[body])
    }

    /// What its mass and inertia were taken from, as far as they were not given.
    pub fn mass_source(&self, body: usize) -> MassSource {
        self.looks[body].source
    }

    /// A force at its centre of mass and a torque, from now on, in the world's frame.
    pub fn set_force(&mut self, body: usize, force: impl Into<Point>, torque: impl Into<Point>) {
        let (force, torque) = (DVec3::from(force.into()), DVec3::from(torque.into()));
        (self.columns.force[body], self.columns.torque[body]) = (force, torque);
        self.columns.forced[body] = force != DVec3::ZERO || torque != DVec3::ZERO;
    }

    /// Kinetic and potential energy of all free bodies. Potential energy is that of gravity, from the
    /// world's origin. What is held is led, not free, and does not count: sums leap when a body is
    /// grasped and when it is released.
    pub fn energy(&self) -> f64 {
        let gravity = DVec3::from(self.settings.gravity);
        let one = |i: usize| {
            let fall = self.columns.body[i].mass * gravity.dot(self.columns.place[i]);
            self.columns.kinetic(i) - fall
        };
        self.free().map(one).sum()
    }

    /// The momentum of all free bodies; what is held is none of them.
    pub fn momentum(&self) -> Point {
        let one = |i: usize| self.columns.velocity[i] * self.columns.body[i].mass;
        point(self.free().map(one).sum())
    }

    /// The angular momentum of all free bodies, about the world's origin; what is held is none of them.
    pub fn angular_momentum(&self) -> Point {
        point(self.free().map(|i| self.columns.angular(i)).sum())
    }

    /// Who holds a body, if anyone does.
    pub fn holder(&self, body: usize) -> Option<usize> {
        match self.roles[body] {
            Role::Held { by, .. } => Some(by as usize),
            Role::Free | Role::Fixed | Role::Led(_) => None,
        }
    }

    /// From now on a body follows another one as if it were fixed to it, until it is released, also
    /// through walls. False if it is not free, or if the holder is neither fixed nor scripted.
    pub fn grasp(&mut self, body: usize, by: usize) -> bool {
        let holds = matches!(self.roles[by], Role::Fixed | Role::Led(_));
        if !holds || self.roles[body] != Role::Free {
            return false;
        }
        let offset = self.columns.pose[by].inverse().after(&self.columns.pose[body]);
        self.roles[body] = Role::Held { by: by as u32, offset: Box::new(offset) };
        self.columns.set_free(body, false);
        true
    }

    /// Lets a body go on with the velocity it has; false if it is not held. One that was carried out of
    /// the room is put back inside.
    pub fn release(&mut self, body: usize) -> bool {
        let held = matches!(self.roles[body], Role::Held { .. });
        if held {
            self.roles[body] = Role::Free;
            self.columns.set_free(body, true);
            let carried = self.columns.pose[body];
            self.push_inside(body);
            if self.columns.pose[body] != carried {
                // What it met on its way out it no longer meets, and nothing leads it back there.
                self.starts[body] = self.columns.pose[body];
            }
        }
        held
    }

    fn free(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&i| self.columns.inverse_mass[i] > 0.0)
    }
}
