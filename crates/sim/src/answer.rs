//! The later stages of a step: who touches whom, and what they do about it.

use crate::frame::Event;
use crate::respond::impulse::{self, Rules};
use crate::respond::manifold::{Hit, Seen};
use crate::respond::{exchange, reflect};
use crate::settings::Response;
use crate::simulation::{Role, Simulation};
use glam::DVec3;
use impinge::contract::answer::Progress;
use impinge::contract::ids::BodyId;
use impinge::contract::query::Want;
use impinge::world;
use impinge_geom::motion::Motion;

/// Slower than what gravity makes in so many frames is resting.
const RESTING_FRAMES: f64 = 2.0;

impl Simulation {
    pub(crate) fn detect(&mut self) -> (Progress, usize) {
        let report = self.world.step(&self.query);
        let ids = &self.ids;
        let place = |id: &BodyId| ids.binary_search(id).expect("the world holds these bodies only");
        self.hits.clear();
        self.spots.clear();
        for found in report.hits() {
            let pair = [place(&found.a), place(&found.b)];
            self.hits.push(if self.query.want == Want::Touching {
                let time = found.answer.time.map_or(1.0, |[from, _]| from);
                Hit { pair, time, normal: DVec3::ZERO, spots: 0..0 }
            } else {
                let (columns, starts) = (&self.columns, &self.starts);
                let seen = Seen { columns, looks: &self.looks, starts, pair };
                seen.hit(&found, &mut self.spots)
            });
        }
        self.events.clear();
        self.events.extend(report.events().iter().map(|event| match event {
            world::events::Event::Begin(a, b) => Event::Begin(place(a), place(b)),
            world::events::Event::Stay(a, b) => Event::Stay(place(a), place(b)),
            world::events::Event::End(a, b) => Event::End(place(a), place(b)),
        }));
        // What comes first on the way is answered first; else the order is that of the bodies.
        self.hits.sort_by(|one, two| one.time.total_cmp(&two.time));
        (report.progress(), report.broken_promises().count())
    }

    /// Hands take hold of what they touch while they grasp, and let go afterwards.
    pub(crate) fn grasp_and_release(&mut self) {
        if self.hands.is_empty() {
            return;
        }
        for h in 0..self.hands.len() {
            let (hand, [from, until]) = self.hands[h];
            if self.time >= until {
                let held = |i: &usize| self.holder(*i) == Some(hand);
                for i in (0..self.ids.len()).filter(held).collect::<Vec<_>>() {
                    self.release(i);
                }
            } else if self.time >= from {
                for h in 0..self.hits.len() {
                    let [a, b] = self.hits[h].pair;
                    if a == hand || b == hand {
                        self.grasp(a + b - hand, hand);
                    }
                }
            }
        }
    }

    pub(crate) fn respond(&mut self, dt: f64) {
        let hits = std::mem::take(&mut self.hits);
        match self.settings.response {
            Response::None => {}
            Response::Impulse => self.push_apart(&hits, dt),
            Response::Exchange | Response::Reflect => {
                for hit in &hits {
                    self.throw_back(hit, dt);
                }
            }
        }
        self.hits = hits;
    }

    /// The answer without impulses.
    fn throw_back(&mut self, hit: &Hit, dt: f64) {
        if self.is_grip(hit.pair) {
            return;
        }
        let before = hit.pair.map(|i| self.columns.state(i));
        self.go_back(hit, dt);
        let answered = match self.settings.response {
            Response::Exchange => exchange::answer(&mut self.columns, hit.pair),
            _ => {
                let spots = &self.spots[hit.spots.clone()];
                reflect::answer(&mut self.columns, hit, spots, self.settings.restitution)
            }
        };
        if answered.is_none() && hit.time < 1.0 {
            // They part already, and go on their way.
            hit.pair.iter().zip(before).for_each(|(&i, state)| self.columns.restore(i, state));
        }
        self.collisions.extend(answered);
    }

    /// Whether one of the two holds the other, or both are held by the same.
    fn is_grip(&self, [a, b]: [usize; 2]) -> bool {
        let (of_a, of_b) = (self.holder(a), self.holder(b));
        of_a == Some(b) || of_b == Some(a) || (of_a.is_some() && of_a == of_b)
    }

    /// Two that met on their way go back to where they met, if they are free to, and on from there in
    /// the next frame; so that none gets through another.
    fn go_back(&mut self, hit: &Hit, dt: f64) {
        if hit.time >= 1.0 {
            return;
        }
        for i in hit.pair {
            let (start, pose) = (self.starts[i], self.columns.pose[i]);
            if self.roles[i] != Role::Free || start == pose {
                continue;
            }
            let back = Motion::lerp_slerp(start, pose).pose_at(hit.time);
            self.columns.put(i, back);
            let pull = self.pull(i);
            self.columns.velocity[i] -= pull * (dt * (1.0 - hit.time));
        }
    }

    fn push_apart(&mut self, hits: &[Hit], dt: f64) {
        let gravity = DVec3::from(self.settings.gravity);
        let rules = Rules {
            restitution: self.settings.restitution,
            friction: self.settings.friction,
            resting: RESTING_FRAMES * gravity.length() * dt,
            dt,
        };
        self.joints.clear();
        for wall in &self.at_walls {
            let leaning = (wall, &self.wall_spots[wall.spots.clone()]);
            let met = impulse::lean(&self.columns, leaning, &rules, &mut self.joints);
            self.collisions.extend(met);
        }
        for hit in hits {
            let spots = hit.spots.clone();
            let closes = impulse::closes(&self.columns, hit, &self.spots[spots.clone()]);
            if !closes || self.is_grip(hit.pair) {
                continue;
            }
            self.go_back(hit, dt);
            let joined = (hit, &self.spots[spots]);
            let met = impulse::join(&self.columns, joined, &rules, &mut self.joints);
            self.collisions.extend(met);
        }
        impulse::solve(&mut self.columns, &mut self.joints, rules.friction);
        for hit in hits {
            self.take_back_overlap(hit);
        }
    }

    fn take_back_overlap(&mut self, hit: &Hit) {
        let [a, b] = hit.pair;
        let size = self.columns.reach[a].min(self.columns.reach[b]);
        let overlap = impulse::overlap(&self.spots[hit.spots.clone()], size);
        let give = self.columns.inverse_mass[a] + self.columns.inverse_mass[b];
        if overlap <= 0.0 || give == 0.0 || self.is_grip(hit.pair) {
            return;
        }
        for (i, sign) in [(a, -1.0), (b, 1.0)] {
            let part = self.columns.inverse_mass[i] / give;
            if part > 0.0 {
                let pull = self.pull(i);
                let way = hit.normal * (sign * part * overlap);
                impulse::shift(&mut self.columns, i, way, pull);
                self.columns.settle(i);
                self.push_inside(i);
            }
        }
    }
}
