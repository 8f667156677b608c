//! The arguments of `impinge bench`.

use super::check::Want;
use super::value;
use clap::{Subcommand, ValueEnum};
use impinge::contract::query::TOLERANCE;
use impinge::{broad, narrow};
use impinge_geom::first_contact::paper;
use impinge_lab::ccd::Method;
use std::path::PathBuf;
use std::time::Duration;

/// `impinge bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench poses knot.obj knot.obj --poses near.txt --want touching --format json
  impinge bench motions knot.obj knot.obj --motions ways.txt --format json
  impinge bench nbody \"sample:nbody?n=10000&kind=clustered\" --frames 200 --format json
  impinge bench deform sample:torus-knot sample:torus-knot --frames 40 --format json
  impinge bench ccd cloth-vf.bin cloth-ee.bin --format json

Times are those of one thread unless --threads says otherwise.")]
pub(crate) struct BenchArgs {
    /// What to time.
    #[command(subcommand)]
    pub(crate) what: Bench,
}

/// What can be timed.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// One pair of meshes at many poses: an engine alone
    Poses(PosesArgs),
    /// Writes poses near contact for `bench poses`: half of them touch, half are free
    MakePoses(MakePosesArgs),
    /// One pair of meshes along many motions: first contacts, by an engine alone
    Motions(MotionsArgs),
    /// Writes motions near contact for `bench motions`: somewhat more than half of them touch
    MakeMotions(MakeMotionsArgs),
    /// The broad phase: many moving boxes, all overlapping pairs of each frame
    Nbody(NbodyArgs),
    /// Bodies every vertex of which moves every frame: all pairs of faces
    Deform(DeformArgs),
    /// Labelled queries of two features whose corners move linearly: first contact
    Ccd(CcdArgs),
}

/// `impinge bench poses`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench make-poses sample:torus-knot sample:torus-knot --out near.txt
  impinge bench poses sample:torus-knot sample:torus-knot --poses near.txt --want pairs
  impinge bench poses A.obj B.obj --poses near.txt --want clearance --repeat 20 --format json

Timed is the engine alone: both meshes are prepared once (build_ms, the mean of the two), and each
pass hands all poses to the engine in one batch. Times are means per query of a pass; their median
and minimum are taken over the passes: --repeat, or as many as begin in --seconds, from 3 to 41.
worst_query_us is the slowest query, asked alone, at the best of its times.

Clock: processor time of the process on one thread, which other programs on the machine hardly
disturb; wall time on several threads. --clock chooses.

Cold: --cold walks through 128 MiB of other memory before each query (or, with --cold=pass, before
each pass), so that nothing of the shapes is left in the caches; the walk is not timed. A cold query
is timed alone, so its time includes a reading of the clock.

--answers: one number per pose: 0 or 1 (touching), the number of triangle pairs (pairs, contacts),
the distance with 0 for what touches (clearance); NaN if unknown. Exit code 3 if one is.")]
pub(crate) struct PosesArgs {
    #[command(flatten)]
    pub(crate) timed: TimedArgs,
    /// One query per line: the pose of B in the frame of A, `qw qx qy qz tx ty tz`
    #[arg(long, value_name = "FILE")]
    pub(crate) poses: PathBuf,
    /// What to ask
    #[arg(long, value_enum, default_value_t = Want::Touching)]
    pub(crate) want: Want,
}

/// `impinge bench motions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench make-motions sample:torus-knot sample:torus-knot --out ways.txt
  impinge bench motions sample:torus-knot sample:torus-knot --motions ways.txt
  impinge bench motions A.obj B.obj --motions ways.txt --answers times.txt --format json

A motion is two poses of B in the frame of A; between them B moves straight and turns the shorter
way round at a steady rate. Asked is the first contact. What is timed, and by which clock, is told
in `impinge bench poses --help`.

--answers: one number per motion: the time before which nothing touches, in all digits (0 if B
touches A at the start), 1 if nothing touches at all; NaN if unknown. Exit code 3 if one is.")]
pub(crate) struct MotionsArgs {
    #[command(flatten)]
    pub(crate) timed: TimedArgs,
    /// One query per line: `qw qx qy qz tx ty tz` of the start and of the end
    #[arg(long, value_name = "FILE")]
    pub(crate) motions: PathBuf,
    /// How wide the interval of a first contact may be, as a part of the motion
    #[arg(long, value_name = "T", default_value_t = TOLERANCE, value_parser = value::tolerance)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) tolerance: f64,
}

/// Two meshes, and how an engine is timed on them.
#[derive(Debug, clap::Args)]
pub(crate) struct TimedArgs {
    /// The mesh that stays: a file or `sample:NAME`
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The mesh that is moved
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// How pairs of bodies are decided.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::engine)]
    #[arg(help = format!("How queries are decided: {}", value::list(narrow::names())))]
    pub(crate) engine: String,
    /// So many passes [default: what begins in --seconds]
    #[arg(long, value_name = "N", value_parser = value::frames, allow_hyphen_values = true)]
    pub(crate) repeat: Option<usize>,
    /// The time in which passes begin
    #[arg(long, value_name = "S", default_value = "2.5", value_parser = value::seconds)]
    #[arg(allow_hyphen_values = true, conflicts_with = "repeat")]
    pub(crate) seconds: Duration,
    /// With empty caches before each query or pass
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "query")]
    pub(crate) cold: Option<ColdArg>,
    /// Which time counts [default: cpu on one thread, wall on several]
    #[arg(long, value_name = "CLOCK", value_enum)]
    pub(crate) clock: Option<ClockArg>,
    /// Writes one number per query, one per line
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) answers: Option<PathBuf>,
}

/// When caches are emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColdArg {
    /// Before each pass.
    Pass,
    /// Before each query.
    Query,
}

impl ColdArg {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Query => "query",
        }
    }
}

/// Which time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// The processor time of the process.
    Cpu,
    /// The time of the wall.
    Wall,
}

/// `impinge bench make-poses`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  impinge bench make-poses knot.obj knot.obj --count 4000 --seed 7 --out near.txt

For each pose B gets a random rotation and comes from a random direction until it touches A (first
contact at the distance s, by conservative advancement on the clearance); then it is pushed on by
an offset (poses 0, 2, 4 …, which touch) or taken back by it (poses 1, 3, 5 …, which are free).
Offsets are 10^u with u evenly from −4 to −1.3, times the size: half the longest side of the smaller
mesh's box, down to a power of two. The same seed gives the same poses, whatever the threads, and as
long as engines agree on distances, whatever the engine.")]
pub(crate) struct MakePosesArgs {
    /// The mesh that stays: a file or `sample:NAME`
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The mesh that comes near
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// How many poses
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value::frames)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) count: usize,
    /// Other poses of the same kind
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value::seed)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Where they are written, one per line: `qw qx qy qz tx ty tz`
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) out: PathBuf,
    /// How distances are found.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::engine)]
    #[arg(help = format!("How distances are found: {}", value::list(narrow::names())))]
    pub(crate) engine: String,
}

/// `impinge bench make-motions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  impinge bench make-motions knot.obj knot.obj --count 1000 --angle 3.14159 --out ways.txt

For each motion B gets a random rotation and comes from a random direction until it touches A, as
in `bench make-poses`; it starts 0.05 to 0.3 of the size before that, moves on by 0 to 0.5 of the
size and by up to 0.4 in any direction, and turns about a random axis by an eighth of --angle to all
of it. The size is half the longest side of the smaller mesh's box, down to a power of two. The same
seed gives the same motions, whatever the threads, and as long as engines agree on distances,
whatever the engine.")]
pub(crate) struct MakeMotionsArgs {
    /// The mesh that stays: a file or `sample:NAME`
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The mesh that moves
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// How many motions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value::frames)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) count: usize,
    /// Other motions of the same kind
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value::seed)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// The largest angle, in radians, up to pi
    #[arg(long, value_name = "MAX", default_value_t = 0.8, value_parser = value::angle)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) angle: f64,
    /// Where they are written, one per line: `qw qx qy qz tx ty tz` of the start and of the end
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) out: PathBuf,
    /// How distances and contacts are found.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::engine)]
    #[arg(help = format!("How distances and contacts are found: {}", value::list(narrow::names())))]
    pub(crate) engine: String,
}

/// `impinge bench nbody`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench nbody 100000.txt --pruner auto --frames 100
  impinge bench nbody \"sample:nbody?n=10000&kind=spread&speed=0.01\" --format json

Files: a line `N r M S`, then N lines `px py pz vx vy vz`, all whole numbers; a seventh number is a
body's own radius. Boxes are (p ± r) · S / 2^23. In a frame, per axis: if p + v < r or p + v > M − r
then v = −v; then p += v.

Samples: sample:nbody?kind=…&n=1000&density=0.025&speed=0.1&seed=1, where kind is uniform, spread
(sizes 1 to 100, log-uniform), spread-power (by s^-4), clustered (90 % of the bodies in 1 % of the
room) or flat; density is the boxes' volume as a part of the room's, speed is in radii per frame.

Timed is the search for pairs alone: moving the bodies and writing their boxes is not, nor is the
frame before the first, which is told as first_ms. `pairs` is the sum over all frames; --answers has
the count of each. Exit code 3 if a frame had more pairs than --pair-limit.")]
pub(crate) struct NbodyArgs {
    /// An n-body file, or `sample:nbody?…`
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// How pairs are found.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::pruner)]
    #[arg(help = format!("How pairs are found: {}", value::list(broad::names())))]
    pub(crate) pruner: String,
    /// How many frames to time
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value::frames)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) frames: usize,
    /// The most pairs of a frame; eight bytes each
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = value::pair_limit)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) pair_limit: usize,
    /// Writes the number of pairs of each frame, one per line
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) answers: Option<PathBuf>,
}

/// `impinge bench deform`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench deform knot.obj knot.obj --offset 0.8,0.3,0.2 --frames 40 --format json
  impinge bench deform sample:sphere sample:sphere --offset 1.7,0.3,0.2 --engine bvh
  impinge bench deform sample:torus-knot --self

Waves run through both bodies (amplitude 0.03, eight different frames, then again from the first); B
is turned by a right angle about x and moved by --offset. A frame is all of it: the new vertices of
both bodies are handed over, and all intersecting pairs of faces are found; nothing is made
beforehand that vertices could change. stream_ms is the time to read all vertices and faces once.

Clock: processor time of the process on one thread, wall time on several. --clock chooses.
--answers: the number of pairs of each frame. Exit code 3 if a frame was not decided.")]
pub(crate) struct DeformArgs {
    /// The first mesh: a file or `sample:NAME`
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The second mesh; none with --self alone
    #[arg(value_name = "B")]
    pub(crate) b: Option<String>,
    /// By how much B is moved
    #[arg(long, value_name = "X,Y,Z", default_value = "0.8,0.3,0.2", value_parser = value::offset)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) offset: [f64; 3],
    /// How many frames to time
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = value::frames)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) frames: usize,
    /// How pairs of bodies are decided.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::engine)]
    #[arg(help = format!("How pairs are found: {}", value::list(narrow::names())))]
    pub(crate) engine: String,
    /// Also each body against itself
    #[arg(long = "self")]
    pub(crate) itself: bool,
    /// Which time counts [default: cpu on one thread, wall on several]
    #[arg(long, value_name = "CLOCK", value_enum)]
    pub(crate) clock: Option<ClockArg>,
    /// Writes the number of pairs of each frame, one per line
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) answers: Option<PathBuf>,
}

/// `impinge bench ccd`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench ccd cloth-vf.bin cloth-ee.bin --format json
  impinge bench ccd cloth-ee.bin --tolerance 1e-9 --answers times.txt

Files: records of 193 bytes, 24 little-endian f64 and a byte that is 1 if the features touch.
NAME-vf.bin: a vertex and a face, v f0 f1 f2 at the start and at the end; NAME-ee.bin: two edges,
a0 a1 b0 b1 likewise. NAME-vf.toi and NAME-ee.toi beside them, if they are there, have the time of
the first contact of each query as f64 (NaN: none).

A miss is a labelled contact that was not found; late is an interval that begins after the true
time; a false alarm is a contact where the label says free. One line per file and one for all
together. The methods regula-falsi and linear tell one time: late is by more than --tolerance.

Times are means per query of a pass over all queries (mean_ns: the middle pass); p99_ns and max_ns
are of queries timed alone, each at the best of nine times, less what looking at the clock takes.
--answers: one number per query, when contact begins at the earliest; 1 if there is none.")]
pub(crate) struct CcdArgs {
    /// Files of queries
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// How queries are answered
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = MethodArg::Certified)]
    pub(crate) method: MethodArg,
    /// How long the interval around the time of a contact may be
    #[arg(long, value_name = "T", default_value_t = TOLERANCE, value_parser = value::tolerance)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) tolerance: f64,
    /// So many passes [default: what begins in --seconds]
    #[arg(long, value_name = "N", value_parser = value::frames, allow_hyphen_values = true)]
    pub(crate) repeat: Option<usize>,
    /// The time in which the passes over a file begin
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = value::seconds)]
    #[arg(allow_hyphen_values = true, conflicts_with = "repeat")]
    pub(crate) seconds: Duration,
    /// Writes one number per query, one per line
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) answers: Option<PathBuf>,
}

/// How queries are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// With all rounding accounted for: never late, never missed.
    Certified,
    /// As printed in a paper [E99 §4.2], by regula falsi; misses contacts.
    RegulaFalsi,
    /// As printed there, by one linear interpolation; misses contacts.
    Linear,
}

impl MethodArg {
    /// What does it.
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Certified => Method::Certified,
            Self::RegulaFalsi => Method::Paper(paper::Method::RegulaFalsi),
            Self::Linear => Method::Paper(paper::Method::Linear),
        }
    }
}
