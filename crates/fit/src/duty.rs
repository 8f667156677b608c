//! From allowances to what counts from when on.

use crate::assembly::FitError;
use crate::limit::Limit;
use crate::model::{CutShort, Desk, Model, Still};
use crate::moment::{Moment, closely};
use crate::prepared::{Couple, Duty, Prepared};
use crate::question::Budget;
use impinge_geom::aabb::Aabb;
use impinge_scene::scene::fit::{Allowed, Until};
use rayon::prelude::*;
use std::sync::Arc;

/// Contacts of a pair that do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Excuse {
    /// Which allowance, by its place in the list.
    pub rule: usize,
    /// How long it was meant to last.
    pub until: Until,
    /// How long it lasts; none if to the end of the path.
    pub ends: Option<Moment>,
    /// The triangles of the body at rest that it is for, rising; none if for all.
    pub triangles: Option<Vec<u32>>,
}

/// Bodies that are no farther apart than this part of their size still count as touching when it is
/// asked whether they are released: coordinates of f32 files are no better.
const SEAT: f64 = 1e-7;
/// So often the instant of a release is narrowed down: to a billionth of the time between two looks.
const RELEASE_STEPS: u32 = 30;

/// What counts from when on, for all pairs.
pub(crate) struct Duties {
    pairs: Vec<(Vec<Excuse>, Vec<Duty>)>,
    /// Bodies at rest without some faces.
    cut: Vec<Arc<Model>>,
}

/// From when on which faces do not count.
struct Span {
    from: Moment,
    exempt: Vec<u32>,
    parts: bool,
}

impl Duties {
    /// Applies the allowances of a scene.
    pub(crate) fn of(prepared: &Prepared) -> Result<Self, FitError> {
        let allowed = &prepared.allowed;
        let [start, end] = prepared.path.span();
        for rule in allowed {
            if let Until::Time(time) = rule.until
                && !(start..=end).contains(&time)
            {
                return Err(FitError::AllowedUntil { time, start, end });
            }
        }
        let all = 0..prepared.pairs.len();
        let excuses: Vec<Vec<Excuse>> =
            all.into_par_iter().map(|pair| excuses(prepared, pair, allowed)).collect();
        let mut duties = Self { pairs: Vec::new(), cut: Vec::new() };
        for (pair, excuses) in excuses.into_iter().enumerate() {
            let spans = spans(&excuses, Moment::end_of(&prepared.path));
            let of_pair = spans.into_iter().filter_map(|span| duties.duty(prepared, pair, span));
            let of_pair = of_pair.collect();
            duties.pairs.push((excuses, of_pair));
        }
        Ok(duties)
    }

    /// A duty with its model; none if there is no face left to touch.
    fn duty(&mut self, prepared: &Prepared, pair: usize, span: Span) -> Option<Duty> {
        let Span { from, exempt, parts } = span;
        let whole = prepared.whole(pair).models[1];
        if exempt.is_empty() {
            return Some(Duty { from, exempt, parts, model: whole });
        }
        let cut = Model::without(&prepared.models[whole].mesh, &exempt)?;
        self.cut.push(Arc::new(cut));
        let model = prepared.models.len() + self.cut.len() - 1;
        Some(Duty { from, exempt, parts, model })
    }

    pub(crate) fn put_into(self, prepared: &mut Prepared) {
        prepared.models.extend(self.cut);
        for (pair, (excuses, duties)) in prepared.pairs.iter_mut().zip(self.pairs) {
            (pair.excuses, pair.duties) = (excuses, duties);
        }
    }
}

/// The allowances that apply to a pair.
fn excuses(prepared: &Prepared, pair: usize, allowed: &[Allowed]) -> Vec<Excuse> {
    let [mover, rest] = prepared.bodies_of(pair).map(|body| &prepared.bodies[body]);
    let applies = |rule: &Allowed| {
        rule.a.matches(mover) && rule.b.matches(rest)
            || rule.a.matches(rest) && rule.b.matches(mover)
    };
    let mut excuses: Vec<Excuse> = Vec::new();
    for (rule, given) in allowed.iter().enumerate().filter(|(_, rule)| applies(rule)) {
        let triangles = given.within.map(|within| triangles_within(prepared, pair, &within));
        let ends = match given.until {
            Until::Time(time) => Some(Moment::at(&prepared.path, time)),
            Until::End | Until::Release => None,
        };
        excuses.push(Excuse { rule, until: given.until, ends, triangles });
    }
    if excuses.iter().any(|excuse| excuse.until == Until::Release) {
        let release = release(prepared, pair, &excuses);
        let waiting = excuses.iter_mut().filter(|excuse| excuse.until == Until::Release);
        waiting.for_each(|excuse| excuse.ends = release);
    }
    excuses
}

/// The triangles of the body at rest that lie within a box of the world.
fn triangles_within(prepared: &Prepared, pair: usize, within: &Aabb) -> Vec<u32> {
    let rest = &prepared.rests[prepared.pairs[pair].rest];
    let lies = |v: &u32| within.contains(&rest.pose.apply(&rest.mesh.vertices()[*v as usize]));
    let triangles = rest.mesh.triangles().iter().enumerate();
    triangles.filter(|(_, corners)| corners.iter().all(lies)).map(|(i, _)| i as u32).collect()
}

/// When the two are apart for the first time, counting those faces that are not excused to the end;
/// none if they never are.
fn release(prepared: &Prepared, pair: usize, excuses: &[Excuse]) -> Option<Moment> {
    let lasting = excuses.iter().filter(|excuse| excuse.until == Until::End);
    let mut exempt = Vec::new();
    for excuse in lasting {
        // All faces to the end: nothing is left to be released.
        exempt.extend(excuse.triangles.as_ref()?);
    }
    exempt.sort_unstable();
    exempt.dedup();
    let whole = prepared.whole(pair);
    let [mover, rest] = whole.models.map(|model| Arc::clone(&prepared.models[model]));
    let rest =
        if exempt.is_empty() { rest } else { Arc::new(Model::without(&rest.mesh, &exempt)?) };
    let seated = Seated { prepared, models: [mover, rest], couple: whole };
    let mut desk = Desk::default();
    let mut low = Moment::START;
    let mut high = None;
    for at in closely(&prepared.path) {
        if !seated.at(at, &mut desk) {
            high = Some(at);
            break;
        }
        low = at;
    }
    let mut high = high?;
    for _ in 0..RELEASE_STEPS {
        let time = 0.5 * (low.time(&prepared.path) + high.time(&prepared.path));
        let middle = Moment::at(&prepared.path, time);
        if middle <= low || middle >= high {
            break;
        }
        *if seated.at(middle, &mut desk) { &mut low } else { &mut high } = middle;
    }
    Some(high)
}

/// Two bodies that may be seated in each other.
struct Seated<'a> {
    prepared: &'a Prepared,
    models: [Arc<Model>; 2],
    couple: Couple,
}

impl Seated<'_> {
    fn at(&self, at: Moment, desk: &mut Desk) -> bool {
        let limit = Limit::new(&(), Budget::Unlimited, 1);
        let near = SEAT * self.prepared.size(self.couple.pair);
        let pose = at.pose(&self.prepared.path);
        let rest_pose = self.prepared.rests[self.prepared.pairs[self.couple.pair].rest].pose;
        let [mover, rest] = &self.models;
        let mut still = Still::new([mover.at(&pose), rest.at(&rest_pose)], desk, &limit);
        let touches = |still: &mut Still<'_, '_>| -> Result<bool, CutShort> {
            Ok(still.meeting()?.is_some() || still.gap(near, None)?.is_some())
        };
        // Nobody ends this search.
        touches(&mut still).unwrap_or(true)
    }
}

/// What counts from when on: at each end of an excuse it is something else.
fn spans(excuses: &[Excuse], end: Moment) -> Vec<Span> {
    let mut starts: Vec<(Moment, bool)> = vec![(Moment::START, false)];
    for excuse in excuses {
        // What is apart from the start on has no seat to leave.
        let parts = excuse.until == Until::Release && excuse.ends > Some(Moment::START);
        starts.extend(excuse.ends.filter(|&at| at < end).map(|at| (at, parts)));
    }
    starts.sort_by(|a, b| a.partial_cmp(b).expect("parts are numbers"));
    let mut spans: Vec<Span> = Vec::new();
    for (from, parts) in starts {
        let lasts = |excuse: &&Excuse| excuse.ends.is_none_or(|ends| ends > from);
        let active = || excuses.iter().filter(lasts);
        if active().any(|excuse| excuse.triangles.is_none()) {
            continue;
        }
        let mut exempt: Vec<u32> =
            active().flat_map(|e| e.triangles.iter().flatten()).copied().collect();
        exempt.sort_unstable();
        exempt.dedup();
        // Of several at the same instant one is enough.
        spans.retain(|span| span.from != from);
        spans.push(Span { from, exempt, parts });
    }
    spans
}
