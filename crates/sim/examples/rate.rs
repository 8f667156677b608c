//! Frames per second of the sample `bouncing`: `rate [BODIES [FRAMES [ENGINE [PRUNER]]]]`.

use impinge_samples::Sampled;
use impinge_sim::prelude::*;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let n: usize = words.next().map_or(Ok(256), |word| word.parse())?;
    let frames: usize = words.next().map_or(Ok(1000), |word| word.parse())?;
    let name = format!("bouncing?n={n}");
    let Sampled::Scene(scene) = impinge_samples::build(&name)? else {
        return Err("no scene".into());
    };
    let mut plan = Plan::of(&scene.into_scene(&name))?;
    plan.settings.engine = words.next().unwrap_or_else(|| "bvh".to_owned());
    plan.settings.pruner = words.next().unwrap_or_else(|| "auto".to_owned());
    let dt = plan.dt;
    let mut simulation = plan.start()?;
    let mut spent = Spent::default();
    let mut touching = 0;
    for _ in 0..frames {
        let frame = simulation.step(dt);
        spent.motion += frame.spent.motion;
        spent.detection += frame.spent.detection;
        spent.response += frame.spent.response;
        touching += frame.touching;
    }
    let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / frames as f64;
    println!(
        "{n} bodies: {:.0} Hz; per frame motion {:.2} us, detection {:.2} us, response {:.2} us; \
         {:.2} pairs touch",
        1e6 / each(spent.total()),
        each(spent.motion),
        each(spent.detection),
        each(spent.response),
        touching as f64 / frames as f64
    );
    Ok(())
}
