//! The first contact of a pair from an instant on, piece by piece of the path.

use crate::limit::Limit;
use crate::model::{CutShort, Desk};
use crate::moment::Moment;
use crate::prepared::{Couple, Prepared};
use impinge_geom::distance;
use impinge_geom::first_contact::{Feature, FirstContact, Found, Wanted};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::motion::moment::Travel;
use impinge_geom::obb_tree::cross::Work;
use impinge_geom::obb_tree::travel::{TravelSearch, Traveller};
use impinge_geom::sphere::Sphere;

/// A part of one piece of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) piece: usize,
    pub(crate) parts: [f64; 2],
}

/// The parts of the pieces between two instants.
pub(crate) fn stretches(from: Moment, until: Moment) -> impl Iterator<Item = Stretch> {
    (from.piece..=until.piece).filter_map(move |piece| {
        let start = if piece == from.piece { from.part } else { 0.0 };
        let end = if piece == until.piece { until.part } else { 1.0 };
        (start < end).then_some(Stretch { piece, parts: [start, end] })
    })
}

/// What is next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// Nothing, to the end.
    Free,
    /// Nothing before the first instant, and a contact at the second.
    Contact([Moment; 2], FirstContact),
    /// Nothing before the first instant; rounding cannot tell what is until the second.
    Doubt([Moment; 2]),
    /// Nothing before this instant; then the search was cut short.
    CutShort(Moment),
}

/// A pair that is followed over time.
pub(crate) struct Follow<'a, 'd> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) couple: Couple,
    /// As a part of the whole time of the path.
    pub(crate) tolerance: f64,
    pub(crate) desk: &'d mut Desk,
    pub(crate) limit: &'d Limit<'d>,
}

/// The widest interval of a first contact, as a part of a piece.
const TOLERANCE_MAX: f64 = 1e-3;

/// So many doubts are resolved in one item.
const PASSES_MAX: u32 = 64;
/// So many steps are made to resolve one.
const STEPS_MAX: u32 = 4000;

impl Follow<'_, '_> {
    /// What is next between two instants.
    pub(crate) fn next(&mut self, from: Moment, until: Moment) -> Next {
        for stretch in stretches(from, until) {
            match self.over(stretch, 0.0) {
                Next::Free => {}
                found => return found,
            }
        }
        Next::Free
    }

    /// What is next in a part of a piece; being at most `distance` apart counts as contact.
    pub(crate) fn over(&mut self, stretch: Stretch, distance: f64) -> Next {
        let Stretch { piece, parts: [mut start, end] } = stretch;
        for _ in 0..PASSES_MAX {
            match self.once(Stretch { piece, parts: [start, end] }, distance) {
                // Not proven to be as near as that: perhaps they pass.
                Next::Doubt([lo, hi]) if distance > 0.0 && self.creeps_by([lo, hi], distance) => {
                    start = hi.part;
                    if start >= end {
                        return Next::Free;
                    }
                }
                found => return found,
            }
        }
        let at = |part: f64| Moment { piece, part };
        Next::Doubt([at(start), at(end)])
    }

    fn once(&mut self, stretch: Stretch, distance: f64) -> Next {
        let Stretch { piece, parts: [start, end] } = stretch;
        let at = |part: f64| Moment { piece, part };
        let tolerance = self.tolerance_in(piece);
        let motion = &self.prepared.path.motions()[piece];
        let wanted = Wanted { tolerance, distance, until: end, except: &[] };
        match self.travel(motion, start, &wanted) {
            Found::Free => Next::Free,
            Found::CutShort(since) => Next::CutShort(at(since.max(start))),
            Found::Contact(first) => {
                let [lo, hi] = [first.time[0].max(start), first.time[1].max(start)];
                if first.within <= distance {
                    return Next::Contact([at(lo), at(hi)], first);
                }
                // These two triangles only graze each other, but others may meet.
                let seen = if distance > 0.0 { None } else { self.meets(piece, [lo, hi]) };
                match seen {
                    Some(seen) => Next::Contact([at(lo), at(seen)], first),
                    None => Next::Doubt([at(lo), at(hi)]),
                }
            }
        }
    }

    /// Whether the pair stays farther apart than a distance between two instants of a piece, as far as
    /// small steps tell, each no longer than the gap before it allows.
    fn creeps_by(&mut self, [from, to]: [Moment; 2], distance: f64) -> bool {
        let Self { prepared, couple, limit, .. } = *self;
        let motion = &prepared.path.motions()[from.piece];
        let mesh = &prepared.models[couple.models[0]].mesh;
        let bounds = mesh.bounds();
        let ball = Sphere { center: bounds.center(), radius: 0.51 * bounds.diagonal() };
        let whole = motion.displacement_max(&ball, from.part, to.part);
        let mut at = from;
        for _ in 0..STEPS_MAX {
            let desk = (&mut *self.desk, limit);
            let gap = prepared.still((&couple, at), desk, |still| {
                Ok::<_, CutShort>(match still.meeting()? {
                    Some(_) => Some(0.0),
                    None => still.gap(distance + whole, None)?.map(|gap| gap.at_least),
                })
            });
            let spare = match gap {
                Ok(Some(gap)) => gap - distance,
                Ok(None) => return true,
                Err(CutShort) => return false,
            };
            let mut next = to.part;
            // Displacements are almost in proportion to such short times. Where times are as short as
            // rounding they are not, and a step may not get shorter any more.
            loop {
                let moved = motion.displacement_max(&ball, at.part, next);
                if moved < spare {
                    break;
                }
                let shorter = at.part + (0.99 * spare / moved).max(0.0) * (next - at.part);
                if !(at.part < shorter && shorter < next) {
                    return false;
                }
                next = shorter;
            }
            if next >= to.part {
                return true;
            }
            at.part = next;
        }
        false
    }

    /// A part of a piece at which something meets, looked for from one to another, at first closely.
    fn meets(&mut self, piece: usize, [from, to]: [f64; 2]) -> Option<f64> {
        let Self { prepared, couple, limit, .. } = *self;
        let mut step = self.tolerance_in(piece);
        loop {
            let part = (from + step).min(to);
            let desk = (&mut *self.desk, limit);
            let met =
                prepared.still((&couple, Moment { piece, part }), desk, |still| still.meeting());
            match met {
                Ok(Some(_)) => return Some(part),
                Ok(None) if part < to => step *= 2.0,
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// The tolerance as a part of a piece.
    pub(crate) fn tolerance_in(&self, piece: usize) -> f64 {
        let path = &self.prepared.path;
        let [start, end] = path.span();
        let length = path.times()[piece + 1] - path.times()[piece];
        (self.tolerance * ((end - start) / length)).min(TOLERANCE_MAX)
    }

    /// Whether it is proven that the pair stays farther apart than a distance during a motion.
    pub(crate) fn keeps_off(&mut self, motion: &Motion, distance: f64) -> bool {
        let wanted = Wanted { tolerance: TOLERANCE_MAX, distance, until: 1.0, except: &[] };
        self.travel(motion, 0.0, &wanted) == Found::Free
    }

    fn travel(&mut self, motion: &Motion, start: f64, wanted: &Wanted<'_>) -> Found {
        let prepared = self.prepared;
        let [mover, rest] = self.couple.models.map(|model| &*prepared.models[model]);
        let pose = &prepared.rests[prepared.pairs[self.couple.pair].rest].pose;
        let bodies = [
            Traveller { mesh: &mover.mesh, tree: mover.tree(), travel: Travel::Moving(motion) },
            Traveller { mesh: &rest.mesh, tree: rest.tree(), travel: Travel::Still(pose) },
        ];
        let scratch = &mut self.desk.travel;
        let mut search = TravelSearch { bodies, scratch, work: Work::default() };
        let found = search.run_from(start, wanted, self.limit.for_search());
        self.limit.count_search(&search.work);
        match found {
            Found::Contact(first) => Found::Contact(self.original(first)),
            other => other,
        }
    }

    /// The same contact with triangles as the bodies' meshes have them.
    fn original(&self, first: FirstContact) -> FirstContact {
        let [mover, rest] = self.couple.models.map(|model| &*self.prepared.models[model]);
        let told = |feature: Feature, model: &crate::model::Model| match feature {
            Feature::Face(triangle) => Feature::Face(model.original(triangle)),
            other => other,
        };
        FirstContact {
            triangles: [mover.original(first.triangles[0]), rest.original(first.triangles[1])],
            features: [told(first.features[0], mover), told(first.features[1], rest)],
            ..first
        }
    }
}

/// A part of a triangle as a part of its mesh.
pub(crate) fn feature_of(mesh: &Mesh, triangle: u32, feature: distance::Feature) -> Feature {
    let corners = mesh.triangles()[triangle as usize];
    match feature {
        distance::Feature::Vertex(i) => Feature::Vertex(corners[usize::from(i)]),
        distance::Feature::Edge(i) => {
            let i = usize::from(i);
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            Feature::Edge([p.min(q), p.max(q)])
        }
        distance::Feature::Face => Feature::Face(triangle),
    }
}
