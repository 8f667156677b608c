//! What an object that deforms knows: its vertices at as many instants as are asked for.

use crate::frames::Frames;
use std::fmt::Debug;

/// An object that deforms in the course of time. Its mesh is its shape at the first instant.
pub trait Animation: Debug + Send + Sync {
    /// So many instants, at least one. The error says why there are none.
    fn frames(&self, count: u32) -> Result<Frames, String>;

    /// How many frames it has, if it is a sequence of frames already.
    fn own_count(&self) -> Option<usize> {
        None
    }
}

impl Animation for Frames {
    /// The first ones, for there is nothing between them.
    fn frames(&self, count: u32) -> Result<Frames, String> {
        let (found, count) = (self.len(), count as usize);
        if count > found {
            return Err(format!("there are {found} frames; {count} cannot be made of them"));
        }
        Ok(self.first(count))
    }

    fn own_count(&self) -> Option<usize> {
        Some(self.len())
    }
}
