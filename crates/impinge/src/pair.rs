//! Two meshes at many poses or along many motions: prepared once, asked in batches whose queries run
//! side by side.
//!
//! For robots' configurations, samplers and tables of clearances: no world, no broad phase, no
//! events. Answers come in the order of the poses and do not depend on the number of threads.
//! Cost: that of the engine per pose; memory for [`BATCH`] jobs and for all answers of a call, so
//! that who has a stream of poses hands it over in pieces.

use crate::contract::answer::Answers;
use crate::contract::engine::{Engine, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job, Placed, Placement};
use crate::contract::query::{Budget, Query};
use crate::narrow;
use crate::volume::{self, Subject, VolumeError};
use impinge_geom::image::volume::Volume;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::{Shell, shells};
use std::sync::{Arc, OnceLock};

/// So many queries go to the engine at once: enough to keep all threads busy, few enough that
/// what they hold while they are worked on stays small.
pub const BATCH: usize = 4096;

/// A fixed mesh A and a mesh B that is asked about at many poses or along many motions.
///
/// ```
/// use impinge::prelude::*;
///
/// let triangle = Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
/// let mut pair = PosedPair::new(triangle.clone(), triangle)?;
/// let heights = [0.0, 0.5, 1.0].map(|z| Pose::shift([0.0, 0.0, z]));
/// let poses = heights.into_iter().collect::<Result<Vec<_>, _>>()?;
///
/// let found = pair.check(&poses, &Query::CLEARANCE);
/// let [touching, near, far] = found.all() else { panic!("one answer per pose") };
/// assert_eq!(touching.verdict, Verdict::Hit(HitKind::Surface));
/// assert!(near.clearance.is_some_and(|gap| gap.at_least <= 0.5 && 0.5 <= gap.at_most));
/// assert!(far.clearance.is_some_and(|gap| gap.at_least <= 1.0 && 1.0 <= gap.at_most));
///
/// // From above to the middle.
/// let fall = Motion::lerp_slerp(poses[2], poses[1]);
/// let found = pair.check(&[fall], &Query::FIRST_CONTACT);
/// assert_eq!(found.all()[0].first, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PosedPair {
    engine: Box<dyn Engine>,
    shapes: [ShapeId; 2],
    meshes: [Arc<Mesh>; 2],
    /// What of them is closed; found when it is first asked for.
    shells: [OnceLock<Vec<Shell>>; 2],
    // Kept from call to call, so that a call reuses their memory.
    jobs: Vec<Job>,
    scratch: Scratch,
    answers: Answers,
}

impl std::fmt::Debug for PosedPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PosedPair").field("engine", &self.engine.name()).finish_non_exhaustive()
    }
}

impl PosedPair {
    /// Prepares both meshes for the default engine.
    pub fn new(a: impl Into<Arc<Mesh>>, b: impl Into<Arc<Mesh>>) -> Result<Self, PrepareError> {
        let default = narrow::names().next().and_then(narrow::by_name);
        Self::with(default.expect("there is always one"), a, b)
    }

    /// Prepares both meshes for an engine. If they are one and the same `Arc`, it is prepared once.
    pub fn with(
        mut engine: Box<dyn Engine>,
        a: impl Into<Arc<Mesh>>,
        b: impl Into<Arc<Mesh>>,
    ) -> Result<Self, PrepareError> {
        let (a, b) = (a.into(), b.into());
        let shapes = if Arc::ptr_eq(&a, &b) { [0, 0] } else { [0, 1] }.map(ShapeId);
        engine.prepare(shapes[0], &a)?;
        if shapes[0] != shapes[1] {
            engine.prepare(shapes[1], &b)?;
        }
        let (jobs, scratch, answers) = (Vec::new(), Scratch::default(), Answers::default());
        let (meshes, shells) = ([a, b], [OnceLock::new(), OnceLock::new()]);
        Ok(Self { engine, shapes, meshes, shells, jobs, scratch, answers })
    }

    /// What decides.
    pub fn engine(&self) -> &dyn Engine {
        self.engine.as_ref()
    }

    /// One answer per place of B in the frame of A, in the order of the places: poses, or, for modes
    /// with time, motions. A budget is that of all of them together.
    pub fn check<P>(&mut self, places: &[P], query: &Query) -> &Answers
    where
        P: Clone + Into<Placement>,
    {
        // A budget is shared out among the jobs of one batch.
        let size = if query.budget == Budget::Unlimited { BATCH } else { places.len().max(1) };
        let mut out = self.answers.refill();
        for some in places.chunks(size) {
            self.jobs.clear();
            self.jobs.extend(some.iter().map(|place| job(self.shapes, place)));
            let batch = Batch { jobs: &self.jobs, query };
            self.engine.collide(&batch, &mut self.scratch, &mut out);
        }
        &self.answers
    }

    /// How much space the two share when B is at a pose in the frame of A; as
    /// [`World::shared_volume`](crate::world::World::shared_volume).
    pub fn shared_volume(&self, pose: &Pose, resolution: u16) -> Result<Volume, VolumeError> {
        let subject = |k: usize, pose| {
            let mesh = &*self.meshes[k];
            Subject { mesh, shells: self.shells[k].get_or_init(|| shells(mesh)), pose }
        };
        volume::of([subject(0, &Pose::IDENTITY), subject(1, pose)], resolution)
    }

    /// The jobs of some poses or motions, for [`PosedPair::answer`].
    pub fn jobs<P: Clone + Into<Placement>>(&self, places: &[P]) -> Vec<Job> {
        places.iter().map(|place| job(self.shapes, place)).collect()
    }

    /// The same as [`PosedPair::check`] for jobs that were made before, in one batch: who asks the
    /// same again saves making them.
    pub fn answer(&mut self, jobs: &[Job], query: &Query) -> &Answers {
        let batch = Batch { jobs, query };
        self.engine.collide(&batch, &mut self.scratch, &mut self.answers.refill());
        &self.answers
    }
}

fn job<P: Clone + Into<Placement>>([a, b]: [ShapeId; 2], place: &P) -> Job {
    let a = Placed { shape: a, placement: Placement::Fixed(Pose::IDENTITY) };
    let b = Placed { shape: b, placement: place.clone().into() };
    Job { a, b, itself: false, memory: None, priority: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::answer::Verdict;
    use crate::prelude::{Body, World};
    use impinge_samples::build_mesh;

    fn meshes() -> [Arc<Mesh>; 2] {
        ["sphere?faces=60", "torus?segments=8&sides=4"]
            .map(|name| Arc::new(build_mesh(name).expect("a sample")))
    }

    /// Along a line through everything, turning on the way.
    fn poses(count: usize) -> Vec<Pose> {
        let pose = |k: usize| {
            let t = k as f64 / count as f64;
            Pose::new([1.0, t, -t, 0.5], [6.0 * t - 3.0, 0.3, 0.1]).expect("finite")
        };
        (0..count).map(pose).collect()
    }

    #[test]
    fn answers_are_those_of_a_world_pose_by_pose() {
        let [a, b] = meshes();
        for engine in narrow::exact_names() {
            let engine = || narrow::by_name(engine).expect("it is registered");
            let mut world = World::with(crate::broad::by_name("brute").expect("known"), engine());
            let fixed = world.add_shape(Arc::clone(&a)).expect("any mesh");
            let moving = world.add_shape(Arc::clone(&b)).expect("any mesh");
            world.insert(Body::new(fixed)).expect("a known shape");
            let moving = world.insert(Body::new(moving)).expect("a known shape");
            let mut pair = PosedPair::with(engine(), Arc::clone(&a), Arc::clone(&b)).expect("ok");
            let poses = poses(50);
            for query in [Query::TOUCHING, Query::PAIRS, Query::CONTACTS, Query::CLEARANCE] {
                let found = pair.check(&poses, &query);
                assert_eq!(found.all().len(), poses.len());
                for (pose, answer) in poses.iter().zip(found.all()) {
                    world.set_pose(moving, *pose);
                    let report = world.step(&query);
                    // The world knows from boxes alone that some are free.
                    let told = report.pairs().next();
                    let verdict = told.as_ref().map_or(Verdict::Free, |pair| pair.answer.verdict);
                    assert_eq!(answer.verdict, verdict);
                    assert_eq!(answer.clearance, told.as_ref().and_then(|p| p.answer.clearance));
                    if verdict != Verdict::Free && query.want != crate::prelude::Want::Touching {
                        let told = told.expect("a hit");
                        assert_eq!(found.triangle_pairs(answer), told.triangle_pairs);
                        assert_eq!(found.contacts(answer), told.contacts);
                    }
                }
            }
        }
    }

    #[test]
    fn more_poses_than_a_batch_are_answered_like_few() {
        let [a, b] = meshes();
        let mut pair = PosedPair::new(a, b).expect("ok");
        let poses = poses(2 * BATCH + 3);
        let whole = pair.check(&poses, &Query::PAIRS).clone();
        assert!(whole.all().iter().enumerate().all(|(k, answer)| answer.job as usize == k));
        for at in [0, BATCH - 1, BATCH, 2 * BATCH + 2] {
            let alone = pair.check(&poses[at..=at], &Query::PAIRS);
            let [one] = alone.all() else { panic!("one pose, one answer") };
            let same = &whole.all()[at];
            assert_eq!((one.verdict, one.counters), (same.verdict, same.counters));
            assert_eq!(alone.triangle_pairs(one), whole.triangle_pairs(same));
        }
        let jobs = pair.jobs(&poses);
        assert_eq!(pair.answer(&jobs, &Query::PAIRS), &whole);
        assert!(pair.check::<Pose>(&[], &Query::PAIRS).all().is_empty());
    }

    #[test]
    fn the_same_mesh_is_prepared_once() {
        let [a, _] = meshes();
        let bytes = |pair: PosedPair| pair.engine().bytes();
        let shared = bytes(PosedPair::new(Arc::clone(&a), Arc::clone(&a)).expect("ok"));
        let apart = bytes(PosedPair::new(Arc::clone(&a), Mesh::clone(&a)).expect("ok"));
        assert!(shared < apart, "{shared} {apart}");
    }

    #[test]
    fn a_budget_is_for_all_poses_of_a_call() {
        let [a, b] = meshes();
        let product = (a.triangles().len() * b.triangles().len()) as u64;
        let mut pair = PosedPair::with(narrow::by_name("brute").expect("known"), a, b).expect("ok");
        let query = Query { budget: Budget::Work(3 * product), ..Query::PAIRS };
        let found = pair.check(&[poses(2)[1]; BATCH + 10], &query);
        let complete: Vec<bool> = found.all().iter().map(|answer| answer.complete).collect();
        assert!(complete[0] && complete[3..].iter().all(|complete| !complete));
        assert_eq!(found.all().last().map(|answer| answer.verdict), Some(Verdict::Unknown));
    }
}
