//! All pairs at many instants: which touch, and how near the nearest is.

use crate::answer::{Kind, Near, State};
use crate::limit::Limit;
use crate::model::{CutShort, Desk};
use crate::moment::Moment;
use crate::prepared::{Couple, Prepared};
use crate::search::feature_of;
use impinge_geom::Point;
use impinge_geom::contact::touch;
use impinge_geom::distance::triangle_triangle;
use impinge_geom::obb_tree::gap::Gap;
use rayon::prelude::*;

/// What was seen of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen {
    /// Its contacts do not count.
    Allowed,
    /// It was not looked at.
    Unknown,
    /// It touches.
    Touching(Kind),
    /// It is that far apart.
    Apart(f64),
    /// It is farther apart than another pair.
    Farther,
}

impl Seen {
    /// Whether it is known to be free of contacts.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Apart(_) | Self::Farther)
    }
}

/// An instant.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) at: Moment,
    /// Pair by pair.
    pub(crate) seen: Vec<Seen>,
    /// The nearest of those that do not touch.
    pub(crate) nearest: Option<Near>,
    /// Where a pair touches.
    touch: Option<(usize, Point)>,
}

/// So many instants are looked at one after the other, each with what the one before has shown.
const RUN: usize = 16;

/// Looks at all pairs at some instants.
pub(crate) fn looks(
    prepared: &Prepared,
    moments: &[Moment],
    limit: &Limit<'_>,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<Look> {
    let run = |desk: &mut Desk, some: &[Moment]| {
        let mut known = vec![Known::default(); prepared.pairs.len()];
        let looks: Vec<Look> = some
            .iter()
            .map(|&at| Looking { prepared, at, desk, limit }.at_all(&mut known))
            .collect();
        done(some.len() as u64);
        looks
    };
    let runs: Vec<Vec<Look>> = moments.par_chunks(RUN).map_init(Desk::default, run).collect();
    runs.into_iter().flatten().collect()
}

/// How much less than what the curve shows the clearance may be, as a part of it.
const ROUGH: f64 = 1e-3;

/// What the instant before has shown of a pair.
#[derive(Clone, Copy, Debug)]
struct Known {
    apart: f64,
    gap: Option<Gap>,
    /// Whether they were inside each other when their surfaces did not meet; none if they did.
    inside: Option<Option<crate::answer::Side>>,
}

impl Default for Known {
    fn default() -> Self {
        Self { apart: f64::INFINITY, gap: None, inside: None }
    }
}

struct Looking<'a, 'd> {
    prepared: &'a Prepared,
    at: Moment,
    desk: &'d mut Desk,
    limit: &'d Limit<'d>,
}

impl Looking<'_, '_> {
    fn at_all(&mut self, known: &mut [Known]) -> Look {
        let count = self.prepared.pairs.len();
        let mut look =
            Look { at: self.at, seen: vec![Seen::Allowed; count], nearest: None, touch: None };
        let mut order: Vec<usize> = (0..count).collect();
        // What was nearest bounds how far others matter.
        order.sort_by(|&a, &b| known[a].apart.total_cmp(&known[b].apart));
        for pair in order {
            let seen = self.at_pair(pair, &mut known[pair], &mut look);
            look.seen[pair] = seen.unwrap_or(Seen::Unknown);
        }
        look
    }

    fn at_pair(
        &mut self,
        pair: usize,
        known: &mut Known,
        look: &mut Look,
    ) -> Result<Seen, CutShort> {
        let prepared = self.prepared;
        let Some(duty) = prepared.pairs[pair].duty_at(self.at) else { return Ok(Seen::Allowed) };
        let couple = prepared.couple(pair, duty);
        if let Some(triangles) = self.still(&couple, |still| still.meeting())? {
            look.touch = look.touch.or_else(|| Some((pair, self.place(&couple, triangles))));
            (known.inside, known.apart) = (None, 0.0);
            return Ok(Seen::Touching(Kind::Surface));
        }
        let inside = match known.inside {
            // What may pass through some faces may be within what they belong to.
            _ if !duty.exempt.is_empty() => None,
            Some(inside) => inside,
            None => prepared.inner(pair, self.at, (self.desk, self.limit))?,
        };
        known.inside = Some(inside);
        if let Some(inner) = inside {
            return Ok(Seen::Touching(Kind::Inside(inner)));
        }
        let best = look.nearest.map_or(f64::INFINITY, |near| near.at_most);
        // How bodies leave their seat is for them alone to tell.
        let below = if duty.parts { f64::INFINITY } else { best };
        let Some(gap) = self.gap(&couple, below, known.gap)? else {
            (known.apart, known.gap) = (f64::INFINITY, None);
            return Ok(Seen::Farther);
        };
        (known.apart, known.gap) = (gap.closest.hi, Some(gap));
        if gap.closest.hi < best {
            look.nearest = Some(near(prepared, &couple, &gap));
        }
        Ok(Seen::Apart(gap.closest.hi))
    }

    /// How far apart the pair is, if no farther than `below`. What was nearest before still is, unless
    /// something is nearer by more than [`ROUGH`].
    fn gap(
        &mut self,
        couple: &Couple,
        below: f64,
        before: Option<Gap>,
    ) -> Result<Option<Gap>, CutShort> {
        let hint = before.map(|before| before.places);
        let Some(before) = before else {
            return self.still(couple, |still| still.gap(below, hint));
        };
        let [a, b] = corners(self.prepared, couple, self.at, before.triangles);
        let closest = triangle_triangle(&a, &b);
        let least = closest.lo * (1.0 - ROUGH);
        if least > below {
            return self.still(couple, |still| still.gap(below, hint));
        }
        let nearer = self.still(couple, |still| still.gap(least, hint))?;
        Ok(nearer.or(Some(Gap { closest, at_least: least, ..before })))
    }

    fn still<T>(
        &mut self,
        couple: &Couple,
        look: impl FnOnce(&mut crate::model::Still<'_, '_>) -> T,
    ) -> T {
        self.prepared.still((couple, self.at), (self.desk, self.limit), look)
    }

    fn place(&self, couple: &Couple, triangles: [u32; 2]) -> Point {
        let [a, b] = corners(self.prepared, couple, self.at, triangles);
        touch(&a, &b).map_or(a[0], |touch| touch.center)
    }
}

/// Two triangles of the models of a pair at an instant.
pub(crate) fn corners(
    prepared: &Prepared,
    couple: &Couple,
    at: Moment,
    triangles: [u32; 2],
) -> [impinge_geom::Triangle; 2] {
    let rest = prepared.rests[prepared.pairs[couple.pair].rest].pose;
    let poses = [at.pose(&prepared.path), rest];
    [0, 1].map(|k| {
        let mesh = &prepared.models[couple.models[k]].mesh;
        mesh.triangle(triangles[k]).map(|corner| poses[k].apply(&corner))
    })
}

/// A gap as users are told of it.
pub(crate) fn near(prepared: &Prepared, couple: &Couple, gap: &Gap) -> Near {
    let models = couple.models.map(|model| &*prepared.models[model]);
    let feature = |k: usize| {
        let own = feature_of(&models[k].mesh, gap.triangles[k], gap.closest.features[k]);
        match own {
            crate::answer::Feature::Face(i) => crate::answer::Feature::Face(models[k].original(i)),
            other => other,
        }
    };
    Near {
        pair: couple.pair,
        at_least: gap.at_least,
        at_most: gap.closest.hi,
        triangles: [0, 1].map(|k| models[k].original(gap.triangles[k])),
        features: [feature(0), feature(1)],
        points: gap.closest.points,
    }
}

impl Look {
    /// What the curve shows here.
    pub(crate) fn state(&self) -> State {
        let touches = |seen: &&Seen| matches!(seen, Seen::Touching(_));
        if let Some((pair, point)) = self.touch {
            return State::Touching { pair, kind: Kind::Surface, point: Some(point) };
        }
        if let Some(pair) = self.seen.iter().position(|seen| touches(&seen))
            && let Seen::Touching(kind) = self.seen[pair]
        {
            return State::Touching { pair, kind, point: None };
        }
        if self.seen.contains(&Seen::Unknown) {
            return State::Unknown;
        }
        self.nearest.map_or(State::Allowed, State::Apart)
    }

    /// A pair that touches, the first in the list.
    pub(crate) fn touching(&self) -> Option<(usize, Kind)> {
        self.seen.iter().enumerate().find_map(|(pair, seen)| match seen {
            Seen::Touching(kind) => Some((pair, *kind)),
            _ => None,
        })
    }
}
