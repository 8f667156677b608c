//! The room of [V00 §8] in motion.

use impinge_samples::room::{Params, Room as Sample, SIDE};
use impinge_sim::prelude::*;
use std::sync::Arc;

fn bouncing(n: usize, settings: Settings) -> Simulation {
    let sample = Sample::new(&Params { n, ..Params::default() }).unwrap();
    let mesh = Arc::new(sample.mesh.clone());
    let spec = |(i, drifter): (usize, &impinge_samples::room::Drifter)| {
        let spin = [0.01, 0.02 * (i % 3) as f64, -0.01];
        BodySpec::new(Arc::clone(&mesh)).at(drifter.pose()).velocity(drifter.velocity).spin(spin)
    };
    let bodies: Vec<BodySpec> = sample.bodies.iter().enumerate().map(spec).collect();
    let room = Some(Room::new([0.0; 3], [SIDE; 3]).unwrap());
    Simulation::new(Settings { room, ..settings }, &bodies).unwrap()
}

#[test]
fn nobody_leaves_the_room_and_energy_stays() {
    let mut simulation = bouncing(64, Settings::default());
    let energy = simulation.energy();
    let mut met = 0;
    for _ in 0..2000 {
        met += simulation.step(1.0).collisions.len();
    }
    assert!(met > 100);
    assert!((simulation.energy() / energy - 1.0).abs() < 1e-3, "{}", simulation.energy() / energy);
}
