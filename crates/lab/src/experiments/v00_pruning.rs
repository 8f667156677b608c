//! The paper's comparison of pruning techniques [V00 fig. 14], the broad phase alone.

use crate::nbody::prune;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::broad::{brute, by_name, names};
use impinge::contract::bounds::{Bounds, Reach};
use impinge::contract::ids::Slot;
use impinge_geom::aabb::{round_down, round_up};
use impinge_samples::room::{Params, Room};
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "v00-pruning",
    title: "Update rate against the number of objects, for each pruning technique",
    paper: Some("[V00 fig. 14]"),
    about: "The room of side 100, density 2.5 %, bodies of 36 faces with up to a tenth of their \
            radius per frame, boxes of fixed size: updates per second of the broad phase alone, a \
            mean over 1000 frames of which each counts with the better of two runs.",
    run,
};

/// As in the paper, from 2 to 256 in ten steps.
const SIZES: [usize; 10] = [2, 4, 8, 16, 32, 48, 64, 96, 128, 256];

fn run(lab: &mut Lab) -> Result<()> {
    let pruners: Vec<&str> = names().collect();
    let (sizes, frames) = if lab.settings.quick { (&SIZES[..3], 20) } else { (&SIZES[..], 1000) };
    let mut columns = vec![("objects", ""), ("box pairs", "")];
    columns.extend(pruners.iter().map(|name| (*name, "Hz")));
    let mut table = Table::new(&columns);
    let mut lines: Vec<Vec<[f64; 2]>> = vec![Vec::new(); pruners.len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    for &n in sizes {
        let params = Params { n, seed: lab.settings.seed, ..Params::default() };
        let boxes = drift(&params, frames, brute::NAME)?.1;
        let mut row = vec![Cell::Count(n as u64), Cell::Real(boxes as f64 / frames as f64)];
        for (name, line) in pruners.iter().zip(&mut lines) {
            let (first, pairs) = pool.install(|| drift(&params, frames, name))?;
            let (second, _) = pool.install(|| drift(&params, frames, name))?;
            ensure!(pairs <= boxes, "`{name}` finds pairs whose boxes do not overlap");
            let best = first.iter().zip(&second).map(|(a, b)| a.min(b).as_secs_f64());
            let rate = frames as f64 / best.sum::<f64>();
            line.push([n as f64, rate]);
            row.push(Cell::Real(rate));
        }
        table.push(row);
    }
    lab.note(
        "`brute` is the paper's all-pairs baseline, `spheres` its bounding spheres, `sweep` its \
         fast and `coherent` its coherent boxes, `queue` its priority queue. The paper's rates \
         include its narrow phase on a 166 MHz processor: compare the order, not the size.",
    );
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let series = pruners.iter().zip(lines).map(|(name, points)| Series {
        name: (*name).to_owned(),
        mark: Mark::Line,
        points,
    });
    let plot = Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("objects"),
        y: axis("updates per second, broad phase alone"),
        series: series.collect(),
    };
    lab.publish(&table, Some(&plot))
}

/// Runs a pruner through the frames of a room: the time of each, and all pairs it found.
fn drift(params: &Params, frames: usize, name: &str) -> Result<(Vec<Duration>, usize)> {
    let mut pruner = by_name(name).with_context(|| format!("there is no pruner `{name}`"))?;
    let mut room = Room::new(params)?;
    let mut bounds = Bounds::default();
    let mut pairs = Vec::new();
    write(&room, &mut bounds);
    prune(pruner.as_mut(), &bounds, &mut pairs, usize::MAX);
    let (mut times, mut found) = (Vec::with_capacity(frames), 0);
    for _ in 0..frames {
        room.step();
        bounds.step += 1;
        write(&room, &mut bounds);
        let frame = prune(pruner.as_mut(), &bounds, &mut pairs, usize::MAX);
        times.push(frame.time);
        found += frame.pairs;
    }
    Ok((times, found))
}

/// Boxes of fixed size around the bodies' spheres, as in [V00 §6].
fn write(room: &Room, bounds: &mut Bounds) {
    bounds.live = (0..room.bodies.len() as u32).map(Slot).collect();
    bounds.changed.clone_from(&bounds.live);
    let r = room.radius;
    let low = |x: f64| round_down((x - r).next_down());
    let high = |x: f64| round_up((x + r).next_up());
    let aabb = room.bodies.iter().map(|body| {
        let [x, y, z] = body.center;
        [low(x), low(y), low(z), high(x), high(y), high(z)]
    });
    bounds.aabb = aabb.collect();
    // Rounding moves a centre within the room by less than 2⁻¹⁷.
    let reach = room.bodies.iter().map(|body| Reach {
        center: body.center.map(|x| x as f32),
        radius: round_up(r + 1e-5 * 2.0),
        ..Reach::NONE
    });
    bounds.reach = reach.collect();
}
