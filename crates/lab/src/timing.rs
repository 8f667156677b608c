//! How all experiments time: passes over all queries, the mean per query of each pass, and of those
//! the median and the minimum. The same is done to other programs, so that figures compare.

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// Which time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// That of the wall: the only one that can tell what several threads gain.
    Wall,
    /// The processor time of the whole process: what others take of the machine does not count.
    Cpu,
}

/// A clock that was started.
#[derive(Clone, Copy, Debug)]
pub enum Watch {
    /// By the wall.
    Wall(Instant),
    /// By the processor.
    Cpu(ProcessTime),
}

impl Clock {
    /// For a number of threads: processor time as long as there is one, as other programs do.
    pub fn for_threads(threads: usize) -> Self {
        if threads == 1 { Self::Cpu } else { Self::Wall }
    }

    /// From now on.
    pub fn start(self) -> Watch {
        match self {
            Self::Wall => Watch::Wall(Instant::now()),
            Self::Cpu => Watch::Cpu(ProcessTime::now()),
        }
    }

    /// How results name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
        }
    }
}

impl Watch {
    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::Wall(start) => start.elapsed(),
            Self::Cpu(start) => start.elapsed(),
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// No new pass begins after that time.
    pub budget: Duration,
    /// But there are at least so many.
    pub passes_min: usize,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Queries of a pass.
    pub queries: usize,
    /// Timed passes.
    pub passes: usize,
    /// Mean time per query in microseconds, of the median pass.
    pub median_us: f64,
    /// The same of the fastest pass.
    pub min_us: f64,
    /// The slowest query, in microseconds.
    pub worst_query_us: f64,
}

/// The clock for [`measure`]: time since now.
pub fn stopwatch() -> impl FnMut() -> Duration {
    let start = Instant::now();
    move || start.elapsed()
}

/// Times `query(0)` … `query(queries − 1)`; at least one query.
///
/// Two passes with a clock reading around each query come first: they warm the caches and find the
/// slowest query, each query counting with the better of its two times, since the other may be the
/// machine's. The timed passes after them read the clock only between passes.
pub fn measure(
    plan: &Plan,
    mut clock: impl FnMut() -> Duration,
    queries: usize,
    mut query: impl FnMut(usize),
) -> Timing {
    assert!(queries > 0, "there is nothing to time");
    let mut each = vec![Duration::MAX; queries];
    for _ in 0..2 {
        for (i, best) in each.iter_mut().enumerate() {
            let start = clock();
            query(i);
            *best = (*best).min(clock() - start);
        }
    }
    let worst = each.into_iter().max().unwrap_or_default();
    let mut passes: Vec<Duration> = Vec::new();
    let begin = clock();
    let mut now = begin;
    while passes.len() < plan.passes_min.max(1) || now - begin < plan.budget {
        let start = now;
        (0..queries).for_each(&mut query);
        now = clock();
        passes.push(now - start);
    }
    passes.sort_unstable();
    let per_query_us = |pass: Duration| microseconds(pass) / queries as f64;
    Timing {
        queries,
        passes: passes.len(),
        median_us: per_query_us(median(&passes)),
        min_us: per_query_us(passes[0]),
        worst_query_us: microseconds(worst),
    }
}

/// The middle one, or the mean of the middle two.
pub(crate) fn median(sorted: &[Duration]) -> Duration {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2 }
}

pub(crate) fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Runs with a clock that only queries move: the k-th query asked takes `cost(k, i)` µs.
    fn run(plan: &Plan, queries: usize, cost: impl Fn(usize, usize) -> u64) -> Timing {
        let (now, asked) = (Cell::new(Duration::ZERO), Cell::new(0));
        measure(
            plan,
            || now.get(),
            queries,
            |i| {
                now.set(now.get() + Duration::from_micros(cost(asked.get(), i)));
                asked.set(asked.get() + 1);
            },
        )
    }

    #[test]
    fn processor_time_stands_still_while_nothing_is_done() {
        let (wall, cpu) = (Clock::Wall.start(), Clock::Cpu.start());
        std::thread::sleep(Duration::from_millis(30));
        assert!(wall.elapsed() >= Duration::from_millis(30));
        let mut sum = 0u64;
        let before = cpu.elapsed();
        while cpu.elapsed() < before + Duration::from_millis(2) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(wall.elapsed() >= Duration::from_millis(30) && sum > 0);
        assert_eq!(Clock::for_threads(1), Clock::Cpu);
        assert_eq!(Clock::for_threads(2), Clock::Wall);
    }

    const SHORT: Plan = Plan { budget: Duration::ZERO, passes_min: 3 };

    #[test]
    fn median_minimum_and_worst_are_those_of_the_definition() {
        // Passes after the two that find the worst query take 4·(10, 30, 20) µs.
        let per_pass = [10, 10, 10, 30, 20];
        let timing = run(&SHORT, 4, |k, _| per_pass[k / 4]);
        let want =
            Timing { queries: 4, passes: 3, median_us: 20.0, min_us: 10.0, worst_query_us: 10.0 };
        assert_eq!(timing, want);
    }

    #[test]
    fn the_worst_query_is_slow_both_times() {
        // Query 2 always takes 9 µs; query 0 is held up once, for 50 µs.
        let timing = run(&SHORT, 3, |k, i| {
            if k == 0 {
                50
            } else if i == 2 {
                9
            } else {
                1
            }
        });
        assert!((timing.worst_query_us - 9.0).abs() < 1e-9);
    }

    #[test]
    fn passes_go_on_until_the_budget_is_spent() {
        let plan = Plan { budget: Duration::from_micros(95), passes_min: 3 };
        assert_eq!(run(&plan, 1, |_, _| 10).passes, 10);
        assert_eq!(run(&plan, 1, |_, _| 1000).passes, 3);
    }

    #[test]
    fn an_even_number_of_passes_has_its_median_between_two() {
        let plan = Plan { budget: Duration::ZERO, passes_min: 4 };
        let per_pass = [1, 1, 10, 40, 20, 30];
        assert!((run(&plan, 1, |k, _| per_pass[k]).median_us - 25.0).abs() < 1e-9);
    }
}
