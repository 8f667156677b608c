//! The comb experiment [R98 §5.3]: two rows of five cones, tips towards each other, of which the upper
//! row moves. Frames are known in which exactly the five pairs of cones touch that face each other.
//!
//! All cones have radius 1 and height 2. The tips of the lower row are at `(3, 0, h)`, `(6, 0, h)` … Aligned,
//! h is 0 and the tips of the upper row meet them. Offset, h is 1 and the upper row is 1/2 farther along x,
//! so that its tips meet the sides of the lower cones half way up: there two edges of the mantles lie on one
//! line. In frame [`Comb::TOUCHING`] all tips of the upper row are in the plane z = 0, unturned, so that
//! all coordinates are what they are written as: the rows touch and do no more. In earlier frames they are
//! free, in later ones each upper cone is in the lower one that it faces.
//!
//! Translation is along z. Rotation is about the y axis, which is beyond the end of the rows: an upper cone
//! at distance d from it comes down by about d times the angle, and in no frame before reaches the
//! lower one, since it moves away from its side.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::turn::turn;
use crate::{Make, Part, Sample, SampleScene, build_mesh};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

pub(crate) const SAMPLE: Sample = Sample {
    name: "r98-comb",
    about: "two rows of five cones whose tips meet in frame 40, as in [R98 §5.3]",
    parameters: &PARAMETERS,
    make: Make::Scene(scene),
};

static PARAMETERS: [Parameter; 4] = [
    Parameter::word("tips", "how the tips face each other", &["aligned", "offset"]),
    Parameter::word("motion", "how the upper row moves", &["translation", "rotation"]),
    Parameter::count("fineness", "a cone has 2 · 4 to the power of this triangles", [3, 2, 8]),
    Parameter::count("frame", "frames that have passed", [Comb::TOUCHING, 0, Comb::FRAMES - 1]),
];

/// What the upper row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It comes down.
    Translation,
    /// It turns down.
    Rotation,
}

/// Two rows of cones.
#[derive(Clone, Debug)]
pub struct Comb {
    /// What all cones look like: the tip at z = 1, the base at z = −1.
    pub mesh: Mesh,
    offset: bool,
    moved: Moved,
}

impl Comb {
    /// So many cones in a row.
    pub const CONES: usize = 5;
    /// So many frames.
    pub const FRAMES: u32 = 60;
    /// The frame in which tips touch.
    pub const TOUCHING: u32 = 40;

    /// A cone has `2 · 4^fineness` triangles, from 2 to 8.
    pub fn new(offset: bool, moved: Moved, fineness: u32) -> Result<Self, SampleError> {
        if !(2..=8).contains(&fineness) {
            let needed = format!("a fineness of {fineness}; 2 to 8 is needed");
            return Err(SampleError::Conflict { sample: SAMPLE.name, needed });
        }
        // Powers of two: corners along a line of the mantle are then exactly on it.
        let (segments, rings) = (1 << (fineness + 1), 1 << (fineness - 1));
        let mesh = build_mesh(&format!("cone?segments={segments}&rings={rings}"))?;
        Ok(Self { mesh, offset, moved })
    }

    /// Where all cones are in a frame, the lower row first.
    pub fn poses(&self, frame: u32) -> Vec<Pose> {
        let [height, aside] = if self.offset { [1.0, 0.5] } else { [0.0, 0.0] };
        let along = |i: usize| 3.0 * (i + 1) as f64;
        let lower = (0..Self::CONES).map(|i| Pose::shift([along(i), 0.0, height - 1.0]));
        let left = f64::from(Self::TOUCHING) - f64::from(frame);
        let upper = (0..Self::CONES).map(|i| {
            let x = along(i) + aside;
            match self.moved {
                // The tip is down after half a turn about x.
                Moved::Translation => Pose::new([0.0, 1.0, 0.0, 0.0], [x, 0.0, 1.0 + left / 256.0]),
                Moved::Rotation => {
                    let steps = left.abs() as u32;
                    // Half the angle, which is an 8192nd of a turn per frame.
                    let [c, s] = turn(steps, 16_384);
                    let [c2, s2] = turn(steps, 8192);
                    let (s, s2) = if left < 0.0 { (-s, -s2) } else { (s, s2) };
                    // Upwards about −y, after the same half a turn: (c − s·j)·i = c·i + s·k.
                    Pose::new([0.0, c, 0.0, s], [x * c2 - s2, 0.0, x * s2 + c2])
                }
            }
        });
        lower.chain(upper).map(|pose| pose.expect("a unit quaternion and a place")).collect()
    }

    /// How many pairs of cones touch in a frame.
    pub fn touching(frame: u32) -> usize {
        if frame < Self::TOUCHING { 0 } else { Self::CONES }
    }
}

fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let moved = [Moved::Translation, Moved::Rotation][values.whole("motion") as usize];
    let comb = Comb::new(values.whole("tips") == 1, moved, values.whole("fineness"))?;
    let part = |(i, pose): (usize, Pose)| {
        let row = if i < Comb::CONES { "lower" } else { "upper" };
        Part { name: format!("{row}-{}", i % Comb::CONES), mesh: comb.mesh.clone(), pose }
    };
    let parts = comb.poses(values.whole("frame")).into_iter().enumerate().map(part).collect();
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames: BTreeMap::new(), sim: None })
}
