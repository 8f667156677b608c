//! From `[path]` and `[[allow]]` to the fitting check of the scene.

use super::SceneBody;
use super::build::{self, Known};
use super::csv;
use super::file::{SceneFile, SpanFault};
use super::fit::{Allowed, Fit, Until};
use super::keyframes::{Frame, Goal, Keyframe, Wrong};
use super::path_file::{AllowEntry, BoxEntry, KeyframeEntry, MotionEntry, Names};
use super::path_file::{PathEntry, ScrewEntry, UntilEntry, UntilWord};
use crate::error::{FileError, Place};
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::path::Path as Way;
use impinge_geom::motion::{ANGLE_MAX, Screw};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// The fitting check, if the file asks for one. `base` is the folder of relative paths.
pub(super) fn fit(
    file: &SceneFile,
    bodies: &[SceneBody],
    base: &Path,
) -> Result<Option<Fit>, SpanFault> {
    let known = Known::new(bodies);
    let Some(entry) = &file.path else {
        return match file.allow.first() {
            None => Ok(None),
            Some(rule) => {
                let message = "contacts are allowed, but nothing moves; a [path] is needed";
                Err(SpanFault::new(rule.a.span(), message))
            }
        };
    };
    let moving = moving(&entry.moves, &known)?;
    let frame = Frame { rest: bodies[moving[0]].pose, poses: entry.poses, motion: entry.motion };
    let path = path(entry, &frame, base)?;
    let mut moves = vec![false; bodies.len()];
    moving.iter().for_each(|&body| moves[body] = true);
    let context = Context { known: &known, moves, span: path.span() };
    let allowed = file.allow.iter().map(|rule| context.allowed(rule));
    let allowed = allowed.collect::<Result<_, SpanFault>>()?;
    Ok(Some(Fit { moving, path, allowed }))
}

/// The bodies that move, the leading one first, then in the order in which they are named.
fn moving(moves: &Spanned<Names>, known: &Known<'_>) -> Result<Vec<usize>, SpanFault> {
    let one;
    let names = match moves.get_ref() {
        Names::One(name) => {
            one = [Spanned::new(moves.span(), name.clone())];
            one.as_slice()
        }
        Names::More(names) => names,
    };
    let mut moving = Vec::new();
    let mut seen = vec![false; known.count()];
    for name in names {
        let named = known.members(&known.select(name)?);
        moving.extend(named.into_iter().filter(|&body| !std::mem::replace(&mut seen[body], true)));
    }
    if moving.is_empty() {
        let message = "the list of what moves is empty; at least one body is needed";
        return Err(SpanFault::new(moves.span(), message));
    }
    if moving.len() == known.count() {
        let message = "all bodies move; at least one must stand still";
        return Err(SpanFault::new(moves.span(), message));
    }
    Ok(moving)
}

fn path(entry: &PathEntry, frame: &Frame, base: &Path) -> Result<Way, SpanFault> {
    let Some(name) = &entry.keyframes else {
        let keyframes = entry.keyframe.iter().enumerate().map(|(index, one)| inline(index, one));
        let keyframes: Vec<Keyframe> = keyframes.collect::<Result<_, SpanFault>>()?;
        return frame.path(&keyframes).map_err(|wrong| {
            let place = |index: usize| &entry.keyframe[index];
            let (span, message) = match wrong {
                Wrong::Time(index, message) => (place(index).time_span(), message),
                Wrong::Goal(index, message) => (place(index).goal_span(), message),
                Wrong::All(message) => (None, message),
            };
            // A keyframe may be empty, and so be nowhere.
            SpanFault::new(span.unwrap_or(entry.moves.span()), message)
        });
    };
    if !entry.keyframe.is_empty() {
        let message = "both `keyframes` and `keyframe` are given; one of them is needed";
        return Err(SpanFault::new(name.span(), message));
    }
    let file = base.join(name.get_ref());
    let fault = |error: FileError| SpanFault::new(name.span(), error);
    let table = csv::load(&file).map_err(fault)?;
    frame.path(&table.keyframes).map_err(|wrong| {
        let (place, message) = match wrong {
            Wrong::Time(index, message) | Wrong::Goal(index, message) => {
                (Place::Line(table.lines[index]), message)
            }
            Wrong::All(message) => (Place::Whole, message),
        };
        fault(FileError::new(&file, place, message))
    })
}

/// A keyframe of the scene file.
fn inline(index: usize, entry: &KeyframeEntry) -> Result<Keyframe, SpanFault> {
    let time = entry.time.as_ref().map(|time| *time.get_ref());
    if let Some(motion) = entry.motion.as_ref().filter(|_| index == 0) {
        let message = "the first keyframe has a motion, but no piece of the path ends there";
        return Err(SpanFault::new(motion.span(), message));
    }
    let goal = match (&entry.pose, &entry.screw) {
        (Some(_), Some(screw)) => {
            let message = "both `pose` and `screw` are given; one of them is needed";
            return Err(SpanFault::new(screw.direction.span(), message));
        }
        (Some(pose), None) => Goal::Pose(build::pose(pose)?),
        (None, Some(screw)) => {
            let straight = |motion: &&Spanned<_>| *motion.get_ref() == MotionEntry::LerpSlerp;
            if let Some(motion) = entry.motion.as_ref().filter(straight) {
                let message = "the keyframe is reached by a `screw`, which is no lerp-slerp";
                return Err(SpanFault::new(motion.span(), message));
            }
            Goal::Screw(by_screw(screw)?)
        }
        (None, None) => Goal::Rest,
    };
    let motion = entry.motion.as_ref().map(|motion| *motion.get_ref());
    Ok(Keyframe { time, motion, goal })
}

fn by_screw(entry: &ScrewEntry) -> Result<Screw, SpanFault> {
    let ScrewEntry { point, direction, angle, advance } = entry;
    let radians = angle.to_radians();
    // Told here, since the motion's own message has radians.
    if radians.abs() > ANGLE_MAX && angle.is_finite() {
        let message = format!("the screw turns by {angle:e} degrees; at most 5e7 are possible");
        return Err(SpanFault::new(direction.span(), message));
    }
    let direction = *direction.get_ref();
    Ok(Screw { point: *point, direction, angle: radians, advance: *advance })
}

impl KeyframeEntry {
    fn time_span(&self) -> Option<Range<usize>> {
        self.time.as_ref().map(Spanned::span)
    }

    /// Where the pose or screw is written, or else what comes nearest.
    fn goal_span(&self) -> Option<Range<usize>> {
        let screw = self.screw.as_ref().map(|screw| screw.direction.span());
        let pose = self.pose.as_ref().and_then(|pose| {
            let turned = pose.rotation.as_ref().map(Spanned::span);
            let moved = pose.translation.as_ref().map(Spanned::span);
            moved.or(turned).or(pose.rotation_deg.as_ref().map(Spanned::span))
        });
        screw.or(pose).or(self.motion.as_ref().map(Spanned::span)).or(self.time_span())
    }
}

/// What a rule is held against.
struct Context<'a> {
    known: &'a Known<'a>,
    /// Of each body.
    moves: Vec<bool>,
    /// When the path begins and ends.
    span: [f64; 2],
}

impl Context<'_> {
    fn allowed(&self, rule: &AllowEntry) -> Result<Allowed, SpanFault> {
        let (a, b) = (self.known.select(&rule.a)?, self.known.select(&rule.b)?);
        let [in_a, in_b] = [&a, &b].map(|side| self.known.members(side));
        let moves = |body: &usize| self.moves[*body];
        let meet =
            |one: &[usize], other: &[usize]| one.iter().any(moves) && !other.iter().all(moves);
        if !meet(&in_a, &in_b) && !meet(&in_b, &in_a) {
            let (a, b) = (rule.a.get_ref(), rule.b.get_ref());
            let message = format!(
                "neither of `{a}` and `{b}` moves while the other one rests; a body that moves and \
                 one that does not are needed"
            );
            return Err(SpanFault::new(rule.a.span(), message));
        }
        let until = rule.until.as_ref().map_or(Ok(Until::End), |until| self.until(until))?;
        let within = rule.within.as_ref().map(within).transpose()?;
        Ok(Allowed { a, b, until, within, reason: rule.reason.clone() })
    }

    fn until(&self, entry: &Spanned<UntilEntry>) -> Result<Until, SpanFault> {
        let [start, end] = self.span;
        match entry.get_ref() {
            UntilEntry::Word(UntilWord::End) => Ok(Until::End),
            UntilEntry::Word(UntilWord::Release) => Ok(Until::Release),
            UntilEntry::Time(time) if (start..=end).contains(time) => Ok(Until::Time(*time)),
            UntilEntry::Time(time) => {
                let message = format!("{time} is no time of the path, which is {start} to {end}");
                Err(SpanFault::new(entry.span(), message))
            }
        }
    }
}

fn within(entry: &BoxEntry) -> Result<Aabb, SpanFault> {
    let (min, max) = (*entry.min.get_ref(), *entry.max.get_ref());
    for (corner, span) in [(min, entry.min.span()), (max, entry.max.span())] {
        if let Some(bad) = corner.iter().find(|x| !x.is_finite()) {
            let message = format!("a box needs finite numbers, found {bad}");
            return Err(SpanFault::new(span, message));
        }
    }
    match (0..3).find(|&k| min[k] > max[k]) {
        None => Ok(Aabb { min, max }),
        Some(k) => {
            let (axis, low, high) = (["x", "y", "z"][k], min[k], max[k]);
            let message = format!("the box has {axis} from {low} to {high}; `min` must be lower");
            Err(SpanFault::new(entry.max.span(), message))
        }
    }
}
