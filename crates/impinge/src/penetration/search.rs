//! The search for a shorter way out than that of the hulls, for bodies that are not convex.
//!
//! Three ways to find a free place: pushing the contacts out until none is left; going outward from
//! the contacts in growing steps; trying directions all around. From each free place that is nearer
//! than the best one the second body is drawn back towards its own place until it nearly touches, and
//! slides along what it touches as long as that shortens the way (in the manner of the contact space
//! projections of Je, Tang, Lee, Lee and Kim, 2012). All of that is guessing: what counts is that the
//! engine was asked about the place that is returned.

use super::Separation;
use super::oracle::{Oracle, State};
use super::planes::Planes;
use glam::DVec3;

/// Rounds of pushing contacts out.
const PUSHES: u32 = 8;
/// Rounds of sliding.
const SLIDES: u32 = 10;
/// Halvings of the way back to contact.
const HALVINGS: u32 = 8;
/// Sliding ends when a round would shorten the way by less than this part.
const GAIN_MIN: f64 = 1e-3;
/// Steps outward from the contacts, as parts of the best way known.
const LADDER: [f64; 7] = [1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 0.125, 0.25, 0.5, 0.9];
/// Steps in directions all around.
const AROUND: [f64; 3] = [0.9, 0.45, 0.2];

/// The search.
pub(super) struct Search<'a> {
    oracle: Oracle<'a>,
    best: Separation,
}

impl<'a> Search<'a> {
    pub(super) fn new(oracle: Oracle<'a>, best: Separation) -> Self {
        Self { oracle, best }
    }

    /// The best that the questions allow.
    pub(super) fn run(mut self) -> Separation {
        let normals = self.push_out();
        self.descend(DVec3::from(self.best.translation));
        for normal in normals {
            for direction in [normal, -normal] {
                self.try_along(direction, &LADDER);
            }
        }
        for direction in around() {
            self.try_along(direction, &AROUND);
        }
        self.best
    }

    fn is_done(&self) -> bool {
        self.oracle.is_spent() || self.best.is_proven()
    }

    /// Keeps a place that was found free, if it is nearer.
    fn keep(&mut self, translation: DVec3) {
        let depth = translation.length();
        if depth < self.best.depth {
            self.best = Separation { translation: translation.into(), depth, ..self.best };
        }
    }

    /// Moves out of the planes of all contacts, again and again. Returns the directions of the contacts
    /// at the beginning, and their sum. Their depths are lower bounds: each is that of two triangles.
    fn push_out(&mut self) -> Vec<DVec3> {
        let rounding = self.best.rounding;
        let mut planes = Planes::default();
        let mut normals = Vec::new();
        let mut at = DVec3::ZERO;
        for round in 0..PUSHES {
            let mut contacts = self.oracle.contacts(at).to_vec();
            contacts.sort_by(|x, y| y.depth.total_cmp(&x.depth));
            for contact in &contacts {
                let normal = DVec3::from(contact.normal);
                planes.push_farther(normal, normal.dot(at) + contact.depth + rounding);
            }
            if round == 0 {
                let deepest = contacts.first().map_or(0.0, |contact| contact.depth - rounding);
                self.best.at_least = self.best.at_least.max(deepest);
                let sum: DVec3 = contacts.iter().map(|c| DVec3::from(c.normal) * c.depth).sum();
                normals.extend(sum.try_normalize());
                normals.extend(planes.normals());
            }
            let Some(next) = planes.nearest() else { break };
            // Where contacts are pushed out little by little, larger steps may do as well.
            let next = if round % 2 == 1 { next * 2.0 } else { next };
            if self.is_done() || contacts.is_empty() || next.length() >= self.best.depth {
                break;
            }
            at = next;
            if self.oracle.state(at) == State::Free {
                self.descend(at);
                break;
            }
        }
        normals
    }

    /// Looks for a free place in a direction, nearer than the best one.
    fn try_along(&mut self, direction: DVec3, parts: &[f64]) {
        let depth = self.best.depth;
        for part in parts {
            if self.is_done() || part * depth <= self.best.at_least {
                continue;
            }
            let at = direction * (part * depth);
            if self.oracle.state(at) == State::Free {
                self.descend(at);
                return;
            }
        }
    }

    /// From a free place towards the origin, along whatever is in the way.
    fn descend(&mut self, start: DVec3) {
        let mut at = start;
        self.keep(at);
        let mut planes = Planes::default();
        for _ in 0..SLIDES {
            let Some(goal) = planes.nearest() else { return };
            if self.is_done() || goal.length() > (1.0 - GAIN_MIN) * at.length() {
                return;
            }
            at = self.approach(at, goal);
            self.keep(at);
            let Some(gap) = self.oracle.clearance(at) else { return };
            let [p, q] = gap.points.map(DVec3::from);
            let Some(normal) = (q - p).try_normalize() else { return };
            planes.push(normal, normal.dot(at) - gap.at_most + self.best.rounding);
        }
    }

    /// The goal if it is free, or else a free place on the way there next to one that is not.
    fn approach(&mut self, from: DVec3, goal: DVec3) -> DVec3 {
        // The origin is where the two touch.
        if goal != DVec3::ZERO && self.oracle.state(goal) == State::Free {
            return goal;
        }
        let (mut free, mut hit) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + hit);
            match self.oracle.state(from.lerp(goal, middle)) {
                State::Free => free = middle,
                State::Hit => hit = middle,
                State::Unknown => break,
            }
        }
        from.lerp(goal, free)
    }
}

/// The 26 directions to the corners, edges and faces of a cube.
fn around() -> impl Iterator<Item = DVec3> {
    let digit = |i: u32, place: u32| f64::from(i / 3u32.pow(place) % 3) - 1.0;
    let vector = move |i| DVec3::new(digit(i, 0), digit(i, 1), digit(i, 2));
    (0..27).filter_map(move |i| vector(i).try_normalize())
}
