//! All engines on all scenes of the lab: which two answer how many questions differently, and whether every
//! difference is one that an engine's guarantee allows.
//!
//! A question is a pair of bodies at an instant. The truth is that of brute force. An engine that differs
//! from it is excused by the guarantee of that very answer: a miss if it may miss, and no point of a surface
//! that was looked at is deeper in the other body than it says may stay unseen; an invention if it may
//! invent, and the bodies are no farther apart than its error by what brute force measures; not knowing if it
//! does not claim to be exact, since no budget is set. If two engines differ, one of them differs
//! from the truth; so no difference is left unexplained if each of those is excused.

mod data;
mod nasty;
mod scenes;

use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::contract::answer::Guarantee;
use impinge::prelude::*;
use impinge::{broad, narrow};
use rayon::prelude::*;
use scenes::Still;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "engine-matrix",
    title: "Disagreement of all engines on all scenes",
    paper: None,
    about: "every engine on the scenes and pairs of the experiments: for each two the \
    questions that they answer differently (free, hit or unknown), and in brackets those in \
    which they list other pairs of faces; and how many differences from brute force each \
    engine's guarantee explains, and how many none does",
    run,
};

/// What an engine says of two bodies.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    bodies: [usize; 2],
    instant: usize,
    verdict: Verdict,
    pairs: Vec<[u32; 2]>,
    guarantee: Guarantee,
}

/// The answers of an engine to all questions of a scene; none if it refuses the scene.
type Sheet = Option<Vec<Told>>;

/// How an engine differs from the truth.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    asked: u64,
    refused: u64,
    missed: u64,
    invented: u64,
    unknown: u64,
    lists: u64,
    unexplained: u64,
    /// Differences that were held against a bound which is not infinite.
    bounded: u64,
}

/// The engine that tells the truth.
const TRUTH: &str = "brute";
/// Engines that list no pairs of faces.
const WITHOUT_LISTS: [&str; 2] = ["voxel", "r98-recode"];

fn run(lab: &mut Lab) -> Result<()> {
    let names: Vec<&'static str> = narrow::names().collect();
    let truth_at = names.iter().position(|name| *name == TRUTH).context("brute is an engine")?;
    let mut stills = scenes::all(lab.settings.quick, lab.settings.seed)?;
    nasty::all(lab.settings.quick, &mut stills)?;
    if !data::all(lab.settings.quick, &mut stills)? {
        lab.note("Models of others are left out: IMPINGE_DATA is not set.");
    }
    let mut tallies = vec![Tally::default(); names.len()];
    let mut matrix = vec![vec![[0u64; 2]; names.len()]; names.len()];
    let mut questions = 0;
    let mut strange: Vec<String> = Vec::new();
    for still in &stills {
        let sheets: Vec<Sheet> = names.par_iter().map(|name| ask(name, still)).collect();
        let truth =
            sheets[truth_at].clone().with_context(|| format!("{}: no truth", still.name))?;
        let decided = truth.iter().all(|told| told.verdict != Verdict::Unknown);
        ensure!(decided, "{}: the truth is not known", still.name);
        questions += truth.len();
        let same = |sheet: &Sheet| sheet.as_ref().is_none_or(|told| same_pairs(told, &truth));
        ensure!(sheets.iter().all(same), "{}: engines were asked about other pairs", still.name);
        for (i, sheet) in sheets.iter().enumerate() {
            let tally = &mut tallies[i];
            match sheet {
                None => tally.refused += truth.len() as u64,
                Some(told) => judge((names[i], still), (told, &truth), tally, &mut strange),
            }
            for (j, other) in sheets.iter().enumerate() {
                let (Some(a), Some(b)) = (sheet, other) else { continue };
                let listed = !WITHOUT_LISTS.iter().any(|w| *w == names[i] || *w == names[j]);
                for (a, b) in a.iter().zip(b) {
                    matrix[i][j][0] += u64::from(class(a) != class(b));
                    matrix[i][j][1] += u64::from(listed && a.pairs != b.pairs);
                }
            }
        }
    }
    conclude(lab, (&stills, questions), (&tallies, &strange));
    lab.publish(&table(&names, &matrix, &tallies), None)?;
    ensure!(strange.is_empty(), "no guarantee explains: {}", strange.join("; "));
    Ok(())
}

/// Whether both are about the same bodies at the same instants.
fn same_pairs(a: &[Told], b: &[Told]) -> bool {
    let about = |told: &Told| (told.bodies, told.instant);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| about(a) == about(b))
}

/// Free, hit or unknown.
fn class(told: &Told) -> u8 {
    match told.verdict {
        Verdict::Free => 0,
        Verdict::Hit(_) => 1,
        Verdict::Unknown => 2,
    }
}

/// All pairs of bodies whose boxes overlap, instant by instant: others are free by the broad phase alone.
fn ask(engine: &str, still: &Still) -> Sheet {
    let mut world = World::with(broad::by_name("brute")?, narrow::by_name(engine)?);
    let mut ids = Vec::new();
    for (mesh, pose) in still.meshes.iter().zip(&still.poses[0]) {
        let shape = world.add_shape(Arc::clone(mesh)).ok()?;
        ids.push(world.insert(Body::new(shape).at(*pose)).ok()?);
    }
    let mut all = Vec::new();
    for (instant, poses) in still.poses.iter().enumerate() {
        ids.iter().zip(poses).for_each(|(id, pose)| _ = world.teleport(*id, *pose));
        let report = world.step(&Query::PAIRS);
        let number = |id: BodyId| ids.iter().position(|other| *other == id).unwrap_or(0);
        all.extend(report.pairs().map(|pair| Told {
            bodies: [number(pair.a), number(pair.b)],
            instant,
            verdict: pair.answer.verdict,
            pairs: pair.triangle_pairs.to_vec(),
            guarantee: pair.answer.guarantee,
        }));
    }
    Some(all)
}

fn judge(
    (name, still): (&str, &Still),
    (told, truth): (&[Told], &[Told]),
    tally: &mut Tally,
    strange: &mut Vec<String>,
) {
    let listed = !WITHOUT_LISTS.contains(&name);
    for (told, truth) in told.iter().zip(truth) {
        let (bodies, at) = (truth.bodies, truth.instant);
        tally.asked += 1;
        tally.unknown += u64::from(told.verdict == Verdict::Unknown);
        let Guarantee { may_miss, may_invent, error_max, unseen_max } = told.guarantee;
        let bound = if class(told) == 0 { unseen_max } else { error_max };
        let differs = [[0, 1], [1, 0]].contains(&[class(told), class(truth)]);
        tally.bounded += u64::from(differs && bound.is_finite());
        let explained = match (class(told), class(truth)) {
            (0, 1) => {
                tally.missed += 1;
                may_miss && (unseen_max == f64::INFINITY || still.deepest(bodies, at) <= unseen_max)
            }
            (1, 0) => {
                tally.invented += 1;
                may_invent && still.distance(bodies, at, TRUTH) <= error_max
            }
            // Nothing is claimed, which an exact answer must not do: there is no budget to run out of.
            (2, _) => may_miss || may_invent,
            _ => {
                // The kind of a hit, too, of engines that are exact.
                let other = told.pairs != truth.pairs || told.verdict != truth.verdict;
                let other = listed && other;
                tally.lists += u64::from(other);
                !other
            }
        };
        if !explained {
            tally.unexplained += 1;
            strange.push(format!(
                "{name} on {} {bodies:?} at {at}: {:?} instead of {:?}, {} face pairs \
                instead of {}, {:?}",
                still.name,
                told.verdict,
                truth.verdict,
                told.pairs.len(),
                truth.pairs.len(),
                told.guarantee
            ));
        }
    }
}

fn conclude(
    lab: &mut Lab,
    (stills, questions): (&[Still], usize),
    (tallies, strange): (&[Tally], &[String]),
) {
    let mut kinds: Vec<&str> = Vec::new();
    for still in stills {
        if !kinds.contains(&still.kind) {
            kinds.push(still.kind);
        }
    }
    lab.note(format!(
        "{} scenes at {} instants, {questions} pairs whose boxes overlap. Of: {}.",
        stills.len(),
        stills.iter().map(|still| still.poses.len()).sum::<usize>(),
        kinds.join("; ")
    ));
    lab.note(format!("Differences that no guarantee explains: {}.", strange.len()));
    strange.iter().take(10).for_each(|one| lab.note(one.clone()));
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    lab.note(format!(
        "A difference is explained if the guarantee of the answer that differs from brute force \
         allows it. Of {} misses and {} inventions {} were held against a bound that is finite; \
         the guarantees of the others set none, and explain any. An invention is held against the \
         upper bound of the distance that brute force measures. A miss is held against the \
         deepest vertex or middle of a face in the other body: the true depth may be larger, so \
         that a miss may pass that is deeper than its guarantee allows. Unknown is explained only \
         if the answer does not claim to be exact.",
        sum(|tally| tally.missed),
        sum(|tally| tally.invented),
        sum(|tally| tally.bounded),
    ));
}

fn table(names: &[&'static str], matrix: &[Vec<[u64; 2]>], tallies: &[Tally]) -> Table {
    let mut columns = vec![("engine", "")];
    columns.extend(names.iter().map(|name| (*name, "")));
    columns.extend([
        ("questions", ""),
        ("refused", ""),
        ("missed", ""),
        ("invented", ""),
        ("unknown", ""),
        ("held against a finite bound", ""),
        ("other lists", ""),
        ("unexplained", ""),
    ]);
    let mut table = Table::new(&columns);
    for (i, name) in names.iter().enumerate() {
        let mut cells = vec![Cell::Text((*name).to_owned())];
        cells.extend(matrix[i].iter().enumerate().map(|(j, &[verdicts, lists])| match lists {
            _ if i == j => Cell::Missing,
            0 => Cell::Count(verdicts),
            _ => Cell::Text(format!("{verdicts} ({lists})")),
        }));
        let tally = tallies[i];
        let Tally { asked, refused, missed, invented, unknown, lists, .. } = tally;
        let ends = [tally.bounded, lists, tally.unexplained];
        let counts = [asked, refused, missed, invented, unknown].into_iter().chain(ends);
        cells.extend(counts.map(Cell::Count));
        table.push(cells);
    }
    table
}
