//! Which runs of vertices each run of faces uses. It depends on the triangles alone, so that it stays
//! true however vertices move.

use crate::skin::BLOCK;

/// How many consecutive faces are looked at together.
pub const RUN: usize = 32;

/// For each run of [`RUN`] faces the runs of [`BLOCK`] vertices that it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    starts: Vec<u32>,
    blocks: Vec<u32>,
}

impl Layout {
    /// Of a mesh.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let mut layout = Self { starts: vec![0], blocks: Vec::new() };
        let mut used = Vec::with_capacity(3 * RUN);
        for run in triangles.chunks(RUN) {
            used.clear();
            used.extend(run.as_flattened().iter().map(|&v| v / BLOCK as u32));
            used.sort_unstable();
            used.dedup();
            layout.blocks.extend_from_slice(&used);
            layout.starts.push(layout.blocks.len() as u32);
        }
        layout
    }

    /// How many runs of faces there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The runs of vertices that a run of faces uses.
    #[inline]
    pub fn blocks(&self, run: u32) -> &[u32] {
        let [start, end] = [self.starts[run as usize], self.starts[run as usize + 1]];
        &self.blocks[start as usize..end as usize]
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * (self.starts.capacity() + self.blocks.capacity())
    }
}
