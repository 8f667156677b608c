//! A steady frame allocates nothing. Alone in its program, since it counts what all threads ask for.

use impinge_samples::build_mesh;
use impinge_sim::prelude::*;
use impinge_simd::counting::Counting;
use std::sync::Arc;

#[global_allocator]
static MEMORY: Counting = Counting::new();

/// So many frames may pass until everything has found its place.
const WARM: u32 = 200;

#[test]
fn a_steady_frame_allocates_nothing() {
    // On a thread of a pool, so that handing over work takes no memory either.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for response in [Response::Exchange, Response::Impulse] {
            let mesh = Arc::new(build_mesh("box").unwrap());
            // Each on its own line between two walls; one rests on the floor.
            let body = |k: u32| {
                let at = Pose::shift([2.0 + f64::from(k), 5.0 * f64::from(k) + 2.0, 0.5]).unwrap();
                let speed = if k == 0 { 0.0 } else { 1.0 + f64::from(k) };
                BodySpec::new(Arc::clone(&mesh)).at(at).velocity([speed, 0.0, 0.0])
            };
            let bodies: Vec<BodySpec> = (0..6).map(body).collect();
            let settings = Settings {
                room: Some(Room::new([0.0; 3], [10.0, 40.0, 10.0]).unwrap()),
                gravity: [0.0, 0.0, if response == Response::Impulse { -10.0 } else { 0.0 }],
                response,
                engine: "bvh".to_owned(),
                // One that does not change its ways from time to time.
                pruner: "brute".to_owned(),
                ..Settings::default()
            };
            let mut simulation = Simulation::new(settings, &bodies).unwrap();
            let mut met = 0;
            for frame in 0..WARM + 1000 {
                let before = MEMORY.count();
                met += simulation.step(0.05).collisions.len();
                let asked = MEMORY.count() - before;
                assert!(frame < WARM || asked == 0, "{response:?}: {asked} times in frame {frame}");
            }
            assert!(met > 100, "{met}");
        }
    });
}
