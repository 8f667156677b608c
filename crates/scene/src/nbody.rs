//! Worlds of many moving boxes, in whole numbers: the input of the broad phase's benchmarks.
//!
//! A text file has a first line `N r M S` and then a line `px py pz vx vy vz` for each of the N
//! bodies; a seventh number is the body's own radius. Its box is (p ± r) · S / 2²³. In a frame, per
//! axis: if p + v < r or p + v > M − r then v = −v; then p += v. Whole numbers make every program
//! that reads the file see the same boxes, however many frames later: within ±2²⁴, and with a power
//! of two for S, they are exact in f32. `#` starts a comment, blank lines are skipped.

use crate::error::{Fault, FileError, Place};
use crate::regular;
use crate::text::{Scanner, quoted};
use std::fmt::Write as _;
use std::path::Path;

/// Every number of a file is within ± this; beyond it f32 would skip whole numbers.
pub const NUMBER_MAX: i32 = 1 << 24;
/// What [`NBody::scale`] is divided by.
const UNIT: f64 = (1 << 23) as f64;

/// A body: a cube about `p` with half its edge as radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cube {
    /// Its middle.
    pub p: [i32; 3],
    /// How far it moves in a frame.
    pub v: [i32; 3],
    /// Half the edge of its box.
    pub r: i32,
}

/// A part of the room that some bodies do not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pen {
    /// The first so many bodies are in it.
    pub bodies: usize,
    /// Lower corner.
    pub min: [i32; 3],
    /// Upper corner.
    pub max: [i32; 3],
}

/// Bodies in a cubic room from 0 to `side`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NBody {
    /// The room's edge, `M`.
    pub side: i32,
    /// World units per 2²³ steps of the grid, `S`.
    pub scale: i32,
    /// The bodies.
    pub bodies: Vec<Cube>,
    /// Where some of them are kept. Files cannot say that.
    pub pen: Option<Pen>,
}

impl NBody {
    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// One frame: all bodies move, and turn back at the walls.
    pub fn step(&mut self) {
        let penned = self.pen.map_or(0, |pen| pen.bodies.min(self.bodies.len()));
        let (inner, outer) = self.bodies.split_at_mut(penned);
        if let Some(pen) = self.pen {
            move_within(inner, pen.min, pen.max);
        }
        move_within(outer, [0; 3], [self.side; 3]);
    }

    /// The box of a body: lower corner, then upper corner.
    pub fn aabb(&self, i: usize) -> [f32; 6] {
        let Cube { p, r, .. } = self.bodies[i];
        let unit = f64::from(self.scale) / UNIT;
        let at = |x: i32| (f64::from(x) * unit) as f32;
        [p[0] - r, p[1] - r, p[2] - r, p[0] + r, p[1] + r, p[2] + r].map(at)
    }

    /// The world as a file. If all bodies are alike, every program that knows the format reads it.
    pub fn to_text(&self) -> String {
        let largest = self.bodies.iter().map(|body| body.r).max().unwrap_or(1);
        let alike = self.bodies.iter().all(|body| body.r == largest);
        let mut text = format!("{} {largest} {} {}\n", self.bodies.len(), self.side, self.scale);
        for Cube { p: [x, y, z], v: [vx, vy, vz], r } in &self.bodies {
            let _ = write!(text, "{x} {y} {z} {vx} {vy} {vz}");
            let _ = if alike { writeln!(text) } else { writeln!(text, " {r}") };
        }
        text
    }

    /// Reads a file; only regular ones, never devices or pipes.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let whole = |message: String| FileError::new(path, Place::Whole, message);
        if path.is_dir() {
            return Err(whole("this is a directory; an n-body file is needed".to_owned()));
        }
        let bytes = regular::read(path, u64::MAX).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => whole("there is no such file".to_owned()),
            _ => whole(format!("the file cannot be read: {error}")),
        })?;
        read(&bytes).map_err(|fault| fault.in_file(path))
    }
}

fn move_within(bodies: &mut [Cube], min: [i32; 3], max: [i32; 3]) {
    for Cube { p, v, r } in bodies {
        for k in 0..3 {
            let next = p[k] + v[k];
            if next < min[k] + *r || next > max[k] - *r {
                v[k] = -v[k];
            }
            p[k] += v[k];
        }
    }
}

/// The content of a file.
pub fn read(bytes: &[u8]) -> Result<NBody, Fault> {
    let mut scan = Scanner::new(bytes);
    if !scan.seek_words() {
        return Err(scan.fault("the file has no content; a line `N r M S` is needed"));
    }
    let count = number(&mut scan, "the number of bodies N", [1, NUMBER_MAX])? as usize;
    let radius = number(&mut scan, "the radius r", [1, NUMBER_MAX / 2])?;
    let side = number(&mut scan, "the room's side M", [2 * radius, NUMBER_MAX])?;
    let scale = number(&mut scan, "the scale S", [1, NUMBER_MAX])?;
    finish_line(&mut scan, "N r M S")?;
    // A body takes at least twelve bytes, whatever the first line promises.
    let mut bodies = Vec::with_capacity(count.min(scan.remaining().len() / 12 + 1));
    for i in 0..count {
        if !scan.seek_words() {
            return Err(scan.fault(format!("the file ends where body {i} of {count} is needed")));
        }
        let mut six = [0; 6];
        for (value, what) in six.iter_mut().zip(["px", "py", "pz", "vx", "vy", "vz"]) {
            *value = number(&mut scan, what, [-NUMBER_MAX, NUMBER_MAX])?;
        }
        let own = scan.has_word();
        let r = if own { number(&mut scan, "the radius", [1, side / 2])? } else { radius };
        finish_line(&mut scan, "px py pz vx vy vz, and perhaps a radius")?;
        let [x, y, z, vx, vy, vz] = six;
        bodies.push(Cube { p: [x, y, z], v: [vx, vy, vz], r });
    }
    if scan.seek_words() {
        return Err(scan.fault(format!("there is more in the file than the {count} bodies of N")));
    }
    Ok(NBody { side, scale, bodies, pen: None })
}

/// A whole number from `min` to `max`.
fn number(scan: &mut Scanner<'_>, what: &str, [min, max]: [i32; 2]) -> Result<i32, Fault> {
    let found = scan.integer(what)?;
    let fits = i32::try_from(found).ok().filter(|value| (min..=max).contains(value));
    fits.ok_or_else(|| {
        scan.fault(format!("{what} is {found}; a whole number from {min} to {max} is needed"))
    })
}

fn finish_line(scan: &mut Scanner<'_>, needed: &str) -> Result<(), Fault> {
    match scan.word() {
        Some(word) => {
            let found = quoted(word);
            Err(scan.fault(format!("found {found} where the line should end; it holds {needed}")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> String {
        let fault = read(text.as_bytes()).unwrap_err();
        fault.in_file(Path::new("f")).to_string()
    }

    #[test]
    fn bodies_turn_back_at_the_walls() {
        let mut world = read(b"1 10 100 8388608\n85 50 12 8 0 -4 # on\n").unwrap();
        let mut seen = Vec::new();
        for _ in 0..4 {
            world.step();
            seen.push(world.bodies[0].p);
        }
        assert_eq!(seen, [[77, 50, 16], [69, 50, 20], [61, 50, 24], [53, 50, 28]]);
        assert_eq!(world.aabb(0), [43.0, 40.0, 18.0, 63.0, 60.0, 38.0]);
    }

    #[test]
    fn a_radius_of_its_own_moves_the_wall() {
        let mut world = read(b"2 10 100 4194304\n80 50 50 8 0 0 15\n80 50 50 8 0 0\n").unwrap();
        world.step();
        assert_eq!([world.bodies[0].p[0], world.bodies[1].p[0]], [72, 88]);
        assert_eq!(world.aabb(0), [28.5, 17.5, 17.5, 43.5, 32.5, 32.5]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let head = "2 10 100 64\n50 50 50 1 1 1\n";
        for (text, want) in [
            ("", "f:1: the file has no content; a line `N r M S` is needed"),
            ("2 10 100\n", "f:1: the line ends where the scale S is needed"),
            ("2 ten 100 64\n", "f:1: `ten` is no whole number; the radius r is needed here"),
            ("0 1 9 1\n", "f:1: the number of bodies N is 0; a whole number from 1 to 16777216"),
            ("1 10 19 1\n", "f:1: the room's side M is 19; a whole number from 20 to 16777216"),
            ("1 -1 9 1\n", "f:1: the radius r is -1; a whole number from 1 to 8388608 is needed"),
            ("1 1 9 1 5\n", "f:1: found `5` where the line should end; it holds N r M S"),
            (head, "f:3: the file ends where body 1 of 2 is needed"),
            (&format!("{head}1 2 3 4 5\n"), "f:3: the line ends where vz is needed"),
            (&format!("{head}1 2 3 4 5 0.5\n"), "f:3: `0.5` is no whole number; vz is needed"),
            (&format!("{head}1 2 3 4 5 99999999\n"), "f:3: vz is 99999999; a whole number from"),
            (&format!("{head}1 2 3 4 5 6 51\n"), "f:3: the radius is 51; a whole number from 1"),
            (&format!("{head}1 2 3 4 5 6 7 8\n"), "f:3: found `8` where the line should end"),
            (&format!("{head}{head}"), "f:3: the line ends where vy is needed"),
            ("1 1 9 1\n1 1 1 0 0 0\n\n7\n", "f:4: there is more in the file than the 1 bodies"),
        ] {
            let found = message(text);
            assert!(found.starts_with(want), "{text:?}\n{found}\n{want}");
        }
        assert!(NBody::load(Path::new("absent")).unwrap_err().to_string().contains("no such"));
    }

    proptest! {
        #[test]
        fn any_world_survives_its_file(
            rows in prop::collection::vec(
                ([0..100i32, 0..100, 0..100], [-9..9i32, -9..9, -9..9], 1..9i32), 1..20),
            alike: bool,
        ) {
            let r = |r| if alike { 7 } else { r };
            let bodies = rows.iter().map(|&(p, v, radius)| Cube { p, v, r: r(radius) });
            let world = NBody { side: 100, scale: 64, bodies: bodies.collect(), pen: None };
            let text = world.to_text();
            prop_assert_eq!(read(text.as_bytes()).unwrap(), world);
            prop_assert_eq!(text.lines().nth(1).unwrap().split(' ').count() == 6, alike
                || rows.iter().all(|row| row.2 == rows[0].2));
        }

        #[test]
        fn no_content_is_a_panic(text in "[-0-9 a-z#.\n]{0,60}") {
            let _ = read(text.as_bytes());
        }
    }
}
