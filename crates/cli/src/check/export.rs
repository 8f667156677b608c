//! The bodies of one query as a coloured file: what touches is red, what is inside amber. Those of a
//! motion, or between frames, are shown at the first contact, or at the end if there is none.

use super::ask::{Asker, Question};
use super::line::{Kind, PairLine, Verdict};
use super::plan::Plan;
use crate::paint::{self, Painted};
use anyhow::Result;
use impinge::prelude::*;
use impinge_scene::export::{self, Color};
use std::path::Path;
use std::sync::Arc;

const TOUCHING: Color = [214, 39, 40];
const INSIDE: Color = [255, 170, 0];
/// Pale, so that findings stand out; bodies take turns.
const BODIES: [Color; 6] = [
    [190, 200, 210],
    [170, 205, 230],
    [185, 220, 185],
    [215, 200, 230],
    [225, 215, 190],
    [180, 215, 215],
];

/// Asks `question` again, for whatever was wanted of it the export needs the triangles.
pub(super) fn write(path: &Path, plan: &Plan, question: &Question) -> Result<()> {
    let plan = &Plan {
        // A picture shows all that touches, whatever the answer was allowed to cost.
        query: Query {
            want: Want::Pairs,
            gap: Gap::Ignore,
            budget: Budget::Unlimited,
            ..plan.query
        },
        volume: None,
        ..plan.clone()
    };
    let answered = Asker::new(plan)?.ask(question)?;
    let hits = answered.line.pairs.iter().filter(|pair| pair.verdict == Verdict::Hit);
    let time = hits.filter_map(|pair| pair.time).map(|[_, touching]| touching).reduce(f64::min);
    let (view, time) = (&question.view, time.unwrap_or(1.0));
    let meshes = plan.bodies.iter().map(|body| body.mesh_at(view, time));
    let meshes: Vec<Arc<Mesh>> = meshes.collect::<Result<_>>()?;
    let bodies = plan.bodies.iter().zip(&meshes).enumerate();
    let shown = bodies.map(|(i, (body, mesh))| Painted {
        name: &body.name,
        mesh,
        pose: body.at(view.place()).at(time),
        colors: colors(plan, i, &answered.line.pairs),
    });
    paint::write(path, &shown.collect::<Vec<_>>(), plan.unit)
}

fn colors(plan: &Plan, body: usize, pairs: &[PairLine<'_>]) -> Vec<Color> {
    let name = plan.bodies[body].name.as_str();
    let triangles = plan.bodies[body].mesh.triangles().len();
    let inside = pairs.iter().any(|p| p.kind == Some(Kind::Inside) && p.inner == Some(name));
    let base = if inside { INSIDE } else { BODIES[body % BODIES.len()] };
    let marked = pairs.iter().flat_map(|pair| {
        let sides = [pair.a == name, pair.b == name];
        let found = pair.triangles.iter().flatten();
        found.flat_map(move |ids| (0..2).filter(move |&k| sides[k]).map(move |k| ids[k]))
    });
    export::highlight(triangles, base, TOUCHING, marked)
}
