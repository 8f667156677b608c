//! Two frames of a cloth and of a soft body from published simulations: everything that collides
//! between them is listed, with a label that was worked out exactly.

use crate::data;
use impinge_geom::first_contact::swept::{Asked, Bodies, Collision, Moving, Surface, Swept};
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

/// Every pair of the list that collides is found. What else is found is not proven to touch, but comes
/// so near that the exact search came to its limits: some roundings of the coordinates.
fn judge(what: &str, found: &[Collision], listed: &[([u32; 2], bool)], size: f64) -> usize {
    let mut colliding = 0;
    for (pair, collides) in listed {
        let told = found.binary_search_by_key(pair, |collision| collision.features).is_ok();
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

/// Pairs of features that share a vertex: their boxes always overlap.
fn neighbours(surface: &Surface) -> u64 {
    let mut edges = vec![0; surface.vertices_min()];
    surface.edges().as_flattened().iter().for_each(|&vertex| edges[vertex as usize] += 1);
    let around: u64 = edges.iter().map(|n: &u64| n * n.saturating_sub(1) / 2).sum();
    around + 3 * surface.triangles().len() as u64
}

/// `expected` are colliding vertices and faces, colliding edges, and pairs whose boxes in f64 overlap.
fn scene(name: &str, frames: [&str; 2], expected: [usize; 3]) {
    let Some(folder) = data::folder("broadphase") else { return };
    let folder = folder.join(name);
    let [start, end] = frames
        .map(|file| load(&folder.join(file)).unwrap_or_else(|e| panic!("{e}")).remove(0).mesh);
    assert_eq!(start.triangles(), end.triangles());
    let surface = Surface::new(start.triangles());
    let motion = VertexMotion::new(start.vertices(), end.vertices()).unwrap();
    let bodies = Bodies::One(Moving::new(&surface, motion).unwrap());
    let mut swept = Swept::default();
    let found = swept.collisions(&bodies, &Asked::default(), |_| u64::MAX);
    let size = start.vertices().as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    println!("{name}: {:?}", found.work);
    assert!(found.complete && found.face_vertex.is_empty());
    // Boxes in f32 never overlap less often than those in f64, and hardly more often.
    let overlaps = found.work.boxes - neighbours(&surface);
    let surplus = overlaps.checked_sub(expected[2] as u64).expect("every overlap is found");
    assert!(surplus <= overlaps / 1000, "{surplus} of {overlaps}");
    let vertex_face = listed(&folder.join("pairs_vf.bin"));
    let edge_edge = listed(&folder.join("pairs_ee.bin"));
    assert_eq!(judge("vertices and faces", &found.vertex_face, &vertex_face, size), expected[0]);
    assert_eq!(judge("edges", &found.edge_edge, &edge_edge, size), expected[1]);
}

#[test]
fn cloth_on_a_ball() {
    scene("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"], [19_032, 94_822, 6_852_873]);
}

#[test]
fn armadillo_between_rollers() {
    scene("armadillo-rollers", ["326.ply", "327.ply"], [4650, 19_308, 7_099_982]);
}
