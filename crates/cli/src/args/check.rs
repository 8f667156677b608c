//! The arguments of `impinge check`.

use super::value;
use clap::ValueEnum;
use impinge::contract::query::TOLERANCE;
use impinge::prelude::{Budget, Query};
use impinge::world::PAIR_LIMIT;
use impinge::{broad, narrow};
use impinge_scene::units::{Length, Unit};
use std::path::PathBuf;

/// How finely volumes are looked at unless asked otherwise.
const VOLUME_RESOLUTION: u16 = 256;

/// `impinge check`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("queries").args(["poses", "motions", "between"])))]
#[command(group(clap::ArgGroup::new("steps").args(["motions", "between"])))]
#[command(after_help = "Examples:
  impinge check bracket.stl housing.stl
  impinge check assembly.glb --clearance 0.5mm --export findings.ply
  impinge check robot.obj cell.stl gripper.ply --poses path.txt --first-hit
  impinge check frame.stl cover.stl --motions ways.txt --clearance 0.5mm
  impinge check sample:headlight --want clearance --format json
  impinge check left.stl right.stl --engine image --images pictures
  impinge check plug.stl socket.stl --volume --volume-resolution 512

Bodies: several objects in a file are several bodies. Poses and motions move the last MESH; if that
is the only one, its last body. Translations are in the unit that the summary states.

Motions: from one pose to another while t goes from 0 to 1, straight and turning the shorter way
round at a steady rate. The answer is the first contact: `time` [from, to], such that nothing
touches before the one and something does at or before the other, at most --tolerance apart; the
`features` that meet (an edge by its two vertices); and where, as `contacts`. What touches at the
start has time [0, 0] and all its pairs of faces; --new-contacts goes on from there. --want
clearance tells how close a free motion comes, and when; --clearance whether it ever comes closer
than that. --pseudo N looks at N + 1 instants instead, which may miss contacts in between.

Frames: bodies that deform (.mseq, or `frames` in a scene) are asked about frame by frame, as many
queries as the longest of them has frames; one with fewer starts again from its first. --between
asks about the ways from each frame to the next, one query fewer: first contacts as of motions, and
with --want pairs or contacts also `meetings`, all features that meet on the way and when. With
--poses and --motions such bodies stay as they are in their first frames.

Units: glTF is in metres, scenes say theirs, other files are in millimetres or --units. Bodies of
different units are brought to one: --units, or millimetres.

Listed pairs: with two bodies every pair; with more those that touch, are unknown or too close, and
free ones whose distance was measured. In JSON, `contacts` run parallel to `triangles`; `faces` are
the pairs of faces as the files have them, each once.

Too close: free, and certainly closer than --clearance; a gap of just that length is not. Distances
are intervals that hold the true one, and the decision is as sharp as they are: `at_most` < limit.

Inside: only what is closed has an inside. If a body that is not closed is around another one, a
note says so (in JSON `not_closed` of the summary).

Work: a unit is about what it takes to look at a pair of boxes, spheres or triangles, and these are
what most engines count. Engines image and octree count looks at faces, each time one is drawn or
sorted, and pairs of their boxes; a pair of faces that is tested counts 8, one that needs exact
arithmetic 64. With sphere-tree a step of the descent counts 8, and a look whether a point is inside
64. The same work is the same answer in every run, whatever the machine.

Separation: with --separate each pair that touches gets a translation of its second body. A place
that was checked to be free, not a way there. No shorter one than `at_least` parts the two; `proven`
says that this makes it at most a tenth longer than the shortest, as always for convex bodies.
What it takes is not held against --budget.

Volume: with --volume each pair is told how much space its bodies share, in the cube of the unit: an
interval that holds the true value, and an estimate, from images of --volume-resolution pixels along
a side. A body that is wholly inside another shares all its own volume; free pairs share none. Only
closed parts count, and of a body that has none nothing is told but that. What it takes is not held
against --budget, and is much where many surfaces lie close behind each other. The verdict is that
of the engine: where a budget left it unknown, `at_least` above 0 proves that the two overlap, and
no distance is told.

Images: with --engine image and --images each listed pair gets a picture of the part of space that
both bodies reach, as the engine sees it: the depth of one, of the other, and both, with the pixels
in which they have a bin of depth in common, the faces left for the exact test, and those that meet.
Pairs whose boxes share nothing have none, nor have bodies against themselves; a note at the end
says how many. A picture is a search of its own, made after the answer, without --budget; where the
verdict is unknown it may show more than the answer knows, and `pairs_that_meet` is left out of its
JSON. The first 100 are written. They are 256 pixels wide or high, or as fine as
--engine image?resolution=64 says; the JSON file beside each says what is where in the world. With
--engine r98-recode each pair of blocks and each pass has its own: the depth that was drawn, and the
count of faces before it.

Exit codes: 0 free, 1 something touches or is too close, 2 bad input, 3 unknown.")]
pub(crate) struct CheckArgs {
    /// Mesh files (obj, stl, ply, off, raw, gltf, glb, mseq), scenes (toml) or `sample:NAME`
    #[arg(required = true, value_name = "MESH")]
    pub(crate) meshes: Vec<String>,
    /// One query per line: the last mesh's pose `qw qx qy qz tx ty tz`; `-` is standard input,
    /// answered line by line; `#` starts a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) poses: Option<PathBuf>,
    /// One query per line: a motion of the last mesh, its pose at the start and at the end,
    /// `qw qx qy qz tx ty tz  qw qx qy qz tx ty tz`; the first contact of each is told
    #[arg(long, value_name = "FILE", conflicts_with = "separate")]
    pub(crate) motions: Option<PathBuf>,
    /// Of bodies that deform: the way from each frame to the next instead of the frames, every vertex
    /// going straight; the first contact of each is told, and all features that meet
    #[arg(long, conflicts_with = "separate")]
    pub(crate) between: bool,
    /// How far apart the two times of a first contact may be, as a part of the motion
    #[arg(long, value_name = "T", default_value_t = TOLERANCE, value_parser = value::tolerance)]
    #[arg(allow_hyphen_values = true, requires = "steps")]
    pub(crate) tolerance: f64,
    /// Of bodies that touch at the start, the first contact of faces that do not
    #[arg(long, requires = "steps")]
    pub(crate) new_contacts: bool,
    /// Looks at the start and at N instants of each motion, and not at what is between
    #[arg(long, value_name = "N", value_parser = value::instants, allow_hyphen_values = true)]
    #[arg(requires = "steps", conflicts_with_all = ["tolerance", "new_contacts"])]
    pub(crate) pseudo: Option<u32>,
    /// What to tell of each pair
    #[arg(long, value_enum, default_value_t = Want::Contacts)]
    pub(crate) want: Want,
    /// Bodies closer than this count as a finding, as 0.5mm
    #[arg(long, value_name = "LENGTH", value_parser = value::length, allow_hyphen_values = true)]
    pub(crate) clearance: Option<Length>,
    /// Also tell, of each pair that touches, how the second body can be moved to be free of the first
    #[arg(long)]
    pub(crate) separate: bool,
    /// Also tell how much space the bodies of each pair share
    #[arg(long, conflicts_with = "steps")]
    pub(crate) volume: bool,
    /// Pixels along a side of the images by which that is found, 1 to 1024: finer, closer, slower
    #[arg(long, value_name = "N", default_value_t = VOLUME_RESOLUTION, requires = "volume")]
    #[arg(value_parser = value::pixels, allow_hyphen_values = true)]
    pub(crate) volume_resolution: u16,
    /// Also each body against itself
    #[arg(long = "self")]
    pub(crate) itself: bool,
    /// Stop at the first query that touches or is too close
    #[arg(long)]
    pub(crate) first_hit: bool,
    /// Only every n-th query, from query i on (counted from 0), to share work among machines
    #[arg(
        long,
        value_name = "I/N",
        value_parser = value::shard,
        allow_hyphen_values = true
    )]
    pub(crate) shard: Option<Shard>,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<Unit>,
    /// Writes the bodies to a .ply or .glb file, touching faces in red; of several queries or frames
    /// the last one, with --first-hit the hit; of a motion the first contact
    #[arg(long, value_name = "FILE", value_parser = value::export)]
    pub(crate) export: Option<PathBuf>,
    /// Writes what the engine sees of each listed pair to this folder, new or without pictures, as PNG
    /// with a JSON file beside it; with --engine image or r98-recode
    #[arg(long, value_name = "DIR", value_parser = value::folder, conflicts_with = "steps")]
    pub(crate) images: Option<PathBuf>,
    /// How pairs of bodies are decided.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::engine)]
    #[arg(help = format!("How pairs of bodies are decided: {}", value::list(narrow::names())))]
    #[arg(long_help = value::engines())]
    pub(crate) engine: String,
    /// Draw on a graphics processor, with --engine image or r98-recode; needs a program built with
    /// `--features gpu` and a driver for Vulkan. Answers of image are the same
    #[arg(long)]
    pub(crate) gpu: bool,
    /// How pairs of bodies are found.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::pruner)]
    #[arg(help = format!("How pairs of bodies are found: {}", value::list(broad::names())))]
    pub(crate) pruner: String,
    /// Boxes made anew for each pose, or cubes that hold a body however it turns
    #[arg(long, value_name = "KIND", default_value = "resized")]
    pub(crate) boxes: Boxes,
    /// Most pairs of bodies that a query looks at; if boxes of more overlap, the rest is unknown
    #[arg(long, value_name = "N", default_value_t = PAIR_LIMIT)]
    pub(crate) pair_limit: usize,
    /// Limit per query: a time, as 2ms, or units of work, as 10000work; what a unit is, see below
    #[arg(long, value_name = "LIMIT", value_parser = value::budget, allow_hyphen_values = true)]
    pub(crate) budget: Option<Budget>,
}

impl CheckArgs {
    /// Whether a file says where something is to be.
    pub(crate) fn has_queries(&self) -> bool {
        self.poses.is_some() || self.motions.is_some()
    }

    /// Whether queries are about what happens on the way.
    pub(crate) fn has_steps(&self) -> bool {
        self.motions.is_some() || self.between
    }
}

/// How boxes follow their bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Boxes {
    /// Made anew for each pose: tighter.
    Resized,
    /// Cubes of one size however a body turns: less to compute.
    Fixed,
}

/// What to tell of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Want {
    /// Whether it touches.
    Touching,
    /// Every pair of intersecting faces.
    Pairs,
    /// Also where, in which direction and how deep.
    Contacts,
    /// How far apart it is, if it does not touch.
    Clearance,
}

impl Want {
    /// The question.
    pub(crate) fn query(self) -> Query {
        match self {
            Self::Touching => Query::TOUCHING,
            Self::Pairs => Query::PAIRS,
            Self::Contacts => Query::CONTACTS,
            Self::Clearance => Query::CLEARANCE,
        }
    }

    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Touching => "touching",
            Self::Pairs => "pairs",
            Self::Contacts => "contacts",
            Self::Clearance => "clearance",
        }
    }
}

/// Every `of`-th query, from query `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) first: u64,
    pub(crate) of: u64,
}

impl Shard {
    /// Everything.
    pub(crate) const ALL: Self = Self { first: 0, of: 1 };

    /// Whether a query is part of it.
    pub(crate) fn holds(self, query: u64) -> bool {
        query % self.of == self.first
    }
}
