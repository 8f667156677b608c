//! Cubes under random forces on groups of them (H93), and the table of bounds that a world makes of each
//! frame, with what the simulation promises: what pruners are raced and judged on.

use anyhow::{Result, bail};
use impinge::contract::answer::Progress;
use impinge::contract::bounds::Bounds;
use impinge::contract::ids::Pair;
use impinge::contract::pruner::Pruner;
use impinge::contract::sink::Sink;
use impinge::narrow;
use impinge::prelude::{Body, BodyId, Query, World};
use impinge_samples::Sampled;
use impinge_sim::prelude::{Plan, Simulation};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A simulation, and a world beside it that only makes tables.
pub struct Grouped {
    simulation: Simulation,
    dt: f64,
    world: World,
    ids: Vec<BodyId>,
    table: Arc<Mutex<Bounds>>,
}

/// A pruner that finds nothing and keeps what it was shown.
struct Keeper(Arc<Mutex<Bounds>>);

impl Pruner for Keeper {
    fn name(&self) -> &'static str {
        "keeper"
    }

    fn prune(&mut self, bounds: &Bounds, _: &mut Sink<'_, Pair>) -> Progress {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(bounds);
        Progress::Complete
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl Grouped {
    /// The sample of that name, with frames of `dt` seconds if they are to be others than its own.
    pub fn new(name: &str, dt: Option<f64>) -> Result<Self> {
        let Sampled::Scene(scene) = impinge_samples::build(name)? else {
            bail!("{name} is no scene")
        };
        let plan = Plan::of(&scene.into_scene(name))?;
        let (dt, bodies) = (dt.unwrap_or(plan.dt), plan.bodies.clone());
        let simulation = plan.start()?;
        let table = Arc::default();
        let engine = narrow::by_text("auto")?;
        let mut world = World::with(Box::new(Keeper(Arc::clone(&table))), engine);
        let mut ids = Vec::new();
        for body in &bodies {
            let shape = world.add_shape(Arc::clone(&body.mesh))?;
            ids.push(world.insert(Body::new(shape).at(body.pose))?);
        }
        Ok(Self { simulation, dt, world, ids, table })
    }

    /// One frame; how long the integrator took.
    pub fn advance(&mut self) -> Duration {
        let motion = self.simulation.step(self.dt).spent.motion;
        for (i, &id) in self.ids.iter().enumerate() {
            self.world.set_pose(id, *self.simulation.pose(i));
            let promise = self.simulation.world().promise_of(self.simulation.id(i));
            self.world.promise(id, promise);
        }
        self.world.candidates(&Query::TOUCHING);
        motion
    }

    /// What a pruner sees of the frame.
    pub fn table(&self) -> Bounds {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
