//! A buffer that can only be pushed to.

/// Starts a kept buffer anew and takes values; "append or replace?" cannot arise.
#[derive(Debug)]
pub struct Sink<'a, T> {
    buffer: &'a mut Vec<T>,
}

impl<'a, T> Sink<'a, T> {
    /// Empties `buffer` and takes values for it.
    pub fn over(buffer: &'a mut Vec<T>) -> Self {
        buffer.clear();
        Self { buffer }
    }

    /// One more value.
    pub fn push(&mut self, value: T) {
        self.buffer.push(value);
    }
}
