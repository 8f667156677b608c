//! Equal bodies that drift and turn in a cubic room, as in [V00 §8] and [K98 §5.3].
//!
//! They begin in cells of a grid, each somewhere in a cell of its own, so that none touches another; it
//! takes O(n) time to place them, and they are well mixed after some hundred frames.

use crate::near::Random;
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use impinge_sim::prelude::*;
use std::sync::Arc;

/// What crowd to make.
#[derive(Clone, Debug)]
pub struct Params {
    /// What all of them look like.
    pub mesh: Arc<Mesh>,
    /// How many.
    pub n: usize,
    /// The volume of all bodies as a part of the room's.
    pub density: f64,
    /// How far each goes in a step, at least and at most, in radii.
    pub speed: [f64; 2],
    /// How far each turns in a step, at least and at most, in radians.
    pub turn: [f64; 2],
    /// Another crowd of the same kind.
    pub seed: u64,
}

/// Bodies and their room, from the origin to `side` along each axis. One unit of time is a step.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The bodies.
    pub bodies: Vec<BodySpec>,
    /// The edge of the room.
    pub side: f64,
}

impl Crowd {
    /// Makes a crowd.
    pub fn new(params: &Params) -> Result<Self> {
        let &Params { ref mesh, n, density, speed, turn, seed } = params;
        let solid = Solid::of(mesh);
        let side = (solid.volume * n as f64 / density).cbrt();
        let far = |vertex: &Point| DVec3::from(*vertex).distance(solid.center);
        let radius = mesh.vertices().iter().map(far).fold(0.0, f64::max);
        let rows = (1..).find(|rows: &usize| rows.pow(3) >= n).context("there are bodies")?;
        let cell = side / rows as f64;
        let spare = 0.5 * cell * (1.0 - 1e-6) - radius;
        ensure!(spare > 0.0, "{n} bodies of radius {radius} do not fit into a room of side {side}");
        let mut random = Random::of([seed, n as u64, 0]);
        let cells = shuffled(rows.pow(3), &mut random);
        let body = |&cell_number: &usize| -> Result<BodySpec> {
            let place = [1, rows, rows * rows].map(|stride| cell_number / stride % rows);
            let center = place.map(|k| {
                let middle = (k as f64 + 0.5) * cell;
                middle + random.between([-spare, spare])
            });
            let turned = Pose::new(random.on_sphere::<4>(), [0.0; 3])?;
            let offset = DVec3::from(turned.apply(&solid.center.to_array()));
            let pose = Pose::new(turned.rotation(), (DVec3::from(center) - offset).to_array())?;
            let mut vector = |range: [f64; 2], unit: f64| {
                let length = unit * random.between(range);
                random.on_sphere::<3>().map(|x| x * length)
            };
            let (velocity, spin) = (vector(speed, radius), vector(turn, 1.0));
            Ok(BodySpec::new(Arc::clone(mesh)).at(pose).velocity(velocity).spin(spin))
        };
        let mut chosen = cells[..n].to_vec();
        chosen.sort_unstable();
        Ok(Self { bodies: chosen.iter().map(body).collect::<Result<_>>()?, side })
    }

    /// A simulation of them in which velocities are exchanged, with the engine and pruner of these names.
    pub fn simulation(&self, engine: &str, pruner: &str) -> Result<Simulation> {
        let settings = Settings {
            engine: engine.to_owned(),
            pruner: pruner.to_owned(),
            room: Some(Room::new([0.0; 3], [self.side; 3])?),
            wall_test: WallTest::Sphere,
            ..Settings::default()
        };
        Ok(Simulation::new(settings, &self.bodies)?)
    }
}

/// All numbers below `count`, in a random order.
fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let drawn = random.between([0.0, (last + 1) as f64]) as usize;
        all.swap(last, drawn.min(last));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_samples::build_mesh;

    #[test]
    fn a_crowd_has_its_density_and_begins_apart_and_inside() {
        let mesh = Arc::new(build_mesh("polytope?radius=2").unwrap());
        for n in [1, 2, 9, 64, 300] {
            let params = Params {
                mesh: Arc::clone(&mesh),
                n,
                density: 0.05,
                speed: [0.0, 0.1],
                turn: [0.1, 0.1],
                seed: 3,
            };
            let crowd = Crowd::new(&params).unwrap();
            let volume = Solid::of(&mesh).volume * n as f64;
            assert!((volume / crowd.side.powi(3) - 0.05).abs() < 1e-9);
            // Outside of the room it would be refused.
            let mut simulation = crowd.simulation("bvh", "auto").unwrap();
            assert_eq!(simulation.step(0.0).touching, 0);
            assert_eq!(simulation.len(), n);
            for body in &crowd.bodies {
                assert!((DVec3::from(body.spin).length() - 0.1).abs() < 1e-12);
                assert!(DVec3::from(body.velocity).length() <= 0.1 * 2.0 * 1.5);
            }
        }
    }

    #[test]
    fn too_dense_a_crowd_is_refused() {
        let mesh = Arc::new(build_mesh("polytope").unwrap());
        let range = [0.0, 0.1];
        let params = Params { mesh, n: 8, density: 0.9, speed: range, turn: range, seed: 1 };
        assert!(Crowd::new(&params).unwrap_err().to_string().contains("do not fit"));
    }
}
