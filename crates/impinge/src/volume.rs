//! How much space two bodies share, between certain bounds: a question between steps, answered by images
//! of depth ([`impinge_geom::image::volume`]) whatever the engine.
//!
//! Only what is closed has an inside and counts. The bounds hold the true value; they become narrower
//! about as the resolution grows. Bodies that hardly miss each other may get an upper bound above zero:
//! whether two bodies touch is for the engine to say.

use crate::contract::answer::Side;
use impinge_geom::Point;
use impinge_geom::image::volume::{Solid, Volume, shared};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::Shell;
use std::ops::RangeInclusive;

/// How many pixels along a side an image may have.
pub const RESOLUTIONS: RangeInclusive<u16> = 1..=1024;

/// Why nothing is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    /// It is not, or no longer, in the world.
    #[error("body {0} is not in the world")]
    Unknown(Side),
    /// One body was given twice.
    #[error("one body was given twice; two are needed")]
    Same,
    /// No part of it is closed, so that it has no inside.
    #[error("no part of body {0} is closed; only what is closed has a volume")]
    NotClosed(Side),
    /// So many pixels along a side cannot be had.
    #[error("the resolution is {0}; 1 to 1024 pixels along a side are needed")]
    Resolution(u16),
}

/// A shape at its place, and what of it is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) shells: &'a [Shell],
    pub(crate) pose: &'a Pose,
}

/// How much space two bodies share.
pub(crate) fn of(subjects: [Subject<'_>; 2], resolution: u16) -> Result<Volume, VolumeError> {
    if !RESOLUTIONS.contains(&resolution) {
        return Err(VolumeError::Resolution(resolution));
    }
    for (subject, side) in subjects.iter().zip([Side::A, Side::B]) {
        if subject.shells.is_empty() {
            return Err(VolumeError::NotClosed(side));
        }
    }
    let points: [Vec<Point>; 2] = subjects
        .map(|Subject { mesh, pose, .. }| mesh.vertices().iter().map(|v| pose.apply(v)).collect());
    let solid = |k: usize| {
        let Subject { mesh, shells, .. } = subjects[k];
        Solid { points: &points[k], triangles: mesh.triangles(), shells }
    };
    Ok(shared([solid(0), solid(1)], resolution))
}
