//! Two hands that grasp a ball [R98 §5.4]: they come nearer while their fingers close around it, so that
//! every vertex of them moves in every frame, and go on into the ball.
//!
//! The hands are those of [K98 §4.3], one on either side of the ball, the fingers of one beyond the ball
//! upwards and those of the other downwards.

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::sphere::unit_sphere_below;
use crate::surface::Surface;
use crate::{Make, Part, Sample, SampleScene, deforming};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::frames::Frames;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const SAMPLE: Sample = Sample {
    name: "grasp",
    about: "two hands that close around a ball and press into it, as in [R98 §5.4]",
    parameters: &PARAMETERS,
    make: Make::Scene(scene),
};

static PARAMETERS: [Parameter; 2] = [
    Parameter::count(
        "triangles",
        "triangles of both hands and the ball; if the count cannot be met, the next that can",
        [1860, 1200, 90_000],
    ),
    Parameter::count("frames", "frames until the end", [70, 2, 1000]),
];

/// The counts of table 1 in R98; all are met.
pub const TABLE: [u32; 15] = [
    1860, 2592, 3744, 4896, 7200, 9792, 10_944, 14_400, 18_720, 21_600, 28_512, 33_632, 42_768,
    63_248, 76_032,
];

/// The ball, between the palms.
const RADIUS: f64 = 3.0;
const MIDDLE: Point = [0.0, 7.5, 3.75];
/// How far hands are away at first, beyond where they end up.
const AWAY: f64 = 1.5;
/// The part of its period that a hand goes through; at half of it all fingers are closed.
const CLOSED: f64 = 0.45;

/// The scene: two hands, whose frames are of their vertices, and the ball.
pub fn grasp(triangles: u32, frames: u32) -> Result<SampleScene, SampleError> {
    let ball = ball(triangles / 8)?;
    let faces = (triangles - ball.face_count() as u32).div_ceil(4) * 2;
    let hand = deforming(&format!("hand?faces={faces}"))?;
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for k in 0..frames {
        let part = f64::from(k) / f64::from((frames - 1).max(1));
        hand.vertices_at(CLOSED * part, &mut open);
        // A multiple of a power of two, so that coordinates stay short.
        let away = (AWAY * (1.0 - part) * 1024.0).round() / 1024.0;
        all.extend(open.iter().map(|&[x, y, z]| [x, y, z - away]));
    }
    let mesh = hand.mesh.with_vertices(all[..open.len()].to_vec());
    let mesh = mesh.expect("as many vertices as before");
    let moving = Frames::new(&mesh, all).expect("finite vertices, as many in every frame");
    let moving = Arc::new(moving);
    let [_, y, z] = MIDDLE;
    let opposite = Pose::new([0.0, 1.0, 0.0, 0.0], [0.0, 2.0 * y, 2.0 * z]);
    let part = |name: &str, mesh: Mesh, pose: Pose| Part { name: name.to_owned(), mesh, pose };
    let parts = vec![
        part("left-hand", mesh.clone(), Pose::IDENTITY),
        part("right-hand", mesh, opposite.expect("half a turn")),
        part("ball", ball, Pose::shift(MIDDLE).expect("a place near the origin")),
    ];
    let frames = BTreeMap::from([(0, Arc::clone(&moving)), (1, moving)]);
    Ok(SampleScene { unit: Unit::Cm, parts, fit: None, frames, sim: None })
}

/// A ball of at most so many faces, a multiple of four: what is left is then shared out evenly to two
/// hands of an even number each.
fn ball(most: u32) -> Result<Mesh, SampleError> {
    let mut surface = Surface::default();
    for faces in (8..=most).rev() {
        surface = unit_sphere_below(faces);
        if surface.triangles.len().is_multiple_of(4) {
            break;
        }
    }
    for vertex in &mut surface.vertices {
        *vertex = vertex.map(|x| x * RADIUS);
    }
    surface.finish(SAMPLE.name, [RADIUS; 3])
}

fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let [triangles, frames] = ["triangles", "frames"].map(|name| values.whole(name));
    Frames::check_size(frames as usize, triangles as usize / 2)
        .map_err(|needed| values.conflict(needed))?;
    grasp(triangles, frames)
}
