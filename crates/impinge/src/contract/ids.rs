//! Names of things: stable ones for users, plain indices within a step.

/// A body, as users know it. Stays valid until the body is removed; never names another body later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    pub(crate) slot: Slot,
    pub(crate) generation: u32,
}

/// A mesh that was handed over once and may be used by many bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

/// A body within a step: an index into the columns of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

impl Slot {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two bodies that may touch. Invariant: `a <= b`; `a == b` asks for a self-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    a: Slot,
    b: Slot,
}

impl Pair {
    /// The two in order.
    pub fn new(x: Slot, y: Slot) -> Self {
        Self { a: x.min(y), b: x.max(y) }
    }

    /// The lower slot.
    pub fn a(self) -> Slot {
        self.a
    }

    /// The higher slot.
    pub fn b(self) -> Slot {
        self.b
    }

    /// Whether a body is asked against itself.
    pub fn is_self(self) -> bool {
        self.a == self.b
    }
}
