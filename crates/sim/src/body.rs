//! Bodies as they are handed to a simulation.

use crate::error::SimError;
use crate::mass::Solid;
use glam::{DMat3, DVec3};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_scene::frames::Frames;
use impinge_scene::scene::pilot::Pilot;
use std::sync::Arc;

/// What moves a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Kind {
    /// Its velocity, forces, and what it meets.
    #[default]
    Free,
    /// Nothing.
    Fixed,
    /// A path; it pushes others and is not pushed.
    Scripted(Script),
}

/// A way that a body is led along.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Where what leads it is, by time.
    pub path: Arc<Path>,
    /// From the body's frame to the frame that the path moves; the identity for a body that leads.
    pub offset: Pose,
    /// Whether the path begins anew at its end. If not, the body stays there.
    pub looping: bool,
}

impl Script {
    /// A body that goes along a path once.
    pub fn along(path: impl Into<Arc<Path>>) -> Self {
        Self { path: path.into(), offset: Pose::IDENTITY, looping: false }
    }

    /// How often the path was begun anew by a time, and the pose then.
    pub(crate) fn pose_at(&self, time: f64) -> (f64, Pose) {
        let [start, end] = self.path.span();
        let length = end - start;
        let laps = if self.looping && time > length { (time / length).floor() } else { 0.0 };
        (laps, self.path.pose_at(start + (time - laps * length)).after(&self.offset))
    }
}

/// Vertices that move in time, over and over again.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformation {
    /// The vertices at instants one after another; the first are those of the mesh.
    pub frames: Arc<Frames>,
    /// How long it takes from one to the next, and from the last to the first.
    pub period: f64,
}

impl Deformation {
    /// The vertices at a time, on straight ways between instants.
    pub(crate) fn vertices_at(&self, time: f64, vertices: &mut Vec<Point>) {
        let count = self.frames.len();
        let past = (time / self.period) % count as f64;
        let index = (past as usize).min(count - 1);
        let part = past - index as f64;
        let (from, to) = (self.frames.frame(index), self.frames.frame((index + 1) % count));
        vertices.clear();
        let between = |(p, q): (&Point, &Point)| [0, 1, 2].map(|k| p[k] + part * (q[k] - p[k]));
        vertices.extend(from.iter().zip(to).map(between));
    }
}

/// A body as it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// For messages; may be empty.
    pub name: String,
    /// What it looks like.
    pub mesh: Arc<Mesh>,
    /// Where it stands.
    pub pose: Pose,
    /// What moves it.
    pub kind: Kind,
    /// Its mass; density times volume if none.
    pub mass: Option<f64>,
    /// Mass per volume; 1 unless told otherwise.
    pub density: f64,
    /// Its moments of inertia about its centre of mass, in the mesh's frame; those of its volume if
    /// none.
    pub inertia: Option<[[f64; 3]; 3]>,
    /// The velocity of its centre of mass.
    pub velocity: Point,
    /// Its angular velocity, in the world's frame, in radians per unit of time.
    pub spin: Point,
    /// The edge of its voxels where engine `voxel` decides, if it is to have its own.
    pub voxel: Option<f64>,
    /// How it deforms, if it does. Mass and inertia stay those of its mesh.
    pub deformation: Option<Deformation>,
    /// From when until when it takes hold of free bodies that it touches, [K98 §4.3]. It must not be
    /// free itself.
    pub grasps: Option<[f64; 2]>,
    /// Who steers it, if anyone does. It must be free then; forces and spin are the pilot's.
    pub pilot: Option<Pilot>,
}

impl BodySpec {
    /// A free body at rest at the origin, of density one.
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Self {
        Self {
            name: String::new(),
            mesh: mesh.into(),
            pose: Pose::IDENTITY,
            kind: Kind::Free,
            mass: None,
            density: 1.0,
            inertia: None,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            voxel: None,
            deformation: None,
            grasps: None,
            pilot: None,
        }
    }

    /// The same elsewhere.
    #[must_use]
    pub fn at(self, pose: Pose) -> Self {
        Self { pose, ..self }
    }

    /// The same with another mass.
    #[must_use]
    pub fn mass(self, mass: f64) -> Self {
        Self { mass: Some(mass), ..self }
    }

    /// The same on its way.
    #[must_use]
    pub fn velocity(self, velocity: impl Into<Point>) -> Self {
        Self { velocity: velocity.into(), ..self }
    }

    /// The same, turning.
    #[must_use]
    pub fn spin(self, spin: impl Into<Point>) -> Self {
        Self { spin: spin.into(), ..self }
    }

    /// The same, moved by something else.
    #[must_use]
    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// How messages call it.
    pub(crate) fn called(&self, index: usize) -> String {
        if self.name.is_empty() { format!("body {index}") } else { format!("body `{}`", self.name) }
    }

    /// Mass and principal moments; `solid` is that of the mesh, with the axes of a given inertia.
    pub(crate) fn weigh(&self, index: usize, solid: Solid) -> Result<(f64, Solid), SimError> {
        let number = |what: &str, found, needed| {
            let who = self.called(index);
            Err(SimError::Number { what: format!("the {what} of {who}"), found, needed })
        };
        let positive = "a finite number above zero is needed";
        let finite = "finite numbers are needed";
        let mass = self.mass.unwrap_or(self.density * solid.volume);
        for (what, found) in [("density", self.density), ("mass", mass)] {
            if !(found.is_finite() && found > 0.0) {
                return number(what, found, positive);
            }
        }
        for (what, vector) in [("velocity", self.velocity), ("spin", self.spin)] {
            if let Some(&found) = vector.iter().find(|x| !x.is_finite()) {
                return number(what, found, finite);
            }
        }
        if let Some(Deformation { frames, period }) = &self.deformation {
            if !(period.is_finite() && *period > 0.0) {
                return number("period", *period, positive);
            }
            let (found, needed) = (frames.frame(0).len(), self.mesh.vertices().len());
            if found != needed {
                return Err(SimError::Frames { body: self.called(index), found, needed });
            }
        }
        if let Some(&found) = self.grasps.iter().flatten().find(|time| time.is_nan()) {
            return number("grasp", found, "times are needed");
        }
        // What a free one holds would have to weigh on it and turn with it; there is no such joint.
        if self.grasps.is_some() && self.kind == Kind::Free {
            return Err(SimError::FreeHand { body: self.called(index) });
        }
        let Some(rows) = self.inertia else { return Ok((mass, solid)) };
        let tensor = DMat3::from_cols_array_2d(&rows);
        if let Some(&found) = rows.iter().flatten().find(|x| !x.is_finite()) {
            return number("inertia", found, finite);
        }
        if tensor != tensor.transpose() {
            return number("inertia", rows[0][1], "a symmetric matrix is needed");
        }
        let (moments, axes) = crate::mass::principal(tensor);
        let found = moments.min_element();
        if found <= 0.0 {
            return number("inertia", found, "principal moments above zero are needed");
        }
        Ok((mass, Solid { moments: moments / mass, axes, ..solid }))
    }
}

/// The radius of a sphere about `center` that certainly holds the points, however they are turned.
pub(crate) fn reach(points: &[Point], center: DVec3) -> f64 {
    let square = |p: &Point| DVec3::from(*p).distance_squared(center);
    points.iter().map(square).fold(0.0, f64::max).sqrt() * (1.0 + 1e-12)
}
