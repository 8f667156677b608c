//! Bodies that are steered, as the spaceships of [H93]: a pilot sets thrust along the nose and a rate of
//! turning, at random, and keeps them for a while. One that is far from home turns and flies back.

use crate::body::{BodySpec, Kind};
use crate::error::SimError;
use crate::simulation::{Role, Simulation};
use glam::{DQuat, DVec3};
use impinge_scene::scene::pilot::Pilot;

/// What a pilot has set.
#[derive(Clone, Debug)]
pub(crate) struct Helm {
    body: usize,
    pilot: Pilot,
    nose: DVec3,
    random: Random,
    /// When it sets something else.
    until: f64,
    /// Along the nose.
    thrust: f64,
    /// In the frame of the mesh.
    turn: DVec3,
}

impl Helm {
    /// The helm of a body, if it has a pilot, who must make sense.
    pub(crate) fn of(i: usize, spec: &BodySpec) -> Result<Option<Self>, SimError> {
        let Some(pilot) = spec.pilot else { return Ok(None) };
        let body = spec.called(i);
        if spec.kind != Kind::Free {
            return Err(SimError::LedPilot { body });
        }
        if let Some((key, found, needed)) = pilot.fault() {
            let what = format!("the {key} of the pilot of {body}");
            return Err(SimError::Number { what, found, needed });
        }
        Ok(Some(Self {
            body: i,
            pilot,
            nose: DVec3::from(pilot.nose).normalize(),
            random: Random(pilot.seed),
            until: 0.0,
            thrust: 0.0,
            turn: DVec3::ZERO,
        }))
    }

    fn pick(&mut self, time: f64) {
        let [least, most] = self.pilot.hold;
        self.until = time + least + (most - least) * self.random.unit();
        self.thrust = self.pilot.thrust * self.random.unit();
        self.turn = self.random.in_ball() * self.pilot.turn;
    }

    /// Thrust and turn that bring the nose towards home, in the world.
    fn homeward(&self, nose: DVec3, away: DVec3) -> (f64, DVec3) {
        let home = -away.normalize();
        let axis = nose.cross(home);
        let sine = axis.length();
        // With home right behind any axis will do; with home ahead none is needed.
        let axis = if sine > 1e-9 { axis / sine } else { nose.any_orthonormal_vector() };
        let ahead = nose.dot(home) > 0.0;
        // Less and less, so that the nose does not swing to and fro.
        let rate = if ahead { self.pilot.turn * (4.0 * sine).min(1.0) } else { self.pilot.turn };
        (self.pilot.thrust, axis * rate)
    }
}

impl Simulation {
    /// Pilots steer: what they set holds for the step that follows.
    pub(crate) fn steer(&mut self, dt: f64) {
        let columns = &mut self.columns;
        for helm in &mut self.helms {
            let i = helm.body;
            if self.roles[i] != Role::Free {
                continue;
            }
            let turn: DQuat = columns.turn[i] * columns.body[i].axes.conjugate();
            let nose = turn * helm.nose;
            let away = columns.place[i] - DVec3::from(helm.pilot.home);
            let far = away.length() > helm.pilot.range;
            if !far && self.time >= helm.until {
                helm.pick(self.time);
            }
            let (thrust, spin) =
                if far { helm.homeward(nose, away) } else { (helm.thrust, turn * helm.turn) };
            // No more than stops the body within the step, however long that is.
            let stop = if dt > 0.0 { dt.recip() } else { f64::INFINITY };
            let drag = (helm.pilot.thrust / helm.pilot.speed).min(stop);
            let pull = nose * thrust - columns.velocity[i] * drag;
            columns.force[i] = pull * columns.body[i].mass;
            columns.torque[i] = DVec3::ZERO;
            columns.forced[i] = true;
            columns.set_spin(i, spin);
        }
    }
}

/// SplitMix64: the same everywhere.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// Evenly from 0 to 1, 1 itself left out.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly in the ball of radius one.
    fn in_ball(&mut self) -> DVec3 {
        // About half of the draws from the cube are in the ball.
        loop {
            let drawn = DVec3::from_array(std::array::from_fn(|_| 2.0 * self.unit() - 1.0));
            if drawn.length_squared() <= 1.0 {
                return drawn;
            }
        }
    }
}
