//! What is known of a body from step to step: where its middle is, the way it took, and how much the
//! next way may differ by its promise [H93]. From these follows the parabolic horn that holds it.
//!
//! All that is concluded rests on what the table said, not on what it rounded: the middles are the f32
//! of the table, each step checks that their second differences keep to the bound and that the box
//! lies around the middle, and the slack of the check is part of the horn.

use crate::contract::bounds::Reach;
use crate::contract::promise::Promise;
use impinge_geom::aabb::{Aabb32, round_up};

/// One per slot; read and written in every step, so it is kept to half a line of the cache.
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

impl Track {
    /// Of a slot without a body, or one that is new: nothing is known.
    pub(super) const NOBODY: Self =
        Self { middle: [f32::NAN; 3], half: f32::INFINITY, way: [f32::NAN; 3], bend2: -1.0 };

    /// Follows the body by a step. The square of the difference of its ways if it does not keep to
    /// what it was admitted for, or was not admitted.
    #[inline]
    pub(super) fn follow(&mut self, reach: &Reach, aabb: &Aabb32) -> Option<f32> {
        let Self { middle, half, way, bend2 } = self;
        let now: [f32; 3] = std::array::from_fn(|k| reach.center[k] + reach.velocity[k]);
        let went: [f32; 3] = std::array::from_fn(|k| now[k] - middle[k]);
        let bent: [f32; 3] = std::array::from_fn(|k| went[k] - way[k]);
        let square = bent[0] * bent[0] + bent[1] * bent[1] + bent[2] * bent[2];
        let inside = (0..3).fold(true, |all, k| {
            all & (aabb[k] >= now[k] - *half) & (aabb[k + 3] <= now[k] + *half)
        });
        (*middle, *way) = (now, went);
        let keeps = inside & (square <= *bend2);
        if keeps { None } else { Some(square) }
    }

    /// Whether it was admitted.
    pub(super) fn is_admitted(&self) -> bool {
        self.bend2 >= 0.0
    }

    /// From now on nothing is known.
    pub(super) fn dismiss(&mut self) {
        self.bend2 = -1.0;
    }

    /// Whether a difference of ways with this square is more than promised, wherever the body is.
    pub(super) fn breaks(&self, promise: &Promise, square: f32) -> bool {
        square > self.bend_max(promise)
    }

    /// By how much the next way differs from the last one, along a direction. To be asked before
    /// [`Track::follow`].
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

    /// Takes the promise for granted from this step on; false if there is nothing to build on.
    pub(super) fn admit(&mut self, promise: &Promise, reach: &Reach, aabb: &Aabb32) -> bool {
        let mut need = reach.radius;
        for k in 0..3 {
            let side = (aabb[k + 3] - self.middle[k]).max(self.middle[k] - aabb[k]);
            need = need.max(side).max(reach.radius + reach.velocity[k].abs());
        }
        self.half = need * (1.0 + PLAY) + 4.0 * ROUND * norm_max(&self.middle);
        self.bend2 = self.bend_max(promise);
        let numbers = self.middle.iter().chain(&self.way).chain([&self.half, &self.bend2]);
        if !numbers.fold(true, |all, x| all & x.is_finite()) {
            self.dismiss();
        }
        self.is_admitted()
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

    /// A box around the horn from now on for so many steps, rounded outward.
    #[inline]
    pub(super) fn swept(&self, steps: f32) -> Aabb32 {
        let bend = self.bend2.sqrt() * (1.0 + 2.0 * MORE_BEND as f32) + LEAST_BEND as f32;
        let bend = bend + 2.0 * MORE_WAY as f32 * norm_max(&self.way);
        let grown = self.half + 0.5 * bend * steps * (steps + 1.0);
        let slack = 8.0 * ROUND * (norm_max(&self.middle) + steps * norm_max(&self.way) + grown);
        let most = grown + slack;
        std::array::from_fn(|i| {
            let k = i % 3;
            let end = steps * self.way[k];
            if i < 3 {
                self.middle[k] + end.min(0.0) - most
            } else {
                self.middle[k] + end.max(0.0) + most
            }
        })
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
