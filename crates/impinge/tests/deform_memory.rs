//! A steady frame of bodies that deform allocates nothing. Alone in its program, since it counts what
//! all threads ask for.

use impinge::broad;
use impinge::contract::answer::{AnswerSink, Draft, Guarantee, Progress, Verdict};
use impinge::contract::engine::{Engine, PrepareError, Scratch};
use impinge::contract::ids::ShapeId;
use impinge::contract::job::Batch;
use impinge::narrow::octree::Octree;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use impinge_simd::counting::Counting;
use std::sync::Arc;

#[global_allocator]
static MEMORY: Counting = Counting::new();

/// Answers nothing, so that what is counted is the world's own.
struct Mute;

impl Engine for Mute {
    fn name(&self) -> &'static str {
        "mute"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::EXACT
    }

    fn prepare(&mut self, _: ShapeId, _: &Arc<Mesh>) -> Result<(), PrepareError> {
        Ok(())
    }

    fn release(&mut self, _: ShapeId) {}

    fn bytes(&self) -> usize {
        0
    }

    fn collide(&self, batch: &Batch<'_>, _: &mut Scratch, out: &mut AnswerSink<'_>) -> Progress {
        batch.jobs.iter().for_each(|_| out.push(&mut Draft::of(Verdict::Unknown)));
        Progress::Complete
    }
}

/// So many frames may pass until everything has found its place.
const WARM: usize = 12;

#[test]
fn a_steady_frame_allocates_nothing() {
    // On a thread of a pool, so that handing over work takes no memory either.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    pool.install(|| {
        count_frames(Box::new(Mute));
        count_frames(Box::new(Octree::default()));
    });
}

fn count_frames(engine: Box<dyn Engine>) {
    let mesh = build_mesh("sphere?faces=320").expect("a sample");
    let frames: Vec<Vec<Point>> = (0..3)
        .map(|k| {
            let by = 1.0 + 0.1 * f64::from(k);
            mesh.vertices().iter().map(|p| p.map(|x| by * x)).collect()
        })
        .collect();
    let pruner = broad::by_name("brute").expect("it is registered");
    let mut world = World::with(pruner, engine);
    let shape = world.add_shape(mesh).expect("any mesh");
    let bodies: Vec<BodyId> = (0..4)
        .map(|k| {
            let at = Pose::shift([0.5 * f64::from(k), 0.0, 0.0]).expect("finite");
            world.insert(Body::new(shape).at(at)).expect("a known shape")
        })
        .collect();
    for step in 0..WARM + 6 {
        let before = MEMORY.count();
        let vertices = &frames[step % frames.len()];
        for body in &bodies[1..] {
            world.deform(*body, vertices).expect("legal vertices");
        }
        // A second time before the step, as by someone who corrects a frame.
        world.deform(bodies[1], &frames[(step + 1) % frames.len()]).expect("legal vertices");
        let report = world.step(&Query { itself: true, ..Query::PAIRS });
        assert!(report.pairs().count() >= 6);
        let asked = MEMORY.count() - before;
        assert!(step < WARM || asked == 0, "{asked} times in step {step}");
        assert!(step > 0 || asked > 0, "the first frame must make its skins");
    }
}
