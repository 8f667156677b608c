//! How the exact triangle test fares as triangles come closer: when does the filter give up?

use super::pairs::{Group, Random, SIDE, count_hits, near_misses, packed};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge_geom::tri_batch::{BatchCounts, TriangleBatch};
use std::hint::black_box;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tri-tri-gap",
    title: "Exact triangle–triangle decisions against the gap",
    paper: Some("[K98 §3.6]"),
    about: "The pairs of `tri-tri` with gaps and overlaps of at most 10⁻¹ … 10⁻¹⁷ of the size: how \
            many are left to exact arithmetic, and what that costs. One core.",
    run,
};

fn run(lab: &mut Lab) -> Result<()> {
    let count = if lab.settings.quick { 1 } else { 4 };
    let mut table = Table::new(&[
        ("gap", "of size"),
        ("rate", "M pairs/s"),
        ("intersect", "%"),
        ("exact path", "%"),
    ]);
    let mut rates = Vec::new();
    for exponent in (1..=17).step_by(2) {
        let gap = 10f64.powi(-exponent);
        let mut random = Random(lab.settings.seed);
        let groups: Vec<Group> = (0..count).map(|_| near_misses(&mut random, gap)).collect();
        let batches: Vec<TriangleBatch> =
            groups.iter().map(|group| packed(&group.columns)).collect();
        let mut total = (BatchCounts::default(), 0);
        for (group, batch) in groups.iter().zip(&batches) {
            let (counts, hits) = count_hits(batch, &group.rows);
            total.0 += counts;
            total.1 += hits;
        }
        let timing = lab.time(count, |i| {
            black_box(count_hits(&batches[i], &groups[i].rows));
        });
        let pairs = (SIDE * SIDE) as f64;
        let percent = |part: u64| 100.0 * part as f64 / (pairs * count as f64);
        let rate = pairs / timing.min_us;
        rates.push([gap, rate]);
        table.push([
            Cell::Text(format!("1e-{exponent}")),
            Cell::Real(rate),
            Cell::Real(percent(total.1)),
            Cell::Real(percent(total.0.exact)),
        ]);
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("gap, part of the size"),
        y: axis("M pairs/s, one core"),
        series: vec![Series { name: "exact, batched".into(), mark: Mark::Line, points: rates }],
    };
    lab.publish(&table, Some(&plot))
}
