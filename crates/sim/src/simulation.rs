//! The simulation: state in columns, and the step that reads as the design.

use crate::body::{BodySpec, Kind};
use crate::columns::{Columns, point};
use crate::error::SimError;
use crate::frame::{Collision, Event, Frame, Other, Spent};
use crate::integrate::advance;
use crate::mass::{MassSource, Solid};
use crate::respond::exchange;
use crate::room::{Bounce, Crossing, Room, WallTest, extent};
use crate::settings::{Integrator, Response, Settings};
use glam::DVec3;
use impinge::contract::answer::Progress;
use impinge::contract::ids::BodyId;
use impinge::contract::query::Query;
use impinge::world::body::Body;
use impinge::world::{self, World};
use impinge::{broad, narrow};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use std::sync::Arc;
use std::time::Instant;

/// Bodies that move, meet and answer.
///
/// Bodies are named by their places in the list that the simulation began with.
pub struct Simulation {
    settings: Settings,
    query: Query,
    world: World,
    /// Of the world, in the order of the list, which is that of their ids: none is ever removed.
    ids: Vec<BodyId>,
    columns: Columns,
    outlines: Vec<Outline>,
    number: u64,
    time: f64,
    // Kept, so that a step reuses its memory.
    collisions: Vec<Collision>,
    hits: Vec<[usize; 2]>,
    events: Vec<Event>,
}

/// What walls know of a body.
struct Outline {
    /// The vertices that faces use; bodies of the same mesh share them.
    points: Arc<[Point]>,
    /// None is farther from the centre of mass.
    reach: f64,
    source: MassSource,
    moves: bool,
}

/// What is worked out once for all bodies of a mesh.
struct Known {
    mesh: Arc<Mesh>,
    solid: Solid,
    points: Arc<[Point]>,
}

impl Simulation {
    /// Prepares all bodies. They must be inside the room, if there is one, but may overlap.
    pub fn new(settings: Settings, bodies: &[BodySpec]) -> Result<Self, SimError> {
        settings.check()?;
        let mut world = empty_world(&settings)?;
        let meshes: Vec<Arc<Mesh>> = bodies.iter().map(|body| Arc::clone(&body.mesh)).collect();
        let shapes = world.add_shapes(&meshes).map_err(SimError::Prepare)?;
        let mut known: Vec<Known> = Vec::new();
        let mut simulation = Self {
            query: settings.query(),
            settings,
            world,
            ids: Vec::with_capacity(bodies.len()),
            columns: Columns::default(),
            outlines: Vec::with_capacity(bodies.len()),
            number: 0,
            time: 0.0,
            collisions: Vec::new(),
            hits: Vec::new(),
            events: Vec::new(),
        };
        for (i, (spec, shape)) in bodies.iter().zip(shapes).enumerate() {
            let place = known.iter().rposition(|known| Arc::ptr_eq(&known.mesh, &spec.mesh));
            let place = place.unwrap_or_else(|| {
                known.push(Known::of(&spec.mesh));
                known.len() - 1
            });
            simulation.take_in(i, spec, &known[place])?;
            let body = Body::new(shape).at(spec.pose).with_user_data(i as u64);
            let body = if spec.kind == Kind::Fixed { body.frozen() } else { body };
            simulation.ids.push(simulation.world.insert(body)?);
        }
        Ok(simulation)
    }

    fn take_in(&mut self, i: usize, spec: &BodySpec, known: &Known) -> Result<(), SimError> {
        let (mass, solid) = spec.weigh(i, known.solid)?;
        let free = spec.kind == Kind::Free;
        self.columns.push(mass, &solid, (spec.pose, free));
        if free {
            self.columns.velocity[i] = spec.velocity.into();
            self.columns.set_spin(i, spec.spin.into());
        }
        let reach = spec.reach(solid.center);
        let points = Arc::clone(&known.points);
        self.outlines.push(Outline { points, reach, source: solid.source, moves: free });
        match &self.settings.room {
            Some(room) if free => self.check_inside(i, room),
            _ => Ok(()),
        }
    }

    fn check_inside(&self, body: usize, room: &Room) -> Result<(), SimError> {
        for k in 0..3 {
            let (from, to) = self.extent(body, k);
            let (min, max) = (room.min()[k], room.max()[k]);
            if from < min || to > max {
                let axis = ['x', 'y', 'z'][k];
                return Err(SimError::Outside { body, axis, from, to, min, max });
            }
        }
        Ok(())
    }

    /// How far a body reaches along an axis, as its wall test sees it.
    fn extent(&self, i: usize, k: usize) -> (f64, f64) {
        let outline = &self.outlines[i];
        match self.settings.wall_test {
            WallTest::Extent => extent(&self.columns.pose[i], &outline.points, k),
            WallTest::Sphere => {
                let center = self.columns.place[i][k];
                (center - outline.reach, center + outline.reach)
            }
        }
    }

    /// Moves all bodies by `dt`, asks who touches whom, and lets them answer.
    ///
    /// # Panics
    /// If `dt` is not finite or below zero.
    pub fn step(&mut self, dt: f64) -> Frame<'_> {
        assert!(dt.is_finite() && dt >= 0.0, "a step of {dt}; time goes forward");
        let started = Instant::now();
        self.collisions.clear();
        let halted = self.move_bodies(dt);
        let moved = Instant::now();
        let progress = self.detect();
        let detected = Instant::now();
        self.respond();
        self.number += 1;
        self.time += dt;
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
            progress,
            spent,
        }
    }

    /// How many had to be put to rest.
    fn move_bodies(&mut self, dt: f64) -> usize {
        let gravity = DVec3::from(self.settings.gravity);
        let mut halted = 0;
        for i in 0..self.ids.len() {
            if !self.outlines[i].moves {
                continue;
            }
            advance(&mut self.columns, i, gravity, (self.settings.integrator, dt));
            halted += usize::from(!self.columns.settle(i));
            self.turn_back_at_walls(i, dt);
            self.world.set_pose(self.ids[i], self.columns.pose[i]);
        }
        halted
    }

    fn turn_back_at_walls(&mut self, i: usize, dt: f64) {
        let Some(room) = self.settings.room else { return };
        if room.holds(self.columns.place[i], self.outlines[i].reach) {
            return;
        }
        let pull = DVec3::from(self.settings.gravity)
            + self.columns.force[i] * self.columns.inverse_mass[i];
        let lag = match self.settings.integrator {
            Integrator::SemiImplicitEuler => 0.5 * dt,
            Integrator::ExplicitEuler => -0.5 * dt,
            Integrator::RungeKutta4 => 0.0,
        };
        let mut turned = false;
        for k in 0..3 {
            let (from, to) = self.extent(i, k);
            let velocity = self.columns.velocity[i][k];
            let at = Crossing { from, to, velocity };
            let restitution = self.settings.restitution;
            let bounce = Bounce { restitution, pull: pull[k], lag };
            let Some(back) = room.rebound(k, at, bounce) else { continue };
            self.columns.place[i][k] += back.shift;
            self.columns.velocity[i][k] = back.velocity;
            turned = true;
            let speed = if back.upper { velocity } else { -velocity };
            if speed > 0.0 {
                let with = if back.upper { Other::Upper(k) } else { Other::Lower(k) };
                let mut place = self.columns.place[i];
                place[k] = if back.upper { room.max()[k] } else { room.min()[k] };
                self.collisions.push(Collision { body: i, with, speed, point: point(place) });
            }
        }
        if turned {
            self.columns.settle(i);
        }
    }

    fn detect(&mut self) -> Progress {
        let report = self.world.step(&self.query);
        let ids = &self.ids;
        let place = |id: &BodyId| ids.binary_search(id).expect("the world holds these bodies only");
        self.hits.clear();
        self.hits.extend(report.hits().map(|hit| [place(&hit.a), place(&hit.b)]));
        self.events.clear();
        self.events.extend(report.events().iter().map(|event| match event {
            world::events::Event::Begin(a, b) => Event::Begin(place(a), place(b)),
            world::events::Event::Stay(a, b) => Event::Stay(place(a), place(b)),
            world::events::Event::End(a, b) => Event::End(place(a), place(b)),
        }));
        report.progress()
    }

    fn respond(&mut self) {
        for &pair in &self.hits {
            let answered = match self.settings.response {
                Response::Exchange => exchange::answer(&mut self.columns, pair),
                Response::None => None,
            };
            self.collisions.extend(answered);
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

impl Known {
    fn of(mesh: &Arc<Mesh>) -> Self {
        let used = mesh.vertices().iter().zip(mesh.used());
        let points = used.filter_map(|(vertex, used)| used.then_some(*vertex)).collect();
        Self { mesh: Arc::clone(mesh), solid: Solid::of(mesh), points }
    }
}

/// What can be read between steps, and set for the next one.
impl Simulation {
    /// How many bodies there are.
    #[expect(clippy::len_without_is_empty, reason = "it is no collection")]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The world, for other questions.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for rules about pairs. Bodies are to be moved through the simulation alone, and
    /// neither taken out nor put in.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Its name in the world.
    pub fn id(&self, body: usize) -> BodyId {
        self.ids[body]
    }

    /// How many steps there were.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How much time has passed.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Where the mesh of a body is.
    pub fn pose(&self, body: usize) -> &Pose {
        &self.columns.pose[body]
    }

    /// The velocity of its centre of mass.
    pub fn velocity(&self, body: usize) -> Point {
        point(self.columns.velocity[body])
    }

    /// Its angular velocity, in the world's frame.
    pub fn spin(&self, body: usize) -> Point {
        point(self.columns.spin(body))
    }

    /// Its mass.
    pub fn mass(&self, body: usize) -> f64 {
        self.columns.body[body].mass
    }

    /// Its centre of mass, in the world.
    pub fn center(&self, body: usize) -> Point {
        point(self.columns.place[body])
    }

    /// What its mass and inertia were taken from, as far as they were not given.
    pub fn mass_source(&self, body: usize) -> MassSource {
        self.outlines[body].source
    }

    /// A force at its centre of mass and a torque, from now on, in the world's frame.
    pub fn set_force(&mut self, body: usize, force: impl Into<Point>, torque: impl Into<Point>) {
        self.columns.force[body] = force.into().into();
        self.columns.torque[body] = torque.into().into();
    }

    /// Kinetic and potential energy of all free bodies. Potential energy is that of gravity, from the
    /// world's origin.
    pub fn energy(&self) -> f64 {
        let gravity = DVec3::from(self.settings.gravity);
        let one = |i: usize| {
            let fall = self.columns.body[i].mass * gravity.dot(self.columns.place[i]);
            self.columns.kinetic(i) - fall
        };
        self.free().map(one).sum()
    }

    /// The momentum of all free bodies.
    pub fn momentum(&self) -> Point {
        let one = |i: usize| self.columns.velocity[i] * self.columns.body[i].mass;
        point(self.free().map(one).sum())
    }

    /// The angular momentum of all free bodies, about the world's origin.
    pub fn angular_momentum(&self) -> Point {
        point(self.free().map(|i| self.columns.angular(i)).sum())
    }

    fn free(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&i| self.columns.inverse_mass[i] > 0.0)
    }
}
