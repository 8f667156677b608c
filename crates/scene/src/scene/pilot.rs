//! A pilot, who steers a free body by thrust and turn: `pilot` of `[body.sim]`.

use super::file::SpanFault;
use impinge_geom::Point;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// Thrust along the nose and a rate of turning, both picked at random and kept for a while, as in (H93).
/// Far from home the body is steered back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// Where the nose points, along the axes of the mesh; not zero.
    pub nose: Point,
    /// The most that thrust accelerates; above 0.
    pub thrust: f64,
    /// How fast full thrust makes the body in the long run, against a drag in proportion to its speed;
    /// above 0.
    pub speed: f64,
    /// The fastest turn, in radians per second; not below 0.
    pub turn: f64,
    /// For how long a setting is kept, at least and at most, in seconds; above 0 and rising.
    pub hold: [f64; 2],
    /// Where the centre of mass is steered back to.
    pub home: Point,
    /// From how far on; above 0.
    pub range: f64,
    /// What the settings are drawn from.
    pub seed: u64,
}

impl Pilot {
    /// What is wrong with the numbers, if anything is: the key, what was found and what is needed.
    pub fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let positive = "a finite number above 0 is needed";
        let above = |x: f64| x.is_finite() && x > 0.0;
        for (key, vector) in [("nose", self.nose), ("home", self.home)] {
            if let Some(&found) = vector.iter().find(|x| !x.is_finite()) {
                return Some((key, found, "finite numbers are needed"));
            }
        }
        if self.nose == [0.0; 3] {
            return Some(("nose", 0.0, "a direction is needed"));
        }
        let lengths = [("thrust", self.thrust), ("speed", self.speed), ("range", self.range)];
        for (key, found) in lengths.into_iter().chain(self.hold.map(|time| ("hold", time))) {
            if !above(found) {
                return Some((key, found, positive));
            }
        }
        if self.hold[1] < self.hold[0] {
            return Some(("hold", self.hold[1], "the least time and the most are needed"));
        }
        let turns = self.turn.is_finite() && self.turn >= 0.0;
        (!turns).then_some(("turn", self.turn, "a finite number, 0 or more, is needed"))
    }
}

/// Who steers a body: thrust along its nose and a rate of turning, picked at random and kept for a while.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PilotEntry {
    /// Where the nose points, along the axes of the mesh. Default: along x.
    pub nose: Option<[f64; 3]>,
    /// The most that thrust accelerates, in units of the scene per second².
    pub thrust: f64,
    /// How fast full thrust makes the body in the long run, in units of the scene per second.
    pub speed: f64,
    /// The fastest turn, in radians per second. Default: 1.
    pub turn: Option<f64>,
    /// For how long a setting is kept, at least and at most, in seconds. Default: 0.5 to 2.
    pub hold: Option<[f64; 2]>,
    /// Where the body is steered back to. Default: the origin.
    pub home: Option<[f64; 3]>,
    /// From how far on it is steered back, in units of the scene.
    pub range: f64,
    /// What the settings are drawn from; each pilot should have its own. Default: 0.
    pub seed: Option<u32>,
}

/// The pilot of a body, which must be free.
pub(super) fn pilot(entry: &Spanned<PilotEntry>, free: bool) -> Result<Pilot, SpanFault> {
    let said = entry.get_ref();
    let pilot = Pilot {
        nose: said.nose.unwrap_or([1.0, 0.0, 0.0]),
        thrust: said.thrust,
        speed: said.speed,
        turn: said.turn.unwrap_or(1.0),
        hold: said.hold.unwrap_or([0.5, 2.0]),
        home: said.home.unwrap_or([0.0; 3]),
        range: said.range,
        seed: u64::from(said.seed.unwrap_or(0)),
    };
    if !free {
        let message = "there is a pilot, but the body is not free; a free one is needed";
        return Err(SpanFault::new(entry.span(), message));
    }
    match pilot.fault() {
        None => Ok(pilot),
        Some((key, found, needed)) => {
            let message = format!("the pilot's {key} is {found}; {needed}");
            Err(SpanFault::new(entry.span(), message))
        }
    }
}
