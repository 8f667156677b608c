//! The first contact of a motion as an answer.

use crate::contract::answer::{Contact, Draft, Guarantee, HitKind, Verdict};
use crate::contract::query::Query;
use impinge_geom::first_contact::{FirstContact, Found};

/// Whether two triangles took too many steps, so that their interval is all that was left.
pub(super) fn is_given_up(first: &FirstContact, query: &Query) -> bool {
    first.within > 0.0 && first.time[1] - first.time[0] > 2.0 * query.tolerance
}

/// What a search says.
pub(super) fn verdict(found: &Found, query: &Query) -> Draft {
    match found {
        Found::Free => Draft::of(Verdict::Free),
        Found::CutShort(since) => {
            let time = Some([*since, 1.0]);
            Draft { time, complete: false, ..Draft::of(Verdict::Unknown) }
        }
        Found::Contact(first) => {
            let may_invent = first.within > 0.0;
            let verdict = match is_given_up(first, query) {
                true => Verdict::Unknown,
                false => Verdict::Hit(HitKind::Surface),
            };
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
pub(super) fn contact(first: &FirstContact) -> Contact {
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
