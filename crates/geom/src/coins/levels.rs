//! The descent of two placed trees level by level, as (H93) prints it.
//!
//! A pass opens both coins of every pair that waits, so that all of them are one level deeper; pairs that are
//! apart are done with. The paper looks at overlapping pairs alone (`below` is zero here), and tells whether any are
//! left at the depth where it was stopped. Departs from the paper: the witnesses and bounds of the coins make an
//! interval of the distance of it, which holds after every pass and within one; and leaves are
//! triangles, so that the last pass is exact.

use super::couple::Couple;
use super::search::Interval;
use super::{Below, CoinTree, NOTHING, Place};
use crate::distance::{Closest, triangle_triangle_below};

/// A lower bound, in the couple's unit, and the pair that it is of.
type Pair = (f32, [Place; 2]);

/// How far a descent has come. It goes on with the couple that it was started with.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    /// Pairs of this level: those from `next` on were not looked at yet.
    level: Vec<Pair>,
    next: usize,
    /// What this pass has found so far.
    deeper: Vec<Pair>,
    depth: u32,
    /// Pairs that are farther apart than this are not opened, in the couple's unit.
    below: f32,
    /// An upper bound of the distance, and the coins whose points have it.
    upper: f32,
    points: Option<[Place; 2]>,
    /// The nearest triangles of those that were measured, as lengths.
    measured: Option<(Closest, [u32; 2])>,
    /// Of all that were measured, the least lower bound.
    measured_least: f64,
    /// The least lower bound of what was not opened because it is farther than `below`.
    floor: f32,
    meeting: Option<[u32; 2]>,
    tests: u64,
}

/// The paper's descent: overlapping pairs, down to this depth, where the coins around everything are at depth 0.
pub fn descend(couple: &Couple<'_>, depth: u32) -> Descent {
    let mut descent = Descent::default();
    descent.start(couple, 0.0);
    while descent.depth() < depth && !descent.is_done() {
        descent.pass(couple);
    }
    descent
}

impl Descent {
    /// Begins with the coins around everything. Pairs that are farther apart than `below` are not opened: zero
    /// is the paper's way; with infinity the distance is exact at the end.
    pub fn start(&mut self, couple: &Couple<'_>, below: f64) {
        self.level.clear();
        self.deeper.clear();
        (self.next, self.depth, self.tests) = (0, 0, 0);
        // Rounded up, so that what is as far as that is still looked at.
        self.below = ((below / couple.unit()) as f32).next_up();
        (self.upper, self.points) = (f32::INFINITY, None);
        (self.measured, self.measured_least) = (None, f64::INFINITY);
        (self.floor, self.meeting) = (f32::INFINITY, None);
        if couple.bodies().iter().all(|body| body.tree.node(0).below[0] != NOTHING) {
            self.open(couple, (0, 0), (0.0, CoinTree::ROOT));
            std::mem::swap(&mut self.level, &mut self.deeper);
        }
    }

    /// Takes everything that waits one level down; what is known afterwards is never less than before.
    pub fn pass(&mut self, couple: &Couple<'_>) {
        self.pass_while(couple, || true);
    }

    /// A pass that may be stopped before any of its pairs: `go_on` is asked. True if it was done to its end;
    /// if not, the next call goes on with it.
    pub fn pass_while(&mut self, couple: &Couple<'_>, mut go_on: impl FnMut() -> bool) -> bool {
        while self.next < self.level.len() {
            if !go_on() {
                return false;
            }
            let (least, places) = self.level[self.next];
            self.next += 1;
            // The upper bound may have come down since.
            if least <= self.most() {
                self.refine(couple, (least, places));
            }
            if self.meeting.is_some() {
                self.level.clear();
                self.deeper.clear();
            }
        }
        std::mem::swap(&mut self.level, &mut self.deeper);
        self.deeper.clear();
        self.next = 0;
        self.depth += 1;
        true
    }

    /// How many passes were done.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether there is nothing more to be found out.
    pub fn is_done(&self) -> bool {
        self.waiting().next().is_none()
    }

    /// How many pairs wait to be opened.
    pub fn pairs(&self) -> usize {
        self.waiting().count()
    }

    /// How many pairs of coins and of triangles were held against each other.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    /// Two triangles that meet, if some were found; there is nothing more to be found out then.
    pub fn meeting(&self) -> Option<[u32; 2]> {
        self.meeting
    }

    /// Whether it is proven that nothing meets.
    pub fn apart(&self) -> bool {
        self.meeting.is_none() && self.waiting().all(|(least, _)| least > 0.0)
    }

    /// What the distance is at least and at most, as lengths.
    pub fn ends(&self, couple: &Couple<'_>) -> [f64; 2] {
        if self.meeting.is_some() {
            return [0.0; 2];
        }
        let waiting = self.waiting().fold(self.floor, |least, (lower, _)| least.min(lower));
        let least = (f64::from(waiting) * couple.unit()).min(self.measured_least);
        let most = self.at_most(couple);
        [least.min(most), most]
    }

    /// What is known of the distance; none if there are no triangles, or nothing is known yet.
    pub fn interval(&self, couple: &Couple<'_>) -> Option<Interval> {
        if let Some(triangles) = self.meeting {
            let point = couple.bodies()[0].triangle(triangles[0])[0];
            return Some(Interval { at_least: 0.0, at_most: 0.0, points: [point; 2], triangles });
        }
        let [at_least, at_most] = self.ends(couple);
        if let Some((closest, triangles)) = self.measured
            && closest.hi <= at_most
        {
            return Some(Interval { at_least, at_most, points: closest.points, triangles });
        }
        let places = self.points?;
        let told = [0, 1].map(|k| couple.bodies()[k].witness(places[k]));
        Some(Interval {
            at_least,
            at_most,
            points: told.map(|(_, point)| point),
            triangles: told.map(|(triangle, _)| triangle),
        })
    }

    /// All pairs that still matter.
    fn waiting(&self) -> impl Iterator<Item = Pair> + '_ {
        let most = self.most();
        let pairs = self.level[self.next..].iter().chain(&self.deeper);
        pairs.copied().filter(move |&(least, _)| least <= most)
    }

    /// What is farther apart than this is not opened.
    #[inline]
    fn most(&self) -> f32 {
        self.upper.min(self.below)
    }

    fn at_most(&self, couple: &Couple<'_>) -> f64 {
        let measured = self.measured.map_or(f64::INFINITY, |(closest, _)| closest.hi);
        measured.min(f64::from(self.upper) * couple.unit())
    }

    /// Opens both coins of a pair, or the one that holds more than a triangle; or measures two triangles.
    fn refine(&mut self, couple: &Couple<'_>, (least, places): Pair) {
        let [a, b] = [0, 1].map(|k| couple.bodies()[k].tree.below(places[k]));
        match [a, b] {
            [Below::Triangle(a), Below::Triangle(b)] => self.measure(couple, [a, b], least),
            [Below::Node(a), Below::Triangle(_)] => self.open(couple, (0, a), (least, places[1])),
            [Below::Triangle(_), Below::Node(b)] => self.open(couple, (1, b), (least, places[0])),
            [Below::Node(a), Below::Node(b)] => {
                // First one, then the other against each coin of it that is left.
                let from = self.deeper.len();
                self.open(couple, (0, a), (least, places[1]));
                let half: Vec<Pair> = self.deeper.drain(from..).collect();
                for (least, [own, _]) in half {
                    if least <= self.most() {
                        self.open(couple, (1, b), (least, own));
                    }
                }
            }
        }
    }

    /// Holds the coins of a node against one of the other body; none is nearer than `least`.
    fn open(
        &mut self,
        couple: &Couple<'_>,
        (side, node): (usize, u32),
        (least, other): (f32, Place),
    ) {
        let found = couple.bounds((side, node), other);
        for (lane, &below) in couple.places((side, node)).iter().enumerate() {
            if below == NOTHING {
                continue;
            }
            self.tests += 1;
            let own = Place(8 * node + lane as u32);
            let places = if side == 0 { [own, other] } else { [other, own] };
            if found.upper[lane] < self.upper {
                (self.upper, self.points) = (found.upper[lane], Some(places));
            }
            let lower = found.lower[lane].max(least);
            if lower <= self.most() {
                self.deeper.push((lower, places));
            } else if lower > self.below {
                self.floor = self.floor.min(lower);
            }
        }
    }

    fn measure(&mut self, couple: &Couple<'_>, triangles: [u32; 2], least: f32) {
        self.tests += 1;
        if least <= 0.0 && couple.meet(triangles) {
            self.meeting = Some(triangles);
            return;
        }
        let most = self.at_most(couple);
        let [a, b] = [0, 1].map(|k| couple.bodies()[k].triangle(triangles[k]));
        let Some(closest) = triangle_triangle_below(&a, &b, most) else { return };
        let least = closest.lo.max(f64::from(least) * couple.unit());
        self.measured_least = self.measured_least.min(least);
        if self.measured.is_none_or(|(best, _)| closest.hi < best.hi) {
            self.measured = Some((closest, triangles));
            self.upper = self.upper.min(((closest.hi / couple.unit()) as f32).next_up());
        }
    }
}
