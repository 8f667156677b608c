//! The points of one body in the voxels of another, at one instant.
//!
//! Both are taken to units of the map's voxels: the corner of a cluster in f64, its points from there in
//! f32. [`Lookup::error`] bounds what rounding does to a place.

use super::map::VoxelMap;
use super::shell::{Cluster, Shell};
use crate::Point;
use crate::pose::Pose;
use impinge_simd::shell::balls::{self, Lattice, Reach, View};
use impinge_simd::shell::{Turn, look_up};

/// A shell at a place in front of a map.
#[derive(Clone, Debug)]
pub struct Lookup<'a> {
    shell: &'a Shell,
    map: &'a VoxelMap,
    lattice: &'a Lattice,
    /// Steps to voxels, row by row, and where the shell's origin is.
    rows: [[f64; 3]; 3],
    origin: Point,
    turn: [[f32; 3]; 3],
    view: View,
    error: f64,
}

/// Points of a cluster that are in filled voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which cluster.
    pub cluster: u32,
    /// A bit for each of its points.
    pub points: u64,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Eights of balls that were held against the lattice.
    pub balls: u64,
    /// Clusters whose points were looked up.
    pub clusters: u64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    /// All that matters was looked at.
    Done,
    /// Not so. What was not looked at reaches no deeper into what is filled than this.
    CutShort {
        /// In lengths of the bodies.
        unseen: f64,
    },
}

/// A place in the tree of balls: so many levels above the clusters, an eight of that level.
type Place = (u32, u32);

/// Memory that is kept from search to search.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    places: Vec<Place>,
    queue: std::collections::BinaryHeap<Waiting>,
}

/// The rounding of f32, relative.
const ULP: f64 = 1.0 / (1 << 24) as f64;

impl<'a> Lookup<'a> {
    /// The body of the shell at `points`, that of the map at `voxels`; the lattice is that of the map.
    pub fn new(
        (shell, points): (&'a Shell, &Pose),
        (map, lattice, voxels): (&'a VoxelMap, &'a Lattice, &Pose),
    ) -> Self {
        let grid = map.grid();
        let (from, to) = (points.matrix(), voxels.matrix());
        let scale = shell.step() / grid.size();
        // The inverse of a rotation has its columns as rows.
        let row = |i: usize| {
            std::array::from_fn(|j| {
                scale * (to[0][i] * from[0][j] + to[1][i] * from[1][j] + to[2][i] * from[2][j])
            })
        };
        let rows: [[f64; 3]; 3] = std::array::from_fn(row);
        let start = points.rotate(&shell.origin());
        let [a, b] = [points.translation(), voxels.translation()];
        let way: Point = std::array::from_fn(|k| start[k] + (a[k] - b[k]));
        let origin = std::array::from_fn(|i| {
            let there = to[0][i] * way[0] + to[1][i] * way[1] + to[2][i] * way[2];
            (there - grid.origin()[i]) / grid.size()
        });
        let turn = rows.map(|row| row.map(|x| x as f32));
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let far = largest(&a) + largest(&b) + largest(&shell.origin()) + largest(&grid.origin());
        // Rounding in f64 of a place, the corner and three fused sums in f32: what is on the map has
        // numbers up to 2048 and what goes into them is not larger than a cluster.
        let wide = f64::from(i16::MAX) * scale;
        let count = f64::from(grid.counts().into_iter().max().unwrap_or(0));
        let error = 64.0 * f64::EPSILON * far / grid.size() + 4.0 * ULP * (count + 2.0 * wide);
        let reach = largest(&origin) + 3.0 * scale * f64::from(1 << 18);
        let view = View {
            rows: turn,
            corner: origin.map(|x| x as f32),
            scale: scale as f32,
            slack: (error + 16.0 * ULP * reach + 1e-3) as f32,
        };
        Self { shell, map, lattice, rows, origin, turn, view, error: error * grid.size() }
    }

    /// How far a place that is looked up may be from the truth.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// How a cluster gets to its place.
    #[inline]
    pub fn turn(&self, cluster: &Cluster) -> Turn {
        let [x, y, z] = cluster.corner.map(f64::from);
        let corner = std::array::from_fn(|k| {
            let [m0, m1, m2] = self.rows[k];
            (m0 * x + m1 * y + m2 * z + self.origin[k]) as f32
        });
        let (ball, half) = (cluster.reach() * self.view.scale, cluster.half().map(f32::from));
        let reach = self.turn.map(|row| {
            let [x, y, z] = row.map(f32::abs);
            ball.min(x * half[0] + y * half[1] + z * half[2])
        });
        Turn { rows: self.turn, corner, reach }
    }

    /// Which points of a cluster are in filled voxels.
    #[inline]
    fn look(&self, cluster: &Cluster) -> u64 {
        let octets = self.shell.octets(cluster);
        look_up(self.map.bits(), &self.turn(cluster), octets) & cluster.all()
    }

    /// Looks up every point; no cluster is skipped.
    pub fn flat(&self, found: &mut Vec<Found>) -> Work {
        for (i, cluster) in self.shell.clusters().iter().enumerate() {
            let points = self.look(cluster);
            if points != 0 {
                found.push(Found { cluster: i as u32, points });
            }
        }
        Work { balls: 0, clusters: self.shell.clusters().len() as u64 }
    }

    /// The highest eights of balls.
    fn top(&self) -> impl Iterator<Item = Place> {
        let level = self.shell.levels().len() - 1;
        (0..self.shell.levels()[level].len()).map(move |i| (level as u32, i as u32))
    }

    #[inline]
    fn reach(&self, (level, eight): Place) -> Reach {
        let balls = &self.shell.levels()[level as usize][eight as usize];
        balls::reach(self.lattice, &self.view, balls)
    }

    /// Looks up the points of all clusters that may reach a filled voxel, in the order of the points.
    pub fn near(&self, scratch: &mut Scratch, found: &mut Vec<Found>) -> Work {
        let mut work = Work::default();
        let stack = &mut scratch.places;
        stack.clear();
        stack.extend(self.top());
        while let Some((level, eight)) = stack.pop() {
            work.balls += 1;
            let Reach { near, inside, .. } = self.reach((level, eight));
            let mut both = near | inside;
            if level > 0 {
                // The first is to be taken first, so it is pushed last.
                while both != 0 {
                    let lane = 7 - both.leading_zeros();
                    both ^= 1 << lane;
                    stack.push((level - 1, 8 * eight + lane));
                }
                continue;
            }
            while both != 0 {
                let lane = both.trailing_zeros();
                both &= both - 1;
                let number = 8 * eight + lane;
                let cluster = &self.shell.clusters()[number as usize];
                let points = if inside >> lane & 1 == 1 {
                    cluster.all()
                } else {
                    work.clusters += 1;
                    self.look(cluster)
                };
                if points != 0 {
                    found.push(Found { cluster: number, points });
                }
            }
        }
        work
    }

    /// Looks up points, those of the balls that reach deepest first; all, or until a cluster with one in
    /// a filled voxel. `go_on` is asked before every eight of balls and told the work so far.
    pub fn deepest_first(
        &self,
        scratch: &mut Scratch,
        (found, only_one): (&mut Vec<Found>, bool),
        mut go_on: impl FnMut(&Work) -> bool,
    ) -> (Work, Ended) {
        let mut work = Work::default();
        let queue = &mut scratch.queue;
        queue.clear();
        queue.extend(self.top().map(|place| Waiting { excess: f32::INFINITY, place }));
        while let Some(Waiting { excess, place: (level, eight) }) = queue.pop() {
            if !go_on(&work) {
                let unseen = f64::from(excess) * self.map.grid().size();
                return (work, Ended::CutShort { unseen });
            }
            work.balls += 1;
            let Reach { near, inside, excess } = self.reach((level, eight));
            let mut both = near | inside;
            while both != 0 {
                let lane = both.trailing_zeros();
                both &= both - 1;
                let number = 8 * eight + lane;
                let is_inside = inside >> lane & 1 == 1;
                if level > 0 && !(is_inside && only_one) {
                    let place = (level - 1, number);
                    queue.push(Waiting { excess: excess[lane as usize], place });
                    continue;
                }
                // All clusters of a ball inside are inside, the first among them.
                let number = number << (3 * level);
                let cluster = &self.shell.clusters()[number as usize];
                work.clusters += 1;
                let points = self.look(cluster);
                if points != 0 {
                    found.push(Found { cluster: number, points });
                    if only_one {
                        return (work, Ended::Done);
                    }
                }
            }
        }
        (work, Ended::Done)
    }

    /// The clusters that come within `way` (in voxels) of a filled voxel, in their order.
    pub fn within(&self, way: f32, scratch: &mut Scratch, clusters: &mut Vec<u32>) -> Work {
        let mut work = Work::default();
        let view = View { slack: self.view.slack + way, ..self.view };
        let stack = &mut scratch.places;
        stack.clear();
        stack.extend(self.top());
        while let Some((level, eight)) = stack.pop() {
            work.balls += 1;
            let balls = &self.shell.levels()[level as usize][eight as usize];
            let Reach { near, inside, .. } = balls::reach(self.lattice, &view, balls);
            let mut both = near | inside;
            while both != 0 {
                let lane = 7 - both.leading_zeros();
                both ^= 1 << lane;
                let number = 8 * eight + lane;
                if level > 0 { stack.push((level - 1, number)) } else { clusters.push(number) }
            }
        }
        clusters.sort_unstable();
        work
    }

    /// Which points of a cluster are within `way` (in voxels, less than a half) of a filled voxel, along
    /// each axis: a place is moved to the eight corners of the cube around it, one of which is in any
    /// voxel that the cube meets.
    pub fn look_around(&self, cluster: &Cluster, way: f32) -> u64 {
        let (octets, turn) = (self.shell.octets(cluster), self.turn(cluster));
        let moved = |corner: u32| {
            let side = |k: usize| if corner >> k & 1 == 1 { way } else { -way };
            let corner = std::array::from_fn(|k| turn.corner[k] + side(k));
            look_up(self.map.bits(), &Turn { corner, ..turn }, octets)
        };
        (0..8).fold(0, |found, corner| found | moved(corner)) & cluster.all()
    }
}

/// Balls that wait for their turn, those that reach deepest first.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    excess: f32,
    place: Place,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // The finer and then the earlier one first where the depth is the same, for one order always.
        let by_depth = self.excess.total_cmp(&other.excess);
        by_depth.then(other.place.cmp(&self.place))
    }
}
