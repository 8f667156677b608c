//! Every pruner with every engine on the scenes of `testdata/cases`, against hand-written expectations.
//!
//! A line of an `.expect` file names two bodies and their verdict: `a b free`, `a b hit inside`,
//! `a b hit surface` or, with the number of triangle pairs, `a b hit surface 4`. Pairs that are not
//! named must not be tested at all.

use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::resolve;
use impinge_scene::scene::Scene;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let files = std::fs::read_dir(folder).expect("the folder is a part of the project");
    let paths = files.map(|entry| entry.expect("readable").path());
    let mut scenes: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ext| ext == "toml")).collect();
    scenes.sort();
    scenes
}

type Expected = BTreeMap<[String; 2], String>;

fn expected(path: &Path) -> Expected {
    let text = std::fs::read_to_string(path.with_extension("expect"));
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |line: &str| {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let [a, b, verdict] = [(); 3].map(|()| words.next().expect("three words or more"));
        ([a, b], verdict)
    };
    text.lines().map(line).collect()
}

/// The scene as a world; bodies carry their place in the scene as user data.
fn world(scene: &Scene, pruner: &str, engine: &str) -> World {
    let pruner = broad::by_name(pruner).expect("it is registered");
    let mut world = World::with(pruner, narrow::by_name(engine).expect("it is registered"));
    let mut ids = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let shape = world.add_shape(body.mesh.clone()).expect("every engine takes it");
        let body = Body::new(shape).at(body.pose).with_user_data(i as u64);
        ids.push(world.insert(body).expect("a known shape"));
    }
    for [a, b] in scene.ignored_pairs() {
        world.deny(ids[a], ids[b]);
    }
    world
}

/// What a step says, in the words of the `.expect` files. Pairs that the pruner ruled out are free.
fn found(scene: &Scene, pruner: &str, engine: &str) -> Expected {
    let mut verdicts = Expected::new();
    let ignored = scene.ignored_pairs();
    for (j, b) in scene.bodies.iter().enumerate() {
        for (i, a) in scene.bodies[..j].iter().enumerate() {
            if !ignored.contains(&[i, j]) {
                verdicts.insert([a.name.clone(), b.name.clone()], "free".to_owned());
            }
        }
    }
    let mut world = world(scene, pruner, engine);
    let indices: BTreeMap<BodyId, usize> =
        world.bodies().map(|(id, body)| (id, body.user_data as usize)).collect();
    for pair in world.step(&Query::PAIRS).pairs() {
        let names = [pair.a, pair.b].map(|id| scene.bodies[indices[&id]].name.clone());
        let verdict = match pair.answer.verdict {
            Verdict::Free => "free".to_owned(),
            Verdict::Hit(HitKind::Inside { .. }) => "hit inside".to_owned(),
            Verdict::Hit(HitKind::Surface) => format!("hit surface {}", pair.triangle_pairs.len()),
            Verdict::Unknown => "unknown".to_owned(),
        };
        assert!(verdicts.insert(names, verdict).is_some(), "an ignored pair was tested");
    }
    verdicts
}

#[test]
fn every_pruner_and_engine_says_what_is_expected() {
    let cases = cases();
    assert!(cases.len() >= 10);
    for path in cases {
        let scene = Scene::load(&path, &resolve).unwrap_or_else(|error| panic!("{error}"));
        let expected = expected(&path);
        for pruner in broad::names() {
            for engine in narrow::exact_names() {
                let found = found(&scene, pruner, engine);
                let context = format!("{}, {pruner}, {engine}: {found:?}", path.display());
                assert!(found.keys().eq(expected.keys()), "{context}");
                for (pair, verdict) in &expected {
                    let said = &found[pair];
                    // The number of triangle pairs may be left open.
                    let alike = said == verdict
                        || said.strip_prefix(verdict).is_some_and(|rest| rest.starts_with(' '));
                    assert!(alike, "{pair:?} should be {verdict}; {context}");
                }
            }
        }
    }
}
