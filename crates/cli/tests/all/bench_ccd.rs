//! `impinge bench ccd`: what is told of labelled queries, and bad input.

use crate::program::{Folder, Run, argument, run};

/// A vertex above a triangle that goes down to `z`, with a label.
fn record(z: f64, label: u8) -> Vec<u8> {
    let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut bytes = Vec::new();
    for top in [1.0, z] {
        for corner in [&[[0.25, 0.25, top]][..], &face].concat() {
            corner.iter().for_each(|x: &f64| bytes.extend(x.to_le_bytes()));
        }
    }
    bytes.push(label);
    bytes
}

fn ccd(more: &[&str]) -> Run {
    run(&[&["bench", "ccd"], more].concat())
}

#[test]
fn wrong_labels_and_times_are_counted() {
    let folder = Folder::new();
    // Hit, free, labelled free but a hit, labelled a hit but free, hit with too early a time.
    let records =
        [record(-1.0, 1), record(0.5, 0), record(-1.0, 0), record(0.5, 1), record(-1.0, 1)];
    let file = folder.path("some-vf.bin");
    std::fs::write(&file, records.concat()).unwrap();
    let file = argument(&file);
    let answers = argument(&folder.path("answers.txt"));
    let more = [&file[..], "--repeat", "3", "--answers", &answers, "--format", "json"];
    let lines = ccd(&more).json();
    assert_eq!(lines.len(), 2);
    assert_eq!([&lines[0]["file"], &lines[1]["file"]], ["some-vf.bin", "total"]);
    assert!(lines[0]["late"].is_null());
    let times = [0.5, f64::NAN, f64::NAN, 0.5, 0.25].map(f64::to_le_bytes);
    std::fs::write(folder.path("some-vf.toi"), times.concat()).unwrap();
    let done = ccd(&more);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let line = &done.json()[1];
    let number = |name: &str| line[name].as_u64().unwrap();
    let counted = ["queries", "hits", "misses", "late", "early", "false_alarms"].map(number);
    assert_eq!(counted, [5, 3, 1, 1, 0, 1]);
    let ns = |name: &str| line[name].as_f64().unwrap();
    assert!(ns("min_ns") <= ns("mean_ns") && ns("p99_ns") <= ns("max_ns"), "{line}");
    let written = std::fs::read_to_string(&answers).unwrap();
    let times: Vec<f64> = written.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!([times[1], times[3]], [1.0, 1.0]);
    assert!([times[0], times[2], times[4]].iter().all(|t| *t <= 0.5 && 0.5 - t < 1e-6));
    assert_eq!(ccd(&[&file, "--repeat", "1"]).code, 0);
    for method in ["regula-falsi", "linear"] {
        let done = ccd(&[&file, "--repeat", "1", "--method", method, "--format", "json"]).json();
        let counted = ["hits", "misses", "late", "false_alarms"].map(|name| &done[1][name]);
        assert_eq!(counted, [3, 1, 1, 1], "{method}");
        assert_eq!(done[1]["method"], method);
    }
    let csv = ccd(&[&file, "--repeat", "1", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 3);
}

#[test]
fn bad_files_are_told() {
    let folder = Folder::new();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path(name);
        std::fs::write(&path, bytes).unwrap();
        argument(&path)
    };
    let good = record(0.5, 0);
    let mut infinite = good.clone();
    infinite[..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    for (file, what) in [
        (write("some.bin", &good), "-vf.bin"),
        (write("cut-vf.bin", &good[1..]), "192 bytes"),
        (write("none-ee.bin", &[]), "no queries"),
        (write("label-ee.bin", &record(0.5, 7)), "query 0: the label is 7"),
        (write("far-vf.bin", &[good.clone(), infinite].concat()), "query 1: the coordinate inf"),
        (argument(&folder.path("missing-vf.bin")), "cannot read"),
    ] {
        let done = ccd(&[&file]);
        assert_eq!(done.code, 2, "{file}");
        assert!(done.err.contains(what), "{}", done.err);
    }
    let file = write("short-vf.bin", &good);
    write("short-vf.toi", &[0; 16]);
    assert!(ccd(&[&file]).err.contains("2 times for 1 queries"));
    assert_eq!(ccd(&[&file, "--tolerance", "-1"]).code, 2);
    let over = ccd(&[&file, "--answers", &file]);
    assert!(over.code == 2 && over.err.contains("write over"), "{}", over.err);
}
