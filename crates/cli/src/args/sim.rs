//! The arguments of `impinge sim`.

use super::value;
use clap::ValueEnum;
use impinge::narrow;
use impinge_sim::prelude::{Integrator, Mode, Response};
use std::path::PathBuf;

/// `impinge sim`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge sim \"sample:bouncing?n=256\" --frames 1000
  impinge sim room.toml --frames 5000 --dt 1ms --response impulse --format json
  impinge sim room.toml --frames 1000 --record run.jsonl
  impinge sim --replay run.jsonl
  impinge sim room.toml --frames 3000 --sound run.wav --events

The scene says what moves and how, in [sim] and [body.sim]: see docs/sim.md. Options replace what it
says. Rates are those of whole frames: motion, pruning, detection and response.

--events prints a line of JSON for each contact that begins or ends, before the summary.
--record writes a head and then, for each frame, all poses and velocities as exact numbers.
--replay runs a recorded simulation again and compares every bit; a recording that was cut is not
the same.

Ctrl-C ends the run with what there is by then; a second one ends the program.

Exit codes: 0 the simulation ran, whatever touched, or the replay is the same; 1 the replay differs,
or the recording is not complete; 2 bad input; 3 Ctrl-C ended a replay.")]
pub(crate) struct SimArgs {
    /// A scene file (toml) or `sample:NAME`; with --replay that of the recording, if not given
    #[arg(value_name = "SCENE", required_unless_present = "replay")]
    pub(crate) scene: Option<String>,
    /// How many frames
    #[arg(long, value_name = "N", value_parser = value::frames, allow_hyphen_values = true)]
    #[arg(required_unless_present = "replay", conflicts_with = "replay")]
    pub(crate) frames: Option<usize>,
    /// The time of a frame, as 1ms or 0.001 [default: what the scene says, or 1ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "replay")]
    #[arg(value_parser = impinge_scene::scene::sim::seconds)]
    pub(crate) dt: Option<f64>,
    /// How pairs of bodies are decided.
    #[arg(long, value_name = "NAME", value_parser = value::engine)]
    #[arg(help = format!("How pairs of bodies are decided: {}", value::list(narrow::names())))]
    #[arg(long_help = value::engines())]
    pub(crate) engine: Option<String>,
    /// How pairs that may touch are found; see `impinge check --help`
    #[arg(long, value_name = "NAME", value_parser = value::pruner)]
    pub(crate) pruner: Option<String>,
    /// What bodies do when they meet
    #[arg(long, value_enum)]
    pub(crate) response: Option<ResponseArg>,
    /// How states follow each other
    #[arg(long, value_enum)]
    pub(crate) integrator: Option<IntegratorArg>,
    /// At each frame, or over the motion so that nothing gets through anything
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,
    /// Writes the run, frame by frame
    #[arg(long, value_name = "FILE.jsonl", value_parser = value::answers)]
    #[arg(conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Runs a recording again and compares
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) replay: Option<PathBuf>,
    /// Writes what the collisions sound like
    #[arg(long, value_name = "FILE.wav", value_parser = value::answers)]
    #[arg(conflicts_with = "replay")]
    pub(crate) sound: Option<PathBuf>,
    /// Prints contacts that begin or end, as JSON lines
    #[arg(long)]
    pub(crate) events: bool,
}

/// What bodies do when they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResponseArg {
    /// They exchange velocities and turn the other way round.
    Exchange,
    /// They are reflected by the normals of the faces that meet.
    Reflect,
    /// Impulses with restitution and friction.
    Impulse,
    /// They pass through each other.
    None,
}

impl From<ResponseArg> for Response {
    fn from(chosen: ResponseArg) -> Self {
        match chosen {
            ResponseArg::Exchange => Self::Exchange,
            ResponseArg::Reflect => Self::Reflect,
            ResponseArg::Impulse => Self::Impulse,
            ResponseArg::None => Self::None,
        }
    }
}

/// How states follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntegratorArg {
    /// Velocities first, then places; keeps energy in the long run.
    SemiImplicit,
    /// Both from the old state, as [V00 §7].
    Euler,
    /// The method of order four.
    RungeKutta,
}

impl From<IntegratorArg> for Integrator {
    fn from(chosen: IntegratorArg) -> Self {
        match chosen {
            IntegratorArg::SemiImplicit => Self::SemiImplicitEuler,
            IntegratorArg::Euler => Self::ExplicitEuler,
            IntegratorArg::RungeKutta => Self::RungeKutta4,
        }
    }
}

/// When bodies are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// At each frame.
    Static,
    /// Over the motion.
    Dynamic,
}

impl From<ModeArg> for Mode {
    fn from(chosen: ModeArg) -> Self {
        match chosen {
            ModeArg::Static => Self::Static,
            ModeArg::Dynamic => Self::Dynamic,
        }
    }
}
