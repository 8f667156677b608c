//! Truth on rigid mesh pairs in two frames each: whether they are in contact.
//!
//! A frame is one line: its number, a time, then rotation (row-major) and translation of the first
//! object and of the second.

use crate::{data, engines};
use impinge_geom::Triangle;
use impinge_scene::load::load;
use std::path::Path;

/// Contact as published, and intersecting triangle pairs as computed with the data.
struct Scenario {
    model: u32,
    number: u32,
    contact: [bool; 2],
    pairs: [usize; 2],
}

const SCENARIOS: [Scenario; 6] = [
    Scenario { model: 1, number: 1, contact: [false, true], pairs: [0, 16] },
    Scenario { model: 1, number: 2, contact: [true, true], pairs: [16, 28] },
    Scenario { model: 2, number: 1, contact: [false, true], pairs: [0, 10] },
    Scenario { model: 2, number: 2, contact: [true, true], pairs: [10, 10] },
    Scenario { model: 3, number: 1, contact: [false, true], pairs: [0, 56] },
    Scenario { model: 3, number: 2, contact: [true, true], pairs: [56, 138] },
];

/// The triangles of a file of one object.
fn read(path: &Path) -> Vec<Triangle> {
    let objects = load(path).unwrap_or_else(|error| panic!("{error}"));
    let [object] = &objects[..] else { panic!("{}: {} objects", path.display(), objects.len()) };
    (0..object.mesh.triangles().len() as u32).map(|i| object.mesh.triangle(i)).collect()
}

/// The placements of both objects, per line.
fn read_frames(path: &Path) -> Vec<[[f64; 12]; 2]> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let placements = text.lines().map(|line| {
        let words = line.split_whitespace().skip(2).map(|word| word.parse().unwrap());
        let numbers: Vec<f64> = words.collect();
        let (first, second) = numbers.split_at(12);
        [first, second].map(|half| half.try_into().expect("24 numbers make a frame"))
    });
    placements.collect()
}

fn placed(mesh: &[Triangle], placement: &[f64; 12]) -> Vec<Triangle> {
    let (rotation, translation) = placement.split_at(9);
    let place = |p: [f64; 3]| {
        std::array::from_fn(|k| {
            let row = &rotation[3 * k..3 * k + 3];
            row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + translation[k]
        })
    };
    mesh.iter().map(|triangle| triangle.map(place)).collect()
}

#[test]
fn every_frame_is_in_contact_or_free_as_stated() {
    let Some(folder) = data::folder("rigid-frames") else { return };
    for Scenario { model, number, contact, pairs } in SCENARIOS {
        // Both scenarios of a model move the same two objects.
        let [first, second] = [1, 2]
            .map(|object| read(&folder.join(format!("Model_{model}_Scenario_1.obj{object}.obj"))));
        let frames = read_frames(&folder.join(format!("Model_{model}_Scenario_{number}.frames")));
        let found: Vec<usize> = frames
            .iter()
            .map(|[p, q]| engines::pairs(&placed(&first, p), &placed(&second, q)).len())
            .collect();
        println!("model {model}, scenario {number}: {found:?} pairs, {pairs:?} with the data");
        assert_eq!(found.iter().map(|&n| n > 0).collect::<Vec<_>>(), contact);
        assert_eq!(found, pairs);
    }
}
