//! The contest on motions: first contacts by `impinge bench motions` and by the continuous queries
//! of programs under `$PEERS_ROOT`, on the same meshes and motion files.
//!
//! Each motion is a file and a process of its own, so that the slowest motion is known of programs
//! that only tell means, too. On each motion all programs run in turn, and who begins changes. A
//! program that takes too long on a mesh stops after some of its motions, and the result says so.

mod judge;
mod program;
mod publish;
mod settings;

use anyhow::{Context, Result, bail, ensure};
use impinge::prelude::{Mesh, Motion, Pose};
use judge::{Course, Score, Truth};
use program::{Place, Program};
use settings::Settings;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use settings::USAGE;

/// Runs the contest.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let settings = Settings::read(arguments)?;
    let place = Place::make(&settings)?;
    let programs = Program::all(&settings)?;
    ensure!(programs.len() > 1, "none of the other programs is there; see --peers");
    let mut scores: Vec<Score> = Vec::new();
    let mut in_passes = Vec::new();
    let mut result = String::new();
    for mesh in &settings.meshes {
        let lines = lines(&settings, mesh)?;
        let told = turns(&programs, &lines, (mesh, &place, &settings))?;
        in_passes.push(program::passes(&lines, (mesh, &place, &settings))?);
        let truths = truths(&place.mesh(mesh), &lines)?;
        let judged = judge::scores(mesh, &told, &truths);
        judged.iter().for_each(Score::say);
        scores.extend(judged);
        // After each mesh, so that a long run that is ended leaves what it has.
        result = publish::write(&settings, &scores, &in_passes)?;
    }
    print!("{result}");
    Ok(())
}

/// The motions of a mesh, a line each.
fn lines(settings: &Settings, mesh: &str) -> Result<Vec<String>> {
    let path = settings.motions.join(format!("{mesh}.txt"));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines: Vec<String> = text.lines().take(settings.queries).map(str::to_owned).collect();
    ensure!(!lines.is_empty(), "{} has no motions", path.display());
    Ok(lines)
}

/// What the programs say of each motion.
fn turns(
    programs: &[Program],
    lines: &[String],
    (mesh, place, settings): (&str, &Place, &Settings),
) -> Result<Vec<Vec<program::Told>>> {
    let mut spent = vec![Duration::ZERO; programs.len()];
    let mut all = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        let mut told = Vec::new();
        for turn in 0..programs.len() {
            let who = (turn + k) % programs.len();
            if spent[who] > settings.limit {
                continue;
            }
            let start = Instant::now();
            let said = programs[who].run(line, (mesh, place, settings));
            told.extend(said.with_context(|| format!("{}, motion {k}", programs[who].name()))?);
            spent[who] += start.elapsed();
        }
        all.push(told);
    }
    Ok(all)
}

/// What is true of each motion, for the courses that programs take from its start to its end.
fn truths(mesh: &Path, lines: &[String]) -> Result<[Vec<Truth>; 2]> {
    let mut objects = impinge_scene::load::load(mesh)?;
    let Some(object) = objects.pop().filter(|_| objects.is_empty()) else {
        bail!("{}: one mesh is needed", mesh.display())
    };
    let mesh: Arc<Mesh> = Arc::new(object.mesh);
    let straight: Vec<Motion> = lines.iter().map(|line| motion(line)).collect::<Result<_>>()?;
    let screws: Vec<Motion> = straight.iter().map(judge::screw).collect::<Result<_>>()?;
    Ok([
        judge::truths(&mesh, &straight).context(Course::Straight.name())?,
        judge::truths(&mesh, &screws).context(Course::Screw.name())?,
    ])
}

/// From `qw qx qy qz tx ty tz` of the start and of the end.
fn motion(line: &str) -> Result<Motion> {
    let numbers: Vec<f64> =
        line.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("a motion")?;
    let [w, x, y, z, a, b, c, w1, x1, y1, z1, a1, b1, c1] = numbers[..] else {
        bail!("a motion has 14 numbers, not {}", numbers.len())
    };
    let from = Pose::new([w, x, y, z], [a, b, c])?;
    Ok(Motion::lerp_slerp(from, Pose::new([w1, x1, y1, z1], [a1, b1, c1])?))
}
