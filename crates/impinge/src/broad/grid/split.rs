//! From one list of boxes to the lists of the cells of a grid, again and again where it pays.
//!
//! A job asks for the pairs among its hosts, and of its hosts with its guests. Large boxes are
//! entered in all cells that they touch as long as that costs little. Otherwise they become the
//! hosts of a job of their own, with cells of their own size, and all the others are its guests:
//! a hierarchy of grids by size.

use super::cells::Cells;
use super::sort::{Ids, Input, Sort};
use impinge_geom::aabb::Aabb32;
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// Pairs to be found among boxes of a cell.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Where the lists are; see [`Split::lists`].
    pub(super) hosts: Range<usize>,
    pub(super) guests: Range<usize>,
    /// Where the cell begins.
    pub(super) from: [f32; 3],
    /// How many splits led here.
    pub(super) depth: u32,
}

/// Up to here, all hosts are tested at once: a box costs at most 32 eight-wide tests, which is less
/// than finding out whether a split would pay.
const HOSTS_FEW: usize = 256;
/// Ends what gets nowhere.
const DEPTH_MAX: u32 = 48;

impl Job {
    /// How many boxes are looked at.
    pub(super) fn boxes(&self) -> usize {
        self.hosts.len() + self.guests.len()
    }

    /// Whether it is not worth a split.
    pub(super) fn is_small(&self) -> bool {
        self.hosts.len() <= HOSTS_FEW || self.depth >= DEPTH_MAX
    }
}

/// Lists of slots, and what it takes to make more of them.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) lists: Vec<AtomicU32>,
    /// Jobs that are still to be done, the next last.
    pub(super) jobs: Vec<Job>,
    hosts: Sort,
    guests: Sort,
    starts: [Vec<f32>; 3],
}

/// How many entries cells get.
struct Plan {
    hosts: usize,
    guests: usize,
    /// Whether large boxes are a job of their own.
    apart: bool,
}

/// What cells are good for.
enum Trial {
    Good(Plan),
    /// Too many entries.
    TooFine,
    /// Not fewer pairs to test.
    NoGain,
}

impl Split {
    /// Starts anew with one job.
    pub(super) fn begin(
        &mut self,
        hosts: impl Iterator<Item = u32>,
        guests: impl Iterator<Item = u32>,
        job: &Job,
    ) {
        self.lists.clear();
        self.lists.extend(hosts.map(AtomicU32::new));
        let middle = self.lists.len();
        self.lists.extend(guests.map(AtomicU32::new));
        let job = Job { hosts: 0..middle, guests: middle..self.lists.len(), ..job.clone() };
        self.jobs.clear();
        self.jobs.push(job);
    }

    /// The list of a job.
    pub(super) fn ids(&self, range: &Range<usize>) -> Ids<'_> {
        Ids(&self.lists[range.clone()])
    }

    /// Adds jobs that together are `job`. False if it is better done as it is.
    pub(super) fn split(&mut self, table: &[Aabb32], job: &Job) -> bool {
        if job.is_small() {
            return false;
        }
        let mut cells = Cells::fit(table, self.ids(&job.hosts), self.ids(&job.guests));
        let plan = loop {
            if cells.count() == 1 {
                return false;
            }
            match self.count(table, job, &cells) {
                Trial::Good(plan) => break plan,
                Trial::TooFine => cells = cells.coarser(),
                Trial::NoGain => return false,
            }
        };
        let old = self.lists.len();
        self.lists.resize_with(old + plan.hosts + plan.guests, AtomicU32::default);
        let (lists, new) = self.lists.split_at(old);
        let (hosts, guests) = new.split_at(plan.hosts);
        let [host_ids, guest_ids] = [&job.hosts, &job.guests].map(|r| Ids(&lists[r.clone()]));
        let input = Input { table, ids: host_ids, cells: &cells, others: None };
        self.hosts.place(&input, !plan.apart, Ids(hosts));
        if plan.guests > 0 {
            let input = Input { ids: guest_ids, others: Some(&self.hosts), ..input };
            self.guests.place(&input, true, Ids(guests));
        }
        if plan.apart {
            self.set_apart(job);
        }
        self.add_cells(job, &cells, [old, old + plan.hosts]);
        true
    }

    /// Counts the entries of all cells.
    fn count(&mut self, table: &[Aabb32], job: &Job, cells: &Cells) -> Trial {
        let Self { lists, hosts, guests, .. } = self;
        let input = Input { table, ids: Ids(&lists[job.hosts.clone()]), cells, others: None };
        let tally = hosts.count(&input);
        if 2 * tally.large > job.hosts.len() || tally.entries > 4 * job.hosts.len() {
            return Trial::TooFine;
        }
        let apart = tally.large_entries > job.hosts.len() / 4;
        if !apart && tally.large > 0 {
            hosts.count_large(&input);
        }
        let mut plan = Plan { hosts: hosts.lay_out(cells.count()), guests: 0, apart };
        if !job.guests.is_empty() {
            let ids = Ids(&lists[job.guests.clone()]);
            let input = Input { ids, others: Some(hosts), ..input };
            let tally = guests.count(&input);
            if tally.entries.saturating_add(tally.large_entries) > 4 * job.boxes() {
                return Trial::TooFine;
            }
            guests.count_large(&input);
            plan.guests = guests.lay_out(cells.count());
        }
        // Boxes that lie in many cells multiply from split to split, so those must pay for it. The
        // third power makes sure that the lists never outgrow the pairs that they save.
        let work = |hosts: usize, guests: usize| hosts as f64 * (hosts + 2 * guests) as f64;
        let before = work(job.hosts.len(), job.guests.len());
        let after: f64 = (0..cells.count())
            .map(|cell| {
                let guests = if plan.guests == 0 { 0 } else { guests.len_of(cell) };
                work(hosts.len_of(cell), guests)
            })
            .sum();
        let spread = ((plan.hosts + plan.guests) as f64 / job.boxes() as f64).max(1.0);
        let gain = after * spread.powi(3) < 0.97 * before;
        if gain { Trial::Good(plan) } else { Trial::NoGain }
    }

    /// A job for the large hosts, with all others as guests.
    fn set_apart(&mut self, job: &Job) {
        let begin = self.lists.len();
        let ids = Ids(&self.lists[job.hosts.clone()]);
        let large: Vec<AtomicU32> = self.hosts.slots(ids, true).collect();
        let others: Vec<AtomicU32> = self.hosts.slots(ids, false).collect();
        self.lists.extend(large);
        let middle = self.lists.len();
        self.lists.extend(others);
        for place in job.guests.clone() {
            let guest = *self.lists[place].get_mut();
            self.lists.push(guest.into());
        }
        self.jobs.push(Job {
            hosts: begin..middle,
            guests: middle..self.lists.len(),
            from: job.from,
            depth: job.depth + 1,
        });
    }

    /// A job for each cell that holds something to be tested.
    fn add_cells(&mut self, job: &Job, cells: &Cells, [hosts, guests]: [usize; 2]) {
        for (k, starts) in self.starts.iter_mut().enumerate() {
            starts.clear();
            starts.extend((0..cells.along[k]).map(|i| cells.start(k, i).max(job.from[k])));
        }
        let has_guests = !job.guests.is_empty();
        let [xs, ys, zs] = &self.starts;
        let mut cell = 0;
        for &z in zs {
            for &y in ys {
                for &x in xs {
                    let host_list = self.hosts.range(cell, hosts);
                    let guest_list =
                        if has_guests { self.guests.range(cell, guests) } else { guests..guests };
                    cell += 1;
                    if !host_list.is_empty() && host_list.len() + guest_list.len() > 1 {
                        self.jobs.push(Job {
                            hosts: host_list,
                            guests: guest_list,
                            from: [x, y, z],
                            depth: job.depth + 1,
                        });
                    }
                }
            }
        }
    }

    /// The memory it holds.
    pub(super) fn bytes(&self) -> usize {
        4 * self.lists.capacity()
            + size_of::<Job>() * self.jobs.capacity()
            + self.hosts.bytes()
            + self.guests.bytes()
            + self.starts.iter().map(|starts| 4 * starts.capacity()).sum::<usize>()
    }
}
