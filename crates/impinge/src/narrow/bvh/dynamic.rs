//! One job over a whole motion: the first contact, certified [E99 §4].

use super::job::{Task, allowed};
use crate::contract::answer::{Contact, Draft, Guarantee, HitKind, Verdict};
use crate::contract::job::Placement;
use crate::contract::query::{Gap, Mode, Onset, Query, Want};
use impinge_geom::first_contact::FirstContact;
use impinge_geom::motion::moment::Travel;
use impinge_geom::obb_tree::cross::Work;
use impinge_geom::obb_tree::travel::{Found, TravelSearch, Traveller, Wanted};

impl Task<'_> {
    /// The answer over the motion: contact at the start, or the first on the way.
    pub(super) fn over_motion(&mut self) -> Draft {
        let start = self.at_start();
        let new_only = self.query.onset == Onset::New;
        match start.verdict {
            Verdict::Free => {}
            Verdict::Hit(_) if new_only => {}
            Verdict::Hit(_) => return Draft { time: Some([0.0; 2]), ..start },
            Verdict::Unknown => return Draft { time: Some([0.0, 1.0]), ..start },
        }
        let touching = if new_only { &*start.triangle_pairs } else { &[] };
        let wanted =
            Wanted { tolerance: self.query.tolerance, distance: 0.0, until: 1.0, except: touching };
        let (found, mut draft) = self.travel(&wanted);
        draft.counters += start.counters;
        if let (Found::Contact(first), Want::Contacts) = (&found, self.query.want) {
            draft.contacts.push(contact(first));
        }
        draft
    }

    /// What touches at the start.
    fn at_start(&mut self) -> Draft {
        let want = match self.query.onset {
            // All of it is what does not count later.
            Onset::New => Want::Pairs,
            Onset::Any | Onset::FirstOfAll => self.query.want,
        };
        let query = Query { mode: Mode::Static, gap: Gap::Ignore, want, ..*self.query };
        let mut task = Task {
            job: self.job,
            query: &query,
            models: self.models,
            limit: self.limit,
            buffers: self.buffers,
            memory: None,
        };
        task.at_instant(0.0)
    }

    fn travel(&mut self, wanted: &Wanted<'_>) -> (Found, Draft) {
        let places = [&self.job.a.placement, &self.job.b.placement];
        let bodies = [0, 1].map(|k| Traveller {
            mesh: &self.models[k].mesh,
            tree: &self.models[k].tree,
            travel: match places[k] {
                Placement::Fixed(pose) => Travel::Still(pose),
                Placement::Moving(motion) => Travel::Moving(motion),
            },
        });
        let scratch = &mut self.buffers.travel;
        let mut search = TravelSearch { bodies, scratch, work: Work::default() };
        let found = search.run(wanted, allowed(self.limit));
        let work = search.work;
        let mut draft = verdict(&found, self.query.tolerance);
        self.count(&work, &mut draft.counters);
        (found, draft)
    }
}

/// What a search says.
fn verdict(found: &Found, tolerance: f64) -> Draft {
    match found {
        Found::Free => Draft::of(Verdict::Free),
        Found::CutShort(since) => {
            Draft { time: Some([*since, 1.0]), complete: false, ..Draft::of(Verdict::Unknown) }
        }
        Found::Contact(first) => {
            let wide = first.time[1] - first.time[0] > 2.0 * tolerance;
            let verdict = if wide && first.within > 0.0 {
                Verdict::Unknown
            } else {
                Verdict::Hit(HitKind::Surface)
            };
            let may_invent = first.within > 0.0;
            Draft {
                time: Some(first.time),
                first: Some(*first),
                triangle_pairs: vec![first.triangles],
                guarantee: Guarantee { may_invent, error_max: first.within, ..Guarantee::EXACT },
                ..Draft::of(verdict)
            }
        }
    }
}

/// The first contact as a contact at that instant.
fn contact(first: &FirstContact) -> Contact {
    let [a, b] = first.points;
    let point = std::array::from_fn(|k| 0.5 * a[k] + 0.5 * b[k]);
    Contact {
        triangles: first.triangles,
        point,
        ends: [point; 2],
        normal: first.normal,
        depth: 0.0,
    }
}
