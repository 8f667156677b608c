//! The scene file as it is written: keys, types and their places. The doc comments of the fields
//! become the descriptions of the JSON schema.

use super::path_file::{AllowEntry, PathEntry};
use super::sim_file::{BodySimEntry, SimEntry};
use crate::error::{Fault, FileError, Place};
use crate::regular;
use crate::units::Unit;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// A scene for impinge: bodies, where they stand, which pairs are not to be tested, and what moves.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "impinge scene")]
pub(super) struct SceneFile {
    /// The unit of all coordinates and lengths in this file that state none. Default: mm.
    #[serde(default = "millimetres")]
    pub units: Unit,
    /// Bodies closer than this count as a finding: a number in `units`, or text with a unit, as
    /// "0.5mm".
    #[schemars(with = "Option<LengthEntry>")]
    pub clearance: Option<Spanned<LengthEntry>>,
    /// The bodies; at least one.
    #[serde(default)]
    #[schemars(length(min = 1), required)]
    pub body: Vec<BodyEntry>,
    /// Pairs that are not to be tested.
    #[serde(default)]
    pub ignore: Vec<IgnoreEntry>,
    /// The fitting check: what moves, and how.
    pub path: Option<PathEntry>,
    /// Contacts during the fitting check that are no findings.
    #[serde(default)]
    pub allow: Vec<AllowEntry>,
    /// The simulation.
    pub sim: Option<SimEntry>,
}

/// A length.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a length is needed: a number, or text as \"0.5mm\"")]
pub(super) enum LengthEntry {
    /// In the unit of the scene.
    Number(#[schemars(range(min = 0))] f64),
    /// A number with an optional unit.
    Text(String),
}

fn millimetres() -> Unit {
    Unit::Mm
}

/// A body, or all bodies of a file with several objects.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyEntry {
    /// The name in reports and rules; unique.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// A mesh file, relative to the scene file, or a built-in sample, as "sample:sphere?faces=960".
    /// Needed, unless `frames` names files.
    #[schemars(with = "Option<String>")]
    pub mesh: Option<Spanned<String>>,
    /// For a body that deforms: how many frames of the animation of a glTF file or of a sample, or
    /// which of an .mseq file (all if not given); or, instead of `mesh`, one file for each frame.
    #[schemars(with = "Option<FramesEntry>")]
    pub frames: Option<Spanned<FramesEntry>>,
    /// One object of a file that has several. Without it each becomes a body `name/object`.
    #[schemars(with = "Option<String>")]
    pub object: Option<Spanned<String>>,
    /// The unit of the mesh file. Default: metres for glTF, millimetres for everything else.
    pub units: Option<Unit>,
    /// Where the body stands.
    #[serde(default)]
    pub pose: PoseEntry,
    /// The edge of its voxels where engine `voxel` decides; others have no use for it. A number in the
    /// unit of the scene, or text with a unit, as "0.5mm". Default: what the engine is told.
    #[schemars(with = "Option<LengthEntry>")]
    pub voxel: Option<Spanned<LengthEntry>>,
    /// Groups that rules can name.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub groups: Vec<Spanned<String>>,
    /// How it takes part in a simulation.
    pub sim: Option<BodySimEntry>,
}

/// How a body deforms.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "frames are needed: a number, a pattern as \"walk_*.obj\", or files")]
pub(super) enum FramesEntry {
    /// So many instants of the animation of `mesh`; of an .mseq file the first so many.
    Count(#[schemars(range(min = 1))] u32),
    /// Files with a number in place of the `*`, in the order of these numbers.
    Pattern(String),
    /// The files.
    Files(Vec<String>),
}

/// A rotation about the mesh's origin, followed by a translation.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseEntry {
    /// A quaternion, w x y z; made a unit one if it is not. Not together with `rotation_deg`.
    #[schemars(with = "Option<[f64; 4]>")]
    pub rotation: Option<Spanned<[f64; 4]>>,
    /// A rotation about an axis. Not together with `rotation`.
    #[schemars(with = "Option<AxisAngle>")]
    pub rotation_deg: Option<Spanned<AxisAngle>>,
    /// The translation, in the scene's unit.
    #[schemars(with = "Option<[f64; 3]>")]
    pub translation: Option<Spanned<[f64; 3]>>,
}

/// A rotation about an axis.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AxisAngle {
    /// The axis, of any length but zero.
    pub axis: [f64; 3],
    /// The angle in degrees, counter-clockwise seen against the axis.
    pub angle: f64,
}

/// A pair that is not to be tested. Each side is a body, a group, or an entry of several objects.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IgnoreEntry {
    /// One side.
    #[schemars(with = "String")]
    pub a: Spanned<String>,
    /// The other side; the same group again for all pairs within it.
    #[schemars(with = "String")]
    pub b: Spanned<String>,
}

/// What is wrong, at which bytes of the text.
pub(super) struct SpanFault {
    pub span: Option<Range<usize>>,
    pub message: String,
}

impl SpanFault {
    pub(super) fn new(span: Range<usize>, message: impl std::fmt::Display) -> Self {
        Self { span: Some(span), message: message.to_string() }
    }

    /// The same with the line instead of the bytes.
    pub(super) fn locate(self, text: &str) -> Fault {
        let place = self.span.map_or(Place::Whole, |span| Place::Line(line(text, span.start)));
        Fault::new(place, self.message)
    }
}

/// The line of a byte, counted from 1.
fn line(text: &str, byte: usize) -> usize {
    let before = &text.as_bytes()[..byte.min(text.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}

pub(super) fn parse(text: &str) -> Result<SceneFile, SpanFault> {
    toml::from_str(text).map_err(|error: toml::de::Error| SpanFault {
        span: error.span(),
        // Parser messages may have several lines; ours have one.
        message: error.message().trim_end().replace('\n', "; "),
    })
}

pub(super) fn read(path: &Path) -> Result<String, FileError> {
    let bytes = regular::read(path, u64::MAX)
        .map_err(|error| FileError::new(path, Place::Whole, format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        FileError::new(path, Place::Byte(at), "no UTF-8 text; a scene file is TOML")
    })
}
