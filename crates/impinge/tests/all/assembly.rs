//! The built-in assembly, whose clashes and clearances are known by construction: every engine finds
//! all of them and nothing else.

use impinge::contract::answer::{HitKind, Verdict};
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::assembly::{Assembly, KNOWN_BELOW, Known, Params, Relation};
use std::sync::Arc;

/// Pairs of parts and how the engine finds them to be, sorted.
fn found(assembly: &Assembly, engine: &str, want: Want) -> Vec<([usize; 2], Verdict, [f64; 2])> {
    let pruner = broad::by_name("auto").expect("there is a default");
    let mut world = World::with(pruner, narrow::by_name(engine).expect("a registered engine"));
    let parts = &assembly.scene.parts;
    let meshes: Vec<Arc<Mesh>> = parts.iter().map(|part| Arc::new(part.mesh.clone())).collect();
    let shapes = world.add_shapes(&meshes).expect("every engine takes closed meshes");
    let bodies = shapes.into_iter().zip(parts).map(|(shape, part)| Body::new(shape).at(part.pose));
    let ids: Vec<BodyId> =
        bodies.map(|body| world.insert(body).expect("a shape of this world")).collect();
    let index = |id| ids.iter().position(|other| *other == id).expect("a body of this world");
    let query = Query { want, gap: Gap::Below(KNOWN_BELOW), ..Query::TOUCHING };
    let report = world.step(&query);
    assert_eq!(report.progress(), Progress::Complete);
    let near = report.pairs().filter(|pair| {
        pair.answer.verdict != Verdict::Free
            || pair.answer.clearance.is_some_and(|gap| gap.at_most < KNOWN_BELOW)
    });
    let told = near.map(|pair| {
        let gap = pair.answer.clearance.map_or([0.0; 2], |gap| [gap.at_least, gap.at_most]);
        ([index(pair.a), index(pair.b)], pair.answer.verdict, gap)
    });
    told.collect()
}

fn check(assembly: &Assembly, engine: &str, want: Want) {
    let name = |part: usize| &assembly.scene.parts[part].name;
    let found = found(assembly, engine, want);
    let title = |[a, b]: [usize; 2]| format!("{engine}: {} and {}", name(a), name(b));
    for (pair, verdict, gap) in &found {
        let known = assembly.known.iter().any(|known| known.pair == *pair);
        assert!(known, "{} are {verdict:?} {gap:?}, which is not known", title(*pair));
    }
    for &Known { pair, relation } in &assembly.known {
        let told = found.iter().find(|(found, ..)| *found == pair);
        let Some((_, verdict, gap)) = told else {
            panic!("{} are not found, but {relation:?}", title(pair))
        };
        let right = match relation {
            Relation::Clash | Relation::Touch => *verdict == Verdict::Hit(HitKind::Surface),
            Relation::Inside => *verdict == Verdict::Hit(HitKind::Inside { inner: Side::B }),
            Relation::Gap { at_least, at_most } => {
                *verdict == Verdict::Free && at_least <= gap[0] && gap[1] <= at_most
            }
        };
        assert!(right, "{} are {relation:?}, but found {verdict:?} {gap:?}", title(pair));
    }
}

#[test]
fn every_engine_finds_the_known_clashes_and_clearances() {
    let small = Assembly::new(&Params { parts: 70, faces: 1, seed: 3 }).expect("an assembly");
    let kinds =
        |is: fn(&Relation) -> bool| small.known.iter().filter(|known| is(&known.relation)).count();
    assert!(kinds(|relation| *relation == Relation::Clash) > 4);
    assert!(kinds(|relation| *relation == Relation::Inside) >= 2);
    for engine in narrow::exact_names() {
        check(&small, engine, Want::Touching);
    }
}

#[test]
fn other_cuts_and_seeds_are_as_true() {
    for (parts, faces, seed) in [(33, 20_000, 1), (33, 40_000, 2), (99, 1, 5)] {
        let made = Assembly::new(&Params { parts, faces, seed }).expect("an assembly");
        check(&made, "auto", Want::Touching);
    }
}
