//! How fast engine `voxel` is on meshes of 100 000 faces, and on a peg that is moved in a hole.

use crate::near::{Approach, Random, poses};
use crate::shells::{Desk, body, longest};
use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::narrow;
use impinge::narrow::voxel::{Spring, Wrench};
use impinge::prelude::*;
use impinge_geom::voxels::grid::Grid;
use impinge_geom::voxels::solid::{self, Inside};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "voxel-speed",
    title: "Points and voxels: look-ups, queries at contact, and a peg in a hole",
    paper: Some("[V00 §5]"),
    about: "Meshes of 100 000 faces against themselves. Flat: every point, all inside the map. At \
            contact: 50 poses that touch and 50 that just do not, all points of one body in voxels \
            of the other with far clusters skipped, and whole answers of the engine (is there a \
            touch; both bodies are looked at before a pair is called free). Last a peg with 250 \
            000 points on its way into a hole, at every step all contact points and the force.",
    run,
};

const MESHES: [(&str, &str); 2] =
    [("knot", "torus-knot?segments=1000&sides=50"), ("sphere", "sphere?faces=99856")];
const RESOLUTIONS: [u32; 4] = [64, 128, 256, 512];
const POSES: usize = 100;

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let mut table = Table::new(&[
        ("body", ""),
        ("voxels along", ""),
        ("points", ""),
        ("voxelise", "ms"),
        ("all prepared", "ms"),
        ("map", "bits per voxel in stored bricks"),
        ("index", "bits per voxel in stored bricks"),
        ("flat", "ns per point"),
        ("hit", "µs"),
        ("worst hit", "µs"),
        ("near miss", "µs"),
        ("touching?", "µs"),
        ("worst", "µs"),
    ]);
    for (name, text) in MESHES {
        let text = if quick { "torus?segments=20&sides=8" } else { text };
        let mesh = Arc::new(impinge_samples::build_mesh(text)?);
        let resolutions = if quick { &RESOLUTIONS[..1] } else { &RESOLUTIONS[..] };
        let mut exact = PosedPair::new(Arc::clone(&mesh), Arc::clone(&mesh))?;
        let approach = Approach::of([&mesh, &mesh], lab.settings.seed);
        let count = if quick { 4 } else { POSES };
        let near = poses(&mut exact, &approach, count)?;
        for &resolution in resolutions {
            table.push(one(lab, name, (&mesh, resolution), &near)?);
        }
    }
    for (how, wobble) in PEG_WAYS {
        lab.note(format!("{how}: {}", peg(lab, wobble)?));
    }
    lab.publish(&table, None)
}

fn one(
    lab: &Lab,
    name: &str,
    (mesh, resolution): (&Arc<Mesh>, u32),
    poses: &[Pose],
) -> Result<Vec<Cell>> {
    let size = longest(mesh) / f64::from(resolution);
    let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let mut voxelised = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        black_box(solid::inside(mesh, Grid::around(&mesh.bounds(), size)?, Inside::Closed)?);
        voxelised = voxelised.min(milliseconds(start));
    }
    let start = Instant::now();
    let body = body(mesh, size)?;
    let prepared = milliseconds(start);
    let mut desk = Desk::default();
    let mut random = Random::of([lab.settings.seed, 7, 0]);
    let mut all = Vec::new();
    for _ in 0..8 {
        let small: Point = std::array::from_fn(|_| 0.01 * random.between([-1.0, 1.0]));
        all.push(Pose::new(random.on_sphere::<4>(), small)?);
    }
    let points = body.shell().count();
    let flat = lab.time(all.len(), |i| _ = desk.flat(&body, &body, &all[i])).min_us;
    let [hits, misses] =
        [0, 1].map(|odd| -> Vec<&Pose> { poses.iter().skip(odd).step_by(2).collect() });
    let hit = lab.time(hits.len(), |i| _ = desk.near(&body, &body, hits[i]));
    let miss = lab.time(misses.len(), |i| _ = desk.near(&body, &body, misses[i]));
    let engine = narrow::by_text(&format!("voxel?resolution={resolution}"))?;
    let mut pair = PosedPair::with(engine, Arc::clone(mesh), Arc::clone(mesh))?;
    let jobs: Vec<_> = poses.iter().map(|pose| pair.jobs(std::slice::from_ref(pose))).collect();
    let touching = lab.time(jobs.len(), |i| {
        black_box(pair.answer(&jobs[i], &Query::TOUCHING).all()[0].verdict);
    });
    let map = body.map();
    let stored = map.bricks().len() as f64 * 512.0;
    Ok(vec![
        Cell::Text(name.to_owned()),
        Cell::Count(u64::from(resolution)),
        Cell::Count(points as u64),
        Cell::Real(voxelised),
        Cell::Real(prepared),
        Cell::Real(8.0 * size_of_val(map.bricks()) as f64 / stored),
        Cell::Real(8.0 * size_of_val(map.index()) as f64 / stored),
        Cell::Real(1e3 * flat / points as f64),
        Cell::Real(hit.min_us),
        Cell::Real(hit.worst_query_us),
        Cell::Real(miss.min_us),
        Cell::Real(touching.min_us),
        Cell::Real(touching.worst_query_us),
    ])
}

/// How many points the peg is to have.
const PEG_POINTS: f64 = 250_000.0;
/// Steps of its way.
const PEG_STEPS: usize = 20_000;
/// How far it wobbles to the side. The gap between the two is 0.035, about three voxels, of which the tilt takes
/// up a part: with the first the peg just touches the wall, with the second it is pressed into it by up to
/// 0.7 voxels, as a hand that is followed without resistance would do.
const PEG_WAYS: [(&str, [f64; 2]); 2] = [
    ("A peg that touches the wall of its hole", [0.024, 0.016]),
    ("The same pressed into the wall", [0.03, 0.02]),
];

/// A peg on its wobbling way into a cup; at every step all contact points and the force.
fn peg(lab: &Lab, side: [f64; 2]) -> Result<String> {
    let quick = lab.settings.quick;
    let wanted = if quick { 2000.0 } else { PEG_POINTS };
    let peg = Arc::new(impinge_samples::build_mesh("cylinder?segments=64&radius=0.84&height=1.6")?);
    let hole = Arc::new(impinge_samples::build_mesh("cup?segments=64&radius=1&height=2")?);
    let mut size = 1.6 * (20.0 / wanted).sqrt();
    for _ in 0..3 {
        size *= (body(&peg, size)?.shell().count() as f64 / wanted).sqrt();
    }
    let points = body(&peg, size)?.shell().count();
    let engine = narrow::by_text(&format!("voxel?size={size}&sides=one"))?;
    let mut pair = PosedPair::with(engine, Arc::clone(&hole), Arc::clone(&peg))?;
    let steps = if quick { 200 } else { PEG_STEPS };
    let spring = Spring { stiffness: 1.0, force_max: f64::INFINITY };
    let (mut walls, mut cpus) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    let (mut touched, mut most) = (0u64, 0);
    for step in 0..steps {
        let t = step as f64 / steps as f64;
        let (wobble, turn) = ((40.0 * t).sin(), 9.0 * t);
        let place = [side[0] * wobble, side[1] * (31.0 * t).cos(), 2.9 - 1.9 * t];
        let pose = Pose::new([turn.cos(), 0.004 * wobble, 0.0, turn.sin()], place)?;
        let jobs = pair.jobs(&[pose]);
        let (cpu, wall) = (Clock::Cpu.start(), Clock::Wall.start());
        let answers = pair.answer(&jobs, &Query::CONTACTS);
        let touches = answers.touches(&answers.all()[0]);
        black_box(Wrench::of(touches, &spring, &pose.translation()));
        walls.push(wall.elapsed().as_secs_f64() * 1e6);
        cpus.push(cpu.elapsed().as_secs_f64() * 1e6);
        touched += u64::from(!touches.is_empty());
        most = most.max(touches.len());
    }
    Ok(format!(
        "{points} points, voxels of {size:.4}, {steps} steps of which {touched} \
         touch, up to {most} contact points; query with all contact points and force, one thread: \
         {} on the wall's clock; {} of CPU time. Idle loops as long as the median, on the wall's \
         clock: {}.",
        quantiles(&mut walls),
        quantiles(&mut cpus),
        quantiles(&mut idle(steps, walls[walls.len() / 2]))
    ))
}

/// How long loops take that should take so many microseconds: what the machine adds on its own.
fn idle(count: usize, microseconds: f64) -> Vec<f64> {
    let spin = |turns: u64| (0..turns).fold(1u64, |x, i| black_box(x.wrapping_mul(3) ^ i));
    let turns_in = |turns: u64| {
        let start = Instant::now();
        black_box(spin(black_box(turns)));
        start.elapsed().as_secs_f64() * 1e6
    };
    const TURNS: u64 = 100_000;
    let fastest = (0..20).map(|_| turns_in(TURNS)).fold(f64::INFINITY, f64::min);
    let turns = (TURNS as f64 * microseconds / fastest) as u64;
    (0..count).map(|_| turns_in(turns)).collect()
}

fn quantiles(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let [median, p99, p999, worst] = [0.5, 0.99, 0.999, 1.0].map(at);
    format!("median {median:.1} µs, p99 {p99:.1} µs, p99.9 {p999:.1} µs, worst {worst:.1} µs")
}
