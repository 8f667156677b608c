//! From a scene to a simulation: what the scene says, and what it leaves open.

use crate::body::{BodySpec, Deformation, Kind, Script};
use crate::error::SimError;
use crate::room::{Room, WallTest};
use crate::settings::{Integrator, Response, Settings};
use crate::simulation::Simulation;
use impinge::contract::query::Mode;
use impinge_scene::scene::fit::Fit;
use impinge_scene::scene::sim::{self, Sim, SimBody};
use impinge_scene::scene::{Scene, SceneBody};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A simulation before it begins. Any of it may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How it goes about it.
    pub settings: Settings,
    /// The time of a frame.
    pub dt: f64,
    /// The bodies, in the order of the scene.
    pub bodies: Vec<BodySpec>,
    /// Pairs of bodies that are not held against each other.
    pub ignored: BTreeSet<[usize; 2]>,
}

/// The time of a frame, in seconds, unless a scene says otherwise.
pub const DT: f64 = 1e-3;

impl Plan {
    /// What the scene says. Bodies that its path moves are scripted, all others free unless they say
    /// otherwise; a body with frames deforms.
    pub fn of(scene: &Scene) -> Result<Self, SimError> {
        let none = Sim::default();
        let sim = scene.sim.as_ref().unwrap_or(&none);
        let defaults = Settings::default();
        let room = match sim.room {
            Some([min, max]) => Some(Room::new(min, max)?),
            None => None,
        };
        let settings = Settings {
            engine: sim.engine.clone().unwrap_or(defaults.engine),
            pruner: sim.pruner.clone().unwrap_or(defaults.pruner),
            integrator: sim.integrator.map_or(defaults.integrator, Integrator::from),
            response: sim.response.map_or(defaults.response, Response::from),
            room,
            wall_test: sim.walls.map_or(defaults.wall_test, WallTest::from),
            gravity: sim.gravity.unwrap_or(defaults.gravity),
            restitution: sim.restitution.unwrap_or(defaults.restitution),
            friction: sim.friction.unwrap_or(defaults.friction),
            mode: match sim.mode {
                Some(sim::Mode::Dynamic) => Mode::Dynamic,
                Some(sim::Mode::Static) | None => defaults.mode,
            },
            grouped: sim.grouped,
        };
        let dt = sim.dt.unwrap_or(DT);
        let plain = SimBody::default();
        let bodies = scene.bodies.iter().enumerate().map(|(i, body)| {
            let said = sim.bodies.get(i).unwrap_or(&plain);
            let kind = kind(scene, i, said, sim.looping);
            of_body(body, said, kind, dt)
        });
        Ok(Self { settings, dt, bodies: bodies.collect(), ignored: scene.ignored_pairs() })
    }

    /// Begins.
    pub fn start(self) -> Result<Simulation, SimError> {
        let mut simulation = Simulation::new(self.settings, &self.bodies)?;
        for [a, b] in self.ignored {
            let (a, b) = (simulation.id(a), simulation.id(b));
            simulation.world_mut().deny(a, b);
        }
        Ok(simulation)
    }
}

fn kind(scene: &Scene, i: usize, said: &SimBody, looping: bool) -> Kind {
    let led = scene.fit.as_ref().filter(|fit| fit.moving.contains(&i));
    match (said.kind, led) {
        (Some(sim::Kind::Scripted) | None, Some(Fit { moving, path, .. })) => {
            // All of them are rigidly connected to the first, as the scene puts them together.
            let leader = scene.bodies[moving[0]].pose;
            let offset = leader.inverse().after(&scene.bodies[i].pose);
            let offset = if i == moving[0] { Script::along(path.clone()).offset } else { offset };
            Kind::Scripted(Script { path: Arc::new(path.clone()), offset, looping })
        }
        (Some(sim::Kind::Fixed), _) => Kind::Fixed,
        (Some(sim::Kind::Free | sim::Kind::Scripted) | None, _) => Kind::Free,
    }
}

fn of_body(body: &SceneBody, said: &SimBody, kind: Kind, dt: f64) -> BodySpec {
    let period = said.period.unwrap_or(dt);
    let deformation = body.frames.as_ref().filter(|frames| frames.len() > 1);
    BodySpec {
        name: body.name.clone(),
        mesh: Arc::clone(&body.mesh),
        pose: body.pose,
        kind,
        mass: said.mass,
        density: said.density.unwrap_or(1.0),
        inertia: said.inertia,
        velocity: said.velocity.unwrap_or([0.0; 3]),
        spin: said.spin.unwrap_or([0.0; 3]),
        voxel: body.voxel,
        deformation: deformation.map(|frames| Deformation { frames: Arc::clone(frames), period }),
        grasps: said.grasp,
        pilot: said.pilot,
    }
}

impl From<sim::Integrator> for Integrator {
    fn from(said: sim::Integrator) -> Self {
        match said {
            sim::Integrator::SemiImplicit => Self::SemiImplicitEuler,
            sim::Integrator::Euler => Self::ExplicitEuler,
            sim::Integrator::RungeKutta => Self::RungeKutta4,
        }
    }
}

impl From<sim::Response> for Response {
    fn from(said: sim::Response) -> Self {
        match said {
            sim::Response::Exchange => Self::Exchange,
            sim::Response::Reflect => Self::Reflect,
            sim::Response::Impulse => Self::Impulse,
            sim::Response::None => Self::None,
        }
    }
}

impl From<sim::Walls> for WallTest {
    fn from(said: sim::Walls) -> Self {
        match said {
            sim::Walls::Extent => Self::Extent,
            sim::Walls::Sphere => Self::Sphere,
        }
    }
}
