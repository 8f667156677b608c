//! Keyframes from a CSV file: a head line with the names of the columns, then one keyframe per line.
//! Commas, semicolons or blanks separate the cells, as the head line does it.

use super::keyframes::{Goal, Keyframe};
use super::path_file::MotionEntry;
use crate::error::{Fault, FileError, Place};
use crate::{number, regular};
use impinge_geom::pose::Pose;
use std::path::Path;

/// The columns of numbers; the first may be missing.
const NUMBERS: [&str; 8] = ["time", "qw", "qx", "qy", "qz", "tx", "ty", "tz"];
const MOTION: &str = "motion";

/// What a CSV file holds.
#[derive(Default)]
pub(super) struct Table {
    pub(super) keyframes: Vec<Keyframe>,
    /// The line of each.
    pub(super) lines: Vec<usize>,
}

/// Reads a file of keyframes.
pub(super) fn load(path: &Path) -> Result<Table, FileError> {
    let bytes = regular::read(path, u64::MAX).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        FileError::new(path, Place::Whole, message)
    })?;
    read(&bytes).map_err(|fault| fault.in_file(path))
}

fn read(bytes: &[u8]) -> Result<Table, Fault> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Fault::new(Place::Line(line), "no UTF-8 text; keyframes are a CSV file")
    })?;
    let mut head: Option<Head> = None;
    let mut table = Table::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let fault = |message: String| Fault::new(Place::Line(index + 1), message);
        match &head {
            None => head = Some(Head::read(line).map_err(fault)?),
            Some(head) => {
                table.keyframes.push(head.keyframe(line).map_err(fault)?);
                table.lines.push(index + 1);
            }
        }
    }
    match head {
        Some(_) => Ok(table),
        None => {
            let message = "the file has no head line; one with the names of the columns is needed";
            Err(Fault::new(Place::Whole, message))
        }
    }
}

/// Which cell of a line is what.
struct Head {
    /// None: blanks.
    separator: Option<char>,
    columns: usize,
    /// The place of each of [`NUMBERS`]; only that of the time may be missing.
    numbers: [Option<usize>; 8],
    motion: Option<usize>,
}

impl Head {
    fn read(line: &str) -> Result<Self, String> {
        let separator = [',', ';'].into_iter().find(|&separator| line.contains(separator));
        let names = cells(line, separator);
        for (index, name) in names.iter().enumerate() {
            if !NUMBERS.contains(name) && *name != MOTION {
                return Err(format!(
                    "the column `{name}` is unknown; known are {}, {MOTION}",
                    NUMBERS.join(", ")
                ));
            }
            if names[..index].contains(name) {
                return Err(format!("the column `{name}` is there twice; once is needed"));
            }
        }
        let place = |wanted: &str| names.iter().position(|name| *name == wanted);
        let numbers = NUMBERS.map(place);
        match (1..NUMBERS.len()).find(|&k| numbers[k].is_none()) {
            Some(missing) => Err(format!(
                "the column `{}` is missing; {} are needed",
                NUMBERS[missing],
                NUMBERS[1..].join(", ")
            )),
            None => Ok(Self { separator, columns: names.len(), numbers, motion: place(MOTION) }),
        }
    }

    fn keyframe(&self, line: &str) -> Result<Keyframe, String> {
        let cells = cells(line, self.separator);
        if cells.len() != self.columns {
            let (found, needed) = (cells.len(), self.columns);
            return Err(format!(
                "{found} cells; as many as names in the head, {needed}, are needed"
            ));
        }
        let mut values = [None; 8];
        for (value, place) in values.iter_mut().zip(self.numbers) {
            let Some(cell) = place.map(|place| cells[place]) else { continue };
            let parsed = number::parse(cell.as_bytes());
            *value = Some(parsed.ok_or_else(|| format!("`{cell}` is no number"))?);
        }
        let [time, pose @ ..] = values;
        let [qw, qx, qy, qz, tx, ty, tz] = pose.map(Option::unwrap_or_default);
        let pose = Pose::new([qw, qx, qy, qz], [tx, ty, tz]).map_err(|error| error.to_string())?;
        let motion = match self.motion.map_or("", |place| cells[place]) {
            "" | "-" => None,
            name => Some(MotionEntry::named(name).ok_or_else(|| {
                format!("the motion `{name}` is unknown; known are lerp-slerp, screw")
            })?),
        };
        Ok(Keyframe { time, motion, goal: Goal::Pose(pose) })
    }
}

fn cells(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(separator) => line.split(separator).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}
