//! Cubes of side one under random forces on groups of them [H93], as a simulation without any answer to
//! what meets: they pass through each other. They begin at random places and turns, slowly.

use crate::error::SampleError;
use crate::nbody::cube_root;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::{Part, SampleScene, build_mesh};
use glam::DVec3;
use impinge_geom::pose::Pose;
use impinge_scene::scene::sim::{Grouped, Integrator, Response, Sim, SimBody};
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

/// The time of a frame.
const DT: f64 = 1.0 / 60.0;

/// What can be set.
pub(crate) static PARAMETERS: [Parameter; 8] = [
    Parameter::count("n", "cubes", [100, 1, 100_000]),
    Parameter::real("density", "volume of all cubes, part of the space's", [0.01, 1e-6, 0.5]),
    Parameter::count("groups", "groups of cubes with forces of their own", [5, 1, 1000]),
    Parameter::real("strength", "largest acceleration of a group", [1.0, 0.0, 100.0]),
    Parameter::real("hold", "largest acceleration by drag and walls", [0.5, 0.0, 100.0]),
    Parameter::real("period", "seconds between changes of a group's force", [2.0, 0.01, 1e6]),
    Parameter::real("speed", "largest speed and spin at the start", [1.0, 0.0, 100.0]),
    Parameter::count("seed", "another scene of the same kind", [1, 0, 1_000_000]),
];

/// The cubes as a scene that is simulated.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let n = values.whole("n");
    let side = cube_root(f64::from(n) / values.real("density"));
    let mut random = Random(u64::from(values.whole("seed")));
    let mesh = build_mesh("box")?;
    let speed = values.real("speed");
    let (mut parts, mut bodies) = (Vec::new(), Vec::new());
    for i in 0..n {
        let place = [0; 3].map(|_| 0.5 * side * random.symmetric());
        let axis = random.direction();
        let pose = Pose::new([1.0, axis.x, axis.y, axis.z], place);
        let pose = pose.expect("a quarter turn and a place near the origin");
        parts.push(Part { name: format!("cube-{i}"), mesh: mesh.clone(), pose });
        let mut moved = || -> DVec3 { random.direction() * (random.unit() * speed) };
        bodies.push(SimBody {
            velocity: Some(moved().to_array()),
            spin: Some(moved().to_array()),
            ..SimBody::default()
        });
    }
    let grouped = Grouped {
        groups: values.whole("groups"),
        strength: values.real("strength"),
        period: values.real("period"),
        hold: values.real("hold"),
        side,
        seed: random.next(),
    };
    let sim = Sim {
        dt: Some(DT),
        integrator: Some(Integrator::RungeKutta),
        response: Some(Response::None),
        grouped: Some(grouped),
        bodies,
        ..Sim::default()
    };
    let (frames, sim) = (BTreeMap::new(), Some(Box::new(sim)));
    Ok(SampleScene { unit: Unit::M, parts, fit: None, frames, sim })
}
