//! Points on the surface of a body, to be looked up in the voxels of another [V00 §5].
//!
//! Points are whole numbers of [`Shell::step`]s from an origin. They stand in the order of a tree that halves
//! them along the longest side (`order.rs`), in clusters of up to 64, and above the clusters is a tree of
//! balls with eight children each.

use super::order;
use crate::Point;
use impinge_simd::shell::balls::Balls8;
use impinge_simd::shell::{OCTETS_MAX, Octet};
use rayon::prelude::*;

/// Steps to the edge of a voxel of the map that the points are from.
pub const STEPS: i32 = 64;

/// The most points of a cluster.
pub const CLUSTER: usize = 8 * OCTETS_MAX;
/// Points on the surface of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    origin: Point,
    step: f64,
    clusters: Vec<Cluster>,
    octets: Vec<Octet>,
    levels: Vec<Vec<Balls8>>,
    count: usize,
    cover: f64,
}

/// Points that lie together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// What its points are counted from, in steps.
    pub corner: [i32; 3],
    /// Its first octet.
    first: u32,
    /// How far a point is from the corner along each axis, at most, in steps.
    half: [i16; 3],
    /// How many points it has.
    count: u8,
    /// How far a point is from the corner, at most, in steps.
    reach: f32,
}

impl Cluster {
    /// How far a point is from the corner, at most, in steps.
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// How far a point is from the corner along each axis, at most, in steps.
    pub fn half(&self) -> [i16; 3] {
        self.half
    }

    /// A bit for each point.
    pub fn all(&self) -> u64 {
        u64::MAX >> (64 - u32::from(self.count))
    }
}

impl Shell {
    /// Of points in steps. `cover` is how far a point of the surface may be from the nearest of them.
    pub fn new(origin: Point, step: f64, mut points: Vec<[i32; 3]>, cover: f64) -> Self {
        points.par_sort_unstable();
        points.dedup();
        let ends = order::clusters(&mut points);
        let mut shell = Self {
            origin,
            step,
            clusters: Vec::with_capacity(ends.len()),
            octets: Vec::new(),
            levels: Vec::new(),
            count: points.len(),
            cover,
        };
        let mut start = 0;
        for &end in &ends {
            shell.push(&points[start..end]);
            start = end;
        }
        shell.build_levels(&points, ends);
        shell
    }

    fn push(&mut self, points: &[[i32; 3]]) {
        let [low, high] = ends(points);
        let corner = std::array::from_fn(|k| low[k] + (high[k] - low[k]) / 2);
        self.clusters.push(Cluster {
            corner,
            first: self.octets.len() as u32,
            // The corner is the middle, rounded down.
            half: std::array::from_fn(|k| (high[k] - corner[k]) as i16),
            count: points.len() as u8,
            reach: farthest(points, &corner.map(f64::from)),
        });
        self.octets.extend(points.chunks(8).map(|eight| {
            let step = |k: usize, i: usize| (eight[i.min(eight.len() - 1)][k] - corner[k]) as i16;
            std::array::from_fn(|k| std::array::from_fn(|i| step(k, i)))
        }));
    }

    /// Balls around clusters, around eight of those and so on; `ends` tells where they end in the list.
    fn build_levels(&mut self, points: &[[i32; 3]], mut ends: Vec<usize>) {
        loop {
            let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] };
            let balls: Vec<Ball> = (0..ends.len())
                .into_par_iter()
                .map(|i| Ball::around(&points[start(i)..ends[i]]))
                .collect();
            self.levels.push(balls.chunks(8).map(eight).collect());
            if ends.len() <= 8 {
                return;
            }
            ends = ends.chunks(8).map(|eight| eight[eight.len() - 1]).collect();
        }
    }

    /// What points are counted from, in the frame of the body.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// The length of a step.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Every point of the surface is at most this far from a point of the shell.
    pub fn cover(&self) -> f64 {
        self.cover
    }

    /// All clusters.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The points of a cluster, eight at a time; the last eight may repeat a point.
    #[inline]
    pub fn octets(&self, cluster: &Cluster) -> &[Octet] {
        let count = usize::from(cluster.count).div_ceil(8);
        &self.octets[cluster.first as usize..][..count]
    }

    /// Balls around the clusters, eight at a time; then around eight of those, and so on to the last, which
    /// is eight balls or fewer around all points.
    pub fn levels(&self) -> &[Vec<Balls8>] {
        &self.levels
    }

    /// Point `i` of a cluster, in the frame of the body.
    pub fn point(&self, cluster: &Cluster, i: u32) -> Point {
        let octet = &self.octets[(cluster.first + i / 8) as usize];
        let steps = octet.map(|eight| eight[(i % 8) as usize]);
        std::array::from_fn(|k| {
            self.origin[k] + self.step * f64::from(cluster.corner[k] + i32::from(steps[k]))
        })
    }

    /// All points, in the frame of the body.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.clusters.iter().flat_map(move |cluster| {
            (0..u32::from(cluster.count)).map(move |i| self.point(cluster, i))
        })
    }

    /// The memory of the shell.
    pub fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(|level| size_of_val(&**level)).sum();
        size_of_val(&*self.clusters) + size_of_val(&*self.octets) + levels
    }
}

/// The lowest and the highest place along each axis.
pub(super) fn ends(points: &[[i32; 3]]) -> [[i32; 3]; 2] {
    points.iter().fold([[i32::MAX; 3], [i32::MIN; 3]], |[low, high], point| {
        let at = |k: usize| (low[k].min(point[k]), high[k].max(point[k]));
        [std::array::from_fn(|k| at(k).0), std::array::from_fn(|k| at(k).1)]
    })
}

/// A ball around points, in steps.
#[derive(Clone, Copy)]
struct Ball {
    centre: [f32; 3],
    radius: f32,
}

impl Ball {
    fn around(points: &[[i32; 3]]) -> Self {
        let [low, high] = ends(points);
        // Halves of whole numbers below 2²³ are exact in f32.
        let centre: [f32; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]) as f32);
        Self { centre, radius: farthest(points, &centre.map(f64::from)) }
    }
}

/// How far from `centre` the points are at most, rounded up.
fn farthest(points: &[[i32; 3]], centre: &Point) -> f32 {
    let square = |point: &[i32; 3]| {
        let way = |k: usize| f64::from(point[k]) - centre[k];
        (0..3).map(|k| way(k) * way(k)).sum::<f64>()
    };
    (points.iter().map(square).fold(0.0, f64::max).sqrt() as f32).next_up()
}

fn eight(balls: &[Ball]) -> Balls8 {
    let ball = |i: usize| balls.get(i);
    Balls8 {
        centre: std::array::from_fn(|k| {
            std::array::from_fn(|i| ball(i).map_or(0.0, |ball| ball.centre[k]))
        }),
        radius: std::array::from_fn(|i| ball(i).map_or(-1.0, |ball| ball.radius)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(count: i32) -> Vec<[i32; 3]> {
        let at = |i: i32, k: i32| (i * (7919 + 131 * k) % 9973).rem_euclid(9973) * 3;
        (0..count).map(|i| [at(i, 0), at(i, 1), at(i, 2)]).collect()
    }

    #[test]
    fn all_points_are_there_once() {
        for count in [0, 1, 7, 64, 65, 2000] {
            let mut points = cloud(count);
            let shell = Shell::new([1.0, 2.0, 3.0], 0.5, points.clone(), 1.0);
            let back = |p: Point| {
                std::array::from_fn(|k| ((p[k] - [1.0, 2.0, 3.0][k]) / 0.5).round() as i32)
            };
            let mut found: Vec<[i32; 3]> = shell.points().map(back).collect();
            points.sort_unstable();
            points.dedup();
            found.sort_unstable();
            assert_eq!(found, points);
            assert_eq!(shell.count(), points.len());
        }
    }

    #[test]
    fn every_ball_holds_its_points() {
        let shell = Shell::new([0.0; 3], 1.0, cloud(3000), 1.0);
        let mut per = 1;
        for level in shell.levels() {
            for (i, cluster) in shell.clusters().iter().enumerate() {
                let (balls, lane) = (&level[i / per / 8], i / per % 8);
                let centre: [f32; 3] = std::array::from_fn(|k| balls.centre[k][lane]);
                for j in 0..u32::from(cluster.count) {
                    let p = shell.point(cluster, j);
                    let way = |k: usize| p[k] - f64::from(centre[k]);
                    let square: f64 = (0..3).map(|k| way(k) * way(k)).sum();
                    assert!(square.sqrt() <= f64::from(balls.radius[lane]), "{i} {j}");
                }
            }
            per *= 8;
        }
        assert!(shell.levels().last().unwrap().len() == 1 && shell.levels().len() > 2);
    }
}
