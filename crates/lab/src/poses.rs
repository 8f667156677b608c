//! One pair of meshes at many poses or along many motions: what is timed is `Engine::collide` and nothing else.
//!
//! Reading files, preparing the meshes and making the jobs is not timed. Each pass hands all of them to
//! the engine in one batch, as other programs loop over theirs; like there, passes go on until a time
//! is spent, no fewer than three and no more than 41.

use crate::cache::Flush;
use crate::timing::{Clock, Timing, median, microseconds};
use anyhow::{Context, Result};
use impinge::contract::answer::{Answer, Answers, Verdict};
use impinge::contract::job::{Job, Placement};
use impinge::narrow;
use impinge::pair::PosedPair;
use impinge::prelude::{Gap, Mesh, Mode, Query, Want};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// How to time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// By which clock.
    pub clock: Clock,
    /// How many passes.
    pub passes: Passes,
    /// With warm caches if none.
    pub cold: Option<Cold>,
}

/// How many passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// So many.
    Exactly(usize),
    /// As many as begin within that time, within [`PASSES`].
    Within(Duration),
}

/// The fewest and the most passes where a time decides.
pub const PASSES: [usize; 2] = [3, 41];

/// When caches are emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cold {
    /// Before each pass: queries find what those before them left.
    Pass,
    /// Before each query.
    Query,
}

/// A pair, ready to be timed.
#[derive(Debug)]
pub struct Bench {
    pair: PosedPair,
    jobs: Vec<Job>,
    query: Query,
    build: Duration,
    triangles: usize,
}

/// What the answers came to, all queries together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Queries that touch.
    pub hits: u64,
    /// Queries that could not be decided.
    pub unknown: u64,
    /// Intersecting triangle pairs, if they were asked for.
    pub pairs: u64,
}

impl Bench {
    /// Prepares both meshes for the engine of that name, which may carry parameters; B will be at
    /// `places` in the frame of A, poses or motions.
    pub fn new<P>(engine: &str, [a, b]: [Arc<Mesh>; 2], places: &[P], clock: Clock) -> Result<Self>
    where
        P: Clone + Into<Placement>,
    {
        let engine = narrow::by_text(engine).with_context(|| format!("engine `{engine}`"))?;
        let triangles = a.triangles().len() + b.triangles().len();
        let watch = clock.start();
        let pair = PosedPair::with(engine, a, b)?;
        let build = watch.elapsed();
        let jobs = pair.jobs(places);
        Ok(Self { pair, jobs, query: Query::TOUCHING, build, triangles })
    }

    /// From now on this is asked.
    pub fn ask(&mut self, query: Query) {
        self.query = query;
    }

    /// How long it took to prepare the two meshes, one after the other.
    pub fn build(&self) -> Duration {
        self.build
    }

    /// The memory of the prepared models.
    pub fn bytes_per_triangle(&self) -> f64 {
        self.pair.engine().bytes() as f64 / self.triangles as f64
    }

    /// All answers.
    pub fn answers(&mut self) -> &Answers {
        self.pair.answer(&self.jobs, &self.query)
    }

    /// The passes, and after them two more that time each query alone (if the passes did not): the
    /// best of its times counts, since the others may be the machine's, and the slowest query is
    /// told.
    pub fn time(&mut self, plan: &Plan) -> Timing {
        let mut flush = plan.cold.map(|_| Flush::default());
        let mut passes: Vec<Duration> = Vec::new();
        let mut each = vec![Duration::MAX; self.jobs.len()];
        let watch = plan.clock.start();
        while go_on(&plan.passes, &passes, || watch.elapsed()) {
            passes.push(match plan.cold {
                Some(Cold::Query) => self.pass_by_query(plan.clock, flush.as_mut(), &mut each),
                _ => {
                    flush.iter_mut().for_each(Flush::flush);
                    let start = plan.clock.start();
                    black_box(self.pair.answer(&self.jobs, &self.query));
                    start.elapsed()
                }
            });
        }
        for _ in 0..if plan.cold == Some(Cold::Query) { 0 } else { 2 } {
            self.pass_by_query(plan.clock, None, &mut each);
        }
        passes.sort_unstable();
        let per_query_us = |pass: Duration| microseconds(pass) / self.jobs.len() as f64;
        Timing {
            queries: self.jobs.len(),
            passes: passes.len(),
            median_us: per_query_us(median(&passes)),
            min_us: per_query_us(passes[0]),
            worst_query_us: each.into_iter().max().map_or(0.0, microseconds),
        }
    }

    /// One query after the other, with caches emptied before each if that is asked for; keeps the
    /// best time of each, and returns those of this pass together.
    fn pass_by_query(
        &mut self,
        clock: Clock,
        mut flush: Option<&mut Flush>,
        each: &mut [Duration],
    ) -> Duration {
        let mut total = Duration::ZERO;
        for (i, least) in each.iter_mut().enumerate().take(self.jobs.len()) {
            if let Some(flush) = flush.as_mut() {
                flush.flush();
            }
            let start = clock.start();
            black_box(self.pair.answer(&self.jobs[i..=i], &self.query));
            let time = start.elapsed();
            *least = time.min(*least);
            total += time;
        }
        total
    }
}

fn go_on(passes: &Passes, done: &[Duration], elapsed: impl Fn() -> Duration) -> bool {
    let [least, most] = PASSES;
    match *passes {
        Passes::Exactly(wanted) => done.len() < wanted.max(1),
        // What takes that long once need not be seen three times.
        Passes::Within(time) if done.first().is_some_and(|&first| first > 3 * time) => false,
        Passes::Within(time) => done.len() < least || done.len() < most && elapsed() < time,
    }
}

/// The number that other programs give for a query: 0 or 1, the number of triangle pairs, or the
/// distance with 0 for what touches; over a motion the time before which nothing touches, 1 if
/// nothing does at all. NaN for what could not be decided.
pub fn number(answers: &Answers, answer: &Answer, query: &Query) -> f64 {
    if query.mode != Mode::Static {
        return match answer.verdict {
            Verdict::Hit(_) => answer.time.map_or(f64::NAN, |[from, _]| from),
            Verdict::Free => 1.0,
            Verdict::Unknown => f64::NAN,
        };
    }
    match (answer.verdict, query.want, query.gap) {
        (Verdict::Unknown, ..) => f64::NAN,
        (_, Want::Pairs | Want::Contacts, _) => answers.triangle_pairs(answer).len() as f64,
        (Verdict::Hit(_), Want::Touching, Gap::Ignore) => 1.0,
        (Verdict::Free, _, Gap::Measure) => answer.clearance.map_or(f64::NAN, |gap| gap.at_most),
        _ => 0.0,
    }
}

/// What all answers come to.
pub fn tally(answers: &Answers, query: &Query) -> Tally {
    let listed = query.want != Want::Touching;
    answers.all().iter().fold(Tally::default(), |sum, answer| Tally {
        hits: sum.hits + u64::from(matches!(answer.verdict, Verdict::Hit(_))),
        unknown: sum.unknown + u64::from(answer.verdict == Verdict::Unknown),
        pairs: sum.pairs + if listed { answers.triangle_pairs(answer).len() as u64 } else { 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::prelude::{Motion, Pose};
    use impinge_samples::build_mesh;

    fn bench(poses: usize) -> Bench {
        let mesh = || Arc::new(build_mesh("box").unwrap());
        let pose = |k: usize| Pose::shift([0.5 * k as f64, 0.0, 0.0]).unwrap();
        let poses: Vec<Pose> = (0..poses).map(pose).collect();
        Bench::new("brute", [mesh(), mesh()], &poses, Clock::Cpu).unwrap()
    }

    #[test]
    fn numbers_are_those_that_other_programs_give() {
        let mut bench = bench(4);
        // In the same place, overlapping, sharing a face, and half a unit apart.
        let mut numbers = |query: Query| -> Vec<f64> {
            bench.ask(query);
            let answers = bench.answers();
            answers.all().iter().map(|answer| number(answers, answer, &query)).collect()
        };
        assert_eq!(numbers(Query::TOUCHING), [1.0, 1.0, 1.0, 0.0]);
        let pairs = numbers(Query::PAIRS);
        assert!(pairs[0] > pairs[1] && pairs[1] > 0.0 && pairs[2] > 0.0 && pairs[3] == 0.0);
        assert_eq!(numbers(Query::CONTACTS), pairs);
        let gaps = numbers(Query::CLEARANCE);
        assert!(gaps[..3] == [0.0; 3] && (gaps[3] - 0.5).abs() < 1e-12, "{gaps:?}");
        let tally = tally(bench.answers(), &Query::PAIRS);
        assert_eq!((tally.hits, tally.unknown), (3, 0));
    }

    #[test]
    fn of_a_motion_the_first_contact_counts() {
        let mesh = || Arc::new(build_mesh("box").unwrap());
        let at = |x: f64| Pose::shift([x, 0.0, 0.0]).unwrap();
        // From three away to the middle, from there away, and past it at two away.
        let motions = [[3.0, 0.0], [0.0, 3.0], [3.0, 2.0]];
        let motions = motions.map(|[from, to]| Motion::lerp_slerp(at(from), at(to)));
        let mut bench = Bench::new("brute", [mesh(), mesh()], &motions, Clock::Cpu).unwrap();
        let query = Query { mode: Mode::PseudoDynamic(3), ..Query::TOUCHING };
        bench.ask(query);
        let answers = bench.answers();
        let numbers: Vec<f64> =
            answers.all().iter().map(|answer| number(answers, answer, &query)).collect();
        assert_eq!(numbers, [1.0 / 3.0, 0.0, 1.0]);
    }

    #[test]
    fn passes_are_as_many_as_the_plan_says() {
        let mut bench = bench(5);
        for cold in [None, Some(Cold::Pass), Some(Cold::Query)] {
            let plan = Plan { clock: Clock::Cpu, passes: Passes::Exactly(2), cold };
            let timing = bench.time(&plan);
            assert_eq!((timing.queries, timing.passes), (5, 2));
            assert!(timing.min_us > 0.0 && timing.min_us <= timing.median_us);
            assert!(timing.worst_query_us > 0.0);
        }
        let [least, most] = PASSES;
        let long = Duration::from_secs(60);
        let done = |count: usize| vec![Duration::from_millis(1); count];
        assert!(go_on(&Passes::Within(Duration::ZERO), &[], || long));
        assert!(!go_on(&Passes::Within(long), &done(most), || Duration::ZERO));
        assert!(go_on(&Passes::Within(long), &done(most - 1), || Duration::ZERO));
        assert!(go_on(&Passes::Within(long), &done(least - 1), || 2 * long));
        assert!(!go_on(&Passes::Within(long), &done(least), || 2 * long));
        assert!(!go_on(&Passes::Within(long), &[4 * long], || 4 * long));
    }
}
