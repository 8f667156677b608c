//! All pairs of a batch at one instant, a few steps at a time, until nothing is open or the budget is spent.
//!
//! The pair goes first whose interval is the widest part of what its distance may be, times its priority. Between
//! two looks at the clock there are [`STEPS_PER_LOOK`](super::job::STEPS_PER_LOOK) steps, each of which holds
//! eight coins against one or measures two triangles, or one look whether a point is inside. What follows the
//! last look, the answers, was measured in the batches before, and the looks end so much sooner.
//!
//! With a deadline a pair that was asked about in the batch before goes on from there
//! ([`Refinement::resume`]): what is known then depends on the batches before, which a deadline makes
//! it do anyway. With a budget of work it does not, so that it replays.

use super::job::{Course, ROOM, Task, nothing_known};
use super::{Batch, SphereTree};
use crate::contract::answer::{AnswerSink, Draft, Progress};
use crate::contract::job::Job;
use crate::contract::query::Budget;
use crate::narrow::budget::{Deadline, Limit};
use impinge_geom::coins::Couple;
use impinge_geom::coins::search::Refinement;
use impinge_geom::mesh::Mesh;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many steps a pair does before another may take its turn.
const TURN: u64 = 8;

/// About what passes between two looks at the clock.
const BETWEEN_LOOKS: Duration = Duration::from_nanos(500);

/// How much of what is known of the time that answers take the last batch is.
const FRESH: f64 = 0.125;

/// With a deadline farther than this it does not matter if a queue has to grow.
const LONG: Duration = Duration::from_millis(5);

fn is_short(budget: Budget) -> bool {
    matches!(budget, Budget::Time(time) if time < LONG)
}

/// What is kept from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By the keys of the pairs. Looked up, never iterated.
    by_pair: HashMap<u64, Search>,
    /// The keys of the batch before.
    keys: Vec<u64>,
    /// Searches that are of no pair.
    spare: Vec<Search>,
    /// How long it took to tell one answer, in seconds, smoothed.
    telling: f64,
}

/// The search of one pair.
#[derive(Debug, Default)]
struct Search {
    refinement: Refinement,
    /// The meshes it is about. They are held, so that no other can come to stand in their place.
    meshes: Option<[Arc<Mesh>; 2]>,
}

impl Kept {
    /// The search of the pair with this key, and how it begins.
    fn search(&mut self, key: Option<u64>, meshes: [&Arc<Mesh>; 2]) -> (Search, Course) {
        let old = key.and_then(|key| self.by_pair.remove(&key));
        let mut search = old.or_else(|| self.spare.pop()).unwrap_or_default();
        let same = |of: &[Arc<Mesh>; 2]| (0..2).all(|k| Arc::ptr_eq(&of[k], meshes[k]));
        let course = match key {
            None => Course::Single,
            Some(_) if search.meshes.as_ref().is_some_and(same) => Course::Next,
            Some(_) => Course::First,
        };
        if course != Course::Next {
            // Until it has begun it is about nothing.
            search.meshes = None;
        }
        (search, course)
    }

    /// Keeps the searches of these pairs, and of no others.
    fn keep(&mut self, jobs: &[Job], searches: Vec<Option<Search>>) {
        for key in self.keys.drain(..) {
            self.spare.extend(self.by_pair.remove(&key));
        }
        for (job, search) in jobs.iter().zip(searches) {
            match (job.memory, search) {
                (Some(key), Some(search)) => {
                    self.by_pair.insert(key, search);
                    self.keys.push(key);
                }
                (None, Some(search)) => self.spare.push(search),
                (_, None) => {}
            }
        }
        // What was of use once, for a large batch, is not held for ever.
        self.spare.truncate(jobs.len());
        for search in &mut self.spare {
            search.meshes = None;
        }
    }
}

/// A pair that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Those of priority zero come last.
    is_wanted: bool,
    /// What is to be gained.
    worth: f64,
    /// What was done for it in this batch.
    steps: u64,
    pair: usize,
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let wanted = self.is_wanted.cmp(&other.is_wanted);
        // Of equals that comes first for which least was done: else an undecided pair would keep all others waiting.
        let worth = wanted.then(self.worth.total_cmp(&other.worth));
        worth.then(other.steps.cmp(&self.steps)).then(other.pair.cmp(&self.pair))
    }
}

impl Turn {
    /// What it is worth to know a distance better: how wide its interval is, as a part of what it may be.
    fn of((pair, job): (usize, &Job), couple: &Couple<'_>, search: &Refinement) -> Self {
        let [low, high] = search.ends(couple);
        let width = match high {
            f64::INFINITY => 1.0,
            _ if high > 0.0 => (high - low) / high,
            _ => 0.0,
        };
        let priority = f64::from(job.priority);
        let is_wanted = priority > 0.0;
        let worth = width * if is_wanted { priority } else { 1.0 };
        Self { is_wanted, worth, steps: search.steps(), pair }
    }
}

/// The pairs of a batch.
struct Pairs<'a> {
    jobs: &'a [Job],
    tasks: &'a [Task<'a>],
    /// None of what was not begun.
    couples: Vec<Option<Couple<'a>>>,
    searches: Vec<Option<Search>>,
    /// Whether one is in the other, where that was looked at.
    insides: Vec<Option<Draft>>,
    turns: BinaryHeap<Turn>,
    /// After so many steps a search throws away what it finds.
    room: usize,
}

pub(super) fn answer(
    engine: &SphereTree,
    batch: &Batch<'_>,
    (kept, whole): (&mut Kept, &Limit<'_>),
    out: &mut AnswerSink<'_>,
) -> Progress {
    let Batch { jobs, query } = *batch;
    let telling = Duration::from_secs_f64(kept.telling * jobs.len() as f64);
    let deadline: Deadline = whole.deadline.sooner(telling + BETWEEN_LOOKS);
    let limit = Limit::new(&deadline, whole.left());
    let task = |job| Task::new((job, 1.0), query, engine.models(job));
    let tasks: Vec<Task<'_>> = jobs.iter().map(task).collect();
    let is_timed = deadline.is_set();
    let room = if is_timed && is_short(query.budget) {
        ROOM / tasks.len().max(1) + TURN as usize
    } else {
        usize::MAX
    };
    let mut pairs = Pairs {
        jobs,
        tasks: &tasks,
        couples: tasks.iter().map(|_| None).collect(),
        searches: tasks.iter().map(|_| None).collect(),
        insides: tasks.iter().map(|_| None).collect(),
        turns: BinaryHeap::with_capacity(tasks.len()),
        room,
    };
    for pair in by_priority(jobs) {
        if !pairs.begin(pair, (engine, kept), &limit) {
            break;
        }
    }
    pairs.refine(&limit);
    let end = Instant::now();
    // Lists of triangles and bodies against themselves go on as long as they may: that is no measure of the rest.
    let is_measured = limit.deadline.is_set() && limit.deadline.is_over();
    let progress = pairs.tell(&limit, out);
    kept.keep(jobs, pairs.searches);
    out.set_work_left(limit.left());
    if is_measured && !jobs.is_empty() {
        let took = end.elapsed().as_secs_f64() / jobs.len() as f64;
        // A stall of the machine is not what it takes.
        let took = if kept.telling > 0.0 { took.min(4.0 * kept.telling) } else { took };
        kept.telling += FRESH * (took - kept.telling);
    }
    progress
}

/// The numbers of the jobs, the most important first.
fn by_priority(jobs: &[Job]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    if jobs.iter().any(|job| job.priority != jobs[0].priority) {
        order.sort_by(|&i, &j| jobs[j].priority.total_cmp(&jobs[i].priority));
    }
    order
}

impl<'a> Pairs<'a> {
    /// Begins the search of a pair; false if there is nothing left for more.
    fn begin(
        &mut self,
        pair: usize,
        (engine, kept): (&SphereTree, &mut Kept),
        limit: &Limit<'_>,
    ) -> bool {
        let (task, job) = (&self.tasks[pair], &self.jobs[pair]);
        if !task.is_refined() {
            return true;
        }
        if limit.deadline.is_over() {
            return false;
        }
        let couple = task.couple();
        let is_timed = limit.deadline.is_set();
        let meshes = engine.models(job).map(|model| &model.mesh);
        let (mut search, course) = kept.search(job.memory.filter(|_| is_timed), meshes);
        let begun = task.begin(&couple, (&mut search.refinement, course), limit);
        if begun {
            search.meshes = (course != Course::Single).then(|| meshes.map(Arc::clone));
            if self.room < usize::MAX {
                search.refinement.reserve(self.room);
            }
            self.insides[pair] = inside(task, (&couple, &search.refinement), limit);
            if !search.refinement.is_done() {
                self.turns.push(Turn::of((pair, job), &couple, &search.refinement));
            }
            self.couples[pair] = Some(couple);
        }
        self.searches[pair] = Some(search);
        // What could not be afforded ends it, so that more always affords more.
        begun && self.insides[pair].as_ref().is_none_or(|inside| inside.complete)
    }

    /// Turn after turn.
    fn refine(&mut self, limit: &Limit<'_>) {
        while let Some(Turn { pair, .. }) = self.turns.pop() {
            let (Some(couple), Some(search)) = (&self.couples[pair], &mut self.searches[pair])
            else {
                continue;
            };
            let (task, search) = (&self.tasks[pair], &mut search.refinement);
            let goes_on = task.refine((couple, search), (TURN, self.room), limit);
            if self.insides[pair].is_none() {
                self.insides[pair] = inside(task, (couple, search), limit);
            }
            if !goes_on || self.insides[pair].as_ref().is_some_and(|inside| !inside.complete) {
                break;
            }
            if !search.is_done() {
                self.turns.push(Turn::of((pair, &self.jobs[pair]), couple, search));
            }
        }
    }

    /// What is known of all pairs.
    fn tell(&mut self, limit: &Limit<'_>, out: &mut AnswerSink<'_>) -> Progress {
        let mut progress = Progress::Complete;
        for (pair, task) in self.tasks.iter().enumerate() {
            let mut draft = match (&self.couples[pair], &self.searches[pair]) {
                _ if !task.is_refined() => task.of_itself(limit),
                (Some(couple), Some(search)) => {
                    let inside = self.insides[pair].take();
                    task.answer((couple, &search.refinement), inside, limit)
                }
                _ => nothing_known(),
            };
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
        }
        progress
    }
}

/// As soon as the surfaces are known to be apart.
fn inside(
    task: &Task<'_>,
    (couple, search): (&Couple<'_>, &Refinement),
    limit: &Limit<'_>,
) -> Option<Draft> {
    Task::is_apart(couple, search).then(|| task.look_inside(limit))
}
