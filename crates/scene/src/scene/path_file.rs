//! The fitting check as it is written in the scene file: `[path]` and `[[allow]]`.

use super::file::PoseEntry;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::fmt;
use toml::Spanned;

/// What moves, and how.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PathEntry {
    /// The bodies that move: a body, a group, an entry of several objects, or a list of them. The
    /// first body leads; the others are rigidly connected to it, as the scene puts them together.
    #[schemars(with = "OneOrMore")]
    pub moves: Spanned<Names>,
    /// How each piece leads from one keyframe to the next, unless the keyframe says it. Default:
    /// "lerp-slerp".
    #[serde(default)]
    pub motion: MotionEntry,
    /// What the poses of keyframes mean. Default: "world".
    #[serde(default)]
    pub poses: PosesEntry,
    /// A CSV file with the keyframes, relative to the scene file. Columns by name: qw qx qy qz tx ty
    /// tz, optionally time and motion. Not together with `keyframe`.
    #[schemars(with = "Option<String>")]
    pub keyframes: Option<Spanned<String>>,
    /// The keyframes; at least two. Not together with `keyframes`.
    #[serde(default)]
    pub keyframe: Vec<KeyframeEntry>,
}

/// One name or several.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is the schema of `Names`, which keeps the places of the names")]
enum OneOrMore {
    /// One name.
    One(String),
    /// Several names.
    More(#[schemars(length(min = 1))] Vec<String>),
}

/// One name or several.
pub(super) enum Names {
    /// One; its place is that of the whole value.
    One(String),
    /// Several, each with its place.
    More(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand, since an untagged enum forgets the places of what is in it.
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }

    fn visit_str<E>(self, name: &str) -> Result<Names, E> {
        Ok(Names::One(name.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            names.push(name);
        }
        Ok(Names::More(names))
    }
}

/// How a piece of the path leads from one pose to the next.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MotionEntry {
    /// The body's origin goes straight, and the body turns the short way at a steady rate.
    #[default]
    LerpSlerp,
    /// The screw that leads from one pose to the next: a turn about a fixed axis the short way, and a
    /// shift along it, both at a steady rate.
    Screw,
}

impl MotionEntry {
    /// The motion of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "lerp-slerp" => Some(Self::LerpSlerp),
            "screw" => Some(Self::Screw),
            _ => None,
        }
    }
}

/// What the poses of keyframes mean.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PosesEntry {
    /// Poses of the leading body in the scene.
    #[default]
    World,
    /// Displacements in the scene's axes, applied after the pose that the leading body has in the
    /// scene.
    Start,
}

/// A keyframe of the path. Without pose and screw the body is where the scene puts it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyframeEntry {
    /// When it is reached: in all keyframes or in none. Without times they are evenly spaced from 0
    /// to 1.
    #[schemars(with = "Option<f64>")]
    pub time: Option<Spanned<f64>>,
    /// How the piece that ends here leads to its pose.
    #[schemars(with = "Option<MotionEntry>")]
    pub motion: Option<Spanned<MotionEntry>>,
    /// The pose that is reached.
    pub pose: Option<PoseEntry>,
    /// The screw by which it is reached from the keyframe before; instead of a pose.
    pub screw: Option<ScrewEntry>,
}

/// A turn about an axis with a shift along it, in the scene's coordinates.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrewEntry {
    /// Some point of the axis.
    pub point: [f64; 3],
    /// The direction of the axis, of any length but zero.
    #[schemars(with = "[f64; 3]")]
    pub direction: Spanned<[f64; 3]>,
    /// The angle in degrees, counter-clockwise seen against the direction; may be several turns.
    pub angle: f64,
    /// How far the body moves along the direction meanwhile.
    #[serde(default)]
    pub advance: f64,
}

/// Contacts that are no findings. Each side is a body, a group, or an entry of several objects.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowEntry {
    /// One side.
    #[schemars(with = "String")]
    pub a: Spanned<String>,
    /// The other side.
    #[schemars(with = "String")]
    pub b: Spanned<String>,
    /// How long, from the start of the path on. Default: "end".
    #[schemars(with = "Option<UntilEntry>")]
    pub until: Option<Spanned<UntilEntry>>,
    /// Only contacts of those faces of the body at rest that lie in this box.
    pub within: Option<BoxEntry>,
    /// Why, for the report.
    pub reason: Option<String>,
}

/// How long contacts are allowed.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"end\", \"release\" or a time of the path is needed")]
pub(super) enum UntilEntry {
    /// A word.
    Word(UntilWord),
    /// Until this time of the path.
    Time(f64),
}

/// A word for how long.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum UntilWord {
    /// To the end of the path.
    End,
    /// Until the two bodies are apart for the first time.
    Release,
}

/// A box along the scene's axes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxEntry {
    /// The lower corner.
    #[schemars(with = "[f64; 3]")]
    pub min: Spanned<[f64; 3]>,
    /// The upper corner.
    #[schemars(with = "[f64; 3]")]
    pub max: Spanned<[f64; 3]>,
}
