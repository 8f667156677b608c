//! The lines that programs get; their schema is made from these types.

use super::record::name;
use super::tally::Tally;
use impinge_geom::Point;
use impinge_sim::prelude::{Event, Frame, MassSource, Mode, Simulation};
use impinge_sim::settings::{INTEGRATORS, RESPONSES};
use schemars::JsonSchema;
use serde::Serialize;

/// A line of `impinge sim --format json`, or of `--events`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "impinge sim")]
pub(crate) enum SimLine<'a> {
    /// With --events: two bodies begin or cease to touch.
    Event(EventLine<'a>),
    /// The last line.
    Summary(Box<SummaryLine<'a>>),
}

/// A contact that begins or ends.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventLine<'a> {
    /// `begin` or `end`.
    event: &'static str,
    /// The frame, from 1 on.
    frame: u64,
    /// The time after the frame, in seconds.
    time: f64,
    /// One body.
    a: &'a str,
    /// The other.
    b: &'a str,
}

impl<'a> EventLine<'a> {
    pub(super) fn of(event: &Event, frame: &Frame<'_>, names: &'a [String]) -> Option<Self> {
        let (event, a, b) = match *event {
            Event::Begin(a, b) => ("begin", a, b),
            Event::End(a, b) => ("end", a, b),
            Event::Stay(..) => return None,
        };
        let (a, b) = (names[a].as_str(), names[b].as_str());
        Some(Self { event, frame: frame.number, time: frame.time, a, b })
    }
}

/// What a run came to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SummaryLine<'a> {
    /// Frames that were run.
    pub(super) frames: usize,
    /// True if Ctrl-C ended the run; else left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub(super) cancelled: bool,
    /// Bodies.
    pub(super) bodies: usize,
    /// The time of a frame, in seconds.
    pub(super) dt: f64,
    /// How pairs were decided.
    pub(super) engine: &'a str,
    /// How pairs were found.
    pub(super) pruner: &'a str,
    /// How states followed each other.
    pub(super) integrator: &'static str,
    /// What bodies did when they met.
    pub(super) response: &'static str,
    /// `static` or `dynamic`.
    pub(super) mode: &'static str,
    /// Frames per second, of whole frames.
    pub(super) hz: Rates,
    /// Where the time went, in microseconds per frame.
    pub(super) us: Stages,
    /// Collisions that were answered, those with walls included.
    pub(super) collisions: usize,
    /// Collisions with walls.
    pub(super) wall_collisions: usize,
    /// Contacts between bodies that began.
    pub(super) begins: usize,
    /// Pairs of bodies that touch, on average over frames.
    pub(super) touching: f64,
    /// How often a body was put to rest, since its motion led beyond all numbers.
    pub(super) halted: usize,
    /// How often a body was seen to break what was promised of its acceleration, by pruners that build
    /// on promises; left out if none did.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub(super) broken_promises: usize,
    /// Bodies whose mass or inertia was taken from their bounding boxes, since they are not closed.
    pub(super) boxed: usize,
    /// Of free bodies, at the start and at the end. What is held at the time does not count.
    pub(super) energy: [f64; 2],
    /// Change of the energy as a part of it; left out if there was none at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) energy_drift: Option<f64>,
    /// Of free bodies, at the start and at the end. What is held at the time does not count.
    pub(super) momentum: [Point; 2],
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Frames per second.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Rates {
    /// On average.
    pub(super) mean: f64,
    /// Of the median frame.
    pub(super) median: f64,
    /// Of the slowest frame.
    pub(super) worst: f64,
}

/// Microseconds per frame.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Stages {
    /// Moving bodies, walls included.
    pub(super) motion: f64,
    /// Bounds, pruning and engine.
    pub(super) detection: f64,
    /// Answers to what touches.
    pub(super) response: f64,
}

impl<'a> SummaryLine<'a> {
    pub(super) fn of(tally: &'a Tally, simulation: &Simulation) -> Self {
        let settings = &tally.settings;
        let [mean, median, worst] = tally.rates();
        let frames = tally.frames.max(1) as f64;
        let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / frames;
        let energy = [tally.energy, simulation.energy()];
        let drift = (energy[0] != 0.0).then(|| energy[1] / energy[0] - 1.0);
        let boxed = |i: &usize| simulation.mass_source(*i) == MassSource::Box;
        Self {
            frames: tally.frames,
            cancelled: tally.cancelled,
            bodies: simulation.len(),
            dt: tally.dt,
            engine: &settings.engine,
            pruner: &settings.pruner,
            integrator: name(&INTEGRATORS, settings.integrator),
            response: name(&RESPONSES, settings.response),
            mode: if settings.mode == Mode::Dynamic { "dynamic" } else { "static" },
            hz: Rates { mean, median, worst },
            us: Stages {
                motion: each(tally.spent.motion),
                detection: each(tally.spent.detection),
                response: each(tally.spent.response),
            },
            collisions: tally.collisions,
            wall_collisions: tally.wall_collisions,
            begins: tally.begins,
            touching: tally.touching as f64 / frames,
            halted: tally.halted,
            broken_promises: tally.broken_promises,
            boxed: (0..simulation.len()).filter(boxed).count(),
            energy,
            energy_drift: drift.filter(|drift| drift.is_finite()),
            momentum: [tally.momentum, simulation.momentum()],
        }
    }
}
