//! A mesh with what searches need of it, and two of them at an instant.

use crate::limit::Limit;
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::couple::{Couple, Placed};
use impinge_geom::obb_tree::cross::{self, Ended, Next, Order, Search, Work};
use impinge_geom::obb_tree::gap::{Gap, GapScratch, GapSearch, Wanted};
use impinge_geom::obb_tree::travel::TravelScratch;
use impinge_geom::obb_tree::{ObbTree, Place};
use impinge_geom::pose::Pose;
use impinge_geom::shells::{Anatomy, Shell, shell_of};
use std::sync::{Arc, OnceLock};

/// A mesh, and what is made from it when it is first asked for.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) mesh: Arc<Mesh>,
    tree: OnceLock<ObbTree>,
    solid: OnceLock<Solid>,
    /// The triangles' numbers in the body's mesh, if some of those were left out.
    kept: Option<Vec<u32>>,
}

/// What has an inside, and what may be inside something.
#[derive(Debug)]
struct Solid {
    shells: Vec<Shell>,
    shell_of: Vec<u32>,
    /// A vertex of each connected part.
    spots: Vec<u32>,
}

impl Model {
    pub(crate) fn new(mesh: Arc<Mesh>) -> Self {
        Self { mesh, tree: OnceLock::new(), solid: OnceLock::new(), kept: None }
    }

    /// A mesh without some of its triangles (sorted); none if nothing is left.
    pub(crate) fn without(mesh: &Mesh, exempt: &[u32]) -> Option<Self> {
        let all = 0..mesh.triangles().len() as u32;
        let kept: Vec<u32> = all.filter(|i| exempt.binary_search(i).is_err()).collect();
        let triangles = kept.iter().map(|&i| mesh.triangles()[i as usize]).collect();
        let faces = kept.iter().map(|&i| mesh.face(i)).collect();
        let left = Mesh::with_faces(mesh.vertices().to_vec(), triangles, faces).ok()?;
        Some(Self { kept: Some(kept), ..Self::new(Arc::new(left)) })
    }

    pub(crate) fn tree(&self) -> &ObbTree {
        self.tree.get_or_init(|| ObbTree::of(&self.mesh))
    }

    /// The number of a triangle in the body's mesh.
    pub(crate) fn original(&self, triangle: u32) -> u32 {
        self.kept.as_ref().map_or(triangle, |kept| kept[triangle as usize])
    }

    pub(crate) fn at<'a>(&'a self, pose: &'a Pose) -> Posed<'a> {
        Posed { model: self, placed: Placed { mesh: &self.mesh, tree: self.tree(), pose } }
    }

    fn solid(&self) -> &Solid {
        self.solid.get_or_init(|| {
            let Anatomy { shells, components, component_count } = Anatomy::of(&self.mesh);
            let mut spots = vec![u32::MAX; component_count];
            for (corners, &part) in self.mesh.triangles().iter().zip(&components).rev() {
                spots[part as usize] = corners[0];
            }
            let shell_of = shell_of(&shells, self.mesh.triangles().len());
            Solid { shells, shell_of, spots }
        })
    }
}

/// A model at its place.
#[derive(Clone, Copy)]
pub(crate) struct Posed<'a> {
    model: &'a Model,
    placed: Placed<'a>,
}

impl Posed<'_> {
    /// Whether a connected part of another body is inside, given that the surfaces do not meet: then
    /// a part is inside with all its points or with none.
    fn holds_part_of(&self, other: &Posed<'_>) -> bool {
        let vertices = other.model.mesh.vertices();
        let place = |v: u32| other.placed.pose.apply(&vertices[v as usize]);
        // Most bodies are nowhere near: then nobody need know what they are made of.
        if !(0..vertices.len() as u32).any(|v| self.placed.may_hold(&place(v))) {
            return false;
        }
        let solid = self.model.solid();
        let is_inside = |&v: &u32| {
            let point = place(v);
            self.placed.may_hold(&point)
                && self.placed.locate(&point, &solid.shells, &solid.shell_of) == Location::Inside
        };
        !solid.shells.is_empty() && other.model.solid().spots.iter().any(is_inside)
    }
}

/// Memory that is kept from search to search.
#[derive(Default)]
pub(crate) struct Desk {
    cross: cross::Scratch,
    gap: GapScratch,
    pub(crate) travel: TravelScratch,
}

/// Which of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that moves.
    Mover,
    /// The one at rest.
    Rest,
}

/// Two bodies at an instant.
pub(crate) struct Still<'a, 'd> {
    bodies: [Posed<'a>; 2],
    couple: Couple<'a>,
    desk: &'d mut Desk,
    limit: &'d Limit<'d>,
}

impl<'a, 'd> Still<'a, 'd> {
    pub(crate) fn new(bodies: [Posed<'a>; 2], desk: &'d mut Desk, limit: &'d Limit<'d>) -> Self {
        let couple = Couple::new(bodies[0].placed, bodies[1].placed);
        Self { bodies, couple, desk, limit }
    }

    /// Two triangles that meet, if there are any; an error if the search was cut short.
    pub(crate) fn meeting(&mut self) -> Result<Option<[u32; 2]>, CutShort> {
        let mut found = None;
        self.cross(Order::NearFirst, |pair| {
            found = Some(pair);
            Next::Stop
        })?;
        Ok(found)
    }

    /// All pairs of triangles that meet, sorted.
    pub(crate) fn all_meeting(&mut self) -> Result<Vec<[u32; 2]>, CutShort> {
        let mut found = Vec::new();
        self.cross(Order::Any, |pair| {
            found.push(pair);
            Next::Continue
        })?;
        found.sort_unstable();
        Ok(found)
    }

    fn cross(
        &mut self,
        order: Order,
        mut report: impl FnMut([u32; 2]) -> Next,
    ) -> Result<(), CutShort> {
        let (couple, scratch) = (&self.couple, &mut self.desk.cross);
        let mut search = Search { couple, order, scratch, work: Work::default() };
        let ended = search.run(
            |kind, pair, _| {
                let meets = kind == cross::Found::Certain || couple.meet(pair);
                if meets { report(pair) } else { Next::Continue }
            },
            self.limit.for_look(),
        );
        self.limit.count_look(&search.work);
        if ended == Ended::CutShort { Err(CutShort) } else { Ok(()) }
    }

    /// How far apart the surfaces are, if no farther than `below`. They must not meet.
    pub(crate) fn gap(
        &mut self,
        below: f64,
        hint: Option<[Place; 2]>,
    ) -> Result<Option<Gap>, CutShort> {
        let (couple, scratch) = (&self.couple, &mut self.desk.gap);
        let mut search = GapSearch { couple, scratch, work: Work::default() };
        let (gap, ended) = search.run(&Wanted { below, hint }, self.limit.for_look());
        self.limit.count_look(&search.work);
        if ended == Ended::CutShort { Err(CutShort) } else { Ok(gap) }
    }

    /// Which body has a part inside the other, if one has. The surfaces must not meet.
    pub(crate) fn inner(&self) -> Option<Side> {
        let [mover, rest] = &self.bodies;
        if rest.holds_part_of(mover) {
            Some(Side::Mover)
        } else {
            mover.holds_part_of(rest).then_some(Side::Rest)
        }
    }
}

/// Time ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutShort;
