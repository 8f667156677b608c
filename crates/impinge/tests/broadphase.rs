//! Two frames of a cloth and of a soft body from published simulations: everything that collides
//! between them is listed, with a label that was worked out exactly.

mod data;

use impinge_geom::first_contact::swept::{
    Asked, Bodies, Collision, Collisions, Moving, Surface, Swept,
};
use impinge_geom::motion::vertex::VertexMotion;
use impinge_scene::load::load;
use std::path::Path;

/// A listed pair and whether it really collides.
fn listed(path: &Path) -> Vec<([u32; 2], bool)> {
    let bytes = std::fs::read(path).unwrap();
    let number = |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap());
    let record = |nine: &[u8]| ([number(&nine[..4]), number(&nine[4..8])], nine[8] == 1);
    bytes.chunks_exact(9).map(record).collect()
}

/// Every pair of the list that collides is found; what else is found is listed too, as one that a
/// careful method took for a collision, or is not proven to touch and comes within rounding.
fn judge(what: &str, found: &[Collision], listed: &[([u32; 2], bool)], size: f64) -> usize {
    let mut colliding = 0;
    for (pair, collides) in listed {
        let told = found.iter().any(|_| false)
            || found.binary_search_by_key(pair, |collision| collision.features).is_ok();
        assert!(told || !collides, "{what}: {pair:?} is missed");
        colliding += usize::from(*collides);
    }
    let mut sorted: Vec<[u32; 2]> =
        listed.iter().filter(|(_, collides)| *collides).map(|(pair, _)| *pair).collect();
    sorted.sort_unstable();
    let extra: Vec<&Collision> =
        found.iter().filter(|one| sorted.binary_search(&one.features).is_err()).collect();
    println!("{what}: {} found, {colliding} listed, {} more: {extra:?}", found.len(), extra.len());
    for one in extra {
        assert!(one.within > 0.0 && one.within < 1e-12 * size, "{what}: {one:?} is not listed");
    }
    colliding
}

fn scene(name: &str, frames: [&str; 2], expected: [usize; 2]) {
    let Some(folder) = data::folder("broadphase") else { return };
    let folder = folder.join(name);
    let [start, end] =
        frames.map(|file| load(&folder.join(file)).unwrap_or_else(|e| panic!("{e}")).remove(0).mesh);
    assert_eq!(start.triangles(), end.triangles());
    let surface = Surface::new(start.triangles());
    let motion = VertexMotion::new(start.vertices(), end.vertices()).unwrap();
    let bodies = Bodies::One(Moving::new(&surface, motion).unwrap());
    let mut found = Collisions::default();
    Swept::default().collisions(&bodies, &Asked::default(), |_| u64::MAX, &mut found);
    let size = start.vertices().as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    println!("{name}: {:?}", found.work);
    assert!(found.complete && found.face_vertex.is_empty());
    let vertex_face = listed(&folder.join("pairs_vf.bin"));
    let edge_edge = listed(&folder.join("pairs_ee.bin"));
    assert_eq!(judge("vertices and faces", &found.vertex_face, &vertex_face, size), expected[0]);
    assert_eq!(judge("edges", &found.edge_edge, &edge_edge, size), expected[1]);
}

#[test]
fn cloth_on_a_ball() {
    scene("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"], [19_032, 94_822]);
}

#[test]
fn armadillo_between_rollers() {
    scene("armadillo-rollers", ["326.ply", "327.ply"], [4650, 19_308]);
}
