//! What a step takes after the engine, so that a deadline can be kept.

use crate::contract::query::{Budget, Query};
use std::time::{Duration, Instant};

/// How much of what is known the last step is.
const FRESH: f64 = 0.125;

/// How long the stages after the engine take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Closing {
    /// In seconds, smoothed.
    takes: f64,
}

impl Closing {
    /// The query that is left for the engine.
    pub(super) fn left_of(&self, query: &Query, start: Instant) -> Query {
        let Budget::Time(time) = query.budget else { return *query };
        let taken = start.elapsed() + Duration::from_secs_f64(self.takes);
        Query { budget: Budget::Time(time.saturating_sub(taken)), ..*query }
    }

    /// They took so long.
    pub(super) fn took(&mut self, time: Duration) {
        let time = time.as_secs_f64();
        // A stall of the machine is not what it takes.
        let time = if self.takes > 0.0 { time.min(4.0 * self.takes) } else { time };
        self.takes += FRESH * (time - self.takes);
    }
}
