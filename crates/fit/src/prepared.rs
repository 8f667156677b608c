//! An assembly made ready: what moves in the frame of what leads, what is at rest, and for each pair
//! from when on which of its contacts count.

use crate::assembly::{Assembly, FitError};
use crate::duty::{Duties, Excuse};
use crate::limit::Limit;
use crate::model::{CutShort, Desk, Model, Side, Still};
use crate::moment::Moment;
use crate::question::Budget;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_scene::scene::SceneBody;
use impinge_scene::scene::fit::Allowed;
use rayon::prelude::*;
use std::sync::Arc;

/// A body that moves.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Its place in the list of bodies.
    pub body: usize,
    /// Its mesh in the frame of the leading body, whose path is also its own.
    pub mesh: Arc<Mesh>,
    /// Its place in that frame, which is in the vertices already.
    pub offset: Pose,
}

/// A body at rest.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Its place in the list of bodies.
    pub body: usize,
    /// Its mesh.
    pub mesh: Arc<Mesh>,
    /// Where it stands.
    pub pose: Pose,
}

/// A body that moves and one at rest, and from when on what counts.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Its place in the list of movers.
    pub mover: usize,
    /// Its place in the list of bodies at rest.
    pub rest: usize,
    /// What counts from when on, in order; each lasts until the next one, the last to the end of the
    /// path. What is before the first is allowed; without any, all is.
    pub duties: Vec<Duty>,
    /// The contacts that do not count.
    pub excuses: Vec<Excuse>,
}

/// From when on the contacts of a pair count, but for those of some faces.
#[derive(Clone, Debug)]
pub struct Duty {
    /// From this instant on.
    pub from: Moment,
    /// The triangles of the body at rest that do not count, rising.
    pub exempt: Vec<u32>,
    /// It begins when the bodies part, so that they are next to each other then: their clearance is
    /// not held against them before it has stopped growing.
    pub parts: bool,
    pub(crate) model: usize,
}

/// All that is known before anything is asked.
#[derive(Debug)]
pub struct Prepared {
    /// All bodies.
    pub bodies: Vec<SceneBody>,
    /// The way of the leading body.
    pub path: Path,
    /// The bodies that move, the leading one first.
    pub movers: Vec<Mover>,
    /// The others.
    pub rests: Vec<Rest>,
    /// Every mover with every body at rest, but for pairs that are not to be tested.
    pub pairs: Vec<Pair>,
    /// The contacts that are no findings, as the scene says it.
    pub allowed: Vec<Allowed>,
    /// Of the movers, then of the bodies at rest, then of those without some of their faces.
    pub(crate) models: Vec<Arc<Model>>,
}

/// Triangles of a pair that meet at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touching {
    /// The pair.
    pub pair: usize,
    /// Triangles of the mover and of the body at rest, sorted.
    pub triangles: Vec<[u32; 2]>,
    /// Those that count as findings; else they are allowed.
    pub counts: bool,
}

impl Prepared {
    /// Makes everything ready, in parallel.
    pub fn new(assembly: Assembly) -> Result<Self, FitError> {
        assembly.validate()?;
        let Assembly { bodies, ignored, fit } = assembly;
        let movers = movers(&bodies, &fit.moving)?;
        let rests: Vec<Rest> = (0..bodies.len())
            .filter(|body| !fit.moving.contains(body))
            .map(|body| Rest {
                body,
                mesh: Arc::clone(&bodies[body].mesh),
                pose: bodies[body].pose,
            })
            .collect();
        let mut pairs = Vec::new();
        for (mover, of_mover) in movers.iter().enumerate() {
            for (rest, of_rest) in rests.iter().enumerate() {
                let [a, b] = [of_mover.body, of_rest.body];
                if !ignored.contains(&[a.min(b), a.max(b)]) {
                    pairs.push(Pair { mover, rest, duties: Vec::new(), excuses: Vec::new() });
                }
            }
        }
        let models = models(&movers, &rests);
        let (path, allowed) = (fit.path, fit.allowed);
        let mut prepared = Self { bodies, path, movers, rests, pairs, allowed, models };
        Duties::of(&prepared)?.put_into(&mut prepared);
        prepared.build_trees();
        Ok(prepared)
    }

    /// The names of the two bodies of a pair, that of the mover first.
    pub fn names(&self, pair: usize) -> [&str; 2] {
        self.bodies_of(pair).map(|body| self.bodies[body].name.as_str())
    }

    /// The places of the two bodies of a pair in the list of bodies.
    pub fn bodies_of(&self, pair: usize) -> [usize; 2] {
        let Pair { mover, rest, .. } = self.pairs[pair];
        [self.movers[mover].body, self.rests[rest].body]
    }

    /// All triangles that meet at an instant, also those that are allowed to, pair by pair.
    pub fn touching(&self, at: Moment) -> Vec<Touching> {
        let limit = Limit::new(&(), Budget::Unlimited, 1);
        let look = |desk: &mut Desk, pair: usize| {
            let all =
                self.still((&self.whole(pair), at), (desk, &limit), |still| still.all_meeting());
            // Nobody ends this search.
            self.sorted_out(pair, at, all.unwrap_or_default())
        };
        let found: Vec<_> =
            (0..self.pairs.len()).into_par_iter().map_init(Desk::default, look).collect();
        found.into_iter().flatten().collect()
    }

    /// Those that count and those that do not.
    fn sorted_out(&self, pair: usize, at: Moment, all: Vec<[u32; 2]>) -> Vec<Touching> {
        let duty = self.pairs[pair].duty_at(at);
        let is_exempt = |t: &[u32; 2]| duty.is_none_or(|d| d.exempt.binary_search(&t[1]).is_ok());
        let (allowed, counting): (Vec<_>, Vec<_>) = all.into_iter().partition(is_exempt);
        [(counting, true), (allowed, false)]
            .into_iter()
            .filter(|(triangles, _)| !triangles.is_empty())
            .map(|(triangles, counts)| Touching { pair, triangles, counts })
            .collect()
    }

    /// A pair with all its faces.
    pub(crate) fn whole(&self, pair: usize) -> Couple {
        let Pair { mover, rest, .. } = self.pairs[pair];
        Couple { pair, models: [mover, self.movers.len() + rest] }
    }

    /// A pair without those faces that do not count.
    pub(crate) fn couple(&self, pair: usize, duty: &Duty) -> Couple {
        Couple { pair, models: [self.pairs[pair].mover, duty.model] }
    }

    /// The box that the mover and the body at rest would just fit in, one beside the other.
    pub(crate) fn size(&self, pair: usize) -> f64 {
        self.whole(pair)
            .models
            .map(|model| self.models[model].mesh.bounds().diagonal())
            .iter()
            .sum()
    }

    /// Looks at two bodies at an instant.
    pub(crate) fn still<T>(
        &self,
        (couple, at): (&Couple, Moment),
        (desk, limit): (&mut Desk, &Limit<'_>),
        look: impl FnOnce(&mut Still<'_, '_>) -> T,
    ) -> T {
        let pose = at.pose(&self.path);
        let [mover, rest] = couple.models.map(|model| &*self.models[model]);
        let rest = rest.at(&self.rests[self.pairs[couple.pair].rest].pose);
        look(&mut Still::new([mover.at(&pose), rest], desk, limit))
    }

    /// Which body of a pair has a part within the other, as far as their surfaces do not meet.
    pub(crate) fn inner(
        &self,
        pair: usize,
        at: Moment,
        (desk, limit): (&mut Desk, &Limit<'_>),
    ) -> Result<Option<Side>, CutShort> {
        self.still((&self.whole(pair), at), (desk, limit), |still| {
            Ok(if still.meeting()?.is_some() { None } else { still.inner() })
        })
    }

    /// Trees of all that will be searched.
    fn build_trees(&self) {
        let mut needed: Vec<usize> = Vec::new();
        for pair in self.pairs.iter().filter(|pair| !pair.duties.is_empty()) {
            needed.push(pair.mover);
            needed.extend(pair.duties.iter().map(|duty| duty.model));
        }
        needed.sort_unstable();
        needed.dedup();
        needed.par_iter().for_each(|&model| {
            self.models[model].tree();
        });
    }
}

impl Pair {
    /// What counts at an instant; none if all is allowed.
    pub fn duty_at(&self, at: Moment) -> Option<&Duty> {
        self.duties.iter().rev().find(|duty| duty.from <= at)
    }

    /// When a duty of this pair ends.
    pub fn duty_end(&self, duty: usize, path: &Path) -> Moment {
        self.duties.get(duty + 1).map_or(Moment::end_of(path), |next| next.from)
    }
}

/// A pair, and the models it is judged by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Couple {
    pub(crate) pair: usize,
    pub(crate) models: [usize; 2],
}

fn movers(bodies: &[SceneBody], moving: &[usize]) -> Result<Vec<Mover>, FitError> {
    let back = bodies[moving[0]].pose.inverse();
    let carry = |(k, &body): (usize, &usize)| {
        let SceneBody { name, mesh, pose, .. } = &bodies[body];
        if k == 0 {
            return Ok(Mover { body, mesh: Arc::clone(mesh), offset: Pose::IDENTITY });
        }
        let offset = back.after(pose);
        let vertices = mesh.vertices().iter().map(|vertex| offset.apply(vertex)).collect();
        match mesh.with_vertices(vertices) {
            Ok(mesh) => Ok(Mover { body, mesh: Arc::new(mesh), offset }),
            Err(error) => Err(FitError::Carried { name: name.clone(), error }),
        }
    };
    moving.iter().enumerate().map(carry).collect()
}

/// One model for each mover and body at rest; those that share a mesh share it.
fn models(movers: &[Mover], rests: &[Rest]) -> Vec<Arc<Model>> {
    let meshes = movers.iter().map(|mover| &mover.mesh).chain(rests.iter().map(|rest| &rest.mesh));
    let mut models: Vec<Arc<Model>> = Vec::new();
    for mesh in meshes {
        let same = models.iter().find(|model| Arc::ptr_eq(&model.mesh, mesh)).cloned();
        models.push(same.unwrap_or_else(|| Arc::new(Model::new(Arc::clone(mesh)))));
    }
    models
}
