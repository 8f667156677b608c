//! The room of [V00 §7–8]: a cube of side 100 in which irregular convex bodies of 36 faces drift.
//!
//! Their volume is a given part of the room's (2.5 % in the paper), each has a random linear
//! momentum of up to a tenth of its radius per frame, and turns back at the walls; the wall test is
//! that of the bounding sphere, as in the paper. At the start no two bounding spheres overlap.
//! What happens when bodies meet is not modelled here: they pass through each other.

use crate::error::SampleError;
use crate::nbody::cube_root;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::{Part, SampleScene, build_mesh};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

/// The side of the room, in world units.
pub const SIDE: f64 = 100.0;
/// As many bodies as a room may have; placing them takes time in n².
pub const BODIES_MAX: usize = 16_384;
/// The name of the sample.
pub const NAME: &str = "room";
/// Draws of a place before giving up. In a room that is a third full one in ten succeeds.
const DRAWS_MAX: usize = 10_000;

/// What room to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// How many bodies; at most [`BODIES_MAX`].
    pub n: usize,
    /// The volume of all bodies as a part of the room's.
    pub density: f64,
    /// The largest speed, in radii per frame.
    pub speed: f64,
    /// Another room of the same kind.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { n: 64, density: 0.025, speed: 0.1, seed: 1 }
    }
}

/// A room and what is in it.
#[derive(Clone, Debug)]
pub struct Room {
    /// What all bodies look like: 36 faces about the origin.
    pub mesh: Mesh,
    /// The radius of a sphere about the origin that holds the mesh.
    pub radius: f64,
    /// The bodies.
    pub bodies: Vec<Drifter>,
}

/// A body of a room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drifter {
    /// Its turn, as a quaternion `w x y z`; it keeps that.
    pub rotation: [f64; 4],
    /// Where its origin is.
    pub center: Point,
    /// How far it moves in a frame.
    pub velocity: Point,
}

impl Drifter {
    /// Turn and place together.
    pub fn pose(&self) -> Pose {
        Pose::new(self.rotation, self.center).expect("a unit quaternion and a place in the room")
    }
}

impl Room {
    /// Makes a room.
    pub fn new(params: &Params) -> Result<Self, SampleError> {
        let &Params { n, density, speed, seed } = params;
        let conflict = |needed| SampleError::Conflict { sample: NAME, needed };
        if !(1..=BODIES_MAX).contains(&n) {
            return Err(conflict(format!("{n} bodies; 1 to {BODIES_MAX} bodies are needed")));
        }
        let each = density * SIDE * SIDE * SIDE / n as f64;
        let scale = cube_root(each / volume(&polytope(1.0)?));
        let mesh = polytope(scale)?;
        let lengths = mesh.vertices().iter().map(|v| DVec3::from_array(*v).length());
        let radius = lengths.fold(0.0, f64::max) * (1.0 + 1e-9);
        if 2.0 * radius >= SIDE {
            let needed = format!(
                "{n} bodies at density {density} have radius {radius:.1}; less than {} is needed \
                 (more bodies, or a lower density)",
                SIDE / 2.0
            );
            return Err(conflict(needed));
        }
        let mut random = Random(seed);
        let mut bodies: Vec<Drifter> = Vec::with_capacity(n);
        for i in 0..n {
            let Some(center) = free_place(&bodies, radius, &mut random) else {
                let needed = format!("there is no room left for body {i} of {n}");
                return Err(conflict(needed));
            };
            let velocity = random.direction() * (random.unit() * speed * radius);
            let rotation = turn(&mut random);
            bodies.push(Drifter { rotation, center, velocity: velocity.to_array() });
        }
        Ok(Self { mesh, radius, bodies })
    }

    /// One frame: all bodies drift, and turn back at the walls.
    pub fn step(&mut self) {
        let walls = self.radius..=SIDE - self.radius;
        for body in &mut self.bodies {
            for k in 0..3 {
                if !walls.contains(&(body.center[k] + body.velocity[k])) {
                    body.velocity[k] = -body.velocity[k];
                }
                // A body that is faster than the room is wide stays at the wall.
                let next = body.center[k] + body.velocity[k];
                body.center[k] = next.clamp(*walls.start(), *walls.end());
            }
        }
    }
}

/// What can be set.
pub(crate) static PARAMETERS: [Parameter; 5] = [
    Parameter::count("n", "bodies", [64, 1, BODIES_MAX as u32]),
    Parameter::real("density", "volume of all bodies, part of the room's", [0.025, 1e-6, 0.2]),
    Parameter::real("speed", "largest way in a frame, in radii", [0.1, 0.0, 10.0]),
    Parameter::count("frames", "frames that have passed", [0, 0, 1_000_000]),
    Parameter::count("seed", "another room of the same kind", [1, 0, 1_000_000]),
];

/// The room as a scene, some frames after its start.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let mut room = Room::new(&Params {
        n: values.whole("n") as usize,
        density: values.real("density"),
        speed: values.real("speed"),
        seed: u64::from(values.whole("seed")),
    })?;
    (0..values.whole("frames")).for_each(|_| room.step());
    let part = |(i, body): (usize, &Drifter)| Part {
        name: format!("body-{i}"),
        mesh: room.mesh.clone(),
        pose: body.pose(),
    };
    let parts = room.bodies.iter().enumerate().map(part).collect();
    Ok(SampleScene { unit: Unit::Mm, parts, fit: None, frames: BTreeMap::new(), sim: None })
}

fn polytope(radius: f64) -> Result<Mesh, SampleError> {
    build_mesh(&format!("polytope?radius={radius}"))
}

fn volume(mesh: &Mesh) -> f64 {
    let six = |i| {
        let [a, b, c] = mesh.triangle(i).map(DVec3::from_array);
        a.dot(b.cross(c))
    };
    (0..mesh.triangles().len() as u32).map(six).sum::<f64>() / 6.0
}

/// A place where a sphere overlaps no other.
fn free_place(bodies: &[Drifter], radius: f64, random: &mut Random) -> Option<Point> {
    (0..DRAWS_MAX).find_map(|_| {
        let center = [0; 3].map(|_| radius + random.unit() * (SIDE - 2.0 * radius));
        let apart = |body: &Drifter| {
            let gap = DVec3::from_array(body.center) - DVec3::from_array(center);
            gap.length() > 2.0 * radius
        };
        bodies.iter().all(apart).then_some(center)
    })
}

/// A quaternion: all turns are equally likely.
fn turn(random: &mut Random) -> [f64; 4] {
    // As for directions, but in four dimensions: a draw in three falls into this shell.
    loop {
        let q = [0; 4].map(|_| random.symmetric());
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (0.1..=1.0).contains(&length) {
            return q.map(|x| x / length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_fill_the_part_that_was_asked_for_and_begin_apart() {
        for (n, density) in [(2, 0.025), (64, 0.025), (256, 0.05)] {
            let room = Room::new(&Params { n, density, ..Params::default() }).unwrap();
            assert_eq!((room.bodies.len(), room.mesh.face_count()), (n, 36));
            let filled = n as f64 * volume(&room.mesh) / SIDE.powi(3);
            assert!((filled / density - 1.0).abs() < 0.01, "{filled}");
            for (i, a) in room.bodies.iter().enumerate() {
                for b in &room.bodies[..i] {
                    let gap = DVec3::from_array(a.center) - DVec3::from_array(b.center);
                    assert!(gap.length() > 2.0 * room.radius);
                }
                let speed = DVec3::from_array(a.velocity).length();
                assert!(speed <= 0.1 * room.radius);
                let placed = room.mesh.vertices().iter().map(|v| a.pose().apply(v));
                let gap = |p: Point| (DVec3::from_array(p) - DVec3::from_array(a.center)).length();
                assert!(placed.map(gap).all(|far| far <= room.radius * 1.000_001));
            }
        }
    }

    #[test]
    fn bodies_stay_in_the_room_and_keep_their_speed() {
        for speed in [0.1, 10.0] {
            let mut room = Room::new(&Params { speed, ..Params::default() }).unwrap();
            let before: Vec<Point> = room.bodies.iter().map(|b| b.velocity.map(f64::abs)).collect();
            for _ in 0..500 {
                room.step();
            }
            for (body, before) in room.bodies.iter().zip(before) {
                assert_eq!(body.velocity.map(f64::abs), before);
                let walls = room.radius..=SIDE - room.radius;
                assert!(body.center.iter().all(|x| walls.contains(x)));
            }
        }
    }

    #[test]
    fn frames_of_the_scene_are_those_of_the_room() {
        let mut room = Room::new(&Params { n: 10, ..Params::default() }).unwrap();
        (0..7).for_each(|_| room.step());
        let Ok(crate::Sampled::Scene(scene)) = crate::build("room?n=10&frames=7") else {
            panic!("no scene")
        };
        for (part, body) in scene.parts.iter().zip(&room.bodies) {
            assert_eq!(part.pose, body.pose());
        }
        assert_eq!(scene.parts[9].name, "body-9");
        let message = |text: &str| crate::build(text).unwrap_err().to_string();
        assert!(message("room?n=50000").contains("from 1 to 16384"));
        let refusal = |n, density| {
            Room::new(&Params { n, density, ..Params::default() }).unwrap_err().to_string()
        };
        assert!(refusal(1, 0.9).contains("lower density"));
        assert!(refusal(200, 0.5).contains("no room left"));
        assert!(refusal(0, 0.1).contains("1 to 16384"));
    }
}
