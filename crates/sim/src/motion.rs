//! The first stage of a step: all bodies get to where they are at its end, and stay in the room.

use crate::body::reach;
use crate::columns::point;
use crate::frame::{Collision, Other};
use crate::integrate::advance;
use crate::respond::impulse::AtWall;
use crate::respond::manifold::{Spot, thin_out};
use crate::room::{Bounce, Crossing, Room, STANDOFF, WallTest, extent};
use crate::settings::{Integrator, Response};
use crate::simulation::{Role, Simulation};
use glam::DVec3;
use impinge::contract::query::Mode;
use impinge_geom::motion::Motion;

/// Vertices nearer to a wall than this part of the body's size rest on it.
const NEAR: f64 = 1e-3;

impl Simulation {
    /// How many had to be put to rest.
    pub(crate) fn move_bodies(&mut self, dt: f64) -> usize {
        let gravity = DVec3::from(self.settings.gravity);
        let timed = self.settings.mode != Mode::Static;
        self.at_walls.clear();
        self.wall_spots.clear();
        let mut halted = 0;
        let mut followers = false;
        for i in 0..self.ids.len() {
            if timed {
                self.starts[i] = self.columns.pose[i];
            }
            match &self.roles[i] {
                Role::Free => {
                    advance(&mut self.columns, i, gravity, (self.settings.integrator, dt));
                    halted += usize::from(!self.columns.settle(i));
                    if let Some(room) = self.settings.room {
                        self.stay_inside(i, &room, dt);
                    }
                }
                Role::Led(script) => {
                    let (laps, pose) = script.pose_at(self.time);
                    let jumps = laps != script.pose_at(self.time - dt).0;
                    self.columns.lead(i, pose, if jumps { 0.0 } else { dt });
                    if jumps {
                        self.columns.halt(i);
                        self.starts[i] = pose;
                    }
                }
                Role::Held { .. } => {
                    followers = true;
                    continue;
                }
                Role::Fixed => continue,
            }
            self.tell_world(i);
        }
        if followers {
            self.carry(dt);
        }
        halted
    }

    /// What is held follows, once all others have moved: no holder is held itself.
    fn carry(&mut self, dt: f64) {
        for i in 0..self.ids.len() {
            let Role::Held { by, offset } = &self.roles[i] else { continue };
            let pose = self.columns.pose[*by as usize].after(offset);
            self.columns.lead(i, pose, dt);
            self.tell_world(i);
        }
    }

    fn tell_world(&mut self, i: usize) {
        let (id, pose) = (self.ids[i], self.columns.pose[i]);
        let start = self.starts[i];
        // A way is told with both its ends, since an answer may have put the body elsewhere.
        if self.settings.mode != Mode::Static && start != pose {
            self.world.set_motion(id, Motion::lerp_slerp(start, pose));
        } else {
            self.world.set_pose(id, pose);
        }
    }

    /// How many did not get their new vertices, since the engine refused them.
    pub(crate) fn deform_bodies(&mut self) -> usize {
        let mut refused = 0;
        for &i in &self.deforming {
            let center = self.columns.body[i].center;
            if let Some(vertices) = self.looks[i].deform(self.time) {
                self.columns.reach[i] = reach(vertices, center);
                refused += usize::from(self.world.deform(self.ids[i], vertices).is_err());
            }
        }
        refused
    }

    /// How far a body reaches along an axis, as its wall test sees it.
    pub(crate) fn extent(&self, i: usize, k: usize) -> (f64, f64) {
        match self.settings.wall_test {
            WallTest::Extent => extent(&self.columns.pose[i], self.looks[i].points(), k),
            WallTest::Sphere => {
                let center = self.columns.place[i][k];
                (center - self.columns.reach[i], center + self.columns.reach[i])
            }
        }
    }

    fn stay_inside(&mut self, i: usize, room: &Room, dt: f64) {
        let reach = self.columns.reach[i];
        let impulse = self.settings.response == Response::Impulse;
        let near = if impulse { NEAR * reach } else { 0.0 };
        if room.holds(self.columns.place[i], reach + near) {
            return;
        }
        let pull = self.pull(i);
        let lag = match self.settings.integrator {
            Integrator::SemiImplicitEuler => 0.5 * dt,
            Integrator::ExplicitEuler => -0.5 * dt,
            Integrator::RungeKutta4 => 0.0,
        };
        let restitution = self.settings.restitution;
        let mut moved = false;
        for k in 0..3 {
            let bounce = Bounce { restitution, pull: pull[k], lag };
            moved |= if impulse {
                self.lean_on_walls(i, (room, k), bounce)
            } else {
                self.turn_back(i, (room, k), bounce)
            };
        }
        if moved {
            self.columns.settle(i);
        }
    }

    /// What accelerates a free body.
    pub(crate) fn pull(&self, i: usize) -> DVec3 {
        self.columns.pull(i, self.settings.gravity.into())
    }

    /// The component of the velocity along the wall's normal is inverted [V00 §7]. Whether the body was
    /// moved.
    fn turn_back(&mut self, i: usize, (room, k): (&Room, usize), bounce: Bounce) -> bool {
        let (from, to) = self.extent(i, k);
        let velocity = self.columns.velocity[i][k];
        let Some(back) = room.rebound(k, Crossing { from, to, velocity }, bounce) else {
            return false;
        };
        self.columns.place[i][k] += back.shift;
        self.columns.velocity[i][k] = back.velocity;
        let speed = if back.upper { velocity } else { -velocity };
        if speed > 0.0 {
            let with = if back.upper { Other::Upper(k) } else { Other::Lower(k) };
            let mut place = self.columns.place[i];
            place[k] = if back.upper { room.max()[k] } else { room.min()[k] };
            self.collisions.push(Collision { body: i, with, speed, point: point(place) });
        }
        true
    }

    /// The body is put back, and the vertices at the wall are noted for impulses. Whether it was moved.
    fn lean_on_walls(&mut self, i: usize, (room, k): (&Room, usize), bounce: Bounce) -> bool {
        let (from, to) = extent(&self.columns.pose[i], self.looks[i].points(), k);
        let near = NEAR * self.columns.reach[i];
        let standoff = STANDOFF * (room.max()[k] - room.min()[k]);
        let mut moved = 0.0;
        for (sign, wall, reached) in [(1.0, room.max()[k], to), (-1.0, room.min()[k], from)] {
            let gap = (wall - reached) * sign;
            if gap > near {
                continue;
            }
            let shift = if gap < 0.0 { standoff - gap } else { 0.0 };
            moved -= sign * shift;
            let pose = &self.columns.pose[i];
            let normal = DVec3::AXES[k] * sign;
            let start = self.wall_spots.len();
            let posed = self.looks[i].points().iter().map(|vertex| DVec3::from(pose.apply(vertex)));
            // Depths as they are once the body is put back: the outermost vertex is at the wall.
            let spot = |at: DVec3| {
                let depth = (at[k] - reached) * sign - gap.max(0.0);
                Spot { point: at - normal * shift, depth }
            };
            self.wall_spots.extend(posed.map(spot).filter(|spot| spot.depth >= -near));
            thin_out(&mut self.wall_spots, start);
            let bounce = Bounce { pull: bounce.pull * sign, ..bounce };
            let spots = start..self.wall_spots.len();
            self.at_walls.push(AtWall { body: i, normal, spots, bounce, shift });
        }
        self.columns.place[i][k] += moved;
        moved != 0.0
    }

    /// Puts a body back inside without an answer, after something else has shifted it.
    pub(crate) fn push_inside(&mut self, i: usize) {
        let Some(room) = self.settings.room else { return };
        if self.roles[i] != Role::Free || room.holds(self.columns.place[i], self.columns.reach[i]) {
            return;
        }
        let still = Bounce { restitution: 0.0, pull: 0.0, lag: 0.0 };
        let mut moved = false;
        for k in 0..3 {
            let (from, to) = self.extent(i, k);
            let crossing = Crossing { from, to, velocity: 0.0 };
            if let Some(back) = room.rebound(k, crossing, still) {
                self.columns.place[i][k] += back.shift;
                moved = true;
            }
        }
        if moved {
            self.columns.settle(i);
        }
    }
}
