//! Built-in scenes: small assemblies with known answers.

use crate::error::SampleError;
use crate::surface::Surface;
use crate::turn::turn;
use crate::{Part, SampleScene, build_mesh};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;

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
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None })
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
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None })
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
