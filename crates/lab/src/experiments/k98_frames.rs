//! The methods that repeat the experiments of [K98 §4], and what to say of them.

use crate::Lab;
use crate::frames::{Plan, Run, Story, run, world};
use crate::timing::Clock;
use anyhow::{Result, ensure};
use impinge::narrow;
use impinge::prelude::{Mesh, Pose};
use std::sync::Arc;

/// The paper's method as it was used there.
pub(super) const PAPER: &str = "octree of level 6";
const BOXES_ONLY: &str = "boxes of faces only";

/// Names and engines: the paper's method with its variants, and what there is today. `side` is the
/// edge of the world cube.
fn methods(side: f64) -> Vec<(&'static str, String)> {
    let paper = |tree: &str, more: &str| format!("k98-{tree}?world={side}{more}");
    vec![
        (PAPER, paper("octree", "")),
        ("clipping §3.7", paper("octree", "&cell=clip")),
        (BOXES_ONLY, paper("octree", "&cell=box")),
        ("bintree", paper("bintree", "")),
        ("level from faces", paper("octree", "&level=auto")),
        ("no stage of boxes", paper("octree", "&boxes=no")),
        (narrow::octree::NAME, narrow::octree::NAME.to_owned()),
        (narrow::bvh::NAME, narrow::bvh::NAME.to_owned()),
    ]
}

/// All methods on a story that touches at its last cycle only.
pub(super) fn race(lab: &Lab, side: f64, story: &Story) -> Result<Vec<Run>> {
    let threads = lab.settings.threads;
    let passes = if lab.settings.quick { 1 } else { 12 };
    let plan = Plan { clock: Clock::for_threads(threads), passes };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut runs: Vec<Run> = Vec::new();
    for (name, engine) in methods(side) {
        let one = pool.install(|| run(name, story, &plan, || world(story, &engine, "auto")))?;
        let (last, before) = (one.last(), &one.outcomes[..one.outcomes.len() - 1]);
        ensure!(last.hits == 1 && before.iter().all(|cycle| cycle.hits == 0), "{name}: {last:?}");
        ensure!(runs.iter().all(|other| other.last().pairs == last.pairs), "{name}: other pairs");
        runs.push(one);
    }
    Ok(runs)
}

/// Tells of bodies of one shape how many pairs of them touch.
pub(super) fn touching(
    mesh: &Arc<Mesh>,
    count: usize,
) -> Result<impl FnMut(&[Pose]) -> Result<u64> + use<>> {
    let meshes = vec![Arc::clone(mesh); count];
    let story = Story { meshes, cycles: vec![vec![Pose::IDENTITY; count]] };
    let mut step = world(&story, narrow::bvh::NAME, "auto")?;
    Ok(move |poses: &[Pose]| Ok(step(poses)?.hits))
}

/// The methods by their time at the last cycle.
pub(super) fn against_paper(runs: &[&Run]) -> String {
    let paper = runs.first().map_or(f64::NAN, |run| run.last_us());
    let ratio = |run: &&Run| format!("{} {:.2}", run.name, run.last_us() / paper);
    let ratios = runs.iter().skip(1).map(ratio).collect::<Vec<_>>().join(", ");
    format!("The last cycle over that of the paper's method, octree of level 6: {ratios}.")
}

/// What the exact test of faces against cells gains over their boxes [K98 §2.3], where it was found to
/// be faster.
pub(super) fn exact_against_boxes(runs: &[&Run]) -> Option<String> {
    let of = |name: &str| runs.iter().find(|run| run.name == name);
    let (exact, boxes) = (of(PAPER)?, of(BOXES_ONLY)?);
    let time = boxes.last_us() / exact.last_us();
    let over = |a: u64, b: u64| a as f64 / b.max(1) as f64;
    let why = if time < 1.0 {
        "the paper found the exact test faster; here a pair of faces is mostly ruled out by two \
         boxes, which is cheaper than the test that would have spared it"
    } else {
        "as in the paper, the exact test is faster"
    };
    Some(format!(
        "Boxes of faces against cells instead of the exact test: {:.2} times the face-cell tests, \
         {:.2} times the pairs of faces, {time:.2} times the time at the last cycle; {why}.",
        over(boxes.last().bound_tests, exact.last().bound_tests),
        over(boxes.last().face_tests, exact.last().face_tests),
    ))
}
