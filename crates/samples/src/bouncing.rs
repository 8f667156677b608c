//! The room of [V00 §7–8] as a simulation: the bodies of [`crate::room`], each with a random spin.
//!
//! A frame is one unit of time, so that velocities are ways per frame, as the paper gives them.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::room::{BODIES_MAX, Drifter, Params, Room, SIDE};
use crate::{Part, SampleScene};
use impinge_scene::scene::sim::{Response, Sim, SimBody};
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

/// What can be set.
pub(crate) static PARAMETERS: [Parameter; 5] = [
    Parameter::count("n", "bodies", [64, 1, BODIES_MAX as u32]),
    Parameter::real("density", "volume of all bodies, part of the room's", [0.025, 1e-6, 0.2]),
    Parameter::real("speed", "largest way in a frame, in radii", [0.1, 0.0, 10.0]),
    Parameter::real("spin", "largest turn in a frame, in radians", [0.1, 0.0, 3.0]),
    Parameter::count("seed", "another room of the same kind", [1, 0, 1_000_000]),
];

/// The room as a scene that is simulated.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let seed = u64::from(values.whole("seed"));
    let room = Room::new(&Params {
        n: values.whole("n") as usize,
        density: values.real("density"),
        speed: values.real("speed"),
        seed,
    })?;
    // A stream of its own, so that places and velocities are those of the sample `room`.
    let mut random = Random(!seed);
    let most = values.real("spin");
    let moved = |drifter: &Drifter| SimBody {
        velocity: Some(drifter.velocity),
        spin: Some((random.direction() * (random.unit() * most)).to_array()),
        ..SimBody::default()
    };
    let bodies = room.bodies.iter().map(moved).collect();
    let part = |(i, body): (usize, &Drifter)| Part {
        name: format!("body-{i}"),
        mesh: room.mesh.clone(),
        pose: body.pose(),
    };
    let parts = room.bodies.iter().enumerate().map(part).collect();
    let sim = Sim {
        dt: Some(1.0),
        room: Some([[0.0; 3], [SIDE; 3]]),
        response: Some(Response::Exchange),
        bodies,
        ..Sim::default()
    };
    let (frames, sim) = (BTreeMap::new(), Some(Box::new(sim)));
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames, sim })
}
