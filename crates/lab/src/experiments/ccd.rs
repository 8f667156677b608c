//! First contact of features whose corners move linearly: errors and times on queries whose truth is
//! known exactly.

use crate::ccd::{Method, Queries, Tally, Times, reference_files};
use crate::poses::Passes;
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge_geom::first_contact::linear::Ask;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ccd",
    title: "First contact of vertices and faces, edges and edges: errors and times",
    paper: None,
    about: "The certified kernels on the queries of $IMPINGE_DATA/ccd/dev (sc from simulations, sq \
            made by hand), tolerance 1e-6, whose first contacts are known exactly. The mean is \
            that of the middle pass over all queries of a set; a query alone counts with the best \
            of nine times, which leaves out what else the machine does.",
    run,
};

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("set", ""),
        ("queries", ""),
        ("contacts", ""),
        ("missed", ""),
        ("late", ""),
        ("false alarms", ""),
        ("unproven", ""),
        ("by exact arithmetic", "%"),
        ("mean", "ns"),
        ("99 % within", "ns"),
        ("slowest", "us"),
    ]);
    let files = reference_files()?;
    if files.is_none() {
        lab.note("skipped: IMPINGE_DATA is not set");
    }
    let seconds = Duration::from_millis(if lab.settings.quick { 0 } else { 300 });
    // All files whose names begin alike are one kind, and have a line of their own.
    let mut kinds: Vec<(String, Tally, Times)> = Vec::new();
    for path in files.iter().flatten() {
        let queries = Queries::load(path)?;
        let told = queries.answer(Method::Certified, &Ask::default());
        let tally = queries.judge(&told);
        let times = queries.time(Method::Certified, &Ask::default(), Passes::Within(seconds));
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        table.push(row(&name, &tally, &times));
        let kind = name.split('-').next().unwrap_or_default();
        match kinds.iter_mut().find(|(known, ..)| known == kind) {
            Some((_, tallies, all)) => (*tallies, *all) = (tallies.plus(&tally), all.plus(&times)),
            None => kinds.push((kind.to_owned(), tally, times)),
        }
    }
    for (kind, tally, times) in &kinds {
        table.push(row(&format!("all {kind}"), tally, times));
    }
    lab.publish(&table, None)
}

fn row(name: &str, tally: &Tally, times: &Times) -> Vec<Cell> {
    let &Tally { queries, hits, misses, late, false_alarms, unproven, exact, .. } = tally;
    let mut row = vec![Cell::Text(name.to_owned())];
    row.extend([queries, hits, misses, late, false_alarms, unproven].map(Cell::Count));
    let share = 100.0 * exact as f64 / queries.max(1) as f64;
    row.extend([share, times.mean_ns, times.p99_ns(), times.max_ns() / 1e3].map(Cell::Real));
    row
}
