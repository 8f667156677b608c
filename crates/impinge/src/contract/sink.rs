//! A buffer that can only be pushed to, up to a limit.

use crate::contract::answer::Progress;

/// Starts a kept buffer anew and takes values; "append or replace?" cannot arise.
#[derive(Debug)]
pub struct Sink<'a, T> {
    buffer: &'a mut Vec<T>,
    limit: usize,
    progress: Progress,
}

impl<'a, T: Copy> Sink<'a, T> {
    /// Empties `buffer` and takes up to `limit` values for it.
    pub fn over(buffer: &'a mut Vec<T>, limit: usize) -> Self {
        buffer.clear();
        Self { buffer, limit, progress: Progress::Complete }
    }

    /// One more value. False if there was no room for it, which [`Sink::progress`] remembers.
    #[inline]
    pub fn push(&mut self, value: T) -> bool {
        let fits = self.room() > 0;
        if fits {
            self.buffer.push(value);
        } else {
            self.progress = Progress::Limit;
        }
        fits
    }

    /// Many more values, as many as there is room for; false if not all.
    pub fn extend(&mut self, values: impl ExactSizeIterator<Item = T>) -> bool {
        let fits = values.len() <= self.room();
        let room = self.room();
        self.buffer.extend(values.take(room));
        if !fits {
            self.progress = Progress::Limit;
        }
        fits
    }

    /// How many more values fit.
    #[inline]
    pub fn room(&self) -> usize {
        self.limit - self.buffer.len()
    }

    /// `Limit` once a value was refused.
    pub fn progress(&self) -> Progress {
        self.progress
    }
}
