//! Overlap regions and the faces that meet them [K98 §3.3, §3.4].

use super::cast::Couple;
use super::model::Posed;
use super::settings::CellTest;
use crate::narrow::budget::Deadline;
use crate::narrow::parts::Solid;
use impinge_geom::Triangle;
use impinge_geom::aabb::Aabb;
use impinge_geom::tri_box::{clip, sat};
use rayon::prelude::*;

/// The clock is looked at once in so many faces.
const FACES_PER_LOOK: u32 = 64;

/// A face that is left.
pub(super) struct Face {
    pub(super) triangle: Triangle,
    pub(super) bounds: Aabb,
    /// By its number in the cast.
    pub(super) body: u32,
    /// By its number in the mesh.
    pub(super) number: u32,
}

impl Face {
    /// Whether it meets a box; never wrongly no.
    pub(super) fn meets(&self, cell: &Aabb, test: CellTest) -> bool {
        self.bounds.overlaps(cell)
            && match test {
                CellTest::Exact => sat(&self.triangle, cell),
                CellTest::Clip => clip(&self.triangle, cell) || sat(&self.triangle, cell),
                CellTest::Box => true,
            }
    }
}

/// The overlap region of each couple; empty where boxes are apart.
pub(super) fn regions(bodies: &[Posed<'_>], couples: &[Couple]) -> Vec<Aabb> {
    let region = |couple: &Couple| {
        let [a, b] = couple.bodies.map(|body| &bodies[body as usize].bounds);
        a.intersection(b)
    };
    couples.iter().map(region).collect()
}

/// The face checklists of all bodies, one after the other.
#[derive(Default)]
pub(super) struct Checklist {
    pub(super) faces: Vec<Face>,
    /// Faces held against regions.
    pub(super) tests: u64,
    pub(super) cut_short: bool,
}

/// The faces of each body that meet at least one of its regions, body after body.
pub(super) fn faces(
    bodies: &[Posed<'_>],
    regions: &[Vec<Aabb>],
    test: CellTest,
    deadline: &Deadline,
) -> Checklist {
    let of_body = |(number, (body, regions)): (usize, (&Posed<'_>, &Vec<Aabb>))| {
        let mut list = Checklist::default();
        let count = if regions.is_empty() { 0 } else { body.face_count() };
        for i in 0..count {
            if i % FACES_PER_LOOK == 0 && deadline.is_over() {
                list.cut_short = true;
                break;
            }
            let face = face(body, [number as u32, i]);
            let meets = |region: &Aabb| {
                list.tests += 1;
                face.meets(region, test)
            };
            if regions.iter().any(meets) {
                list.faces.push(face);
            }
        }
        list
    };
    let lists: Vec<Checklist> = bodies.par_iter().zip(regions).enumerate().map(of_body).collect();
    let mut all = Checklist::default();
    for list in lists {
        all.faces.extend(list.faces);
        all.tests += list.tests;
        all.cut_short |= list.cut_short;
    }
    all
}

/// All faces of all bodies: without the stage of the boxes [K98 §2.2.4].
pub(super) fn all_faces(bodies: &[Posed<'_>]) -> Checklist {
    let of_body = |(number, body): (usize, &Posed<'_>)| -> Vec<Face> {
        (0..body.face_count()).map(|i| face(body, [number as u32, i])).collect()
    };
    let lists: Vec<Vec<Face>> = bodies.par_iter().enumerate().map(of_body).collect();
    Checklist { faces: lists.into_iter().flatten().collect(), ..Checklist::default() }
}

fn face(posed: &Posed<'_>, [body, number]: [u32; 2]) -> Face {
    let triangle = posed.triangle(number);
    Face { bounds: Aabb::around(&triangle), triangle, body, number }
}
