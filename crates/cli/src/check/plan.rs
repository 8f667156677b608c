//! What a check is going to do: all bodies in one unit, and the question. Everything that the user
//! can get wrong, but for poses and motions, is found here, before the first answer.

use super::frames::{self, BodyFrames, View};
use super::pictures;
use crate::args::check::{Boxes, CheckArgs, Shard};
use crate::gpu;
use crate::input::{self, Source, SourceBody};
use anyhow::{Context, Result, bail};
use impinge::contract::job::Placement;
use impinge::prelude::*;
use impinge_geom::aabb::Aabb;
use impinge_geom::topology::Topology;
use impinge_scene::units::{Length, Unit};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A check, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) bodies: Vec<PlanBody>,
    /// Pairs that are not to be tested.
    pub(crate) ignored: Vec<[usize; 2]>,
    /// The unit of everything.
    pub(crate) unit: Unit,
    /// The unit that people see: that of --clearance, for who asks in millimetres reads them better
    /// than metres. Poses and motions are in `unit`, so with them that one is shown too.
    pub(crate) shown: Unit,
    pub(crate) query: Query,
    /// Closer than that is a finding.
    pub(crate) clearance: Option<f64>,
    pub(crate) first_hit: bool,
    /// Also how to part what touches.
    pub(crate) separate: bool,
    /// Also how much space the bodies of each pair share, in so many pixels along a side.
    pub(crate) volume: Option<u16>,
    pub(crate) shard: Shard,
    pub(crate) engine: String,
    /// What draws, if not the processor.
    pub(crate) gpu: Option<gpu::Adapter>,
    pub(crate) pruner: String,
    pub(crate) boxes: BoxKind,
    pub(crate) pair_limit: usize,
    /// The most frames that a body has; 0 if none deforms, or if poses or motions are asked about.
    pub(crate) frames: usize,
    /// How long reading took.
    pub(crate) read_seconds: f64,
}

/// A body in the unit of the plan.
#[derive(Clone, Debug)]
pub(crate) struct PlanBody {
    /// Unique.
    pub(crate) name: String,
    pub(crate) mesh: Arc<Mesh>,
    /// The box around the mesh, in its own frame.
    pub(crate) bounds: Aabb,
    /// Where it stands when neither poses nor motions are given.
    pub(crate) pose: Pose,
    /// The edge of its voxels, if a scene says it.
    pub(crate) voxel: Option<f64>,
    /// Its place within what the queries move, if they move it.
    pub(crate) carried: Option<Pose>,
    /// If it deforms: mesh and box are those of the first frame.
    pub(crate) frames: Option<BodyFrames>,
    /// Found when it is first asked for, which most runs never do.
    closed: OnceLock<bool>,
}

impl PlanBody {
    /// Whether it has an inside.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.get_or_init(|| Topology::of(&self.mesh).closed)
    }

    /// The box around it at the end of what is looked at, in its own frame.
    pub(crate) fn bounds_at(&self, view: &View) -> &Aabb {
        let [_, frame] = view.frames();
        self.frames.as_ref().map_or(&self.bounds, |frames| frames.bounds(frame))
    }

    /// Its vertices in a frame.
    pub(crate) fn vertices(&self, frame: usize) -> &[Point] {
        self.frames.as_ref().map_or(self.mesh.vertices(), |frames| frames.vertices(frame))
    }

    /// Its mesh at a time of what is looked at.
    pub(crate) fn mesh_at(&self, view: &View, time: f64) -> Result<Arc<Mesh>> {
        let at = |frames: &BodyFrames| frames.mesh_at(&self.mesh, view, time);
        let mesh = self.frames.as_ref().map_or_else(|| Ok(self.mesh.clone()), at);
        mesh.with_context(|| format!("body `{}`", self.name))
    }

    /// Where it is when what is moved is at `place`.
    pub(crate) fn at(&self, place: Option<&Placement>) -> Placement {
        match (place, &self.carried) {
            (Some(Placement::Fixed(pose)), Some(own)) if *own != Pose::IDENTITY => {
                pose.after(own).into()
            }
            // What moves is in the frame of the motion, see `in_moving_frame`.
            (Some(place), Some(_)) => place.clone(),
            _ => self.pose.into(),
        }
    }

    /// The same in the frame of what is moved, if it is: its own place goes into the vertices. A part
    /// that is off the origin of a turning frame moves on a curve that poses at both ends do not tell.
    fn in_moving_frame(self) -> Result<Self> {
        let own = self.carried.filter(|own| *own != Pose::IDENTITY);
        let Some(own) = own else { return Ok(self) };
        let vertices = self.mesh.vertices().iter().map(|vertex| own.apply(vertex)).collect();
        let mesh = self.mesh.with_vertices(vertices);
        let mesh = mesh.with_context(|| format!("body `{}` cannot be placed", self.name))?;
        let bounds = mesh.bounds();
        Ok(Self { mesh: Arc::new(mesh), bounds, carried: Some(Pose::IDENTITY), ..self })
    }
}

impl Plan {
    /// Reads everything that the arguments name, but for the poses or motions.
    pub(crate) fn of(args: &CheckArgs) -> Result<Self> {
        let start = Instant::now();
        let engine = args.engine.split('?').next().unwrap_or_default();
        if args.images.is_some() && !pictures::ENGINES.contains(&engine) {
            bail!(
                "--images shows what an engine saw that looks at images: --engine {} is needed, \
                 not {engine}",
                pictures::ENGINES.join(" or ")
            );
        }
        let gpu = args.gpu.then(gpu::open).transpose()?;
        let sources = args.meshes.par_iter().map(|text| input::read(text));
        // All of them first, so that the error is that of the first file whatever the threads.
        let sources: Vec<Result<Source>> = sources.collect();
        let sources: Vec<Source> = sources.into_iter().collect::<Result<_>>()?;
        if let Some(export) = &args.export {
            let files = sources.iter().flat_map(|source| &source.files);
            let files = files.chain(&args.poses).chain(&args.motions);
            input::spare(files.map(PathBuf::as_path), ("--export", export))?;
        }
        let unit = common_unit(&sources, args.units);
        let mut bodies = bodies(&sources, args.units.unwrap_or(Unit::Mm), unit)?;
        if args.motions.is_some() {
            bodies = bodies.into_iter().map(PlanBody::in_moving_frame).collect::<Result<_>>()?;
        }
        if bodies.len() < 2 && !args.itself {
            bail!(
                "`{}` is a single body; a second one is needed, or --self to check it by itself",
                args.meshes[0]
            );
        }
        let frames = frames_asked(&mut bodies, args)?;
        let clearance = clearance(&sources, args, unit);
        let asked_in = args.clearance.and_then(|length| length.unit);
        Ok(Self {
            ignored: ignored(&sources),
            bodies,
            unit,
            shown: asked_in.filter(|_| !args.has_queries()).unwrap_or(unit),
            query: query(args, clearance),
            clearance,
            first_hit: args.first_hit,
            separate: args.separate,
            volume: args.volume.then_some(args.volume_resolution),
            shard: args.shard.unwrap_or(Shard::ALL),
            engine: args.engine.clone(),
            gpu,
            pruner: args.pruner.clone(),
            boxes: match args.boxes {
                Boxes::Resized => BoxKind::Resized,
                Boxes::Fixed => BoxKind::Fixed,
            },
            pair_limit: args.pair_limit,
            frames,
            read_seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// How many queries there are without poses or motions.
    pub(crate) fn queries(&self) -> u64 {
        let steps = u64::from(self.query.mode != Mode::Static);
        (self.frames as u64).saturating_sub(steps).max(1)
    }

    /// What one of them looks at.
    pub(crate) fn view(&self, query: u64) -> View {
        match self.query.mode {
            _ if self.frames == 0 => View::Given,
            Mode::Static => View::Frame(query as usize),
            Mode::PseudoDynamic(_) | Mode::Dynamic => View::Step(query as usize),
        }
    }
}

/// The most frames of any body; 0 where they are not looked at.
fn frames_asked(bodies: &mut [PlanBody], args: &CheckArgs) -> Result<usize> {
    if args.has_queries() {
        // Poses and motions are about bodies as they are in their first frames.
        bodies.iter_mut().for_each(|body| body.frames = None);
    }
    let frames = bodies.iter().filter_map(|body| body.frames.as_ref());
    let most = frames.map(BodyFrames::len).max().unwrap_or(0);
    if args.between && most == 0 {
        bail!(
            "--between looks at what happens between frames, and no body deforms; a scene with \
             `frames` of a body, or a .mseq file, with at least two frames is needed"
        );
    }
    if args.shard.is_some() && most == 0 && !args.has_queries() {
        bail!("--shard shares out queries; --poses, --motions or a body that deforms is needed");
    }
    Ok(most)
}

/// The unit that all bodies share; if they do not, the user's, or millimetres.
pub(crate) fn common_unit(sources: &[Source], given: Option<Unit>) -> Unit {
    let fallback = given.unwrap_or(Unit::Mm);
    let bodies = sources.iter().flat_map(|source| &source.bodies);
    let mut units = bodies.map(|body| body.unit.unwrap_or(fallback));
    let first = units.next().unwrap_or(fallback);
    if units.all(|unit| unit == first) { first } else { fallback }
}

/// All bodies in one unit, under names of their own.
pub(crate) fn bodies(sources: &[Source], fallback: Unit, unit: Unit) -> Result<Vec<PlanBody>> {
    let all = || sources.iter().flat_map(|source| &source.bodies);
    let convert = |body: &SourceBody| -> Result<(Arc<Mesh>, Pose, Option<BodyFrames>)> {
        let own = body.unit.unwrap_or(fallback);
        let (mesh, pose) = body.convert(own, unit)?;
        let frames = body.frames.as_ref().map(|all| frames::convert(all, &body.mesh, (own, unit)));
        let frames = frames.transpose().with_context(|| format!("body `{}`", body.name))?;
        let frames = frames.and_then(|frames| BodyFrames::of(frames, &mesh));
        Ok((mesh, pose, frames))
    };
    // Side by side, but of several errors the first one is told.
    let converted: Vec<Result<_>> =
        all().collect::<Vec<_>>().into_par_iter().map(convert).collect();
    let mut converted = converted.into_iter();
    let mut taken = HashSet::new();
    let mut bodies = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        for ((j, body), converted) in source.bodies.iter().enumerate().zip(converted.by_ref()) {
            let (mesh, pose, frames) = converted?;
            let (last_source, last_body) = (i + 1 == sources.len(), j + 1 == source.bodies.len());
            // Of several arguments the last one moves as a whole; of a single one, only its last
            // body: something must stay where it is.
            let carried = match sources.len() {
                1 if last_body => Some(Pose::IDENTITY),
                1 => None,
                _ if last_source => Some(pose),
                _ => None,
            };
            let wanted = match (sources.len(), source.bodies.len()) {
                (1, _) | (_, 1) => body.name.clone(),
                _ => format!("{}/{}", source.name, body.name),
            };
            let name = unique(wanted, &mut taken);
            let (bounds, closed) = (mesh.bounds(), OnceLock::new());
            let own = body.unit.unwrap_or(fallback);
            let voxel = body.voxel.map(|size| own.convert(size, unit));
            bodies.push(PlanBody { name, mesh, bounds, pose, voxel, carried, frames, closed });
        }
    }
    Ok(bodies)
}

/// The name, or the name with the first number that is still free.
fn unique(wanted: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    let mut names = std::iter::once(wanted.clone()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or(wanted)
}

fn ignored(sources: &[Source]) -> Vec<[usize; 2]> {
    let mut ignored = Vec::new();
    let mut start = 0;
    for source in sources {
        ignored.extend(source.ignored.iter().map(|pair| pair.map(|body| start + body)));
        start += source.bodies.len();
    }
    ignored
}

/// What the user asks for, else the largest that a scene asks for.
fn clearance(sources: &[Source], args: &CheckArgs, unit: Unit) -> Option<f64> {
    if let Some(length) = args.clearance {
        return Some(length.to(unit));
    }
    let of_scene = |source: &Source| {
        let own = source.bodies.first().and_then(|body| body.unit);
        source.clearance.map(|value| Length { value, unit: own }.to(unit))
    };
    sources.iter().filter_map(of_scene).reduce(f64::max)
}

fn query(args: &CheckArgs, clearance: Option<f64>) -> Query {
    let asked = args.want.query();
    let gap = match (asked.gap, clearance) {
        (Gap::Ignore, Some(limit)) => Gap::Below(limit),
        (gap, _) => gap,
    };
    let budget = args.budget.unwrap_or(Budget::Unlimited);
    let mode = match (args.has_steps(), args.pseudo) {
        (false, _) => Mode::Static,
        (true, Some(instants)) => Mode::PseudoDynamic(instants),
        (true, None) => Mode::Dynamic,
    };
    let onset = if args.new_contacts { Onset::New } else { Onset::Any };
    Query { mode, gap, budget, itself: args.itself, tolerance: args.tolerance, onset, ..asked }
}
