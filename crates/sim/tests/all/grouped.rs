//! Forces on groups of bodies: what is promised of them is kept, however often they change.

use impinge_samples::{Sampled, build};
use impinge_sim::prelude::*;

#[test]
fn promises_are_kept_and_checked() {
    for period in ["2", "0.05", "0.01"] {
        let name = format!("grouped-cubes?n=60&density=0.05&period={period}");
        let Ok(Sampled::Scene(scene)) = build(&name) else { panic!("{name} is a scene") };
        let mut plan = Plan::of(&scene.into_scene(&name)).unwrap();
        plan.settings.pruner = "spacetime".to_owned();
        let dt = plan.dt;
        let mut simulation = plan.start().unwrap();
        let mut touching = 0;
        for i in 0..400 {
            // Frames of unlike lengths, too: nothing is promised of these.
            let dt = if i < 300 { dt } else { dt * [1.0, 0.5, 0.0][i % 3] };
            let frame = simulation.step(dt);
            assert_eq!(frame.broken_promises, 0, "period {period}, frame {}", frame.number);
            touching += frame.touching;
        }
        assert!(touching > 0);
    }
}
