//! The certificate of an answer: proofs that `verify` accepts, and the witness of a contact.
//!
//! What the answer says is proven anew, in another form: for every pair of bodies a recursion over
//! faces and time that ends in directions (docs/notes/fitting.md). Cost: some ten microseconds for
//! each direction; the narrower the gap compared with what is claimed of it, the more of them. Spans of
//! a few pieces of the path are proven side by side.

mod apart;
mod order;
mod prove;

use crate::answer::{Answer, Contact, Kind, Verdict};
use crate::moment::Moment;
use crate::prepared::{Duty, Prepared};
use crate::question::Watch;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_verify::body::Body;
use impinge_verify::format::{ApartEntry, BodyEntry, Certificate, Claim, Outcome, PairEntry};
use impinge_verify::format::{KIND, VERSION, encode, encode_numbers, mesh_hash, pose_numbers};
use impinge_verify::format::{PathEntry, PhaseEntry, SourceEntry, SpanEntry, Witness};
use impinge_verify::gap::Pair as Geometry;
use impinge_verify::route::{Place, Span};
use impinge_verify::steps::Writer as Steps;
use prove::{Search, Unproven, turn};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Spans of so many pieces are proven by themselves.
const PIECES: usize = 16;
/// Spans turn by no more than this angle, unless there would be too many of them.
const TURN_MAX: f64 = 1.0;
const TURNS_MAX: f64 = 4096.0;
/// How much earlier a claim ends, as a part of a piece, each time that what comes before a contact
/// cannot be proven: bodies that graze each other are nearer than rounding allows to tell, for a while.
const RETREATS: [f64; 7] = [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// How much of a clearance is claimed, where more cannot be proven: rounding is granted generously, and
/// may be a noticeable part of a tiny clearance far from the origin.
const SHARES: [f64; 4] = [1.0, 0.9, 0.5, 0.0];

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CertifyError {
    /// Two bodies are nearer than a proof allows.
    #[error(
        "no proof was found for `{mover}` and `{rest}` at t = {time}: they are as near as rounding \
         allows to tell"
    )]
    TooNear {
        /// The moving body.
        mover: String,
        /// The resting one.
        rest: String,
        /// When.
        time: f64,
    },
    /// It was called off.
    #[error("the certificate was called off")]
    Cancelled,
    /// All contacts are allowed.
    #[error("there is nothing to certify: all contacts are allowed")]
    Nothing,
}

/// What is to be written down of an answer.
#[derive(Clone, Copy, Debug)]
struct Goal<'a> {
    outcome: Outcome,
    clearance: f64,
    until: Place,
    contact: Option<&'a Contact>,
}

/// The certificate of an answer. `sources` says where the mesh of each body comes from, `unit` is
/// that of the scene.
pub fn certify(
    (prepared, answer): (&Prepared, &Answer),
    sources: &[SourceEntry],
    unit: &str,
    watch: &dyn Watch,
) -> Result<Certificate, CertifyError> {
    let writer = Writer::new(prepared, answer, watch);
    let (goal, pairs) = writer.proofs(goal(prepared, answer))?;
    let is_claimed = |pair: &PairEntry| pair.phases.iter().any(|phase| phase.apart.is_some());
    if goal.outcome == Outcome::Free && !pairs.iter().any(is_claimed) {
        return Err(CertifyError::Nothing);
    }
    let claim = Claim { outcome: goal.outcome, clearance: goal.clearance, until: goal.until };
    Ok(Certificate {
        kind: KIND.to_owned(),
        version: VERSION,
        claim,
        unit: unit.to_owned(),
        bodies: writer.body_entries(sources),
        path: PathEntry::of(&prepared.path),
        contact: goal.contact.map(|contact| writer.witness(contact, &pairs)),
        pairs,
        checksum: String::new(),
    })
}

/// The parts of a span in which nothing turns much: no direction lasts longer.
fn small_turns(path: &Path, span: Span) -> Vec<Span> {
    let most = TURN_MAX.max(turn(path, &span) / TURNS_MAX);
    let (mut open, mut parts) = (vec![span], Vec::new());
    while let Some(next) = open.pop() {
        match next.split().filter(|_| turn(path, &next) > most) {
            Some([first, second]) => open.extend([second, first]),
            None => parts.push(next),
        }
    }
    parts
}

fn place(moment: Moment) -> Place {
    Place(moment.piece, moment.part)
}

/// What an answer claims.
fn goal<'a>(prepared: &Prepared, answer: &'a Answer) -> Goal<'a> {
    let end = Place::end(&prepared.path);
    match (&answer.verdict, &answer.contact) {
        (Verdict::Free, _) => Goal {
            outcome: Outcome::Free,
            clearance: answer.clearance.as_ref().map_or(0.0, |clearance| clearance.at_least),
            until: end,
            contact: None,
        },
        (Verdict::Contact, Some(contact)) => Goal {
            outcome: Outcome::Contact,
            clearance: 0.0,
            until: place(contact.at[0]),
            contact: Some(contact),
        },
        _ => {
            let since = answer.undecided.map_or(prepared.path.span()[0], |[since, _]| since);
            let until = place(Moment::at(&prepared.path, since));
            Goal { outcome: Outcome::Open, clearance: 0.0, until, contact: None }
        }
    }
}

/// A body's faces in their order, where the check wants them.
struct Ordered {
    order: Vec<u32>,
    body: Option<Body>,
}

/// A part of a proof that is to be made.
struct Task<'a> {
    /// Where it goes: the pair and its phase.
    entry: [usize; 2],
    geometry: Geometry<'a>,
    span: Span,
    distance: f64,
}

/// What is claimed of a pair for a while: all but those faces that its duty leaves out, if it has one.
struct Phase {
    duty: Option<usize>,
    until: Place,
    /// The distance is held against the pair.
    counts: bool,
}

struct Writer<'a> {
    prepared: &'a Prepared,
    answer: &'a Answer,
    watch: &'a dyn Watch,
    movers: Vec<Ordered>,
    rests: Vec<Ordered>,
    /// For each pair its duties' bodies at rest, where faces are left out.
    cut: Vec<Vec<Option<Body>>>,
}

fn ordered(mesh: &Mesh, pose: Option<&Pose>) -> Ordered {
    let order = order::order(mesh);
    let body = Body::new(&faces(mesh, pose, &order));
    Ordered { order, body }
}

fn faces(mesh: &Mesh, pose: Option<&Pose>, order: &[u32]) -> Vec<[impinge_geom::Point; 3]> {
    let place = |p: &impinge_geom::Point| pose.map_or(*p, |pose| pose.apply(p));
    order.iter().map(|&i| mesh.triangle(i).map(|p| place(&p))).collect()
}

/// None if points keep their bits.
fn moving(pose: &Pose) -> Option<&Pose> {
    (*pose != Pose::IDENTITY).then_some(pose)
}

impl<'a> Writer<'a> {
    fn new(prepared: &'a Prepared, answer: &'a Answer, watch: &'a dyn Watch) -> Self {
        let movers = prepared.movers.par_iter().map(|mover| ordered(&mover.mesh, None)).collect();
        let rests: Vec<Ordered> =
            prepared.rests.par_iter().map(|rest| ordered(&rest.mesh, moving(&rest.pose))).collect();
        let cut_of = |pair: &crate::prepared::Pair| {
            let (rest, of_rest) = (&prepared.rests[pair.rest], &rests[pair.rest]);
            let body = |duty: &Duty| {
                let kept = |i: &&u32| duty.exempt.binary_search(i).is_err();
                let order: Vec<u32> = of_rest.order.iter().filter(kept).copied().collect();
                let faces = || faces(&rest.mesh, moving(&rest.pose), &order);
                if duty.exempt.is_empty() { None } else { Body::new(&faces()) }
            };
            pair.duties.iter().map(body).collect()
        };
        let cut = prepared.pairs.iter().map(cut_of).collect();
        Self { prepared, answer, watch, movers, rests, cut }
    }

    fn body_entries(&self, sources: &[SourceEntry]) -> Vec<BodyEntry> {
        let prepared = self.prepared;
        let entry = |body: usize| {
            let carried = prepared.movers.iter().position(|mover| mover.body == body);
            let (pose, order) = match carried {
                Some(mover) => (&prepared.movers[mover].offset, &self.movers[mover].order),
                None => {
                    let at_rest = prepared.rests.iter().position(|rest| rest.body == body);
                    let rest = at_rest.expect("what does not move is at rest");
                    (&prepared.rests[rest].pose, &self.rests[rest].order)
                }
            };
            BodyEntry {
                name: prepared.bodies[body].name.clone(),
                source: sources[body].clone(),
                sha256: mesh_hash(&prepared.bodies[body].mesh),
                moves: carried.is_some(),
                pose: pose_numbers(pose),
                order: encode_numbers(order),
            }
        };
        (0..prepared.bodies.len()).into_par_iter().map(entry).collect()
    }

    /// Proofs for all pairs. What comes right before a contact, or before what could not be decided, may
    /// be beyond proof; then less is claimed.
    fn proofs(&self, goal: Goal<'a>) -> Result<(Goal<'a>, Vec<PairEntry>), CertifyError> {
        let earlier = |back: &f64| Place(goal.until.0, (goal.until.1 - back).max(0.0));
        let tries: Vec<Goal<'_>> = match goal.outcome {
            Outcome::Free => {
                SHARES.map(|share| Goal { clearance: share * goal.clearance, ..goal }).to_vec()
            }
            _ => RETREATS.iter().map(|back| Goal { until: earlier(back), ..goal }).collect(),
        };
        let mut failed = CertifyError::Cancelled;
        for goal in tries {
            match self.attempt(&goal) {
                Err(error @ CertifyError::TooNear { .. }) => failed = error,
                other => return other.map(|pairs| (goal, pairs)),
            }
        }
        Err(failed)
    }

    fn attempt(&self, goal: &Goal<'_>) -> Result<Vec<PairEntry>, CertifyError> {
        let mut pairs = Vec::new();
        let mut tasks = Vec::new();
        let prepared = self.prepared;
        let movers = (0..prepared.bodies.len()).filter_map(|body| self.mover(body));
        for mover in movers {
            for rest in 0..prepared.rests.len() {
                let same = |pair: &crate::prepared::Pair| (pair.mover, pair.rest) == (mover, rest);
                let pair = prepared.pairs.iter().position(same);
                let bodies = [prepared.movers[mover].body, prepared.rests[rest].body];
                let mut entry = PairEntry { mover: bodies[0], rest: bodies[1], phases: Vec::new() };
                let mut from = Place::START;
                for phase in self.phases(pair, goal) {
                    let at = [pairs.len(), entry.phases.len()];
                    tasks.extend(self.tasks((pair, at), (from, &phase), goal));
                    entry.phases.push(self.phase_entry(pair, &phase, goal));
                    from = phase.until.forward(&prepared.path);
                }
                pairs.push(entry);
            }
        }
        let proven = self.prove(&tasks)?;
        for (task, steps) in tasks.iter().zip(proven) {
            let [pair, phase] = task.entry;
            if let Some(apart) = &mut pairs[pair].phases[phase].apart {
                apart.spans.push(SpanEntry { until: task.span.to, steps: encode(&steps) });
            }
        }
        Ok(pairs)
    }

    /// The place of a body in the list of movers.
    fn mover(&self, body: usize) -> Option<usize> {
        self.prepared.movers.iter().position(|mover| mover.body == body)
    }

    /// The phases of a pair, up to the end of what is claimed.
    fn phases(&self, pair: Option<usize>, goal: &Goal<'_>) -> Vec<Phase> {
        let path = &self.prepared.path;
        let end = Place::end(path);
        let mut phases = Vec::new();
        match pair {
            None => phases.push(Phase { duty: None, until: end, counts: true }),
            Some(pair) => {
                let duties = &self.prepared.pairs[pair].duties;
                let first = duties.first().map_or(end, |duty| place(duty.from));
                phases.push(Phase { duty: None, until: first, counts: true });
                let counts_from = self.answer.pairs[pair].clearance_from.map_or(end, place);
                for k in 0..duties.len() {
                    let until = place(self.prepared.pairs[pair].duty_end(k, path));
                    let nearer = if counts_from < until { counts_from } else { until };
                    phases.push(Phase { duty: Some(k), until: nearer, counts: false });
                    phases.push(Phase { duty: Some(k), until, counts: true });
                }
            }
        }
        // Cut off at the end of the claim; what is left without any time is dropped.
        let mut at = Place::START;
        phases.retain_mut(|phase| {
            let is_later = goal.until.forward(path) < phase.until.forward(path);
            phase.until = if is_later { goal.until } else { phase.until };
            let lasts = at < phase.until.forward(path) && at != phase.until;
            at = if lasts { phase.until.forward(path) } else { at };
            lasts
        });
        phases
    }

    /// What is said of a phase, its proof still to come.
    fn phase_entry(&self, pair: Option<usize>, phase: &Phase, goal: &Goal<'_>) -> PhaseEntry {
        let of_pair = pair.map(|pair| &self.prepared.pairs[pair]);
        let duty = phase.duty.and_then(|k| of_pair.map(|pair| &pair.duties[k]));
        let reason = match (of_pair, duty) {
            (None, _) => "the scene leaves it out".to_owned(),
            (Some(pair), Some(duty)) if !duty.exempt.is_empty() => self.reason(pair),
            (Some(pair), None) => self.reason(pair),
            _ if !phase.counts && goal.clearance > 0.0 => "it leaves its seat".to_owned(),
            _ => String::new(),
        };
        let apart = duty.map(|duty| ApartEntry {
            distance: (!phase.counts && goal.clearance > 0.0).then_some(0.0),
            exempt: encode_numbers(&duty.exempt),
            spans: Vec::new(),
        });
        PhaseEntry { until: phase.until, reason, apart }
    }

    /// Why contacts of a pair are allowed.
    fn reason(&self, pair: &crate::prepared::Pair) -> String {
        let given = |rule: usize| self.prepared.allowed[rule].reason.clone();
        let mut reasons: Vec<String> =
            pair.excuses.iter().filter_map(|excuse| given(excuse.rule)).collect();
        reasons.dedup();
        if reasons.is_empty() { "the scene allows it".to_owned() } else { reasons.join(", ") }
    }

    /// The proofs that a phase needs.
    fn tasks(
        &self,
        (pair, entry): (Option<usize>, [usize; 2]),
        (from, phase): (Place, &Phase),
        goal: &Goal<'_>,
    ) -> Vec<Task<'_>> {
        let (Some(pair), Some(duty)) = (pair, phase.duty) else { return Vec::new() };
        let of_pair = &self.prepared.pairs[pair];
        let whole = self.prepared.pairs[pair].duties[duty].exempt.is_empty();
        let rest = if whole { &self.rests[of_pair.rest].body } else { &self.cut[pair][duty] };
        let (Some(rest), Some(mover)) = (rest, &self.movers[of_pair.mover].body) else {
            return Vec::new();
        };
        let distance = if phase.counts { goal.clearance } else { 0.0 };
        let last = phase.until.0;
        let cut = |start: usize| {
            let end = start + PIECES - 1;
            Span {
                from: if start > from.0 { Place(start, 0.0) } else { from },
                to: if end < last { Place(end, 1.0) } else { phase.until },
            }
        };
        let spans = (from.0..=last).step_by(PIECES).map(cut).filter(|span| span.from < span.to);
        let path = &self.prepared.path;
        let spans: Vec<Span> = spans.flat_map(|span| small_turns(path, span)).collect();
        spans
            .into_iter()
            .map(|span| Task { entry, geometry: Geometry { rest, mover, path }, span, distance })
            .collect()
    }

    /// The steps of all proofs.
    fn prove(&self, tasks: &[Task<'_>]) -> Result<Vec<Vec<u8>>, CertifyError> {
        let done = AtomicU64::new(0);
        let is_cancelled = || self.watch.is_cancelled();
        let prove = |task: &Task<'_>| {
            let Task { geometry, span, distance, .. } = task;
            let search =
                Search { pair: geometry, distance: *distance, is_cancelled: &is_cancelled };
            let steps = search.prove(*span);
            self.watch.progress(done.fetch_add(1, Relaxed) + 1, tasks.len() as u64);
            steps.map(Steps::finish)
        };
        // All of them before the first fault is told, so that it does not depend on the threads.
        let proven: Vec<Result<Vec<u8>, Unproven>> = tasks.par_iter().map(prove).collect();
        let told = |(task, proven): (&Task<'_>, Result<_, Unproven>)| {
            proven.map_err(|unproven| self.fault(task, unproven))
        };
        tasks.iter().zip(proven).map(told).collect()
    }

    fn fault(&self, task: &Task<'_>, unproven: Unproven) -> CertifyError {
        match unproven {
            Unproven::Cancelled => CertifyError::Cancelled,
            Unproven::TooNear(place) => {
                let prepared = self.prepared;
                let pairs = prepared.rests.len();
                let movers = (0..prepared.bodies.len()).filter_map(|body| self.mover(body));
                let mover = movers.into_iter().nth(task.entry[0] / pairs).unwrap_or(0);
                let rest = task.entry[0] % pairs;
                let name = |body: usize| prepared.bodies[body].name.clone();
                CertifyError::TooNear {
                    mover: name(prepared.movers[mover].body),
                    rest: name(prepared.rests[rest].body),
                    time: place.time(&prepared.path),
                }
            }
        }
    }

    fn witness(&self, contact: &Contact, pairs: &[PairEntry]) -> Witness {
        let [mover, rest] = self.prepared.bodies_of(contact.pair);
        let same = |entry: &PairEntry| (entry.mover, entry.rest) == (mover, rest);
        let triangles = match contact.kind {
            Kind::Surface => contact.triangles.first().copied(),
            Kind::Inside(_) => None,
        };
        Witness {
            pair: pairs.iter().position(same).expect("every pair is listed"),
            at: place(contact.at[1]),
            triangles,
            within: 0.0,
        }
    }
}
