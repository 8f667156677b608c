//! Splitting a set of faces into a number of subsets.

mod heuristic;
mod plain;
mod regions;

use super::bound::Bound;
use super::{Quality, Splitter};
use crate::obb::Obb;
use crate::{Point, Triangle};
use glam::DVec3;
use heuristic::heuristic;
use plain::Plain;
use regions::Regions;

/// The faces of a node.
#[derive(Default)]
pub(super) struct Set {
    pub(super) triangles: Vec<Triangle>,
    /// The mean of each face's corners.
    pub(super) centers: Vec<Point>,
}

impl Set {
    pub(super) fn len(&self) -> usize {
        self.centers.len()
    }

    /// Whether all faces have the same centre, so that no splitter can tell them apart.
    pub(super) fn coincides(&self) -> bool {
        self.centers.iter().all(|center| center == &self.centers[0])
    }
}

/// Splits of one set, with what is shared by splits into different numbers of subsets.
pub(super) enum Splits<'a> {
    Plain(Plain<'a>),
    Regions { set: &'a Set, enclosing: Obb, quality: Quality, heuristic: bool },
}

impl<'a> Splits<'a> {
    pub(super) fn of<B: Bound>(
        set: &'a Set,
        bound: &B,
        splitter: Splitter,
        quality: Quality,
    ) -> Self {
        if splitter == Splitter::Plain {
            return Self::Plain(Plain::of(set));
        }
        let enclosing = bound.enclosing_box(&set.triangles, quality);
        Self::Regions { set, enclosing, quality, heuristic: splitter == Splitter::Heuristic }
    }

    /// Fills `labels` with the subset of each face, from 0 to `degree` − 1. Some may be empty.
    /// Degrees must rise from call to call and not exceed the number of faces.
    pub(super) fn split<B: Bound>(&mut self, degree: usize, labels: &mut Vec<u8>) {
        match self {
            Self::Plain(plain) => plain.split(degree, labels),
            Self::Regions { set, enclosing, quality, heuristic: by_quality } => {
                let regions = Regions::of(enclosing, degree, set);
                if *by_quality {
                    heuristic::<B>(set, &regions.seeds, *quality, labels);
                } else {
                    regions.split(set, labels);
                }
            }
        }
    }
}

/// The place of the nearest of `centers`, the first of equals.
fn nearest(point: &Point, centers: &[DVec3]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (i, center) in centers.iter().enumerate() {
        let distance2 = DVec3::from(*point).distance_squared(*center);
        if distance2 < best.0 {
            best = (distance2, i);
        }
    }
    best.1
}
