//! Pairs from many tasks at once, in the order of the tasks whatever the number of threads.
//!
//! The limit on pairs must not make the outcome depend on who was faster: what counts is the first
//! `room` pairs in the order of the tasks. A part that knows that those before it have filled the
//! room stops, so that memory stays near the limit.

use crate::contract::answer::Progress;
use crate::contract::ids::{Pair, Slot};
use crate::contract::sink::Sink;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one thread works with; kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Part<S> {
    /// The slots of the pairs found, in either order.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// Whatever else the pruner needs.
    pub(crate) scratch: S,
}

/// Parts per thread: enough that a slow one does not keep the others waiting, few enough that the
/// memory of each is used while it is in the cache.
const PARTS_PER_THREAD: usize = 4;
/// A part has at least so many bodies: to wake another thread takes as long as some hundred of them.
const BODIES_PER_PART: usize = 256;
/// How many pairs a part may find between two looks at the others.
const LOOK_EVERY: usize = 1 << 14;

/// Says when a part may stop.
#[derive(Debug)]
pub(crate) struct Quota<'a> {
    found: &'a [AtomicUsize],
    index: usize,
    room: usize,
    next: usize,
}

impl Quota<'_> {
    /// Whether no more pairs of this part are needed, of which it has found `found`. To be asked
    /// between pieces of work that find a bounded number of pairs.
    #[inline]
    pub(crate) fn full(&mut self, found: usize) -> bool {
        found >= self.next && self.look(found)
    }

    #[cold]
    fn look(&mut self, found: usize) -> bool {
        self.next = found + LOOK_EVERY;
        self.found[self.index].store(found, Ordering::Relaxed);
        let before = &self.found[..self.index];
        let before: usize = before.iter().map(|part| part.load(Ordering::Relaxed)).sum();
        // One more than fits, so that the sink sees that there were more.
        before + found > self.room
    }
}

/// Splits `0..tasks` into ranges, lets `work` find the pairs of each, and hands them on in order.
pub(crate) fn gather<S: Default + Send>(
    tasks: usize,
    parts: &mut Vec<Part<S>>,
    out: &mut Sink<'_, Pair>,
    work: impl Fn(Range<usize>, &mut Part<S>, &mut Quota<'_>) + Sync,
) -> Progress {
    let threads = rayon::current_num_threads();
    let count = if threads == 1 { 1 } else { (PARTS_PER_THREAD * threads).min(tasks.max(1)) };
    gather_in((tasks, count), parts, out, work)
}

/// The same where each task is one body.
pub(crate) fn gather_bodies<S: Default + Send>(
    bodies: usize,
    parts: &mut Vec<Part<S>>,
    out: &mut Sink<'_, Pair>,
    work: impl Fn(Range<usize>, &mut Part<S>, &mut Quota<'_>) + Sync,
) -> Progress {
    let threads = rayon::current_num_threads();
    let most = if threads == 1 { 1 } else { PARTS_PER_THREAD * threads };
    gather_in((bodies, (bodies / BODIES_PER_PART).clamp(1, most)), parts, out, work)
}

/// The same in so many parts, which changes nothing but the time.
pub(crate) fn gather_in<S: Default + Send>(
    (tasks, count): (usize, usize),
    parts: &mut Vec<Part<S>>,
    out: &mut Sink<'_, Pair>,
    work: impl Fn(Range<usize>, &mut Part<S>, &mut Quota<'_>) + Sync,
) -> Progress {
    parts.resize_with(count.max(parts.len()), Part::default);
    let found: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    let room = out.room();
    let run = |(index, part): (usize, &mut Part<S>)| {
        part.pairs.clear();
        let range = tasks * index / count..tasks * (index + 1) / count;
        work(range, part, &mut Quota { found: &found, index, room, next: 0 });
        found[index].store(part.pairs.len(), Ordering::Relaxed);
    };
    if count == 1 {
        run((0, &mut parts[0]));
    } else {
        parts[..count].par_iter_mut().enumerate().for_each(run);
    }
    for part in &parts[..count] {
        if !out.extend(part.pairs.iter().map(|&[a, b]| Pair::new(Slot(a), Slot(b)))) {
            break;
        }
    }
    out.progress()
}

/// The memory held by parts, without what their scratch holds.
pub(crate) fn bytes<S>(parts: &[Part<S>]) -> usize {
    size_of_val(parts) + parts.iter().map(|part| 8 * part.pairs.capacity()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Task `i` finds `i` pairs.
    fn run(threads: usize, limit: usize) -> (Vec<Pair>, Progress) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (mut pairs, mut parts) = (Vec::new(), Vec::<Part<()>>::new());
        let progress = pool.install(|| {
            let mut out = Sink::over(&mut pairs, limit);
            gather(1000, &mut parts, &mut out, |tasks, part, quota| {
                for i in tasks {
                    if quota.full(part.pairs.len()) {
                        return;
                    }
                    part.pairs.extend((0..i as u32).map(|j| [i as u32, j]));
                }
            })
        });
        (pairs, progress)
    }

    #[test]
    fn the_first_pairs_are_kept_whatever_the_number_of_threads() {
        let (all, progress) = run(1, usize::MAX);
        assert_eq!((all.len(), progress), (1000 * 999 / 2, Progress::Complete));
        for limit in [0, 1, 4711, 100_000, 499_499, 499_500] {
            for threads in [1, 2, 7] {
                let (some, progress) = run(threads, limit);
                assert!(some == all[..limit], "{limit} on {threads} threads");
                assert_eq!(progress == Progress::Limit, limit < all.len());
            }
        }
    }
}
