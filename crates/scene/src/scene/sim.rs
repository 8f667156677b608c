//! The simulation of a scene: `[sim]`, and `[body.sim]` of its bodies.
//!
//! Lengths are in the scene's unit and times in seconds. What the names of engines and pruners mean is
//! not known here.

use super::pilot::Pilot;
use impinge_geom::Point;
use schemars::JsonSchema;
use serde::Deserialize;

/// How a scene is simulated. What is not set is left to the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sim {
    /// The time of a frame.
    pub dt: Option<f64>,
    /// The acceleration of free bodies.
    pub gravity: Option<Point>,
    /// The corners of the room, if there is one; every side is longer than zero.
    pub room: Option<[Point; 2]>,
    /// When a body has reached a wall.
    pub walls: Option<Walls>,
    /// How states follow each other.
    pub integrator: Option<Integrator>,
    /// What bodies do when they meet.
    pub response: Option<Response>,
    /// From 0 to 1.
    pub restitution: Option<f64>,
    /// Not below 0.
    pub friction: Option<f64>,
    /// The name of an engine, with parameters.
    pub engine: Option<String>,
    /// The name of a pruner.
    pub pruner: Option<String>,
    /// At instants, or over the motion.
    pub mode: Option<Mode>,
    /// Whether the path of the scene begins anew at its end.
    pub looping: bool,
    /// Forces on groups of bodies, if there are any; samples have them, files do not.
    pub grouped: Option<Grouped>,
    /// One for each body of the scene.
    pub bodies: Vec<SimBody>,
}

/// Random forces on groups of free bodies, which keep them about the origin (H93).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouped {
    /// Bodies are dealt out to so many groups, one after the other; at least one.
    pub groups: u32,
    /// The largest acceleration that a group is given, in some direction for some time.
    pub strength: f64,
    /// That time is from half to one and a half of this many seconds; above 0.
    pub period: f64,
    /// The largest acceleration of each body by drag and by the soft walls of the space.
    pub hold: f64,
    /// The side of the space about the origin; above 0.
    pub side: f64,
    /// Another course of forces.
    pub seed: u64,
}

/// A body in a simulation. What is not set is left to the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimBody {
    /// What moves it; bodies that the path moves are scripted, all others free.
    pub kind: Option<Kind>,
    /// Above 0.
    pub mass: Option<f64>,
    /// Above 0.
    pub density: Option<f64>,
    /// About the centre of mass, along the axes of the mesh.
    pub inertia: Option<[[f64; 3]; 3]>,
    /// Of the centre of mass.
    pub velocity: Option<Point>,
    /// In radians per second, about the axes of the world.
    pub spin: Option<Point>,
    /// The time from one frame of its vertices to the next; above 0.
    pub period: Option<f64>,
    /// From when until when it takes hold of what it touches.
    pub grasp: Option<[f64; 2]>,
    /// Who steers it, if anyone does; only for a free body.
    pub pilot: Option<Pilot>,
}

/// What moves a body.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Its velocity, forces, and what it meets.
    Free,
    /// Nothing.
    Fixed,
    /// The path of the scene, which names it.
    Scripted,
}

/// When a body has reached a wall.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Walls {
    /// When its outermost vertex has.
    Extent,
    /// When its bounding sphere has.
    Sphere,
}

/// How states follow each other.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Velocities first, then places.
    SemiImplicit,
    /// Both from the old state.
    Euler,
    /// The method of order four.
    RungeKutta,
}

/// What bodies do when they meet.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// They exchange velocities.
    Exchange,
    /// They are reflected by the normals of the faces that meet.
    Reflect,
    /// Impulses with restitution and friction.
    Impulse,
    /// They pass through each other.
    None,
}

/// Whether bodies are looked at in each frame, or over their way to it.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In each frame.
    Static,
    /// Over the way, so that nothing gets through anything.
    Dynamic,
}

/// A time in seconds: a number, or one with `s`, `ms` or `us`, as `1ms`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let units = [("ms", 1e3), ("us", 1e6), ("s", 1.0)];
    let unit = units.iter().find_map(|(unit, per)| Some((text.strip_suffix(unit)?, per)));
    let (number, per) = unit.unwrap_or((text, &1.0));
    let value = number.trim_end().parse::<f64>().ok().map(|value| value / per);
    let sound = value.filter(|value| value.is_finite() && *value > 0.0);
    sound.ok_or_else(|| format!("`{text}` is no time; a number above 0 is needed, as 1ms or 0.001"))
}
