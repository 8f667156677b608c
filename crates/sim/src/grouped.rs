//! Random forces on groups of bodies [H93]: each group is pushed along some direction for some time,
//! then along another one. Drag and soft walls keep bodies slow and together.
//!
//! All accelerations are bounded, and the bounds are promised to the world: that is all that is known
//! in advance, since directions and times are drawn as the simulation goes on.

use crate::error::SimError;
use crate::settings::Response;
use crate::simulation::{Role, Simulation};
use glam::DVec3;
use impinge::contract::promise::Promise;
use impinge_scene::scene::sim::Grouped;

/// The share of its speed that drag takes in a unit of time, as long as it may.
const DRAG: f64 = 0.2;
/// How far beyond a wall it pushes back with all it may, as a share of the side.
const SOFT: f64 = 0.05;
/// More than rounding makes of accelerations.
const SLACK: f64 = 1.0 + 1e-9;

pub(crate) fn check(grouped: &Grouped) -> Result<(), SimError> {
    let Grouped { groups, strength, period, hold, side, .. } = *grouped;
    let number = |what: &str, found, needed| {
        Err(SimError::Number { what: format!("the {what} of grouped forces"), found, needed })
    };
    for (what, found) in [("period", period), ("side", side), ("groups", f64::from(groups))] {
        if !(found.is_finite() && found > 0.0) {
            return number(what, found, "a finite number above zero is needed");
        }
    }
    for (what, found) in [("strength", strength), ("hold", hold)] {
        if !(found.is_finite() && found >= 0.0) {
            return number(what, found, "a finite number, 0 or more, is needed");
        }
    }
    Ok(())
}

/// What a group is given for a while.
#[derive(Clone, Copy, Debug)]
struct Push {
    acceleration: DVec3,
    /// The most of this frame and the one before.
    bound: f64,
}

impl Simulation {
    /// Sets the forces of the next step, and promises what they amount to.
    pub(crate) fn drive_groups(&mut self, dt: f64) {
        let Some(grouped) = self.settings.grouped else { return };
        // The time at which the step begins; that at its end is known already.
        let time = (self.time - dt).max(0.0);
        let [before, lasted] = self.driven.replace([time, dt]).unwrap_or([time, dt]);
        let pushes: Vec<Push> =
            (0..grouped.groups).map(|group| push(&grouped, group, [before, time])).collect();
        let gravity = DVec3::from(self.settings.gravity).length();
        for i in 0..self.ids.len() {
            if self.roles[i] != Role::Free {
                continue;
            }
            let push = &pushes[i % pushes.len()];
            let held = hold(&grouped, self.columns.place[i], self.columns.velocity[i]);
            self.columns.force[i] = (push.acceleration + held) * self.columns.body[i].mass;
            self.columns.forced[i] = true;
            // The way of a frame has accelerations of two frames in it, hence both bounds.
            let most = (push.bound + grouped.hold + gravity) * dt * dt * SLACK;
            // Ways of frames that last unlike times differ by more than accelerations make.
            let most = if lasted == dt { most } else { f64::NAN };
            let is_new = self.promised[i].to_bits() != most.to_bits();
            if self.settings.response == Response::None && is_new {
                self.promised[i] = most;
                self.world.promise(self.ids[i], Promise::new(most).ok());
            }
        }
    }
}

/// Of drag and the walls together.
fn hold(grouped: &Grouped, place: DVec3, velocity: DVec3) -> DVec3 {
    let wall = 0.5 * grouped.side;
    let beyond = place - place.clamp(DVec3::splat(-wall), DVec3::splat(wall));
    let wanted = -velocity * DRAG - beyond * (grouped.hold / (SOFT * grouped.side));
    wanted.clamp_length_max(grouped.hold)
}

/// What a group is given in a frame, by the times at which that and the one before begin.
fn push(grouped: &Grouped, group: u32, times: [f64; 2]) -> Push {
    let mut own = Numbers::of(grouped.seed, u64::from(group), u64::MAX);
    let period = grouped.period * (0.5 + own.unit());
    let [before, now] = times.map(|time| (time / period) as u64);
    let strength = |number: u64| {
        let mut numbers = Numbers::of(grouped.seed, u64::from(group), number);
        (grouped.strength * numbers.unit(), numbers)
    };
    let (size, mut numbers) = strength(now);
    Push { acceleration: numbers.direction() * size, bound: size.max(strength(before).0) }
}

/// A stream of numbers for one group and while, so that any time can be asked for.
struct Numbers(u64);

impl Numbers {
    fn of(seed: u64, group: u64, number: u64) -> Self {
        let mut numbers = Self(seed);
        for part in [group, number] {
            numbers.0 = numbers.next() ^ part;
        }
        numbers
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from_array([0; 3].map(|_| 2.0 * self.unit() - 1.0));
            let length = v.length();
            if (0.1..=1.0).contains(&length) {
                return v / length;
            }
        }
    }
}
