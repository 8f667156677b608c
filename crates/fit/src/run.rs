//! The fitting check: look at instants, prove what is between them, tell what was found.

use crate::answer::{
    Answer, Clearance, Contact, Interval, Kind, Near, PairAnswer, Sample, TooClose, Verdict,
};
use crate::limit::Limit;
use crate::look::{Look, Seen, corners, looks};
use crate::model::{CutShort, Desk};
use crate::moment::{Moment, closely, spread};
use crate::prepared::Prepared;
use crate::prove::{Item, Proof, Prover, SLACK, items};
use crate::question::{Question, Watch};
use crate::walk::Walker;
use impinge_geom::contact::{escape, touch};
use impinge_geom::first_contact::FirstContact;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The narrowest interval of a first contact that is searched for, as a part of the path.
const TOLERANCE_MIN: f64 = 1e-12;
/// The most instants that are looked at.
const SAMPLES_MAX: usize = 1_000_000;
/// What is wanted counts as reached up to this part of it.
const REACHED: f64 = 1e-9;

/// Whether what moves gets along its path, and how near it comes to what is at rest.
///
/// The answer is the same whatever the number of threads, unless the budget is a time. Tolerances out
/// of range count as the nearest one within; a wanted clearance that is no positive number as none.
pub fn fit(prepared: &Prepared, question: &Question, watch: &dyn Watch) -> Answer {
    let start = Instant::now();
    let pieces = prepared.path.motions().len();
    let searches = prepared.pairs.len() * pieces;
    let limit = Limit::new(watch, question.budget, searches);
    let moments = spread(&prepared.path, question.samples.min(SAMPLES_MAX));
    let (done, total) = (AtomicU64::new(0), (moments.len() + searches) as u64);
    let done = |count: u64| {
        let before = done.fetch_add(count, Ordering::Relaxed);
        watch.progress((before + count).min(total), total);
    };
    let looks = looks(prepared, &moments, &limit, &done);
    let run = Run {
        prepared,
        limit: &limit,
        clearance_from: clearance_from(prepared, &limit),
        looks,
        // Not a number is no tolerance; the comparison is false for it.
        tolerance: if question.tolerance > TOLERANCE_MIN {
            question.tolerance.min(1.0)
        } else {
            TOLERANCE_MIN
        },
        wanted: question.clearance.filter(|wanted| wanted.is_finite() && *wanted > 0.0),
        done: &done,
    };
    let mut answer = run.answer();
    answer.counters = limit.counters();
    answer.seconds = start.elapsed().as_secs_f64();
    answer
}

/// From when on the clearance of each pair counts. Of bodies that leave a seat it only grows at first:
/// there it says nothing. That it does is seen at instants close to each other.
fn clearance_from(prepared: &Prepared, limit: &Limit<'_>) -> Vec<Option<Moment>> {
    let of_pair = |desk: &mut Desk, pair: usize| {
        let duties = &prepared.pairs[pair].duties;
        let first = duties.first()?;
        let Some(parting) = duties.iter().find(|duty| duty.parts) else {
            return Some(first.from);
        };
        let couple = prepared.couple(pair, parting);
        let mut last = f64::NEG_INFINITY;
        let mut at = parting.from;
        for next in closely(&prepared.path).filter(|next| *next >= parting.from) {
            let gap =
                prepared.still((&couple, next), (desk, limit), |still| match still.meeting()? {
                    Some(_) => Ok(None),
                    None => still.gap(f64::INFINITY, None),
                });
            let Ok::<_, CutShort>(Some(gap)) = gap else { break };
            if gap.closest.hi < last {
                break;
            }
            (last, at) = (gap.closest.hi, next);
        }
        Some(at)
    };
    let pairs = 0..prepared.pairs.len();
    pairs.into_par_iter().map_init(Desk::default, of_pair).collect()
}

struct Run<'a> {
    prepared: &'a Prepared,
    limit: &'a Limit<'a>,
    looks: Vec<Look>,
    clearance_from: Vec<Option<Moment>>,
    tolerance: f64,
    wanted: Option<f64>,
    done: &'a (dyn Fn(u64) + Sync),
}

/// A contact that was found, before it is told.
struct Hit {
    pair: usize,
    duty: usize,
    kind: Kind,
    at: [Moment; 2],
    first: Option<FirstContact>,
}

impl Run<'_> {
    fn answer(&self) -> Answer {
        let items = items(self.prepared, &self.clearance_from);
        let (starts, starts_cut) = self.at_starts();
        let seen_touching = self.looks.iter().find(|look| look.touching().is_some());
        let until = seen_touching.map(|look| look.at);
        let until = starts.iter().map(|hit| hit.at[1]).chain(until).reduce(earlier);
        let nearest = self.nearest_seen();
        let distance = if until.is_some() { 0.0 } else { self.first_distance(nearest) };
        let proofs = self.prover(distance, true).all(&items, until);
        let hits = self.hits(&items, &proofs, starts);
        let open: Vec<[Moment; 2]> = proofs.iter().filter_map(|proof| proof.open).collect();
        let mut answer = self.blank();
        answer.partial = starts_cut || proofs.iter().any(|proof| proof.cut_short);
        answer.partial |= self.looks.iter().any(|look| look.seen.contains(&Seen::Unknown));
        if let Some(contact) = self.first_contact(&hits, &open) {
            answer.verdict = Verdict::Contact;
            let (intervals, cut_short) = self.intervals(contact.at[0]);
            answer.partial |= cut_short;
            answer.intervals = intervals;
            answer.contact = Some(contact);
        } else if open.is_empty() && !starts_cut {
            answer.verdict = Verdict::Free;
            self.add_clearance(&mut answer, (&items, proofs), nearest);
        } else {
            let from = open.iter().map(|open| open[0]).reduce(earlier);
            let to = open.iter().map(|open| open[1]).reduce(|a, b| if a < b { b } else { a });
            let path = &self.prepared.path;
            let [start, end] = path.span();
            let time = |at: Option<Moment>, or: f64| at.map_or(or, |at| at.time(path));
            answer.undecided = Some([time(from, start), time(to, end)]);
        }
        for interval in &answer.intervals {
            answer.pairs[interval.pair].intervals += 1;
        }
        answer
    }

    fn prover(&self, distance: f64, narrows: bool) -> Prover<'_> {
        let Self { prepared, limit, tolerance, done, .. } = *self;
        Prover { prepared, limit, tolerance, distance, narrows, done }
    }

    /// An answer without a finding.
    fn blank(&self) -> Answer {
        let path = &self.prepared.path;
        let sample =
            |look: &Look| Sample { at: look.at, time: look.at.time(path), state: look.state() };
        let at_start = self.touching_at_start();
        let pair = |pair: usize| PairAnswer {
            nearest: self.nearest_of(pair),
            clearance_from: self.clearance_from[pair],
            intervals: 0,
            at_start: at_start[pair],
        };
        Answer {
            verdict: Verdict::Unknown,
            clearance: None,
            too_close: None,
            contact: None,
            intervals: Vec::new(),
            undecided: None,
            pairs: (0..self.prepared.pairs.len()).map(pair).collect(),
            curve: self.looks.iter().map(sample).collect(),
            partial: false,
            counters: crate::answer::Counters::default(),
            seconds: 0.0,
        }
    }

    /// Which pairs touch at the start of the path, allowed or not.
    fn touching_at_start(&self) -> Vec<bool> {
        let touches = |desk: &mut Desk, pair: usize| {
            let whole = self.prepared.whole(pair);
            let desk = (desk, self.limit);
            let met = self.prepared.still((&whole, Moment::START), desk, |still| {
                Ok::<_, CutShort>(still.meeting()?.is_some() || still.inner().is_some())
            });
            met.unwrap_or(false)
        };
        let pairs = 0..self.prepared.pairs.len();
        pairs.into_par_iter().map_init(Desk::default, touches).collect()
    }

    /// What touches, or is inside something, when it begins to count; and whether some could not be
    /// looked at.
    fn at_starts(&self) -> (Vec<Hit>, bool) {
        let duties = |(pair, of_pair): (usize, &crate::prepared::Pair)| {
            (0..of_pair.duties.len()).map(move |duty| (pair, duty)).collect::<Vec<_>>()
        };
        let all: Vec<(usize, usize)> =
            self.prepared.pairs.iter().enumerate().flat_map(duties).collect();
        let look = |desk: &mut Desk, (pair, duty): (usize, usize)| {
            let at = self.prepared.pairs[pair].duties[duty].from;
            let couple = self.prepared.couple(pair, &self.prepared.pairs[pair].duties[duty]);
            let met =
                self.prepared.still((&couple, at), (desk, self.limit), |still| still.meeting());
            let kind = match met? {
                Some(_) => Some(Kind::Surface),
                // What may pass through some faces may be within what they belong to.
                None if !self.prepared.pairs[pair].duties[duty].exempt.is_empty() => None,
                None => self.prepared.inner(pair, at, (desk, self.limit))?.map(Kind::Inside),
            };
            Ok(kind.map(|kind| Hit { pair, duty, kind, at: [at; 2], first: None }))
        };
        let found: Vec<Result<Option<Hit>, CutShort>> =
            all.into_par_iter().map_init(Desk::default, look).collect();
        let cut_short = found.iter().any(Result::is_err);
        (found.into_iter().flatten().flatten().collect(), cut_short)
    }

    /// Everything that is known to touch at an instant.
    fn hits(&self, items: &[Item], proofs: &[Proof], starts: Vec<Hit>) -> Vec<Hit> {
        let mut hits = starts;
        for (item, proof) in items.iter().zip(proofs) {
            if let Some((at, first)) = proof.contact {
                let pair = item.couple.pair;
                let duty = self.duty_at(pair, at[1]);
                hits.push(Hit { pair, duty, kind: Kind::Surface, at, first: Some(first) });
            }
        }
        // A contact that begins with the very instant, as at the end of the path.
        for look in &self.looks {
            if let Some((pair, kind)) = look.touching() {
                let duty = self.duty_at(pair, look.at);
                hits.push(Hit { pair, duty, kind, at: [look.at; 2], first: None });
                break;
            }
        }
        hits
    }

    fn duty_at(&self, pair: usize, at: Moment) -> usize {
        let duties = &self.prepared.pairs[pair].duties;
        duties.iter().rposition(|duty| duty.from <= at).unwrap_or(0)
    }

    /// The first of all contacts.
    fn first_contact(&self, hits: &[Hit], open: &[[Moment; 2]]) -> Option<Contact> {
        let first = hits.iter().reduce(|a, b| {
            let key = |hit: &Hit| (hit.at[1], hit.first.is_none(), hit.pair);
            if key(b) < key(a) { b } else { a }
        })?;
        let begins = hits.iter().filter(|hit| hit.first.is_some()).map(|hit| hit.at[0]);
        let open = open.iter().map(|open| open[0]);
        let from = begins.chain(open).chain([first.at[0]]).reduce(earlier)?;
        Some(self.tell(first, from))
    }

    fn tell(&self, hit: &Hit, from: Moment) -> Contact {
        let Self { prepared, .. } = *self;
        let at = [from, hit.at[1]];
        let duty = &prepared.pairs[hit.pair].duties[hit.duty];
        let couple = prepared.couple(hit.pair, duty);
        let (mut desk, unlimited) =
            (Desk::default(), Limit::new(&(), crate::question::Budget::Unlimited, 1));
        let met = match hit.kind {
            Kind::Inside(_) => Vec::new(),
            Kind::Surface => prepared
                .still((&couple, at[1]), (&mut desk, &unlimited), |still| still.all_meeting())
                .unwrap_or_default(),
        };
        let (mut point, mut normal) = (None, None);
        if let Some(first) = &hit.first {
            let [a, b] = first.points;
            point = Some(std::array::from_fn(|k| 0.5 * a[k] + 0.5 * b[k]));
            normal = Some(first.normal);
        } else if let Some(&triangles) = met.first() {
            let [a, b] = corners(prepared, &couple, at[1], triangles);
            point = touch(&a, &b).map(|touch| touch.center);
            normal = Some(escape(&a, &b).normal);
        }
        let [mover, rest] = couple.models.map(|model| &*prepared.models[model]);
        let original = |[a, b]: [u32; 2]| [mover.original(a), rest.original(b)];
        Contact {
            pair: hit.pair,
            kind: hit.kind,
            time: at.map(|at| at.time(&prepared.path)),
            at,
            at_start: hit.at[1] == duty.from,
            features: hit.first.map(|first| first.features),
            point,
            normal,
            triangles: met.into_iter().map(original).collect(),
        }
    }

    /// All intervals of contact from an instant on, and whether some were not found.
    fn intervals(&self, from: Moment) -> (Vec<Interval>, bool) {
        let Self { prepared, limit, ref looks, tolerance, .. } = *self;
        let walker = Walker { prepared, looks, limit, tolerance, from };
        let walk = |desk: &mut Desk, pair: usize| walker.walk(pair, desk);
        let pairs = 0..prepared.pairs.len();
        let walked: Vec<_> = pairs.into_par_iter().map_init(Desk::default, walk).collect();
        let cut_short = walked.iter().any(|walked| walked.cut_short);
        (walked.into_iter().flat_map(|walked| walked.intervals).collect(), cut_short)
    }

    fn counts(&self, near: &Near, at: Moment) -> bool {
        self.clearance_from[near.pair].is_some_and(|from| from <= at)
    }

    /// The nearest of all that was looked at, where it counts.
    fn nearest_seen(&self) -> Option<(Moment, Near)> {
        let seen = self.looks.iter().filter_map(|look| Some((look.at, look.nearest?)));
        nearest(seen.filter(|(at, near)| self.counts(near, *at)))
    }

    fn nearest_of(&self, pair: usize) -> Option<(f64, Near)> {
        let seen = self.looks.iter().filter_map(|look| Some((look.at, look.nearest?)));
        let own = seen.filter(|(at, near)| near.pair == pair && self.counts(near, *at));
        nearest(own).map(|(at, near)| (at.time(&self.prepared.path), near))
    }

    /// How far apart everything is tried to be proven to be, at first.
    fn first_distance(&self, nearest: Option<(Moment, Near)>) -> f64 {
        let Some((_, near)) = nearest else { return 0.0 };
        let wanted = self.wanted.filter(|&wanted| wanted < near.at_most).unwrap_or(0.0);
        (near.at_most * (1.0 - SLACK)).max(wanted)
    }

    /// How near a free path comes, and whether that is too near.
    fn add_clearance(
        &self,
        answer: &mut Answer,
        (items, mut proofs): (&[Item], Vec<Proof>),
        seen: Option<(Moment, Near)>,
    ) {
        let seen = seen.into_iter().chain(proofs.iter().filter_map(|proof| proof.nearest));
        let Some((at, near)) = nearest(seen) else { return };
        if let Some(wanted) = self.wanted {
            self.reach(wanted, near.at_most, (items, &mut proofs));
        }
        let counted = items.iter().zip(&proofs).filter(|(item, _)| item.counted);
        let proven = counted.map(|(_, proof)| proof.apart).fold(f64::INFINITY, f64::min);
        let time = at.time(&self.prepared.path);
        for (item, proof) in items.iter().zip(&proofs) {
            let own = &mut answer.pairs[item.couple.pair].nearest;
            if let Some((at, near)) = proof.nearest
                && own.is_none_or(|(_, own)| near.at_most < own.at_most)
            {
                *own = Some((at.time(&self.prepared.path), near));
            }
        }
        let at_least = proven.min(near.at_most);
        answer.clearance = Some(Clearance { at_least, nearest: near, at, time });
        if self.wanted.is_some_and(|wanted| near.at_most < wanted) {
            answer.too_close = self.too_close(items, near);
        }
    }

    /// Tries to prove what is wanted where less was proven, though nothing nearer was seen.
    fn reach(&self, wanted: f64, seen: f64, (items, proofs): (&[Item], &mut [Proof])) {
        let target = wanted * (1.0 - REACHED);
        if seen < wanted {
            return;
        }
        for (item, proof) in items.iter().zip(proofs).filter(|(item, _)| item.counted) {
            if proof.apart < target {
                let again = self.prover(target, false).all(std::slice::from_ref(item), None);
                if again.iter().all(|again| again.contact.is_none() && again.open.is_none()) {
                    proof.apart = target;
                }
            }
        }
    }

    /// When it first comes nearer than wanted.
    fn too_close(&self, items: &[Item], near: Near) -> Option<TooClose> {
        let counted: Vec<Item> = items.iter().filter(|item| item.counted).copied().collect();
        let proofs = self.prover(self.wanted?, false).all(&counted, None);
        let contacts = proofs.iter().filter_map(|proof| proof.contact.map(|(at, _)| at));
        let first = contacts.reduce(|a, b| [earlier(a[0], b[0]), earlier(a[1], b[1])])?;
        Some(TooClose { time: first.map(|at| at.time(&self.prepared.path)), nearest: near })
    }
}

fn earlier(a: Moment, b: Moment) -> Moment {
    if b < a { b } else { a }
}

/// The first of the nearest.
fn nearest(all: impl Iterator<Item = (Moment, Near)>) -> Option<(Moment, Near)> {
    all.reduce(|a, b| if b.1.at_most < a.1.at_most { b } else { a })
}
