//! How a simulation goes about it. Any value is legal until [`Settings::check`] looks at it.

use crate::error::SimError;
use crate::room::{Room, WallTest};
use impinge::contract::query::{Mode, Query};
use impinge_geom::Point;
use impinge_scene::scene::sim::Grouped;

/// How states follow each other in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Velocities first, then places with the new velocities. Turns are composed of turns about the
    /// principal axes, each exact in the momentum. Both keep energy within bounds for ever.
    #[default]
    SemiImplicitEuler,
    /// Places and velocities both from the old state, as [V00 §7]. Energy grows.
    ExplicitEuler,
    /// The classical method of order four.
    RungeKutta4,
}

/// What bodies do when they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// They exchange velocities and turn the other way round [V00 §7].
    #[default]
    Exchange,
    /// Along the normals of the faces that meet they are thrown back [K98 §4.3].
    Reflect,
    /// Impulses at all contact points, with restitution and friction.
    Impulse,
    /// Nothing: they pass through each other.
    None,
}

/// Names that users write, the default first.
pub const INTEGRATORS: [(&str, Integrator); 3] = [
    ("semi-implicit", Integrator::SemiImplicitEuler),
    ("euler", Integrator::ExplicitEuler),
    ("runge-kutta", Integrator::RungeKutta4),
];

/// Names that users write, the default first.
pub const RESPONSES: [(&str, Response); 4] = [
    ("exchange", Response::Exchange),
    ("reflect", Response::Reflect),
    ("impulse", Response::Impulse),
    ("none", Response::None),
];

/// The settings of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The engine, as [`impinge::narrow::by_text`] knows it.
    pub engine: String,
    /// The pruner, as [`impinge::broad::by_name`] knows it.
    pub pruner: String,
    /// How states follow each other.
    pub integrator: Integrator,
    /// What bodies do when they meet.
    pub response: Response,
    /// The room, if there is one.
    pub room: Option<Room>,
    /// When a body has reached a wall.
    pub wall_test: WallTest,
    /// The acceleration of all free bodies.
    pub gravity: Point,
    /// How much of the closing speed comes back, from 0 to 1.
    pub restitution: f64,
    /// What rubs, as a part of what presses; only impulses know it.
    pub friction: f64,
    /// Whether bodies are looked at in each frame, or over their way from the frame before.
    pub mode: Mode,
    /// Random forces on groups of bodies, in place of those of `set_force`. If nothing answers to what
    /// meets, what they amount to is promised to the world.
    pub grouped: Option<Grouped>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engine: "auto".to_owned(),
            pruner: "auto".to_owned(),
            integrator: Integrator::default(),
            response: Response::default(),
            room: None,
            wall_test: WallTest::default(),
            gravity: [0.0; 3],
            restitution: 1.0,
            friction: 0.0,
            mode: Mode::Static,
            grouped: None,
        }
    }
}

impl Settings {
    /// Refuses numbers without a meaning.
    pub fn check(&self) -> Result<(), SimError> {
        let number =
            |what: &str, found, needed| SimError::Number { what: what.into(), found, needed };
        if let Some(&found) = self.gravity.iter().find(|x| !x.is_finite()) {
            return Err(number("gravity", found, "finite numbers are needed"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(number("restitution", self.restitution, "0 to 1 is possible"));
        }
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Err(number("friction", self.friction, "0 or more is possible"));
        }
        self.grouped.as_ref().map_or(Ok(()), crate::grouped::check)
    }

    /// What the world is asked in each frame.
    pub(crate) fn query(&self) -> Query {
        match self.response {
            Response::Exchange | Response::None => Query { mode: self.mode, ..Query::TOUCHING },
            Response::Reflect | Response::Impulse => Query { mode: self.mode, ..Query::CONTACTS },
        }
    }
}
