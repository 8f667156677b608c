//! How fast mesh files are read: everything from opening the file to a checked mesh.

use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge_geom::mesh::Mesh;
use impinge_scene::load::load;
use std::fmt::Write as _;
use std::path::Path;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "load-speed",
    title: "Reading mesh files",
    paper: None,
    about: "Reads a sphere of 500 000 faces from OBJ (text) and binary STL (which repeats every \
            vertex, so they are merged again), from the system's file cache.",
    run,
};

fn run(lab: &mut Lab) -> Result<()> {
    let faces = if lab.settings.quick { 5000 } else { 500_000 };
    let mesh = impinge_samples::build_mesh(&format!("sphere?faces={faces}"))?;
    let folder = tempfile::tempdir().context("cannot make a folder for test files")?;
    let mut table = Table::new(&[
        ("file", ""),
        ("faces", ""),
        ("size", "MB"),
        ("best", "s"),
        ("median", "s"),
        ("rate", "MB/s"),
        ("passes", ""),
    ]);
    for (name, bytes) in [("sphere.obj", obj(&mesh)), ("sphere.stl", binary_stl(&mesh))] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).with_context(|| format!("cannot write {name}"))?;
        check(&path, &mesh)?;
        // Checked above; a failure here would only be the disk's, and shows as a time of nothing.
        let timing = lab.time(1, |_| drop(std::hint::black_box(load(&path))));
        let megabytes = bytes.len() as f64 / 1e6;
        let (best, median) = (timing.min_us / 1e6, timing.median_us / 1e6);
        table.push([
            Cell::Text(name.to_owned()),
            Cell::Count(mesh.triangles().len() as u64),
            Cell::Real(megabytes),
            Cell::Real(best),
            Cell::Real(median),
            Cell::Real(megabytes / best),
            Cell::Count(timing.passes as u64),
        ]);
    }
    lab.note("Bars: OBJ below 0.6 s, binary STL with merging below 0.3 s.");
    lab.publish(&table, None)
}

/// What is timed must also be right: the same faces and, after merging, as many vertices.
fn check(path: &Path, mesh: &Mesh) -> Result<()> {
    let objects = load(path)?;
    let [object] = &objects[..] else { anyhow::bail!("{} objects, not one", objects.len()) };
    let counts = |mesh: &Mesh| [mesh.vertices().len(), mesh.triangles().len()];
    let (found, wanted) = (counts(&object.mesh), counts(mesh));
    anyhow::ensure!(found == wanted, "{found:?} vertices and faces were read, not {wanted:?}");
    Ok(())
}

fn obj(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::new();
    for [x, y, z] in mesh.vertices() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|v| v + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text.into_bytes()
}

/// Samples are exact in f32, so the file holds the same mesh. Normals are left to the reader.
fn binary_stl(mesh: &Mesh) -> Vec<u8> {
    let count = mesh.triangles().len() as u32;
    let mut bytes = vec![0; 80];
    bytes.extend(count.to_le_bytes());
    for i in 0..count {
        bytes.extend([0; 12]);
        let corners = mesh.triangle(i);
        bytes.extend(corners.as_flattened().iter().flat_map(|&x| (x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}
