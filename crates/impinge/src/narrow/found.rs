//! What a search for intersecting triangles came to, and the contact of one pair of them.

use crate::contract::answer::{Contact, Draft, HitKind, Verdict};
use crate::contract::counters::Counters;
use impinge_geom::Triangle;
use impinge_geom::contact::{escape, touch};

/// The findings of a search, or of a part of it.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) triangle_pairs: Vec<[u32; 2]>,
    pub(super) contacts: Vec<Contact>,
    pub(super) counters: Counters,
    /// A budget was spent before all was seen.
    pub(super) cut_short: bool,
}

impl Found {
    /// Adds what another part found.
    pub(super) fn merge(&mut self, part: Self) {
        self.triangle_pairs.extend(part.triangle_pairs);
        self.contacts.extend(part.contacts);
        self.counters += part.counters;
        self.cut_short |= part.cut_short;
    }

    /// The verdict as far as surfaces go.
    pub(super) fn into_draft(self) -> Draft {
        let verdict = if !self.triangle_pairs.is_empty() {
            Verdict::Hit(HitKind::Surface)
        } else if self.cut_short {
            Verdict::Unknown
        } else {
            Verdict::Free
        };
        Draft {
            complete: !self.cut_short,
            counters: self.counters,
            triangle_pairs: self.triangle_pairs,
            contacts: self.contacts,
            ..Draft::of(verdict)
        }
    }
}

/// The contact of two triangles that intersect.
pub(super) fn contact(triangles: [u32; 2], [a, b]: [&Triangle; 2]) -> Option<Contact> {
    let touch = touch(a, b)?;
    let escape = escape(a, b);
    Some(Contact {
        triangles,
        point: touch.center,
        ends: touch.ends,
        normal: escape.normal,
        depth: escape.depth,
    })
}
