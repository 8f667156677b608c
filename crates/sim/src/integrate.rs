//! From one frame to the next, of a single body: Newton's law for its centre, Euler's for its turn.
//!
//! The angular momentum is kept along the principal axes, `swirl`, where `d swirl/dt = swirl × ω +
//! torque` and `ω = swirl / moments`; the turn follows `dq/dt = ½ q ω`.

use crate::columns::Columns;
use crate::settings::Integrator;
use glam::{DQuat, DVec3};

/// Moves a free body by `dt`; its pose is not made anew.
pub(crate) fn advance(columns: &mut Columns, i: usize, gravity: DVec3, how: (Integrator, f64)) {
    let (integrator, dt) = how;
    let pull = columns.pull(i, gravity);
    let velocity = columns.velocity[i];
    // Forces do not depend on place or speed, so that Runge and Kutta's four stages are this sum.
    let went = match integrator {
        Integrator::SemiImplicitEuler => velocity + pull * dt,
        Integrator::ExplicitEuler => velocity,
        Integrator::RungeKutta4 => velocity + pull * (0.5 * dt),
    };
    columns.place[i] += went * dt;
    columns.velocity[i] = velocity + pull * dt;
    let torque = if columns.forced[i] { columns.torque[i] } else { DVec3::ZERO };
    let swirl = columns.swirl[i];
    if swirl == DVec3::ZERO && torque == DVec3::ZERO {
        return;
    }
    let top = Top { inverse_moments: columns.inverse_moments[i], torque };
    let state = (columns.turn[i], swirl);
    let (turn, swirl) = match integrator {
        Integrator::SemiImplicitEuler => top.split(state, dt),
        Integrator::ExplicitEuler => top.euler(state, dt),
        Integrator::RungeKutta4 => top.runge_kutta(state, dt),
    };
    (columns.turn[i], columns.swirl[i]) = (turn.normalize(), swirl);
}

/// A turning body.
struct Top {
    inverse_moments: DVec3,
    /// In the world's frame.
    torque: DVec3,
}

type Turning = (DQuat, DVec3);

impl Top {
    /// Turns about one principal axis after another. Each keeps the momentum in the world as it is, and
    /// is the exact motion of some energy function, so that the energy neither grows nor falls in the
    /// long run however far the body turns in a step. Angles are those of which half the tangent is
    /// `θ/2`: only arithmetic, so that all machines find the same bits.
    fn split(&self, (mut turn, mut swirl): Turning, dt: f64) -> Turning {
        if self.torque != DVec3::ZERO {
            swirl += (turn.conjugate() * self.torque) * dt;
        }
        let half = self.inverse_moments * (0.5 * dt);
        let DQuat { x, y, z, w } = turn;
        let t = half.x * swirl.x;
        let (c, s) = cosine_and_sine(t);
        (swirl.y, swirl.z) = (c * swirl.y + s * swirl.z, c * swirl.z - s * swirl.y);
        turn = DQuat::from_xyzw(x + t * w, y + t * z, z - t * y, w - t * x);
        let DQuat { x, y, z, w } = turn;
        let t = half.y * swirl.y;
        let (c, s) = cosine_and_sine(t);
        (swirl.z, swirl.x) = (c * swirl.z + s * swirl.x, c * swirl.x - s * swirl.z);
        turn = DQuat::from_xyzw(x - t * z, y + t * w, z + t * x, w - t * y);
        let DQuat { x, y, z, w } = turn;
        let t = half.z * swirl.z;
        let (c, s) = cosine_and_sine(t);
        (swirl.x, swirl.y) = (c * swirl.x + s * swirl.y, c * swirl.y - s * swirl.x);
        turn = DQuat::from_xyzw(x + t * y, y - t * x, z + t * w, w - t * z);
        (turn, swirl)
    }

    fn change(&self, (turn, swirl): Turning) -> Turning {
        let spin = swirl * self.inverse_moments;
        let mut gain = swirl.cross(spin);
        if self.torque != DVec3::ZERO {
            gain += turn.normalize().conjugate() * self.torque;
        }
        let half = DQuat::from_xyzw(0.5 * spin.x, 0.5 * spin.y, 0.5 * spin.z, 0.0);
        (turn.mul_quat(half), gain)
    }

    fn euler(&self, state: Turning, dt: f64) -> Turning {
        along(state, self.change(state), dt)
    }

    fn runge_kutta(&self, state: Turning, dt: f64) -> Turning {
        let k1 = self.change(state);
        let k2 = self.change(along(state, k1, 0.5 * dt));
        let k3 = self.change(along(state, k2, 0.5 * dt));
        let k4 = self.change(along(state, k3, dt));
        let turn = k1.0 + (k2.0 + k3.0) * 2.0 + k4.0;
        let swirl = k1.1 + (k2.1 + k3.1) * 2.0 + k4.1;
        along(state, (turn, swirl), dt / 6.0)
    }
}

fn along((turn, swirl): Turning, (turning, gain): Turning, dt: f64) -> Turning {
    (turn + turning * dt, swirl + gain * dt)
}

/// Of the angle of which half the tangent is `t`.
fn cosine_and_sine(t: f64) -> (f64, f64) {
    let scale = (1.0 + t * t).recip();
    ((1.0 - t * t) * scale, 2.0 * t * scale)
}
