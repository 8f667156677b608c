//! Buffers that nobody uses at the moment. A thread that waits within a job may take up another one, so
//! that buffers belong to jobs, not to threads.

use std::sync::{Mutex, MutexGuard};

/// Some buffers of one kind.
#[derive(Debug, Default)]
pub(super) struct Spare<B> {
    buffers: Mutex<Vec<B>>,
}

impl<B: Default> Spare<B> {
    pub(super) fn take(&self) -> B {
        self.list().pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, buffers: B) {
        self.list().push(buffers);
    }

    /// Buffers are filled anew by whoever uses them, so that it does not matter who left them how.
    fn list(&self) -> MutexGuard<'_, Vec<B>> {
        self.buffers.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
