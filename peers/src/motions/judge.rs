//! Whose first contacts are right.
//!
//! Truth has two sources: the certified interval of engine bvh, and exact static tests at 512 steps
//! of the motion and at 64 more about that interval, which share nothing with the search in time. A
//! contact counts as missed only if a static test shows it. Ours is held against the static tests
//! alone, and strictly: a hit that none of them shows counts as false, and a time after one that
//! touches as late.

use super::program::{OURS, Told};
use anyhow::{Context, Result, ensure};
use impinge::contract::answer::Verdict;
use impinge::narrow::{self, bvh};
use impinge::prelude::{Mesh, Motion, Point, Pose, PosedPair, Query, Screw};
use std::sync::Arc;

/// A time may be off by so much, as a part of the motion.
pub(super) const TOLERANCE: f64 = 1e-3;
/// Static tests over the whole motion, and about a first contact.
pub(super) const STEPS: [usize; 2] = [512, 64];
/// A program whose name ends so moves along screws.
const SCREW: &str = "-screw";

/// How a program gets from the start to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    Straight,
    Screw,
}

impl Course {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight motions",
            Self::Screw => "screws",
        }
    }

    fn of(peer: &str) -> Self {
        if peer.ends_with(SCREW) { Self::Screw } else { Self::Straight }
    }
}

/// What is true of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Truth {
    /// Contains the first contact, if there is one.
    certified: Option<[f64; 2]>,
    /// The first static test that touches.
    seen: Option<f64>,
}

/// A program on one mesh.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Score {
    pub(super) mesh: String,
    pub(super) peer: String,
    /// Of each motion, in the order of the file.
    pub(super) us: Vec<f64>,
    /// How many times as long as ours, on the same motions.
    pub(super) ratio: f64,
    pub(super) tally: Tally,
}

/// What answers come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Motions that touch by their answers.
    pub(super) hits: u64,
    /// Motions that touch by a static test.
    pub(super) shown: u64,
    pub(super) missed: u64,
    pub(super) late: u64,
    pub(super) early: u64,
    pub(super) invented: u64,
}

impl Score {
    pub(super) fn mean(&self) -> f64 {
        mean(&self.us)
    }

    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.us.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let even = sorted.len().is_multiple_of(2);
        if even { 0.5 * (sorted[middle - 1] + sorted[middle]) } else { sorted[middle] }
    }

    pub(super) fn worst(&self) -> f64 {
        self.us.iter().copied().fold(0.0, f64::max)
    }

    /// For the person who watches.
    pub(super) fn say(&self) {
        let (motions, tally) = (self.us.len(), &self.tally);
        println!(
            "{:10} {:24} {:12.1} mean {:12.1} worst, {motions} motions: {tally:?}",
            self.mesh,
            self.peer,
            self.mean(),
            self.worst()
        );
    }
}

fn mean(us: &[f64]) -> f64 {
    us.iter().sum::<f64>() / us.len() as f64
}

/// The screw from the start of a motion to its end.
pub(super) fn screw(motion: &Motion) -> Result<Motion> {
    let (direction, angle) = motion.turn();
    let (from, to) = (motion.pose0().translation(), motion.pose1().translation());
    let way: Point = std::array::from_fn(|k| to[k] - from[k]);
    let advance: f64 = (0..3).map(|k| way[k] * direction[k]).sum();
    let aside: Point = std::array::from_fn(|k| way[k] - advance * direction[k]);
    let across: Point = std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        direction[i] * aside[j] - direction[j] * aside[i]
    });
    let spread = 1.0 / (0.5 * angle).tan();
    let point = std::array::from_fn(|k| from[k] + 0.5 * (aside[k] + spread * across[k]));
    Ok(Motion::screw(*motion.pose0(), Screw { point, direction, angle, advance })?)
}

/// What is true of motions of a mesh past itself.
pub(super) fn truths(mesh: &Arc<Mesh>, motions: &[Motion]) -> Result<Vec<Truth>> {
    let engine = narrow::by_name(bvh::NAME).context("engines are named from their list")?;
    let mut pair = PosedPair::with(engine, Arc::clone(mesh), Arc::clone(mesh))?;
    let found = pair.check(motions, &Query::FIRST_CONTACT).all();
    ensure!(found.iter().all(|answer| answer.verdict != Verdict::Unknown), "not all decided");
    let hit = |verdict| matches!(verdict, Verdict::Hit(_));
    let certified: Vec<Option<[f64; 2]>> =
        found.iter().map(|answer| answer.time.filter(|_| hit(answer.verdict))).collect();
    let truth = |(motion, certified): (&Motion, Option<[f64; 2]>)| {
        let times = times(certified);
        let poses: Vec<Pose> = times.iter().map(|&t| motion.pose_at(t)).collect();
        let tests = pair.check(&poses, &Query::TOUCHING).all();
        let touching = times.iter().zip(tests).filter(|(_, answer)| hit(answer.verdict));
        let seen = touching.map(|(&t, _)| t).min_by(f64::total_cmp);
        Truth { certified, seen }
    };
    Ok(motions.iter().zip(certified).map(truth).collect())
}

/// When to look.
fn times(certified: Option<[f64; 2]>) -> Vec<f64> {
    let [whole, near] = STEPS;
    let mut times: Vec<f64> = (0..=whole).map(|k| k as f64 / whole as f64).collect();
    if let Some([from, to]) = certified {
        let end = (to + 1.0 / whole as f64).min(1.0);
        let part = |k: usize| from + (end - from) * k as f64 / near as f64;
        times.extend((0..=near).map(part));
    }
    times
}

/// All programs on one mesh, in the order in which they first spoke.
pub(super) fn scores(mesh: &str, told: &[Vec<Told>], truths: &[Vec<Truth>; 2]) -> Vec<Score> {
    let mut peers: Vec<&str> = Vec::new();
    for told in told.iter().flatten() {
        if !peers.contains(&told.peer.as_str()) {
            peers.push(&told.peer);
        }
    }
    let of = |told: &'_ [Told], peer: &str| told.iter().find(|told| told.peer == peer).cloned();
    let score = |&peer: &&str| {
        let truths = match Course::of(peer) {
            Course::Straight => &truths[0],
            Course::Screw => &truths[1],
        };
        let (mut us, mut ours, mut tally) = (Vec::new(), Vec::new(), Tally::default());
        for (told, truth) in told.iter().zip(truths) {
            let Some(said) = of(told, peer) else { continue };
            us.push(said.us);
            ours.extend(of(told, OURS).map(|told| told.us));
            tally.add(said.time, truth, peer == OURS);
        }
        let ratio = mean(&us) / mean(&ours);
        Score { mesh: mesh.to_owned(), peer: peer.to_owned(), us, ratio, tally }
    };
    peers.iter().map(score).collect()
}

impl Tally {
    fn add(&mut self, said: Option<f64>, truth: &Truth, ours: bool) {
        self.hits += u64::from(said.is_some());
        self.shown += u64::from(truth.seen.is_some());
        let infinity = f64::INFINITY;
        let seen = truth.seen.unwrap_or(infinity);
        let Some(time) = said else {
            self.missed += u64::from(truth.seen.is_some());
            return;
        };
        if ours {
            self.invented += u64::from(truth.seen.is_none());
            self.late += u64::from(time > seen);
            return;
        }
        match truth.certified {
            Some([from, to]) => {
                self.late += u64::from(time > to.min(seen) + TOLERANCE);
                self.early += u64::from(time < from - TOLERANCE);
            }
            None => self.invented += u64::from(truth.seen.is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_samples::build_mesh;

    fn turning() -> Motion {
        let from = Pose::new([1.0, 0.2, 0.0, 0.1], [3.0, 0.5, -0.2]).unwrap();
        let to = Pose::new([0.6, 0.1, 0.9, -0.4], [0.1, 1.5, 0.3]).unwrap();
        Motion::lerp_slerp(from, to)
    }

    #[test]
    fn a_screw_ends_where_the_motion_does() {
        let (motion, screw) = (turning(), screw(&turning()).unwrap());
        for point in [[0.0; 3], [1.0, 2.0, 3.0]] {
            let [a, b] = [&motion, &screw].map(|motion| motion.pose1().apply(&point));
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-12), "{a:?} {b:?}");
        }
        let middles = [&motion, &screw].map(|motion| motion.pose_at(0.5).translation());
        assert!((middles[0][0] - middles[1][0]).abs() > 0.01);
    }

    #[test]
    fn truth_is_certified_and_seen() {
        let mesh = Arc::new(build_mesh("sphere?faces=60").unwrap());
        let at = |x: f64| Pose::shift([x, 0.0, 0.0]).unwrap();
        let motions = [[4.0, 0.0], [4.0, 3.0]].map(|[a, b]| Motion::lerp_slerp(at(a), at(b)));
        let truths = truths(&mesh, &motions).unwrap();
        assert_eq!(truths[1], Truth { certified: None, seen: None });
        let (Some([from, to]), Some(seen)) = (truths[0].certified, truths[0].seen) else {
            panic!("{truths:?}")
        };
        assert!(from <= to && from <= seen && seen <= to + 1e-4, "{truths:?}");
        assert!((0.4..0.6).contains(&seen));
    }

    #[test]
    fn answers_are_counted_as_what_they_are() {
        let hit = Truth { certified: Some([0.5, 0.500_001]), seen: Some(0.501) };
        let grazing = Truth { seen: None, ..hit };
        let free = Truth { certified: None, seen: None };
        let count = |said, truth: &Truth, ours| {
            let mut tally = Tally::default();
            tally.add(said, truth, ours);
            [tally.hits, tally.shown, tally.missed, tally.late, tally.early, tally.invented]
        };
        assert_eq!(count(None, &hit, false), [0, 1, 1, 0, 0, 0]);
        assert_eq!(count(Some(0.5), &hit, false), [1, 1, 0, 0, 0, 0]);
        assert_eq!(count(Some(0.502), &hit, false), [1, 1, 0, 1, 0, 0]);
        assert_eq!(count(Some(0.4), &hit, false), [1, 1, 0, 0, 1, 0]);
        assert_eq!(count(None, &grazing, false), [0; 6]);
        assert_eq!(count(Some(0.4), &free, false), [1, 0, 0, 0, 0, 1]);
        assert_eq!(count(Some(0.502), &hit, true), [1, 1, 0, 1, 0, 0]);
        assert_eq!(count(Some(0.5), &grazing, true), [1, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_program_is_held_against_ours_on_the_motions_it_ran() {
        let told = |peer: &str, us| Told { peer: peer.to_owned(), us, time: None };
        let all = [vec![told(OURS, 1.0), told("slow", 8.0)], vec![told(OURS, 3.0)]];
        let free = vec![Truth { certified: None, seen: None }; 2];
        let scores = scores("knot", &all, &[free.clone(), free]);
        assert_eq!(scores.iter().map(|score| score.us.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((scores[0].mean(), scores[0].median(), scores[0].worst()), (2.0, 2.0, 3.0));
        assert!((scores[1].ratio - 8.0).abs() < 1e-12);
    }
}
