//! Empty caches: what is not in them is measured as a first query finds it.

use std::hint::black_box;

/// More than the caches of the processors that are measured on, whose largest share is 32 MiB.
const BYTES: usize = 128 << 20;
/// Each of them holds this many words.
const LINE_WORDS: usize = 8;

/// Memory to walk through.
#[derive(Debug)]
pub struct Flush {
    words: Vec<u64>,
}

impl Default for Flush {
    fn default() -> Self {
        // Written, so that the memory is really there and no page stands for several.
        Self { words: (0..(BYTES / size_of::<u64>()) as u64).collect() }
    }
}

impl Flush {
    /// Changes every cache line of the memory once, which leaves no room for anything else.
    pub fn flush(&mut self) {
        for line in self.words.chunks_exact_mut(LINE_WORDS) {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&mut self.words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_touched() {
        let mut flush = Flush::default();
        flush.flush();
        let mut lines = flush.words.chunks_exact(LINE_WORDS).enumerate();
        let touched = |(k, line): (usize, &[u64])| line[0] == (k * LINE_WORDS) as u64 + 1;
        assert!(lines.all(touched));
        assert_eq!(flush.words.len() * size_of::<u64>(), BYTES);
    }
}
