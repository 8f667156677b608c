//! The generated fitting checks: their closed forms beside exact answers at instants, and beside the
//! certified first contact along each piece; and how often sampled poses miss a contact.

use impinge::contract::answer::Verdict;
use impinge::prelude::*;
use impinge_geom::motion::path::Path;
use impinge_samples::fitting::{FAMILIES, Generated, Truth, generated};
use impinge_samples::{SampleScene, Sampled, build};

/// Scenes of each family.
const SCENES: u64 = 64;

fn family(which: usize) -> impl Iterator<Item = Generated> {
    (0..SCENES).map(move |k| generated(which as u64 + k * FAMILIES.len() as u64))
}

/// The moving body beside the one at rest, where that stands; and the path.
fn pair(scene: &SampleScene) -> (PosedPair, &Path) {
    let [rest, moving] = &scene.parts[..] else { panic!("two bodies") };
    let placed = rest.mesh.vertices().iter().map(|v| rest.pose.apply(v)).collect();
    let placed = rest.mesh.with_vertices(placed).expect("finite vertices");
    let pair = PosedPair::new(placed, moving.mesh.clone()).expect("closed meshes");
    (pair, &scene.fit.as_ref().expect("a fitting check").path)
}

/// So many times from one to another, both included.
fn times([from, to]: [f64; 2], count: u32) -> impl Iterator<Item = f64> {
    let last = f64::from(count - 1);
    (0..count).map(move |i| from + (to - from) * (f64::from(i) / last))
}

fn touches(pair: &mut PosedPair, path: &Path, times: &[f64]) -> Vec<bool> {
    let poses: Vec<Pose> = times.iter().map(|&time| path.pose_at(time)).collect();
    let found = pair.check(&poses, &Query::TOUCHING);
    assert!(found.all().iter().all(|answer| answer.verdict != Verdict::Unknown));
    found.all().iter().map(|answer| answer.verdict != Verdict::Free).collect()
}

/// Apart until the first time, also just before it, and touching at the second and just after.
fn contact_is_at(made: &Generated, [from, to]: [f64; 2]) {
    let (mut pair, path) = pair(&made.scene);
    let begin = path.span()[0];
    let mut before: Vec<f64> = times([begin, from], 200).collect();
    before.extend((1..15).map(|k| from - (from - begin) * 0.1f64.powi(k)));
    let early = touches(&mut pair, path, &before).iter().position(|hit| *hit);
    assert_eq!(early, None, "{}: apart until {from}", made.name);
    // Some contacts are shorter than a millionth of the way.
    let after = [0.0, 1.0, 10.0].map(|times| to + times * (to - from));
    let late = touches(&mut pair, path, &after);
    assert_eq!(late, [true; 3], "{}: touching from {to} on", made.name);
}

/// Nowhere nearer than told, and as near as told at the time told.
fn free_by(made: &Generated, clearance: f64, at: f64) {
    let (mut pair, path) = pair(&made.scene);
    let mut poses: Vec<Pose> = times(path.span(), 100).map(|time| path.pose_at(time)).collect();
    poses.push(path.pose_at(at));
    let found = pair.check(&poses, &Query::CLEARANCE);
    let slack = 1e-9 * clearance + made.rounding;
    for answer in found.all() {
        let gap = answer.clearance.expect("bodies that are apart");
        assert!(gap.at_most >= clearance - slack, "{}: {gap:?} < {clearance}", made.name);
        // A gap that is known less well would say little about the closed form.
        assert!(gap.at_most - gap.at_least < 100.0 * made.rounding, "{}: {gap:?}", made.name);
    }
    let then = found.all()[found.all().len() - 1].clearance.expect("bodies that are apart");
    let near = then.at_least - slack <= clearance && clearance <= then.at_most + slack;
    assert!(near, "{}: {then:?} not {clearance}", made.name);
}

#[test]
fn closed_forms_hold_at_instants() {
    for which in 0..FAMILIES.len() {
        for made in family(which) {
            match made.truth {
                Truth::Free { clearance, at } => free_by(&made, clearance, at),
                Truth::Contact { time } => contact_is_at(&made, time),
            }
        }
    }
}

#[test]
fn the_certified_first_contact_is_the_one_told() {
    for which in 0..FAMILIES.len() {
        for made in family(which) {
            let (mut pair, path) = pair(&made.scene);
            let found = pair.check(path.motions(), &Query::FIRST_CONTACT);
            let piece = found.all().iter().position(|answer| answer.verdict != Verdict::Free);
            match (piece, made.truth) {
                (None, Truth::Free { .. }) => {}
                (Some(piece), Truth::Contact { time: [from, to] }) => {
                    let answer = &found.all()[piece];
                    assert!(matches!(answer.verdict, Verdict::Hit(_)), "{}", made.name);
                    let told = answer.time.expect("a contact has its time");
                    let [low, high] = told.map(|part| path.time_at(piece, part));
                    assert!(low <= to && from <= high, "{}: {told:?}", made.name);
                }
                (piece, truth) => panic!("{}: {truth:?}, but piece {piece:?}", made.name),
            }
        }
    }
}

#[test]
fn samples_fit_if_their_clearance_says_so() {
    for name in ["peg", "slot", "bayonet"] {
        for (clearance, fits) in [(0.1, true), (1e-5, true), (-1e-5, false), (-0.5, false)] {
            for seed in 0..20 {
                let text = format!("{name}?clearance={clearance}&seed={seed}");
                let Ok(Sampled::Scene(scene)) = build(&text) else { panic!("{text} is a scene") };
                let (mut pair, path) = pair(&scene);
                let found = pair.check(path.motions(), &Query::FIRST_CONTACT);
                let free = found.all().iter().all(|answer| answer.verdict == Verdict::Free);
                assert_eq!(free, fits, "{text}");
            }
        }
    }
    let error = build("peg?clearance=0").expect_err("a limit has no known side");
    assert!(error.to_string().contains("other than 0"), "{error}");
}

/// How many contacts are missed by so many poses at even times, of how many.
fn missed(which: &[usize], samples: u32) -> [usize; 2] {
    let (mut missed, mut all) = (0, 0);
    for made in which.iter().flat_map(|&which| family(which)) {
        if let Truth::Contact { .. } = made.truth {
            let (mut pair, path) = pair(&made.scene);
            let at: Vec<f64> = times(path.span(), samples).collect();
            all += 1;
            missed += usize::from(!touches(&mut pair, path, &at).contains(&true));
        }
    }
    [missed, all]
}

#[test]
fn sampled_poses_miss_contacts() {
    let everything: Vec<usize> = (0..FAMILIES.len()).collect();
    let brief =
        ["fin", "cam", "rotor"].map(|name| FAMILIES.iter().position(|other| *other == name));
    let brief = brief.map(|place| place.expect("a family"));
    for (which, least) in [(&everything[..], [0.15, 0.1, 0.05]), (&brief, [0.4, 0.2, 0.05])] {
        let counts = [100, 400, 1600].map(|samples| missed(which, samples));
        println!("missed of all at 100, 400 and 1600 poses: {counts:?}");
        for ([missed, all], least) in counts.into_iter().zip(least) {
            assert!(missed as f64 > least * all as f64, "{missed} of {all}");
        }
    }
}
