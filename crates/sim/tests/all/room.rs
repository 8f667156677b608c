//! The room of [V00 §8] in motion: nobody is lost, nobody sticks, and runs repeat bit for bit.

use impinge_samples::room::{Drifter, Params, Room as Sample, SIDE};
use impinge_sim::prelude::*;
use std::sync::Arc;

fn run(simulation: &mut Simulation, frames: u32, dt: f64) {
    for _ in 0..frames {
        simulation.step(dt);
    }
}

fn bouncing(n: usize, settings: Settings) -> Simulation {
    let sample = Sample::new(&Params { n, ..Params::default() }).unwrap();
    let mesh = Arc::new(sample.mesh.clone());
    let spec = |(i, drifter): (usize, &Drifter)| {
        let spin = [0.01, 0.02 * (i % 3) as f64, -0.01];
        BodySpec::new(Arc::clone(&mesh)).at(drifter.pose()).velocity(drifter.velocity).spin(spin)
    };
    let bodies: Vec<BodySpec> = sample.bodies.iter().enumerate().map(spec).collect();
    let room = Some(Room::new([0.0; 3], [SIDE; 3]).unwrap());
    Simulation::new(Settings { room, ..settings }, &bodies).unwrap()
}

/// Every vertex of every body, exactly.
fn assert_inside(simulation: &Simulation) {
    for i in 0..simulation.len() {
        let shape = simulation.world().body(simulation.id(i)).unwrap().shape;
        let mesh = simulation.world().mesh(shape).unwrap();
        for vertex in mesh.vertices() {
            let posed = simulation.pose(i).apply(vertex);
            assert!(posed.iter().all(|x| (0.0..=SIDE).contains(x)), "body {i}: {posed:?}");
        }
    }
}

#[test]
fn nobody_leaves_the_room_or_sticks_to_another() {
    for response in [Response::Exchange, Response::Reflect, Response::Impulse] {
        let mut simulation = bouncing(64, Settings { response, ..Settings::default() });
        let energy = simulation.energy();
        let (mut met, mut longest) = (0, 0);
        let mut together = std::collections::BTreeMap::new();
        for frame in 0..2000 {
            let report = simulation.step(1.0);
            met += report.collisions.len();
            assert_eq!(report.halted, 0);
            for event in report.events {
                match *event {
                    Event::Begin(a, b) => assert!(together.insert((a, b), frame).is_none()),
                    Event::Stay(..) => {}
                    Event::End(a, b) => {
                        longest = longest.max(frame - together.remove(&(a, b)).unwrap());
                    }
                }
            }
            if frame % 10 == 0 {
                assert_inside(&simulation);
            }
        }
        let longest = together.values().map(|since| 2000 - since).fold(longest, i32::max);
        assert!(met > 100, "{response:?}: {met}");
        assert!(longest < 400, "{response:?}: two bodies touched for {longest} frames");
        let kept = simulation.energy() / energy;
        assert!((kept - 1.0).abs() < 0.05, "{response:?}: {kept}");
    }
}

/// The bits of all poses and velocities.
fn bits(simulation: &Simulation) -> Vec<u64> {
    let one = |i: usize| {
        let pose = simulation.pose(i);
        let numbers = [simulation.velocity(i), simulation.spin(i), pose.translation()];
        let rotation = pose.rotation();
        numbers.concat().into_iter().chain(rotation).map(f64::to_bits).collect::<Vec<u64>>()
    };
    (0..simulation.len()).flat_map(one).collect()
}

#[test]
fn a_thousand_frames_repeat_bit_for_bit_with_any_number_of_threads() {
    for response in [Response::Exchange, Response::Impulse] {
        let repeat = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let settings = Settings { response, friction: 0.2, ..Settings::default() };
                let mut simulation = bouncing(128, settings);
                run(&mut simulation, 1000, 1.0);
                bits(&simulation)
            })
        };
        let once = repeat(1);
        for threads in [1, 2, 7] {
            assert!(repeat(threads) == once, "{response:?}: {threads} threads");
        }
    }
}

#[test]
fn engines_and_pruners_lead_to_the_same_run() {
    let go = |engine: &str, pruner: &str| {
        let settings =
            Settings { engine: engine.into(), pruner: pruner.into(), ..Settings::default() };
        let mut simulation = bouncing(40, settings);
        run(&mut simulation, 300, 1.0);
        bits(&simulation)
    };
    let once = go("brute", "brute");
    for engine in ["auto", "bvh", "octree"] {
        for pruner in impinge::broad::names() {
            assert!(go(engine, pruner) == once, "{engine} {pruner}");
        }
    }
}
