//! Truth on mesh pairs in degenerate contact (coplanar, collinear edges, shared points …): the
//! number of intersecting triangle pairs of each.

use crate::{data, engines};
use impinge_geom::Triangle;
use impinge_geom::mesh::Mesh;
use impinge_scene::load::load;
use std::path::Path;

/// The one mesh of a file.
fn read(path: &Path) -> Mesh {
    let mut objects = load(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(objects.len(), 1, "{}", path.display());
    objects.remove(0).mesh
}

fn triangles(mesh: &Mesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i)).collect()
}

#[test]
fn all_counts_of_intersecting_pairs_are_right() {
    let Some(folder) = data::folder("coref") else { return };
    let truth = std::fs::read_to_string(folder.join("coref_truth.csv")).unwrap();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in truth.lines().skip(1) {
        let [a, b, count_a, count_b, _, pairs] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("expected six columns, found {line}");
        };
        let [a, b] = [a, b].map(|name| triangles(&read(&folder.join(name.replacen(':', "/", 1)))));
        assert_eq!(a.len(), count_a.parse::<usize>().unwrap(), "{line}");
        assert_eq!(b.len(), count_b.parse::<usize>().unwrap(), "{line}");
        let found = engines::pairs(&a, &b).len();
        if found != pairs.parse::<usize>().unwrap() {
            wrong.push(format!("{line}, but found {found}"));
        }
        cases += 1;
    }
    println!("{cases} mesh pairs, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cases, 104);
}

/// Cases whose parts meet in nothing but corners and edges of equal coordinates and different
/// indices. The list counts that as intersecting; to us equal coordinates are one vertex, so the
/// parts are neighbours and a common edge alone is no contact.
const JOINED_BY_POSITION: [&str; 4] = [
    "data-autoref/test_13.off",
    "data-autoref/test_14.off",
    "data-autoref/test_16.off",
    "data-autoref/test_17.off",
];

/// Of the published self-intersection cases, those with intersection polylines touch themselves.
/// The number of polylines is the second column of the list.
#[test]
fn self_intersections_are_found_exactly_where_they_are_stated() {
    let Some(folder) = data::folder("coref") else { return };
    let list = std::fs::read_to_string(folder.join("test_autorefinement.cmd")).unwrap();
    let mut cases = 0;
    for line in list.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, polylines, ..] = words[..] else { continue };
        // The cases of the exception list state no polylines; they all intersect.
        let stated = polylines != "0" || name.contains("triple_inter_exception");
        let expected = stated && !JOINED_BY_POSITION.contains(&name);
        let found = engines::pairs_within(&read(&folder.join(name)));
        println!("{name}: {} pairs", found.len());
        assert_eq!(!found.is_empty(), expected, "{line}");
        cases += 1;
    }
    assert_eq!(cases, 28);
}
