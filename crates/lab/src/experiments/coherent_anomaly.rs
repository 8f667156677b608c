//! Why keeping the order of endpoints can lose against sorting anew: the anomaly of [V00 fig. 14].
//!
//! The work of the coherent technique is counted from outside, from the order of the endpoints
//! alone, so that it is the technique's and not that of our code: exchanges of an insertion sort are
//! the pairs of endpoints that change their order, and those of a lower with an upper end are the
//! overlaps along one axis that begin or end, each of which must be entered into the books.

use crate::nbody::{Frames, Make, race};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::broad::coherent::Coherent;
use impinge::broad::sweep::Sweep;
use impinge_samples::nbody::{Params, world};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "coherent-anomaly",
    title: "Coherent boxes against sorting anew",
    paper: Some("[V00 §8]"),
    about: "Even worlds of 8 to 100,000 bodies at speeds of 0 to 100 % of a radius per frame: the \
            time of both techniques, and of ours, which sweeps when there is too much to exchange; \
            the exchanges of the coherent one's insertion sort and the \
            entries it changes in its books. Density 2.5 %.",
    run,
};

/// Numbers of bodies, and how many frames tell enough.
const SIZES: [[usize; 2]; 8] = [
    [8, 500],
    [32, 500],
    [64, 500],
    [256, 300],
    [1000, 100],
    [10_000, 30],
    [30_000, 15],
    [100_000, 6],
];
/// In radii per frame.
const SPEEDS: [f64; 6] = [0.0, 0.001, 0.01, 0.1, 0.3, 1.0];
/// What one world came to.
struct Point {
    n: usize,
    speed: f64,
    /// The technique as the paper has it.
    coherent_ms: f64,
    /// The same, but a frame that takes too many exchanges is swept instead.
    bounded_ms: f64,
    sweep_ms: f64,
    /// Per body and frame.
    work: Work,
}

fn run(lab: &mut Lab) -> Result<()> {
    let (sizes, speeds) = match lab.settings.quick {
        true => (&SIZES[..2], &SPEEDS[2..4]),
        false => (&SIZES[..], &SPEEDS[..]),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut points: Vec<Point> = Vec::new();
    for &[n, frames] in sizes {
        for &speed in speeds {
            let frames = if lab.settings.quick { 5 } else { frames };
            let start = world(&Params { n, speed, seed: lab.settings.seed, ..Params::default() })?;
            let makes: [Make<'_>; 3] = [
                &|| Box::new(Coherent::with_patience(f64::INFINITY)),
                &|| Box::new(Coherent::default()),
                &|| Box::new(Sweep::default()),
            ];
            let runs = pool.install(|| race(&start, frames, &makes))?;
            ensure!(runs.iter().all(|run| run.pairs == runs[0].pairs), "all find the same pairs");
            let work = count(Frames::new(start), frames);
            let [coherent_ms, bounded_ms, sweep_ms] = [0, 1, 2].map(|k| runs[k].mean_ms());
            points.push(Point { n, speed, coherent_ms, bounded_ms, sweep_ms, work });
        }
    }
    explain(lab, &points);
    lab.publish(&table(&points), Some(&plot(&points, speeds)))
}

/// Exchanges and entries per body and frame, over all three axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    exchanges: f64,
    entries: f64,
}

/// Follows the order of the endpoints through the frames.
fn count(mut frames: Frames, count: usize) -> Work {
    let n = frames.bodies();
    // Endpoint 2 i is the lower end of body i, endpoint 2 i + 1 its upper end.
    let mut orders: [Vec<u32>; 3] = std::array::from_fn(|_| (0..2 * n as u32).collect());
    let mut exchanges = 0;
    let mut entries = 0;
    for frame in 0..=count {
        for (k, order) in orders.iter_mut().enumerate() {
            let aabbs = &frames.bounds().aabb;
            let value = |end: &u32| aabbs[(end / 2) as usize][k + 3 * (end % 2) as usize];
            if frame > 0 {
                let values: Vec<(f32, u32)> = order.iter().map(|end| (value(end), *end)).collect();
                let of_kind = |kind| {
                    let alike = values.iter().filter(|(_, end)| end % 2 == kind);
                    inversions(alike.map(|(value, _)| *value).collect())
                };
                let all = inversions(values.iter().map(|(value, _)| *value).collect());
                exchanges += all;
                entries += all - of_kind(0) - of_kind(1);
            }
            order.sort_by(|a, b| value(a).total_cmp(&value(b)));
        }
        frames.advance();
    }
    let each = (n * count) as f64;
    Work { exchanges: exchanges as f64 / each, entries: entries as f64 / each }
}

/// How many pairs are in the wrong order, by merging sorted runs of growing length.
fn inversions(mut values: Vec<f32>) -> u64 {
    let mut merged = Vec::with_capacity(values.len());
    let mut found = 0;
    let mut width = 1;
    while width < values.len() {
        merged.clear();
        for run in values.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut i, mut j) = (0, 0);
            while i < left.len() || j < right.len() {
                if j == right.len() || i < left.len() && left[i] <= right[j] {
                    merged.push(left[i]);
                    i += 1;
                } else {
                    merged.push(right[j]);
                    found += (left.len() - i) as u64;
                    j += 1;
                }
            }
        }
        std::mem::swap(&mut values, &mut merged);
        width *= 2;
    }
    found
}

/// The paragraph that the figures allow.
fn explain(lab: &mut Lab, points: &[Point]) {
    let at = |speed: f64| -> Vec<&Point> {
        points.iter().filter(|point| (point.speed - speed).abs() < 1e-9).collect()
    };
    let tenth = at(0.1);
    let [first, .., before, last] = tenth[..] else { return };
    let power =
        (last.work.exchanges / before.work.exchanges).ln() / (last.n as f64 / before.n as f64).ln();
    let each_ns = 1e6 * last.coherent_ms / (last.n as f64 * last.work.exchanges);
    lab.note(format!(
        "The anomaly. Kept order saves work while few endpoints pass each other. But they pass \
         each other along one axis, where all bodies of a slab are neighbours however far apart \
         they are across. At a fixed density a room of n bodies is about n^(1/3) of them wide, so \
         one that moves a fixed part of its radius should pass about n^(2/3) endpoints. Counted at \
         a tenth of a radius per frame: {:.2} exchanges per body and frame with {} bodies, {:.1} \
         with {}, a power of {power:.2} between the two largest worlds. {:.0} % of the latter must \
         be entered into the books as overlaps along one axis that begin or end. Time per \
         exchange, book-keeping included: {each_ns:.1} ns. Sorting anew takes a fixed number of \
         passes and tests many boxes at once. So at a tenth of a radius per frame, {}; at a \
         thousandth, {}. The paper saw the turn beyond 32 objects and supposed that book-keeping \
         outweighs coherence; the counts agree with that, though they are not its program's.",
        first.work.exchanges,
        first.n,
        last.work.exchanges,
        last.n,
        100.0 * last.work.entries / last.work.exchanges.max(f64::MIN_POSITIVE),
        turn(&tenth),
        turn(&at(0.001)),
    ));
}

/// From where on one of the two is slower.
fn turn(points: &[&Point]) -> String {
    let slower: Vec<usize> =
        points.iter().filter(|p| p.coherent_ms > p.sweep_ms).map(|p| p.n).collect();
    match (&slower[..], points) {
        ([], _) => "the coherent technique is the faster one throughout".to_owned(),
        (all, points) if all.len() == points.len() => {
            "the coherent technique is the slower one throughout".to_owned()
        }
        (some, _) => {
            let list: Vec<String> = some.iter().map(usize::to_string).collect();
            format!("the coherent technique is the slower one with {} bodies", list.join(", "))
        }
    }
}

fn table(points: &[Point]) -> Table {
    let mut table = Table::new(&[
        ("bodies", ""),
        ("speed", "radii/frame"),
        ("coherent", "ms"),
        ("coherent that gives up", "ms"),
        ("sweep", "ms"),
        ("coherent / sweep", ""),
        ("exchanges per body", ""),
        ("entries changed per body", ""),
    ]);
    for point in points {
        table.push([
            Cell::Count(point.n as u64),
            Cell::Real(point.speed),
            Cell::Real(point.coherent_ms),
            Cell::Real(point.bounded_ms),
            Cell::Real(point.sweep_ms),
            Cell::Real(point.coherent_ms / point.sweep_ms),
            Cell::Real(point.work.exchanges),
            Cell::Real(point.work.entries),
        ]);
    }
    table
}

fn plot(points: &[Point], speeds: &[f64]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let series = speeds.iter().map(|speed| Series {
        name: format!("speed {} %", 100.0 * speed),
        mark: Mark::Line,
        points: points
            .iter()
            .filter(|point| (point.speed - speed).abs() < 1e-9)
            .map(|point| [point.n as f64, point.coherent_ms / point.sweep_ms])
            .collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("bodies"),
        y: axis("time of coherent, in times of sweep"),
        series: series.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_scene::nbody::read;

    #[test]
    fn inversions_are_those_of_all_pairs() {
        let mut state = 7u32;
        for length in 0..60 {
            let values: Vec<f32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 28) as f32
                })
                .collect();
            let wrong = |i: usize| values[i + 1..].iter().filter(|v| **v < values[i]).count();
            let all: usize = (0..values.len()).map(wrong).sum();
            assert_eq!(inversions(values), all as u64);
        }
    }

    #[test]
    fn the_pruner_does_the_work_that_is_counted() {
        let start = world(&Params { n: 200, density: 0.2, ..Params::default() }).unwrap();
        let mut coherent = Coherent::with_patience(f64::INFINITY);
        let (mut frames, mut pairs) = (Frames::new(start.clone()), Vec::new());
        crate::nbody::prune(&mut coherent, frames.bounds(), &mut pairs, usize::MAX);
        let before = coherent.counters();
        for _ in 0..10 {
            frames.advance();
            crate::nbody::prune(&mut coherent, frames.bounds(), &mut pairs, usize::MAX);
        }
        let work = count(Frames::new(start), 10);
        let swaps = (coherent.counters().swaps - before.swaps) as f64;
        let crossings = (coherent.counters().crossings - before.crossings) as f64;
        assert!((work.exchanges * 2000.0 - swaps).abs() < 1e-6, "{work:?} {swaps}");
        assert!((work.entries * 2000.0 - crossings).abs() < 1e-6, "{work:?} {crossings}");
    }

    #[test]
    fn work_is_counted_on_all_axes() {
        // One body passes the other along x: both its ends pass both ends, one after the other.
        let text = b"2 5 400 8388608\n20 50 50 12 0 0\n61 50 50 0 0 0\n";
        let work = count(Frames::new(read(text).unwrap()), 8);
        let all = [work.exchanges * 16.0, work.entries * 16.0];
        assert!((all[0] - 4.0).abs() + (all[1] - 2.0).abs() < 1e-9, "{all:?}");
    }
}
