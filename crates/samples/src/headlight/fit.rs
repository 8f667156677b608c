//! Fitting checks on the headlight: the left cover is taken off, then the bulb behind it.
//!
//! The bulb is pulled straight back out of the hole of its reflector and through the neck, then
//! taken to the side. Its flange stands [`BULB_GAP`] behind the edge of that hole, which is the
//! least gap on its way. Its cable is unplugged before and hangs aside: the flange would not pass
//! the plug. The cover that was taken off lies where its own way ends.

use super::removal::{Place, Side, Way, along, held};
use super::{Headlight, read_params, shift};
use crate::SampleScene;
use crate::error::SampleError;
use crate::parameter::Values;
use impinge_geom::Point;
use impinge_geom::motion::Motion;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_scene::scene::fit::Fit;

/// From the flange of a bulb in its place to the edge of the hole, in millimetres: the edge is at
/// the depth of the bowl, 32 + 12² / 56, and the flange at 34.
pub const BULB_GAP: f64 = 32.0 + 144.0 / 56.0 - 34.0;

/// How far down the unplugged cable hangs, so that the flange of the bulb passes it.
const UNPLUGGED: Point = [0.0, -9.0, 0.0];

/// What is to be taken out, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The left cover: turned, pulled, swung away. It is free.
    Cover,
    /// The same without the turn: the lugs hit the lip after the clearance of the bayonet.
    CoverEarly,
    /// The left bulb, after its cover. It is free.
    Bulb,
    /// The left bulb while its cover is in its place: it hits the cover.
    BulbEarly,
}

impl Headlight {
    /// The headlight and what is done with it.
    pub fn fitting(mut self, task: Task) -> SampleScene {
        let place = |parts: &[crate::Part], name: &str| {
            parts.iter().position(|part| part.name == name).expect("a part of every headlight")
        };
        let removal = self.removal(Side::Left, Way::Free);
        let parts = &mut self.scene.parts;
        let (moving, poses) = match task {
            Task::Cover => (removal.part, removal.poses),
            Task::CoverEarly => (removal.part, pulled(self.lugs)),
            Task::Bulb | Task::BulbEarly => {
                let cable = place(parts, "cable-left");
                parts[cable].pose = shift(UNPLUGGED);
                if let (Task::Bulb, Some(&aside)) = (task, removal.poses.last()) {
                    parts[removal.part].pose = aside;
                }
                (place(parts, "bulb-left"), bulb())
            }
        };
        self.scene.fit = Some(Fit { moving: vec![moving], path: even(&poses), allowed: vec![] });
        self.scene
    }
}

/// A cover that is pulled while it is held, then taken away as if it were free.
fn pulled(lugs: u32) -> Vec<Pose> {
    let turn = held(lugs);
    let at = |steps, tilt, shift| Place { steps, turn, tilt, shift };
    along(
        Side::Left,
        &[
            at(0, 0.0, [0.0, 0.0, 0.0]),
            at(70, 0.0, [0.0, 0.0, -14.0]),
            at(90, 8.0, [0.0, -60.0, -20.0]),
            at(70, 35.0, [0.0, -125.0, -60.0]),
        ],
    )
}

/// Straight back until the glass has left the neck, then to the side, tilting.
fn bulb() -> Vec<Pose> {
    let at = |steps, tilt, shift| Place { steps, turn: 0.0, tilt, shift };
    along(
        Side::Left,
        &[
            at(0, 0.0, [0.0, 0.0, 0.0]),
            at(50, 0.0, [0.0, 0.0, -40.0]),
            at(60, 0.0, [0.0, 0.0, -100.0]),
            at(50, 20.0, [-70.0, 0.0, -125.0]),
        ],
    )
}

/// Straight and steadily from pose to pose, at even times from 0 to 1.
fn even(poses: &[Pose]) -> Path {
    let motions = poses.windows(2).map(|two| Motion::lerp_slerp(two[0], two[1])).collect();
    let last = (poses.len() - 1) as f64;
    let times = (0..poses.len()).map(|i| i as f64 / last).collect();
    Path::new(times, motions).expect("each motion begins where the one before ends")
}

/// A fitting check as a sample.
pub(crate) fn scene(values: &Values, task: Task) -> Result<SampleScene, SampleError> {
    Ok(read_params(values)?.fitting(task))
}
