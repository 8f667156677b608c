//! Pairs of features whose boxes over the step overlap.

use super::{Bodies, Kind, Moving};
use crate::aabb::{Aabb, Aabb32, outward};
use crate::box_tree::BoxTree;

/// All of them, in order.
pub(super) fn pairs(bodies: &Bodies<'_>, kind: Kind, pairs: &mut Vec<[u32; 2]>) {
    pairs.clear();
    let [a, b] = bodies.both();
    let [of_a, of_b] = match kind {
        Kind::VertexFace => [vertices(&a), faces(&b)],
        Kind::FaceVertex => [faces(&a), vertices(&b)],
        Kind::EdgeEdge => [edges(&a), edges(&b)],
    };
    let mut tree = BoxTree::default();
    let ids: Vec<u32> = of_b.iter().map(|&(id, _)| id).collect();
    let mut table = vec![[0.0; 6]; ids.last().map_or(0, |&last| last as usize + 1)];
    of_b.iter().for_each(|&(id, aabb)| table[id as usize] = aabb);
    tree.build(&ids, &|i| table[i as usize]);
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    for (i, aabb) in of_a {
        found.clear();
        tree.overlapping(&aabb, &mut stack, &mut found);
        found.retain(|&j| kind != Kind::EdgeEdge || !bodies.is_one() || i < j);
        found.sort_unstable();
        pairs.extend(found.iter().map(|&j| [i, j]));
    }
}

fn around(body: &Moving<'_>, corners: &[u32]) -> Aabb32 {
    let both = corners.iter().map(|&vertex| {
        let i = vertex as usize;
        Aabb::around(&[body.motion.at(0.0, i), body.motion.at(1.0, i)])
    });
    outward(&both.fold(Aabb::EMPTY, |all, one| all.union(&one)))
}

fn vertices(body: &Moving<'_>) -> Vec<(u32, Aabb32)> {
    body.surface.vertices().iter().map(|&vertex| (vertex, around(body, &[vertex]))).collect()
}

fn faces(body: &Moving<'_>) -> Vec<(u32, Aabb32)> {
    (0..).zip(body.surface.triangles()).map(|(i, corners)| (i, around(body, corners))).collect()
}

fn edges(body: &Moving<'_>) -> Vec<(u32, Aabb32)> {
    (0..).zip(body.surface.edges()).map(|(i, corners)| (i, around(body, corners))).collect()
}
