//! Who takes part in an instant: each body once, and each pair of bodies once.

use super::model::Model;
use crate::contract::ids::ShapeId;
use crate::contract::job::Job;
use crate::narrow::models::Models;
use impinge_geom::pose::Pose;
use std::collections::BTreeMap;

/// So many vertices and faces are placed at once. A batch can be one body at thousands of places,
/// and all of them in memory would be too much.
const SIZE_MAX: usize = 1 << 21;

/// Two bodies that are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Couple {
    /// By their numbers in the cast. The same twice means a body against itself.
    pub(super) bodies: [u32; 2],
}

impl Couple {
    pub(super) fn is_self(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

/// Bodies, the pairs of them that jobs ask about, and the pair of each job.
#[derive(Default)]
pub(super) struct Cast {
    pub(super) bodies: Vec<(ShapeId, Pose)>,
    pub(super) couples: Vec<Couple>,
    /// By job.
    pub(super) couple_of: Vec<u32>,
    body_numbers: BTreeMap<(u32, [u64; 7]), u32>,
    couple_numbers: BTreeMap<Couple, u32>,
    size: usize,
}

impl Cast {
    /// All jobs at one time of their motions, in as few casts as memory allows.
    pub(super) fn all(jobs: &[Job], time: f64, models: &Models<Model>) -> Vec<Self> {
        let mut casts = vec![Self::default()];
        for job in jobs {
            if casts.last().is_some_and(|cast| cast.size > SIZE_MAX) {
                casts.push(Self::default());
            }
            if let Some(cast) = casts.last_mut() {
                cast.add(job, time, models);
            }
        }
        casts
    }

    fn add(&mut self, job: &Job, time: f64, models: &Models<Model>) {
        let [a, b] = [&job.a, &job.b].map(|placed| (placed.shape, placed.placement.at(time)));
        let first = self.body(a, models);
        let second = match job.itself {
            true => first,
            false => match self.body(b, models) {
                // Two bodies of one shape at one place are still two.
                same if same == first => self.another(b, models),
                other => other,
            },
        };
        let couple = Couple { bodies: [first, second] };
        let next = self.couples.len() as u32;
        let number = *self.couple_numbers.entry(couple).or_insert(next);
        if number == next {
            self.couples.push(couple);
        }
        self.couple_of.push(number);
    }

    /// The number of a body, a new one if it was not there.
    fn body(&mut self, body: (ShapeId, Pose), models: &Models<Model>) -> u32 {
        let ([a, b, c, d], [x, y, z]) = (body.1.rotation(), body.1.translation());
        let key = (body.0.0, [a, b, c, d, x, y, z].map(f64::to_bits));
        if let Some(&number) = self.body_numbers.get(&key) {
            return number;
        }
        let number = self.another(body, models);
        self.body_numbers.insert(key, number);
        number
    }

    fn another(&mut self, body: (ShapeId, Pose), models: &Models<Model>) -> u32 {
        self.size += models.get(body.0).size();
        self.bodies.push(body);
        self.bodies.len() as u32 - 1
    }
}
