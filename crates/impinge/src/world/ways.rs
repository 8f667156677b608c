//! How bodies got to where they are since the last step: what a step in a mode with time looks at.
//!
//! Kept for the bodies that were put somewhere since then, so that the others cost nothing. A way is
//! made into a motion only when such a step needs it; static steps pay for the list alone.

use crate::contract::ids::Slot;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use std::sync::Arc;

/// No entry.
const NONE: u32 = u32::MAX;

/// The ways since the last step.
#[derive(Debug, Default)]
pub(super) struct Ways {
    ways: Vec<Way>,
    /// By slot: where in the list.
    index: Vec<u32>,
}

/// How one body got to where it is.
#[derive(Debug)]
struct Way {
    slot: Slot,
    /// Where it was at the last step; none if it has no way: it is new, or was put there.
    from: Option<Pose>,
    /// Made when it is needed.
    motion: Option<Arc<Motion>>,
}

impl Ways {
    /// Room for one more slot.
    pub(super) fn grow(&mut self) {
        self.index.push(NONE);
    }

    /// The body leaves the place where it was at the last step, unless it has left it before.
    pub(super) fn depart(&mut self, slot: Slot, from: Pose) {
        match self.ways.get_mut(self.index[slot.index()] as usize) {
            Some(way) => way.motion = None,
            None => self.push(Way { slot, from: Some(from), motion: None }),
        }
    }

    /// However the body got there, that was no way.
    pub(super) fn cut(&mut self, slot: Slot) {
        match self.ways.get_mut(self.index[slot.index()] as usize) {
            Some(way) => (way.from, way.motion) = (None, None),
            None => self.push(Way { slot, from: None, motion: None }),
        }
    }

    fn push(&mut self, way: Way) {
        self.index[way.slot.index()] = self.ways.len() as u32;
        self.ways.push(way);
    }

    /// Whether the body left the place where it was, or is new.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.index[slot.index()] != NONE
    }

    /// Makes the motions of those that have a way to the place that `at` tells.
    pub(super) fn lay_out<'a>(&mut self, at: impl Fn(Slot) -> Option<&'a Pose>) {
        for way in self.ways.iter_mut().filter(|way| way.motion.is_none()) {
            if let (Some(from), Some(to)) = (&way.from, at(way.slot))
                && from != to
            {
                way.motion = Some(Arc::new(Motion::lerp_slerp(*from, *to)));
            }
        }
    }

    /// The motion that was made for a slot.
    pub(super) fn motion(&self, slot: Slot) -> Option<&Arc<Motion>> {
        self.ways.get(self.index[slot.index()] as usize)?.motion.as_ref()
    }

    /// Forgets all ways; which slots had one, or were new, and whether a motion was made of it.
    pub(super) fn end(&mut self) -> impl Iterator<Item = (Slot, bool)> {
        let Self { ways, index } = self;
        ways.drain(..).map(|way| {
            index[way.slot.index()] = NONE;
            (way.slot, way.motion.is_some())
        })
    }
}

#[cfg(test)]
mod tests;
