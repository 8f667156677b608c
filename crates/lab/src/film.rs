//! Moving bodies, frame by frame, for engines and for the programs of [R98 §5.2] by what stands in for
//! them: the same frames for all, moved by poses or by handing over all vertices.
//!
//! What is timed of a frame is that bodies are moved and what touches is found. Vertices are made before
//! that. Each pass goes through all frames with everything made anew. Of each frame the median over
//! passes counts, so that what else the machine does at some instant is not taken for the method's; mean,
//! deviation and slowest frame are those of these medians. All methods get the same number of passes,
//! but for those with which that would take longer than the limit: they get one, and results say so.

use crate::comparators::closest_features::ClosestFeatures;
use crate::comparators::polytope::Polytope;
use crate::comparators::separating_planes::{Search, SeparatingPlanes};
use crate::timing::Clock;
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use impinge::prelude::*;
use impinge::{broad, narrow};
use std::sync::Arc;
use std::time::Duration;

/// A sentence for results on how their times are made.
pub const ABOUT_TIMES: &str = "\
    Of each frame the median over all passes counts, each of which begins anew; mean, \
    deviation and slowest frame are those of these medians. A method gets one pass where \
    more would take too long: there they are those of single frames, noise included. Pairs \
    of faces are listed by all engines but r98-recode and by bvh as RAPID1, which are asked \
    only whether two bodies touch, as are the stand-ins for I-COLLIDE and Q-COLLIDE.";

/// Bodies and where they are.
pub struct Film {
    /// One for each body.
    pub meshes: Vec<Arc<Mesh>>,
    /// For each frame a pose for each body.
    pub poses: Vec<Vec<Pose>>,
    /// For each frame vertices of each body before it is posed, if they move.
    pub bent: Vec<Vec<Option<Arc<[Point]>>>>,
}

/// How bodies are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// By new poses: what was prepared stays good.
    Poses,
    /// By handing over all vertices, in the world's frame: nothing that was prepared helps but what
    /// triangles tell.
    Vertices,
}

/// Who finds what touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// What it is called in results.
    pub name: &'static str,
    /// How it is done.
    pub kind: Kind,
}

/// Ways to find what touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An engine, by its text, and what it is asked.
    Engine(&'static str, Query),
    /// Closest features that are followed, as I-COLLIDE does; convex bodies and poses only.
    ClosestFeatures,
    /// The last direction that parted two bodies is asked first, and closest points are looked for (GJK)
    /// if it does not: as Q-COLLIDE does; convex bodies and poses only.
    Planes,
}

/// What others are held against: the first of these that is there. None of them shares anything with the
/// engine that the experiments of [R98] are to praise.
const TRUTHS: [&str; 3] = ["bvh (RAPID)", "octree", "sphere-tree"];

/// The engines and stand-ins of [R98 §5.2], those first that tell all pairs of faces.
pub const METHODS: [Method; 9] = [
    Method { name: "image", kind: Kind::Engine("image", Query::PAIRS) },
    Method { name: "r98-recode", kind: Kind::Engine("r98-recode", Query::TOUCHING) },
    Method { name: "bvh (RAPID)", kind: Kind::Engine("bvh", Query::PAIRS) },
    Method { name: "bvh, first contact (RAPID1)", kind: Kind::Engine("bvh", Query::TOUCHING) },
    Method { name: "octree", kind: Kind::Engine("octree", Query::PAIRS) },
    Method { name: "voxel", kind: Kind::Engine("voxel", Query::PAIRS) },
    Method { name: "sphere-tree", kind: Kind::Engine("sphere-tree", Query::PAIRS) },
    Method { name: "closest features (I-COLLIDE)", kind: Kind::ClosestFeatures },
    Method { name: "cached planes, GJK (Q-COLLIDE)", kind: Kind::Planes },
];

/// What a method made of a film.
#[derive(Clone, Debug)]
pub struct Take {
    /// Milliseconds of each frame, the median of all passes.
    pub ms: Vec<f64>,
    /// The same with the making of new vertices, where they are handed over.
    pub frame_ms: Vec<f64>,
    /// Which bodies touch, frame by frame, each two in ascending order, sorted.
    pub hits: Vec<Vec<[u32; 2]>>,
    /// Pairs of faces, frame by frame, where they are told.
    pub pairs: Vec<u64>,
    /// A number for the list of them, frame by frame, that tells it from others whatever its order.
    pub lists: Vec<u64>,
    /// Pairs of bodies that were not decided, all frames together.
    pub unknown: u64,
    /// How many passes there were.
    pub passes: usize,
}

/// How to time.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// By which clock.
    pub clock: Clock,
    /// How often all methods go through a film; an odd number, so that there is a median.
    pub passes: usize,
    /// A film that would take longer than this is given up, judged by its first frames. One that would
    /// take longer only with all passes gets a single one.
    pub limit: Duration,
    /// When to give up the method of the paper itself, which the experiments are about.
    pub paper_limit: Duration,
}

/// What the paper describes. It may take longer than what it is compared with.
const OF_PAPER: &str = "r98-recode";

/// Mean and standard deviation.
pub fn spread(values: &[f64]) -> [f64; 2] {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    [mean, square.sqrt()]
}

impl Method {
    /// Whether it can do it at all.
    pub fn applies(&self, moved: Moved) -> bool {
        match self.kind {
            // Its maps would be made anew in every frame.
            Kind::Engine("voxel", _) => moved == Moved::Poses,
            Kind::Engine(text, _) => narrow::by_text(text).is_ok(),
            Kind::ClosestFeatures | Kind::Planes => moved == Moved::Poses,
        }
    }

    /// Whether it must find exactly what touches.
    pub fn is_exact(&self) -> bool {
        let Kind::Engine(text, _) = self.kind else { return false };
        let name = text.split('?').next().unwrap_or(text);
        narrow::exact_names().any(|exact| exact == name) && !name.starts_with("r98")
    }

    /// The plan with the limit that is meant for this method.
    fn hurried(&self, plan: &Plan) -> Plan {
        let limit = if self.is_of_paper() { plan.paper_limit } else { plan.limit };
        Plan { limit, ..*plan }
    }

    /// Whether it is the paper's own, with whatever settings.
    pub fn is_of_paper(&self) -> bool {
        matches!(self.kind, Kind::Engine(text, _) if text.split('?').next() == Some(OF_PAPER))
    }

    /// Whether it is asked for all pairs of faces.
    pub fn is_listing(&self) -> bool {
        matches!(self.kind, Kind::Engine(_, query) if query.want == Want::Pairs)
    }

    /// Goes through a film; `None` if that takes too long.
    pub fn shoot(&self, film: &Film, moved: Moved, plan: &Plan) -> Result<Option<Take>> {
        let hurried = &self.hurried(plan);
        let watch = plan.clock.start();
        let Some(mut take) = self.pass(film, moved, hurried)? else { return Ok(None) };
        let passes =
            if watch.elapsed() * plan.passes as u32 <= plan.limit { plan.passes } else { 1 };
        let mut all = vec![[take.ms.clone(), take.frame_ms.clone()]];
        while all.len() < passes {
            // None can take so much longer than the first that it would have to be given up.
            let unhurried = Plan { limit: Duration::MAX, ..*plan };
            let Some(pass) = self.pass(film, moved, &unhurried)? else { return Ok(None) };
            let same = take.hits == pass.hits && take.lists == pass.lists;
            ensure!(same, "{} changes its mind", self.name);
            all.push([pass.ms, pass.frame_ms]);
        }
        take.passes = all.len();
        let median = |which: usize, frame: usize| {
            let mut times: Vec<f64> = all.iter().map(|pass| pass[which][frame]).collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        take.ms = (0..take.ms.len()).map(|frame| median(0, frame)).collect();
        take.frame_ms = (0..take.frame_ms.len()).map(|frame| median(1, frame)).collect();
        Ok(Some(take))
    }

    /// Goes through a film once.
    fn pass(&self, film: &Film, moved: Moved, plan: &Plan) -> Result<Option<Take>> {
        match self.kind {
            Kind::Engine(text, query) => engine_pass(film, (text, &query), moved, plan),
            Kind::ClosestFeatures => features_pass(film, plan),
            Kind::Planes => planes_pass(film, plan),
        }
    }
}

impl Take {
    fn none() -> Self {
        let hits = Vec::new();
        let (ms, frame_ms) = (Vec::new(), Vec::new());
        let (pairs, lists) = (Vec::new(), Vec::new());
        Self { ms, frame_ms, hits, pairs, lists, unknown: 0, passes: 1 }
    }

    /// How many pairs of bodies that touch are not among what was found, and the other way round, all
    /// frames together.
    pub fn against(&self, truth: &Self) -> [usize; 2] {
        let lacks = |one: &[Vec<[u32; 2]>], other: &[Vec<[u32; 2]>]| {
            let both = one.iter().zip(other);
            both.map(|(one, other)| other.iter().filter(|pair| !one.contains(pair)).count()).sum()
        };
        [lacks(&self.hits, &truth.hits), lacks(&truth.hits, &self.hits)]
    }

    /// What was told of a frame.
    fn tell(&mut self, report: &Report<'_>, ids: &[BodyId]) {
        let number = |id: BodyId| ids.iter().position(|other| *other == id).map(|k| k as u32);
        let bodies = |pair: &PairReport<'_>| {
            [number(pair.a), number(pair.b)].map(|body| body.unwrap_or(u32::MAX))
        };
        let mut hits = Vec::new();
        let (mut count, mut list) = (0, 0u64);
        for pair in report.hits() {
            let [a, b] = bodies(&pair);
            hits.push([a.min(b), a.max(b)]);
            count += pair.triangle_pairs.len() as u64;
            for &[i, j] in pair.triangle_pairs {
                // A sum, so that the order does not matter.
                let words = if a <= b { [a, b, i, j] } else { [b, a, j, i] };
                list = list.wrapping_add(mixed(words));
            }
        }
        hits.sort_unstable();
        self.hits.push(hits);
        self.pairs.push(count);
        self.lists.push(list);
        let undecided = report.pairs().filter(|pair| pair.answer.verdict == Verdict::Unknown);
        self.unknown += undecided.count() as u64;
    }

    /// Pairs of bodies that touch, all frames together.
    pub fn touching(&self) -> usize {
        self.hits.iter().map(Vec::len).sum()
    }

    /// Whether it goes on: not if the frames so far say that all of them take too long.
    fn push(&mut self, [move_ms, ms]: [f64; 2], frames: usize, plan: &Plan) -> bool {
        self.ms.push(ms);
        self.frame_ms.push(move_ms + ms);
        let sum: f64 = self.frame_ms.iter().sum();
        let expected = sum / self.ms.len() as f64 * frames as f64;
        // The first frames may be slow since all is new.
        self.ms.len() < 4 && sum < 1000.0 * plan.limit.as_secs_f64()
            || expected <= 1000.0 * plan.limit.as_secs_f64()
    }
}

/// Words mixed so that their sums over two lists are the same only by a chance of one in 2⁶⁴.
fn mixed(words: [u32; 4]) -> u64 {
    words.iter().fold(0x9E37_79B9_7F4A_7C15, |mix: u64, word| {
        let next = (mix ^ u64::from(*word)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let next = (next ^ next >> 29).wrapping_mul(0x94D0_49BB_1331_11EB);
        next ^ next >> 32
    })
}

/// What each method missed and invented, all frames together, and the take that was held to be true. The
/// exact methods must agree on all pairs of bodies, and on all pairs of faces where they list them.
pub fn judge<'a>(found: &'a [(&Method, Take)], about: &str) -> Result<(Vec<[usize; 2]>, &'a Take)> {
    let named = |name: &&str| found.iter().find(|(method, _)| method.name == *name);
    let truth = TRUTHS.iter().find_map(named);
    let truth = &truth.with_context(|| format!("{about}: nothing to hold others against"))?.1;
    let mut wrong = Vec::new();
    for (method, take) in found {
        let differs = take.against(truth);
        if method.is_exact() {
            let same = differs == [0, 0] && take.unknown == 0;
            ensure!(same, "{about}: {} finds other pairs of bodies", method.name);
            let same = take.pairs == truth.pairs && take.lists == truth.lists;
            let same = same || !method.is_listing();
            ensure!(same, "{about}: {} finds other pairs of faces", method.name);
        }
        wrong.push(differs);
    }
    Ok((wrong, truth))
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// Vertices of all bodies in the world's frame.
fn place(film: &Film, frame: usize, out: &mut [Vec<Point>]) {
    for (k, out) in out.iter_mut().enumerate() {
        let bent = film.bent.get(frame).and_then(|bent| bent[k].as_deref());
        let pose = &film.poses[frame][k];
        out.clear();
        out.extend(bent.unwrap_or(film.meshes[k].vertices()).iter().map(|v| pose.apply(v)));
    }
}

/// A world with all bodies of a film. What deforms is not shared; what does not is prepared once.
fn world(film: &Film, engine: &str) -> Result<(World, Vec<BodyId>)> {
    let engine = narrow::by_text(engine).with_context(|| format!("engine `{engine}`"))?;
    let mut world = World::with(Box::new(broad::auto::Auto::default()), engine);
    let mut shapes: Vec<(Arc<Mesh>, ShapeId)> = Vec::new();
    let mut ids = Vec::new();
    for (mesh, pose) in film.meshes.iter().zip(&film.poses[0]) {
        let known = shapes.iter().find(|(other, _)| Arc::ptr_eq(other, mesh));
        let shape = match known {
            Some((_, shape)) => *shape,
            None => world.add_shape(Arc::clone(mesh))?,
        };
        shapes.push((Arc::clone(mesh), shape));
        ids.push(world.insert(Body::new(shape).at(*pose))?);
    }
    Ok((world, ids))
}

fn engine_pass(
    film: &Film,
    (engine, query): (&str, &Query),
    moved: Moved,
    plan: &Plan,
) -> Result<Option<Take>> {
    let (mut world, ids) = world(film, engine)?;
    let mut vertices = vec![Vec::new(); ids.len()];
    if moved == Moved::Vertices {
        // Vertices are the world's from now on. Bodies become shapes of their own before time counts.
        ids.iter().for_each(|id| _ = world.set_pose(*id, Pose::IDENTITY));
        place(film, 0, &mut vertices);
        deform(&mut world, &ids, &vertices)?;
    }
    // Once before time counts, so that there is memory for everything.
    world.step(query);
    let mut take = Take::none();
    for frame in 0..film.poses.len() {
        let watch = plan.clock.start();
        if moved == Moved::Vertices {
            place(film, frame, &mut vertices);
        }
        let made = ms(watch.elapsed());
        let watch = plan.clock.start();
        match moved {
            Moved::Vertices => deform(&mut world, &ids, &vertices)?,
            Moved::Poses => ids
                .iter()
                .zip(&film.poses[frame])
                .for_each(|(id, pose)| _ = world.set_pose(*id, *pose)),
        }
        let report = world.step(query);
        let time = ms(watch.elapsed());
        take.tell(&report, &ids);
        if !take.push([made, time], film.poses.len(), plan) {
            return Ok(None);
        }
    }
    Ok(Some(take))
}

fn deform(world: &mut World, ids: &[BodyId], vertices: &[Vec<Point>]) -> Result<()> {
    let all: Vec<(BodyId, &[Point])> =
        ids.iter().copied().zip(vertices.iter().map(Vec::as_slice)).collect();
    Ok(world.deform_all(&all)?)
}

/// The hulls of bodies, one for each mesh, and the radii of balls about their origins.
fn hulls(film: &Film) -> Result<Vec<(Arc<Polytope>, f64)>> {
    let mut known: Vec<(&Arc<Mesh>, Arc<Polytope>, f64)> = Vec::new();
    for mesh in &film.meshes {
        if !known.iter().any(|(other, ..)| Arc::ptr_eq(other, mesh)) {
            let hull = Polytope::of(mesh)?;
            let radius = hull.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            known.push((mesh, Arc::new(hull), radius));
        }
    }
    let of = |mesh: &Arc<Mesh>| {
        let found = known.iter().find(|(other, ..)| Arc::ptr_eq(other, mesh));
        found.map(|(_, hull, radius)| (Arc::clone(hull), *radius)).context("every mesh has a hull")
    };
    film.meshes.iter().map(of).collect()
}

/// Every pair whose balls overlap is followed.
fn features_pass(film: &Film, plan: &Plan) -> Result<Option<Take>> {
    let hulls = hulls(film)?;
    let count = hulls.len();
    let mut followed: Vec<([usize; 2], ClosestFeatures)> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
        .map(|two| (two, ClosestFeatures::new(two.map(|k| Arc::clone(&hulls[k].0)))))
        .collect();
    let mut take = Take::none();
    for poses in &film.poses {
        let watch = plan.clock.start();
        let mut hits = Vec::new();
        for ([a, b], features) in &mut followed {
            let [p, q] = [poses[*a], poses[*b]].map(|pose| DVec3::from(pose.translation()));
            if p.distance(q) <= hulls[*a].1 + hulls[*b].1
                && features.step(&[poses[*a], poses[*b]]).distance == 0.0
            {
                hits.push([*a as u32, *b as u32]);
            }
        }
        take.hits.push(hits);
        take.pairs.push(0);
        if !take.push([0.0, ms(watch.elapsed())], film.poses.len(), plan) {
            return Ok(None);
        }
    }
    Ok(Some(take))
}

fn planes_pass(film: &Film, plan: &Plan) -> Result<Option<Take>> {
    let bodies = hulls(film)?.into_iter().map(|(hull, _)| hull).collect();
    let mut planes = SeparatingPlanes::new(bodies, Search::Climb);
    let mut take = Take::none();
    for poses in &film.poses {
        let watch = plan.clock.start();
        let found = planes.step(poses);
        let time = ms(watch.elapsed());
        let mut hits: Vec<[u32; 2]> = found.iter().map(|&[a, b]| [b, a]).collect();
        hits.sort_unstable();
        take.hits.push(hits);
        take.pairs.push(0);
        if !take.push([0.0, time], film.poses.len(), plan) {
            return Ok(None);
        }
    }
    Ok(Some(take))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_samples::build_mesh;

    #[test]
    fn all_methods_find_the_same_and_a_film_that_takes_too_long_is_given_up() {
        let mesh = Arc::new(build_mesh("r98-body?shape=cones&triangles=36").unwrap());
        let at = |x: f64| Pose::shift([x, 0.0, 0.0]).unwrap();
        let poses: Vec<Vec<Pose>> =
            [3.0, 1.5, 0.5, 0.25, 0.75].map(|x| vec![at(0.0), at(x), at(9.0)]).to_vec();
        let film = Film { meshes: vec![mesh; 3], poses, bent: Vec::new() };
        let limit = Duration::from_secs(100);
        let plan = Plan { clock: Clock::Cpu, passes: 3, limit, paper_limit: limit };
        let hit = vec![[0, 1]];
        for moved in [Moved::Poses, Moved::Vertices] {
            let mut found = Vec::new();
            for method in METHODS.iter().filter(|method| method.applies(moved)) {
                let take = method.shoot(&film, moved, &plan).unwrap().unwrap();
                let want = [vec![], vec![], hit.clone(), hit.clone(), hit.clone()];
                assert_eq!(take.hits, want, "{} {moved:?}", method.name);
                assert_eq!((take.ms.len(), take.touching(), take.unknown), (5, 3, 0));
                assert_eq!((take.passes, take.frame_ms.len()), (3, 5));
                assert_eq!(take.against(&take), [0, 0]);
                found.push((method, take));
            }
            let (wrong, truth) = judge(&found, "cones").unwrap();
            assert_eq!(wrong, vec![[0, 0]; found.len()]);
            assert!(truth.pairs[2..].iter().all(|count| *count > 0));
            // One pair of faces less in one frame, or another one, is noticed.
            for other in [[1, 0], [0, 1]] {
                let mut false_takes = found.clone();
                false_takes[0].1.pairs[3] -= other[0];
                false_takes[0].1.lists[3] ^= other[1];
                let error = judge(&false_takes, "cones").unwrap_err().to_string();
                assert_eq!(error, "cones: image finds other pairs of faces");
            }
            assert!(judge(&found[..2], "cones").is_err(), "nothing to hold them against");
        }
        let hurried = Plan { limit: Duration::ZERO, ..plan };
        let passes = METHODS[..2].iter().map(|method| {
            let take = method.shoot(&film, Moved::Poses, &hurried).unwrap();
            take.map_or(0, |take| take.passes)
        });
        // The paper's method has a limit of its own, but not the time for more than one pass.
        assert_eq!(passes.collect::<Vec<_>>(), [0, 1]);
        assert_eq!(spread(&[1.0, 3.0]), [2.0, 1.0]);
    }
}
