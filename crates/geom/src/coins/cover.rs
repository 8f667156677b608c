//! Levels of a tree, and how far they reach beyond the surface that they hold.

use super::{Below, CoinTree, Place};
use crate::aabb::{Aabb, Aabb32, outward};
use crate::ask::Spot;
use crate::box_tree::BoxTree;
use crate::mesh::Mesh;
use crate::obb_tree::ObbTree;
use crate::obb_tree::couple::Placed;
use crate::pose::Pose;
use glam::DVec3;
use impinge_simd::coins::Coin;
use rayon::prelude::*;
use std::collections::BinaryHeap;
use std::f64::consts::PI;

/// What is taken for the covering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Balls cut by slabs.
    Coins,
    /// The balls alone.
    Balls,
}

/// How far a covering reaches beyond the surface, in the mesh's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoverError {
    /// How many coins it has.
    pub count: usize,
    /// The greatest distance from the surface that was found among points of the outside of the covering: those of
    /// a coin's boundary that are in no other coin. A sample, and so not more than the truth.
    pub seen_max: f64,
    /// The mean of these, by area.
    pub seen_mean: f64,
    /// No point of any coin, on its boundary or within, is farther from the surface than this, for certain.
    pub bound_max: f64,
    /// The mean of that over the coins, each with its own.
    pub bound_mean: f64,
    /// The largest radius.
    pub radius_max: f64,
    /// The sum of all volumes.
    pub volume: f64,
}

/// Of so many coins, evenly chosen, the boundary is looked at.
const SAMPLED: usize = 1024;
/// At so many points of each.
const POINTS: usize = 64;
/// A point that is less than this within another coin is still outside: the share of its radius.
const WITHIN: f64 = 1e-6;

impl CoinTree {
    /// The coins one level below these; triangles stay, so that all of the surface is held.
    pub fn deeper(&self, level: &[Place]) -> Vec<Place> {
        let mut next = Vec::with_capacity(4 * level.len());
        for &place in level {
            match self.below(place) {
                Below::Node(node) => next.extend(self.places(node)),
                Below::Triangle(_) => next.push(place),
            }
        }
        next
    }

    /// Up to so many coins that hold all of the surface: the largest is opened while there is room.
    pub fn cut(&self, count: usize) -> Vec<Place> {
        let size = |place: Place| self.coin(place).radius.to_bits();
        let mut open = BinaryHeap::from([(size(Self::ROOT), Self::ROOT)]);
        let mut triangles = Vec::new();
        while let Some((_, place)) = open.pop() {
            let Below::Node(node) = self.below(place) else {
                triangles.push(place);
                continue;
            };
            if open.len() + triangles.len() + self.places(node).count() > count {
                triangles.push(place);
                break;
            }
            open.extend(self.places(node).map(|place| (size(place), place)));
        }
        triangles.extend(open.into_sorted_vec().into_iter().map(|(_, place)| place));
        triangles
    }

    /// The error of every level, from the coin around everything on; `most` is how many below that.
    pub fn level_errors(&self, mesh: &Mesh, form: Form, most: Option<usize>) -> Vec<CoverError> {
        let ruler = Ruler::of(mesh);
        let mut level = vec![Self::ROOT];
        let mut errors = Vec::new();
        loop {
            errors.push(ruler.measure(self, &level, form));
            let next = self.deeper(&level);
            let is_last = next == level || most.is_some_and(|most| errors.len() > most);
            if is_last {
                return errors;
            }
            level = next;
        }
    }
}

/// Measures coverings of a mesh.
#[derive(Clone, Debug)]
pub struct Ruler<'a> {
    mesh: &'a Mesh,
    tree: ObbTree,
}

/// A coin in the tree's frame.
#[derive(Clone, Copy)]
struct Solid {
    centre: DVec3,
    normal: DVec3,
    radius: f64,
    half: f64,
    witness: DVec3,
}

impl Solid {
    fn of(coin: &Coin, form: Form) -> Self {
        let three = |v: [f32; 3]| DVec3::from(v.map(f64::from));
        let radius = f64::from(coin.radius);
        let half = match form {
            Form::Coins => f64::from(coin.half),
            Form::Balls => radius,
        };
        let (centre, witness) = (three(coin.centre), three(coin.witness));
        Self { centre, normal: three(coin.normal).normalize(), radius, half, witness }
    }

    /// A box around the ball, rounded outward.
    fn aabb(&self) -> Aabb32 {
        let (min, max) = (self.centre - self.radius, self.centre + self.radius);
        outward(&Aabb { min: min.into(), max: max.into() })
    }

    /// The two faces, each of them, and the belt of the ball between them.
    fn areas(&self) -> (f64, f64) {
        let face = PI * (self.radius * self.radius - self.half * self.half);
        (face, 4.0 * PI * self.radius * self.half)
    }

    fn area(&self) -> f64 {
        let (face, belt) = self.areas();
        2.0 * face + belt
    }

    fn volume(&self) -> f64 {
        2.0 * PI * self.half * (self.radius * self.radius - self.half * self.half / 3.0)
    }

    fn holds(&self, point: DVec3) -> bool {
        let way = point - self.centre;
        let less = 1.0 - WITHIN;
        way.length() < less * self.radius && way.dot(self.normal).abs() < less * self.half
    }

    /// Points of the boundary, each of which stands for the same area: along a spiral by the golden angle.
    fn boundary(&self) -> impl Iterator<Item = DVec3> + '_ {
        let (x, y) = self.normal.any_orthonormal_pair();
        let (face, belt) = self.areas();
        (0..POINTS).map(move |i| {
            let area = (i as f64 + 0.5) / POINTS as f64 * (2.0 * face + belt);
            let (up, out) = if area < face {
                (-self.half, (area / PI).sqrt())
            } else if area < face + belt {
                let up = (area - face) / (2.0 * PI * self.radius) - self.half;
                (up, (self.radius * self.radius - up * up).max(0.0).sqrt())
            } else {
                (self.half, ((2.0 * face + belt - area) / PI).max(0.0).sqrt())
            };
            let (sine, cosine) = (i as f64 * PI * (3.0 - 5f64.sqrt())).sin_cos();
            self.centre + self.normal * up + (x * cosine + y * sine) * out
        })
    }
}

impl<'a> Ruler<'a> {
    /// For this mesh.
    pub fn of(mesh: &'a Mesh) -> Self {
        Self { mesh, tree: ObbTree::of(mesh) }
    }

    /// Not less than the distance from the surface, in the mesh's unit, of a point in the tree's frame; `witness` is
    /// one of the surface, there.
    fn distance(&self, tree: &CoinTree, point: DVec3, witness: DVec3) -> f64 {
        let here = Placed { mesh: self.mesh, tree: &self.tree, pose: &Pose::IDENTITY };
        let at = point * tree.unit() + DVec3::from(tree.origin());
        let nearest = Spot::new(at.into()).ok().and_then(|spot| here.closest(&spot));
        // Rounding of the point and of the witness.
        let slack = 1e-6 * tree.unit();
        let told = || (point - witness).length() * tree.unit() + slack;
        nearest.map_or_else(told, |nearest| nearest.at_most)
    }

    /// For each of these coins, how far any of its points is from the surface at most, for certain: its radius, and the
    /// way from its centre to the surface.
    pub fn bounds(&self, tree: &CoinTree, places: &[Place]) -> Vec<f64> {
        let bound = |&place: &Place| {
            let solid = Solid::of(&tree.coin(place), Form::Balls);
            solid.radius * tree.unit() + self.distance(tree, solid.centre, solid.witness)
        };
        places.par_iter().map(bound).collect()
    }

    /// How far these coins reach beyond the surface.
    pub fn measure(&self, tree: &CoinTree, places: &[Place], form: Form) -> CoverError {
        let solids: Vec<Solid> =
            places.iter().map(|&place| Solid::of(&tree.coin(place), form)).collect();
        let unit = tree.unit();
        let bounds = self.bounds(tree, places);
        let [seen_max, weighted, area] = self.seen(tree, &solids);
        CoverError {
            count: places.len(),
            seen_max,
            seen_mean: if area > 0.0 { weighted / area } else { 0.0 },
            bound_max: bounds.iter().copied().fold(0.0, f64::max),
            bound_mean: bounds.iter().sum::<f64>() / bounds.len().max(1) as f64,
            radius_max: solids.iter().map(|solid| solid.radius).fold(0.0, f64::max) * unit,
            volume: solids.iter().map(Solid::volume).sum::<f64>() * unit.powi(3),
        }
    }

    /// Of sampled points outside: the greatest distance, the sum of distances by area, and the area.
    fn seen(&self, tree: &CoinTree, solids: &[Solid]) -> [f64; 3] {
        let names: Vec<u32> = (0..solids.len() as u32).collect();
        let mut all = BoxTree::default();
        all.build(&names, &|name: u32| solids[name as usize].aabb());
        let step = solids.len().div_ceil(SAMPLED).max(1);
        let of = |i: u32| {
            let (solid, mut near, mut sums) = (&solids[i as usize], Vec::new(), [0.0f64; 3]);
            for point in solid.boundary() {
                near.clear();
                all.near(&point.into(), 0.0, &mut near);
                if near.iter().any(|&k| k != i && solids[k as usize].holds(point)) {
                    continue;
                }
                let (distance, area) = (self.distance(tree, point, solid.witness), solid.area());
                sums = [sums[0].max(distance), sums[1] + distance * area, sums[2] + area];
            }
            sums
        };
        let chosen: Vec<u32> = names.into_iter().step_by(step).collect();
        let found: Vec<[f64; 3]> = chosen.into_par_iter().map(of).collect();
        // In order, so that the sums are the same however many threads there are.
        found
            .iter()
            .fold([0.0; 3], |all, sums| [all[0].max(sums[0]), all[1] + sums[1], all[2] + sums[2]])
    }
}
