//! `impinge spheretree`: a mesh as spheres, level by level.

use crate::args::spheretree::SpheretreeArgs;
use crate::args::{Common, Format};
use crate::input;
use crate::number::{count, seconds, short};
use crate::outcome::Outcome;
use crate::output::{self, csv_field};
use anyhow::{Context, Result};
use impinge_geom::coins::cover::{Form, Ruler};
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
    /// How the tree was built: coins, octree or annealed.
    builder: String,
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
    /// The greatest distance from the surface that was found on the outside of the level, among points of its spheres
    /// that are in no other one: a sample.
    outside_max: f64,
    /// The mean of these, by area.
    outside_mean: f64,
    /// As `outside_max`, of spheres cut by their slabs.
    cut_outside_max: f64,
    /// As `outside_mean`, of spheres cut by their slabs.
    cut_outside_mean: f64,
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
    let tree = CoinTree::build(&mesh, args.builder.builder());
    let seconds = start.elapsed().as_secs_f64();
    let mut line = SpheretreeLine {
        source: args.mesh.clone(),
        units,
        triangles: mesh.triangles().len(),
        builder: format!("{:?}", args.builder).to_lowercase(),
        seconds,
        levels: levels(&tree, &Ruler::of(&mesh), args.levels),
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
fn levels(tree: &CoinTree, ruler: &Ruler<'_>, most: Option<usize>) -> Vec<LevelLine> {
    let mut places = vec![(CoinTree::ROOT, None)];
    let mut levels = Vec::new();
    loop {
        levels.push(level(tree, ruler, &places));
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
        if next.iter().map(|(place, _)| place).eq(places.iter().map(|(place, _)| place)) {
            return levels;
        }
        places = next;
    }
}

fn sphere(tree: &CoinTree, (place, parent): (Place, Option<usize>), error: f64) -> SphereLine {
    let (coin, unit, origin) = (tree.coin(place), tree.unit(), tree.origin());
    SphereLine {
        center: std::array::from_fn(|k| f64::from(coin.centre[k]) * unit + origin[k]),
        radius: f64::from(coin.radius) * unit,
        normal: coin.normal.map(f64::from),
        half_thickness: f64::from(coin.half) * unit,
        error,
        parent,
        triangle: match tree.below(place) {
            Below::Triangle(triangle) => Some(triangle),
            Below::Node(_) => None,
        },
    }
}

fn level(tree: &CoinTree, ruler: &Ruler<'_>, places: &[(Place, Option<usize>)]) -> LevelLine {
    let coins: Vec<Place> = places.iter().map(|&(place, _)| place).collect();
    let errors = ruler.bounds(tree, &coins);
    let spheres = places.iter().zip(errors).map(|(&place, error)| sphere(tree, place, error));
    let [balls, cut] = [Form::Balls, Form::Coins].map(|form| ruler.measure(tree, &coins, form));
    LevelLine {
        count: balls.count,
        error_max: balls.bound_max,
        error_mean: balls.bound_mean,
        outside_max: balls.seen_max,
        outside_mean: balls.seen_mean,
        cut_outside_max: cut.seen_max,
        cut_outside_mean: cut.seen_mean,
        radius_max: balls.radius_max,
        volume: balls.volume,
        spheres: Some(spheres.collect()),
    }
}

impl SpheretreeLine {
    fn text(&self, args: &SpheretreeArgs) -> String {
        let mut text = format!(
            "{}\n  {} triangles, built in {} ({}), lengths in {}\n  \
             level  {:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}\n",
            self.source,
            count(self.triangles as u64),
            seconds(self.seconds),
            self.builder,
            self.units,
            "spheres",
            "error",
            "mean",
            "outside",
            "cut",
            "radius",
        );
        for (number, level) in self.levels.iter().enumerate() {
            let [error, mean, outside, cut, radius] = [
                level.error_max,
                level.error_mean,
                level.outside_max,
                level.cut_outside_max,
                level.radius_max,
            ]
            .map(short);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {number:>5}  {:>9}  {error:>10}  {mean:>10}  {outside:>10}  {cut:>10}  \
                 {radius:>10}",
                count(level.count as u64)
            );
        }
        if let Some(path) = &args.out {
            let _ = writeln!(text, "  written to {}", path.display());
        }
        text
    }

    fn csv(&self) -> String {
        let mut text = "source,units,level,spheres,error_max,error_mean,radius_max,volume,\
                        builder,outside_max,outside_mean,cut_outside_max,cut_outside_mean\n"
            .to_owned();
        for (number, level) in self.levels.iter().enumerate() {
            let LevelLine { count, error_max, error_mean, radius_max, volume, .. } = level;
            let LevelLine { outside_max, outside_mean, .. } = level;
            let LevelLine { cut_outside_max, cut_outside_mean, .. } = level;
            let _ = writeln!(
                text,
                "{},{},{number},{count},{error_max},{error_mean},{radius_max},{volume},\
                 {},{outside_max},{outside_mean},{cut_outside_max},{cut_outside_mean}",
                csv_field(&self.source),
                self.units,
                self.builder
            );
        }
        text
    }
}
