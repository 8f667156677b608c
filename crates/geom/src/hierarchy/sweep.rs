//! Volumes that stand for a way, as printed [E99 §4.1]: one that encloses a volume where it is at the
//! beginning and at the end of a motion, and at points in time between if that is wanted.
//!
//! **This is no bound of a motion that turns**: between the times that are looked at, what is in the
//! volume may leave it, by r·(1 − cos(φ/2)) where it turns by φ at a distance r from the axis. The
//! paper takes small steps instead; certain bounds are in [`crate::motion`].
//!
//! The new volume is of the same kind and orientation as the old one, in the frame of the body at the
//! start, so that it goes to the same static test. Of more than two spheres the enclosing one is grown
//! one by one and is not the smallest.

use crate::aabb::Aabb;
use crate::obb::Obb;
use crate::pose::Pose;
use crate::sphere::Sphere;
use glam::{DMat3, DVec3};

/// Where a body is at some times after the start, as seen from the body at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    turn: DMat3,
    shift: DVec3,
}

impl Sweep {
    /// Of a body that stays where it is.
    pub const STILL: Self = Self { places: Vec::new() };

    /// Of a body that is at `start` first and at each of `later` after that.
    pub fn new(start: &Pose, later: impl IntoIterator<Item = Pose>) -> Self {
        let back = matrix(start).transpose();
        let from = DVec3::from(start.translation());
        let place = |pose: Pose| Place {
            turn: back * matrix(&pose),
            shift: back * (DVec3::from(pose.translation()) - from),
        };
        Self { places: later.into_iter().map(place).collect() }
    }

    /// How far the body's vertices can be from its origin at the start, at the times looked at, if
    /// they are within `reach` of it at rest.
    pub fn reach(&self, reach: f64) -> f64 {
        let far = self.places.iter().map(|place| place.shift.abs().element_sum());
        reach + far.fold(0.0, f64::max)
    }
}

impl Place {
    #[inline]
    fn point(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.shift
    }
}

/// A sphere around the sphere at all places.
#[inline]
pub(super) fn sphere(bound: &Sphere, sweep: &Sweep) -> Sphere {
    sweep.places.iter().fold(*bound, |all, place| {
        let center = place.point(bound.center.into()).into();
        all.union(&Sphere { center, radius: bound.radius })
    })
}

/// A box along the axes of the body at the start around the box at all places.
#[inline]
pub(super) fn aabb(bound: &Aabb, sweep: &Sweep) -> Aabb {
    let (center, half) = (DVec3::from(bound.center()), DVec3::from(bound.size()) * 0.5);
    sweep.places.iter().fold(*bound, |all, place| {
        let (middle, reach) = (place.point(center), abs(&place.turn) * half);
        all.union(&Aabb { min: (middle - reach).into(), max: (middle + reach).into() })
    })
}

/// A box along the axes of the box at the start around the box at all places.
#[inline]
pub(super) fn obb(bound: &Obb, sweep: &Sweep) -> Obb {
    if sweep.places.is_empty() {
        return *bound;
    }
    let frame = DMat3::from_cols_array_2d(&bound.axes);
    let (center, half) = (DVec3::from(bound.center), DVec3::from(bound.half));
    let (mut low, mut high) = (-half, half);
    for place in &sweep.places {
        // The box as the one at the start sees it.
        let middle = frame.transpose() * (place.point(center) - center);
        let reach = abs(&(frame.transpose() * place.turn * frame)) * half;
        low = low.min(middle - reach);
        high = high.max(middle + reach);
    }
    Obb {
        center: (center + frame * ((low + high) * 0.5)).into(),
        axes: bound.axes,
        half: ((high - low) * 0.5).into(),
    }
}

fn matrix(pose: &Pose) -> DMat3 {
    DMat3::from_cols_array_2d(&pose.matrix()).transpose()
}

#[inline]
fn abs(matrix: &DMat3) -> DMat3 {
    DMat3::from_cols(matrix.x_axis.abs(), matrix.y_axis.abs(), matrix.z_axis.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::hierarchy::{Bound, Quality, View};
    use crate::motion::{Motion, Screw};
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn poses() -> impl Strategy<Value = Pose> {
        (prop::array::uniform4(-1.0..1.0f64), prop::array::uniform3(-2.0..2.0f64))
            .prop_filter_map("no rotation", |(turn, shift)| Pose::new(turn, shift).ok())
    }

    /// Whether the swept volume, placed at the start, meets a speck at `point`.
    fn holds<B: Bound>(volume: &B, start: &Pose, point: &Point) -> bool {
        let speck = B::around(&[[*point; 3]], Quality::Surface);
        !volume.is_apart(&speck, &View::new([start, &Pose::IDENTITY], [8.0, 8.0]))
    }

    fn check<B: Bound>(face: &[Point; 3], way: &[Pose; 3]) -> Result<(), TestCaseError> {
        let [start, middle, end] = way;
        let volume = B::around(&[*face], Quality::Surface);
        let two = volume.swept(&Sweep::new(start, [*end]));
        let three = volume.swept(&Sweep::new(start, [*middle, *end]));
        for corner in face {
            for pose in [start, end] {
                prop_assert!(holds(&two, start, &pose.apply(corner)));
            }
            for pose in way {
                prop_assert!(holds(&three, start, &pose.apply(corner)));
            }
            let far = pose_far(end).apply(corner);
            prop_assert!(!holds(&three, start, &far), "it is no more than that");
        }
        prop_assert_eq!(volume.swept(&Sweep::STILL), volume);
        Ok(())
    }

    fn pose_far(pose: &Pose) -> Pose {
        let shift = pose.translation().map(|x| x + 40.0);
        Pose::new(pose.rotation(), shift).unwrap()
    }

    proptest! {
        #[test]
        fn the_times_looked_at_are_enclosed(
            face in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)),
            way in [poses(), poses(), poses()],
        ) {
            check::<Sphere>(&face, &way)?;
            check::<Aabb>(&face, &way)?;
            check::<Obb>(&face, &way)?;
        }
    }

    /// The trap: half a turn about a distant axis goes far outside what start and end enclose.
    #[test]
    fn what_is_between_is_missed_unless_it_is_looked_at() {
        let screw = Screw { point: [0.0; 3], direction: [0.0, 0.0, 1.0], angle: PI, advance: 0.0 };
        let motion = Motion::screw(Pose::IDENTITY, screw).unwrap();
        let face = [[3.0, 0.0, 0.0], [3.1, 0.0, 0.0], [3.0, 0.1, 0.0]];
        let [start, middle, end] = [0.0, 0.5, 1.0].map(|t| motion.pose_at(t));
        let top = middle.apply(&face[0]);
        let volume = Obb::around(&[face], Quality::Surface);
        assert!(!holds(&volume.swept(&Sweep::new(&start, [end])), &start, &top));
        assert!(holds(&volume.swept(&Sweep::new(&start, [middle, end])), &start, &top));
    }
}
