//! `impinge voxelize`: a mesh as voxels, in files that other programs read.

pub(crate) mod line;

use crate::args::voxelize::{Fill, InsideBy, Method, VoxelizeArgs};
use crate::args::{Common, Format};
use crate::input::{self, Source};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result, anyhow, ensure};
use impinge_geom::mesh::Mesh;
use impinge_geom::topology::Topology;
use impinge_geom::voxels::grid::{Grid, GridError};
use impinge_geom::voxels::map::VoxelMap;
use impinge_geom::voxels::seed;
use impinge_geom::voxels::solid::{Inside, VoxelError, inside};
use impinge_geom::voxels::surface::touched;
use impinge_scene::export::voxels;
use impinge_scene::units::Unit;
use line::VoxelizeLine;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(args: &VoxelizeArgs, common: &Common) -> Result<Outcome> {
    ensure!(
        args.method == Method::Rays || args.inside == InsideBy::Closed,
        "--method seed needs a closed mesh; it does not go with --inside winding"
    );
    check_outputs(args)?;
    let source = input::read(&args.mesh)?;
    spare_inputs(args, &source)?;
    let (mesh, unit) = input::joined(&source, args.units)?;
    let grid = grid(&mesh, args, unit).with_context(|| format!("{} in {unit}", args.mesh))?;
    let start = Instant::now();
    let map = filled(&mesh, grid, args).with_context(|| args.mesh.clone())?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(path) = &args.out {
        voxels::write(path, &map, unit)?;
    }
    let slices = match &args.slices {
        Some(folder) => Some(voxels::write_slices(folder, &map, args.axis as usize)?),
        None => None,
    };
    let topology = Topology::of(&mesh);
    let line = VoxelizeLine {
        source: args.mesh.clone(),
        units: unit,
        fill: args.fill,
        size: grid.size(),
        counts: grid.counts(),
        filled: map.filled(),
        volume: map.volume(),
        mesh_volume: (topology.closed && topology.oriented).then_some(topology.signed_volume.abs()),
        bricks: map.bricks().len() - 2,
        bits_per_voxel: line::bits_per_voxel(&map),
        bytes: map.bytes(),
        seconds,
        out: args.out.as_ref().map(|path| path.display().to_string()),
        slices,
    };
    output::print(&match common.format {
        Format::Text => line.text(),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => line.csv(),
    })?;
    Ok(Outcome::Done)
}

/// The files that `--out` writes.
fn written(args: &VoxelizeArgs) -> Vec<PathBuf> {
    let Some(path) = &args.out else { return Vec::new() };
    let mut written = vec![path.clone()];
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("nhdr")) {
        written.push(voxels::raw_file(path));
    }
    written
}

/// Everything that is asked for can be written, as far as that can be known without writing it.
fn check_outputs(args: &VoxelizeArgs) -> Result<()> {
    for path in &written(args) {
        output::check_file(path).with_context(|| format!("--out {}", path.display()))?;
    }
    if let Some(folder) = &args.slices {
        output::check_folder(folder).with_context(|| format!("--slices {}", folder.display()))?;
    }
    Ok(())
}

/// The files that are written must not be those that were read.
fn spare_inputs(args: &VoxelizeArgs, source: &Source) -> Result<()> {
    for path in &written(args) {
        input::spare(source.files.iter().map(PathBuf::as_path), ("--out", path as &Path))?;
    }
    Ok(())
}

/// Voxels over the mesh, and over those beside it that it touches if they are asked for.
fn grid(mesh: &Mesh, args: &VoxelizeArgs, unit: Unit) -> Result<Grid, GridError> {
    let bounds = mesh.bounds();
    let size = match (args.size, args.resolution) {
        (Some(size), _) => size.to(unit),
        (None, resolution) => Grid::size_for(&bounds, resolution.unwrap_or(1))?,
    };
    match args.fill {
        Fill::Centre => Grid::around(&bounds, size),
        Fill::Cover | Fill::Surface => Grid::covering(&bounds, size),
    }
}

fn filled(mesh: &Mesh, grid: Grid, args: &VoxelizeArgs) -> Result<VoxelMap> {
    let within = || match (args.inside, args.method) {
        (InsideBy::Winding, _) => inside(mesh, grid, Inside::Winding),
        (InsideBy::Closed, Method::Rays) => inside(mesh, grid, Inside::Closed),
        (InsideBy::Closed, Method::Seed) => seed::inside(mesh, grid),
    };
    let hinted = |error: VoxelError| match error {
        VoxelError::Open { .. } => anyhow!("{error}; see --inside winding and --fill surface"),
        VoxelError::Flat { .. } => anyhow!("{error}; see --fill surface"),
    };
    Ok(match args.fill {
        Fill::Surface => touched(mesh, grid),
        Fill::Centre => within().map_err(hinted)?,
        Fill::Cover => within().map_err(hinted)?.union(&touched(mesh, grid)),
    })
}
