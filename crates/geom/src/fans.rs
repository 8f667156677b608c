//! Pairs in the order of their distance, or of the time until which they are apart, for searches of
//! the nearest and of the first.
//!
//! What one step finds, up to eight pairs, is kept together and stands in the queue once, by the
//! nearest of them that is left: most are never looked at, and need not be sorted.

/// Eight pairs that were found together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fan<T> {
    /// Lower bounds, not negative; infinite for what does not matter or is done.
    pub(crate) apart: [f32; 8],
    /// What the eight are.
    pub(crate) of: T,
}

/// A pair with its lower bound: what it is of, and its lane.
type Next<T> = (f32, T, u32);

impl<T: Copy> Fan<T> {
    /// Takes out the nearest pair.
    #[inline]
    fn take(&mut self) -> Next<T> {
        let mut lane = 0;
        for k in 1..8 {
            lane = if self.apart[k] < self.apart[lane] { k } else { lane };
        }
        let lower = std::mem::replace(&mut self.apart[lane], f32::INFINITY);
        (lower, self.of, lane as u32)
    }

    #[inline]
    fn least(&self) -> f32 {
        self.apart.iter().fold(f32::INFINITY, |least, &x| if x < least { x } else { least })
    }
}

/// The queue: a heap of fans.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T> {
    fans: Vec<Fan<T>>,
    /// The least bound of a fan in the upper half, its number in the lower, inverted: among equals
    /// the latest comes first, which is the deepest.
    heap: Vec<u64>,
}

#[inline]
fn key(lower: f32, fan: usize) -> u64 {
    u64::from(lower.to_bits()) << 32 | u64::from(!(fan as u32))
}

#[inline]
fn bound(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { fans: Vec::new(), heap: Vec::new() }
    }
}

impl<T: Copy> Queue<T> {
    pub(crate) fn clear(&mut self) {
        self.fans.clear();
        self.heap.clear();
    }

    /// Room for so many fans.
    pub(crate) fn reserve(&mut self, fans: usize) {
        self.fans.reserve(fans.saturating_sub(self.fans.len()));
        self.heap.reserve(fans.saturating_sub(self.heap.len()));
    }

    /// How many fans were pushed since the last [`Queue::clear`].
    pub(crate) fn pushed(&self) -> usize {
        self.fans.len()
    }

    /// The nearest pair that is not farther than `most`.
    pub(crate) fn next(&mut self, most: f32) -> Option<Next<T>> {
        let &top = self.heap.first()?;
        if bound(top) > most {
            return None;
        }
        let number = !(top as u32) as usize;
        let next = self.fans[number].take();
        let left = self.fans[number].least();
        if left <= most && left < f32::INFINITY {
            self.heap[0] = key(left, number);
        } else {
            self.heap.swap_remove(0);
        }
        self.sink();
        Some(next)
    }

    /// The same, with one more fan.
    pub(crate) fn next_with(&mut self, mut fan: Fan<T>, most: f32) -> Option<Next<T>> {
        let least = fan.least();
        let nearer = self.heap.first().is_none_or(|&top| least <= bound(top));
        if nearer && least <= most && least < f32::INFINITY {
            let next = fan.take();
            self.push(fan, most);
            return Some(next);
        }
        self.push(fan, most);
        self.next(most)
    }

    pub(crate) fn push(&mut self, fan: Fan<T>, most: f32) {
        let least = fan.least();
        if least > most || least == f32::INFINITY {
            return;
        }
        let mut place = self.heap.len();
        let new = key(least, self.fans.len());
        self.fans.push(fan);
        self.heap.push(new);
        while place > 0 && new < self.heap[(place - 1) / 2] {
            self.heap[place] = self.heap[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        self.heap[place] = new;
    }

    /// Moves the first entry to where it belongs.
    fn sink(&mut self) {
        let Some(&moving) = self.heap.first() else { return };
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.heap[child + 1] < self.heap[child] {
                child += 1;
            }
            if self.heap[child] >= moving {
                break;
            }
            self.heap[place] = self.heap[child];
            place = child;
        }
        self.heap[place] = moving;
    }
}
