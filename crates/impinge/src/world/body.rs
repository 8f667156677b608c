//! Bodies and their columns.

use super::promises::Promises;
use super::shapes::Shapes;
use super::ways::Ways;
use crate::contract::ids::{BodyId, ShapeId, Slot};
use crate::contract::job::Placement;
use crate::contract::query::Mode;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use std::sync::Arc;

/// A shape at a place, and who may touch it.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What it is made of.
    pub shape: ShapeId,
    /// Where it is; on its way only until the next step, which leaves it at the end.
    pub placement: Placement,
    /// The groups it belongs to, one bit each.
    pub groups: u32,
    /// The groups it is tested against. Two bodies are tested when each is in a group of the other's mask.
    pub mask: u32,
    /// Stays where it is and costs nothing per step: it is held against bodies that are not
    /// frozen, but not against other frozen ones.
    pub frozen: bool,
    /// How much it matters to know what this body touches, where a budget does not last for all pairs
    /// (H93 on agents of little importance). A pair counts as much as the product of both; 1 unless told
    /// otherwise. Pairs of a body of priority 0 come after all others. Engine `sphere-tree` heeds it.
    pub priority: f32,
    /// Whatever the user wants to find again.
    pub user_data: u64,
}

impl Body {
    /// At the origin, in the first group, tested against all.
    pub fn new(shape: ShapeId) -> Self {
        let placement = Placement::Fixed(Pose::IDENTITY);
        Self {
            shape,
            placement,
            groups: 1,
            mask: u32::MAX,
            frozen: false,
            priority: 1.0,
            user_data: 0,
        }
    }

    /// The same at a pose.
    #[must_use]
    pub fn at(self, pose: Pose) -> Self {
        Self { placement: Placement::Fixed(pose), ..self }
    }

    /// The same on its way in the next step.
    #[must_use]
    pub fn moving(self, motion: Motion) -> Self {
        Self { placement: Placement::Moving(Arc::new(motion)), ..self }
    }

    /// The same in other groups, tested against the groups of `mask`.
    #[must_use]
    pub fn in_groups(self, groups: u32, mask: u32) -> Self {
        Self { groups, mask, ..self }
    }

    /// The same, frozen.
    #[must_use]
    pub fn frozen(self) -> Self {
        Self { frozen: true, ..self }
    }

    /// The same, mattering so much; what is not a number above zero is zero.
    #[must_use]
    pub fn with_priority(self, priority: f32) -> Self {
        Self { priority: priority.max(0.0), ..self }
    }

    /// The same with a number of the user's.
    #[must_use]
    pub fn with_user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }
}

/// Slots of bodies. A slot is used again after its body was removed, under another generation.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    slots: Vec<Option<Body>>,
    generations: Vec<u32>,
    vacant: Vec<Slot>,
    /// By reader.
    changes: [Changes; 2],
    ways: Ways,
    pub(super) promises: Promises,
}

/// Who follows the changes, each at its own pace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Reader {
    /// The steps.
    #[default]
    Step,
    /// The questions between them.
    Nearby,
}

/// Which slots were touched since a reader last looked, so that the others cost nothing.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// In the order of the changes, each once.
    pub(super) slots: Vec<Slot>,
    /// By slot: whether it is in the list.
    listed: Vec<bool>,
    /// Whether some body came, went, froze or thawed.
    pub(super) members: bool,
}

impl Changes {
    fn add(&mut self, slot: Slot) {
        if !std::mem::replace(&mut self.listed[slot.index()], true) {
            self.slots.push(slot);
        }
    }

    pub(super) fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.listed[slot.index()] = false;
        }
        self.members = false;
    }
}

impl Bodies {
    pub(super) fn insert(&mut self, body: Body) -> BodyId {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.generations.push(0);
            self.changes.iter_mut().for_each(|changes| changes.listed.push(false));
            self.ways.grow();
            Slot(self.slots.len() as u32 - 1)
        });
        self.slots[slot.index()] = Some(body);
        self.ways.cut(slot);
        self.promises.suspend(slot);
        self.note(slot, true);
        self.id(slot)
    }

    pub(super) fn remove(&mut self, id: BodyId) -> bool {
        if self.get(id).is_none() {
            return false;
        }
        self.slots[id.slot.index()] = None;
        self.generations[id.slot.index()] += 1;
        self.vacant.push(id.slot);
        self.promises.make(id.slot, None);
        self.note(id.slot, true);
        true
    }

    pub(super) fn get(&self, id: BodyId) -> Option<&Body> {
        let current = self.generations.get(id.slot.index()) == Some(&id.generation);
        if current { self.slots[id.slot.index()].as_ref() } else { None }
    }

    /// Changes a body where it stands; false if it is not there.
    pub(super) fn change(&mut self, id: BodyId, how: impl FnOnce(&mut Body)) -> bool {
        if self.get(id).is_none() {
            return false;
        }
        let Some(body) = self.slots[id.slot.index()].as_mut() else { return false };
        let frozen = body.frozen;
        how(body);
        let members = body.frozen != frozen;
        self.note(id.slot, members);
        true
    }

    /// Puts a body somewhere, from where it was at the last step; false if it is not there.
    pub(super) fn bring(&mut self, id: BodyId, placement: Placement) -> bool {
        if self.get(id).is_none() {
            return false;
        }
        let Some(body) = self.slots[id.slot.index()].as_mut() else { return false };
        // A body that is put where it is has not moved and costs nothing.
        if body.placement != placement {
            self.ways.depart(id.slot, body.placement.end());
            body.placement = placement;
            self.note(id.slot, false);
        }
        true
    }

    /// Puts a body somewhere, without a way; false if it is not there.
    pub(super) fn teleport(&mut self, id: BodyId, pose: Pose) -> bool {
        let placement = Placement::Fixed(pose);
        let Some(body) = self.get(id) else { return false };
        if body.placement == placement && !self.ways.has(id.slot) {
            return true;
        }
        self.ways.cut(id.slot);
        self.promises.suspend(id.slot);
        self.change(id, |body| body.placement = placement)
    }

    /// The vertices of a body have moved, since the last step or, if that is no `way`, without one; it
    /// may have got a shape of its own by that.
    pub(super) fn deform(&mut self, id: BodyId, shape: ShapeId, way: bool) {
        let Some(body) = self.get(id) else { return };
        let place = body.placement.end();
        self.promises.suspend(id.slot);
        if way {
            self.ways.deform(id.slot, place);
            self.change(id, |body| body.shape = shape);
        } else {
            self.ways.cut(id.slot);
            self.change(id, |body| (body.shape, body.placement) = (shape, place.into()));
        }
    }

    /// Gives a body another shape; false if it is not there.
    pub(super) fn reshape(&mut self, id: BodyId, shape: ShapeId) -> bool {
        let changed = self.change(id, |body| body.shape = shape);
        if changed {
            self.ways.reshape(id.slot);
            self.promises.suspend(id.slot);
        }
        changed
    }

    /// Whether the next step is to know where the vertices of this live body were at the last one.
    pub(super) fn is_deformed(&self, id: BodyId) -> bool {
        self.ways.is_deformed(id.slot)
    }

    /// Makes the motions that a step in a mode with time looks at.
    pub(super) fn lay_out_ways(&mut self, shapes: &Shapes) {
        self.ways.lay_out(&self.slots, shapes);
    }

    /// How a live body gets through a step of that mode, if it does not rest.
    pub(super) fn way(&self, slot: Slot, mode: Mode) -> Option<&Placement> {
        if mode == Mode::Static {
            return None;
        }
        match (self.ways.made(slot), &self.live(slot).placement) {
            (Some(made), _) => Some(made),
            (None, moving @ Placement::Moving(_)) => Some(moving),
            (None, _) => None,
        }
    }

    /// The end of a step of that mode: every motion is used up.
    pub(super) fn arrive(&mut self, mode: Mode) {
        let Self { slots, ways, changes, .. } = self;
        for (slot, moved) in ways.end() {
            let Some(body) = slots[slot.index()].as_mut() else { continue };
            let moving = matches!(body.placement, Placement::Moving(_));
            if moving {
                body.placement = Placement::Fixed(body.placement.end());
            }
            // What was bounded over its way is bounded at rest in the next step. All else is
            // where it was.
            if (moving || moved) && mode != Mode::Static {
                changes[Reader::Step as usize].add(slot);
            }
        }
    }

    fn note(&mut self, slot: Slot, members: bool) {
        for changes in &mut self.changes {
            changes.add(slot);
            changes.members |= members;
        }
    }

    pub(super) fn changes(&mut self, reader: Reader) -> &mut Changes {
        &mut self.changes[reader as usize]
    }

    pub(super) fn id(&self, slot: Slot) -> BodyId {
        BodyId { slot, generation: self.generations[slot.index()] }
    }

    /// The body in a slot that is known to be live.
    pub(super) fn live(&self, slot: Slot) -> &Body {
        self.slots[slot.index()].as_ref().expect("pairs name live slots only")
    }

    pub(super) fn slots(&self) -> &[Option<Body>] {
        &self.slots
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let live = self.slots.iter().enumerate();
        live.filter_map(|(i, body)| Some((self.id(Slot(i as u32)), body.as_ref()?)))
    }
}
