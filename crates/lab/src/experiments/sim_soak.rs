//! A long run of the room of [V00 §8]: is anybody lost, does memory grow, does energy drift?

use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, bail, ensure};
use impinge_samples::Sampled;
use impinge_sim::prelude::{Event, Plan, Simulation};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "sim-soak",
    title: "A long simulation: 256 bodies for 100 000 frames",
    paper: Some("[V00 §8]"),
    about: "The sample `bouncing` with velocity exchange, engine bvh: rate of whole frames, \
            resident memory, energy, the longest contact, and how far the outermost vertex of all \
            bodies is from the walls, looked at every tenth frame. Ends with an error if a body is \
            outside the room, was put to rest, or if memory grows after the first part.",
    run,
};

/// Parts of the run, one row each.
const PARTS: u64 = 10;
/// Memory may grow by this much after the first part: what the allocator keeps.
const GROWTH_MAX: f64 = 4.0;
/// Every so many frames all vertices are looked at.
const LOOK: u64 = 10;

fn run(lab: &mut Lab) -> Result<()> {
    let (bodies, frames) = if lab.settings.quick { (32, 1000) } else { (256, 100_000) };
    let name = format!("bouncing?n={bodies}&seed={}", lab.settings.seed);
    let Sampled::Scene(scene) = impinge_samples::build(&name)? else { bail!("{name} is no scene") };
    let mut plan = Plan::of(&scene.into_scene(&name))?;
    plan.settings.engine = "bvh".to_owned();
    let dt = plan.dt;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut table = Table::new(&[
        ("frames", ""),
        ("rate", "Hz"),
        ("collisions", ""),
        ("longest contact", "frames"),
        ("energy", "of start"),
        ("to the walls", "units"),
        ("memory", "MB"),
    ]);
    let mut watch = Watch::default();
    let mut memory = Vec::new();
    pool.install(|| -> Result<()> {
        let mut simulation = plan.start()?;
        let energy = simulation.energy();
        for part in 1..=PARTS {
            let row = watch.part(&mut simulation, (frames / PARTS, dt))?;
            memory.extend(resident());
            table.push([
                Cell::Count(part * frames / PARTS),
                Cell::Real(row.rate),
                Cell::Count(row.collisions),
                Cell::Count(watch.longest),
                Cell::Real(simulation.energy() / energy),
                Cell::Real(row.nearest),
                memory.last().map_or(Cell::Missing, |&size| Cell::Real(size)),
            ]);
        }
        Ok(())
    })?;
    if let (Some(first), Some(last)) = (memory.first(), memory.last()) {
        ensure!(last - first <= GROWTH_MAX, "memory grew from {first:.1} to {last:.1} MB");
        lab.note(format!("Memory after the first part {first:.1} MB, at the end {last:.1} MB."));
    }
    lab.note(format!("{bodies} bodies at the start and at the end, none ever outside the room."));
    lab.publish(&table, None)
}

/// Who touches whom since when.
#[derive(Default)]
struct Watch {
    since: BTreeMap<(usize, usize), u64>,
    longest: u64,
}

struct Row {
    rate: f64,
    collisions: u64,
    nearest: f64,
}

impl Watch {
    fn part(&mut self, simulation: &mut Simulation, (frames, dt): (u64, f64)) -> Result<Row> {
        let mut spent = Duration::ZERO;
        let mut row = Row { rate: 0.0, collisions: 0, nearest: f64::INFINITY };
        for _ in 0..frames {
            let frame = simulation.step(dt);
            spent += frame.spent.total();
            row.collisions += frame.collisions.len() as u64;
            ensure!(frame.halted == 0, "frame {}: a body was put to rest", frame.number);
            for event in frame.events {
                match *event {
                    Event::Begin(a, b) => _ = self.since.insert((a, b), frame.number),
                    Event::Stay(..) => {}
                    Event::End(a, b) => {
                        let begun = self.since.remove(&(a, b)).unwrap_or(frame.number);
                        self.longest = self.longest.max(frame.number - begun);
                    }
                }
            }
            let number = frame.number;
            if number.is_multiple_of(LOOK) {
                row.nearest = row.nearest.min(nearest(simulation));
                ensure!(row.nearest >= 0.0, "frame {number}: a body is outside the room");
            }
        }
        let lasting = self.since.values().map(|begun| simulation.number() - begun);
        self.longest = lasting.fold(self.longest, u64::max);
        row.rate = frames as f64 / spent.as_secs_f64();
        Ok(row)
    }
}

/// How far the outermost vertex of all bodies is from the walls; below zero if it is outside.
fn nearest(simulation: &Simulation) -> f64 {
    let Some(room) = simulation.settings().room else { return f64::INFINITY };
    let mut nearest = f64::INFINITY;
    for i in 0..simulation.len() {
        let world = simulation.world();
        let mesh = world.body(simulation.id(i)).and_then(|body| world.mesh(body.shape));
        // A body that is gone counts as outside.
        let Some(mesh) = mesh else { return f64::NEG_INFINITY };
        for vertex in mesh.vertices() {
            let posed = simulation.pose(i).apply(vertex);
            for (k, x) in posed.into_iter().enumerate() {
                nearest = nearest.min(x - room.min()[k]).min(room.max()[k] - x);
            }
        }
    }
    nearest
}

/// Resident memory in megabytes, where the system tells it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
