//! Faces around vertices that lie so flat that they cannot meet each other beyond what they share:
//! the culling by cones of normals in self-tests.
//!
//! Seen along one direction, the faces around a vertex are triangles with that corner in common. If
//! all are turned the same way and together go round at most once, then no two of them overlap in
//! that view, so that in space they share no more than the vertex or the edge between them. Signs
//! count only if they are larger than what rounding can have done to them.

use crate::Point;
use glam::DVec3;

/// The faces around each vertex, in order; it depends on the triangles alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fans {
    starts: Vec<u32>,
    /// Of each fan the vertices at the other ends of its edges, in order; the first again at the end
    /// if it goes all the way round. None where the faces around a vertex are no fan.
    spokes: Vec<u32>,
}

impl Fans {
    /// Of some triangles.
    pub fn of(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let mut counts = vec![0u32; vertices + 1];
        for &v in triangles.as_flattened() {
            counts[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            counts[v + 1] += counts[v];
        }
        let mut sides = vec![[0u32; 2]; 3 * triangles.len()];
        let mut next = counts.clone();
        for &[a, b, c] in triangles {
            for (v, side) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                sides[next[v as usize] as usize] = side;
                next[v as usize] += 1;
            }
        }
        let mut fans = Self { starts: vec![0], spokes: Vec::new() };
        for v in 0..vertices {
            let around = &mut sides[counts[v] as usize..counts[v + 1] as usize];
            let before = fans.spokes.len();
            if !in_order(v as u32, around, &mut fans.spokes) {
                fans.spokes.truncate(before);
            }
            fans.starts.push(fans.spokes.len() as u32);
        }
        fans
    }

    /// Tells of each vertex whether the faces around it are known not to meet beyond what they share.
    pub(super) fn flat(
        &self,
        points: &[Point],
        vertices: std::ops::Range<usize>,
        out: &mut [bool],
    ) {
        for (v, flat) in vertices.zip(out) {
            let spokes = &self.spokes[self.starts[v] as usize..self.starts[v + 1] as usize];
            *flat = spokes.len() > 1 && is_flat(points, v, spokes);
        }
    }

    /// How many vertices there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * (self.starts.capacity() + self.spokes.capacity())
    }
}

/// More faces than that around one vertex are not put in order, which takes a look at each for each.
const FACES_MAX: usize = 64;

/// Puts the sides opposite a vertex one after the other; false if they are no single chain.
fn in_order(vertex: u32, around: &mut [[u32; 2]], spokes: &mut Vec<u32>) -> bool {
    let count = around.len();
    let degenerate = around.iter().any(|&[p, q]| p == q || p == vertex || q == vertex);
    if count == 0 || count > FACES_MAX || degenerate {
        return false;
    }
    // A chain begins with the side that no other leads to; a ring with any.
    let led_to = |p: u32| around.iter().filter(|side| side[1] == p).count();
    if around.iter().any(|side| led_to(side[0]) > 1) {
        return false;
    }
    let first = around.iter().position(|side| led_to(side[0]) == 0).unwrap_or(0);
    around.swap(0, first);
    spokes.extend(around[0]);
    for i in 1..count {
        let end = around[i - 1][1];
        let Some(next) = around[i..].iter().position(|side| side[0] == end) else { return false };
        around.swap(i, i + next);
        spokes.push(around[i][1]);
    }
    // All spokes differ, but that a ring ends where it began.
    let mut seen: Vec<u32> = spokes[spokes.len() - count..].to_vec();
    seen.sort_unstable();
    seen.windows(2).all(|two| two[0] != two[1])
}

/// Twice the roundings of a determinant of three differences, in units of the product of their sizes.
const ERROR: f64 = 64.0 * f64::EPSILON;

fn is_flat(points: &[Point], vertex: usize, spokes: &[u32]) -> bool {
    let origin = DVec3::from(points[vertex]);
    let way = |i: usize| DVec3::from(points[spokes[i] as usize]) - origin;
    let sides = spokes.len() - 1;
    let mut along = DVec3::ZERO;
    let (start, mut from) = (way(0), way(0));
    for i in 1..=sides {
        let to = way(i);
        along += from.cross(to);
        from = to;
    }
    let view = View { along };
    let is_ring = spokes[sides] == spokes[0];
    let mut past_half = false;
    let mut from = start;
    for i in 1..=sides {
        let to = way(i);
        if view.turn(from, to) != 1 {
            return false;
        }
        // Each turn is less than half a round, so that a round is over when the way of the first spoke
        // is on the left again.
        if i > 1 && !(is_ring && i == sides) {
            match view.turn(start, to) {
                -1 => past_half = true,
                1 if !past_half => {}
                0 if !past_half && view.is_opposite(start, to) => {}
                _ => return false,
            }
        }
        from = to;
    }
    true
}

/// Space seen along a direction.
struct View {
    along: DVec3,
}

impl View {
    /// 1 if the second is certainly on the left of the first, −1 if it is on the right, 0 if that is
    /// not certain.
    fn turn(&self, from: DVec3, to: DVec3) -> i8 {
        let grain = ERROR * size(from) * size(to) * size(self.along) + f64::MIN_POSITIVE;
        let turn = from.cross(to).dot(self.along);
        i8::from(turn > grain) - i8::from(turn < -grain)
    }

    /// Whether the two certainly point away from each other.
    fn is_opposite(&self, one: DVec3, other: DVec3) -> bool {
        let (one, other) = (one.cross(self.along), other.cross(self.along));
        one.dot(other) < -ERROR * size(one) * size(other)
    }
}

fn size(v: DVec3) -> f64 {
    v.abs().max_element()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::neighbours::intersect_beyond_shared;
    use proptest::prelude::*;

    proptest! {
        /// A wheel whose rim and hub go up and down, sometimes far: flat ones have no contacts.
        #[test]
        fn flat_fans_have_no_contacts_beyond_what_they_share(
            count in 3u32..9,
            open in any::<bool>(),
            turns in 1u32..3,
            heights in prop::collection::vec(prop_oneof![-0.4..0.4f64, -3.0..3.0f64], 10),
            far in prop::sample::select(vec![0.0, 1e6]),
        ) {
            let angle = |i: u32| std::f64::consts::TAU * f64::from(turns * i) / f64::from(count);
            let rim = |i: u32| [far + angle(i).cos(), angle(i).sin(), heights[i as usize]];
            let mut vertices = vec![[far, 0.0, heights[9]]];
            vertices.extend((0..count).map(rim));
            let last = if open { count - 1 } else { count };
            let triangles: Vec<[u32; 3]> =
                (0..last).map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
            let mesh = Mesh::new(vertices, triangles).unwrap();
            let fans = Fans::of(mesh.triangles(), mesh.vertices().len());
            let mut flat = [false];
            fans.flat(mesh.vertices(), 0..1, &mut flat);
            let level = heights.iter().all(|h| h.abs() < 0.3) && turns == 1 && far == 0.0;
            prop_assert!(flat[0] || !level);
            for i in 0..last {
                for j in 0..i {
                    let both = [mesh.triangle(i), mesh.triangle(j)];
                    prop_assert!(!(flat[0] && intersect_beyond_shared(&both[0], &both[1])));
                }
            }
        }
    }

    #[test]
    fn two_fans_at_one_vertex_are_none() {
        let fans = Fans::of(&[[0, 1, 2], [0, 3, 4]], 5);
        assert_eq!(fans.starts[1], 0);
        let chain = Fans::of(&[[0, 2, 3], [0, 1, 2]], 4);
        assert_eq!(chain.spokes[..3], [1, 2, 3]);
    }
}
