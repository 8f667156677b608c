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
    /// Takes out the pair of a lane.
    #[inline]
    fn take(&mut self, lane: u32) -> Next<T> {
        let lower = std::mem::replace(&mut self.apart[lane as usize & 7], f32::INFINITY);
        (lower, self.of, lane)
    }

    /// The least bound, and the first lane that has it. In pairs, so that it is a matter of a few
    /// instructions on vectors.
    #[inline]
    fn least(&self) -> (f32, u32) {
        let x = &self.apart;
        let less = |a: f32, b: f32| if a < b { a } else { b };
        let four: [f32; 4] = std::array::from_fn(|k| less(x[k], x[k + 4]));
        let least = less(less(four[0], four[2]), less(four[1], four[3]));
        let mut lanes = 0u32;
        for (k, x) in x.iter().enumerate() {
            lanes |= u32::from(*x <= least) << k;
        }
        (least, lanes.trailing_zeros() & 7)
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

#[inline]
fn number(key: u64) -> usize {
    !(key as u32) as usize
}

/// How many entries of the heap are below one.
const WIDTH: usize = 4;

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

    /// The fan that has the nearest pair, with the bound of that.
    #[inline]
    pub(crate) fn top(&self) -> Option<(f32, &Fan<T>)> {
        let &top = self.heap.first()?;
        Some((bound(top), &self.fans[number(top)]))
    }

    /// Puts a fan in the place of that which has the nearest pair.
    pub(crate) fn replace_top(&mut self, fan: Fan<T>) {
        let Some(&top) = self.heap.first() else { return };
        let (least, _) = fan.least();
        self.fans[number(top)] = fan;
        self.settle_top(number(top), least, f32::MAX);
    }

    /// The nearest pair that is not farther than `most`. What is farther is forgotten.
    #[inline]
    pub(crate) fn next(&mut self, most: f32) -> Option<Next<T>> {
        self.next_keeping(most, most)
    }

    /// The same, but only what is farther than `keep` is forgotten.
    pub(crate) fn next_keeping(&mut self, most: f32, keep: f32) -> Option<Next<T>> {
        let &top = self.heap.first()?;
        if bound(top) > most {
            return None;
        }
        let fan = &mut self.fans[number(top)];
        let (_, lane) = fan.least();
        let next = fan.take(lane);
        let (left, _) = fan.least();
        self.settle_top(number(top), left, keep);
        Some(next)
    }

    /// The same, with one more fan.
    pub(crate) fn next_with(&mut self, mut fan: Fan<T>, most: f32) -> Option<Next<T>> {
        let (least, lane) = fan.least();
        let nearer = self.heap.first().is_none_or(|&top| least <= bound(top));
        if nearer && least <= most && least < f32::INFINITY {
            let next = fan.take(lane);
            self.push(fan, most);
            return Some(next);
        }
        self.push(fan, most);
        self.next(most)
    }

    pub(crate) fn push(&mut self, fan: Fan<T>, most: f32) {
        let (least, _) = fan.least();
        if least > most || least == f32::INFINITY {
            return;
        }
        let mut place = self.heap.len();
        let new = key(least, self.fans.len());
        self.fans.push(fan);
        self.heap.push(new);
        while place > 0 && new < self.heap[(place - 1) / WIDTH] {
            self.heap[place] = self.heap[(place - 1) / WIDTH];
            place = (place - 1) / WIDTH;
        }
        self.heap[place] = new;
    }

    /// The first entry now has this bound: it goes to where it belongs, or out if that does not matter.
    #[inline]
    fn settle_top(&mut self, fan: usize, least: f32, most: f32) {
        let moving = if least <= most && least < f32::INFINITY {
            key(least, fan)
        } else {
            let last = self.heap.pop();
            let Some(last) = last.filter(|_| !self.heap.is_empty()) else { return };
            last
        };
        let heap = self.heap.as_mut_slice();
        let mut place = 0;
        loop {
            let below = WIDTH * place + 1;
            let child = if let Some(four) = heap.get(below..below + WIDTH) {
                // Without branches: which one it is cannot be foreseen.
                let left = usize::from(four[1] < four[0]);
                let right = 2 + usize::from(four[3] < four[2]);
                below + if four[right] < four[left] { right } else { left }
            } else {
                let rest = below..heap.len();
                let Some(child) = rest.min_by_key(|&child| heap[child]) else { break };
                child
            };
            if heap[child] >= moving {
                break;
            }
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = moving;
    }
}
