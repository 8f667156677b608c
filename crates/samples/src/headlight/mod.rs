//! The headlight of a fitting simulation, in millimetres: two covers are to be taken off it.
//!
//! In the paper a headlight of some 60,000 faces stands for what is hard about fitting: concave
//! parts that are close together all the time [E99 §5, figure 3]. Its data are not public, so this
//! one is made from parameters: a housing with two round necks at its back (z points to the
//! front), a reflector with two bowls, a lens held by four clips, two bulbs with a cable each, a
//! loom that passes behind the necks through a clip, and on each neck a cover with bayonet lugs.
//! The right neck is the smaller one.
//!
//! Nothing touches: a cover is `clearance` away from its neck on all sides of the bayonet, which
//! holds at every cut, since facets of what is hollow are no closer than the stated radius and
//! corners of what fits in are no further. [`Headlight::removal`] takes a cover off.

mod bent;
mod cut;
pub mod fit;
pub mod removal;
mod round;
mod shell;
mod weld;

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::{Part, SampleScene, Sequence};
use bent::Clip;
use cut::Cut;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;
use removal::{Side, Way};
use std::collections::BTreeMap;

/// The name of the sample.
pub const NAME: &str = "headlight-fitting";
/// From the middle to the axes of both openings.
const AXIS: f64 = 78.0;
/// Half of the housing's width and height at its back.
const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 80.0;
/// Half of what a lug takes around the axis, in degrees; a slot is a degree wider on both sides.
const LUG_HALF: u32 = 13;
/// The radii of the loom and of the bulbs' cables.
const LOOM: f64 = 4.0;
const CABLE: f64 = 3.0;
/// Where the clip holds the loom.
const LOOM_CLIP: Point = [0.0, 52.0, -4.0];
/// So many parts, whatever the parameters.
const PARTS: u32 = 15;
/// Builds to meet the number of faces; two or three are enough.
const TRIES_MAX: u32 = 8;

/// What headlight to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// How many faces, of all parts together; 20,000 to 1,000,000, met within 5 %.
    pub faces: u32,
    /// The gap of the bayonets in millimetres; 0.2 to 0.5.
    pub clearance: f64,
    /// Lugs of each cover; 2 to 6.
    pub lugs: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self { faces: 60_000, clearance: 0.4, lugs: 3 }
    }
}

/// A headlight put together.
#[derive(Clone, Debug)]
pub struct Headlight {
    /// The parts; the covers are the last two, the left one at the end.
    pub scene: SampleScene,
    lugs: u32,
}

/// A round opening with a bayonet; the other radii follow from that of its groove.
struct Neck {
    groove: f64,
    clearance: f64,
}

impl Neck {
    fn bore(&self) -> f64 {
        self.groove - 6.0
    }

    /// What the lugs are held by, and what they pass through.
    fn lip(&self) -> f64 {
        self.groove - 3.5
    }

    fn slot(&self) -> f64 {
        self.groove - self.clearance
    }

    fn outer(&self) -> f64 {
        self.groove + 4.0
    }
}

impl Headlight {
    /// Makes a headlight.
    pub fn new(params: &Params) -> Result<Self, SampleError> {
        let limits = [f64::from(params.faces), params.clearance, f64::from(params.lugs)];
        for (value, parameter) in limits.into_iter().zip(&PARAMETERS) {
            let Parameter { name, min, max, .. } = *parameter;
            if !(min..=max).contains(&value) {
                let needed = format!("{name} is {value}; {min} to {max} is needed");
                return Err(SampleError::Conflict { sample: NAME, needed });
            }
        }
        let goal = f64::from(params.faces);
        let steps = (24.0 * (goal / 60_000.0).sqrt()).round() as u32;
        let mut cut = Cut { facets: 4 * steps, grain: 0.15, lugs: params.lugs };
        cut.grain *= f64::from(steps) / 24.0;
        let mut parts = parts(cut, params.clearance)?;
        let mut finest = cut.grain;
        for _ in 1..TRIES_MAX {
            let faces = face_count(&parts);
            if (faces / goal - 1.0).abs() < 0.01 {
                break;
            }
            // Most of the faces lie in rows, whose number the grain is a measure of.
            finest *= 1.0 + (goal / faces - 1.0) * 1.2;
            cut.grain = finest.max(1e-3);
            parts = self::parts(cut, params.clearance)?;
        }
        Ok(Self {
            scene: SampleScene {
                unit: Unit::Mm,
                parts,
                fit: None,
                frames: BTreeMap::new(),
                sim: None,
            },
            lugs: params.lugs,
        })
    }

    /// The way of a cover from its place to a place away from all other parts.
    pub fn removal(&self, side: Side, way: Way) -> Sequence {
        let name = side.cover();
        let part = self.scene.parts.iter().position(|part| part.name == name);
        let part = part.expect("a headlight has both covers");
        Sequence { part, poses: removal::poses(side, way, self.lugs) }
    }
}

fn face_count(parts: &[Part]) -> f64 {
    parts.iter().map(|part| part.mesh.face_count()).sum::<usize>() as f64
}

fn parts(cut: Cut, clearance: f64) -> Result<Vec<Part>, SampleError> {
    let necks = [46.0, 38.0].map(|groove| Neck { groove, clearance });
    let mut parts = Vec::new();
    let mut add = |name: &str, mesh: Mesh, pose: Pose| {
        parts.push(Part { name: name.to_owned(), mesh, pose });
    };
    add("housing", shell::housing(cut, &necks)?, Pose::IDENTITY);
    add("reflector", shell::reflector(cut)?, Pose::IDENTITY);
    add("lens", round::lens(cut)?, Pose::IDENTITY);
    let bulb = round::bulb(cut)?;
    for side in [Side::Left, Side::Right] {
        add(side.of(["bulb-left", "bulb-right"]), bulb.clone(), shift([side.axis(), 0.0, 0.0]));
    }
    lens_clips(cut, &mut add)?;
    let clip = Clip { radius: LOOM + 0.8, leg: 8.0, thickness: 2.0, width: 8.0 };
    // Open to the back: the legs, which point to −y, are turned to −z.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let held = Pose::new([half, half, 0.0, 0.0], LOOM_CLIP).expect("a quarter of a turn");
    add("clip-loom", bent::clip(cut, &clip)?, held);
    for side in [Side::Left, Side::Right] {
        let way: [Point; 5] = [
            [0.0, 11.0, 8.0],
            [0.0, 25.0, 10.0],
            [0.0, 45.0, 22.0],
            [18.0, 62.0, 40.0],
            [38.0, 64.0, 60.0],
        ];
        let x = side.axis();
        let way = way.map(|[dx, down, z]| [x - x.signum() * dx, -down, z]);
        add(side.of(["cable-left", "cable-right"]), bent::cable(cut, CABLE, &way)?, Pose::IDENTITY);
    }
    add("cable-loom", bent::cable(cut, LOOM, &loom())?, Pose::IDENTITY);
    let seated = |side| removal::poses(side, Way::Free, cut.lugs)[0];
    add("cover-right", round::cover(cut, &necks[1])?, seated(Side::Right));
    add("cover-left", round::cover(cut, &necks[0])?, seated(Side::Left));
    Ok(parts)
}

/// Two above and two below, around the collar of the housing and the brim of the lens.
fn lens_clips(cut: Cut, add: &mut impl FnMut(&str, Mesh, Pose)) -> Result<(), SampleError> {
    let clip = Clip { radius: 8.0, leg: 5.0, thickness: 1.5, width: 10.0 };
    let mesh = bent::clip(cut, &clip)?;
    let middle = 0.5 * (shell::FLANGE_BACK + shell::RIM + 3.0);
    let edge = HEIGHT + shell::FLANGE + 0.5;
    let places = [[-60.0, edge], [60.0, edge], [-60.0, -edge], [60.0, -edge]];
    for (i, [x, y]) in places.into_iter().enumerate() {
        // Those below are turned by half a turn about z.
        let turn = if y > 0.0 { [1.0, 0.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0] };
        let pose = Pose::new(turn, [x, y, middle]).expect("a place at the rim");
        add(&format!("clip-{}", i + 1), mesh.clone(), pose);
    }
    Ok(())
}

/// The way of the loom: behind the upper edge of each cover, so that none comes off straight.
fn loom() -> [Point; 9] {
    [
        [-185.0, 25.0, 15.0],
        [-160.0, 44.0, -25.0],
        [-120.0, 50.0, -40.0],
        [-78.0, 48.0, -40.0],
        [-30.0, 52.0, -30.0],
        LOOM_CLIP,
        [30.0, 52.0, -30.0],
        [78.0, 40.0, -40.0],
        [170.0, 36.0, -25.0],
    ]
}

fn shift(by: Point) -> Pose {
    Pose::shift(by).expect("a place near the origin")
}

/// What can be set.
pub(crate) const PARAMETERS: [Parameter; 4] = [
    Parameter::count("faces", "faces of all parts together, about", [60_000, 20_000, 1_000_000]),
    Parameter::real("clearance", "gap of the bayonets", [0.4, 0.2, 0.5]),
    Parameter::count("lugs", "lugs of each cover", [3, 2, 6]),
    Parameter::count("last", "which cover is the last part: 1 left, 2 right", [1, 1, 2]),
];

/// What can be set of the fitting checks.
pub(crate) static FIT_PARAMETERS: [Parameter; 3] = [PARAMETERS[0], PARAMETERS[1], PARAMETERS[2]];

/// What can be set of [`part`].
pub(crate) static PART_PARAMETERS: [Parameter; 5] = [
    Parameter::count("part", "its number; 0: all but the last in one mesh", [PARTS, 0, PARTS]),
    PARAMETERS[0],
    PARAMETERS[1],
    PARAMETERS[2],
    PARAMETERS[3],
];

/// The sequences that the sample offers.
pub(crate) static SEQUENCES: [&str; 4] = ["free-left", "free-right", "forced-left", "forced-right"];

/// The headlight, without regard to which cover is the last part.
fn read_params(values: &Values) -> Result<Headlight, SampleError> {
    Headlight::new(&Params {
        faces: values.whole("faces"),
        clearance: values.real("clearance"),
        lugs: values.whole("lugs"),
    })
}

fn read(values: &Values) -> Result<Headlight, SampleError> {
    let mut made = read_params(values)?;
    if values.whole("last") == 2 {
        let end = made.scene.parts.len() - 1;
        made.scene.parts.swap(end - 1, end);
    }
    Ok(made)
}

/// The headlight as a scene.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    Ok(read(values)?.scene)
}

/// A part in its own frame; or all but the last, where they stand, which is what a cover is held
/// against by whoever takes two meshes.
pub(crate) fn part(values: &Values) -> Result<Mesh, SampleError> {
    let mut parts = read(values)?.scene.parts;
    let number = values.whole("part") as usize;
    if number > 0 {
        return Ok(parts.swap_remove(number - 1).mesh);
    }
    parts.pop();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for Part { mesh, pose, .. } in &parts {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|v| pose.apply(v)));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Ok(Mesh::new(vertices, triangles).expect("meshes together are a mesh"))
}

/// One of [`SEQUENCES`], by its place in that list.
pub(crate) fn sequence(values: &Values, which: usize) -> Result<Sequence, SampleError> {
    let way = if which < 2 { Way::Free } else { Way::Forced };
    Ok(read(values)?.removal([Side::Left, Side::Right][which % 2], way))
}

#[cfg(test)]
mod tests;
