//! The contest on poses: `impinge bench poses` and the programs under `$PEERS_ROOT`, in turns, on the
//! same meshes and pose files; touching, all face pairs, distance.
//!
//! Every program is a process of its own that times passes over all poses by its processor time. In
//! each round all of them run, and who begins changes; of the rounds the best minimum and the median
//! of the medians count.

mod judge;
mod program;
mod publish;
mod settings;

use anyhow::{Context, Result, ensure};
use judge::Score;
use program::{Place, Program, Told};
use settings::Settings;

pub(crate) use settings::USAGE;

/// What is asked, by the name that the programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Touching,
    Pairs,
    Clearance,
}

impl Question {
    const ALL: [Self; 3] = [Self::Touching, Self::Pairs, Self::Clearance];

    /// In the result lines and answers of the programs.
    fn code(self) -> &'static str {
        match self {
            Self::Touching => "bool",
            Self::Pairs => "all",
            Self::Clearance => "dist",
        }
    }

    /// As `impinge bench poses --want` has it.
    fn want(self) -> &'static str {
        match self {
            Self::Touching => "touching",
            Self::Pairs => "pairs",
            Self::Clearance => "clearance",
        }
    }
}

/// Runs the contest.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let settings = Settings::read(arguments)?;
    let place = Place::make(&settings)?;
    let mut programs = vec![Program::ours(&settings)?];
    programs.extend(Program::others(&settings)?);
    ensure!(programs.len() > 1, "none of the other programs is there; see --peers");
    let mut scores: Vec<Score> = Vec::new();
    let mut result = String::new();
    for mesh in &settings.meshes {
        let queries = place.poses(mesh, &settings)?;
        let mut told: Vec<Told> = Vec::new();
        for round in 0..settings.rounds {
            for turn in 0..programs.len() {
                let program = &programs[(turn + round) % programs.len()];
                let lines = program.run(mesh, &place, &settings);
                told.extend(lines.with_context(|| format!("{} on {mesh}", program.name()))?);
            }
        }
        let judged = judge::scores(mesh, queries, &told, &place)?;
        judged.iter().for_each(Score::say);
        scores.extend(judged);
        // After each mesh, so that a long run that is ended leaves what it has.
        result = publish::write(&settings, &scores)?;
    }
    print!("{result}");
    Ok(())
}
