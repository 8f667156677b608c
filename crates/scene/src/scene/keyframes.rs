//! Keyframes, wherever they are written, and the path through them.

use super::between;
use super::path_file::{MotionEntry, PosesEntry};
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;

/// A keyframe.
pub(super) struct Keyframe {
    pub(super) time: Option<f64>,
    /// How the piece that ends here goes, if it says so.
    pub(super) motion: Option<MotionEntry>,
    pub(super) goal: Goal,
}

/// How a keyframe is reached.
pub(super) enum Goal {
    /// By going where the body stands in the scene.
    Rest,
    /// By going to a pose.
    Pose(Pose),
    /// By a screw from the keyframe before.
    Screw(Screw),
}

/// What all keyframes of a path share.
pub(super) struct Frame {
    /// Where the leading body stands in the scene.
    pub(super) rest: Pose,
    /// What poses mean.
    pub(super) poses: PosesEntry,
    /// How pieces go that do not say it.
    pub(super) motion: MotionEntry,
}

/// What is wrong with the keyframes.
pub(super) enum Wrong {
    /// With the time of one.
    Time(usize, String),
    /// With the pose or screw of one.
    Goal(usize, String),
    /// With all of them.
    All(String),
}

impl Frame {
    /// The path through the keyframes.
    pub(super) fn path(&self, keyframes: &[Keyframe]) -> Result<Path, Wrong> {
        if keyframes.len() < 2 {
            let found = match keyframes.len() {
                0 => "no keyframe",
                _ => "one keyframe",
            };
            return Err(Wrong::All(format!("the path has {found}; at least two are needed")));
        }
        let times = times(keyframes)?;
        let mut at = match &keyframes[0].goal {
            Goal::Screw(_) => {
                let message = "the first keyframe has a screw, but there is none before it; a pose \
                               is needed, or nothing for where the body stands";
                return Err(Wrong::Goal(0, message.to_owned()));
            }
            goal => self.pose(goal).map_err(|message| Wrong::Goal(0, message))?,
        };
        let mut motions = Vec::with_capacity(keyframes.len() - 1);
        for (index, keyframe) in keyframes.iter().enumerate().skip(1) {
            let motion =
                self.motion(at, keyframe).map_err(|message| Wrong::Goal(index, message))?;
            // Not the keyframe's own pose: a screw ends beside it by its rounding.
            at = *motion.pose1();
            motions.push(motion);
        }
        Path::new(times, motions).map_err(|error| Wrong::All(error.to_string()))
    }

    fn motion(&self, from: Pose, keyframe: &Keyframe) -> Result<Motion, String> {
        if let Goal::Screw(screw) = &keyframe.goal {
            return Motion::screw(from, *screw).map_err(|error| error.to_string());
        }
        let to = self.pose(&keyframe.goal)?;
        match keyframe.motion.unwrap_or(self.motion) {
            MotionEntry::LerpSlerp => Ok(Motion::lerp_slerp(from, to)),
            MotionEntry::Screw => between::screw(from, to).map_err(|error| error.to_string()),
        }
    }

    fn pose(&self, goal: &Goal) -> Result<Pose, String> {
        let Goal::Pose(pose) = goal else { return Ok(self.rest) };
        match self.poses {
            PosesEntry::World => Ok(*pose),
            PosesEntry::Start => {
                let moved = pose.after(&self.rest);
                // Two places within the limit may add up to one beyond it.
                Pose::new(moved.rotation(), moved.translation()).map_err(|error| error.to_string())
            }
        }
    }
}

/// The times of all keyframes.
fn times(keyframes: &[Keyframe]) -> Result<Vec<f64>, Wrong> {
    let missing = keyframes.iter().position(|keyframe| keyframe.time.is_none());
    let given = keyframes.iter().position(|keyframe| keyframe.time.is_some());
    let times: Vec<f64> = match (missing, given) {
        (_, None) => {
            let last = (keyframes.len() - 1) as f64;
            return Ok((0..keyframes.len()).map(|index| index as f64 / last).collect());
        }
        (Some(missing), Some(given)) => {
            let message = format!(
                "keyframe {} has a time, but keyframe {} has none; all or none need one",
                given + 1,
                missing + 1
            );
            return Err(Wrong::Time(given, message));
        }
        (None, Some(_)) => keyframes.iter().filter_map(|keyframe| keyframe.time).collect(),
    };
    for (index, &time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(Wrong::Time(index, format!("the time is {time}; it must be finite")));
        }
        if index > 0 && time <= times[index - 1] {
            let before = times[index - 1];
            let message = format!("the time {time} is not after {before}; times must rise");
            return Err(Wrong::Time(index, message));
        }
    }
    Ok(times)
}
