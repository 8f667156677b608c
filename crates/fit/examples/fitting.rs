//! Parts are taken out of a headlight, each along two paths of which one is free.
//!
//! `cargo run --release -p impinge-fit --example fitting [FACES]`

use impinge_fit::prelude::*;
use impinge_samples::{Sampled, build};
use std::time::Instant;

fn main() {
    let faces = std::env::args().nth(1).unwrap_or("60000".into());
    for name in ["cover", "cover-early", "bulb", "bulb-early"] {
        let Ok(Sampled::Scene(scene)) = build(&format!("headlight-{name}?faces={faces}")) else {
            panic!("a built-in scene")
        };
        let assembly = Assembly::of_scene(scene.into_scene(name)).expect("a fitting check");
        let start = Instant::now();
        let prepared = Prepared::new(assembly).expect("something moves");
        let built = start.elapsed().as_secs_f64();
        let answer = fit(&prepared, &Question::default(), &());
        println!("{name}: {:?}, {} pieces", answer.verdict, prepared.path.motions().len());
        if let Some(clearance) = &answer.clearance {
            let [a, b] = prepared.names(clearance.nearest.pair);
            let (low, high) = (clearance.at_least, clearance.nearest.at_most);
            println!("  {low} to {high} at {} between {a} and {b}", clearance.time);
        }
        for interval in &answer.intervals {
            let [a, b] = prepared.names(interval.pair);
            println!("  {a} × {b}: {:?} to {:?}", interval.enter, interval.leave);
        }
        println!("  built in {built:.3} s, answered in {:.3} s", answer.seconds);
        println!("  {:?}", answer.counters);
    }
}
