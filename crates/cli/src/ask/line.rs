//! The answers as programs get them: these types are the JSON, and its schema is made from them.

use crate::args::{Common, Format};
use crate::number::{self, short};
use crate::output::csv_field;
use anyhow::Result;
use impinge::prelude::*;
use impinge_geom::distance::Feature;
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// One line of `impinge ask --format json`: an answer, or at the end the summary.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "impinge ask")]
pub(crate) enum AskLine<'a> {
    /// The answer to a ray.
    Ray(RayLine<'a>),
    /// The answer to a point.
    Point(PointLine<'a>),
    /// The last line.
    End {
        /// What all questions came to.
        summary: Summary,
    },
}

/// What a ray meets.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RayLine<'a> {
    /// The number of the question, counted from 0.
    pub(crate) query: u64,
    /// Where the ray starts.
    pub(crate) origin: Point,
    /// Where it goes.
    pub(crate) direction: Point,
    /// What it meets: the first, or with --all every face, by distance; empty if nothing.
    pub(crate) hits: Vec<HitLine<'a>>,
}

/// Where a ray meets a face.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HitLine<'a> {
    /// The name of the body.
    body: &'a str,
    /// The face as the file has it.
    face: u32,
    /// The triangle after triangulation.
    triangle: u32,
    /// How far from the origin, off by at most 10⁻¹² of itself.
    distance: f64,
    /// Where.
    point: Point,
    /// The unit normal of the triangle by the order of its corners; zero if it is degenerate.
    normal: Point,
    /// The parts of the triangle's corners in the point.
    weights: [f64; 3],
    /// `front` if the ray comes against the normal, `back`, or `edge` if it runs in the face.
    facing: &'static str,
}

impl<'a> HitLine<'a> {
    pub(crate) fn of(body: &'a str, found: &RayHit) -> Self {
        let Hit { distance, point, triangle, weights, normal, facing } = found.hit;
        let facing = match facing {
            Facing::Front => "front",
            Facing::Back => "back",
            Facing::Edge => "edge",
        };
        Self { body, face: found.face, triangle, distance, point, normal, weights, facing }
    }
}

/// What is around a point.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PointLine<'a> {
    /// The number of the question, counted from 0.
    pub(crate) query: u64,
    /// The point.
    pub(crate) point: Point,
    /// The bodies it is inside of; only what is closed has an inside.
    pub(crate) inside: Vec<&'a str>,
    /// The closed bodies whose surface it is exactly on.
    pub(crate) on: Vec<&'a str>,
    /// The closest surface; left out if none is within --within.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) closest: Option<ClosestLine<'a>>,
}

/// The closest point of a surface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClosestLine<'a> {
    /// The name of the body.
    body: &'a str,
    /// The face as the file has it.
    face: u32,
    /// The triangle after triangulation.
    triangle: u32,
    /// What of the triangle: `vertex`, `edge` or `face`.
    feature: &'static str,
    /// The true distance is not smaller.
    at_least: f64,
    /// The true distance is not larger.
    at_most: f64,
    /// Where.
    point: Point,
}

impl<'a> ClosestLine<'a> {
    pub(crate) fn of(body: &'a str, found: &Closest) -> Self {
        let Nearest { point, triangle, feature, at_least, at_most } = found.nearest;
        let feature = match feature {
            Feature::Vertex(_) => "vertex",
            Feature::Edge(_) => "edge",
            Feature::Face => "face",
        };
        Self { body, face: found.face, triangle, feature, at_least, at_most, point }
    }
}

/// What all questions came to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// How many were answered.
    pub(crate) queries: u64,
    /// How many rays meet something, and points are inside, on or (with --within) near something.
    pub(crate) hits: u64,
    /// The unit of all lengths and coordinates.
    pub(crate) units: Unit,
    /// Wall time from the first question to the last answer. All else is the same in every run.
    pub(crate) seconds: f64,
}

/// The names of the columns.
pub(super) const CSV_HEAD: &str = "query,kind,body,face,triangle,at_least,at_most,x,y,z,facing\n";

impl AskLine<'_> {
    /// Whether it counts for the exit code; `near` if a near surface is enough.
    pub(super) fn is_hit(&self, near: bool) -> bool {
        match self {
            Self::Ray(ray) => !ray.hits.is_empty(),
            Self::Point(point) => {
                let holds = !point.inside.is_empty() || !point.on.is_empty();
                holds || near && point.closest.is_some()
            }
            Self::End { .. } => false,
        }
    }

    /// As it is asked for, with its line ends.
    pub(super) fn print(&self, common: &Common, unit: Unit) -> Result<String> {
        Ok(match (common.format, self) {
            (Format::Json, _) => serde_json::to_string(self)? + "\n",
            (Format::Csv, Self::Ray(ray)) => ray.csv(),
            (Format::Csv, Self::Point(point)) => point.csv(),
            (Format::Text, Self::Ray(ray)) => ray.text(unit),
            (Format::Text, Self::Point(point)) => point.text(unit),
            (Format::Text, Self::End { summary }) if !common.quiet => summary.text(),
            (Format::Csv | Format::Text, Self::End { .. }) => String::new(),
        })
    }
}

impl RayLine<'_> {
    fn csv(&self) -> String {
        let mut text = String::new();
        for hit in &self.hits {
            let [x, y, z] = hit.point;
            let (body, distance) = (csv_field(hit.body), hit.distance);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},ray,{body},{},{},{distance},{distance},{x},{y},{z},{}",
                self.query, hit.face, hit.triangle, hit.facing
            );
        }
        if text.is_empty() { format!("{},ray,,,,,,,,,\n", self.query) } else { text }
    }

    fn text(&self, unit: Unit) -> String {
        let mut text = String::new();
        for hit in &self.hits {
            let (distance, at) = (short(hit.distance), number::point(&hit.point));
            let _ = writeln!(
                text,
                "ray {}: {} face {}, {distance} {unit} away at {at}, {}",
                self.query, hit.body, hit.face, hit.facing
            );
        }
        if text.is_empty() { format!("ray {}: free\n", self.query) } else { text }
    }
}

impl PointLine<'_> {
    fn csv(&self) -> String {
        let mut text = String::new();
        for (kind, names) in [("inside", &self.inside), ("on", &self.on)] {
            for name in names {
                let _ = writeln!(text, "{},{kind},{},,,,,,,,", self.query, csv_field(name));
            }
        }
        if let Some(found) = &self.closest {
            let [x, y, z] = found.point;
            let _ = writeln!(
                text,
                "{},closest,{},{},{},{},{},{x},{y},{z},",
                self.query,
                csv_field(found.body),
                found.face,
                found.triangle,
                found.at_least,
                found.at_most
            );
        }
        if text.is_empty() { format!("{},closest,,,,,,,,,\n", self.query) } else { text }
    }

    fn text(&self, unit: Unit) -> String {
        let mut parts = Vec::new();
        for (kind, names) in [("inside", &self.inside), ("on", &self.on)] {
            parts.extend(names.iter().map(|name| format!("{kind} {name}")));
        }
        if let Some(found) = &self.closest {
            let (distance, at) = (short(found.at_most), number::point(&found.point));
            let (body, face, feature) = (found.body, found.face, found.feature);
            parts.push(format!("{distance} {unit} from {body} face {face} ({feature}) at {at}"));
        }
        if parts.is_empty() {
            parts.push("nothing near".to_owned());
        }
        format!("point {}: {}\n", self.query, parts.join(", "))
    }
}

impl Summary {
    fn text(&self) -> String {
        let (queries, hits) = (number::of(self.queries, "question"), number::count(self.hits));
        format!(
            "\n{queries}, {hits} with a finding, {}; lengths in {}\n",
            number::seconds(self.seconds),
            self.units
        )
    }
}
