//! The built-in headlight: put together nothing touches, and its covers come off as told, free on
//! one way and torn through the bayonet and the loom on the other.

use impinge::contract::answer::Verdict;
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::Sequence;
use impinge_samples::headlight::{Headlight, Params, Side, Way};
use std::sync::Arc;

/// Poses that are looked at in each step.
const INSTANTS: u32 = 20;
const STEPS: [usize; 4] = [90, 70, 70, 90];

fn made(params: Params) -> Headlight {
    Headlight::new(&params).expect("a headlight")
}

/// What touches, itself included, and the least distance of any two parts.
fn at_rest(headlight: &Headlight) -> (Vec<[String; 2]>, f64) {
    let pruner = broad::by_name("auto").expect("there is a default");
    let mut world = World::with(pruner, narrow::by_name("bvh").expect("a registered engine"));
    let parts = &headlight.scene.parts;
    let meshes: Vec<Arc<Mesh>> = parts.iter().map(|part| Arc::new(part.mesh.clone())).collect();
    let shapes = world.add_shapes(&meshes).expect("closed meshes");
    let bodies = shapes.into_iter().zip(parts).map(|(shape, part)| Body::new(shape).at(part.pose));
    let ids: Vec<BodyId> =
        bodies.map(|body| world.insert(body).expect("a shape of this world")).collect();
    let name = |id| &parts[ids.iter().position(|other| *other == id).expect("its body")].name;
    let report = world.step(&Query { gap: Gap::Below(5.0), itself: true, ..Query::TOUCHING });
    let (mut hits, mut least) = (Vec::new(), f64::INFINITY);
    for pair in report.pairs() {
        if pair.answer.verdict != Verdict::Free {
            hits.push([name(pair.a).clone(), name(pair.b).clone()]);
        } else if let Some(gap) = pair.answer.clearance {
            least = gap.at_least.min(least);
        }
    }
    (hits, least)
}

#[test]
fn nothing_touches_and_the_bayonets_have_their_clearance() {
    for (faces, clearance, lugs) in
        [(20_000, 0.2, 3), (20_000, 0.5, 2), (60_000, 0.4, 3), (60_000, 0.3, 6), (100_000, 0.4, 4)]
    {
        let (hits, least) = at_rest(&made(Params { faces, clearance, lugs }));
        assert_eq!(hits, [[""; 2]; 0], "{faces} faces, {lugs} lugs");
        // Coordinates are rounded to 2⁻¹² mm.
        let told = clearance - 0.001..clearance + 0.05;
        assert!(told.contains(&least), "{faces} faces, {lugs} lugs: {least} mm");
    }
}

/// The moving part, and all others as one mesh.
fn pair(headlight: &Headlight, moving: usize) -> PosedPair {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (i, part) in headlight.scene.parts.iter().enumerate() {
        if i != moving {
            let first = vertices.len() as u32;
            vertices.extend(part.mesh.vertices().iter().map(|v| part.pose.apply(v)));
            triangles.extend(part.mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
    }
    let rest = Mesh::new(vertices, triangles).expect("meshes together are a mesh");
    let moving = headlight.scene.parts[moving].mesh.clone();
    let engine = narrow::by_name("bvh").expect("a registered engine");
    PosedPair::with(engine, rest, moving).expect("any mesh")
}

/// Which steps of a way touch at one of many instants.
fn touching(headlight: &Headlight, sequence: &Sequence) -> Vec<bool> {
    let mut pair = pair(headlight, sequence.part);
    let at = |motion: Motion| {
        (0..=INSTANTS).map(move |i| motion.pose_at(f64::from(i) / f64::from(INSTANTS)))
    };
    let poses: Vec<Pose> = sequence.motions().flat_map(at).collect();
    let found = pair.check(&poses, &Query::TOUCHING);
    let hits: Vec<bool> = found.all().iter().map(|a| a.verdict != Verdict::Free).collect();
    hits.chunks(INSTANTS as usize + 1).map(|step| step.contains(&true)).collect()
}

#[test]
fn covers_come_off_freely() {
    for (faces, clearance, lugs) in [(60_000, 0.4, 3), (20_000, 0.2, 2), (20_000, 0.5, 6)] {
        let headlight = made(Params { faces, clearance, lugs });
        for side in [Side::Left, Side::Right] {
            let sequence = headlight.removal(side, Way::Free);
            let hits = touching(&headlight, &sequence);
            let first = hits.iter().position(|hit| *hit);
            assert_eq!(first, None, "{side:?}, {faces} faces, {lugs} lugs");
        }
    }
}

#[test]
fn covers_that_are_forced_meet_the_lip_and_then_the_loom() {
    for (faces, clearance, lugs) in [(60_000, 0.4, 3), (20_000, 0.2, 2), (20_000, 0.5, 6)] {
        let headlight = made(Params { faces, clearance, lugs });
        for side in [Side::Left, Side::Right] {
            let hits = touching(&headlight, &headlight.removal(side, Way::Forced));
            assert_eq!(hits.len(), STEPS.iter().sum::<usize>());
            // Turned free; torn through the lip, free before and after; against the loom, and past
            // it; away.
            let runs = hits.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
            let runs: Vec<(bool, usize)> = runs.collect();
            let kinds: Vec<bool> = runs.iter().map(|run| run.0).collect();
            assert_eq!(kinds, [false, true, false, true, false], "{side:?}: {runs:?}");
            assert!(runs[0].1 >= STEPS[0] && runs[1].1 > 20 && runs[3].1 > 5, "{side:?}: {runs:?}");
            assert!(runs[4].1 >= STEPS[3], "{side:?}: {runs:?}");
        }
    }
}

#[test]
fn a_cover_in_its_place_cannot_be_pulled() {
    let headlight = made(Params { faces: 20_000, ..Params::default() });
    for side in [Side::Left, Side::Right] {
        let seated = headlight.removal(side, Way::Free);
        let start = seated.poses[0];
        let pulled = Pose::shift([0.0, 0.0, -3.0]).expect("a shift").after(&start);
        let mut pair = pair(&headlight, seated.part);
        let found = pair.check(&[start, pulled], &Query::TOUCHING);
        let free: Vec<bool> = found.all().iter().map(|a| a.verdict == Verdict::Free).collect();
        assert_eq!(free, [true, false]);
    }
}
