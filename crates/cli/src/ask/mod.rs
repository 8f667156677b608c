//! `impinge ask`: rays and points against bodies that stay where they are.

mod line;
mod questions;

use crate::args::ask::{AskArgs, Asked};
use crate::args::{Common, Format};
use crate::check::plan::{self, PlanBody};
use crate::input::{self, Source};
use crate::outcome::Outcome;
use crate::output::{self, CANNOT_WRITE};
use anyhow::{Context, Result, ensure};
use impinge::prelude::*;
use impinge_scene::units::Unit;
pub(crate) use line::AskLine;
use line::{ClosestLine, HitLine, PointLine, RayLine, Summary};
use std::io::Write;
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(args: &AskArgs, common: &Common) -> Result<Outcome> {
    ensure!(
        !args.ray.is_empty() || !args.point.is_empty() || args.from.is_some(),
        "nothing is asked; --ray, --point or --from is needed"
    );
    let sources: Vec<Source> =
        args.meshes.iter().map(|text| input::read(text)).collect::<Result<_>>()?;
    let unit = plan::common_unit(&sources, args.units);
    let bodies = plan::bodies(&sources, args.units.unwrap_or(Unit::Mm), unit)?;
    let within = args.within.map_or(f64::INFINITY, |length| length.to(unit));
    let questions = questions::open(args)?;
    let mut asker = Asker::new(&bodies, within, args.all)?;
    let mut out = output::stdout();
    let head = if common.format == Format::Csv { line::CSV_HEAD } else { "" };
    out.write_all(head.as_bytes()).context(CANNOT_WRITE)?;
    let start = Instant::now();
    let mut summary = Summary { queries: 0, hits: 0, units: unit, seconds: 0.0 };
    for question in questions {
        let (asked, wait) = match question {
            Ok(question) => question,
            // What was answered before a bad line is seen before the message.
            Err(error) => return out.flush().context(CANNOT_WRITE).and(Err(error)),
        };
        let answer = asker.answer(summary.queries, &asked)?;
        summary.queries += 1;
        summary.hits += u64::from(answer.is_hit(args.within.is_some()));
        out.write_all(answer.print(common, unit)?.as_bytes()).context(CANNOT_WRITE)?;
        if wait {
            out.flush().context(CANNOT_WRITE)?;
        }
    }
    summary.seconds = start.elapsed().as_secs_f64();
    let hit = summary.hits > 0;
    let end = AskLine::End { summary };
    out.write_all(end.print(common, unit)?.as_bytes()).context(CANNOT_WRITE)?;
    out.flush().context(CANNOT_WRITE)?;
    Ok(if hit { Outcome::Hit } else { Outcome::Done })
}

/// The bodies in a world.
struct Asker<'p> {
    world: World,
    /// By user data.
    bodies: &'p [PlanBody],
    within: f64,
    all: bool,
}

impl<'p> Asker<'p> {
    fn new(bodies: &'p [PlanBody], within: f64, all: bool) -> Result<Self> {
        let brute = impinge::narrow::brute::Brute::default();
        let pruner = impinge::broad::auto::Auto::default();
        // Nothing is held against each other, so the engine that prepares least will do.
        let mut world = World::with(Box::new(pruner), Box::new(brute));
        for (i, body) in bodies.iter().enumerate() {
            let shape = world.add_shape(body.mesh.clone())?;
            world.insert(Body::new(shape).at(body.pose).with_user_data(i as u64))?;
        }
        Ok(Self { world, bodies, within, all })
    }

    fn name(&self, id: BodyId) -> &'p str {
        let body = self.world.body(id).map_or(0, |body| body.user_data);
        &self.bodies[body as usize].name
    }

    fn answer(&mut self, query: u64, asked: &Asked) -> Result<AskLine<'p>> {
        match *asked {
            Asked::Ray(origin, direction) => {
                let ray = Ray::new(origin, direction)?.up_to(self.within)?;
                let hits = if self.all {
                    self.world.cast_all(&ray, |_, _| true)
                } else {
                    self.world.cast(&ray, |_, _| true).into_iter().collect()
                };
                let hits = hits.iter().map(|hit| HitLine::of(self.name(hit.body), hit)).collect();
                Ok(AskLine::Ray(RayLine { query, origin, direction, hits }))
            }
            Asked::Point(point) => {
                let spot = Spot::new(point)?.within(self.within)?;
                let closest = self.world.closest(&spot, |_, _| true);
                let closest = closest.map(|found| ClosestLine::of(self.name(found.body), &found));
                let around = self.world.around(&spot);
                let names = |wanted: Location| {
                    let of = around.iter().filter(|(_, location)| *location == wanted);
                    of.map(|(id, _)| self.name(*id)).collect()
                };
                let (inside, on) = (names(Location::Inside), names(Location::On));
                Ok(AskLine::Point(PointLine { query, point, inside, on, closest }))
            }
        }
    }
}
