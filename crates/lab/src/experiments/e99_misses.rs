//! What the paper's basic tests get wrong: misses, late and invented contacts on queries whose truth is
//! known exactly [E99 §4.2].

use crate::ccd::{Method, Queries, Tally, reference_files};
use crate::poses::Passes;
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge_geom::first_contact::linear::Ask;
use impinge_geom::first_contact::paper;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "e99-misses",
    title: "The paper's tests of vertices and faces, edges and edges: what they get wrong",
    paper: Some("[E99 §4.2]"),
    about: "Linear interpolation and regula falsi of d(t) on the queries of $IMPINGE_DATA/ccd/dev \
            (linear motion of vertices), whose first contacts are known exactly. Late and early \
            are by more than 1e-6 of the motion.",
    run,
};

const METHODS: [(paper::Method, &str); 2] =
    [(paper::Method::Linear, "linear"), (paper::Method::RegulaFalsi, "regula falsi")];

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("set", ""),
        ("method", ""),
        ("queries", ""),
        ("contacts", ""),
        ("missed", ""),
        ("late", ""),
        ("early", ""),
        ("invented", ""),
        ("mean", "ns"),
    ]);
    let files = reference_files()?;
    if files.is_none() {
        lab.note("skipped: IMPINGE_DATA is not set");
    }
    let passes = Passes::Exactly(if lab.settings.quick { 1 } else { 9 });
    for (method, label) in METHODS {
        let mut sum = Tally::default();
        for path in files.iter().flatten() {
            let queries = Queries::load(path)?;
            let (method, ask) = (Method::Paper(method), Ask::default());
            let tally = queries.judge(&queries.answer(method, &ask));
            let times = queries.time(method, &ask, passes);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            table.push(row([&name, label], &tally, Cell::Real(times.min_ns)));
            sum = sum.plus(&tally);
        }
        table.push(row(["all", label], &sum, Cell::Missing));
    }
    lab.publish(&table, None)
}

fn row(names: [&str; 2], tally: &Tally, mean: Cell) -> Vec<Cell> {
    let &Tally { queries, hits, misses, late, early, false_alarms, .. } = tally;
    let contacts = hits + misses - false_alarms;
    let mut row: Vec<Cell> = names.map(|name| Cell::Text(name.to_owned())).into();
    row.extend([queries, contacts, misses, late, early, false_alarms].map(Cell::Count));
    row.push(mean);
    row
}
