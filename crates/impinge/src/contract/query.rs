//! What is asked. One value for every kind of question, so that there is one entry point.

use std::time::Duration;

/// A question to the world or to an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// At one instant, or over the motion.
    pub mode: Mode,
    /// How much to tell of a pair that touches.
    pub want: Want,
    /// How much to tell of a pair that does not.
    ///
    /// This stands beside `want` rather than in it: a fitting check asks for the contacts of what
    /// touches and the gaps of what does not, in one go.
    pub gap: Gap,
    /// How much work or time may be spent.
    pub budget: Budget,
    /// Also each body against itself.
    pub itself: bool,
    /// How wide the interval of a first contact may be, as a part of the motion. Only dynamic
    /// queries ask for it; where rounding does not allow so little the interval is wider.
    pub tolerance: f64,
    /// Which contacts of a motion count.
    pub onset: Onset,
}

/// Which contacts a dynamic query looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onset {
    /// The first of each pair of bodies. Bodies that touch at the start are reported at time 0.
    Any,
    /// The first of each pair of bodies between triangles that do not touch at the start.
    New,
    /// As `Any`, but only the first of all pairs of bodies: the search in other pairs stops at its
    /// time, and they are then `Unknown` from there on.
    FirstOfAll,
}

/// When to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Where bodies are now (at the end of their motions).
    Static,
    /// At the start of the motion and at this many evenly spaced instants after it; may miss
    /// contacts in between.
    PseudoDynamic(u32),
    /// Over the whole motion.
    Dynamic,
}

/// What to tell of a pair that touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// That it touches; engines may stop at the first contact.
    Touching,
    /// Every intersecting pair of triangles.
    Pairs,
    /// Also where they touch, in which direction and how deep.
    Contacts,
}

/// What to tell of a pair that does not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    /// Nothing.
    Ignore,
    /// The distance, if it is not larger than this.
    Below(f64),
    /// The distance, however large.
    Measure,
}

/// A limit on one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// None.
    Unlimited,
    /// A number of pairs of triangles or boxes looked at; replays bit for bit. Engines go through the
    /// jobs in their order, so an earlier large job can leave little for later ones; `brute` sets
    /// aside beforehand as much as a job could need. Engine `sphere-tree` refines all jobs of an
    /// instant by turns; a step of it counts 8, a look whether a point is inside 64.
    Work(u64),
    /// A deadline of the whole step, looked at between rows of triangles or every 64 steps of a descent; by
    /// engine `sphere-tree` in static mode every 4 steps. The broad phase counts, but is not cut short.
    Time(Duration),
}

/// How wide the interval of a first contact may be unless asked otherwise.
pub const TOLERANCE: f64 = 1e-6;

impl Query {
    /// Does it touch?
    pub const TOUCHING: Self = Self {
        mode: Mode::Static,
        want: Want::Touching,
        gap: Gap::Ignore,
        budget: Budget::Unlimited,
        itself: false,
        tolerance: TOLERANCE,
        onset: Onset::Any,
    };
    /// Which triangles intersect?
    pub const PAIRS: Self = Self { want: Want::Pairs, ..Self::TOUCHING };
    /// Where does it touch, in which direction, how deep?
    pub const CONTACTS: Self = Self { want: Want::Contacts, ..Self::TOUCHING };
    /// How far apart?
    pub const CLEARANCE: Self = Self { gap: Gap::Measure, ..Self::TOUCHING };
    /// When does it touch first, if ever, on its way, and with which features?
    pub const FIRST_CONTACT: Self = Self { mode: Mode::Dynamic, ..Self::TOUCHING };

    /// How much the bounds of bodies must be grown so that no pair that matters is pruned.
    pub(crate) fn margin(&self) -> f64 {
        match self.gap {
            Gap::Ignore => 0.0,
            // Both bodies are grown, so half each would do; the whole is safe against rounding. A
            // limit that is no distance (negative or NaN) must not shrink anything.
            Gap::Below(distance) => distance.max(0.0),
            Gap::Measure => f64::INFINITY,
        }
    }
}
