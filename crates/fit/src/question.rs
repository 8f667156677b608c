//! What is asked, for how long, and who is watching.

use std::time::Duration;

/// What is asked of a fitting check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Closer than that is a finding.
    pub clearance: Option<f64>,
    /// How wide the interval of a first contact may be, as a part of the whole path's time.
    pub tolerance: f64,
    /// How long to search.
    pub budget: Budget,
    /// At about so many instants the clearance is told.
    pub samples: usize,
}

impl Default for Question {
    fn default() -> Self {
        Self { clearance: None, tolerance: 1e-6, budget: Budget::Unlimited, samples: 200 }
    }
}

/// How long to search. What is not decided then is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Until all is decided.
    Unlimited,
    /// Wall time. How far that goes depends on the machine.
    Time(Duration),
    /// Pairs of boxes or triangles looked at in the search over time, shared out evenly among the
    /// pairs of bodies and pieces of the path. What instants look like is not counted.
    Work(u64),
}

/// Who waits for the answer.
pub trait Watch: Sync {
    /// So much of all is done. Called by any thread, and in no particular order.
    fn progress(&self, done: u64, total: u64) {
        let _ = (done, total);
    }

    /// Whether to end soon with what is known by then.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl Watch for () {}
