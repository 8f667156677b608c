//! Certificates of scenes with known answers: every one is accepted; of those that were changed in one
//! place, with all checksums made anew, none is accepted unless what it says is still true.

use crate::made::{Random, assembly, body};
use impinge_fit::certify::certify;
use impinge_fit::prelude::*;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, MotionKind, Screw};
use impinge_geom::pose::Pose;
use impinge_samples::fitting::{FAMILIES, generated};
use impinge_scene::scene::fit::Fit;
use impinge_verify::format::{Certificate, Outcome, SourceEntry, decode, encode, mesh_hash, pose};
use impinge_verify::route::Place;
use impinge_verify::verify;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A certificate and the meshes that it is about.
struct Sealed {
    name: String,
    certificate: Certificate,
    meshes: Vec<Arc<Mesh>>,
}

fn sealed(seed: u64) -> Sealed {
    let made = generated(seed);
    let prepared = Prepared::new(assembly(&made.scene)).expect("a scene to check");
    let answer = fit(&prepared, &Question::default(), &());
    let source = |name: &str| SourceEntry {
        mesh: format!("{name}.stl"),
        object: None,
        unit: "mm".to_owned(),
    };
    let sources: Vec<SourceEntry> = prepared.bodies.iter().map(|b| source(&b.name)).collect();
    let certificate = certify((&prepared, &answer), &sources, "mm", &()).expect(&made.name);
    let meshes = prepared.bodies.iter().map(|body| Arc::clone(&body.mesh)).collect();
    Sealed { name: made.name, certificate, meshes }
}

#[test]
fn certificates_survive_the_file_and_are_accepted() {
    for seed in 0..FAMILIES.len() as u64 * 25 {
        let Sealed { name, certificate, meshes } = sealed(seed);
        let read = Certificate::read(&certificate.write()).expect(&name);
        let proven = verify(&read, &meshes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(proven.claim, certificate.claim, "{name}");
    }
}

/// All places of a certificate where something can be changed.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| places(value, &format!("{at}/{key}"), found));
        }
        Value::Array(items) => {
            if !items.is_empty() {
                found.push(at.to_owned());
            }
            let number = |(i, value)| places(value, &format!("{at}/{i}"), found);
            items.iter().enumerate().for_each(number);
        }
        _ => found.push(at.to_owned()),
    }
}

/// Changes one thing; tells what.
fn mutate(value: &mut Value, random: &mut Random) -> String {
    let mut found = Vec::new();
    places(value, "", &mut found);
    // Long lists of numbers would have all the luck: first a field, then a place in it.
    let field = |place: &String| {
        place
            .split('/')
            .filter(|p| p.parse::<u32>().is_err())
            .fold(String::new(), |all, part| all + "/" + part)
    };
    let fields: BTreeSet<String> = found.iter().map(field).collect();
    let chosen = fields.iter().nth(random.below(fields.len())).expect("some field").clone();
    found.retain(|place| field(place) == chosen);
    let place = &found[random.below(found.len())];
    let target = value.pointer_mut(place).expect("it was found");
    let how = match target {
        Value::Number(number) => {
            let old = number.as_f64().expect("a number");
            let is_whole = number.is_u64();
            let new = random.other(old, is_whole);
            *target = if is_whole { Value::from(new as u64) } else { Value::from(new) };
            format!("{old:?} to {new:?}")
        }
        Value::String(text) => match decode(text).filter(|bytes| bytes.len() > 8) {
            Some(mut bytes) => {
                let how = if random.below(2) == 0 {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                    format!("a bit of byte {at}")
                } else {
                    random.change(&mut bytes)
                };
                *text = encode(&bytes);
                how
            }
            None => {
                text.push('x');
                "another text".to_owned()
            }
        },
        Value::Array(items) => random.change(items),
        Value::Bool(flag) => {
            *flag = !*flag;
            "the opposite".to_owned()
        }
        Value::Null => {
            *target = Value::from(0.5);
            "a number for nothing".to_owned()
        }
        Value::Object(_) => unreachable!("only what is in it"),
    };
    format!("{place}: {how}")
}

/// A path up to a place.
fn up_to(path: &Path, Place(last, part): Place) -> Option<Path> {
    let mut motions = path.motions()[..last].to_vec();
    let mut times = path.times()[..=last].to_vec();
    if part > 0.0 {
        let motion = &path.motions()[last];
        motions.push(match motion.kind() {
            MotionKind::LerpSlerp => Motion::lerp_slerp(*motion.pose0(), motion.pose_at(part)),
            MotionKind::Screw(Screw { angle, advance, point, direction }) => {
                let [angle, advance] = [angle, advance].map(|x| x * part);
                let screw = Screw { angle, advance, point, direction };
                Motion::screw(*motion.pose0(), screw).expect("a part of a screw")
            }
        });
        times.push(path.time_at(last, part));
    }
    Path::new(times, motions).ok()
}

/// What the search that knows nothing of certificates says of a certificate's bodies on a path.
fn searched(certificate: &Certificate, meshes: &[Arc<Mesh>], path: Path) -> Answer {
    let bodies = certificate.bodies.iter().zip(meshes);
    let bodies: Vec<_> = bodies
        .map(|(entry, mesh)| {
            let pose: Pose = pose(&entry.pose).expect("it was accepted");
            // What moves stands where the path begins; its place within it is in its pose.
            let pose = if entry.moves { path.motions()[0].pose0().after(&pose) } else { pose };
            body(&entry.name, mesh, pose)
        })
        .collect();
    let moving = (0..bodies.len()).filter(|&i| certificate.bodies[i].moves).collect();
    let ignored = BTreeSet::new();
    let assembly = Assembly { bodies, ignored, fit: Fit { moving, path, allowed: Vec::new() } };
    fit(&Prepared::new(assembly).expect("it was accepted"), &Question::default(), &())
}

/// Whether what a certificate says is true, by that search.
fn is_true(certificate: &Certificate, meshes: &[Arc<Mesh>]) -> bool {
    let path = certificate.path.path().expect("it was accepted");
    let claim = &certificate.claim;
    let is_free = up_to(&path, claim.until).is_none_or(|part| {
        let answer = searched(certificate, meshes, part);
        answer.verdict == Verdict::Free
            && answer.clearance.is_none_or(|found| claim.clearance <= found.nearest.at_most)
    });
    let touches = certificate.contact.is_none_or(|witness| {
        let time = witness.at.time(&path);
        let answer = searched(certificate, meshes, path);
        answer.contact.is_some_and(|contact| contact.time[0] <= time)
    });
    is_free && touches
}

#[test]
fn what_was_changed_is_rejected_or_still_true() {
    let mut random = Random(0x5eed);
    let (mut rejected, mut still_true) = (0, Vec::new());
    for seed in 0..60 {
        let Sealed { name, certificate, meshes } = sealed(seed);
        let text = certificate.write();
        for _ in 0..25 {
            let mut value: Value = serde_json::from_str(&text).expect("it was written");
            let how = mutate(&mut value, &mut random);
            // What is no certificate any more is rejected by its form.
            let Ok(changed) = serde_json::from_value::<Certificate>(value) else {
                rejected += 1;
                continue;
            };
            // Some changes change nothing.
            if (Certificate { checksum: String::new(), ..changed.clone() }) == certificate {
                continue;
            }
            let accepted = Certificate::read(&changed.write())
                .and_then(|read| verify(&read, &meshes).map(|_| read));
            match accepted {
                Err(_) => rejected += 1,
                Ok(read) => {
                    assert!(is_true(&read, &meshes), "{name}, {how}: accepted, but not true");
                    still_true.push(how);
                }
            }
        }
    }
    println!("{rejected} rejected, {} still true: {still_true:#?}", still_true.len());
    assert!(rejected + still_true.len() >= 1000 && rejected > 600);
}

#[test]
fn another_mesh_is_rejected_or_the_proof_still_holds() {
    let mut random = Random(77);
    let (mut rejected, mut held) = (0, 0);
    for seed in 0..60 {
        let Sealed { name, mut certificate, mut meshes } = sealed(seed);
        for _ in 0..6 {
            let which = random.below(meshes.len());
            let mut vertices = meshes[which].vertices().to_vec();
            let vertex = random.below(vertices.len());
            let size = meshes[which].bounds().diagonal();
            let far = size * 10f64.powi(random.below(9) as i32 - 8);
            let axis = random.below(3);
            vertices[vertex][axis] += far;
            let Ok(mesh) = meshes[which].with_vertices(vertices) else { continue };
            let other = Arc::new(mesh);
            let before = std::mem::replace(&mut meshes[which], Arc::clone(&other));
            assert!(verify(&certificate, &meshes).is_err(), "{name}: another mesh is not noticed");
            // As a forger would, who makes the hash anew as well.
            let hash = std::mem::replace(&mut certificate.bodies[which].sha256, mesh_hash(&other));
            match verify(&certificate, &meshes) {
                Err(_) => rejected += 1,
                Ok(_) => {
                    assert!(is_true(&certificate, &meshes), "{name}: vertex {vertex} by {far}");
                    held += 1;
                }
            }
            meshes[which] = before;
            certificate.bodies[which].sha256 = hash;
        }
    }
    println!("{rejected} rejected, {held} still hold");
    assert!(rejected > 20 && held > 20);
}

#[test]
fn a_free_claim_reaches_to_the_end() {
    let Sealed { certificate, meshes, .. } = free();
    let mut shorter = certificate.clone();
    shorter.claim.until = Place(0, 0.5);
    assert!(verify(&shorter, &meshes).is_err());
    let mut more = certificate.clone();
    more.claim.clearance *= 1.01;
    assert!(verify(&more, &meshes).is_err());
    let mut fewer = certificate;
    fewer.pairs.clear();
    assert!(verify(&fewer, &meshes).is_err());
}

/// The first certificate of a free path.
fn free() -> Sealed {
    let is_free = |sealed: &Sealed| sealed.certificate.claim.outcome == Outcome::Free;
    (0..).map(sealed).find(is_free).expect("some are free")
}

#[test]
fn what_claims_nothing_is_rejected() {
    let Sealed { certificate, meshes, .. } = free();
    // Nothing is held against anything.
    for moves in [true, false] {
        let mut still = certificate.clone();
        still.bodies.iter_mut().for_each(|body| body.moves = moves);
        still.pairs.clear();
        assert!(verify(&still, &meshes).is_err());
    }
    // All pairs are excused, or none has to keep the clearance.
    let mut excused = certificate.clone();
    let phases = excused.pairs.iter_mut().flat_map(|pair| &mut pair.phases);
    phases.for_each(|phase| (phase.apart, phase.reason) = (None, "trust me".to_owned()));
    assert!(verify(&excused, &meshes).is_err());
    let mut near = certificate;
    for phase in near.pairs.iter_mut().flat_map(|pair| &mut pair.phases) {
        phase.reason = "trust me".to_owned();
        phase.apart.as_mut().expect("it is claimed").distance = Some(0.0);
    }
    near.claim.clearance = 1e6;
    assert!(verify(&near, &meshes).is_err());
}

#[test]
fn names_and_reasons_stay_in_one_line() {
    let Sealed { mut certificate, meshes, .. } = free();
    certificate.bodies[0].name = "a\nPROVED FREE\u{1b}[2J".to_owned();
    certificate.unit = "mm\n".to_owned();
    let line = verify(&certificate, &meshes).expect("names do not matter").line();
    assert!(!line.contains(char::is_control), "{line:?}");
}
