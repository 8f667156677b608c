//! The result: a table of meshes and questions, a column for each program.

use super::Question;
use super::judge::{Duel, Score, duels, mean};
use super::settings::Settings;
use anyhow::{Context, Result};
use impinge_lab::stamp::Stamp;
use impinge_lab::table::{Cell, Table};

/// Writes everything there is so far, and tells it.
pub(super) fn write(settings: &Settings, scores: &[Score]) -> Result<String> {
    let duels = duels(scores);
    let table = table(scores, &duels);
    let mut notes = vec![method(settings, scores)];
    notes.extend(Question::ALL.into_iter().filter_map(|question| verdict(question, &duels)));
    let mut stamp = Stamp::now();
    let options: Vec<String> = std::env::args().skip(1).collect();
    let shown = options.split(|word| word == "--ours").next().unwrap_or_default();
    stamp.command = format!("cargo xtask peers {}", shown.join(" "));
    let text = stamp.head("Engines beside other libraries, on poses near contact", &notes)
        + &table.to_csv();
    std::fs::create_dir_all(&settings.out)?;
    let path = settings.out.join(format!("{}.csv", settings.name));
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let told = notes[1..].join("\n");
    Ok(format!("\n{}\n{told}\nwrote {}\n", table.to_text(), path.display()))
}

fn method(settings: &Settings, scores: &[Score]) -> String {
    let queries = scores.iter().map(|score| score.queries).max().unwrap_or(0);
    let caches = match settings.cold {
        true => {
            " Caches are emptied before each query; what a cold query of bodies far apart takes, \
             the call itself, is subtracted on both sides."
        }
        false => "",
    };
    format!(
        "Microseconds per query, medians of passes over {queries} poses: process time, one thread; \
         all programs in turn on the same files, {} rounds.{caches} `(n)` after a time: so many \
         answers are not those of FCL in double precision (of ours, if it did not take part); with \
         `!`, too many to count as right: more than 1 % of the queries, or of all pairs. The best \
         other is the fastest whose answers are right.",
        settings.rounds
    )
}

fn verdict(question: Question, duels: &[Duel<'_>]) -> Option<String> {
    let here = duels.iter().filter(|duel| duel.ours.question == question);
    let rated: Vec<(&Duel<'_>, [f64; 2])> =
        here.filter_map(|duel| Some((duel, duel.ratios()?))).collect();
    let (least, [ratio, _]) = rated.iter().min_by(|a, b| a.1[0].total_cmp(&b.1[0]))?;
    let [medians, minima] = [0, 1].map(|k| mean(&rated.iter().map(|r| r.1[k]).collect::<Vec<_>>()));
    Some(format!(
        "{}: {medians:.2}× as fast as the best other program (geometric mean over {} meshes; by \
         minima {minima:.2}×), on {} {ratio:.2}× and nowhere less.",
        question.want(),
        rated.len(),
        least.ours.mesh,
    ))
}

fn table(scores: &[Score], duels: &[Duel<'_>]) -> Table {
    let mut peers: Vec<&str> = Vec::new();
    for score in scores.iter().filter(|score| !score.ours()) {
        if !peers.contains(&score.peer.as_str()) {
            peers.push(&score.peer);
        }
    }
    let mut columns = vec![("question", ""), ("mesh", ""), ("impinge", "µs")];
    columns.extend([("ratio", ""), ("ratio of minima", ""), ("best other", "")]);
    columns.extend(peers.iter().map(|peer| (*peer, "µs")));
    let mut table = Table::new(&columns);
    for duel in duels {
        let ours = duel.ours;
        let [ratio, minima] =
            duel.ratios().map_or([Cell::Missing, Cell::Missing], |ratios| ratios.map(Cell::Real));
        let best = duel.best.map_or(Cell::Missing, |[best, _]| Cell::Text(best.peer.clone()));
        let mut row = vec![
            Cell::Text(ours.question.want().to_owned()),
            Cell::Text(ours.mesh.clone()),
            time(Some(ours)),
            ratio,
            minima,
            best,
        ];
        row.extend(peers.iter().map(|peer| {
            let same =
                |s: &&Score| s.peer == *peer && s.mesh == ours.mesh && s.question == ours.question;
            time(scores.iter().find(same))
        }));
        table.push(row);
    }
    for question in Question::ALL {
        let here = duels.iter().filter(|duel| duel.ours.question == question);
        let ratios: Vec<[f64; 2]> = here.filter_map(Duel::ratios).collect();
        if ratios.is_empty() {
            continue;
        }
        let means = [0, 1].map(|k| mean(&ratios.iter().map(|r| r[k]).collect::<Vec<_>>()));
        let mut row = vec![
            Cell::Text(question.want().to_owned()),
            Cell::Text("geometric mean".to_owned()),
            Cell::Missing,
        ];
        row.extend(means.map(Cell::Real));
        row.resize(columns.len(), Cell::Missing);
        table.push(row);
    }
    table
}

/// A time, marked if not all answers agree.
fn time(score: Option<&Score>) -> Cell {
    let Some(score) = score else { return Cell::Missing };
    let time = Cell::Real(score.median_us);
    let wrong = if score.right { "" } else { "!" };
    match score.differing {
        Some(0) => time,
        Some(count) => Cell::Text(format!("{time} ({count}{wrong})")),
        None => Cell::Text(format!("{time} (?)")),
    }
}
