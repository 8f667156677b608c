//! What engines for bodies that deform keep of a shape, and shapes at their places: boxes around runs of
//! faces, made anew when vertices move.

use super::models::Models;
use super::parts::{Parts, Solid};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Job, Placed};
use impinge_geom::aabb::Aabb;
use impinge_geom::face_cells::{Ends, Fans, Layout, Side};
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::pose::Pose;
use impinge_geom::skin::Skin;
use impinge_geom::topology::components;
use impinge_geom::{Point, Triangle};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    layout: Layout,
    own: Outline,
    /// What only some questions need, made when one does; gone when vertices move.
    parts: OnceLock<Parts>,
    tree: OnceLock<ObbTree>,
    /// Made at the first self-test; it does not depend on where vertices are.
    fans: OnceLock<Fans>,
    /// All faces hang together by common vertices.
    is_whole: bool,
}

/// The boxes of a shape at some place.
#[derive(Debug)]
struct Outline {
    boxes: Vec<Ends>,
    bounds: Aabb,
}

impl Outline {
    fn surround(&mut self, layout: &Layout, points: &[Point]) {
        layout.boxes(points, &mut self.boxes);
        let around = self.boxes.iter().map(|&[min, max]| Aabb { min, max });
        self.bounds = around.fold(Aabb::EMPTY, |all, one| all.union(&one));
    }
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let mut model = Self {
            layout: Layout::of(mesh),
            mesh: Arc::clone(mesh),
            own: Outline { boxes: Vec::new(), bounds: Aabb::EMPTY },
            parts: OnceLock::new(),
            tree: OnceLock::new(),
            fans: OnceLock::new(),
            is_whole: components(mesh.triangles(), mesh.vertices().len()).1 == 1,
        };
        model.own.surround(&model.layout, model.mesh.vertices());
        model
    }

    /// Its vertices have moved.
    pub(super) fn update(&mut self, skin: &Skin) {
        let same = self.mesh.triangles().len() == skin.mesh().triangles().len();
        if !same {
            *self = Self::of(skin.mesh());
            return;
        }
        self.mesh = Arc::clone(skin.mesh());
        self.own.surround(&self.layout, self.mesh.vertices());
        self.parts.take();
        self.tree.take();
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.layout.bytes()
            + self.own.boxes.capacity() * size_of::<Ends>()
            + self.parts.get().map_or(0, Parts::bytes)
            + self.tree.get().map_or(0, ObbTree::bytes)
            + self.fans.get().map_or(0, Fans::bytes)
    }

    pub(super) fn fans(&self) -> &Fans {
        self.fans.get_or_init(|| Fans::of(self.mesh.triangles(), self.mesh.vertices().len()))
    }

    /// Made when a distance is first asked for.
    pub(super) fn tree(&self) -> &ObbTree {
        self.tree.get_or_init(|| ObbTree::of(&self.mesh))
    }
}

/// Where a body is.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    model: &'a Model,
    points: &'a [Point],
    outline: &'a Outline,
}

/// A shape that does not stand where its own vertices are.
#[derive(Debug)]
pub(super) struct Moved {
    points: Vec<Point>,
    outline: Outline,
}

impl Default for Moved {
    fn default() -> Self {
        Self { points: Vec::new(), outline: Outline { boxes: Vec::new(), bounds: Aabb::EMPTY } }
    }
}

impl Moved {
    /// Takes the vertices of a shape through a pose.
    pub(super) fn fill(&mut self, model: &Model, pose: &Pose) {
        let Self { points, outline } = self;
        points.clear();
        points.extend(model.mesh.vertices().iter().map(|vertex| pose.apply(vertex)));
        outline.surround(&model.layout, points);
    }
}

impl<'a> Posed<'a> {
    /// A shape where its own vertices are, or moved.
    pub(super) fn of(model: &'a Model, moved: Option<&'a Moved>) -> Self {
        match moved {
            None => Self { model, points: model.mesh.vertices(), outline: &model.own },
            Some(moved) => Self { model, points: &moved.points, outline: &moved.outline },
        }
    }

    pub(super) fn side(&self) -> Side<'a> {
        Side {
            points: self.points,
            triangles: self.model.mesh.triangles(),
            boxes: &self.outline.boxes,
            bounds: &self.outline.bounds,
            layout: &self.model.layout,
        }
    }

    /// Whether some part of it may be within the bounds of another body, as far as bounds tell.
    pub(super) fn may_be_within(&self, other: &Self) -> bool {
        let (own, outer) = (&self.outline.bounds, &other.outline.bounds);
        if self.model.is_whole {
            outer.contains(&own.min) && outer.contains(&own.max)
        } else {
            own.overlaps(outer)
        }
    }
}

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        self.model.parts.get_or_init(|| Parts::of(&self.model.mesh))
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.outline.bounds.contains(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.points[v as usize]
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.model.mesh.triangles()[i as usize].map(|v| self.points[v as usize])
    }
}

/// The bodies of a batch, each taken to its place once.
#[derive(Debug, Default)]
pub(super) struct Places {
    moved: Vec<Moved>,
    used: usize,
    /// By job, for both bodies: which of the moved ones; none if it stands where its vertices are.
    of_job: Vec<[Option<u32>; 2]>,
    /// Looked up, never iterated.
    known: HashMap<(ShapeId, [u64; 7]), u32>,
    faces: usize,
}

/// Below so many faces a second thread is not worth it.
const FACES_ALONE: usize = 20_000;

impl Places {
    /// Finds the places of all bodies of some jobs.
    /// Where motions end, if that is all that is asked about; else only how large it all is.
    pub(super) fn find(&mut self, jobs: &[Job], models: &Models<Model>, ends: bool) {
        self.known.clear();
        self.of_job.clear();
        (self.used, self.faces) = (0, 0);
        for job in jobs {
            if !ends {
                let faces = |placed: &Placed| models.get(placed.shape).mesh.triangles().len();
                self.faces += faces(&job.a) + faces(&job.b);
                continue;
            }
            let both = [&job.a, &job.b].map(|placed| self.place(placed, models));
            self.of_job.push(both);
        }
    }

    fn place(&mut self, placed: &Placed, models: &Models<Model>) -> Option<u32> {
        let pose = placed.placement.end();
        let model = models.get(placed.shape);
        self.faces += model.mesh.triangles().len();
        if pose == Pose::IDENTITY {
            return None;
        }
        let ([w, x, y, z], [i, j, k]) = (pose.rotation(), pose.translation());
        let key = (placed.shape, [w, x, y, z, i, j, k].map(f64::to_bits));
        if let Some(&at) = self.known.get(&key) {
            return Some(at);
        }
        let at = self.used;
        self.used += 1;
        if self.moved.len() < self.used {
            self.moved.push(Moved::default());
        }
        self.moved[at].fill(model, &pose);
        self.known.insert(key, at as u32);
        Some(at as u32)
    }

    /// Where the bodies of a job are.
    pub(super) fn of(&self, job: usize) -> Option<[Option<&Moved>; 2]> {
        let both = self.of_job.get(job)?;
        Some(both.map(|at| at.map(|at| &self.moved[at as usize])))
    }

    /// Whether it is all too little for several threads.
    pub(super) fn is_small(&self) -> bool {
        self.faces < FACES_ALONE
    }
}
