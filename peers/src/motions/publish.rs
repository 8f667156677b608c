//! The result: a table of meshes and programs.

use super::judge::{STEPS, Score, TOLERANCE};
use super::settings::Settings;
use anyhow::{Context, Result};
use impinge_lab::stamp::Stamp;
use impinge_lab::table::{Cell, Table};

/// Writes everything there is so far, and tells it; `in_passes` are our means of each mesh.
pub(super) fn write(settings: &Settings, scores: &[Score], in_passes: &[f64]) -> Result<String> {
    let table = table(scores);
    let notes = [method(settings), judgement(), passes(settings, in_passes)];
    let mut stamp = Stamp::now();
    let options: Vec<String> = std::env::args().skip(1).collect();
    let shown = options.split(|word| word == "--ours").next().unwrap_or_default();
    stamp.command = format!("cargo xtask peers {}", shown.join(" "));
    let text =
        stamp.head("First contacts along motions beside other libraries", &notes) + &table.to_csv();
    std::fs::create_dir_all(&settings.out)?;
    let path = settings.out.join(format!("{}.csv", settings.name));
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("\n{}\n{}\nwrote {}\n", table.to_text(), notes[2], path.display()))
}

fn method(settings: &Settings) -> String {
    format!(
        "Microseconds per motion: process time, one thread, each motion a process of its own that \
         repeats it for {} s and tells its best time; all programs in turn on each motion. A \
         program stops on a mesh after {} s: `motions` is how many it answered by then, and \
         `ratio` its mean over ours on those. fcl-ca: conservative advancement, tolerance 1e-4; \
         fcl-naive100: 100 static tests; parry: its nonlinear cast.",
        settings.seconds,
        settings.limit.as_secs_f64()
    )
}

fn judgement() -> String {
    let [whole, near] = STEPS;
    format!(
        "Held against our certified interval and, on their own, exact static tests at {whole} \
         steps of the motion and {near} about the first contact. `touching`: a static test \
         touches; missed: no hit there; late, early: a time more than {TOLERANCE:e} after or \
         before the interval; false: a hit where nothing touches. Ours: late is any time after a \
         static test that touches, false a hit that none of them shows. `-screw` moves along \
         screws, and is judged on those."
    )
}

fn passes(settings: &Settings, in_passes: &[f64]) -> String {
    let meshes = settings.meshes.iter().zip(in_passes);
    let shown: Vec<String> =
        meshes.map(|(mesh, us)| format!("{mesh} {} µs", Cell::Real(*us))).collect();
    format!("Ours in passes over all motions of a mesh, the mean of one: {}.", shown.join(", "))
}

fn table(scores: &[Score]) -> Table {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("program", ""),
        ("motions", ""),
        ("mean", "µs"),
        ("median", "µs"),
        ("worst", "µs"),
        ("ratio", ""),
        ("hits", ""),
        ("touching", ""),
        ("missed", ""),
        ("late", ""),
        ("early", ""),
        ("false", ""),
    ]);
    for score in scores {
        let tally = score.tally;
        let mut row = vec![
            Cell::Text(score.mesh.clone()),
            Cell::Text(score.peer.clone()),
            Cell::Count(score.us.len() as u64),
        ];
        row.extend([score.mean(), score.median(), score.worst(), score.ratio].map(Cell::Real));
        row.extend([tally.hits, tally.shown, tally.missed].map(Cell::Count));
        row.extend([tally.late, tally.early, tally.invented].map(Cell::Count));
        table.push(row);
    }
    table
}
