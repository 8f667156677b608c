//! Separating planes with a cache [K98 §5.1]: convex bodies only, a verdict and no face pairs, every
//! pair of bodies at every cycle.
//!
//! For each pair the last plane is asked first: if all points of one body are still on one side along
//! its normal and all of the other on the other, the pair is free. If not, closest points are found
//! anew (`gjk`) and give a new normal; if that parts nothing either, the bodies collide. The plane is
//! kept as its normal: that any plane of that direction will do is what makes it last longer, and a
//! bounded distance from the origin would be worth nothing for bodies that move.

use super::gjk::{self, Support};
use super::polytope::Polytope;
use glam::DVec3;
use impinge_geom::pose::Pose;
use std::sync::Arc;

/// How the farthest point along a direction is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// By looking at all vertices, posed once per cycle: as the source that the paper used.
    All,
    /// By going from neighbour to neighbour, from where the last search ended; in the body's frame,
    /// so that no vertex has to be posed.
    Climb,
}

/// What was done, all cycles together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Planes that were asked whether they still separate.
    pub planes: u64,
    /// Closest points that were looked for, because the plane did not.
    pub searches: u64,
    /// Rounds of all these searches.
    pub rounds: u64,
    /// Vertices that were looked at.
    pub vertices: u64,
}

/// Bodies, and a plane for each two of them.
#[derive(Debug)]
pub struct SeparatingPlanes {
    search: Search,
    bodies: Vec<Arc<Polytope>>,
    poses: Vec<Pose>,
    /// By body, if all vertices are looked at.
    posed: Vec<Vec<DVec3>>,
    /// Row by row: the pairs of body 1, then those of body 2, and so on.
    planes: Vec<Plane>,
    colliding: Vec<[u32; 2]>,
    work: Work,
}

/// The last direction between two bodies, from the second to the first, and the vertices next to it.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: DVec3,
    nearest: [u32; 2],
}

/// A body as the search sees it.
struct Seen<'a> {
    search: Search,
    body: &'a Polytope,
    pose: &'a Pose,
    posed: &'a [DVec3],
    last: u32,
    looks: u64,
}

impl SeparatingPlanes {
    /// No plane is known yet.
    pub fn new(bodies: Vec<Arc<Polytope>>, search: Search) -> Self {
        let pairs = bodies.len() * bodies.len().saturating_sub(1) / 2;
        Self {
            search,
            poses: vec![Pose::IDENTITY; bodies.len()],
            posed: vec![Vec::new(); bodies.len()],
            planes: vec![Plane { normal: DVec3::ZERO, nearest: [0; 2] }; pairs],
            colliding: Vec::new(),
            work: Work::default(),
            bodies,
        }
    }

    /// The pairs that collide with the bodies at these poses, one for each, the greater number first.
    pub fn step(&mut self, poses: &[Pose]) -> &[[u32; 2]] {
        assert_eq!(poses.len(), self.bodies.len(), "a pose for each body");
        self.poses.copy_from_slice(poses);
        if self.search == Search::All {
            for ((body, pose), posed) in self.bodies.iter().zip(poses).zip(&mut self.posed) {
                posed.clear();
                let place = |v: &DVec3| DVec3::from(pose.apply(&v.to_array()));
                posed.extend(body.vertices.iter().map(place));
            }
        }
        self.colliding.clear();
        let mut pair = 0;
        for a in 1..self.bodies.len() {
            for b in 0..a {
                if !self.is_free(pair, [a, b]) {
                    self.colliding.push([a as u32, b as u32]);
                }
                pair += 1;
            }
        }
        &self.colliding
    }

    /// The work of all cycles so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The distance of two bodies where they were last, zero if they touch.
    pub fn distance(&mut self, [a, b]: [usize; 2]) -> f64 {
        let [mut seen_a, mut seen_b] = [a, b].map(|k| self.seen(k, 0));
        let first = seen_b.farthest(DVec3::X).1 - seen_a.farthest(DVec3::X).1;
        gjk::closest(&mut seen_a, &mut seen_b, first).between.length()
    }

    fn seen(&self, body: usize, last: u32) -> Seen<'_> {
        Seen {
            search: self.search,
            body: &self.bodies[body],
            pose: &self.poses[body],
            posed: &self.posed[body],
            last,
            looks: 0,
        }
    }

    fn is_free(&mut self, pair: usize, [a, b]: [usize; 2]) -> bool {
        let Plane { mut normal, nearest } = self.planes[pair];
        let mut seen_a = self.seen(a, nearest[0]);
        let mut seen_b = self.seen(b, nearest[1]);
        let mut work = Work { planes: 1, ..Work::default() };
        let mut free = separates(normal, &mut seen_a, &mut seen_b);
        if !free {
            let first = if normal == DVec3::ZERO {
                DVec3::from(self.poses[b].translation()) - DVec3::from(self.poses[a].translation())
            } else {
                -normal
            };
            let found = gjk::closest(&mut seen_a, &mut seen_b, first);
            work.searches = 1;
            work.rounds = u64::from(found.rounds);
            normal = found.between.normalize_or_zero();
            free = separates(normal, &mut seen_a, &mut seen_b);
        }
        let nearest = [seen_a.last, seen_b.last];
        work.vertices = seen_a.looks + seen_b.looks;
        self.planes[pair] = Plane { normal, nearest };
        self.work.planes += work.planes;
        self.work.searches += work.searches;
        self.work.rounds += work.rounds;
        self.work.vertices += work.vertices;
        free
    }
}

/// Whether the first body is beyond the second along a normal, by more than rounding.
fn separates(normal: DVec3, a: &mut Seen<'_>, b: &mut Seen<'_>) -> bool {
    if normal == DVec3::ZERO {
        return false;
    }
    let (low, high) = (a.farthest(-normal).1, b.farthest(normal).1);
    let size = low.abs().max(high.abs()).max_element();
    (low - high).dot(normal) > gjk::TOUCHING * size
}

impl Support for Seen<'_> {
    fn farthest(&mut self, direction: DVec3) -> (u32, DVec3) {
        match self.search {
            Search::All => {
                let mut best = (0, f64::NEG_INFINITY);
                for (k, vertex) in self.posed.iter().enumerate() {
                    let height = vertex.dot(direction);
                    if height > best.1 {
                        best = (k, height);
                    }
                }
                self.looks += self.posed.len() as u64;
                (best.0 as u32, self.posed[best.0])
            }
            Search::Climb => {
                let [x, y, z] = self.pose.matrix().map(DVec3::from);
                let inner = x * direction.x + y * direction.y + z * direction.z;
                let (top, looks) = self.body.climb(inner, self.last);
                self.looks += looks;
                self.last = top;
                let vertex = self.body.vertices[top as usize].to_array();
                (top, DVec3::from(self.pose.apply(&vertex)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::Random;
    use impinge::contract::answer::Verdict;
    use impinge::prelude::{PosedPair, Query};
    use impinge_samples::build_mesh;

    /// Spheres at random, near enough to each other that a good part collides.
    fn poses(random: &mut Random, count: usize) -> Vec<Pose> {
        let pose = |_| {
            let place = [(); 3].map(|()| random.between([-2.5, 2.5]));
            Pose::new(random.on_sphere::<4>(), place).unwrap()
        };
        (0..count).map(pose).collect()
    }

    #[test]
    fn verdicts_and_distances_are_those_of_the_exact_engine() {
        for sample in ["sphere?faces=528", "box", "polytope"] {
            let mesh = Arc::new(build_mesh(sample).unwrap());
            let body = Arc::new(Polytope::of(&mesh).unwrap());
            let mut exact = PosedPair::new(Arc::clone(&mesh), mesh).unwrap();
            let mut random = Random::of([5, 5, 5]);
            let mut planes = [Search::All, Search::Climb]
                .map(|s| SeparatingPlanes::new(vec![body.clone(); 6], s));
            let (mut hits, mut free) = (0, 0);
            for _ in 0..40 {
                let poses = poses(&mut random, 6);
                let found = planes.each_mut().map(|planes| planes.step(&poses).to_vec());
                assert_eq!(found[0], found[1]);
                for a in 1..6 {
                    for b in 0..a {
                        let relative = poses[a].inverse().after(&poses[b]);
                        let answer = &exact.check(&[relative], &Query::CLEARANCE).all()[0];
                        let collide = found[0].contains(&[a as u32, b as u32]);
                        assert_eq!(collide, matches!(answer.verdict, Verdict::Hit(_)), "{sample}");
                        let gap = answer.clearance.map_or(0.0, |gap| gap.at_most);
                        for planes in &mut planes {
                            // Samples are convex but for the rounding of their coordinates.
                            assert!((planes.distance([a, b]) - gap).abs() < 4e-6, "{sample}");
                        }
                        hits += u32::from(collide);
                        free += u32::from(!collide);
                    }
                }
            }
            assert!(hits > 20 && free > 20, "{sample}: {hits} and {free}");
        }
    }

    #[test]
    fn planes_last_while_bodies_move_little() {
        let body = Arc::new(Polytope::of(&build_mesh("sphere?faces=528").unwrap()).unwrap());
        let at = |x: f64| Pose::new([x.cos(), 0.0, x.sin(), 0.3], [3.0 - x, x, 0.0]).unwrap();
        let mut works = Vec::new();
        for search in [Search::All, Search::Climb] {
            let mut planes = SeparatingPlanes::new(vec![body.clone(); 2], search);
            let step = |k: u32| 0.01 * f64::from(k);
            let free = (0..50).filter(|&k| planes.step(&[Pose::IDENTITY, at(step(k))]).is_empty());
            assert_eq!(free.count(), 50);
            works.push(planes.work());
            // Deep in each other, and back.
            assert_eq!(
                planes.step(&[Pose::IDENTITY, Pose::shift([1.0, 0.0, 0.0]).unwrap()]),
                [[1, 0]]
            );
            assert!(planes.step(&[Pose::IDENTITY, at(0.0)]).is_empty());
        }
        assert!(works.iter().all(|work| work.planes == 50 && work.searches == 1), "{works:?}");
        assert!(works[1].vertices * 10 < works[0].vertices, "{works:?}");
    }
}
