//! `impinge spheretree`: a mesh as spheres, level by level.

use crate::args::spheretree::SpheretreeArgs;
use crate::args::{Common, Format};
use crate::input;
use crate::number::{count, seconds, short};
use crate::outcome::Outcome;
use crate::output::{self, csv_field};
use anyhow::{Context, Result};
use impinge_geom::coins::{Below, CoinTree, Place};
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// The line of `impinge spheretree --format json`, and what the file holds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge spheretree")]
pub(crate) struct SpheretreeLine {
    /// What was asked about: a file or a sample.
    source: String,
    /// The unit of all lengths.
    units: Unit,
    /// Triangles of the mesh.
    triangles: usize,
    /// How long building took.
    seconds: f64,
    /// From one sphere around everything on.
    levels: Vec<LevelLine>,
}

/// A level.
#[derive(Debug, Serialize, JsonSchema)]
struct LevelLine {
    /// How many spheres it has.
    count: usize,
    /// No point of a sphere is farther from the surface than this.
    error_max: f64,
    /// The mean of that over the spheres, each by its own largest.
    error_mean: f64,
    /// The largest radius.
    radius_max: f64,
    /// The sum of the spheres' volumes.
    volume: f64,
    /// The spheres themselves: in the file only.
    #[serde(skip_serializing_if = "Option::is_none")]
    spheres: Option<Vec<SphereLine>>,
}

/// A sphere, cut by a slab.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SphereLine {
    /// Its middle.
    center: [f64; 3],
    radius: f64,
    /// The unit normal of the slab.
    normal: [f64; 3],
    /// What the sphere holds is no farther from the plane through the middle than this.
    half_thickness: f64,
    /// No point of the sphere is farther from the surface than this.
    error: f64,
    /// Which sphere of the level above holds what this one holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// The triangle that it holds, if that is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle: Option<u32>,
}

/// Runs the command.
pub(crate) fn run(args: &SpheretreeArgs, common: &Common) -> Result<Outcome> {
    if let Some(path) = &args.out {
        output::check_file(path).with_context(|| format!("--out {}", path.display()))?;
    }
    let source = input::read(&args.mesh)?;
    if let Some(path) = &args.out {
        input::spare(source.files.iter().map(PathBuf::as_path), ("--out", path))?;
    }
    let (mesh, units) = input::joined(&source, args.units)?;
    let start = Instant::now();
    let tree = CoinTree::of(&mesh);
    let mut line = SpheretreeLine {
        source: args.mesh.clone(),
        units,
        triangles: mesh.triangles().len(),
        seconds: start.elapsed().as_secs_f64(),
        levels: levels(&tree, args.levels),
    };
    if let Some(path) = &args.out {
        let text = serde_json::to_string(&line)? + "\n";
        std::fs::write(path, text)
            .with_context(|| format!("{} {}", output::CANNOT_WRITE, path.display()))?;
    }
    line.levels.iter_mut().for_each(|level| level.spheres = None);
    output::print(&match common.format {
        Format::Text => line.text(args),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => line.csv(),
    })?;
    Ok(Outcome::Done)
}

/// Levels from the sphere around everything on; triangles stay once they are reached, so that each level holds
/// all of the surface.
fn levels(tree: &CoinTree, most: Option<usize>) -> Vec<LevelLine> {
    let mut places = vec![(CoinTree::ROOT, None)];
    let mut levels = Vec::new();
    loop {
        let spheres = places.iter().map(|&(place, parent)| sphere(tree, place, parent)).collect();
        levels.push(level(spheres));
        if most.is_some_and(|most| levels.len() > most) {
            return levels;
        }
        let mut next: Vec<(Place, Option<usize>)> = Vec::new();
        for (parent, &(place, _)) in places.iter().enumerate() {
            match tree.below(place) {
                Below::Node(node) => {
                    next.extend(tree.places(node).map(|place| (place, Some(parent))));
                }
                Below::Triangle(_) => next.push((place, Some(parent))),
            }
        }
        // All of them are triangles.
        if next.len() == places.len() {
            return levels;
        }
        places = next;
    }
}

fn sphere(tree: &CoinTree, place: Place, parent: Option<usize>) -> SphereLine {
    let (coin, unit, origin) = (tree.coin(place), tree.unit(), tree.origin());
    let center: [f64; 3] = std::array::from_fn(|k| f64::from(coin.centre[k]) * unit + origin[k]);
    // To the middle, and from there to a point of the surface.
    let way = |k: usize| f64::from(coin.centre[k]) - f64::from(coin.witness[k]);
    let inward = (0..3).map(|k| way(k) * way(k)).sum::<f64>().sqrt() * (1.0 + 1e-6);
    let radius = f64::from(coin.radius) * unit;
    SphereLine {
        center,
        radius,
        normal: coin.normal.map(f64::from),
        half_thickness: f64::from(coin.half) * unit,
        error: radius + inward * unit,
        parent,
        triangle: match tree.below(place) {
            Below::Triangle(triangle) => Some(triangle),
            Below::Node(_) => None,
        },
    }
}

fn level(spheres: Vec<SphereLine>) -> LevelLine {
    let most = |of: fn(&SphereLine) -> f64| spheres.iter().map(of).fold(0.0, f64::max);
    let sum = |of: fn(&SphereLine) -> f64| spheres.iter().map(of).sum::<f64>();
    LevelLine {
        count: spheres.len(),
        error_max: most(|sphere| sphere.error),
        error_mean: sum(|sphere| sphere.error) / spheres.len().max(1) as f64,
        radius_max: most(|sphere| sphere.radius),
        volume: sum(|sphere| 4.0 / 3.0 * std::f64::consts::PI * sphere.radius.powi(3)),
        spheres: Some(spheres),
    }
}

impl SpheretreeLine {
    fn text(&self, args: &SpheretreeArgs) -> String {
        let unit = self.units;
        let mut text = format!(
            "{}\n  {} triangles, built in {}\n  level  {:>9}  {:>12}  {:>12}  {:>12}\n",
            self.source,
            count(self.triangles as u64),
            seconds(self.seconds),
            "spheres",
            format!("error [{unit}]"),
            format!("mean [{unit}]"),
            format!("radius [{unit}]"),
        );
        for (number, level) in self.levels.iter().enumerate() {
            let [error, mean, radius] =
                [level.error_max, level.error_mean, level.radius_max].map(short);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {number:>5}  {:>9}  {error:>12}  {mean:>12}  {radius:>12}",
                count(level.count as u64)
            );
        }
        if let Some(path) = &args.out {
            let _ = writeln!(text, "  written to {}", path.display());
        }
        text
    }

    fn csv(&self) -> String {
        let mut text =
            "source,units,level,spheres,error_max,error_mean,radius_max,volume\n".to_owned();
        for (number, level) in self.levels.iter().enumerate() {
            let LevelLine { count, error_max, error_mean, radius_max, volume, .. } = level;
            let _ = writeln!(
                text,
                "{},{},{number},{count},{error_max},{error_mean},{radius_max},{volume}",
                csv_field(&self.source),
                self.units
            );
        }
        text
    }
}
