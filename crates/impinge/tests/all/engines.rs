//! Every registered engine on the same two triangle lists, or on a mesh against itself.

use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_geom::Triangle;
use impinge_geom::mesh::Mesh;

/// Engine `image` cannot miss at any resolution.
const RESOLUTIONS: [&str; 3] =
    ["image?resolution=8", "image?resolution=128", "image?resolution=1024"];

/// The triangles as a mesh of their own, corner by corner: polygon soup.
pub(crate) fn soup(triangles: &[Triangle]) -> Mesh {
    let corners: Vec<[f64; 3]> = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(corners, indices).expect("at least one triangle of finite corners")
}

/// The intersecting triangles of two lists. Panics if the engines do not agree with each other, or
/// an engine not with itself when it is asked for less or more.
pub(crate) fn pairs(a: &[Triangle], b: &[Triangle]) -> Vec<[u32; 2]> {
    let meshes = [soup(a), soup(b)];
    agreed(|engine| {
        let pruner = broad::by_name("auto").expect("there is always one");
        let mut world = World::with(pruner, narrow::by_text(engine).expect("it is registered"));
        for mesh in meshes.clone() {
            let shape = world.add_shape(mesh).expect("every engine takes soup");
            world.insert(Body::new(shape)).expect("a known shape");
        }
        let found = all_pairs(&mut world, &Query::PAIRS);
        assert_eq!(all_pairs(&mut world, &Query::CONTACTS), found, "{engine}: contacts");
        let touches = !all_pairs(&mut world, &Query::TOUCHING).is_empty();
        assert_eq!(touches, !found.is_empty(), "{engine}: touching");
        found
    })
}

/// The triangles of a mesh that meet others of it beyond what they share.
pub(crate) fn pairs_within(mesh: &Mesh) -> Vec<[u32; 2]> {
    agreed(|engine| {
        let pruner = broad::by_name("auto").expect("there is always one");
        let mut world = World::with(pruner, narrow::by_text(engine).expect("it is registered"));
        let shape = world.add_shape(mesh.clone()).expect("every engine takes soup");
        world.insert(Body::new(shape)).expect("a known shape");
        all_pairs(&mut world, &Query { itself: true, ..Query::PAIRS })
    })
}

fn all_pairs(world: &mut World, query: &Query) -> Vec<[u32; 2]> {
    let report = world.step(query);
    assert_eq!(report.progress(), Progress::Complete);
    report.hits().flat_map(|hit| hit.triangle_pairs.to_vec()).collect()
}

fn agreed(of_engine: impl Fn(&str) -> Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    let names = narrow::exact_names().chain(RESOLUTIONS);
    let mut all = names.map(|name| (name, of_engine(name)));
    let (first, answer) = all.next().expect("there is always one");
    for (name, other) in all {
        assert_eq!(other, answer, "{name} against {first}");
    }
    answer
}
