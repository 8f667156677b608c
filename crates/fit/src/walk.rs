//! All intervals of contact of a pair: from contact to the next free instant that was seen, and from
//! there to the next contact.

use crate::answer::{Interval, Kind};
use crate::limit::Limit;
use crate::look::{Look, Seen};
use crate::model::Desk;
use crate::moment::Moment;
use crate::prepared::{Couple, Prepared};
use crate::search::{Follow, Next};
use impinge_geom::first_contact::FirstContact;

/// What a walk needs to know.
pub(crate) struct Walker<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) looks: &'a [Look],
    pub(crate) limit: &'a Limit<'a>,
    pub(crate) tolerance: f64,
    /// Nothing touches before.
    pub(crate) from: Moment,
}

/// The intervals of a pair, and whether that is all of them.
#[derive(Debug)]
pub(crate) struct Walked {
    pub(crate) intervals: Vec<Interval>,
    pub(crate) cut_short: bool,
}

/// So many spans in which rounding cannot tell what is, at most, are told of a pair.
const DOUBTS_MAX: usize = 64;
/// So often the end of a contact is narrowed down.
const STEPS: u32 = 48;

impl Walker<'_> {
    /// Walks along the path with a pair.
    pub(crate) fn walk(&self, pair: usize, desk: &mut Desk) -> Walked {
        let of_pair = &self.prepared.pairs[pair];
        let mut walked = Walked { intervals: Vec::new(), cut_short: false };
        for (number, duty) in of_pair.duties.iter().enumerate() {
            let until = of_pair.duty_end(number, &self.prepared.path);
            let from = if duty.from < self.from { self.from } else { duty.from };
            if from > until {
                continue;
            }
            let Self { prepared, tolerance, limit, .. } = *self;
            let couple = prepared.couple(pair, duty);
            let follow = Follow { prepared, couple, tolerance, desk, limit };
            Walk { walker: self, couple, until, follow, walked: &mut walked }.go(from);
        }
        walked
    }
}

struct Walk<'w, 'a, 'd> {
    walker: &'w Walker<'a>,
    couple: Couple,
    until: Moment,
    follow: Follow<'a, 'd>,
    walked: &'w mut Walked,
}

impl Walk<'_, '_, '_> {
    fn go(&mut self, from: Moment) {
        let mut at = from;
        let mut doubts = 0;
        // Each turn passes an instant that was looked at, or a doubt.
        for _ in 0..=self.walker.looks.len() + DOUBTS_MAX {
            let (enter, kind, first) = match self.touching(at) {
                Err(()) => return self.walked.cut_short = true,
                Ok(Some(kind)) => ([at; 2], kind, None),
                Ok(None) => match self.follow.next(at, self.until) {
                    Next::Free => return,
                    Next::CutShort(_) => return self.walked.cut_short = true,
                    Next::Contact(enter, first) => (enter, Kind::Surface, Some(first)),
                    Next::Doubt(span) => {
                        self.push((span, Kind::Surface, None), span, false);
                        doubts += 1;
                        at = self.after(span[1]);
                        if doubts > DOUBTS_MAX || at >= self.until {
                            return;
                        }
                        continue;
                    }
                },
            };
            let Some((touched, free)) = self.next_free(enter[1]) else {
                return self.push((enter, kind, first), [self.until; 2], true);
            };
            let leave = self.leave(touched, free);
            self.push((enter, kind, first), leave, true);
            at = free;
        }
    }

    /// Whether the pair touches at an instant, and how.
    fn touching(&mut self, at: Moment) -> Result<Option<Kind>, ()> {
        let Follow { prepared, couple, limit, .. } = self.follow;
        let desk = &mut *self.follow.desk;
        let met = prepared.still((&couple, at), (desk, limit), |still| still.meeting());
        if met.map_err(|_| ())?.is_some() {
            return Ok(Some(Kind::Surface));
        }
        // What may pass through some faces may be within what they belong to.
        if couple.models != prepared.whole(couple.pair).models {
            return Ok(None);
        }
        let inner = prepared.inner(couple.pair, at, (desk, limit)).map_err(|_| ())?;
        Ok(inner.map(Kind::Inside))
    }

    /// The next instant that was seen to be free, and the last one before that was not.
    fn next_free(&self, from: Moment) -> Option<(Moment, Moment)> {
        let mut touched = from;
        let later = |look: &&Look| look.at > from && look.at <= self.until;
        for look in self.walker.looks.iter().filter(later) {
            match look.seen[self.couple.pair] {
                Seen::Touching(_) => touched = look.at,
                seen if seen.is_free() => return Some((touched, look.at)),
                _ => {}
            }
        }
        None
    }

    /// When a contact ends: the pair touches at the first instant, and is free from the second on.
    fn leave(&mut self, mut touched: Moment, mut free: Moment) -> [Moment; 2] {
        let path = &self.follow.prepared.path;
        let [start, end] = path.span();
        for _ in 0..STEPS {
            let [low, high] = [touched.time(path), free.time(path)];
            let middle = Moment::at(path, 0.5 * (low + high));
            let is_narrow = high - low <= self.walker.tolerance * (end - start);
            if is_narrow || middle <= touched || middle >= free {
                break;
            }
            match self.touching(middle) {
                Err(()) => break,
                Ok(Some(_)) => touched = middle,
                Ok(None) => match self.follow.next(middle, free) {
                    Next::Free => free = middle,
                    Next::Contact([_, hi], _) if hi < free => touched = hi,
                    _ => break,
                },
            }
        }
        [touched, free]
    }

    /// A little later.
    fn after(&self, at: Moment) -> Moment {
        let part = at.part + self.follow.tolerance_in(at.piece);
        if part < 1.0 || at.piece == self.until.piece {
            return Moment { part: part.min(1.0), ..at };
        }
        Moment { piece: at.piece + 1, part: 0.0 }
    }

    fn push(
        &mut self,
        (enter, kind, first): ([Moment; 2], Kind, Option<FirstContact>),
        leave: [Moment; 2],
        certain: bool,
    ) {
        let Follow { prepared, couple, limit, .. } = self.follow;
        let desk = (&mut *self.follow.desk, limit);
        let met = prepared.still((&couple, enter[1]), desk, |still| still.all_meeting());
        let path = &prepared.path;
        self.walked.intervals.push(Interval {
            pair: couple.pair,
            kind,
            enter: enter.map(|at| at.time(path)),
            leave: leave.map(|at| at.time(path)),
            certain,
            features: first.map(|first| first.features),
            triangle_pairs: met.map_or(0, |met| met.len()),
            at: enter[1],
        });
    }
}
