//! The built-in headlight: put together nothing touches, and its covers come off as told, free on
//! one way and torn through the bayonet and the loom on the other.

use impinge::contract::answer::Verdict;
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::headlight::fit::{BULB_GAP, Task};
use impinge_samples::headlight::removal::{Side, Way};
use impinge_samples::headlight::{Headlight, Params};
use impinge_samples::{SampleScene, Sequence};
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

/// The moving part beside each of the others, where that stands.
fn pairs(scene: &SampleScene) -> impl Iterator<Item = (&str, PosedPair)> {
    let moving = scene.fit.as_ref().expect("a fitting check").moving[0];
    let resting = scene.parts.iter().enumerate().filter(move |(i, _)| *i != moving);
    resting.map(move |(_, part)| {
        let placed = part.mesh.vertices().iter().map(|v| part.pose.apply(v)).collect();
        let rest = part.mesh.with_vertices(placed).expect("a placed mesh");
        let pair = PosedPair::new(rest, scene.parts[moving].mesh.clone()).expect("any mesh");
        (part.name.as_str(), pair)
    })
}

/// The least gap where pieces of the path begin.
fn least_gap(scene: &SampleScene) -> f64 {
    let fit = scene.fit.as_ref().expect("a fitting check");
    let poses: Vec<Pose> = fit.path.motions().iter().map(|motion| *motion.pose0()).collect();
    let query = Query { gap: Gap::Below(1.0), ..Query::TOUCHING };
    let mut least = f64::INFINITY;
    for (_, mut pair) in pairs(scene) {
        for answer in pair.check(&poses, &query).all() {
            assert_eq!(answer.verdict, Verdict::Free);
            least = answer.clearance.map_or(f64::INFINITY, |gap| gap.at_least).min(least);
        }
    }
    least
}

/// The certified time of the first contact, and what is met.
fn first_contact(scene: &SampleScene) -> Option<([f64; 2], String)> {
    let path = &scene.fit.as_ref().expect("a fitting check").path;
    let firsts = pairs(scene).filter_map(|(name, mut pair)| {
        let found = pair.check(path.motions(), &Query::FIRST_CONTACT);
        let piece = found.all().iter().position(|answer| answer.verdict != Verdict::Free)?;
        let time = found.all()[piece].time.expect("a contact has its time");
        Some((time.map(|part| path.time_at(piece, part)), name.to_owned()))
    });
    firsts.min_by(|a, b| a.0[0].total_cmp(&b.0[0]))
}

#[test]
fn the_fitting_checks_end_as_told() {
    for (faces, clearance, lugs) in [(60_000, 0.4, 3), (20_000, 0.2, 2), (20_000, 0.5, 6)] {
        let made = made(Params { faces, clearance, lugs });
        let about = format!("{faces} faces, {lugs} lugs");
        let cover = made.clone().fitting(Task::Cover);
        assert_eq!(first_contact(&cover), None, "{about}");
        let least = least_gap(&cover);
        assert!((clearance - 0.001..clearance + 0.001).contains(&least), "{about}: {least} mm");

        // It is pulled by 14 mm in the first 70 of 230 steps.
        let first = first_contact(&made.clone().fitting(Task::CoverEarly));
        let ([from, to], met) = first.expect("lugs at the lip");
        let told = clearance / 14.0 * 70.0 / 230.0;
        assert_eq!(met, "housing", "{about}");
        assert!(from - 1e-4 < told && told < to + 1e-4, "{about}: {from} {told} {to}");

        let bulb = made.clone().fitting(Task::Bulb);
        assert_eq!(first_contact(&bulb), None, "{about}");
        let least = least_gap(&bulb);
        assert!((least - BULB_GAP).abs() < 0.001, "{about}: {least} mm");

        // The back of the bulb is at 4, the inside of the cover at −12 less the clearance.
        let first = first_contact(&made.fitting(Task::BulbEarly));
        let ([from, to], met) = first.expect("a bulb against its cover");
        let told = (16.0 + clearance) / 40.0 * 50.0 / 160.0;
        assert_eq!(met, "cover-left", "{about}");
        assert!(from - 1e-4 < told && told < to + 1e-4, "{about}: {from} {told} {to}");
    }
}
