//! Bodies inside each other: connected parts and closed shells, for bodies whose surfaces do not meet.

use super::budget::Limit;
use crate::contract::answer::{Draft, HitKind, Side, Verdict};
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::shells::{Anatomy, Shell, locate_in};
use impinge_geom::{Point, Triangle};
use rayon::prelude::*;

/// What of a mesh has an inside, and what of it may be inside something else.
#[derive(Debug)]
pub(super) struct Parts {
    /// What of it has an inside.
    pub(super) shells: Vec<Shell>,
    /// Of each connected part the vertices that reach farthest along the axes, both ways: it is
    /// inside something only if all of them are, and if one is.
    pub(super) extremes: Vec<[u32; 6]>,
}

impl Parts {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let Anatomy { shells, components, component_count } = Anatomy::of(mesh);
        let mut extremes = vec![[u32::MAX; 6]; component_count];
        let mut reaches = vec![[f64::NEG_INFINITY; 6]; component_count];
        for (corners, &part) in mesh.triangles().iter().zip(&components) {
            let (extremes, reaches) = (&mut extremes[part as usize], &mut reaches[part as usize]);
            for &v in corners {
                let [x, y, z] = mesh.vertices()[v as usize];
                for (side, reach) in [x, y, z, -x, -y, -z].into_iter().enumerate() {
                    if reach > reaches[side] {
                        (extremes[side], reaches[side]) = (v, reach);
                    }
                }
            }
        }
        Self { shells, extremes }
    }

    /// What it holds on the heap.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.shells.iter().map(|shell| shell.triangles.capacity() * size_of::<u32>());
        self.shells.capacity() * size_of::<Shell>()
            + lists.sum::<usize>()
            + self.extremes.capacity() * size_of::<[u32; 6]>()
    }

    /// How many triangles a point is held against to see whether it is inside.
    pub(super) fn shell_size(&self) -> usize {
        self.shells.iter().map(|shell| shell.triangles.len()).sum()
    }
}

/// A shape at its place, as far as this file wants to know it.
pub(super) trait Solid: Sync {
    fn parts(&self) -> &Parts;
    /// Whether a point may be inside as far as bounds can tell; the tighter, the less is asked.
    fn may_hold(&self, point: &Point) -> bool;
    /// A vertex in the world.
    fn vertex(&self, v: u32) -> Point;
    /// A triangle in the world.
    fn triangle(&self, i: u32) -> Triangle;
    /// How much work [`Solid::locate`] is, in triangles looked at.
    fn price(&self) -> usize {
        self.parts().shell_size()
    }
    /// Where a point is with respect to the shells.
    fn locate(&self, point: &Point) -> Location {
        locate_in(&self.parts().shells, point, |i| self.triangle(i))
    }
}

/// Fewer points than this are not worth a second thread.
const FEW: usize = 4;

/// What a search for parts inside came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Contained {
    /// Some part is inside.
    found: bool,
    /// Not all parts were asked.
    cut_short: bool,
    /// How many were.
    tests: u64,
}

/// Turns a free verdict into a hit if a part of one is inside the other.
pub(super) fn look_inside<S: Solid>([a, b]: [&S; 2], limit: &Limit<'_>, draft: &mut Draft) {
    for (outer, inner, side) in [(a, b, Side::B), (b, a, Side::A)] {
        let contained = holds_part_of(outer, inner, limit);
        draft.counters.inside_tests += contained.tests;
        if contained.found {
            draft.verdict = Verdict::Hit(HitKind::Inside { inner: side });
            return;
        }
        if contained.cut_short {
            draft.verdict = Verdict::Unknown;
            draft.complete = false;
            return;
        }
    }
}

/// Whether some connected part of `inner` lies inside `outer`, given that the surfaces do not meet:
/// then a part is inside with all its points or with none.
fn holds_part_of<S: Solid>(outer: &S, inner: &S, limit: &Limit<'_>) -> Contained {
    if outer.parts().shells.is_empty() {
        return Contained::default();
    }
    let within = |part: &&[u32; 6]| part.iter().all(|&v| outer.may_hold(&inner.vertex(v)));
    let parts = inner.parts().extremes.iter().filter(within);
    let near: Vec<Point> = parts.map(|part| inner.vertex(part[0])).collect();
    if near.is_empty() {
        return Contained::default();
    }
    let paid = limit.rows(near.len(), outer.price());
    let deadline = limit.deadline;
    // All points that are paid for, not only up to the first hit: the work must not depend on
    // the threads. To wake these takes longer than to ask a few, and nobody knows how long.
    let ask =
        |point: &Point| (!deadline.is_over()).then(|| outer.locate(point) == Location::Inside);
    let asked: Vec<Option<bool>> = if paid < FEW || deadline.is_set() {
        near[..paid].iter().map(ask).collect()
    } else {
        near[..paid].par_iter().map(ask).collect()
    };
    Contained {
        found: asked.contains(&Some(true)),
        cut_short: paid < near.len() || asked.contains(&None),
        tests: asked.iter().flatten().count() as u64,
    }
}
