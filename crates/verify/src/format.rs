//! The certificate as a file: JSON, with long lists of numbers in base64. Everything that a proof
//! depends on stands in it but for the meshes, which are named and identified by what they hold.

use crate::Rejection;
use crate::route::Place;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, MotionKind, Screw};
use impinge_geom::pose::{Pose, PoseError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What the first field says.
pub const KIND: &str = "impinge fit certificate";
/// The version of the format.
pub const VERSION: u32 = 1;

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`KIND`].
    pub kind: String,
    /// [`VERSION`].
    pub version: u32,
    /// What is claimed.
    pub claim: Claim,
    /// The unit of all lengths.
    pub unit: String,
    /// All bodies that take part.
    pub bodies: Vec<BodyEntry>,
    /// The path of what moves.
    pub path: PathEntry,
    /// Each moving body against each resting one: a proof, or why there is none.
    pub pairs: Vec<PairEntry>,
    /// Where something touches, if that is claimed.
    pub contact: Option<Witness>,
    /// SHA-256 of the same file with nothing here.
    pub checksum: String,
}

/// What is claimed of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing touches along the whole path.
    Free,
    /// Nothing touches up to a place; something touches at or before a later one.
    Contact,
    /// Nothing touches up to a place; nothing is claimed of the rest.
    Open,
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of which kind.
    pub outcome: Outcome,
    /// No two bodies come nearer than this.
    pub clearance: f64,
    /// Up to here.
    pub until: Place,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// A file, or `sample:NAME`.
    pub mesh: String,
    /// The object of it, if it has several.
    pub object: Option<String>,
    /// The unit that its coordinates are in.
    pub unit: String,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Its name.
    pub name: String,
    /// Where its mesh comes from.
    pub source: SourceEntry,
    /// What its mesh holds, in the certificate's unit, see [`mesh_hash`].
    pub sha256: String,
    /// Whether it moves.
    pub moves: bool,
    /// Where it stands; of what moves, its place in the frame that the path moves.
    pub pose: [f64; 7],
    /// Its triangles in the order of the proof, numbers of 32 bits.
    pub order: String,
}

/// The path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEntry {
    /// When the pieces begin, and when the last one ends.
    pub times: Vec<f64>,
    /// Where the first begins.
    pub start: [f64; 7],
    /// The pieces.
    pub pieces: Vec<PieceEntry>,
}

/// A piece of the path; each begins where the one before ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PieceEntry {
    /// Straight, turning the short way at a steady rate, to this pose.
    LerpSlerp([f64; 7]),
    /// A screw: a point of its axis, its direction, the angle in radians, and the advance.
    Screw([f64; 8]),
}

/// A moving body and a resting one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairEntry {
    /// The moving one, its place in the list of bodies.
    pub mover: usize,
    /// The resting one.
    pub rest: usize,
    /// What is claimed of them, from the start of the path to the end of the claim.
    pub phases: Vec<PhaseEntry>,
}

/// What is claimed of a pair for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseEntry {
    /// Where it ends; it begins where the one before ends.
    pub until: Place,
    /// Why less is claimed than that they stay as far apart as all others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What is claimed; nothing if there is none.
    pub apart: Option<ApartEntry>,
}

/// That two bodies stay apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApartEntry {
    /// By how much, if that is less than what is claimed of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Triangles of the resting body that the moving one may touch: sorted numbers of 32 bits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exempt: String,
    /// The proof, in spans of the path that follow each other.
    pub spans: Vec<SpanEntry>,
}

/// A part of a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanEntry {
    /// Where the span ends.
    pub until: Place,
    /// The steps.
    pub steps: String,
}

/// Two triangles that touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// Which pair of the list.
    pub pair: usize,
    /// Where the moving body is then.
    pub at: Place,
    /// The triangles of the moving and of the resting body; none where one body is inside the other.
    pub triangles: Option<[u32; 2]>,
    /// How far apart they may be: zero where they meet without doubt.
    pub within: f64,
}

impl Certificate {
    /// Reads a file and checks that it is whole.
    pub fn read(text: &str) -> Result<Self, Rejection> {
        let found: Self = serde_json::from_str(text)
            .map_err(|error| Rejection::Format(error.to_string().replace('\n', " ")))?;
        if found.kind != KIND || found.version != VERSION {
            let Self { kind, version, .. } = &found;
            return Err(Rejection::Version { kind: kind.clone(), version: *version });
        }
        if found.checksum != found.sum() {
            return Err(Rejection::Checksum);
        }
        Ok(found)
    }

    /// The file. The checksum is made here.
    pub fn write(&self) -> String {
        let sealed = Self { checksum: self.sum(), ..self.clone() };
        serde_json::to_string(&sealed).expect("numbers and texts can be written") + "\n"
    }

    fn sum(&self) -> String {
        let open = Self { checksum: String::new(), ..self.clone() };
        let text = serde_json::to_string(&open).expect("numbers and texts can be written");
        hex(&Sha256::digest(text.as_bytes()))
    }
}

impl PathEntry {
    /// A path as numbers.
    pub fn of(path: &Path) -> Self {
        let piece = |motion: &Motion| match motion.kind() {
            MotionKind::LerpSlerp => PieceEntry::LerpSlerp(pose_numbers(motion.pose1())),
            MotionKind::Screw(Screw { point, direction, angle, advance }) => {
                let [[x, y, z], [u, v, w]] = [point, direction];
                PieceEntry::Screw([x, y, z, u, v, w, angle, advance])
            }
        };
        Self {
            times: path.times().to_vec(),
            start: pose_numbers(path.motions()[0].pose0()),
            pieces: path.motions().iter().map(piece).collect(),
        }
    }

    /// The path.
    pub fn path(&self) -> Result<Path, Rejection> {
        let wrong = |error: &dyn std::fmt::Display| Rejection::Path(error.to_string());
        let mut at = pose(&self.start).map_err(|error| wrong(&error))?;
        let mut motions = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let motion = match *piece {
                PieceEntry::LerpSlerp(end) => {
                    Motion::lerp_slerp(at, pose(&end).map_err(|error| wrong(&error))?)
                }
                PieceEntry::Screw([x, y, z, u, v, w, angle, advance]) => {
                    let [point, direction] = [[x, y, z], [u, v, w]];
                    let screw = Screw { point, direction, angle, advance };
                    Motion::screw(at, screw).map_err(|error| wrong(&error))?
                }
            };
            at = *motion.pose1();
            motions.push(motion);
        }
        Path::new(self.times.clone(), motions).map_err(|error| wrong(&error))
    }
}

/// Quaternion and translation.
pub fn pose_numbers(pose: &Pose) -> [f64; 7] {
    let ([w, i, j, k], [x, y, z]) = (pose.rotation(), pose.translation());
    [w, i, j, k, x, y, z]
}

/// The pose of seven numbers.
pub fn pose([w, i, j, k, x, y, z]: &[f64; 7]) -> Result<Pose, PoseError> {
    Pose::new([*w, *i, *j, *k], [*x, *y, *z])
}

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Text as bytes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}

/// Whole numbers as text.
pub fn encode_numbers(numbers: &[u32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    encode(&bytes)
}

/// Text as whole numbers.
pub fn decode_numbers(text: &str) -> Option<Vec<u32>> {
    let bytes = decode(text)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| numbers.iter().map(|x| u32::from_le_bytes(*x)).collect())
}

/// What identifies a mesh: the SHA-256 of its vertices and triangles, bit for bit.
pub fn mesh_hash(mesh: &Mesh) -> String {
    let mut hash = Sha256::new();
    hash.update((mesh.vertices().len() as u64).to_le_bytes());
    for x in mesh.vertices().as_flattened() {
        hash.update(x.to_le_bytes());
    }
    for corner in mesh.triangles().as_flattened() {
        hash.update(corner.to_le_bytes());
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
