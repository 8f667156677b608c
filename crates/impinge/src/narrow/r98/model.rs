//! What the engine keeps of a shape, and shapes at their places.

use super::settings::{Boxes, Settings};
use crate::contract::ids::ShapeId;
use crate::contract::job::Job;
use crate::narrow::models::Models;
use crate::narrow::posed;
use impinge_geom::Point;
use impinge_geom::blocks::Blocks;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb::Obb;
use impinge_geom::pose::Pose;
use impinge_geom::recode::Block;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) blocks: Blocks,
    /// Around the blocks, if regions are made from oriented boxes.
    obbs: Vec<Obb>,
    /// For distances; made when one is first asked for.
    exact: OnceLock<posed::Model>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>, settings: &Settings) -> Self {
        Self::with(mesh, Blocks::of(mesh, &settings.recipe), settings)
    }

    /// The same parts after vertices have moved.
    pub(super) fn follow(&self, mesh: &Arc<Mesh>, settings: &Settings) -> Self {
        Self::with(mesh, self.blocks.follow(mesh), settings)
    }

    fn with(mesh: &Arc<Mesh>, blocks: Blocks, settings: &Settings) -> Self {
        let around = |points: &Vec<Point>| Obb::tight_around(points);
        let obbs = match settings.boxes {
            Boxes::Aligned => Vec::new(),
            Boxes::Oriented => blocks.all().iter().map(|block| around(&block.points)).collect(),
        };
        Self { mesh: Arc::clone(mesh), blocks, obbs, exact: OnceLock::new() }
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.bytes()
            + self.obbs.capacity() * size_of::<Obb>()
            + self.exact.get().map_or(0, posed::Model::bytes)
    }

    pub(super) fn exact(&self) -> &posed::Model {
        self.exact.get_or_init(|| posed::Model::of(&self.mesh))
    }

    /// How much there is to place.
    fn size(&self) -> usize {
        self.blocks.all().iter().map(|block| block.points.len()).sum()
    }

    fn at(&self, pose: &Pose) -> Vec<Posed> {
        let obb = |k: usize| {
            self.obbs.get(k).map(|obb| Obb {
                center: pose.apply(&obb.center),
                axes: obb.axes.map(|axis| pose.rotate(&axis)),
                half: obb.half,
            })
        };
        let points = self.blocks.all().iter().map(|block| &block.points);
        let place = |points: &Vec<Point>| points.iter().map(|p| pose.apply(p)).collect();
        points.enumerate().map(|(k, all)| Posed { points: place(all), obb: obb(k) }).collect()
    }
}

/// A block at its place.
struct Posed {
    points: Vec<Point>,
    obb: Option<Obb>,
}

/// So many points are placed at once: a batch can be one body at thousands of places.
const SIZE_MAX: usize = 1 << 21;

/// Bodies at their places, each once, and the two of each job.
pub(super) struct Cast<'a> {
    bodies: Vec<(&'a Model, Pose)>,
    /// The blocks of body `k` are those from `starts[k]` on.
    starts: Vec<u32>,
    blocks: Vec<Posed>,
    triangles: Vec<&'a [[u32; 3]]>,
    pub(super) of_job: Vec<[u32; 2]>,
}

impl<'a> Cast<'a> {
    /// As many of the next jobs as memory allows, one at least, at one time of their motions.
    pub(super) fn of(jobs: &[Job], time: f64, models: &'a Models<Model>) -> Self {
        let mut cast = Self {
            bodies: Vec::new(),
            starts: Vec::new(),
            blocks: Vec::new(),
            triangles: Vec::new(),
            of_job: Vec::new(),
        };
        let mut numbers: BTreeMap<(ShapeId, [u64; 7]), u32> = BTreeMap::new();
        let mut size = 0;
        for job in jobs {
            if size > SIZE_MAX {
                break;
            }
            let both = [&job.a, &job.b].map(|placed| {
                let pose = placed.placement.at(time);
                let ([a, b, c, d], [x, y, z]) = (pose.rotation(), pose.translation());
                let key = (placed.shape, [a, b, c, d, x, y, z].map(f64::to_bits));
                *numbers.entry(key).or_insert_with(|| {
                    cast.bodies.push((models.get(placed.shape), pose));
                    size += models.get(placed.shape).size();
                    cast.bodies.len() as u32 - 1
                })
            });
            cast.of_job.push(both);
        }
        for (model, pose) in &cast.bodies {
            cast.starts.push(cast.blocks.len() as u32);
            cast.blocks.extend(model.at(pose));
            cast.triangles.extend(model.blocks.all().iter().map(|block| &block.triangles[..]));
        }
        cast
    }

    pub(super) fn body(&self, body: u32) -> (&'a Model, &Pose) {
        let (model, pose) = &self.bodies[body as usize];
        (model, pose)
    }

    /// All blocks, to be drawn.
    pub(super) fn blocks(&self) -> Vec<Block<'_>> {
        let all = self.blocks.iter().zip(&self.triangles);
        all.map(|(posed, triangles)| Block {
            points: &posed.points,
            triangles,
            obb: posed.obb.as_ref(),
        })
        .collect()
    }

    /// The pairs of blocks of two bodies whose boxes overlap, by their numbers in the list of all; and how many
    /// pairs of boxes were looked at.
    pub(super) fn near(&self, bodies: [u32; 2]) -> (Vec<[u32; 2]>, u64) {
        let placed = bodies.map(|body| {
            let (model, pose) = self.body(body);
            (&model.blocks, pose)
        });
        let (mut pairs, looks) = Blocks::near(placed);
        let [a, b] = bodies.map(|body| self.starts[body as usize]);
        pairs.iter_mut().for_each(|[i, j]| (*i, *j) = (*i + a, *j + b));
        (pairs, looks)
    }

    /// The block of a body, as it was prepared.
    pub(super) fn prepared(&self, body: u32, block: u32) -> &'a impinge_geom::blocks::Block {
        let own = block - self.starts[body as usize];
        &self.bodies[body as usize].0.blocks.all()[own as usize]
    }
}
