//! The report of a fitting check: one HTML file that opens from disk, without a network.
//!
//! [`html`] puts together the verdict, the data, and a page that was bundled beforehand (`assets`,
//! made from `web/report` by `cargo xtask report`). Nothing is computed here that is a finding:
//! all answers come from the caller, who fills a [`Report`]. Poses between the keyframes are made
//! by the page from the numbers of each [`Motion`](impinge_geom::motion::Motion).
//!
//! ```
//! use impinge_geom::{mesh::Mesh, motion::{Motion, path::Path}, pose::Pose};
//! use impinge_report::{Body, Report, Verdict, VerdictKind, html};
//! use std::sync::Arc;
//!
//! let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mesh = Arc::new(Mesh::new(corners, vec![[0, 1, 2]])?);
//! let up = Motion::lerp_slerp(Pose::IDENTITY, Pose::shift([0.0, 0.0, 5.0])?);
//! let mut report = Report::new("A plate, lifted", Path::new(vec![0.0, 1.0], vec![up])?);
//! report.verdict = Verdict {
//!     kind: VerdictKind::Free,
//!     headline: "CERTIFIED FREE".into(),
//!     detail: "nothing is in the way".into(),
//! };
//! report.bodies.push(Body::moving("plate", mesh));
//! assert!(html(&report).starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod data;
mod json;
mod page;

use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use std::sync::Arc;

pub use page::html;

/// All that a report shows. Any value is legal: numbers that are not finite are left out, and
/// numbers of bodies or triangles that do not exist are shown as unknown.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was checked, in a few words.
    pub title: String,
    /// The answer, which stands at the top.
    pub verdict: Verdict,
    /// Why the check ended before it was done, if it did; the report is then marked as partial.
    pub partial: Option<String>,
    /// The symbol of the unit of length, such as `mm`.
    pub unit: String,
    /// The symbol of the unit of the path's times; empty if they have none.
    pub time_unit: String,
    /// Which way is up when the page opens.
    pub up: Up,
    /// The parts.
    pub bodies: Vec<Body>,
    /// The way of all bodies that move.
    pub path: Path,
    /// The clearance along the path, by rising time.
    pub curve: Vec<CurvePoint>,
    /// The least clearance of all, where it is known.
    pub minimum: Option<CurvePoint>,
    /// How much clearance was asked for.
    pub required: Option<f64>,
    /// What touches, by rising time; the first that is not allowed is the first contact.
    pub contacts: Vec<Contact>,
    /// Spans of time that the plot marks; contacts need not be repeated here.
    pub spans: Vec<Span>,
    /// The contacts that are no findings, as the scene states them.
    pub allowances: Vec<Allowance>,
    /// Tables of facts: files and hashes, program, command, date, run time.
    pub facts: Vec<Facts>,
}

/// The answer in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Its colour.
    pub kind: VerdictKind,
    /// A few words, such as `CERTIFIED FREE`.
    pub headline: String,
    /// The statement: one line.
    pub detail: String,
}

/// What an answer says, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// The path is free: green.
    Free,
    /// Something touches: red.
    Contact,
    /// Nothing touches, but the clearance asked for is not kept: red.
    TooClose,
    /// Not decided: amber.
    Unknown,
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// As in glTF.
    Y,
    /// As in most CAD programs.
    Z,
}

/// A part.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Red, green and blue; the page chooses if there is none.
    pub color: Option<[u8; 3]>,
    /// Whether it goes along the path. Then its mesh is in the frame that the path moves, and
    /// `pose` does not matter.
    pub moving: bool,
    /// Where it rests.
    pub pose: Pose,
    /// Its surface.
    pub mesh: Arc<Mesh>,
}

impl Body {
    /// A part that goes along the path, its mesh in the frame that the path moves.
    pub fn moving(name: impl Into<String>, mesh: Arc<Mesh>) -> Self {
        Self { name: name.into(), color: None, moving: true, pose: Pose::IDENTITY, mesh }
    }

    /// A part that stands still.
    pub fn resting(name: impl Into<String>, mesh: Arc<Mesh>, pose: Pose) -> Self {
        Self { name: name.into(), color: None, moving: false, pose, mesh }
    }
}

/// The clearance at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// A time of the path.
    pub time: f64,
    /// No less than this, if known.
    pub at_least: Option<f64>,
    /// No more than this, if known; 0 where parts touch.
    pub at_most: Option<f64>,
    /// The nearest points at that time, in the scene's coordinates, one on each of `parts`.
    pub points: Option<[Point; 2]>,
    /// The bodies that they lie on.
    pub parts: Option<[usize; 2]>,
}

/// Two bodies that touch for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// From when to when they touch.
    pub time: [f64; 2],
    /// Within which span of time they begin to.
    pub onset: [f64; 2],
    /// The bodies.
    pub parts: [usize; 2],
    /// What touches first on each, such as `edge 88`.
    pub features: [String; 2],
    /// Where they touch first, in the scene's coordinates.
    pub point: Option<Point>,
    /// The direction in which the second body would push the first away.
    pub normal: Option<Point>,
    /// How many pairs of faces intersect.
    pub face_pairs: usize,
    /// The triangles to show in red, by body.
    pub faces: Vec<TouchedFaces>,
    /// Whether the scene allows it.
    pub allowed: bool,
}

/// Triangles of a body that touch something.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchedFaces {
    /// The body.
    pub body: usize,
    /// Indices into the triangles of its mesh.
    pub triangles: Vec<u32>,
}

/// A span of time that the plot marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// From when to when.
    pub time: [f64; 2],
    /// How it is marked.
    pub kind: SpanKind,
    /// What it is about, in a few words.
    pub note: String,
}

/// What is said of a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Contacts that the scene allows.
    Allowed,
    /// Not decided, or not looked at.
    Unknown,
    /// Nearer than the clearance asked for.
    TooClose,
}

/// Contacts that are no findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowance {
    /// Between whom.
    pub between: [String; 2],
    /// How long and where, in words.
    pub extent: String,
    /// Why, in the words of whoever wrote the scene.
    pub reason: String,
}

/// A table of names and values.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What it is about.
    pub title: String,
    /// A name and its value each.
    pub rows: Vec<[String; 2]>,
}

impl Report {
    /// A report about a path that nothing is known of yet, in millimetres.
    pub fn new(title: impl Into<String>, path: Path) -> Self {
        Self {
            title: title.into(),
            verdict: Verdict {
                kind: VerdictKind::Unknown,
                headline: "UNKNOWN".to_owned(),
                detail: String::new(),
            },
            partial: None,
            unit: "mm".to_owned(),
            time_unit: String::new(),
            up: Up::Z,
            bodies: Vec::new(),
            path,
            curve: Vec::new(),
            minimum: None,
            required: None,
            contacts: Vec::new(),
            spans: Vec::new(),
            allowances: Vec::new(),
            facts: Vec::new(),
        }
    }
}
