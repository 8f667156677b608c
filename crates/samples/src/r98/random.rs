//! Bodies in random motion [R98 §5.1–5.2]: each goes straight and turns at a steady rate, and turns back
//! at the walls of a room. There is no response: bodies pass through each other, slowly, so that over
//! some hundred frames they penetrate each other lightly.

use super::{SHAPE, Shape, TRIANGLES};
use crate::error::SampleError;
use crate::nbody::cube_root;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::{Make, Part, Sample, SampleScene};
use glam::{DQuat, DVec3};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

pub(crate) const SAMPLE: Sample = Sample {
    name: "r98-random",
    about: "convex bodies in random motion, which pass through each other, as in [R98 §5]",
    parameters: &PARAMETERS,
    make: Make::Scene(scene),
};

static PARAMETERS: [Parameter; 6] = [
    SHAPE,
    Parameter::count("n", "bodies", [100, 2, 10_000]),
    TRIANGLES,
    Parameter::count("frame", "frames that have passed", [0, 0, 1_000_000]),
    Parameter::count(
        "mixed",
        "frames before the first, so that bodies are anywhere",
        [MIXED, 0, 10_000],
    ),
    Parameter::count("seed", "another motion of the same kind", [1, 0, 1_000_000]),
];

/// The balls around all bodies would fill this part of the room if they did not overlap.
const DENSITY: f64 = 0.25;
/// When they are placed, centres are at least so far apart; a body is within 1 of its own.
const APART: f64 = 1.5;
/// The farthest way and the largest turn in a frame.
const SPEED: f64 = 0.02;
const SPIN: f64 = 0.03;
/// After so many frames bodies are anywhere, and about as many of them meet in one frame as in another.
/// Until then there are fewer contacts than later, since centres were apart when they were placed.
pub const MIXED: u32 = 200;
/// Draws of a place before giving up; more than one in ten is free.
const DRAWS_MAX: usize = 10_000;

/// Bodies and where they are.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// What all bodies look like.
    pub mesh: Mesh,
    bodies: Vec<Mover>,
    side: f64,
}

#[derive(Clone, Copy, Debug)]
struct Mover {
    center: DVec3,
    velocity: DVec3,
    turned: DQuat,
    spin: DQuat,
}

impl Crowd {
    /// So many bodies of so many triangles each, after so many frames.
    pub fn new(
        shape: Shape,
        [n, triangles]: [u32; 2],
        (seed, mixed): (u64, u32),
    ) -> Result<Self, SampleError> {
        let mesh = shape.mesh(triangles)?;
        let side = cube_root(4.0 / 3.0 * std::f64::consts::PI * f64::from(n) / DENSITY) + 2.0;
        // The same motion for every number of triangles.
        let mut random = Random(seed);
        let mut bodies: Vec<Mover> = Vec::new();
        for _ in 0..n {
            let mut place = || DVec3::from([(); 3].map(|()| 1.0 + random.unit() * (side - 2.0)));
            let is_free =
                |center: &DVec3| bodies.iter().all(|other| other.center.distance(*center) >= APART);
            let center = (0..DRAWS_MAX).map(|_| place()).find(is_free);
            let center = center.ok_or_else(|| SampleError::Conflict {
                sample: "r98-random",
                needed: format!("there is no room left for {n} bodies"),
            })?;
            let velocity = random.direction() * (SPEED * random.unit());
            let [axis, first] = [random.direction(), random.direction()];
            let small = |axis: DVec3, half: f64| {
                // Sine and cosine are not the same bits everywhere, quotients are.
                let t = half / 2.0;
                let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
                DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
            };
            let turned = small(first, 3.0 * random.unit());
            let spin = small(axis, SPIN / 2.0 * random.unit());
            bodies.push(Mover { center, velocity, turned, spin });
        }
        let mut crowd = Self { mesh, bodies, side };
        (0..mixed).for_each(|_| crowd.step());
        Ok(crowd)
    }

    /// One frame.
    pub fn step(&mut self) {
        for body in &mut self.bodies {
            for k in 0..3 {
                let next = body.center[k] + body.velocity[k];
                if !(1.0..=self.side - 1.0).contains(&next) {
                    body.velocity[k] = -body.velocity[k];
                }
            }
            body.center += body.velocity;
            body.turned = product(body.spin, body.turned);
        }
    }

    /// Where all bodies are.
    pub fn poses(&self) -> Vec<Pose> {
        let pose = |body: &Mover| {
            let [x, y, z, w] = body.turned.to_array();
            Pose::new([w, x, y, z], body.center.to_array())
        };
        self.bodies.iter().map(|b| pose(b).expect("a turn and a place in the room")).collect()
    }
}

/// The second turn, then the first; of length one again.
fn product(one: DQuat, other: DQuat) -> DQuat {
    let [[a, b, c, d], [e, f, g, h]] = [one.to_array(), other.to_array()];
    let (x, y) = (d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e);
    let (z, w) = (d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    DQuat::from_xyzw(x / length, y / length, z / length, w / length)
}

fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let counts = ["n", "triangles"].map(|name| values.whole(name));
    let start = (u64::from(values.whole("seed")), values.whole("mixed"));
    let mut crowd = Crowd::new(Shape::of(values), counts, start)?;
    (0..values.whole("frame")).for_each(|_| crowd.step());
    let part = |(i, pose): (usize, Pose)| Part {
        name: format!("body-{i}"),
        mesh: crowd.mesh.clone(),
        pose,
    };
    let parts = crowd.poses().into_iter().enumerate().map(part).collect();
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames: BTreeMap::new(), sim: None })
}
