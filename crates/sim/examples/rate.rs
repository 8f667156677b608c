//! Frames per second of the room of [V00 §8]: `rate [BODIES [FRAMES [ENGINE [PRUNER]]]]`.

use impinge_samples::room::{Params, Room as Sample, SIDE};
use impinge_sim::prelude::*;
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let n: usize = words.next().map_or(Ok(256), |word| word.parse())?;
    let frames: usize = words.next().map_or(Ok(1000), |word| word.parse())?;
    let engine = words.next().unwrap_or_else(|| "bvh".to_owned());
    let pruner = words.next().unwrap_or_else(|| "auto".to_owned());
    let sample = Sample::new(&Params { n, ..Params::default() })?;
    let mesh = Arc::new(sample.mesh);
    let bodies: Vec<BodySpec> = sample
        .bodies
        .iter()
        .map(|drifter| {
            let spec = BodySpec::new(Arc::clone(&mesh)).at(drifter.pose());
            spec.velocity(drifter.velocity).spin(drifter.velocity.map(|v| 0.1 * v))
        })
        .collect();
    let room = Some(Room::new([0.0; 3], [SIDE; 3])?);
    let settings = Settings { engine, pruner, room, ..Settings::default() };
    let mut simulation = Simulation::new(settings, &bodies)?;
    let mut spent = Spent::default();
    let mut touching = 0;
    for _ in 0..frames {
        let frame = simulation.step(1.0);
        spent.motion += frame.spent.motion;
        spent.detection += frame.spent.detection;
        spent.response += frame.spent.response;
        touching += frame.touching;
    }
    let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / frames as f64;
    println!(
        "{n} bodies: {:.0} Hz; per frame motion {:.2} us, detection {:.2} us, response {:.2} us; {:.2} \
         pairs touch",
        1e6 / each(spent.total()),
        each(spent.motion),
        each(spent.detection),
        each(spent.response),
        touching as f64 / frames as f64
    );
    Ok(())
}
