//! Two bodies every vertex of which moves every frame: `impinge bench deform` beside other programs
//! that make the same frames, in turns. All pairs of faces are found, or what comes nearest to it.

mod program;

use anyhow::{Context, Result, bail, ensure};
use impinge_lab::stamp::Stamp;
use impinge_lab::table::{Cell, Table};
use program::{OURS, Place, Program, Told};
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
cargo xtask peers deform [OPTION VALUE]…

  --meshes   names under $PEERS_ROOT/meshes [default: sphere_20k,knot_20k,sphere_100k,knot_100k]
  --peers    embree, parry, fcl, fclf32, coal, ipctk, bullet, cgal [default: all but the last two]
  --engine   ours [default: auto]
  --beside   more engines of ours, told beside it [default: none]
  --seconds  for each thing that another program times, at most 40 frames [default: 0.5]
  --frames   of ours in each round [default: 40]
  --rounds   turns of ours, Embree and parry; all others have one [default: 5]
  --out      the folder for deform-peers.csv, or deform-ENGINE.csv [default: results]
  --native   ours built for this processor too; takes no value

The programs are those of $PEERS_ROOT (bin/*, target/release/peers-rs, and venv/bin/python with the
driver of ipctk in $PEERS_IPCTK). What they leave is under $PEERS_ROOT/out/impinge.
";

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    root: PathBuf,
    /// Our program.
    ours: PathBuf,
    meshes: Vec<String>,
    peers: Vec<String>,
    engine: String,
    beside: Vec<String>,
    /// As it is handed on.
    seconds: String,
    frames: usize,
    rounds: usize,
    out: PathBuf,
}

/// What a program did on a mesh, in all its rounds.
#[derive(Clone, Debug, PartialEq)]
struct Score {
    mesh: String,
    program: String,
    threads: usize,
    frames: usize,
    /// The best of all frames.
    min_ms: f64,
    /// Of each round.
    medians_ms: Vec<f64>,
    /// Pairs of its first frames, if it tells all pairs.
    pairs: Option<Vec<u64>>,
}

/// Runs the contest.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let root = std::env::var_os("PEERS_ROOT").context("PEERS_ROOT is not set")?;
    let settings = Settings::over(root.into(), arguments)?;
    ensure!(settings.ours.is_file(), "--ours: {} is not there", settings.ours.display());
    let place = Place::make(&settings)?;
    let programs = Program::all(&settings)?;
    let mut scores: Vec<Score> = Vec::new();
    let mut result = String::new();
    for mesh in &settings.meshes {
        for round in 0..settings.rounds {
            for turn in 0..programs.len() {
                // Who begins changes from round to round.
                let program = &programs[(turn + round) % programs.len()];
                if round > 0 && program.once {
                    continue;
                }
                let told = program.run(mesh, &place, &settings);
                for told in told.with_context(|| format!("{}, {mesh}", program.name))? {
                    add(&mut scores, mesh, told)?;
                }
            }
        }
        // After each mesh, so that a run that is ended leaves what it has.
        result = publish(&settings, &scores)?;
    }
    print!("{result}");
    Ok(())
}

/// Adds a round to the score of its program; its answers may not change.
fn add(scores: &mut Vec<Score>, mesh: &str, told: Told) -> Result<()> {
    let same =
        |s: &&mut Score| s.mesh == mesh && s.program == told.program && s.threads == told.threads;
    let Some(score) = scores.iter_mut().find(same) else {
        scores.push(Score {
            mesh: mesh.to_owned(),
            program: told.program,
            threads: told.threads,
            frames: told.frames,
            min_ms: told.min_ms,
            medians_ms: vec![told.median_ms],
            pairs: told.pairs,
        });
        return Ok(());
    };
    if let (Some(before), Some(now)) = (&score.pairs, &told.pairs) {
        let changed = before.iter().zip(now).any(|(a, b)| a != b);
        ensure!(!changed, "the pairs of {} are not those of the last round", told.program);
    }
    score.frames += told.frames;
    score.min_ms = score.min_ms.min(told.min_ms);
    score.medians_ms.push(told.median_ms);
    Ok(())
}

impl Score {
    /// The middle one of its rounds' medians.
    fn median_ms(&self) -> f64 {
        let mut all = self.medians_ms.clone();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }

    /// By how many pairs its frames differ from the true ones, all together.
    fn off(&self, truth: &[u64]) -> Option<u64> {
        let pairs = self.pairs.as_ref()?;
        Some(pairs.iter().zip(truth).map(|(a, b)| a.abs_diff(*b)).sum())
    }

    fn is_ours(&self) -> bool {
        self.program == OURS
    }
}

/// Ours on that mesh.
fn ours<'a>(scores: &'a [Score], mesh: &str, threads: usize) -> Option<&'a Score> {
    scores.iter().find(|s| s.mesh == mesh && s.is_ours() && s.threads == threads)
}

/// Writes everything there is so far, and tells it.
fn publish(settings: &Settings, scores: &[Score]) -> Result<String> {
    let table = table(scores)?;
    let verdicts: Vec<String> =
        settings.meshes.iter().filter_map(|mesh| verdict(scores, mesh)).collect();
    let mut notes = vec![format!(
        "Two bodies, waves through both, every vertex moves every frame: milliseconds per frame \
         from new vertices to all intersecting pairs of faces. One thread: process time; two: wall \
         time. All programs in turn on the same frames, {} rounds for ours, Embree and parry, one \
         for the others; median is the middle one of the rounds' medians. `over ours` is by \
         minima, on as many threads. `other pairs`: by how many pairs their first frames, eight at \
         most, differ from ours. Embree has no test of two faces: its driver has one of separating \
         axes. ipctk tells pairs of boxes (lbvh, sap), or whether there is any pair of faces \
         (has_intersections).",
        settings.rounds
    )];
    notes.extend(verdicts.iter().cloned());
    let mut stamp = Stamp::now();
    let options: Vec<String> = std::env::args().skip(1).collect();
    let shown = options.split(|word| word == "--ours").next().unwrap_or_default();
    stamp.command = format!("cargo xtask peers {}", shown.join(" "));
    let (title, name) = match settings.engine.as_str() {
        "auto" => ("Deforming bodies beside other libraries".to_owned(), "peers"),
        engine => (format!("Deforming bodies beside other libraries, engine {engine}"), engine),
    };
    let text = stamp.head(&title, &notes) + &table.to_csv();
    std::fs::create_dir_all(&settings.out)?;
    let path = settings.out.join(format!("deform-{name}.csv"));
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("\n{}\n{}\nwrote {}\n", table.to_text(), verdicts.join("\n"), path.display()))
}

fn table(scores: &[Score]) -> Result<Table> {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("program", ""),
        ("threads", ""),
        ("frames", ""),
        ("min", "ms"),
        ("median", "ms"),
        ("over ours", ""),
        ("pairs per frame", ""),
        ("other pairs", ""),
    ]);
    for score in scores {
        let truth = ours(scores, &score.mesh, 1).and_then(|ours| ours.pairs.as_ref());
        let truth = truth.context("ours takes part, and tells its pairs")?;
        let ours = ours(scores, &score.mesh, score.threads);
        let pairs = score
            .pairs
            .as_ref()
            .map(|all| Cell::Real(all.iter().sum::<u64>() as f64 / all.len().max(1) as f64));
        table.push([
            Cell::Text(score.mesh.clone()),
            Cell::Text(score.program.clone()),
            Cell::Count(score.threads as u64),
            Cell::Count(score.frames as u64),
            Cell::Real(score.min_ms),
            Cell::Real(score.median_ms()),
            ours.map_or(Cell::Missing, |ours| Cell::Real(score.min_ms / ours.min_ms)),
            pairs.unwrap_or(Cell::Missing),
            score.off(truth).map_or(Cell::Missing, Cell::Count),
        ]);
    }
    Ok(table)
}

/// A sentence for a mesh: ours against the fastest of the others, whatever that one answers.
fn verdict(scores: &[Score], mesh: &str) -> Option<String> {
    let ours = [ours(scores, mesh, 1)?, ours(scores, mesh, 2)?];
    let others = scores.iter().filter(|s| s.mesh == mesh && !s.program.starts_with(OURS));
    let best = |threads: usize| {
        let able = others.clone().filter(move |s| s.threads == threads);
        able.min_by(|a, b| a.min_ms.total_cmp(&b.min_ms))
    };
    let one = best(1)?;
    let gain = |one: &Score, two: &Score| one.min_ms / two.min_ms;
    let mut text = format!(
        "{mesh}: {:.2}× as fast as {}, the fastest other, by minima, {:.2}× by medians; two \
         threads are {:.2}× as fast as one",
        one.min_ms / ours[0].min_ms,
        one.program,
        one.median_ms() / ours[0].median_ms(),
        gain(ours[0], ours[1]),
    );
    if let Some(two) = best(2) {
        text += &format!(
            " ({:.2}× as fast as {} on two, which gains {:.2}×)",
            two.min_ms / ours[1].min_ms,
            two.program,
            gain(one, two)
        );
    }
    Some(text + ".")
}

impl Settings {
    /// From the words after `deform`; `--ours PATH` is among them, put there by the build.
    fn over(root: PathBuf, arguments: &[String]) -> Result<Self> {
        let words = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut settings = Self {
            root,
            ours: PathBuf::new(),
            meshes: words("sphere_20k,knot_20k,sphere_100k,knot_100k"),
            peers: words("embree,parry,fcl,fclf32,coal,ipctk"),
            engine: "auto".to_owned(),
            beside: Vec::new(),
            seconds: "0.5".to_owned(),
            frames: 40,
            rounds: 5,
            out: "results".into(),
        };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { bail!("{} needs a value\n\n{USAGE}", pair[0]) };
            let whole = |least: usize| {
                let number = value.parse().ok().filter(|&number: &usize| number >= least);
                number.with_context(|| format!("{name} {value}: at least {least} is needed"))
            };
            match name.as_str() {
                "--ours" => settings.ours = value.into(),
                "--meshes" => settings.meshes = words(value),
                "--peers" => settings.peers = words(value),
                "--engine" => value.clone_into(&mut settings.engine),
                "--beside" => settings.beside = words(value),
                "--seconds" => {
                    let fits = value.parse::<f64>().is_ok_and(|s| s > 0.0 && s.is_finite());
                    ensure!(fits, "{name} {value}: more than 0 seconds are needed");
                    value.clone_into(&mut settings.seconds);
                }
                // Fewer would not hold all places of the waves, whose pairs are compared.
                "--frames" => settings.frames = whole(program::PLACES)?,
                "--rounds" => settings.rounds = whole(1)?,
                "--out" => settings.out = value.into(),
                _ => bail!("unknown option {name}\n\n{USAGE}"),
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(program: &str, threads: usize, ms: f64, pairs: &[u64]) -> Told {
        Told {
            program: program.to_owned(),
            threads,
            min_ms: ms,
            median_ms: 2.0 * ms,
            frames: 8,
            pairs: Some(pairs.to_vec()),
        }
    }

    #[test]
    fn rounds_are_added_and_the_fastest_other_is_told() {
        let mut scores = Vec::new();
        let rounds = [
            told(OURS, 1, 1.5, &[3, 4]),
            told(OURS, 1, 1.0, &[3, 4]),
            told(OURS, 2, 0.5, &[3, 4]),
            told("tree", 1, 4.0, &[3, 6]),
            told("bush", 1, 3.0, &[3]),
            told("bush", 2, 2.0, &[3]),
        ];
        for told in rounds {
            add(&mut scores, "knot", told).unwrap();
        }
        assert_eq!((scores[0].min_ms, scores[0].median_ms(), scores[0].frames), (1.0, 3.0, 16));
        assert_eq!(scores[2].off(&[3, 4]), Some(2));
        let text = verdict(&scores, "knot").unwrap();
        assert!(text.starts_with("knot: 3.00× as fast as bush"), "{text}");
        assert!(text.contains("2.00× as fast as one (4.00× as fast as bush"), "{text}");
        assert!(add(&mut scores, "knot", told(OURS, 1, 1.0, &[3, 5])).is_err());
        assert!(table(&scores[3..]).is_err());
    }

    #[test]
    fn options_are_read_and_bad_ones_refused() {
        let read = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            Settings::over("root".into(), &words)
        };
        let settings = read("--meshes a,b --rounds 2 --frames 9").unwrap();
        assert_eq!((settings.meshes.len(), settings.rounds, settings.frames), (2, 2, 9));
        for bad in ["--rounds 0", "--frames 7", "--frames", "--seconds nan", "--mesh a"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
