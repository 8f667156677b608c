//! `impinge spheretree` from outside.

use crate::program::{Folder, argument, run};
use serde_json::Value;

#[test]
fn levels_are_told_and_written() {
    let folder = Folder::new();
    let out = argument(&folder.path("spheres.json"));
    let told = run(&["spheretree", "sample:torus-knot", "--out", &out, "--format", "json"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let line = told.json().remove(0);
    let levels = line["levels"].as_array().unwrap();
    let number = |level: &Value, field: &str| level[field].as_f64().unwrap();
    assert_eq!(levels[0]["count"], 1);
    assert_eq!(levels.last().unwrap()["count"], line["triangles"]);
    assert!(levels.windows(2).all(|two| {
        number(&two[1], "error_max") <= number(&two[0], "error_max")
            && number(&two[1], "count") <= 8.0 * number(&two[0], "count")
    }));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    for (k, level) in file["levels"].as_array().unwrap().iter().enumerate() {
        let spheres = level["spheres"].as_array().unwrap();
        assert_eq!(level["count"].as_u64(), Some(spheres.len() as u64));
        let above = if k > 0 { levels[k - 1]["count"].as_u64().unwrap() } else { 0 };
        assert!(spheres.iter().all(|sphere| sphere["parent"].as_u64().is_none_or(|p| p < above)));
    }
    let text = run(&["spheretree", "sample:torus-knot", "--levels", "2"]).out;
    assert_eq!(text.lines().count(), 6, "{text}");
    let csv = run(&["spheretree", "sample:sphere", "--levels", "1", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 3, "{csv}");
}

#[test]
fn trees_are_built_in_several_ways() {
    let levels = |builder: &str| {
        let line =
            run(&["spheretree", "sample:torus-knot", "--builder", builder, "--format", "json"])
                .json()
                .remove(0);
        assert_eq!(line["builder"], builder);
        let levels = line["levels"].as_array().unwrap().clone();
        for level in &levels {
            let number = |field: &str| level[field].as_f64().unwrap();
            assert!(number("outside_max") <= number("error_max") * (1.0 + 1e-9), "{level}");
            assert!(number("outside_mean") <= number("outside_max"), "{level}");
        }
        assert_eq!(levels.last().unwrap()["count"], line["triangles"]);
        levels
    };
    let [coins, octree, annealed] = ["coins", "octree", "annealed"].map(levels);
    let mean = |level: &Value| level["outside_mean"].as_f64().unwrap();
    assert!(mean(&coins[1]) < 0.5 * mean(&octree[1]));
    assert!(mean(&annealed[1]) < 0.8 * mean(&octree[1]));
}

#[test]
fn what_cannot_be_is_refused() {
    for bad in [
        &["spheretree", "none.obj"][..],
        &["spheretree", "sample:sphere", "--levels", "-1"],
        &["spheretree", "sample:sphere", "--builder", "none"],
        &["spheretree", "sample:sphere", "--out", "no/such/folder/spheres.json"],
    ] {
        let told = run(bad);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{bad:?} {}", told.err);
        assert!(!told.err.is_empty());
    }
}
