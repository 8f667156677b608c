//! The proof that nothing comes nearer than something, pair by pair and piece by piece, or where it
//! fails.

use crate::answer::Near;
use crate::limit::Limit;
use crate::look::near;
use crate::merge::{Block, blocks};
use crate::model::Desk;
use crate::moment::Moment;
use crate::prepared::{Couple, Prepared};
use crate::search::{Follow, Next, Stretch, stretches};
use impinge_geom::first_contact::FirstContact;
use impinge_geom::motion::path::Path;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A pair during a part of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) couple: Couple,
    pub(crate) stretch: Stretch,
    /// Its clearance counts.
    pub(crate) counted: bool,
}

impl Item {
    fn start(&self) -> Moment {
        Moment { piece: self.stretch.piece, part: self.stretch.parts[0] }
    }
}

/// Everything that has to be proven, in the order of time. The clearance of a pair counts from an
/// instant on, or never.
pub(crate) fn items(prepared: &Prepared, clearance_from: &[Option<Moment>]) -> Vec<Item> {
    let end_of_path = Moment::end_of(&prepared.path);
    let mut items = Vec::new();
    for (pair, of_pair) in prepared.pairs.iter().enumerate() {
        for (number, duty) in of_pair.duties.iter().enumerate() {
            let couple = prepared.couple(pair, duty);
            let (from, end) = (duty.from, of_pair.duty_end(number, &prepared.path));
            let split = clearance_from[pair].unwrap_or(end_of_path);
            let split = if split < from {
                from
            } else if split > end {
                end
            } else {
                split
            };
            for (span, counted) in [([from, split], false), ([split, end], true)] {
                let item = |stretch| Item { couple, stretch, counted };
                let whole = stretches(span[0], span[1]);
                items.extend(whole.flat_map(|stretch| shares(stretch, &prepared.path)).map(item));
            }
        }
    }
    items.sort_by(|a, b| {
        let key = |item: &Item| (item.start(), item.couple.pair);
        key(a).partial_cmp(&key(b)).expect("parts are numbers")
    });
    items
}

/// Bodies turn by at most about this angle in an item.
const ITEM_ANGLE: f64 = 1.0;
/// A part of a piece is shared out among at most so many items.
const SHARES_MAX: f64 = 256.0;

/// A part of a piece that turns by much in several shares: they can be dealt with side by side, and
/// where one fails not all is to be done again.
fn shares(whole: Stretch, path: &Path) -> impl Iterator<Item = Stretch> + use<> {
    let Stretch { piece, parts: [start, end] } = whole;
    let angle = path.motions()[piece].turn().1.abs() * (end - start);
    let count = (angle / ITEM_ANGLE).ceil().clamp(1.0, SHARES_MAX) as usize;
    let at = move |k: usize| match k {
        0 => start,
        k if k == count => end,
        k => start + (end - start) * (k as f64 / count as f64),
    };
    (0..count).map(move |k| Stretch { piece, parts: [at(k), at(k + 1)] })
}

/// What became of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proof {
    /// The pair is nowhere nearer than this, which may be zero; meaningless if something is left open.
    pub(crate) apart: f64,
    /// The nearest that was seen on the way.
    pub(crate) nearest: Option<(Moment, Near)>,
    /// A contact: not before the first instant, unless where it is open, but at the second.
    pub(crate) contact: Option<([Moment; 2], FirstContact)>,
    /// Between these instants nothing is known.
    pub(crate) open: Option<[Moment; 2]>,
    /// The search was cut short.
    pub(crate) cut_short: bool,
}

/// What is to be proven, and for how long.
pub(crate) struct Prover<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) limit: &'a Limit<'a>,
    pub(crate) tolerance: f64,
    /// No item that counts comes nearer than this.
    pub(crate) distance: f64,
    /// Whether to look how near an item comes that fails, or only for its first approach.
    pub(crate) narrows: bool,
    /// Called with how many items were dealt with.
    pub(crate) done: &'a (dyn Fn(u64) + Sync),
}

/// So many items are dealt with before it is looked whether later ones still matter.
const BATCH: usize = 128;
/// So often rounding may leave doubts before the rest of an item is left open.
const DOUBTS_MAX: u32 = 8;

impl Prover<'_> {
    /// Deals with all items up to the first contact, or to an instant at which there is one. Items
    /// that were left out have no proof; they are at the end.
    pub(crate) fn all(&self, items: &[Item], mut until: Option<Moment>) -> Vec<Proof> {
        let mut proofs: Vec<Proof> = Vec::with_capacity(items.len());
        let known = if until.is_none() { self.merged(items) } else { vec![false; items.len()] };
        for (batch, known) in items.chunks(BATCH).zip(known.chunks(BATCH)) {
            let matters = |item: &&Item| until.is_none_or(|until| item.start() <= until);
            let batch: Vec<&Item> = batch.iter().take_while(matters).collect();
            if batch.is_empty() {
                break;
            }
            let prove = |desk: &mut Desk, (item, known): (&&Item, &bool)| {
                if *known {
                    return Proof { apart: self.distance, ..Proof::default() };
                }
                let proof = self.one(item, desk);
                (self.done)(1);
                proof
            };
            let batch = batch.par_iter().zip(known);
            proofs.par_extend(batch.map_init(Desk::default, prove));
            let contacts = proofs.iter().filter_map(|proof| proof.contact.map(|(at, _)| at[1]));
            until = contacts.chain(until).reduce(|a, b| if b < a { b } else { a });
        }
        proofs
    }

    /// Which items are proven by searches over several pieces at once.
    fn merged(&self, items: &[Item]) -> Vec<bool> {
        let mut known = vec![false; items.len()];
        if self.distance <= 0.0 {
            return known;
        }
        // For each pair of models the items that are whole pieces, by piece.
        let mut groups: BTreeMap<[usize; 2], (Couple, ByPiece)> = BTreeMap::new();
        let pieces = self.prepared.path.motions().len();
        for (number, item) in items.iter().enumerate() {
            if item.counted && item.stretch.parts == [0.0, 1.0] {
                let key = [item.couple.pair, item.couple.models[1]];
                let group = groups.entry(key).or_insert((item.couple, vec![None; pieces]));
                group.1[item.stretch.piece] = Some(number);
            }
        }
        let most = DEVIATION * self.distance;
        let movers = self.prepared.movers.par_iter();
        let blocks: Vec<Vec<Block>> =
            movers.map(|mover| blocks(&self.prepared.path, &mover.mesh, most)).collect();
        let mut jobs: Vec<(Couple, &Block, Vec<usize>)> = Vec::new();
        for (couple, of_piece) in groups.values() {
            for block in &blocks[self.prepared.pairs[couple.pair].mover] {
                let whole: Option<Vec<usize>> =
                    of_piece[block.pieces.clone()].iter().copied().collect();
                jobs.extend(whole.map(|numbers| (*couple, block, numbers)));
            }
        }
        let Self { prepared, limit, tolerance, .. } = *self;
        let prove = |desk: &mut Desk, (couple, block, numbers): &(Couple, &Block, Vec<usize>)| {
            let mut follow = Follow { prepared, couple: *couple, tolerance, desk, limit };
            let proven = follow.keeps_off(&block.motion, self.distance + block.deviation);
            (self.done)(if proven { numbers.len() as u64 } else { 0 });
            proven
        };
        let proven: Vec<bool> = jobs.par_iter().map_init(Desk::default, prove).collect();
        for ((_, _, numbers), _) in jobs.iter().zip(proven).filter(|(_, proven)| *proven) {
            numbers.iter().for_each(|&number| known[number] = true);
        }
        known
    }

    fn one(&self, item: &Item, desk: &mut Desk) -> Proof {
        let Self { prepared, limit, tolerance, .. } = *self;
        let mut follow = Follow { prepared, couple: item.couple, tolerance, desk, limit };
        if item.counted && self.distance > 0.0 {
            match follow.over(item.stretch, self.distance) {
                Next::Free => return Proof { apart: self.distance, ..Proof::default() },
                Next::Contact(at, first) if !self.narrows => {
                    return Proof { contact: Some((at, first)), ..Proof::default() };
                }
                Next::CutShort(since) => return cut_short(item, since),
                Next::Contact([_, at], _) | Next::Doubt([at, _]) => {
                    let proof = touchless(&mut follow, item);
                    if proof.contact.is_some() || proof.open.is_some() {
                        return proof;
                    }
                    return Narrowing::new(follow, item).run(self.distance, at.part);
                }
            }
        }
        touchless(&mut follow, item)
    }
}

fn cut_short(item: &Item, since: Moment) -> Proof {
    let end = Moment { part: item.stretch.parts[1], ..since };
    Proof { open: Some([since, end]), cut_short: true, ..Proof::default() }
}

/// Proves that nothing touches.
fn touchless(follow: &mut Follow<'_, '_>, item: &Item) -> Proof {
    let [mut start, end] = item.stretch.parts;
    let piece = item.stretch.piece;
    let mut proof = Proof::default();
    for _ in 0..DOUBTS_MAX {
        match follow.over(Stretch { piece, parts: [start, end] }, 0.0) {
            Next::Free => return proof,
            Next::Contact(at, first) => {
                return Proof { contact: Some((at, first)), ..proof };
            }
            Next::CutShort(since) => {
                let open = proof.open.map_or(since, |open| open[0]);
                return Proof {
                    open: Some([open, Moment { piece, part: end }]),
                    cut_short: true,
                    ..proof
                };
            }
            Next::Doubt([lo, hi]) => {
                let from = proof.open.map_or(lo, |open| open[0]);
                proof.open = Some([from, hi]);
                start = hi.part + follow.tolerance_in(piece);
                if start >= end {
                    return proof;
                }
            }
        }
    }
    proof.open = proof.open.map(|[from, _]| [from, Moment { piece, part: end }]);
    proof
}

/// The numbers of items, by piece.
type ByPiece = Vec<Option<usize>>;

/// So often a gap is proven to be the least, or a smaller one is looked for.
const ROUNDS: u32 = 20;
/// How much smaller than what was seen the least gap may be, as a part of it.
pub(crate) const SLACK: f64 = 2e-3;
/// How far a motion that stands for several pieces may be from them, as a part of the distance.
const DEVIATION: f64 = 5e-4;
/// If nothing nearer is seen though something is said to be, so much of the distance is tried next;
/// then the square of that, and so on.
const LESS: f64 = 0.99;
/// How often the time of a least gap is narrowed down.
const SECTIONS: u32 = 12;

/// How near a pair comes in a part of a piece in which it does not touch.
struct Narrowing<'f, 'a, 'd> {
    follow: Follow<'a, 'd>,
    item: &'f Item,
    below: f64,
    nearest: Option<(Moment, Near)>,
}

impl<'f, 'a, 'd> Narrowing<'f, 'a, 'd> {
    fn new(follow: Follow<'a, 'd>, item: &'f Item) -> Self {
        Self { follow, item, below: f64::INFINITY, nearest: None }
    }

    /// Given that the pair comes as near as `target` at a part of the piece. A gap that was seen is the
    /// least if the bodies never come nearer; if they do, the gap is followed from there to where it
    /// is least.
    fn run(mut self, mut target: f64, mut met: f64) -> Proof {
        let mut less = LESS;
        for _ in 0..ROUNDS {
            let before = self.below;
            self.see(met);
            self.downhill(met);
            // A little less than what was seen, and less each time: a gap that is just as long as what
            // was asked about counts as met, but is not seen below it.
            let most = if self.below < before { f64::INFINITY } else { less * target };
            less = if self.below < before { LESS } else { less * less };
            target = (self.below * (1.0 - SLACK)).min(most);
            match self.follow.over(self.item.stretch, target) {
                Next::Free => return self.proof(target, false),
                Next::CutShort(_) => return self.proof(0.0, true),
                Next::Contact([_, at], _) | Next::Doubt([at, _]) => met = at.part,
            }
        }
        self.proof(0.0, false)
    }

    fn proof(self, apart: f64, cut_short: bool) -> Proof {
        Proof { apart, nearest: self.nearest, cut_short, ..Proof::default() }
    }

    /// Looks at the gap at an instant.
    fn see(&mut self, part: f64) -> f64 {
        let Follow { prepared, couple, limit, .. } = self.follow;
        let at = Moment { piece: self.item.stretch.piece, part };
        // A little more than is needed, so that a search for the least sees where it rises.
        let below = 2.0 * self.below;
        let desk = (&mut *self.follow.desk, limit);
        let gap = prepared.still((&couple, at), desk, |still| still.gap(below, None));
        let Ok(Some(gap)) = gap else { return f64::INFINITY };
        if gap.closest.hi <= self.below {
            self.below = gap.closest.hi;
            self.nearest = Some((at, near(prepared, &couple, &gap)));
        }
        gap.closest.hi
    }

    /// Follows a gap that closes, forward in time, to where it opens again.
    fn downhill(&mut self, start: f64) {
        let end = self.item.stretch.parts[1];
        let mut step = 1e-4;
        let (mut from, mut time, mut least) = (start, start, f64::INFINITY);
        while time < end {
            let next = (time + step).min(end);
            let gap = self.see(next);
            if gap >= least {
                return self.section([from, next]);
            }
            (from, time, least) = (time, next, gap);
            step *= 2.0;
        }
    }

    /// Closes in on the least gap between two times, by the golden section.
    fn section(&mut self, [mut from, mut to]: [f64; 2]) {
        const PART: f64 = 0.381_966_011_250_105;
        let mut times = [from + PART * (to - from), to - PART * (to - from)];
        let mut gaps = times.map(|time| self.see(time));
        for _ in 0..SECTIONS {
            if gaps[0] < gaps[1] {
                to = times[1];
                (times[1], gaps[1]) = (times[0], gaps[0]);
                times[0] = from + PART * (to - from);
                gaps[0] = self.see(times[0]);
            } else {
                from = times[0];
                (times[0], gaps[0]) = (times[1], gaps[1]);
                times[1] = to - PART * (to - from);
                gaps[1] = self.see(times[1]);
            }
        }
    }
}
