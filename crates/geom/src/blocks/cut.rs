//! Solids cut into parts by planes along the axes.
//!
//! What of a solid is in a box has the hull of: its faces cut to the box, and the corners of the box that are inside. Faces
//! that only lie on a plane of a cut are not in the box: what is beyond them is on the other side, or has other
//! faces there. A part is cut where that lessens the volume of the hulls most, of some planes that are tried: through
//! the deepest corner below the hull and in the middle and the quarters, across each axis.

use super::depth::{Planes, excess};
use super::{Block, Part};
use crate::aabb::Aabb;
use crate::hull::Hull;
use crate::inside::{Location, locate};
use crate::mesh::Mesh;
use crate::shells::Shell;
use crate::{Point, Triangle};
use rayon::prelude::*;

/// So many faces of a part are looked at to choose a plane, evenly out of all.
const SAMPLE: usize = 1500;
/// How far on the way to the middle of a box is next to its corner.
const NEXT: f64 = 1e-9;

/// A solid before it is cut.
pub(super) enum Whole {
    /// A block itself, with the faces it has.
    Convex(Block),
    /// To be cut.
    Concave(Solid),
}

/// A solid that is not convex.
pub(super) struct Solid {
    /// Which triangles of the mesh are its surface, shell by shell.
    faces: Vec<u32>,
    /// Where they are.
    triangles: Vec<Triangle>,
    /// Where each shell ends, and +1, or −1 for one that is turned inward.
    shells: Vec<(usize, i32)>,
}

impl Solid {
    /// Of shells that make it up together.
    pub(super) fn of(mesh: &Mesh, shells: &[&Shell]) -> Self {
        let mut solid = Self { faces: Vec::new(), triangles: Vec::new(), shells: Vec::new() };
        for shell in shells {
            solid.faces.extend_from_slice(&shell.triangles);
            solid.shells.push((solid.faces.len(), if shell.inward { -1 } else { 1 }));
        }
        solid.triangles = solid.faces.iter().map(|&i| mesh.triangle(i)).collect();
        solid
    }

    fn of_one(faces: &[u32], triangles: Vec<Triangle>) -> Self {
        Self { faces: faces.to_vec(), shells: vec![(triangles.len(), 1)], triangles }
    }

    /// Where a point is: inside if the shells around it do not cancel.
    fn locate(&self, point: &Point) -> Location {
        let (mut start, mut sum) = (0, 0);
        for &(end, sign) in &self.shells {
            match locate(point, self.triangles[start..end].iter().copied()) {
                Location::On => return Location::On,
                Location::Inside => sum += sign,
                Location::Outside => {}
            }
            start = end;
        }
        if sum == 0 { Location::Outside } else { Location::Inside }
    }
}

impl Whole {
    /// Of the faces of a closed shell; convex if they are nowhere deeper below their hull than a part of their size:
    /// a block as they are up to the first part, as their hull up to the second. A thin-walled cup is not: all of it
    /// is near its hull, but the middle is not in it.
    pub(super) fn of(mesh: &Mesh, faces: &[u32], convex: [f64; 2]) -> Self {
        let triangles: Vec<Triangle> = faces.iter().map(|&i| mesh.triangle(i)).collect();
        let hull = Hull::around(triangles.as_flattened());
        let planes = Around::new(&hull);
        let bounds = Aabb::around(triangles.as_flattened());
        let [exact, tolerance] = convex.map(|part| part * bounds.diagonal());
        // Most bodies that are not convex show it soon.
        let stride = triangles.len().div_ceil(SAMPLE).max(1);
        let shallow = |t: &Triangle| planes.depth_between(t, tolerance) <= tolerance;
        if is_flat(&hull) || !triangles.iter().step_by(stride).all(shallow) {
            return Self::Concave(Solid::of_one(faces, triangles));
        }
        let depth = |t: &Triangle| planes.depth_between(t, exact);
        let deepest = triangles.par_iter().map(depth).reduce(|| exact, f64::max);
        let ball = planes.planes.ball(&hull.points);
        let is_solid = |p: &Point| locate(p, triangles.iter().copied()) == Location::Inside;
        if deepest > tolerance || ball.radius <= deepest || !is_solid(&ball.center) {
            return Self::Concave(Solid::of_one(faces, triangles));
        }
        // The middle was just found to be solid.
        let excess = excess(&hull, &ball, deepest, |_| true);
        let block = |hull| Block::new(hull, (excess, ball.radius), (faces.to_vec(), Part::Shell));
        if deepest > exact {
            return Self::Convex(block(hull));
        }
        let mut number = vec![u32::MAX; mesh.vertices().len()];
        let mut points = Vec::new();
        let corner = |v: u32| {
            let number = &mut number[v as usize];
            if *number == u32::MAX {
                *number = points.len() as u32;
                points.push(mesh.vertices()[v as usize]);
            }
            *number
        };
        let mut corner = corner;
        let kept = faces.iter().map(|&i| mesh.triangles()[i as usize].map(&mut corner)).collect();
        Self::Convex(block(Hull { points, triangles: kept }))
    }
}

/// Without volume: two closed sheets on each other.
fn is_flat(hull: &Hull) -> bool {
    hull.volume() <= 0.0
}

/// A hull's planes, and which faces are at which corners: the depth of a face below the hull that has corners of it
/// is mostly found there.
struct Around {
    planes: Planes,
    /// Corners in order, each with the planes beside it.
    beside: Vec<(Point, Planes)>,
}

/// More corners than this are worth an order of their own.
const MANY: usize = 64;

impl Around {
    fn new(hull: &Hull) -> Self {
        let planes = Planes::of(hull);
        if hull.points.len() < MANY {
            return Self { planes, beside: Vec::new() };
        }
        let mut faces = vec![Vec::new(); hull.points.len()];
        for triangle in &hull.triangles {
            triangle.iter().for_each(|&v| faces[v as usize].push(*triangle));
        }
        let of = |(point, triangles): (&Point, Vec<[u32; 3]>)| {
            let fan = triangles.iter().map(|t| t.map(|v| hull.points[v as usize]));
            let points: Vec<Point> = fan.flatten().collect();
            let numbers = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
            (*point, Planes::of(&Hull { points, triangles: numbers.collect() }))
        };
        let mut beside: Vec<(Point, Planes)> = hull.points.iter().zip(faces).map(of).collect();
        beside.sort_by(|(p, _), (q, _)| order(p, q));
        Self { planes, beside }
    }

    fn depth_between(&self, corners: &[Point], enough: f64) -> f64 {
        for corner in corners {
            if let Ok(k) = self.beside.binary_search_by(|(p, _)| order(p, corner)) {
                let depth = self.beside[k].1.depth_between(corners, enough);
                if depth <= enough {
                    return depth;
                }
            }
        }
        self.planes.depth_between(corners, enough)
    }
}

fn order(p: &Point, q: &Point) -> std::cmp::Ordering {
    let [p, q] = [p, q].map(|p| p.map(|x| x + 0.0));
    p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
}

/// Solids that are not convex, and when to stop.
pub(super) struct Cutter<'a> {
    pub(super) solids: &'a [Solid],
    /// Parts that are not deeper below their hull are left as they are.
    pub(super) tolerance: f64,
    pub(super) count_max: usize,
}

/// A piece of a solid.
struct Piece {
    solid: usize,
    region: Aabb,
    /// The faces that reach its box, also those that only lie on a side of it.
    faces: Vec<u32>,
    hull: Hull,
    volume: f64,
    /// The deepest that was seen of its surface below the hull, and where.
    deepest: (f64, Point),
}

impl Cutter<'_> {
    /// Parts with a surface that is too deep are cut, again and again: the one that is largest by its depth times its
    /// volume first.
    pub(super) fn cut(&self) -> Vec<Block> {
        let whole = |solid: usize| {
            let count = self.solids[solid].triangles.len() as u32;
            self.part(solid, self.bounds(solid), (0..count).collect())
        };
        let mut parts: Vec<Piece> =
            (0..self.solids.len()).into_par_iter().filter_map(whole).collect();
        while parts.len() < self.count_max {
            let weight = |k: &usize| parts[*k].deepest.0 * parts[*k].volume;
            let deep = (0..parts.len()).filter(|&k| parts[k].deepest.0 > self.tolerance);
            let Some(k) = deep.max_by(|i, j| weight(i).total_cmp(&weight(j))) else { break };
            let halves = self.halves(&parts[k]);
            if halves.is_empty() {
                parts[k].deepest.0 = 0.0;
                continue;
            }
            parts.splice(k..=k, halves);
        }
        parts.into_par_iter().map(|part| self.block(part)).collect()
    }

    /// None if nothing of the solid is in the box.
    fn part(&self, solid: usize, region: Aabb, from: Vec<u32>) -> Option<Piece> {
        let (mut faces, mut points, mut rings) = (Vec::new(), Vec::new(), Vec::new());
        let whole = self.bounds(solid);
        for i in from {
            let face = &self.solids[solid].triangles[i as usize];
            let ring = inner_ring(face, &region, &whole);
            if !ring.is_empty() || is_on_side(face, &region) {
                faces.push(i);
            }
            if !ring.is_empty() {
                points.extend_from_slice(&ring);
                rings.push(ring);
            }
        }
        points.extend(self.inner_corners(solid, &region));
        if points.is_empty() {
            return None;
        }
        let hull = Hull::around(&points);
        let around = Around::new(&hull);
        let stride = rings.len().div_ceil(SAMPLE).max(1);
        let look = |rings: &[&Vec<Point>]| {
            let depth = |ring: &&Vec<Point>| around.depth_between(ring, self.tolerance);
            let depths: Vec<f64> = rings.par_iter().map(depth).collect();
            let best = (0..rings.len()).max_by(|&i, &j| depths[i].total_cmp(&depths[j]));
            best.map_or((0.0, region.center()), |k| (depths[k], self.corner(&around, rings[k])))
        };
        let some: Vec<&Vec<Point>> = rings.iter().step_by(stride).collect();
        let mut deepest = look(&some);
        if deepest.0 <= self.tolerance && stride > 1 {
            deepest = look(&rings.iter().collect::<Vec<_>>());
        }
        let volume = hull.volume();
        Some(Piece { solid, region, faces, hull, volume, deepest })
    }

    /// The deepest corner of a ring.
    fn corner(&self, around: &Around, ring: &[Point]) -> Point {
        let depth = |p: &&Point| around.planes.depth(p);
        let deepest = ring.iter().max_by(|p, q| depth(p).total_cmp(&depth(q)));
        deepest.copied().unwrap_or([0.0; 3])
    }

    /// The corners of a box that are in a solid.
    fn inner_corners(&self, solid: usize, region: &Aabb) -> Vec<Point> {
        let corner = |i: usize| {
            std::array::from_fn(|k| if i >> k & 1 == 0 { region.min[k] } else { region.max[k] })
        };
        let place = |p: &Point| self.solids[solid].locate(p);
        let middle = region.center();
        let is_in = |p: &Point| match place(p) {
            Location::Inside => true,
            Location::Outside => false,
            // What is within the box next to the corner?
            Location::On => {
                let towards = std::array::from_fn(|k| p[k] + NEXT * (middle[k] - p[k]));
                place(&towards) != Location::Outside
            }
        };
        (0..8).map(corner).filter(is_in).collect()
    }

    fn bounds(&self, solid: usize) -> Aabb {
        Aabb::around(self.solids[solid].triangles.as_flattened())
    }

    /// The two parts of the best cut that was found; fewer if a side is empty, none if there is no cut.
    fn halves(&self, part: &Piece) -> Vec<Piece> {
        let triangles = &self.solids[part.solid].triangles;
        let stride = part.faces.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<Triangle> =
            part.faces.iter().step_by(stride).map(|&i| triangles[i as usize]).collect();
        let whole = self.bounds(part.solid);
        let (min, max) = (part.region.min, part.region.max);
        let at = |axis: usize, share: f64| min[axis] + share * (max[axis] - min[axis]);
        let mut cuts: Vec<(usize, f64)> = (0..3).map(|axis| (axis, part.deepest.1[axis])).collect();
        for share in [0.5, 0.25, 0.75] {
            cuts.extend((0..3).map(|axis| (axis, at(axis, share))));
        }
        // A cut that takes off next to nothing is none.
        cuts.retain(|&(axis, x)| {
            let least = 1e-3 * (max[axis] - min[axis]);
            x - min[axis] > least && max[axis] - x > least
        });
        let volume = |&(axis, x): &(usize, f64)| -> f64 {
            split(&part.region, axis, x)
                .iter()
                .map(|region| {
                    let mut points: Vec<Point> =
                        sample.iter().flat_map(|face| inner_ring(face, region, &whole)).collect();
                    points.extend(self.inner_corners(part.solid, region));
                    Hull::around(&points).volume()
                })
                .sum()
        };
        let volumes: Vec<f64> = cuts.par_iter().map(volume).collect();
        let least = volumes.iter().copied().fold(f64::INFINITY, f64::min);
        // What is equal but for rounding is: the first of them goes through the deepest corner.
        let best = volumes.iter().position(|volume| *volume <= least * (1.0 + 1e-9));
        let Some((axis, x)) = best.map(|k| cuts[k]) else { return Vec::new() };
        let halves = split(&part.region, axis, x);
        halves
            .into_iter()
            .filter_map(|region| self.part(part.solid, region, part.faces.clone()))
            .collect()
    }

    fn block(&self, part: Piece) -> Block {
        let solid = &self.solids[part.solid];
        let planes = Around::new(&part.hull);
        let ball = planes.planes.ball(&part.hull.points);
        let whole = self.bounds(part.solid);
        // All faces, not only some; what is not above the tolerance need not be told closer.
        let enough = self.tolerance.min(part.deepest.0);
        let depth = part.faces.par_iter().map(|&i| {
            let ring = inner_ring(&solid.triangles[i as usize], &part.region, &whole);
            planes.depth_between(&ring, enough)
        });
        let depth = depth.reduce(|| 0.0, f64::max);
        let is_solid = |p: &Point| solid.locate(p) == Location::Inside;
        let excess = excess(&part.hull, &ball, depth, is_solid);
        let faces = part.faces.iter().map(|&i| solid.faces[i as usize]).collect();
        let what = if part.region == whole { Part::Whole } else { Part::Cut };
        Block::new(part.hull, (excess, ball.radius), (faces, what))
    }
}

fn split(region: &Aabb, axis: usize, x: f64) -> [Aabb; 2] {
    let [mut low, mut high] = [*region; 2];
    (low.max[axis], high.min[axis]) = (x, x);
    [low, high]
}

/// What of a face of a solid is in a part; nothing if it is only on a plane of a cut.
fn inner_ring(face: &Triangle, region: &Aabb, whole: &Aabb) -> Vec<Point> {
    let mut ring = clip(face, region);
    let lies_on = |axis: usize, x: f64, end: f64| x != end && ring.iter().all(|p| p[axis] == x);
    let on_cut = (0..3).any(|k| {
        lies_on(k, region.min[k], whole.min[k]) || lies_on(k, region.max[k], whole.max[k])
    });
    if on_cut {
        ring.clear();
    }
    ring
}

/// Whether a triangle lies on a side of a box, in part at least.
fn is_on_side(face: &Triangle, region: &Aabb) -> bool {
    let lies_on = |axis: usize, x: f64| face.iter().all(|p| p[axis] == x);
    let on_plane = (0..3).any(|k| lies_on(k, region.min[k]) || lies_on(k, region.max[k]));
    on_plane && !clip(face, region).is_empty()
}

/// What of a triangle is in a closed box, as a ring of points; empty if nothing is.
fn clip(triangle: &Triangle, region: &Aabb) -> Vec<Point> {
    let mut ring = triangle.to_vec();
    for axis in 0..3 {
        let below = triangle.iter().any(|p| p[axis] < region.min[axis]);
        let above = triangle.iter().any(|p| p[axis] > region.max[axis]);
        if below {
            ring = clip_to_side(&ring, axis, (region.min[axis], 1.0));
        }
        if above {
            ring = clip_to_side(&ring, axis, (region.max[axis], -1.0));
        }
    }
    ring
}

/// What of a ring is on one side of a plane across an axis: above it if the sign is positive.
fn clip_to_side(ring: &[Point], axis: usize, (at, sign): (f64, f64)) -> Vec<Point> {
    let mut kept = Vec::with_capacity(ring.len() + 2);
    for (k, p) in ring.iter().enumerate() {
        let q = &ring[(k + 1) % ring.len()];
        let [over_p, over_q] = [p, q].map(|x| sign * (x[axis] - at));
        if over_p >= 0.0 {
            kept.push(*p);
        }
        if (over_p > 0.0 && over_q < 0.0) || (over_p < 0.0 && over_q > 0.0) {
            let t = over_p / (over_p - over_q);
            let mut cut: Point = std::array::from_fn(|i| crate::flush(p[i] + t * (q[i] - p[i])));
            cut[axis] = at;
            kept.push(cut);
        }
    }
    kept
}
