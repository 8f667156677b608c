//! `[sim]` and `[body.sim]` as they are written, and what is made of them.

use super::file::{BodyEntry, SceneFile, SpanFault};
use super::pilot::{PilotEntry, pilot};
use super::sim::{Integrator, Kind, Mode, Response, Sim, SimBody, Walls, seconds};
use super::{SceneBody, fit::Fit};
use impinge_geom::Point;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// How the scene is simulated by `impinge sim`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SimEntry {
    /// The time of a frame: seconds, or text with a unit, as "1ms". Default: 1 ms.
    #[schemars(with = "Option<TimeEntry>")]
    pub dt: Option<Spanned<TimeEntry>>,
    /// The acceleration of free bodies, in units of the scene per second². Default: none.
    #[schemars(with = "Option<[f64; 3]>")]
    pub gravity: Option<Spanned<[f64; 3]>>,
    /// The room that free bodies stay in. Default: none.
    pub room: Option<RoomEntry>,
    /// When a body has reached a wall. Default: "extent".
    pub walls: Option<Walls>,
    /// How states follow each other. Default: "semi-implicit".
    pub integrator: Option<Integrator>,
    /// What bodies do when they meet. Default: "exchange".
    pub response: Option<Response>,
    /// How much of the closing speed comes back, from 0 to 1. Default: 1.
    #[schemars(with = "Option<f64>", range(min = 0, max = 1))]
    pub restitution: Option<Spanned<f64>>,
    /// Coulomb's friction, for the response "impulse". Default: 0.
    #[schemars(with = "Option<f64>", range(min = 0))]
    pub friction: Option<Spanned<f64>>,
    /// The engine, as `impinge check --engine` knows it. Default: "auto".
    pub engine: Option<String>,
    /// The pruner, as `impinge check --pruner` knows it. Default: "auto".
    pub pruner: Option<String>,
    /// At each frame, or over the motion. Default: "static".
    pub mode: Option<Mode>,
    /// Whether the [path] of the scene begins anew at its end. Default: false.
    #[serde(default, rename = "loop")]
    pub looping: bool,
}

/// A time.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a time is needed: seconds, or text as \"1ms\"")]
pub(super) enum TimeEntry {
    /// In seconds.
    Number(f64),
    /// A number with an optional unit.
    Text(String),
}

/// A box along the scene's axes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RoomEntry {
    /// The lower corner.
    #[schemars(with = "[f64; 3]")]
    pub min: Spanned<[f64; 3]>,
    /// The upper corner.
    #[schemars(with = "[f64; 3]")]
    pub max: Spanned<[f64; 3]>,
}

/// How a body takes part in a simulation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BodySimEntry {
    /// What moves it. Default: "scripted" if the [path] moves it, else "free".
    #[schemars(with = "Option<Kind>")]
    pub kind: Option<Spanned<Kind>>,
    /// Its mass. Not together with `density`. Default: density times volume.
    #[schemars(with = "Option<f64>")]
    pub mass: Option<Spanned<f64>>,
    /// Mass per volume, in the scene's unit. Not together with `mass`. Default: 1.
    #[schemars(with = "Option<f64>")]
    pub density: Option<Spanned<f64>>,
    /// Its moments of inertia about the centre of mass, along the axes of the mesh. Default: those of
    /// its volume.
    #[schemars(with = "Option<[[f64; 3]; 3]>")]
    pub inertia: Option<Spanned<[[f64; 3]; 3]>>,
    /// The velocity of its centre of mass, per second. Default: 0.
    #[schemars(with = "Option<[f64; 3]>")]
    pub velocity: Option<Spanned<[f64; 3]>>,
    /// Its angular velocity about the axes of the world, in radians per second. Default: 0.
    #[schemars(with = "Option<[f64; 3]>")]
    pub spin: Option<Spanned<[f64; 3]>>,
    /// For a body with `frames`: the time from one to the next. Default: that of a frame of the
    /// simulation.
    #[schemars(with = "Option<TimeEntry>")]
    pub period: Option<Spanned<TimeEntry>>,
    /// From when until when, in seconds, it takes hold of free bodies that it touches. Not for a free
    /// body.
    #[schemars(with = "Option<[f64; 2]>")]
    pub grasp: Option<Spanned<[f64; 2]>>,
    /// Who steers it by thrust and turn. Only for a free body. Default: nobody.
    #[schemars(with = "Option<PilotEntry>")]
    pub pilot: Option<Spanned<PilotEntry>>,
}

/// The simulation of a scene, if the file says anything about it.
pub(super) fn sim(
    file: &SceneFile,
    bodies: &[SceneBody],
    fit: Option<&Fit>,
) -> Result<Option<Sim>, SpanFault> {
    if file.sim.is_none() && file.body.iter().all(|entry| entry.sim.is_none()) {
        return Ok(None);
    }
    let none = SimEntry::default();
    let entry = file.sim.as_ref().unwrap_or(&none);
    let room = entry.room.as_ref().map(room).transpose()?;
    let mut made = Vec::with_capacity(bodies.len());
    for (i, body) in bodies.iter().enumerate() {
        // A body is its entry's, or one of several objects of it.
        let of = file.body.iter().find(|entry| is_of(body, entry));
        let led = fit.is_some_and(|fit| fit.moving.contains(&i));
        made.push(match of.and_then(|entry| entry.sim.as_ref()) {
            Some(entry) => one(entry, led, body.frames.is_some())?,
            None => SimBody::default(),
        });
    }
    let unit = |x: f64| (0.0..=1.0).contains(&x);
    Ok(Some(Sim {
        dt: entry.dt.as_ref().map(time).transpose()?,
        gravity: vector(&entry.gravity, "gravity")?,
        room,
        walls: entry.walls,
        integrator: entry.integrator,
        response: entry.response,
        restitution: number(&entry.restitution, "restitution", (unit, "0 to 1 is possible"))?,
        friction: number(&entry.friction, "friction", (|x| x >= 0.0, "0 or more is needed"))?,
        engine: entry.engine.clone(),
        pruner: entry.pruner.clone(),
        mode: entry.mode,
        looping: entry.looping,
        grouped: None,
        bodies: made,
    }))
}

fn is_of(body: &SceneBody, entry: &BodyEntry) -> bool {
    let name = entry.name.get_ref();
    let several = body.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'));
    body.name == *name || several && body.groups.contains(name)
}

fn one(entry: &BodySimEntry, led: bool, deforms: bool) -> Result<SimBody, SpanFault> {
    let positive: (fn(f64) -> bool, &str) = (|x| x > 0.0, "a number above 0 is needed");
    if let Some(kind) = &entry.kind {
        let scripted = *kind.get_ref() == Kind::Scripted;
        if scripted && !led {
            let message = "the kind is \"scripted\", but no [path] moves the body; it is needed";
            return Err(SpanFault::new(kind.span(), message));
        }
    }
    if let Some(period) = entry.period.as_ref().filter(|_| !deforms) {
        let message = "there is a period, but the body has no `frames`; they are needed";
        return Err(SpanFault::new(period.span(), message));
    }
    if let Some(inertia) = &entry.inertia {
        let rows = inertia.get_ref();
        let symmetric = (0..3).all(|i| (0..3).all(|k| rows[i][k] == rows[k][i]));
        if !symmetric || rows.iter().flatten().any(|x| !x.is_finite()) {
            let message = "the inertia is no symmetric matrix of finite numbers; one is needed";
            return Err(SpanFault::new(inertia.span(), message));
        }
    }
    if let (Some(_), Some(density)) = (&entry.mass, &entry.density) {
        let message = "there are a mass and a density; one of them is needed, not both";
        return Err(SpanFault::new(density.span(), message));
    }
    check_grasp(entry, led)?;
    Ok(SimBody {
        kind: entry.kind.as_ref().map(|kind| *kind.get_ref()),
        mass: number(&entry.mass, "mass", positive)?,
        density: number(&entry.density, "density", positive)?,
        inertia: entry.inertia.as_ref().map(|inertia| *inertia.get_ref()),
        velocity: vector(&entry.velocity, "velocity")?,
        spin: vector(&entry.spin, "spin")?,
        period: entry.period.as_ref().map(time).transpose()?,
        grasp: entry.grasp.as_ref().map(|grasp| *grasp.get_ref()),
        pilot: entry.pilot.as_ref().map(|said| pilot(said, is_free(entry, led))).transpose()?,
    })
}

fn is_free(entry: &BodySimEntry, led: bool) -> bool {
    match &entry.kind {
        Some(kind) => *kind.get_ref() == Kind::Free,
        None => !led,
    }
}

fn check_grasp(entry: &BodySimEntry, led: bool) -> Result<(), SpanFault> {
    let Some(grasp) = &entry.grasp else { return Ok(()) };
    let [from, until] = *grasp.get_ref();
    if from.is_nan() || until.is_nan() || until < from {
        let message = format!("it grasps from {from} until {until}; two times are needed");
        return Err(SpanFault::new(grasp.span(), message));
    }
    if is_free(entry, led) {
        let message =
            "it grasps, but it is free; what grasps must be fixed, or moved by the [path]";
        return Err(SpanFault::new(grasp.span(), message));
    }
    Ok(())
}

fn time(entry: &Spanned<TimeEntry>) -> Result<f64, SpanFault> {
    let text = match entry.get_ref() {
        TimeEntry::Number(value) => &value.to_string(),
        TimeEntry::Text(text) => text,
    };
    seconds(text).map_err(|message| SpanFault::new(entry.span(), message))
}

fn number(
    entry: &Option<Spanned<f64>>,
    what: &str,
    (allowed, needed): (fn(f64) -> bool, &str),
) -> Result<Option<f64>, SpanFault> {
    let Some(entry) = entry else { return Ok(None) };
    let value = *entry.get_ref();
    if value.is_finite() && allowed(value) {
        return Ok(Some(value));
    }
    Err(SpanFault::new(entry.span(), format!("the {what} is {value}; {needed}")))
}

fn vector(entry: &Option<Spanned<[f64; 3]>>, what: &str) -> Result<Option<Point>, SpanFault> {
    let Some(entry) = entry else { return Ok(None) };
    finite(entry.get_ref(), entry.span(), what)?;
    Ok(Some(*entry.get_ref()))
}

fn finite(numbers: &Point, span: Range<usize>, what: &str) -> Result<(), SpanFault> {
    match numbers.iter().find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(bad) => {
            let message = format!("the {what} has the number {bad}; finite ones are needed");
            Err(SpanFault::new(span, message))
        }
    }
}

fn room(entry: &RoomEntry) -> Result<[Point; 2], SpanFault> {
    let (min, max) = (*entry.min.get_ref(), *entry.max.get_ref());
    finite(&min, entry.min.span(), "room")?;
    finite(&max, entry.max.span(), "room")?;
    if (0..3).any(|k| min[k] >= max[k]) {
        let message = format!("the room reaches from {min:?} to {max:?}; max must be above min");
        return Err(SpanFault::new(entry.max.span(), message));
    }
    Ok([min, max])
}
