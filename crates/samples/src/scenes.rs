//! Built-in scenes: small assemblies with known answers.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::surface::Surface;
use crate::turn::turn;
use crate::{Part, SampleScene, build_mesh, deforming};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::frames::Frames;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Meridians of all round parts of the headlight.
const SEGMENTS: u32 = 48;
/// Where the housing ends and the cover begins.
const RIM: f64 = 60.0;

/// Two rings linked like a chain: their boxes overlap, the rings are 0.2 apart.
pub(crate) fn interlocked_tori() -> Result<SampleScene, SampleError> {
    let ring = build_mesh("torus?segments=48&sides=24&ring=1&thickness=0.4")?;
    let parts = vec![
        Part { name: "flat".to_owned(), mesh: ring.clone(), pose: Pose::IDENTITY },
        Part {
            name: "upright".to_owned(),
            mesh: ring,
            pose: quarter_turn([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        },
    ];
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames: BTreeMap::new(), sim: None })
}

const FRAMES: Parameter =
    Parameter::count("frames", "frames of one period, evenly spaced", [32, 1, 10_000]);

pub(crate) static HANDS: [Parameter; 2] =
    [Parameter::count("faces", "faces of each hand", [960, 400, 40_000]), FRAMES];

pub(crate) static CLOTH_BALL: [Parameter; 2] =
    [Parameter::count("faces", "faces of the cloth", [20_000, 400, 1_000_000]), FRAMES];

/// Frames are limited together with vertices: about half as many as faces.
fn check_frames(values: &Values) -> Result<u32, SampleError> {
    let [frames, faces] = ["frames", "faces"].map(|name| values.whole(name));
    Frames::check_size(frames as usize, faces as usize)
        .map_err(|needed| values.conflict(needed))?;
    Ok(frames)
}

/// Two hands that bend towards each other, half a period apart, a sphere that pulsates between them,
/// the shuttle and the head, the sphere and the hands deforming, as in [K98 §4.3].
pub(crate) fn hands(values: &Values) -> Result<SampleScene, SampleError> {
    let (count, faces) = (check_frames(values)?, values.whole("faces"));
    let at = |place: Point| Pose::shift(place).expect("a place near the origin");
    let about_y = |place: Point| Pose::new([0.0, 0.0, 1.0, 0.0], place).expect("half a turn");
    let moving = [
        ("left-hand", format!("hand?faces={faces}"), at([0.0; 3])),
        ("right-hand", format!("hand?faces={faces}&phase=0.5"), about_y([0.0, 0.0, 10.0])),
        ("sphere", "pulsating-sphere?faces=960&radius=2".to_owned(), at([0.0, 5.0, 5.0])),
    ];
    let still =
        [("shuttle", "shuttle", at([6.0, 8.0, 5.0])), ("head", "head", at([-8.0, 8.0, 5.0]))];
    let (mut parts, mut frames) = (Vec::new(), BTreeMap::new());
    for (name, sample, pose) in moving {
        let made = deforming(&sample)?;
        frames.insert(parts.len(), Arc::new(made.frames(count)));
        parts.push(Part { name: name.to_owned(), mesh: made.mesh, pose });
    }
    for (name, sample, pose) in still {
        parts.push(Part { name: name.to_owned(), mesh: build_mesh(sample)?, pose });
    }
    Ok(SampleScene { unit: Unit::Cm, parts, fit: None, frames, sim: None })
}

/// The cloth and the ball under it, which is a little smaller than what the cloth lies on.
pub(crate) fn cloth_ball(values: &Values) -> Result<SampleScene, SampleError> {
    let count = check_frames(values)?;
    let cloth = deforming(&format!("cloth?faces={}", values.whole("faces")))?;
    let frames = BTreeMap::from([(1, Arc::new(cloth.frames(count)))]);
    let ball = build_mesh("sphere?faces=3968&radius=0.96875")?;
    let parts = vec![
        Part { name: "ball".to_owned(), mesh: ball, pose: Pose::IDENTITY },
        Part { name: "cloth".to_owned(), mesh: cloth.mesh, pose: Pose::IDENTITY },
    ];
    Ok(SampleScene { unit: Unit::M, parts, fit: None, frames, sim: None })
}

/// The headlight while it is put together: the cover hovers 0.5 mm over the rim, the screw has been
/// driven through the housing's wall, and the filament is sealed inside the bulb.
pub(crate) fn headlight() -> Result<SampleScene, SampleError> {
    assembled(0.5, 40.0)
}

/// The headlight put together: the cover sits on the rim (they touch), the screw is back outside.
pub(crate) fn headlight_seated() -> Result<SampleScene, SampleError> {
    assembled(0.0, 48.25)
}

/// In millimetres, looking along +z. The screw points to the axis, its tip `screw_tip` from it.
fn assembled(cover_gap: f64, screw_tip: f64) -> Result<SampleScene, SampleError> {
    let at = |z: f64| Pose::shift([0.0, 0.0, z]).expect("a place near the origin");
    let screw_pose = quarter_turn([0.0, 1.0, 0.0], [screw_tip, 0.0, 20.0]);
    let parts = vec![
        Part { name: "housing".to_owned(), mesh: housing()?, pose: Pose::IDENTITY },
        Part { name: "reflector".to_owned(), mesh: reflector()?, pose: Pose::IDENTITY },
        Part {
            name: "bulb".to_owned(),
            mesh: build_mesh("ellipsoid?faces=960&rx=8&ry=8&rz=14")?,
            pose: at(27.0),
        },
        Part {
            name: "filament".to_owned(),
            mesh: build_mesh("torus?segments=32&sides=12&ring=3&thickness=0.5")?,
            pose: at(27.0),
        },
        Part { name: "cover".to_owned(), mesh: cover()?, pose: at(RIM + cover_gap) },
        Part { name: "screw".to_owned(), mesh: screw()?, pose: screw_pose },
    ];
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames: BTreeMap::new(), sim: None })
}

fn housing() -> Result<Mesh, SampleError> {
    build_mesh(&format!("cup?segments={SEGMENTS}&radius=48&height={RIM}&wall=3"))
}

/// A bowl that flares to 44 mm: 1 mm less than the housing is wide inside.
fn reflector() -> Result<Mesh, SampleError> {
    revolved(&[[0.0, 6.0], [14.0, 6.0], [44.0, 50.0], [42.0, 50.0], [13.0, 9.0], [0.0, 9.0]])
}

/// A lens: a flat disc below, a low dome above.
fn cover() -> Result<Mesh, SampleError> {
    let mut profile = vec![[0.0, 0.0]];
    profile.extend((0..=12).map(|i| {
        let [cosine, sine] = turn(i, 48);
        [48.0 * cosine, 3.0 + 10.0 * sine]
    }));
    profile.insert(1, [48.0, 0.0]);
    revolved(&profile)
}

/// Its tip at the origin, its head along +z.
fn screw() -> Result<Mesh, SampleError> {
    revolved(&[[0.0, 0.0], [2.0, 1.5], [2.0, 14.0], [4.5, 14.0], [4.5, 17.0], [0.0, 17.0]])
}

fn revolved(profile: &[[f64; 2]]) -> Result<Mesh, SampleError> {
    Surface::revolved(profile, SEGMENTS).finish("headlight", [64.0; 3])
}

/// A quarter of a turn about a unit axis, then a shift.
fn quarter_turn([x, y, z]: Point, shift: Point) -> Pose {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    Pose::new([half, half * x, half * y, half * z], shift).expect("a unit axis and a finite shift")
}
