//! Bodies every vertex of which moves every frame: what is timed is taking the vertices in and finding
//! all pairs of faces, by a world of two bodies, or of one that is held against itself.

use crate::timing::Clock;
use anyhow::{Context, Result};
use impinge::prelude::*;
use impinge::{broad, narrow};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// After so many frames vertices are where they were.
pub const PERIOD: usize = 8;

/// How far waves move vertices.
const HEIGHT: f64 = 0.03;

/// The vertices of a mesh in a frame: waves along the axes run through it. The second body of a scene is
/// turned by a right angle about x and moved by its offset, and its waves are elsewhere. Rounded to
/// f32, so that programs that calculate in f32 see the same.
pub fn wobble(mesh: &Mesh, second: Option<[f64; 3]>, frame: usize) -> Vec<Point> {
    let frame = frame as f64;
    let phase = if second.is_some() { 1.0 } else { 0.0 };
    let [dx, dy, dz] = second.unwrap_or([0.0; 3]);
    let place = |&[x, y, z]: &Point| {
        let (y, z) = if second.is_some() { (z, -y) } else { (y, z) };
        let wave = |along: f64, speed: f64| HEIGHT * (5.0 * along + speed * frame + phase).sin();
        let place = [x + wave(y, 0.30) + dx, y + wave(z, 0.37) + dy, z + wave(x, 0.41) + dz];
        place.map(|x| f64::from(x as f32))
    };
    mesh.vertices().iter().map(place).collect()
}

/// What is asked, and by whom it is answered.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engine, by name; it may carry parameters.
    pub engine: String,
    /// Bodies are also held against themselves.
    pub itself: bool,
    /// By which clock.
    pub clock: Clock,
}

/// A world of deforming bodies, ready to be timed.
pub struct Bench {
    world: World,
    bodies: Vec<BodyId>,
    meshes: Vec<Arc<Mesh>>,
    /// By frame and body.
    frames: Vec<Vec<Vec<Point>>>,
    plan: Plan,
}

/// What a frame came to.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// How long it took.
    pub time: Duration,
    /// Pairs of faces that meet.
    pub pairs: u64,
    /// Everything was decided.
    pub complete: bool,
}

impl Bench {
    /// Of one mesh, or of two, the second at an offset.
    pub fn new(meshes: Vec<Arc<Mesh>>, offset: [f64; 3], plan: Plan) -> Result<Self> {
        let engine =
            narrow::by_text(&plan.engine).with_context(|| format!("engine `{}`", plan.engine))?;
        let mut world = World::with(Box::new(broad::auto::Auto::default()), engine);
        let mut bodies = Vec::new();
        for mesh in &meshes {
            let shape = world.add_shape(Arc::clone(mesh))?;
            bodies.push(world.insert(Body::new(shape))?);
        }
        let of_frame = |frame: usize| {
            let of_body =
                |(k, mesh): (usize, &Arc<Mesh>)| wobble(mesh, (k > 0).then_some(offset), frame);
            meshes.iter().enumerate().map(of_body).collect()
        };
        let frames = (0..PERIOD).map(of_frame).collect();
        Ok(Self { world, bodies, meshes, frames, plan })
    }

    /// The next question is about that frame: vertices in, pairs out.
    pub fn frame(&mut self, number: usize) -> Result<Frame> {
        let frame = &self.frames[number % PERIOD];
        let query = Query { itself: self.plan.itself, ..Query::PAIRS };
        let watch = self.plan.clock.start();
        let moved: Vec<(BodyId, &[Point])> =
            self.bodies.iter().copied().zip(frame.iter().map(Vec::as_slice)).collect();
        self.world.deform_all(&moved)?;
        let report = self.world.step(&query);
        let time = watch.elapsed();
        let pairs = report.pairs().map(|pair| pair.triangle_pairs.len() as u64).sum();
        let known = report.pairs().all(|pair| pair.answer.verdict != Verdict::Unknown);
        let complete = known && report.progress() == Progress::Complete;
        Ok(Frame { time, pairs, complete })
    }

    /// Reading all vertices and faces once, and doing nothing with them but the least that makes them
    /// be read.
    pub fn stream(&self, number: usize) -> Duration {
        let watch = self.plan.clock.start();
        for (vertices, mesh) in self.frames[number % PERIOD].iter().zip(&self.meshes) {
            let sum = vertices.as_flattened().chunks(8).fold([0.0; 8], |mut sum, some| {
                some.iter().zip(&mut sum).for_each(|(x, sum)| *sum += x);
                sum
            });
            black_box(sum);
            black_box(mesh.triangles().as_flattened().iter().fold(0u32, |all, &v| all ^ v));
        }
        watch.elapsed()
    }

    /// All faces of all bodies.
    pub fn faces(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.triangles().len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_agree_on_every_frame() {
        let mesh =
            Arc::new(impinge_samples::build_mesh("torus-knot?segments=60&sides=10").unwrap());
        let run = |engine: &str| -> Vec<u64> {
            let plan = Plan { engine: engine.into(), itself: false, clock: Clock::Wall };
            let meshes = vec![Arc::clone(&mesh), Arc::clone(&mesh)];
            let mut bench = Bench::new(meshes, [0.8, 0.3, 0.2], plan).unwrap();
            (0..PERIOD).map(|k| bench.frame(k).unwrap().pairs).collect()
        };
        let pairs = run("octree");
        assert!(pairs.iter().all(|&pairs| pairs > 20), "{pairs:?}");
        assert_eq!(pairs, run("brute"));
        assert_eq!(pairs, run("auto"));
    }
}
