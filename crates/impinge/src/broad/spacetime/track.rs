//! What is known of a body from step to step: where its middle is, the way it took, and how much the
//! next way may differ by its promise [H93]. From these follows the parabolic horn that holds it.
//!
//! All that is concluded rests on what the table said, not on what it rounded: the middles are the f32
//! of the table, each step checks that their second differences keep to the bound and that the box
//! lies around the middle, and the slack of the check is part of the horn.

use crate::contract::bounds::{Bounds, Reach};
use crate::contract::ids::Slot;
use crate::contract::promise::Promise;
use impinge_geom::aabb::{Aabb32, round_up};
use impinge_simd::follow::{Grant, Tracks8, ahead, follow};
use impinge_simd::sweep::Boxes8;

/// What is known of all bodies, by slot.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    blocks: Vec<Tracks8>,
    /// Buffer of one step: who left, by block.
    left: Vec<u8>,
}

/// What is known of one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    /// Of the body's ball, at the end of the step.
    middle: [f32; 3],
    /// No side of the box is farther from there.
    half: f32,
    /// By how much the middle moved since the step before.
    way: [f32; 3],
    /// The square of the most by which two ways one after the other may differ; below zero if nothing
    /// is known.
    bend2: f32,
}

/// Twice what a sum of two f32 is rounded by, as a share of them.
const ROUND: f32 = f32::EPSILON;
/// Boxes may grow by this share before the horn is made anew.
const PLAY: f32 = 1.0 / 64.0;
/// By these shares and by this length the bend of a horn is more than what is checked: squares and
/// differences are rounded, and very short ones have no square.
const MORE_BEND: f64 = 1.0 / 1024.0;
const MORE_WAY: f64 = 4.0 * f32::EPSILON as f64;
const LEAST_BEND: f64 = 1e-18;

impl Tracks {
    /// Makes room for so many slots.
    pub(super) fn reserve(&mut self, slots: usize) {
        let blocks = slots.div_ceil(8).max(self.blocks.len());
        self.blocks.resize(blocks, Tracks8::NOBODY);
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        8 * self.blocks.len()
    }

    /// Forgets everyone.
    pub(super) fn forget(&mut self) {
        self.blocks.fill(Tracks8::NOBODY);
    }

    /// Forgets a body.
    pub(super) fn remove(&mut self, slot: Slot) {
        let (block, lane) = self.at(slot);
        for k in 0..3 {
            (block.middle[k][lane], block.way[k][lane]) = (f32::NAN, f32::NAN);
        }
        (block.half[lane], block.bend2[lane]) = (f32::INFINITY, -1.0);
    }

    /// From now on nothing is known of a body but where it is and came from.
    pub(super) fn dismiss(&mut self, slot: Slot) {
        let (block, lane) = self.at(slot);
        block.bend2[lane] = -1.0;
    }

    /// Whether a body was admitted.
    #[inline]
    pub(super) fn is_admitted(&self, slot: Slot) -> bool {
        self.blocks[slot.index() / 8].bend2[slot.index() % 8] >= 0.0
    }

    /// What is known of a body.
    #[inline]
    pub(super) fn of(&self, slot: Slot) -> Track {
        let (block, lane) = (&self.blocks[slot.index() / 8], slot.index() % 8);
        Track {
            middle: std::array::from_fn(|k| block.middle[k][lane]),
            half: block.half[lane],
            way: std::array::from_fn(|k| block.way[k][lane]),
            bend2: block.bend2[lane],
        }
    }

    /// Takes a promise for granted from this step on; false if there is nothing to build on.
    pub(super) fn admit(&mut self, slot: Slot, promise: &Promise, bounds: &Bounds) -> bool {
        let mut track = self.of(slot);
        track.admit(promise, &bounds.reach[slot.index()], &bounds.aabb[slot.index()]);
        let (block, lane) = self.at(slot);
        (block.half[lane], block.bend2[lane]) = (track.half, track.bend2);
        track.is_admitted()
    }

    /// Whether a promise is no weaker than the one before, so that the horn still holds; not if there was
    /// none. Pushes are another matter.
    pub(super) fn is_narrower(&self, slot: Slot, promise: &Promise) -> bool {
        let track = self.of(slot);
        promise.push().is_none() && track.bend_max(promise) <= track.bend2
    }

    /// Takes such a promise for granted from the next step on.
    pub(super) fn narrow(&mut self, slot: Slot, promise: &Promise) {
        if self.is_narrower(slot, promise) {
            let bend2 = self.of(slot).bend_max(promise);
            let (block, lane) = self.at(slot);
            block.bend2[lane] = bend2;
        }
    }

    /// Follows all bodies by a step. Lists those in `live` (a bit per slot) that do not keep to what
    /// they were admitted for, or were not admitted, with the square of the difference of their ways.
    pub(super) fn follow(&mut self, bounds: &Bounds, live: &[u8], out: &mut Vec<(Slot, f32)>) {
        out.clear();
        let now = |i: usize| {
            let Reach { center: c, radius, velocity: v, acceleration } = bounds.reach[i];
            [c[0], c[1], c[2], radius, v[0], v[1], v[2], acceleration]
        };
        follow(&mut self.blocks, now, &bounds.aabb, &mut self.left);
        for (b, (left, live)) in self.left.iter().zip(live).enumerate() {
            let mut bits = left & live;
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                out.push((Slot((8 * b + lane) as u32), self.blocks[b].bent2[lane]));
                bits &= bits - 1;
            }
        }
    }

    /// Boxes around the horns of all who have one, from now on for so many steps, rounded outward; NaN
    /// for the others.
    pub(super) fn swept(&self, steps: f32, out: &mut Vec<Boxes8>) {
        const GRANT: Grant = Grant {
            bend: 1.0 + 2.0 * MORE_BEND as f32,
            bend_more: LEAST_BEND as f32,
            way: 2.0 * MORE_WAY as f32,
            round: 8.0 * ROUND,
        };
        ahead(&self.blocks, steps, &GRANT, out);
    }

    /// The memory held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Tracks8>() * self.blocks.capacity() + self.left.capacity()
    }

    fn at(&mut self, slot: Slot) -> (&mut Tracks8, usize) {
        (&mut self.blocks[slot.index() / 8], slot.index() % 8)
    }
}

impl Track {
    /// Whether it was admitted.
    pub(super) fn is_admitted(&self) -> bool {
        self.bend2 >= 0.0
    }

    /// Whether a difference of ways with this square is more than promised, wherever the body is.
    pub(super) fn breaks(&self, promise: &Promise, square: f32) -> bool {
        square > self.bend_max(promise)
    }

    /// By how much the next way differs from the last one, along a direction. To be asked before
    /// [`Tracks::follow`].
    pub(super) fn bend_along(&self, reach: &Reach, push: &[f32; 3]) -> f32 {
        let now = |k: usize| reach.center[k] + reach.velocity[k];
        let bent = |k: usize| now(k) - self.middle[k] - self.way[k];
        (0..3).map(|k| bent(k) * push[k]).sum()
    }

    /// More than rounding to f32 adds to a difference of ways.
    pub(super) fn rounding(&self) -> f32 {
        8.0 * ROUND * (norm_max(&self.middle) + norm_max(&self.way))
    }

    /// What rounding may do against a push.
    pub(super) fn spare(&self, promise: &Promise) -> f32 {
        2.0 * self.rounding() + 8.0 * ROUND * round_up(promise.acceleration())
    }

    fn bend_max(&self, promise: &Promise) -> f32 {
        let bend = promise.acceleration() + f64::from(self.rounding());
        round_up(bend * bend * (1.0 + 1e-6))
    }

    /// Takes the promise for granted from this step on, if there is something to build on.
    fn admit(&mut self, promise: &Promise, reach: &Reach, aabb: &Aabb32) {
        let mut need = reach.radius;
        for k in 0..3 {
            let side = (aabb[k + 3] - self.middle[k]).max(self.middle[k] - aabb[k]);
            need = need.max(side).max(reach.radius + reach.velocity[k].abs());
        }
        self.half = need * (1.0 + PLAY) + 4.0 * ROUND * norm_max(&self.middle);
        self.bend2 = self.bend_max(promise);
        let numbers = self.middle.iter().chain(&self.way).chain([&self.half, &self.bend2]);
        if !numbers.fold(true, |all, x| all & x.is_finite()) {
            self.bend2 = -1.0;
        }
    }

    /// What follows for the steps to come.
    #[inline]
    pub(super) fn horn(&self) -> Horn {
        let bend = f64::from(self.bend2).sqrt() * (1.0 + MORE_BEND) + LEAST_BEND;
        Horn {
            middle: self.middle.map(f64::from),
            way: self.way.map(f64::from),
            half: f64::from(self.half),
            bend: bend + MORE_WAY * f64::from(norm_max(&self.way)),
        }
    }
}

/// A body that keeps its promise: after `m` steps its box lies within
/// `half + bend · m(m + 1)/2` of `middle + way · m`, on each axis. Ways differ by at most `bend`, and
/// the sum of the first `m` whole numbers counts how often each difference has entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horn {
    pub(super) middle: [f64; 3],
    pub(super) way: [f64; 3],
    pub(super) half: f64,
    pub(super) bend: f64,
}

fn norm_max(v: &[f32; 3]) -> f32 {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}
