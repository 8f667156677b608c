//! The distance of two bodies that do not touch, by trees of oriented boxes that are made for it and
//! kept until vertices move.

use super::budget::Limit;
use super::posed::Model;
use crate::contract::answer::{Clearance, Draft};
use crate::contract::query::Gap;
use impinge_geom::obb_tree::couple::{Couple, Placed};
use impinge_geom::obb_tree::cross::{Ended, Work};
use impinge_geom::obb_tree::gap::{GapScratch, GapSearch, Wanted};
use impinge_geom::pose::Pose;

/// How many steps of a search pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;

/// Adds the clearance to a free draft, if it is asked for and not above what is asked about.
pub(super) fn measure(
    bodies: [(&Model, &Pose); 2],
    (gap, limit, scratch): (Gap, &Limit<'_>, &mut GapScratch),
    draft: &mut Draft,
) {
    let below = match gap {
        Gap::Ignore => return,
        Gap::Below(distance) => distance.max(0.0),
        Gap::Measure => f64::INFINITY,
    };
    let [a, b] = bodies.map(|(model, pose)| Placed { mesh: &model.mesh, tree: model.tree(), pose });
    let couple = Couple::new(a, b);
    let mut search = GapSearch { couple: &couple, scratch, work: Work::default() };
    let left = limit.left();
    let spent = |work: &Work| 8 * work.nodes + 64 * work.leaves;
    let steps = |work: &Work| {
        let steps = (left.saturating_sub(spent(work)) / 64).min(STEPS_PER_LOOK);
        if limit.deadline.is_over() { 0 } else { steps }
    };
    let (gap, ended) = search.run(&Wanted { below, hint: None }, steps);
    let work = search.work;
    limit.spend(spent(&work));
    draft.counters.node_tests += 8 * work.nodes;
    draft.counters.distance_tests += work.distances;
    draft.complete &= ended != Ended::CutShort;
    draft.clearance = gap.map(|gap| Clearance {
        at_least: gap.at_least,
        at_most: gap.closest.hi,
        points: gap.closest.points,
        triangles: gap.triangles,
    });
}
