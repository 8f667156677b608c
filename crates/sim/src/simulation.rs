//! The simulation: state in columns, and the step that reads as the design.

use crate::body::{BodySpec, Kind, Script, reach};
use crate::columns::Columns;
use crate::error::SimError;
use crate::frame::{Collision, Event, Frame, Spent};
use crate::look::{Known, Look};
use crate::pilot::Helm;
use crate::respond::impulse::{AtWall, Joint};
use crate::respond::manifold::{Hit, Spot};
use crate::room::Room;
use crate::settings::Settings;
use impinge::contract::ids::BodyId;
use impinge::contract::query::Query;
use impinge::world::World;
use impinge::world::body::Body;
use impinge::{broad, narrow};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use std::sync::Arc;
use std::time::Instant;

/// Bodies that move, meet and answer.
///
/// Bodies are named by their places in the list that the simulation began with.
pub struct Simulation {
    pub(crate) settings: Settings,
    pub(crate) query: Query,
    pub(crate) world: World,
    /// Of the world, in the order of the list, which is that of their ids: none is ever removed.
    pub(crate) ids: Vec<BodyId>,
    pub(crate) columns: Columns,
    /// Where bodies were at the start of the step.
    pub(crate) starts: Vec<Pose>,
    pub(crate) looks: Vec<Look>,
    pub(crate) roles: Vec<Role>,
    /// Who takes hold of what it touches, and from when until when.
    pub(crate) hands: Vec<(usize, [f64; 2])>,
    /// Who is steered.
    pub(crate) helms: Vec<Helm>,
    /// Who deforms.
    pub(crate) deforming: Vec<usize>,
    /// By body: the acceleration per step and step that was promised to the world; NaN if none was.
    pub(crate) promised: Vec<f64>,
    /// When the frame before began for grouped forces, and how long it was.
    pub(crate) driven: Option<[f64; 2]>,
    pub(crate) number: u64,
    pub(crate) time: f64,
    // Kept, so that a step reuses its memory.
    pub(crate) collisions: Vec<Collision>,
    pub(crate) hits: Vec<Hit>,
    pub(crate) spots: Vec<Spot>,
    pub(crate) at_walls: Vec<AtWall>,
    pub(crate) wall_spots: Vec<Spot>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) events: Vec<Event>,
}

/// What moves a body at the moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    Free,
    Fixed,
    Led(Box<Script>),
    /// It follows another one; `offset` leads from its frame to the holder's. Boxed, as scripts are, so
    /// that the column stays small.
    Held {
        by: u32,
        offset: Box<Pose>,
    },
}

impl Simulation {
    /// Prepares all bodies. Free ones must be inside the room, if there is one, but may overlap.
    pub fn new(settings: Settings, bodies: &[BodySpec]) -> Result<Self, SimError> {
        settings.check()?;
        let mut world = empty_world(&settings)?;
        let meshes: Vec<(Arc<Mesh>, Option<f64>)> =
            bodies.iter().map(|body| (Arc::clone(&body.mesh), body.voxel)).collect();
        let shapes = world.add_shapes_to(&meshes).map_err(|refused| {
            let body = bodies[refused.index].called(refused.index);
            SimError::Prepare { body, error: refused.error }
        })?;
        // By shape: equal meshes have the same one.
        let mut known: Vec<Option<Known>> = Vec::new();
        let mut simulation = Self {
            query: settings.query(),
            settings,
            world,
            ids: Vec::with_capacity(bodies.len()),
            columns: Columns::default(),
            starts: bodies.iter().map(|body| body.pose).collect(),
            looks: Vec::with_capacity(bodies.len()),
            roles: Vec::with_capacity(bodies.len()),
            hands: Vec::new(),
            helms: Vec::new(),
            deforming: Vec::new(),
            promised: vec![f64::NAN; bodies.len()],
            driven: None,
            number: 0,
            time: 0.0,
            collisions: Vec::new(),
            hits: Vec::new(),
            spots: Vec::new(),
            at_walls: Vec::new(),
            wall_spots: Vec::new(),
            joints: Vec::new(),
            events: Vec::new(),
        };
        for (i, (spec, shape)) in bodies.iter().zip(shapes).enumerate() {
            let place = shape.0 as usize;
            known.resize_with(known.len().max(place + 1), || None);
            let known = known[place].get_or_insert_with(|| Known::of(&spec.mesh));
            simulation.take_in(i, spec, known)?;
            let body = Body::new(shape).at(simulation.columns.pose[i]);
            // What neither moves nor deforms costs nothing per step.
            let still = spec.kind == Kind::Fixed && spec.deformation.is_none();
            let body = if still { body.frozen() } else { body };
            simulation.ids.push(simulation.world.insert(body)?);
        }
        Ok(simulation)
    }

    fn take_in(&mut self, i: usize, spec: &BodySpec, known: &Known) -> Result<(), SimError> {
        let (mass, solid) = spec.weigh(i, known.solid)?;
        let (role, pose) = match &spec.kind {
            Kind::Free => (Role::Free, spec.pose),
            Kind::Fixed => (Role::Fixed, spec.pose),
            Kind::Scripted(script) => (Role::Led(Box::new(script.clone())), script.pose_at(0.0).1),
        };
        let free = role == Role::Free;
        self.columns.push(mass, &solid, (pose, free));
        self.starts[i] = pose;
        if free {
            self.columns.velocity[i] = spec.velocity.into();
            self.columns.set_spin(i, spec.spin.into());
        }
        self.columns.reach.push(reach(&known.points, solid.center));
        self.looks.push(known.look(spec.deformation.clone()));
        self.roles.push(role);
        if spec.deformation.is_some() {
            self.deforming.push(i);
        }
        self.helms.extend(Helm::of(i, spec)?);
        if let Some(times) = spec.grasps {
            self.hands.push((i, times));
        }
        match &self.settings.room {
            Some(room) if free => self.check_inside((i, spec), room),
            _ => Ok(()),
        }
    }

    fn check_inside(&self, (i, spec): (usize, &BodySpec), room: &Room) -> Result<(), SimError> {
        for k in 0..3 {
            let (from, to) = self.extent(i, k);
            let (min, max) = (room.min()[k], room.max()[k]);
            if from < min || to > max {
                let (body, axis) = (spec.called(i), ['x', 'y', 'z'][k]);
                return Err(SimError::Outside { body, axis, from, to, min, max });
            }
        }
        Ok(())
    }

    /// Moves all bodies by `dt`, asks who touches whom, and lets them answer.
    ///
    /// # Panics
    /// If `dt` is not finite or below zero.
    pub fn step(&mut self, dt: f64) -> Frame<'_> {
        assert!(dt.is_finite() && dt >= 0.0, "a step of {dt}; time goes forward");
        let started = Instant::now();
        self.collisions.clear();
        self.steer(dt);
        self.number += 1;
        self.time += dt;
        self.drive_groups(dt);
        let halted = self.move_bodies(dt) + self.deform_bodies();
        let moved = Instant::now();
        let (progress, broken_promises) = self.detect();
        let detected = Instant::now();
        self.grasp_and_release();
        self.respond(dt);
        let spent = Spent {
            motion: moved - started,
            detection: detected - moved,
            response: detected.elapsed(),
        };
        Frame {
            number: self.number,
            time: self.time,
            events: &self.events,
            collisions: &self.collisions,
            touching: self.hits.len(),
            halted,
            broken_promises,
            progress,
            spent,
        }
    }
}

fn empty_world(settings: &Settings) -> Result<World, SimError> {
    let engine = narrow::by_text(&settings.engine)
        .map_err(|error| SimError::Engine { text: settings.engine.clone(), error })?;
    let pruner = broad::by_name(&settings.pruner).ok_or_else(|| {
        let known = broad::names().collect::<Vec<_>>().join(", ");
        SimError::Pruner { name: settings.pruner.clone(), known }
    })?;
    Ok(World::with(pruner, engine))
}
