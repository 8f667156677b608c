//! Engine `image` at forced resolutions against exact engines: nothing may differ; and what the images of
//! [R98], which look along the middles of pixels, miss at the same resolutions.

use crate::near::{Approach, Random, poses};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::narrow;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "image-misses",
    title: "What images miss: nothing in product mode, and paper mode against resolution",
    paper: Some("[R98 §4]"),
    about: "pairs of knots, spheres, cones, stars and thin plates at poses near contact and \
    at random ones: answers of image?resolution=8 … 1024 that differ from those of bvh (verdict \
    or list of face pairs), and touching poses that r98-recode calls free at the same \
    resolutions",
    run,
};

/// Two bodies each.
const PAIRS: [(&str, [&str; 2]); 6] = [
    ("knots", ["torus-knot?segments=100&sides=10"; 2]),
    ("spheres", ["sphere?faces=960"; 2]),
    ("cones", ["cone?segments=24&rings=3"; 2]),
    ("thin plates", ["box?x=2&y=1&z=0.01"; 2]),
    ("star and knot", ["stellated-dodecahedron", "torus-knot?segments=100&sides=10"]),
    ("knots of 10 000", ["torus-knot?segments=250&sides=20"; 2]),
];
const RESOLUTIONS: [u16; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];
/// Poses of each pair, half of them near contact; of the last, which takes longer, a tenth.
const POSES: usize = 2100;
/// Poses of each pair for paper mode.
const PAPER_POSES: usize = 60;

/// An answer: the verdict, and pairs of faces.
type Told = (Verdict, Vec<[u32; 2]>);

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let resolutions = if quick { &RESOLUTIONS[..2] } else { &RESOLUTIONS[..] };
    let mut table = Table::new(&[
        ("bodies", ""),
        ("pixels", ""),
        ("poses", ""),
        ("touching", ""),
        ("image: different", ""),
        ("paper mode: poses", ""),
        ("touching", ""),
        ("missed", ""),
        ("missed", "%"),
        ("invented", ""),
        ("unknown", ""),
    ]);
    let mut series = Vec::new();
    let (mut asked, mut differing, mut distinct) = (0, 0, 0);
    for (k, (name, samples)) in PAIRS.iter().enumerate() {
        let count = match (quick, k) {
            (true, _) => 20,
            (false, 5) => POSES / 10,
            _ => POSES,
        };
        if quick && k == 5 {
            continue;
        }
        let meshes = [Arc::new(build_mesh(samples[0])?), Arc::new(build_mesh(samples[1])?)];
        let places = places(&meshes, count, lab.settings.seed)?;
        distinct += places.len();
        let truth = ask("bvh", &meshes, (&places, &Query::PAIRS))?;
        let mut points = Vec::new();
        for &resolution in resolutions {
            let engine = format!("image?resolution={resolution}");
            let found = ask(&engine, &meshes, (&places, &Query::PAIRS))?;
            let different = found.iter().zip(&truth).filter(|(a, b)| a != b).count();
            (asked, differing) = (asked + places.len(), differing + different);
            let touching = truth.iter().filter(|told| told.0 != Verdict::Free).count();
            let mut cells = vec![
                Cell::Text((*name).to_owned()),
                Cell::Count(u64::from(resolution)),
                Cell::Count(places.len() as u64),
                Cell::Count(touching as u64),
                Cell::Count(different as u64),
            ];
            let (paper, missed) = paper(resolution, &meshes, (&places, &truth))?;
            cells.extend(paper);
            points.extend(missed.map(|part| [f64::from(resolution), part]));
            table.push(cells);
        }
        if !points.is_empty() {
            series.push(Series { name: (*name).to_owned(), mark: Mark::Line, points });
        }
    }
    ensure!(differing == 0, "{differing} of {asked} answers of engine image are different");
    lab.note(format!(
        "Engine image: {asked} questions ({distinct} poses, each at {} resolutions), none answered \
         otherwise than by bvh, neither the verdict nor the list of face pairs.",
        resolutions.len()
    ));
    if series.is_empty() {
        lab.note("Paper mode (r98-recode) is not there.");
        return lab.publish(&table, None);
    }
    let plot = Plot {
        title: "Touching poses that paper mode calls free".to_owned(),
        x: Axis { label: "pixels along a side".to_owned(), scale: Scale::Log },
        y: Axis { label: "missed, % of touching poses".to_owned(), scale: Scale::Linear },
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// Poses near contact and random ones by turns.
fn places(meshes: &[Arc<Mesh>; 2], count: usize, seed: u64) -> Result<Vec<Pose>> {
    let [a, b] = meshes.each_ref().map(Arc::clone);
    let approach = Approach::of([&a, &b], seed);
    let near = poses(&mut PosedPair::new(a, b)?, &approach, count / 2)?;
    let mut random = Random::of([seed, 98, 0]);
    let mut all = Vec::new();
    for pose in near {
        let direction: Point = random.on_sphere();
        let way = random.between([0.0, 0.8 * approach.start]);
        all.extend([pose, Pose::new(random.on_sphere(), direction.map(|x| x * way))?]);
    }
    Ok(all)
}

fn ask(
    engine: &str,
    meshes: &[Arc<Mesh>; 2],
    (places, query): (&[Pose], &Query),
) -> Result<Vec<Told>> {
    let [a, b] = meshes.each_ref().map(Arc::clone);
    let mut pair = PosedPair::with(narrow::by_text(engine)?, a, b)?;
    let found = pair.check(places, query);
    let told = found.all().iter();
    Ok(told.map(|one| (one.verdict, found.triangle_pairs(one).to_vec())).collect())
}

/// What paper mode makes of the first of them: the cells of its columns, and the part of what touches that it misses, in
/// percent.
fn paper(
    resolution: u16,
    meshes: &[Arc<Mesh>; 2],
    (places, truth): (&[Pose], &[Told]),
) -> Result<(Vec<Cell>, Option<f64>)> {
    let engine = format!("r98-recode?resolution={resolution}");
    if narrow::by_text(&engine).is_err() {
        return Ok((vec![Cell::Missing; 6], None));
    }
    let most = PAPER_POSES.min(places.len());
    let (places, truth) = (&places[..most], &truth[..most]);
    // Not the region that both share: at fine resolutions that is millions of points.
    let found = ask(&engine, meshes, (places, &Query::TOUCHING))?;
    let is_hit = |told: &Told| matches!(told.0, Verdict::Hit(_));
    let both = || found.iter().zip(truth);
    let touching = truth.iter().filter(|told| is_hit(told)).count();
    let missed = both().filter(|(f, t)| f.0 == Verdict::Free && is_hit(t)).count();
    let invented = both().filter(|(f, t)| is_hit(f) && !is_hit(t)).count();
    let unknown = found.iter().filter(|told| told.0 == Verdict::Unknown).count();
    let part = 100.0 * missed as f64 / touching.max(1) as f64;
    let counts = [places.len(), touching, missed].map(|count| Cell::Count(count as u64));
    let mut cells = counts.to_vec();
    cells.push(Cell::Real(part));
    cells.extend([invented, unknown].map(|count| Cell::Count(count as u64)));
    Ok((cells, Some(part)))
}
