//! Runs a plan: questions in batches, answers in order, a tally of all.

use super::ask::{Answered, Asker, Question};
use super::frames::View;
use super::line::{CountersLine, Summary, Verdict};
use super::pictures::Gallery;
use super::places::Places;
use super::plan::Plan;
use super::text::Before;
use anyhow::Result;
use impinge::contract::counters::Counters;
use impinge::contract::job::Placement;
use impinge::prelude::Budget;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

/// Fewer questions are not worth a world of their own.
const QUESTIONS_PER_ASKER_MIN: usize = 8;

/// Takes the answers, in the order of their questions.
pub(crate) trait Output {
    /// The next answer. False to stop: nobody reads on.
    fn answer(&mut self, answered: &Answered<'_>) -> Result<bool>;
    /// The end of a batch: whoever waits for answers gets them now.
    fn flush(&mut self) -> Result<bool>;
}

/// What a run came to.
pub(crate) struct Tally {
    queries: u64,
    hits: u64,
    free: u64,
    unknown: u64,
    too_close: u64,
    /// Bodies that would have to be closed to tell what is inside.
    not_closed: BTreeSet<usize>,
    counters: Counters,
    seconds: f64,
    prepare_seconds: f64,
    /// The question to export: the last one, or the first hit if it ended the run.
    pub(crate) shown: Question,
}

impl Tally {
    fn add(&mut self, question: &Question, answered: &Answered<'_>) {
        self.queries += 1;
        match answered.line.verdict {
            Verdict::Hit => self.hits += 1,
            Verdict::Free => self.free += 1,
            Verdict::Unknown => self.unknown += 1,
        }
        self.too_close += u64::from(answered.too_close());
        self.not_closed.extend(&answered.not_closed);
        self.counters += answered.counters;
        self.shown = question.clone();
    }

    /// Whether anything touches or is too close.
    pub(crate) fn has_findings(&self) -> bool {
        self.hits + self.too_close > 0
    }

    /// Whether anything could not be decided.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown > 0
    }

    /// What the first query had to wait for.
    pub(crate) fn before(&self, plan: &Plan) -> Before {
        Before { read_seconds: plan.read_seconds, prepare_seconds: self.prepare_seconds }
    }

    /// As it is printed.
    pub(crate) fn summary(&self, plan: &Plan) -> Summary {
        Summary {
            queries: self.queries,
            hits: self.hits,
            free: self.free,
            unknown: self.unknown,
            too_close: plan.clearance.map(|_| self.too_close),
            not_closed: self.not_closed.iter().map(|&i| plan.bodies[i].name.clone()).collect(),
            units: plan.unit,
            seconds: self.seconds,
            counters: CountersLine::of(&self.counters),
        }
    }
}

/// Answers every question of the plan. An error in the middle of a stream comes after the answers
/// to what was read before it.
pub(crate) fn run(
    plan: &Plan,
    queries: Option<Places>,
    (out, gallery): (&mut dyn Output, Option<&mut Gallery>),
) -> Result<Tally> {
    let start = Instant::now();
    let mut runner = Runner::new(plan, queries.is_some())?;
    runner.gallery = gallery;
    runner.tally.prepare_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    match queries {
        None => runner.count(out)?,
        Some(queries) => runner.stream(queries, out)?,
    }
    runner.tally.seconds = start.elapsed().as_secs_f64();
    Ok(runner.tally)
}

struct Runner<'p, 'g> {
    plan: &'p Plan,
    /// Takes pictures, if they are wanted.
    gallery: Option<&'g mut Gallery>,
    /// Worlds, so that queries run side by side. Which one answers makes no difference.
    askers: Vec<Asker<'p>>,
    tally: Tally,
}

impl<'p> Runner<'p, '_> {
    fn new(plan: &'p Plan, many: bool) -> Result<Self> {
        // A deadline is for one query at a time: others beside it would eat into its time.
        let alone = matches!(plan.query.budget, Budget::Time(_));
        let useful = (plan.queries() as usize).div_ceil(QUESTIONS_PER_ASKER_MIN);
        let count = match rayon::current_num_threads() {
            _ if alone => 1,
            threads if many => threads,
            threads => threads.min(useful),
        };
        let askers = (0..count).into_par_iter().map(|_| Asker::new(plan));
        let tally = Tally {
            queries: 0,
            hits: 0,
            free: 0,
            unknown: 0,
            too_close: 0,
            not_closed: BTreeSet::new(),
            counters: Counters::default(),
            seconds: 0.0,
            prepare_seconds: 0.0,
            shown: Question { number: 0, view: plan.view(0) },
        };
        Ok(Self { plan, gallery: None, askers: askers.collect::<Result<_>>()?, tally })
    }

    /// Frames, or the one query that there is without frames, poses and motions.
    fn count(&mut self, out: &mut dyn Output) -> Result<()> {
        let held = (0..self.plan.queries()).filter(|number| self.plan.shard.holds(*number));
        let question = |number| Question { number, view: self.plan.view(number) };
        let questions: Vec<Question> = held.map(question).collect();
        // Answers about frames can be long, so few of them are kept until they are printed.
        for some in questions.chunks(QUESTIONS_PER_ASKER_MIN * self.askers.len()) {
            if !self.answer(some, out)? || !out.flush()? {
                return Ok(());
            }
        }
        out.flush().map(drop)
    }

    fn stream(&mut self, mut queries: Places, out: &mut dyn Output) -> Result<()> {
        let mut batch: Vec<Placement> = Vec::new();
        let mut number = 0;
        loop {
            let read = queries.batch(&mut batch);
            let questions: Vec<Question> = (number..)
                .zip(&batch)
                .filter(|(number, _)| self.plan.shard.holds(*number))
                .map(|(number, place)| Question { number, view: View::Moved(place.clone()) })
                .collect();
            number += batch.len() as u64;
            // What follows the end of a search is not judged, whether it was read or not: when
            // lines arrive must make no difference.
            if !self.answer(&questions, out)? || !out.flush()? {
                return Ok(());
            }
            read?;
            if batch.is_empty() {
                return Ok(());
            }
        }
    }

    /// False when there is no more to do.
    fn answer(&mut self, questions: &[Question], out: &mut dyn Output) -> Result<bool> {
        // A search for the first hit looks only a little ahead.
        let per_asker = if self.plan.first_hit { QUESTIONS_PER_ASKER_MIN } else { usize::MAX };
        for some in questions.chunks(per_asker.saturating_mul(self.askers.len()).max(1)) {
            let each = some.len().div_ceil(self.askers.len()).max(QUESTIONS_PER_ASKER_MIN);
            let answers: Vec<Vec<Result<Answered<'p>>>> = self
                .askers
                .par_iter_mut()
                .zip(some.par_chunks(each))
                .map(|(asker, some)| some.iter().map(|question| asker.ask(question)).collect())
                .collect();
            for (question, answered) in some.iter().zip(answers.into_iter().flatten()) {
                let answered = answered?;
                self.tally.add(question, &answered);
                let go_on = out.answer(&answered)?;
                if let Some(gallery) = &mut self.gallery {
                    gallery.add(self.plan, question, &answered);
                }
                if !go_on || self.plan.first_hit && answered.is_finding() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
