//! Pairs of boxes that were found together.

use super::Place;
use super::couple::Side;

/// The children of one box against another box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Children {
    /// The node whose children they are.
    pub(super) node: u32,
    /// The place of the other box.
    pub(super) other: Place,
    /// The side of the node.
    pub(super) side: Side,
}

impl Children {
    /// One of the pairs.
    #[inline]
    pub(super) fn places(&self, lane: u32) -> [Place; 2] {
        let place = 8 * self.node + lane;
        if self.side == Side::A { [place, self.other] } else { [self.other, place] }
    }
}
