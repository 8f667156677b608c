//! Moving bodies, cycle by cycle: the same poses for a world and for what it is compared with.
//!
//! What is timed is what one cycle of a simulation would do: new poses for all bodies, and the answer.
//! Each pass runs the whole motion with everything made anew, since caches that last from cycle to
//! cycle are part of what is compared; of each cycle the best pass counts.

use crate::timing::{Clock, microseconds};
use anyhow::{Context, Result, ensure};
use impinge::prelude::*;
use impinge::{broad, narrow};
use std::sync::Arc;
use std::time::Duration;

/// Bodies and where they are at each cycle.
#[derive(Clone, Debug)]
pub struct Story {
    /// One for each body; bodies of one shape share it.
    pub meshes: Vec<Arc<Mesh>>,
    /// For each cycle a pose for each body.
    pub cycles: Vec<Vec<Pose>>,
}

/// What a cycle came to, and the work that it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Pairs of bodies that touch.
    pub hits: u64,
    /// Pairs of faces that intersect, where they are told.
    pub pairs: u64,
    /// Tests of boxes, cells, planes, whatever stands for more than one face.
    pub bound_tests: u64,
    /// Tests of single faces or vertices.
    pub face_tests: u64,
}

/// A method on a story.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it is called in results.
    pub name: String,
    /// The time of each cycle in microseconds.
    pub us: Vec<f64>,
    /// What each cycle came to.
    pub outcomes: Vec<Outcome>,
}

impl Run {
    /// The mean time of a cycle but the first, in which everything is new.
    pub fn mean_us(&self) -> f64 {
        let later = &self.us[1.min(self.us.len() - 1)..];
        later.iter().sum::<f64>() / later.len() as f64
    }

    /// The time of the last cycle.
    pub fn last_us(&self) -> f64 {
        self.us[self.us.len() - 1]
    }

    /// What the last cycle came to.
    pub fn last(&self) -> Outcome {
        self.outcomes[self.outcomes.len() - 1]
    }
}

/// How to time.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// By which clock.
    pub clock: Clock,
    /// How often the motion is run.
    pub passes: usize,
}

/// Runs a story with what `make` makes for each pass; every pass must come to the same.
pub fn run<F: FnMut(&[Pose]) -> Result<Outcome>>(
    name: &str,
    story: &Story,
    plan: &Plan,
    make: impl Fn() -> Result<F>,
) -> Result<Run> {
    ensure!(!story.cycles.is_empty(), "a story without cycles");
    let mut least = vec![Duration::MAX; story.cycles.len()];
    let mut outcomes: Vec<Outcome> = Vec::new();
    for pass in 0..plan.passes.max(1) {
        let mut cycle = make()?;
        for (k, poses) in story.cycles.iter().enumerate() {
            let watch = plan.clock.start();
            let outcome = cycle(poses)?;
            least[k] = least[k].min(watch.elapsed());
            if pass == 0 {
                outcomes.push(outcome);
            }
            ensure!(outcomes[k] == outcome, "{name}: cycle {k} differs from pass to pass");
        }
    }
    Ok(Run { name: name.to_owned(), us: least.into_iter().map(microseconds).collect(), outcomes })
}

/// A world that tells all face pairs, with the engine and the pruner of these names.
pub fn world(
    story: &Story,
    engine: &str,
    pruner: &str,
) -> Result<impl FnMut(&[Pose]) -> Result<Outcome> + use<>> {
    let pruner = broad::by_name(pruner).with_context(|| format!("no pruner `{pruner}`"))?;
    let mut world = World::with(pruner, narrow::by_text(engine)?);
    let mut shapes: Vec<(Arc<Mesh>, ShapeId)> = Vec::new();
    let mut ids = Vec::new();
    for (mesh, pose) in story.meshes.iter().zip(&story.cycles[0]) {
        let known = shapes.iter().find(|(other, _)| Arc::ptr_eq(other, mesh));
        let shape = match known {
            Some((_, shape)) => *shape,
            None => world.add_shape(Arc::clone(mesh))?,
        };
        shapes.push((Arc::clone(mesh), shape));
        ids.push(world.insert(Body::new(shape).at(*pose))?);
    }
    Ok(move |poses: &[Pose]| {
        for (id, pose) in ids.iter().zip(poses) {
            world.set_pose(*id, *pose);
        }
        let report = world.step(&Query::PAIRS);
        ensure!(report.progress() == Progress::Complete, "a step was not completed");
        let counters = report.counters();
        let pairs = report.hits().map(|pair| pair.triangle_pairs.len() as u64);
        Ok(Outcome {
            hits: report.hits().count() as u64,
            pairs: pairs.sum(),
            bound_tests: counters.node_tests,
            face_tests: counters.triangle_pairs,
        })
    })
}

/// Those of the names that name an engine.
pub fn known_engines<'a>(names: &[&'a str]) -> Vec<&'a str> {
    names.iter().copied().filter(|name| narrow::by_text(name).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_samples::build_mesh;

    fn story() -> Story {
        let mesh = Arc::new(build_mesh("box").unwrap());
        let at = |x: f64| Pose::shift([x, 0.3, 0.2]).unwrap();
        let cycles = [3.0, 1.5, 0.5].map(|x| vec![Pose::IDENTITY, at(x)]).to_vec();
        Story { meshes: vec![mesh; 2], cycles }
    }

    #[test]
    fn worlds_tell_the_same_with_every_engine() {
        let plan = Plan { clock: Clock::Cpu, passes: 2 };
        let story = story();
        let of = |engine: &str, pruner: &str| {
            let made = run(engine, &story, &plan, || world(&story, engine, pruner)).unwrap();
            made.outcomes.iter().map(|o| [o.hits, o.pairs]).collect::<Vec<_>>()
        };
        let want = of("brute", "brute");
        assert_eq!(want[..2], [[0, 0]; 2]);
        assert!(want[2][0] == 1 && want[2][1] > 4);
        assert_eq!(of("bvh", "auto"), want);
        assert_eq!(known_engines(&["bvh", "no such engine", "brute"]), ["bvh", "brute"]);
        assert!(world(&story, "no such engine", "brute").is_err());
    }

    #[test]
    fn a_method_that_changes_its_mind_is_found_out() {
        let plan = Plan { clock: Clock::Cpu, passes: 2 };
        let count = std::cell::Cell::new(0);
        let make = || {
            Ok(|_: &[Pose]| {
                count.set(count.get() + 1);
                Ok(Outcome { hits: count.get(), ..Outcome::default() })
            })
        };
        assert!(run("fickle", &story(), &plan, make).is_err());
        let steady = run("steady", &story(), &plan, || Ok(|_: &[Pose]| Ok(Outcome::default())));
        assert_eq!(steady.unwrap().us.len(), 3);
    }
}
