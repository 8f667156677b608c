//! What engine `voxel` promises near contact, held against exact distances: a pair that is called free has
//! no point of either surface deeper in the other body than told, and one that is called a hit is no
//! farther apart than told.
//!
//! Bodies are brought together by the certified first contact and then moved by up to three voxels to and
//! fro, so that every pose is near contact. Depths are those of points all over the surface and of all
//! vertices, so that the deepest that is found is no deeper than the truth.

use crate::near::Random;
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::contract::answer::{Guarantee, Verdict};
use impinge::narrow::{self, bvh};
use impinge::prelude::*;
use rayon::prelude::*;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "voxel-promise",
    title: "What the voxel engine promises near contact, and what was measured",
    paper: Some("[V00 §5]"),
    about: "random poses of pairs of five shapes within three voxels of contact: the deepest point \
            of a surface in the other body where the pair is called free, and the widest gap of \
            pairs that are called a hit, beside what the answers promise",
    run,
};

/// The shapes, each about two units large.
const SHAPES: [&str; 5] = [
    "sphere?faces=960",
    "stellated-dodecahedron",
    "torus-knot?segments=100&sides=12",
    "cone?segments=24",
    "box?x=2&y=0.15&z=0.6",
];

/// Points on the surface per area of a voxel's face.
const PER_FACE: f64 = 6.0;

/// What was seen of one setting.
#[derive(Clone, Copy, Default)]
struct Seen {
    poses: u64,
    free: u64,
    hits: u64,
    /// Called free though the surfaces meet.
    missed: u64,
    /// Called a hit though they do not.
    invented: u64,
    depth: f64,
    gap: f64,
    /// The least margins to what the very answer promised; negative breaks the promise.
    depth_spare: f64,
    gap_spare: f64,
    promised_depth: f64,
    promised_gap: f64,
}

impl Seen {
    fn none() -> Self {
        Self { depth_spare: f64::INFINITY, gap_spare: f64::INFINITY, ..Self::default() }
    }

    fn join(self, other: Self) -> Self {
        Self {
            poses: self.poses + other.poses,
            free: self.free + other.free,
            hits: self.hits + other.hits,
            missed: self.missed + other.missed,
            invented: self.invented + other.invented,
            depth: self.depth.max(other.depth),
            gap: self.gap.max(other.gap),
            depth_spare: self.depth_spare.min(other.depth_spare),
            gap_spare: self.gap_spare.min(other.gap_spare),
            promised_depth: self.promised_depth.max(other.promised_depth),
            promised_gap: self.promised_gap.max(other.promised_gap),
        }
    }
}

fn run(lab: &mut Lab) -> Result<()> {
    let poses = if lab.settings.quick { 40 } else { 8000 };
    let mut table = Table::new(&[
        ("voxels", ""),
        ("size", ""),
        ("poses", ""),
        ("called free", ""),
        ("called a hit", ""),
        ("free but touching", ""),
        ("hit but apart", ""),
        ("deepest unseen", "voxels"),
        ("promised unseen", "voxels"),
        ("widest gap of a hit", "voxels"),
        ("promised gap", "voxels"),
    ]);
    for (fill, size) in [("cover", 0.1), ("cover", 0.04), ("centre", 0.1)] {
        let engine = format!("voxel?size={size}&fill={fill}");
        let pairs: Vec<[usize; 2]> =
            (0..SHAPES.len()).flat_map(|i| (i..SHAPES.len()).map(move |j| [i, j])).collect();
        let seen: Vec<Result<Seen>> = pairs
            .par_iter()
            .map(|&[i, j]| {
                let seed = lab.settings.seed + 1000 * (10 * i + j) as u64;
                one_pair(&engine, [SHAPES[i], SHAPES[j]], size, (poses, seed))
            })
            .collect();
        let seen = seen
            .into_iter()
            .try_fold(Seen::none(), |all, one| Ok::<_, anyhow::Error>(all.join(one?)))?;
        ensure!(
            seen.depth_spare >= 0.0 && seen.gap_spare >= 0.0,
            "{engine} breaks its promise: deepest unseen {}, widest gap {}",
            seen.depth,
            seen.gap
        );
        table.push([
            Cell::Text(fill.to_owned()),
            Cell::Real(size),
            Cell::Count(seen.poses),
            Cell::Count(seen.free),
            Cell::Count(seen.hits),
            Cell::Count(seen.missed),
            Cell::Count(seen.invented),
            Cell::Real(seen.depth / size),
            Cell::Real(seen.promised_depth / size),
            Cell::Real(seen.gap / size),
            Cell::Real(seen.promised_gap / size),
        ]);
    }
    lab.note(format!("Shapes, each with each: {}.", SHAPES.join(", ")));
    lab.note("Every single answer was held against its own promise; none was broken.");
    lab.publish(&table, None)
}

/// Two bodies at random places near contact.
struct Couple {
    meshes: [Arc<Mesh>; 2],
    /// Points on the surfaces.
    points: [Vec<Point>; 2],
    /// One body each, to ask where points are.
    worlds: [(World, BodyId); 2],
}

fn one_pair(engine: &str, names: [&str; 2], size: f64, (poses, seed): (u64, u64)) -> Result<Seen> {
    let mesh = |name: &str| impinge_samples::build_mesh(name).map(Arc::new);
    let meshes = [mesh(names[0])?, mesh(names[1])?];
    let mut random = Random::of([seed, 0, 0]);
    let world = |mesh: &Arc<Mesh>| -> Result<(World, BodyId)> {
        let mut world = World::new();
        let shape = world.add_shape(Arc::clone(mesh))?;
        let body = world.insert(Body::new(shape))?;
        Ok((world, body))
    };
    let points = [0, 1].map(|k| scattered(&meshes[k], size, &mut random));
    let worlds = [world(&meshes[0])?, world(&meshes[1])?];
    let couple = Couple { meshes, points, worlds };
    let [a, b] = [0, 1].map(|k| Arc::clone(&couple.meshes[k]));
    let mut voxel = PosedPair::with(narrow::by_text(engine)?, a.clone(), b.clone())?;
    let mut exact = PosedPair::with(Box::new(bvh::Bvh::default()), a, b)?;
    let mut seen = Seen::none();
    for _ in 0..poses {
        let pose = near_contact(&mut exact, size, &mut random)?;
        let answer = voxel.check(&[pose], &Query::TOUCHING).all()[0].clone();
        let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
        let Guarantee { error_max, unseen_max, .. } = answer.guarantee;
        let mut one =
            Seen { poses: 1, promised_depth: unseen_max, promised_gap: error_max, ..Seen::none() };
        let touches = matches!(truth.verdict, Verdict::Hit(_));
        if answer.verdict == Verdict::Free {
            (one.free, one.missed) = (1, u64::from(touches));
            one.depth = if touches { couple.deepest(&pose) } else { 0.0 };
            one.depth_spare = unseen_max - one.depth;
        } else {
            (one.hits, one.invented) = (1, u64::from(!touches));
            one.gap = truth.clearance.filter(|_| !touches).map_or(0.0, |gap| gap.at_least);
            one.gap_spare = error_max - one.gap;
        }
        seen = seen.join(one);
    }
    Ok(seen)
}

/// A pose of B at which it is within three voxels of touching A, before or beyond.
fn near_contact(exact: &mut PosedPair, size: f64, random: &mut Random) -> Result<Pose> {
    loop {
        let quaternion: [f64; 4] = random.on_sphere();
        let direction: Point = random.on_sphere();
        // Past the middle, so that concave bodies meet in many ways.
        let aside: Point = std::array::from_fn(|_| random.between([-0.75, 0.75]));
        let place = |way: f64| {
            Pose::new(
                quaternion,
                std::array::from_fn::<f64, 3, _>(|k| aside[k] - way * direction[k]),
            )
        };
        let motion = Motion::lerp_slerp(place(-6.0)?, place(6.0)?);
        let answer = exact.check(&[motion], &Query::FIRST_CONTACT).all()[0].clone();
        let Some([_, time]) = answer.time.filter(|_| answer.verdict != Verdict::Free) else {
            continue;
        };
        let more = size * random.between([-3.0, 3.0]);
        return Ok(place(-6.0 + 12.0 * time + more)?);
    }
}

impl Couple {
    /// How deep a point of one surface is in the other body, at most of all points.
    fn deepest(&self, pose: &Pose) -> f64 {
        let back = pose.inverse();
        let of_b = self.points[1].iter().map(|point| pose.apply(point));
        let in_a = deepest(&self.worlds[0], of_b);
        let of_a = self.points[0].iter().map(|point| back.apply(point));
        in_a.max(deepest(&self.worlds[1], of_a))
    }
}

fn deepest((world, body): &(World, BodyId), points: impl Iterator<Item = Point>) -> f64 {
    let mut depth = 0.0f64;
    for point in points {
        depth = depth.max(depth_of(world, *body, &point).unwrap_or(0.0));
    }
    depth
}

/// How deep a point is in the body, if it is inside.
fn depth_of(world: &World, body: BodyId, point: &Point) -> Option<f64> {
    let spot = Spot::new(*point).ok()?;
    let inside = world.locate_on(body, &spot)? == Location::Inside;
    inside.then(|| world.closest_on(body, &spot)).flatten().map(|closest| closest.nearest.at_least)
}

/// All vertices, and points all over the faces.
fn scattered(mesh: &Mesh, size: f64, random: &mut Random) -> Vec<Point> {
    let mut points = mesh.vertices().to_vec();
    for i in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.triangle(i);
        let edge = |p: &Point| -> Point { std::array::from_fn(|k| p[k] - a[k]) };
        let (u, v) = (edge(&b), edge(&c));
        let cross: Point = std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            u[i] * v[j] - u[j] * v[i]
        });
        let area = 0.5 * cross.iter().map(|x| x * x).sum::<f64>().sqrt();
        let count = (PER_FACE * area / (size * size)).ceil() as usize;
        for _ in 0..count {
            let [s, t] = [(); 2].map(|()| random.between([0.0, 1.0]));
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            points.push(std::array::from_fn(|k| a[k] + s * u[k] + t * v[k]));
        }
    }
    points
}
