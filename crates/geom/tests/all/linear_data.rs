//! First contact of features that move linearly, against published queries with exact answers.

use impinge_geom::Point;
use impinge_geom::first_contact::linear::{Ask, Outcome, edge_edge, vertex_face};
use std::path::{Path, PathBuf};

/// 24 numbers and a byte.
const RECORD: usize = 24 * 8 + 1;

struct Query {
    start: [Point; 4],
    end: [Point; 4],
    touches: bool,
    /// The time of the first contact, or NaN.
    time: f64,
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let number = |eight: &[u8]| f64::from_le_bytes(eight.try_into().unwrap());
    bytes.chunks_exact(8).map(number).collect()
}

fn read(path: &Path) -> Vec<Query> {
    let bytes = std::fs::read(path).unwrap();
    let times = numbers(&std::fs::read(path.with_extension("toi")).unwrap());
    assert_eq!(bytes.len(), RECORD * times.len());
    let records = bytes.chunks_exact(RECORD).zip(times);
    let query = |(record, time): (&[u8], f64)| {
        let all = numbers(&record[..RECORD - 1]);
        let corner = |i: usize| [all[3 * i], all[3 * i + 1], all[3 * i + 2]];
        let start = std::array::from_fn(corner);
        let end = std::array::from_fn(|i| corner(4 + i));
        Query { start, end, touches: record[RECORD - 1] == 1, time }
    };
    records.map(query).collect()
}

fn files() -> Option<Vec<PathBuf>> {
    let folder = PathBuf::from(std::env::var_os("IMPINGE_DATA")?).join("ccd/dev");
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "bin"));
    paths.sort();
    Some(paths)
}

#[test]
fn published_queries_are_answered_right() {
    let Some(files) = files() else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let (mut queries, mut hits) = (0, 0);
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for (i, query) in read(&path).iter().enumerate() {
            for tolerance in [1e-6, 1e-3] {
                let ask = Ask { tolerance, ..Ask::default() };
                let kernel = if name.ends_with("-vf") { vertex_face } else { edge_edge };
                let Outcome::Contact(contact) = kernel(&query.start, &query.end, &ask) else {
                    assert!(!query.touches, "{name} {i}: missed");
                    continue;
                };
                assert!(query.touches, "{name} {i}: a false alarm, {contact:?}");
                // The published times are rounded to f64.
                let [low, high] = contact.time;
                assert!(low <= query.time.next_up(), "{name} {i}: late, {contact:?}");
                assert!(query.time.next_down() <= high, "{name} {i}: early, {contact:?}");
                assert!(!contact.wide && high - low <= tolerance, "{name} {i}: {contact:?}");
                hits += usize::from(tolerance == 1e-6);
            }
            queries += 1;
        }
    }
    println!("{queries} queries, {hits} of them touch");
    assert!(queries > 0);
}
