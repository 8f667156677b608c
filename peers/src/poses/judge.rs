//! Whose answers are right, and who is the fastest of those.
//!
//! Answers are held against those of FCL in double precision, or against ours where it does not take
//! part. Programs in single precision may be wrong on a pose in a hundred and still count as right:
//! the bar is the fastest program that somebody could use, not the fastest exact one.

use super::Question;
use super::program::{OURS, Place, Told};
use anyhow::{Result, ensure};

/// Whose answers the others are held against.
const REFERENCE: &str = "fcl-obbrss";
/// Distances that differ by more are different.
const DISTANCE: f64 = 1e-5;
/// The part of the queries, or of all triangle pairs, that a program may get wrong.
const TOLERANCE: f64 = 0.01;

/// A program on one mesh and question, all rounds together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Score {
    pub(super) mesh: String,
    pub(super) question: Question,
    pub(super) peer: String,
    pub(super) queries: usize,
    pub(super) passes: usize,
    pub(super) min_us: f64,
    pub(super) median_us: f64,
    /// Queries whose answers are not those of the reference; none if it left no answers.
    pub(super) differing: Option<usize>,
    /// Its answers can be used.
    pub(super) right: bool,
}

impl Score {
    pub(super) fn ours(&self) -> bool {
        self.peer == OURS
    }

    /// For the person who watches.
    pub(super) fn say(&self) {
        let differing = match self.differing {
            Some(0) => String::new(),
            Some(count) => format!("  {count} of {} differ", self.queries),
            None => "  no answers".to_owned(),
        };
        let right = if self.right { "" } else { ", wrong" };
        println!(
            "{:12} {:10} {:24} {:12.3} min {:12.3} median{differing}{right}",
            self.mesh,
            self.question.want(),
            self.peer,
            self.min_us,
            self.median_us
        );
    }
}

/// All programs on one mesh, in the order in which they first spoke.
pub(super) fn scores(
    mesh: &str,
    queries: usize,
    told: &[Told],
    place: &Place,
) -> Result<Vec<Score>> {
    let mut scores = Vec::new();
    for question in Question::ALL {
        let here: Vec<&Told> = told.iter().filter(|told| told.question == question).collect();
        let mut peers: Vec<&str> = Vec::new();
        for told in &here {
            if !peers.contains(&told.peer.as_str()) {
                peers.push(&told.peer);
            }
        }
        let answers = |peer: &str| place.answers(peer, question, mesh);
        let reference = answers(REFERENCE).or_else(|| answers(OURS)).unwrap_or_default();
        ensure!(reference.len() == queries, "{mesh}: {} of {queries} answers", reference.len());
        for peer in peers {
            let rounds = here.iter().filter(|told| told.peer == peer);
            let (differing, right) = match answers(peer) {
                Some(answers) => compare(question, &reference, &answers),
                None => (None, false),
            };
            let mut medians: Vec<f64> = rounds.clone().map(|told| told.median_us).collect();
            medians.sort_by(f64::total_cmp);
            let middle = medians.len() / 2;
            let median_us = match medians.len() % 2 {
                1 => medians[middle],
                _ => 0.5 * (medians[middle - 1] + medians[middle]),
            };
            scores.push(Score {
                mesh: mesh.to_owned(),
                question,
                peer: peer.to_owned(),
                queries,
                passes: rounds.clone().map(|told| told.passes).sum(),
                min_us: rounds.map(|told| told.min_us).fold(f64::INFINITY, f64::min),
                median_us,
                differing,
                right,
            });
        }
    }
    Ok(scores)
}

/// How many answers differ, and whether they are right all the same.
fn compare(question: Question, reference: &[f64], answers: &[f64]) -> (Option<usize>, bool) {
    if answers.len() != reference.len() {
        return (None, false);
    }
    let apart = |(a, b): &(&f64, &f64)| match question {
        Question::Clearance => !((*a - *b).abs() <= DISTANCE),
        _ => a != b,
    };
    let differing = reference.iter().zip(answers).filter(apart).count();
    let right = match question {
        Question::Pairs => {
            let [sum, want] = [answers, reference].map(|list| list.iter().sum::<f64>());
            (sum - want).abs() <= TOLERANCE * want
        }
        _ => differing as f64 <= TOLERANCE * reference.len() as f64,
    };
    (Some(differing), right)
}

/// A case of the contest: ours and the best of the others whose answers are right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Duel<'a> {
    pub(super) ours: &'a Score,
    /// The fastest by its median, and by its minimum.
    pub(super) best: Option<[&'a Score; 2]>,
}

impl Duel<'_> {
    /// How many times as fast ours is, by the median and by the minimum.
    pub(super) fn ratios(&self) -> Option<[f64; 2]> {
        let [median, min] = self.best?;
        Some([median.median_us / self.ours.median_us, min.min_us / self.ours.min_us])
    }
}

/// One per mesh and question, by question.
pub(super) fn duels(scores: &[Score]) -> Vec<Duel<'_>> {
    let of = |question| scores.iter().filter(move |s| s.ours() && s.question == question);
    Question::ALL.into_iter().flat_map(of).map(|ours| duel(scores, ours)).collect()
}

fn duel<'a>(scores: &'a [Score], ours: &'a Score) -> Duel<'a> {
    let same = |s: &&Score| s.mesh == ours.mesh && s.question == ours.question;
    let others = || scores.iter().filter(same).filter(|s| !s.ours() && s.right);
    let median = others().min_by(|a, b| a.median_us.total_cmp(&b.median_us));
    let min = others().min_by(|a, b| a.min_us.total_cmp(&b.min_us));
    Duel { ours, best: median.zip(min).map(|(median, min)| [median, min]) }
}

/// The geometric mean.
pub(super) fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_as_their_question_asks() {
        let compare = |question, a: &[f64], b: &[f64]| compare(question, a, b);
        let long = vec![1.0; 100];
        let mut other = long.clone();
        other[3] = 0.0;
        assert_eq!(compare(Question::Touching, &long, &other), (Some(1), true));
        other[4] = 0.0;
        assert_eq!(compare(Question::Touching, &long, &other), (Some(2), false));
        assert_eq!(compare(Question::Pairs, &[100.0, 0.0], &[100.0, 1.0]), (Some(1), true));
        assert_eq!(compare(Question::Pairs, &[100.0], &[120.0]), (Some(1), false));
        assert_eq!(compare(Question::Clearance, &[0.1], &[0.1 + 9e-6]), (Some(0), true));
        assert_eq!(compare(Question::Clearance, &[0.1], &[f64::NAN]), (Some(1), false));
        assert_eq!(compare(Question::Clearance, &[0.1, 0.2], &[0.1]), (None, false));
    }

    #[test]
    fn the_best_is_the_fastest_that_is_right() {
        let score = |peer: &str, median_us, right| Score {
            mesh: "knot".to_owned(),
            question: Question::Pairs,
            peer: peer.to_owned(),
            queries: 1,
            passes: 1,
            min_us: median_us / 2.0,
            median_us,
            differing: Some(0),
            right,
        };
        let scores =
            [score(OURS, 2.0, true), score("wrong", 1.0, false), score("slow", 30.0, true)];
        let with_best = [&scores[..], &[score("best", 16.0, true)]].concat();
        let duel = duels(&with_best)[0];
        assert_eq!(duel.best.map(|[median, _]| median.peer.as_str()), Some("best"));
        assert_eq!(duel.ratios(), Some([8.0, 8.0]));
        assert_eq!(duels(&scores[..2])[0].ratios(), None);
        assert!((mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }
}
