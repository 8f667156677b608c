//! Parts are taken out of a headlight, each along two paths of which one is free.
//!
//! `cargo run --release -p impinge-fit --example fitting [FACES]`

use impinge_fit::prelude::*;
use impinge_samples::{SampleScene, Sampled, build};
use impinge_scene::scene::{SceneBody, Source};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

fn assembly(scene: SampleScene) -> Option<Assembly> {
    let body = |part: impinge_samples::Part| SceneBody {
        source: Source { mesh: part.name.clone(), path: None, object: None, unit: scene.unit },
        name: part.name,
        mesh: Arc::new(part.mesh),
        pose: part.pose,
        groups: Vec::new(),
    };
    let bodies = scene.parts.into_iter().map(body).collect();
    Some(Assembly { bodies, ignored: BTreeSet::new(), fit: scene.fit? })
}

fn main() {
    let faces = std::env::args().nth(1).unwrap_or("60000".into());
    for name in ["cover", "cover-early", "bulb", "bulb-early"] {
        let Ok(Sampled::Scene(scene)) = build(&format!("headlight-{name}?faces={faces}")) else {
            panic!("a built-in scene")
        };
        let assembly = assembly(scene).expect("a fitting check");
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
