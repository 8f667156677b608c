//! What looking at instants misses: wrong "free" answers of pose sampling on fitting checks whose
//! answer is known in closed form, beside the search that misses nothing.

use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::pair::PosedPair;
use impinge::prelude::{Pose, Query, Verdict};
use impinge_fit::assembly::Assembly;
use impinge_fit::prelude::{Prepared, Question, fit};
use impinge_geom::mesh::Mesh;
use impinge_samples::fitting::{FAMILIES, Generated, Truth, generated};
use rayon::prelude::*;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fit-sampling",
    title: "Fitting checks by sampled poses: how often a contact is called free",
    paper: None,
    about: "Generated pegs, slots, bayonets and things that pass each other, whose first contact \
            is known in closed form. Sampling looks at evenly spaced poses with the exact static \
            test; wrong are scenes with a contact that it calls free. `fit` is judged by the \
            same truth: wrong are contacts called free, free scenes called contacts, and \
            undecided ones.",
    run,
};

/// So many poses are looked at.
const SAMPLES: [usize; 3] = [100, 400, 1600];

/// What became of a scene.
#[derive(Clone, Copy, Default)]
struct Outcome {
    is_contact: bool,
    /// Called free by each number of samples.
    missed: [bool; 3],
    fit_wrong: bool,
    fit_unknown: bool,
}

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("family", ""),
        ("scenes", ""),
        ("contacts", ""),
        ("missed by 100", ""),
        ("missed by 400", ""),
        ("missed by 1600", ""),
        ("wrong by fit", ""),
        ("unknown by fit", ""),
    ]);
    let per_family = if lab.settings.quick { 4 } else { 60 };
    let families = FAMILIES.len() as u64;
    let mut all = Vec::new();
    for (family, name) in (0..families).zip(FAMILIES) {
        let seeds: Vec<u64> = (0..per_family).map(|k| family + k * families).collect();
        let outcomes: Vec<Result<Outcome>> = seeds.par_iter().map(|&seed| judge(seed)).collect();
        let outcomes: Vec<Outcome> = outcomes.into_iter().collect::<Result<_>>()?;
        table.push(row(name, &outcomes));
        all.extend(outcomes);
    }
    table.push(row("all", &all));
    lab.publish(&table, None)
}

fn row(name: &str, outcomes: &[Outcome]) -> Vec<Cell> {
    let count = |of: &dyn Fn(&Outcome) -> bool| {
        Cell::Count(outcomes.iter().filter(|outcome| of(outcome)).count() as u64)
    };
    let mut row = vec![Cell::Text(name.to_owned()), Cell::Count(outcomes.len() as u64)];
    row.push(count(&|outcome| outcome.is_contact));
    row.extend([0, 1, 2].map(|k| count(&|outcome| outcome.missed[k])));
    row.push(count(&|outcome| outcome.fit_wrong));
    row.push(count(&|outcome| outcome.fit_unknown));
    row
}

fn judge(seed: u64) -> Result<Outcome> {
    let made = generated(seed);
    let is_contact = matches!(made.truth, Truth::Contact { .. });
    let verdict = fitted(&made)?;
    let fit_unknown = verdict == impinge_fit::prelude::Verdict::Unknown;
    let found = verdict == impinge_fit::prelude::Verdict::Contact;
    let mut missed = [false; 3];
    if is_contact {
        for (missed, count) in missed.iter_mut().zip(SAMPLES) {
            *missed = !sampled(&made, count)?;
        }
    }
    Ok(Outcome { is_contact, missed, fit_wrong: !fit_unknown && found != is_contact, fit_unknown })
}

fn fitted(made: &Generated) -> Result<impinge_fit::prelude::Verdict> {
    let assembly = Assembly::of_scene(made.scene.clone().into_scene(&made.name))?;
    Ok(fit(&Prepared::new(assembly)?, &Question::default(), &()).verdict)
}

/// Whether a contact is seen at one of so many poses, from the start to the end of the path.
fn sampled(made: &Generated, count: usize) -> Result<bool> {
    let [rest, mover] = [&made.scene.parts[0], &made.scene.parts[1]];
    let placed: Vec<_> = rest.mesh.vertices().iter().map(|v| rest.pose.apply(v)).collect();
    let rest: Mesh = rest.mesh.with_vertices(placed)?;
    let mut pair = PosedPair::new(rest, mover.mesh.clone())?;
    let path = &made.scene.fit.as_ref().expect("a fitting check").path;
    let [start, end] = path.span();
    let time = |k: usize| start + (end - start) * k as f64 / (count - 1) as f64;
    let poses: Vec<Pose> = (0..count).map(|k| path.pose_at(time(k))).collect();
    let found = pair.check(&poses, &Query::TOUCHING);
    Ok(found.all().iter().any(|answer| answer.verdict != Verdict::Free))
}
