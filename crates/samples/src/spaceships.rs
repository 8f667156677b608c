//! The simulator of [H93]: spaceships that share a piece of space, each with a pilot who sets thrust and
//! turn at random now and then, and flies back when it is far out.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::{Part, SampleScene, build_mesh};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::scene::pilot::Pilot;
use impinge_scene::scene::sim::{Response, Sim, SimBody};
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

/// What can be set.
pub(crate) static PARAMETERS: [Parameter; 6] = [
    Parameter::count("n", "ships", [16, 2, 10_000]),
    Parameter::count("faces", "faces of each ship", [3072, 1024, 1_000_000]),
    Parameter::real("range", "how far ships go before they return, in m", [30.0, 1.0, 1e6]),
    Parameter::real("speed", "speed at full thrust, in m/s", [12.0, 0.01, 1e4]),
    Parameter::real("turn", "fastest turn, in radians per second", [1.5, 0.0, 100.0]),
    Parameter::count("seed", "other flights of the same kind", [1, 0, 1_000_000]),
];

/// The time of a frame: a 64th of a second.
const DT: f64 = 0.015625;
/// Thrust makes a ship as fast as it gets in about this time.
const SPOOL: f64 = 0.75;

/// The ships as a scene that is simulated. They begin apart.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let [range, speed, turn] = ["range", "speed", "turn"].map(|name| values.real(name));
    let (n, seed) = (values.whole("n") as usize, u64::from(values.whole("seed")));
    let mesh = build_mesh(&format!("spaceship?faces={}", values.whole("faces")))?;
    let mut random = Random(seed);
    let (mut parts, mut bodies) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (i, place) in places(n, 2.0 * radius(&mesh)).into_iter().enumerate() {
        let [x, y, z] = random.direction().to_array();
        let turned = Pose::new([random.symmetric(), x, y, z], place);
        let pose = turned.expect("a direction makes a turn, and places are finite");
        parts.push(Part { name: format!("ship-{i}"), mesh: mesh.clone(), pose });
        let pilot = Pilot {
            nose: [1.0, 0.0, 0.0],
            thrust: speed / SPOOL,
            speed,
            turn,
            hold: [0.5, 3.0],
            home: [0.0; 3],
            range,
            seed: random.next(),
        };
        bodies.push(SimBody { pilot: Some(pilot), ..SimBody::default() });
    }
    let response = Some(Response::Exchange);
    let sim = Sim { dt: Some(DT), response, bodies, ..Sim::default() };
    let (frames, sim) = (BTreeMap::new(), Some(Box::new(sim)));
    Ok(SampleScene { unit: Unit::M, parts, fit: None, frames, sim })
}

/// How far a ship reaches from its origin.
fn radius(mesh: &Mesh) -> f64 {
    mesh.vertices().iter().map(|v| DVec3::from(*v).length()).fold(0.0, f64::max)
}

/// Places of a cubic lattice, those nearest the origin first, a little more than `apart` from each other.
fn places(n: usize, apart: f64) -> Vec<Point> {
    let half = (1..).find(|half: &i32| (2 * half + 1).pow(3) as usize >= n).unwrap_or(1);
    let side = || -half..=half;
    let mut lattice: Vec<[i32; 3]> =
        side().flat_map(|x| side().flat_map(move |y| side().map(move |z| [x, y, z]))).collect();
    lattice.sort_by_key(|cell| (cell.iter().map(|k| k * k).sum::<i32>(), *cell));
    let place = |cell: &[i32; 3]| cell.map(|k| f64::from(k) * apart * 1.0625);
    lattice.iter().take(n).map(place).collect()
}
