//! Truth on mesh pairs in degenerate contact (coplanar, collinear edges, shared points …): the
//! number of intersecting triangle pairs of each.

mod brute;
mod data;

use impinge_geom::Triangle;
use std::path::Path;

/// The triangles of an OFF file that holds nothing else.
fn read_off(path: &Path) -> Vec<Triangle> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    let mut words = lines.flat_map(str::split_whitespace);
    assert_eq!(words.next(), Some("OFF"), "{}", path.display());
    let mut number = || -> f64 { words.next().expect("the file ends too early").parse().unwrap() };
    let [vertices, faces, _edges] = [(); 3].map(|()| number() as usize);
    let points: Vec<[f64; 3]> = (0..vertices).map(|_| [number(), number(), number()]).collect();
    let mut face = || {
        assert_eq!(number() as usize, 3, "{} has a face that is no triangle", path.display());
        [(); 3].map(|()| points[number() as usize])
    };
    (0..faces).map(|_| face()).collect()
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
        let [a, b] = [a, b].map(|name| read_off(&folder.join(name.replacen(':', "/", 1))));
        assert_eq!(a.len(), count_a.parse().unwrap(), "{line}");
        assert_eq!(b.len(), count_b.parse().unwrap(), "{line}");
        let found = brute::pairs(&a, &b).len();
        if found != pairs.parse().unwrap() {
            wrong.push(format!("{line}, but found {found}"));
        }
        cases += 1;
    }
    println!("{cases} mesh pairs, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cases, 104);
}
