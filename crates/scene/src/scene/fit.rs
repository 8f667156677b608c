//! What a scene says of a fitting check: what moves, along which path, and what may touch meanwhile.

use super::Selector;
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::path::Path;

/// A part, its way, and the contacts that are no findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The bodies that move, as places in the list of bodies; at least one, none twice. The path is
    /// that of the first, which the others are rigidly connected to as the scene puts them together.
    pub moving: Vec<usize>,
    /// The way of the first of them.
    pub path: Path,
    /// The contacts that are no findings.
    pub allowed: Vec<Allowed>,
}

/// Contacts between two bodies, or two groups of them, that are no findings: a seat, a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// One side.
    pub a: Selector,
    /// The other side.
    pub b: Selector,
    /// How long they are allowed.
    pub until: Until,
    /// Only contacts of those faces of the body at rest are allowed that lie in this box, in the
    /// scene's coordinates; all if there is none.
    pub within: Option<Aabb>,
    /// Why, in the user's words.
    pub reason: Option<String>,
}

/// How long a contact is allowed, from the start of the path on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// To the end of the path.
    End,
    /// Until the two bodies are apart for the first time.
    Release,
    /// Until this time of the path.
    Time(f64),
}
