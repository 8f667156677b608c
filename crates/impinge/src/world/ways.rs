//! How bodies got to where they are since the last step: what a step in a mode with time looks at.
//!
//! Kept for the bodies that were put somewhere or deformed since then, so that the others cost nothing.
//! A way is made into a motion or a deformation only when such a step needs it; static steps pay for
//! the list alone.

use super::body::Body;
use super::shapes::Shapes;
use crate::contract::ids::Slot;
use crate::contract::job::{Deformation, Placement};
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
    /// Its vertices are not where they were in its own frame, either.
    deformed: bool,
    /// Made when it is needed.
    made: Option<Placement>,
}

impl Ways {
    /// Room for one more slot.
    pub(super) fn grow(&mut self) {
        self.index.push(NONE);
    }

    /// The body leaves the place where it was at the last step, unless it has left it before.
    pub(super) fn depart(&mut self, slot: Slot, from: Pose) {
        match self.get_mut(slot) {
            Some(way) => way.made = None,
            None => self.push(Way { slot, from: Some(from), deformed: false, made: None }),
        }
    }

    /// The same for its vertices; `from` is where the body is.
    pub(super) fn deform(&mut self, slot: Slot, from: Pose) {
        self.depart(slot, from);
        let way = self.get_mut(slot).expect("it has just departed");
        way.deformed = way.from.is_some();
    }

    /// However the body got there, that was no way.
    pub(super) fn cut(&mut self, slot: Slot) {
        let none = Way { slot, from: None, deformed: false, made: None };
        match self.get_mut(slot) {
            Some(way) => *way = none,
            None => self.push(none),
        }
    }

    /// Whatever its vertices did, the body has another shape now.
    pub(super) fn reshape(&mut self, slot: Slot) {
        if let Some(way) = self.get_mut(slot) {
            (way.deformed, way.made) = (false, None);
        }
    }

    /// Whether its vertices have left where they were at the last step, which is to be remembered.
    pub(super) fn is_deformed(&self, slot: Slot) -> bool {
        self.ways.get(self.index[slot.index()] as usize).is_some_and(|way| way.deformed)
    }

    fn get_mut(&mut self, slot: Slot) -> Option<&mut Way> {
        self.ways.get_mut(self.index[slot.index()] as usize)
    }

    fn push(&mut self, way: Way) {
        self.index[way.slot.index()] = self.ways.len() as u32;
        self.ways.push(way);
    }

    /// Whether the body left the place where it was, or is new.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.index[slot.index()] != NONE
    }

    /// Makes the motions of those that have a way to where the bodies are.
    pub(super) fn lay_out(&mut self, bodies: &[Option<Body>], shapes: &Shapes) {
        for way in self.ways.iter_mut().filter(|way| way.made.is_none()) {
            if let (Some(from), Some(body)) = (way.from, bodies[way.slot.index()].as_ref()) {
                let start = way.deformed.then(|| shapes.of_body(body.shape).start());
                way.made = match (start.flatten(), &body.placement) {
                    (Some((start, _)), place) => {
                        let from = if let Placement::Moving(motion) = place {
                            motion.pose_at(0.0)
                        } else {
                            from
                        };
                        let start = Arc::clone(start);
                        let way = Deformation { start, from, to: place.end() };
                        Some(Placement::Deforming(Arc::new(way)))
                    }
                    (None, Placement::Fixed(to)) if from != *to => {
                        Some(Motion::lerp_slerp(from, *to).into())
                    }
                    _ => None,
                };
            }
        }
    }

    /// What was made for a slot.
    pub(super) fn made(&self, slot: Slot) -> Option<&Placement> {
        self.ways.get(self.index[slot.index()] as usize)?.made.as_ref()
    }

    /// Forgets all ways; which slots had one, or were new, and whether a motion was made of it.
    pub(super) fn end(&mut self) -> impl Iterator<Item = (Slot, bool)> {
        let Self { ways, index } = self;
        ways.drain(..).map(|way| {
            index[way.slot.index()] = NONE;
            (way.slot, way.made.is_some())
        })
    }
}

#[cfg(test)]
mod tests;
