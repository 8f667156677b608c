//! The spaceship simulator of (H93): its frames, recorded once so that all methods see the same, and the
//! cases that a narrow phase gets to see of it.

use crate::frames::Story;
use anyhow::{Context, Result, bail};
use glam::DVec3;
use impinge::contract::answer::Verdict;
use impinge::contract::job::{Job, Placed};
use impinge::prelude::{Mesh, Pose, PosedPair, Query, ShapeId};
use impinge_geom::sphere::Sphere;
use impinge_samples::Sampled;
use impinge_sim::prelude::{Pilot, Plan, Solid};
use std::sync::Arc;

/// What to fly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// How many ships.
    pub ships: usize,
    /// Faces of each.
    pub faces: usize,
    /// How far they go before they return.
    pub range: f64,
    /// How many frames.
    pub frames: usize,
    /// Other flights of the same kind.
    pub seed: u64,
}

/// A recorded flight.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Where all ships are, frame by frame.
    pub story: Story,
    /// The limits that all pilots keep.
    pub pilot: Pilot,
    /// The time of a frame.
    pub dt: f64,
    /// Pairs of ships that exchanged velocities, over all frames.
    pub collisions: usize,
}

impl Flight {
    /// Flies the sample `spaceships`: ships that meet exchange velocities.
    pub fn record(params: &Params) -> Result<Self> {
        let Params { ships, faces, range, frames, seed } = params;
        let name = format!("spaceships?n={ships}&faces={faces}&range={range}&seed={seed}");
        let Sampled::Scene(scene) = impinge_samples::build(&name)? else { bail!("{name}") };
        let plan = Plan::of(&scene.into_scene(&name))?;
        let pilot =
            plan.bodies.first().and_then(|ship| ship.pilot).context("a ship has a pilot")?;
        let mesh = Arc::clone(&plan.bodies[0].mesh);
        let dt = plan.dt;
        let mut simulation = plan.start()?;
        let mut cycles = Vec::with_capacity(*frames);
        let mut collisions = 0;
        for _ in 0..*frames {
            collisions += simulation.step(dt).collisions.len();
            cycles.push((0..simulation.len()).map(|i| *simulation.pose(i)).collect());
        }
        let story = Story { meshes: vec![mesh; *ships], cycles };
        Ok(Self { story, pilot, dt, collisions })
    }

    /// What all ships look like.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.story.meshes[0]
    }

    /// The most by which the way of a ship's middle, that of its bounding sphere, differs from frame to
    /// frame while nothing happens to it: thrust, a drag that is never more, and turning about the centre
    /// of mass. More than that come from collisions, and from other settings of the turn.
    pub fn acceleration(&self) -> f64 {
        let ball = Sphere::around(self.mesh().vertices());
        let off = DVec3::from(ball.center).distance(Solid::of(self.mesh()).center);
        let Pilot { thrust, turn, .. } = self.pilot;
        (2.0 * thrust + turn * turn * off) * self.dt * self.dt
    }

    /// Pairs of ships whose bounding spheres overlap, in all frames: at most `most` of them, evenly.
    pub fn cases(&self, most: usize) -> Result<Vec<Case>> {
        let ball = Sphere::around(self.mesh().vertices());
        let mut near = Vec::new();
        for poses in &self.story.cycles {
            let balls: Vec<Sphere> = poses
                .iter()
                .map(|pose| Sphere { center: pose.apply(&ball.center), ..ball })
                .collect();
            for (b, ball) in balls.iter().enumerate() {
                for a in (0..b).filter(|&a| balls[a].overlaps(ball)) {
                    near.push([poses[a], poses[b]]);
                }
            }
        }
        let mut exact = PosedPair::new(Arc::clone(self.mesh()), Arc::clone(self.mesh()))?;
        let chosen = near.iter().step_by(near.len().div_ceil(most).max(1));
        let case = |poses: &[Pose; 2]| {
            let found = exact.answer(&[job(poses)], &Query::TOUCHING);
            Case { poses: *poses, hit: matches!(found.all()[0].verdict, Verdict::Hit(_)) }
        };
        Ok(chosen.map(case).collect())
    }
}

/// Two ships whose bounding spheres overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Where they are.
    pub poses: [Pose; 2],
    /// Whether they really meet.
    pub hit: bool,
}

/// The question about two ships for a [`PosedPair`] of the same mesh.
pub fn job([a, b]: &[Pose; 2]) -> Job {
    let placed = |pose: &Pose| Placed { shape: ShapeId(0), placement: (*pose).into() };
    Job { a: placed(a), b: placed(b), itself: false, memory: None, priority: 1.0 }
}
