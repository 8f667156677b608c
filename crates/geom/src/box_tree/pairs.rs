//! All pairs of leaves whose boxes overlap, by descending the tree against itself.
//!
//! The work is split into tasks that can be done in any order and at the same time. Which tasks there
//! are, and what each finds, depends on the tree alone.

use super::{BoxTree, NONE};
use impinge_simd::wide_tree::{NODE, Walk};

/// Into how many tasks the work is split at least, if the tree is large enough.
const TASKS: usize = 512;

/// The work that is to be done, in pieces.
#[derive(Clone, Debug, Default)]
pub struct PairTasks {
    tasks: Vec<[u32; 2]>,
    /// Pairs that were found while the work was split, and the looks that took.
    early: Walk,
}

/// One task after the other; kept, so that its memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    walk: Walk,
}

impl PairTasks {
    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len() + 1
    }

    /// Never: there is a task even if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        let early = &self.early;
        8 * (self.tasks.capacity() + early.stack.capacity() + early.pairs.capacity())
    }
}

impl BoxTree {
    /// Splits the search for all overlapping pairs of leaves into tasks.
    pub fn pair_tasks(&self, tasks: &mut PairTasks) {
        let PairTasks { tasks, early } = tasks;
        tasks.clear();
        early.pairs.clear();
        early.stack.clear();
        early.looks = 0;
        if self.root != NONE {
            tasks.push([NODE | self.root; 2]);
        }
        let wanted = TASKS.min(self.len / 64);
        while !tasks.is_empty() && tasks.len() < wanted {
            let mut next = Vec::new();
            for &task in &*tasks {
                early.stack.push(task);
                self.view().pairs_of_one(early);
                next.append(&mut early.stack);
            }
            *tasks = next;
        }
    }
}

impl Descent {
    /// Starts with one of the tasks; what an earlier one found and nobody took is forgotten.
    pub fn start(&mut self, tasks: &PairTasks, index: usize) {
        self.walk.stack.clear();
        self.walk.pairs.clear();
        if index == 0 {
            self.walk.pairs.extend_from_slice(&tasks.early.pairs);
            self.walk.looks += tasks.early.looks;
        } else {
            self.walk.stack.push(tasks.tasks[index - 1]);
        }
    }

    /// Goes on until there are some pairs more, appends all that were found to `pairs`, and says
    /// whether there is more to do.
    pub fn go_on(&mut self, tree: &BoxTree, pairs: &mut Vec<[u32; 2]>) -> bool {
        const ENOUGH: usize = 1 << 10;
        tree.view().pairs(&mut self.walk, ENOUGH);
        pairs.append(&mut self.walk.pairs);
        !self.walk.stack.is_empty()
    }

    /// How many looks at two nodes were taken since this was last asked.
    pub fn take_looks(&mut self) -> u64 {
        std::mem::take(&mut self.walk.looks)
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        8 * (self.walk.stack.capacity() + self.walk.pairs.capacity())
    }
}
