//! How long bounds live before they expire. Long epochs are begun rarely but find many pairs that
//! never meet, so the length that takes the least work is looked for while it goes on. Work is counted
//! and not timed, so that runs replay.

use super::calendar::STEPS_MAX;

/// The lengths to choose from, in steps.
const LENGTHS: [u64; 12] = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192];
const _: () = assert!(LENGTHS[LENGTHS.len() - 1] < STEPS_MAX);
/// Where to begin.
const FIRST: usize = 4;
/// What things cost, in units of about a nanosecond: a body and a pair at the beginning of an epoch, a
/// pair that is looked at, a time that is worked out, a body that another one is held against, and a
/// body in a step without epochs.
const BODY: f64 = 30.0;
const PAIR: f64 = 12.0;
const LOOK: f64 = 4.0;
const TIME: f64 = 30.0;
const SCAN: f64 = 2.0;
const PLAIN: f64 = 20.0;
/// Epochs are not made longer that begin with more pairs than this, per body: their first steps would stand
/// out.
const CROWDED: f64 = 0.5;
/// For so many steps none is begun where they do not pay.
const PAUSE: u64 = 32;

/// The epoch, and what was learnt from those before.
#[derive(Debug)]
pub(super) struct Epoch {
    begin: u64,
    end: u64,
    /// Of its length, in the list.
    level: usize,
    /// Whether the next one is to be longer.
    longer: bool,
    /// The work of this epoch so far.
    work: f64,
    /// With how many pairs it began, per body.
    crowd: f64,
    /// The work per step of the one before.
    before: f64,
    /// Until when none is begun.
    pause: u64,
    /// Whether even the shortest has too many pairs.
    hopeless: bool,
}

impl Default for Epoch {
    fn default() -> Self {
        Self {
            begin: 0,
            end: 0,
            level: FIRST,
            longer: true,
            work: 0.0,
            crowd: 0.0,
            before: f64::INFINITY,
            pause: 0,
            hopeless: false,
        }
    }
}

impl Epoch {
    /// The first step that does not belong to it.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Whether it begins with a step.
    pub(super) fn begins(&self, step: u64) -> bool {
        self.begin == step
    }

    /// Whether it came to its natural end with the step before, so that no pair waits any more.
    pub(super) fn is_over(&self, step: u64) -> bool {
        self.end <= step
    }

    /// It ends before its time.
    pub(super) fn cut(&mut self) {
        self.end = 0;
    }

    /// What comes next has nothing to do with what was.
    pub(super) fn forget(&mut self) {
        *self = Self { level: self.level, ..Self::default() };
    }

    /// Chooses the next length, when `step` does not belong to the epoch any more.
    pub(super) fn adapt(&mut self, step: u64, bodies: usize) {
        self.hopeless = step < self.pause;
        if self.hopeless || self.end <= self.begin {
            return;
        }
        let steps = step.saturating_sub(self.begin).max(1);
        if 2 * steps < self.end - self.begin {
            // Something else ended it.
            self.level = self.level.saturating_sub(1);
            return;
        }
        let work = self.work / steps as f64;
        if work > PLAIN * bodies as f64 && self.level <= 1 {
            (self.pause, self.hopeless) = (step + PAUSE, true);
            (self.level, self.before) = (FIRST, f64::INFINITY);
            return;
        }
        if work > self.before {
            self.longer = !self.longer;
        }
        self.before = work;
        if self.crowd > CROWDED {
            self.longer = false;
        }
        let last = LENGTHS.len() - 1;
        self.level = if self.longer { (self.level + 1).min(last) } else { self.level.max(1) - 1 };
    }

    /// The length of the next one, if there is to be one.
    pub(super) fn length(&self) -> Option<u64> {
        (!self.hopeless).then_some(LENGTHS[self.level])
    }

    /// There were too many pairs.
    pub(super) fn shorten(&mut self, step: u64) {
        self.hopeless = self.level == 0;
        if self.hopeless {
            self.pause = step + PAUSE;
        }
        self.level = self.level.saturating_sub(2);
        self.longer = false;
        self.before = f64::INFINITY;
    }

    /// Begins.
    pub(super) fn begin(&mut self, step: u64, bodies: usize, pairs: usize) {
        (self.begin, self.end) = (step, step + LENGTHS[self.level]);
        self.work = BODY * bodies as f64 + PAIR * pairs as f64;
        self.crowd = pairs as f64 / bodies.max(1) as f64;
    }

    /// Begins one of a given length.
    pub(super) fn begin_for(&mut self, step: u64, length: u64) {
        (self.begin, self.end) = (step, step + length);
    }

    /// So many pairs were looked at, and so many times worked out.
    pub(super) fn looked(&mut self, pairs: usize, times: usize) {
        self.work += LOOK * pairs as f64 + TIME * times as f64;
    }

    /// So many bodies were held against single ones.
    pub(super) fn scanned(&mut self, bodies: usize) {
        self.work += SCAN * bodies as f64;
    }
}
