//! Two meshes and the poses or motions of the second, as `bench` takes them.

use crate::check::places::{Kind, Places};
use crate::input::{self, SourceBody};
use anyhow::{Context, Result, bail, ensure};
use impinge::contract::job::Placement;
use impinge::prelude::{Mesh, Pose};
use impinge_scene::units::Unit;
use std::path::Path;
use std::sync::Arc;

/// What is timed.
pub(super) struct Input {
    pub(super) meshes: [Arc<Mesh>; 2],
    pub(super) places: Vec<Placement>,
}

/// Reads everything.
pub(super) fn load(meshes: [&str; 2], places: &Path, kind: Kind) -> Result<Input> {
    let mut from = Places::open(places, kind)?;
    let meshes = pair(meshes)?;
    let (mut all, mut some) = (Vec::new(), Vec::new());
    loop {
        from.batch(&mut some)?;
        if some.is_empty() {
            break;
        }
        all.append(&mut some);
    }
    let (name, what) = (places.display(), kind.name());
    ensure!(!all.is_empty(), "{name}: there are no {what}; at least one is needed");
    Ok(Input { meshes, places: all })
}

/// A single mesh, in its own unit.
pub(super) fn one_mesh(name: &str) -> Result<Arc<Mesh>> {
    let body = one(name)?;
    let unit = body.unit.unwrap_or(Unit::Mm);
    Ok(body.convert(unit, unit)?.0)
}

/// Two meshes in one unit: that of both, or millimetres.
pub(super) fn pair(names: [&str; 2]) -> Result<[Arc<Mesh>; 2]> {
    let [a, b] = names.map(one);
    let (a, b) = (a?, b?);
    let [unit_a, unit_b] = [&a, &b].map(|body| body.unit.unwrap_or(Unit::Mm));
    let unit = if unit_a == unit_b { unit_a } else { Unit::Mm };
    Ok([a.convert(unit_a, unit)?.0, b.convert(unit_b, unit)?.0])
}

fn one(name: &str) -> Result<SourceBody> {
    let mut bodies = input::read(name)?.bodies;
    if bodies.len() != 1 {
        bail!("`{name}` has {} bodies; a single mesh is needed", bodies.len());
    }
    let body = bodies.pop().context("there is one")?;
    ensure!(
        body.pose == Pose::IDENTITY,
        "`{name}` places its mesh; a mesh in its own frame is needed, since it is B that is moved"
    );
    Ok(body)
}

/// Refuses to write over what is read.
pub(super) fn ensure_spared(
    option: &str,
    written: &Path,
    meshes: [&str; 2],
    places: Option<&Path>,
) -> Result<()> {
    let inputs = meshes.map(Path::new).into_iter().chain(places);
    input::spare(inputs, (option, written))
}

/// The numbers of a pose, as they are read.
pub(super) fn pose_text(pose: &Pose) -> String {
    let [w, x, y, z] = pose.rotation();
    let [tx, ty, tz] = pose.translation();
    format!("{w} {x} {y} {z} {tx} {ty} {tz}")
}
