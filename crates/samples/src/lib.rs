//! Built-in models and scenes, one registry: tests, benches and the program all run the same ones.
//!
//! A sample is named like `sphere` or, with parameters, `sphere?faces=960&radius=2`:
//! ```
//! use impinge_samples::{Sampled, build};
//! let Sampled::Mesh(mesh) = build("sphere?faces=960&radius=2")? else { unreachable!() };
//! assert_eq!(mesh.face_count(), 960);
//! assert!(build("spere").unwrap_err().to_string().contains("known are"));
//! # Ok::<(), impinge_samples::error::SampleError>(())
//! ```
//! All meshes but `cloth`, which is a sheet, are closed, oriented outward and free of degenerate faces;
//! they are the same bits on every machine, and exact in f32 too (but for `headlight-part?part=0`, many parts where they
//! stand, and the scenes of [`fitting`], whose gaps may be too fine for that). Nothing is read from
//! files. What [`deforming()`] knows has vertices for every phase of a period.

pub mod assembly;
mod blocks;
mod bouncing;
mod chair;
pub mod deforming;
pub mod error;
pub mod fitting;
mod grouped_cubes;
mod head;
pub mod headlight;
pub mod nbody;
pub mod parameter;
mod polytope;
pub mod r98;
mod random;
mod refine;
pub mod room;
mod scenes;
mod shrine;
mod shuttle;
mod solid;
mod spaceship;
mod spaceships;
mod sphere;
mod surface;
mod tube;
mod turn;

use deforming::{Cloth, Deforming, Hand, Pulse, Rod};
use error::SampleError;
use headlight::fit::Task;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use impinge_scene::frames::Frames;
use impinge_scene::object::Object;
use impinge_scene::resolve::{BUILT_IN, files};
use impinge_scene::scene::fit::Fit;
use impinge_scene::scene::sim::Sim;
use impinge_scene::scene::{Scene, SceneBody, Source};
use impinge_scene::units::Unit;
use parameter::{Parameter, Values};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use surface::FACES_MAX;

/// An entry of the registry.
#[derive(Debug)]
pub struct Sample {
    /// How it is asked for.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    make: Make,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One mesh.
    Mesh,
    /// Several bodies with poses.
    Scene,
}

#[derive(Debug)]
enum Make {
    Mesh(fn(&Values) -> Result<Mesh, SampleError>),
    Deforming(fn(&Values) -> Result<Deforming, SampleError>),
    Scene(fn(&Values) -> Result<SampleScene, SampleError>),
    Moving(Moving),
}

/// A scene with ways of a part, each made by its place in the list of names.
#[derive(Debug)]
struct Moving {
    scene: fn(&Values) -> Result<SampleScene, SampleError>,
    names: &'static [&'static str],
    sequence: fn(&Values, usize) -> Result<Sequence, SampleError>,
}

/// What [`build`] made.
#[derive(Clone, Debug)]
pub enum Sampled {
    /// One mesh, in no particular unit.
    Mesh(Mesh),
    /// Several bodies.
    Scene(SampleScene),
}

/// A built-in assembly.
#[derive(Clone, Debug)]
pub struct SampleScene {
    /// The unit of all coordinates.
    pub unit: Unit,
    /// The bodies; their names are unique.
    pub parts: Vec<Part>,
    /// What moves, if the sample is a fitting check.
    pub fit: Option<Fit>,
    /// The frames of parts that deform, by their places in the list of parts.
    pub frames: BTreeMap<usize, Arc<Frames>>,
    /// How it is simulated, if it is to be.
    pub sim: Option<Box<Sim>>,
}

impl SampleScene {
    /// The same as a scene that was read. Meshes are found again by `name`, under which the sample was
    /// asked for, and the name of the part.
    pub fn into_scene(self, name: &str) -> Scene {
        let source = |part: &Part| Source {
            mesh: name.to_owned(),
            path: None,
            object: Some(part.name.clone()),
            unit: self.unit,
        };
        let body = |(place, part): (usize, Part)| SceneBody {
            source: source(&part),
            name: part.name,
            mesh: Arc::new(part.mesh),
            frames: self.frames.get(&place).cloned(),
            pose: part.pose,
            voxel: None,
            groups: Vec::new(),
        };
        let bodies = self.parts.into_iter().enumerate().map(body).collect();
        let (unit, fit, sim) = (self.unit, self.fit, self.sim.map(|sim| *sim));
        Scene { unit, bodies, ignored: Vec::new(), clearance: None, fit, sim }
    }
}

/// A body of a built-in scene.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its mesh, in its own frame.
    pub mesh: Mesh,
    /// Where it stands.
    pub pose: Pose,
}

/// The way of one part of a scene; all others stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The place of the part in the list of parts.
    pub part: usize,
    /// Where it is, step by step.
    pub poses: Vec<Pose>,
}

impl Sequence {
    /// From each pose to the next: straight, and turning at a steady rate.
    pub fn motions(&self) -> impl Iterator<Item = Motion> {
        self.poses.windows(2).map(|two| Motion::lerp_slerp(two[0], two[1]))
    }
}

impl Sample {
    /// Whether it makes one mesh or a scene.
    pub fn kind(&self) -> Kind {
        match self.make {
            Make::Mesh(_) | Make::Deforming(_) => Kind::Mesh,
            Make::Scene(_) | Make::Moving(_) => Kind::Scene,
        }
    }

    /// The names of the motions that it has, for [`sequence`].
    pub fn motions(&self) -> &'static [&'static str] {
        match &self.make {
            Make::Moving(moving) => moving.names,
            Make::Mesh(_) | Make::Deforming(_) | Make::Scene(_) => &[],
        }
    }

    /// Whether it is a mesh that deforms, for [`deforming()`].
    pub fn deforms(&self) -> bool {
        matches!(self.make, Make::Deforming(_))
    }
}

/// The scene that is shown when nothing else is asked for.
pub const DEFAULT_SCENE: &str = "headlight";

/// All samples, meshes first.
pub fn all() -> &'static [Sample] {
    &ALL
}

/// Makes the sample that `text` names: `NAME` or `NAME?parameter=value&…`.
pub fn build(text: &str) -> Result<Sampled, SampleError> {
    let (sample, values) = named(text)?;
    match &sample.make {
        Make::Mesh(make) => make(&values).map(Sampled::Mesh),
        Make::Deforming(make) => make(&values).map(|made| Sampled::Mesh(made.mesh)),
        Make::Scene(make) => make(&values).map(Sampled::Scene),
        Make::Moving(moving) => (moving.scene)(&values).map(Sampled::Scene),
    }
}

/// The sample that `text` names, if it is a mesh that deforms. A phase in `text` is where it begins.
pub fn deforming(text: &str) -> Result<Deforming, SampleError> {
    let (sample, values) = named(text)?;
    match &sample.make {
        Make::Deforming(make) => make(&values),
        _ => Err(SampleError::Rigid {
            sample: sample.name,
            known: names(all().iter().filter(|sample| sample.deforms())),
        }),
    }
}

fn names<'a>(samples: impl Iterator<Item = &'a Sample>) -> String {
    samples.map(|sample| sample.name).collect::<Vec<_>>().join(", ")
}

/// A motion of the sample that `text` names, one of [`Sample::motions`].
pub fn sequence(text: &str, motion: &str) -> Result<Sequence, SampleError> {
    let (sample, values) = named(text)?;
    let names = sample.motions();
    match (&sample.make, names.iter().position(|name| *name == motion)) {
        (Make::Moving(moving), Some(which)) => (moving.sequence)(&values, which),
        _ => Err(SampleError::UnknownMotion {
            sample: sample.name,
            motion: motion.to_owned(),
            known: if names.is_empty() { "none".to_owned() } else { names.join(", ") },
        }),
    }
}

/// The entry and the values of its parameters.
fn named(text: &str) -> Result<(&'static Sample, Values), SampleError> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    let sample = ALL.iter().find(|sample| sample.name == name).ok_or_else(|| {
        SampleError::UnknownName { name: name.to_owned(), known: names(ALL.iter()) }
    })?;
    Ok((sample, Values::read(sample.name, sample.parameters, settings)?))
}

/// The same where only a mesh will do.
pub fn build_mesh(text: &str) -> Result<Mesh, SampleError> {
    match build(text)? {
        Sampled::Mesh(mesh) => Ok(mesh),
        Sampled::Scene(_) => Err(SampleError::NotAMesh(text.to_owned())),
    }
}

/// Before the name of a sample, wherever a file could be named too.
pub const PREFIX: &str = BUILT_IN;

/// How the `mesh` of a scene file is found: `sample:NAME`, or a file in or from the folder `base`.
pub fn resolve(name: &str, base: &Path) -> Result<Vec<Object>, String> {
    let Some(sample) = name.strip_prefix(PREFIX) else { return files(name, base) };
    let (entry, _) = named(sample).map_err(|error| error.to_string())?;
    if !entry.deforms() {
        let mesh = build_mesh(sample).map_err(|error| error.to_string())?;
        return Ok(vec![Object::rigid(sample, mesh, None)]);
    }
    let made = deforming(sample).map_err(|error| error.to_string())?;
    let mut object = Object::rigid(sample, made.mesh.clone(), None);
    object.animation = Some(Arc::new(made));
    Ok(vec![object])
}

const FACES: Parameter = Parameter::count(
    "faces",
    "faces; if the count cannot be met, the next that can",
    [960, 8, FACES_MAX as u32],
);
const RADIUS: Parameter = Parameter::length("radius", "distance of the corners", 1.0);
const ROUND_RADIUS: Parameter = Parameter::length("radius", "radius of the base", 1.0);
const HEIGHT: Parameter = Parameter::length("height", "height along z", 2.0);
const SEGMENTS: Parameter = Parameter::count("segments", "steps around z", [32, 3, 1_000_000]);
const RINGS: Parameter = Parameter::count("rings", "bands of the mantle", [1, 1, 1_000_000]);
const RING: Parameter = Parameter::length("ring", "radius of the ring", 1.0);
const WAY: Parameter = Parameter::count("segments", "steps along the tube", [40, 3, 1_000_000]);
const SIDES: Parameter = Parameter::count("sides", "steps around the tube", [13, 3, 1_000_000]);

static ALL: [Sample; 45] = [
    Sample {
        name: "sphere",
        about: "sphere by latitude and longitude, as in [K98 §4.1]",
        parameters: &[FACES, RADIUS],
        make: Make::Mesh(sphere::sphere),
    },
    Sample {
        name: "ellipsoid",
        about: "sphere stretched along the axes",
        parameters: &[
            FACES,
            Parameter::length("rx", "radius along x", 1.0),
            Parameter::length("ry", "radius along y", 0.75),
            Parameter::length("rz", "radius along z", 0.5),
        ],
        make: Make::Mesh(sphere::ellipsoid),
    },
    Sample {
        name: "bumpy-sphere",
        about: "sphere with waves of two lengths, not convex",
        parameters: &[FACES, RADIUS],
        make: Make::Mesh(sphere::bumpy),
    },
    Sample {
        name: "torus",
        about: "ring about the z axis",
        parameters: &[WAY, SIDES, RING, Parameter::length("thickness", "radius of the tube", 0.35)],
        make: Make::Mesh(tube::torus),
    },
    Sample {
        name: "torus-knot",
        about: "knotted tube that winds p times about z and q times about a ring",
        parameters: &[
            Parameter { default: 250.0, ..WAY },
            Parameter { default: 20.0, ..SIDES },
            Parameter::count("p", "turns about z", [2, 1, 50]),
            Parameter::count("q", "turns about the ring", [3, 1, 50]),
            RING,
            Parameter::length("winding", "distance from the ring", 0.4),
            Parameter::length("thickness", "radius of the tube", 0.17),
        ],
        make: Make::Mesh(tube::knot),
    },
    Sample {
        name: "box",
        about: "box of 12 triangles about the origin",
        parameters: &[
            Parameter::length("x", "size along x", 1.0),
            Parameter::length("y", "size along y", 1.0),
            Parameter::length("z", "size along z", 1.0),
        ],
        make: Make::Mesh(solid::cuboid),
    },
    Sample {
        name: "cone",
        about: "cone with its point up",
        parameters: &[SEGMENTS, RINGS, ROUND_RADIUS, HEIGHT],
        make: Make::Mesh(solid::cone),
    },
    Sample {
        name: "capped-cone",
        about: "cone whose point is cut off",
        parameters: &[
            SEGMENTS,
            RINGS,
            ROUND_RADIUS,
            Parameter::length("top", "radius of the top", 0.5),
            HEIGHT,
        ],
        make: Make::Mesh(solid::capped_cone),
    },
    Sample {
        name: "cylinder",
        about: "cylinder along z",
        parameters: &[SEGMENTS, RINGS, ROUND_RADIUS, HEIGHT],
        make: Make::Mesh(solid::cylinder),
    },
    Sample {
        name: "cup",
        about: "round pot, open at the top; its floor at z = 0",
        parameters: &[
            SEGMENTS,
            ROUND_RADIUS,
            HEIGHT,
            Parameter::length("wall", "thickness of wall and floor", 0.125),
        ],
        make: Make::Mesh(solid::cup),
    },
    Sample {
        name: "icosahedron",
        about: "regular body of 20 triangles",
        parameters: &[RADIUS],
        make: Make::Mesh(solid::icosahedron),
    },
    Sample {
        name: "stellated-dodecahedron",
        about: "star of twelve pyramids, 60 triangles",
        parameters: &[RADIUS],
        make: Make::Mesh(solid::stellated_dodecahedron),
    },
    Sample {
        name: "polytope",
        about: "irregular convex body of 2 · corners − 4 faces: 36, as in [V00 §8]",
        parameters: &[
            Parameter::count("corners", "corners", [20, 4, 64]),
            Parameter::count("seed", "another body of the same kind", [1, 0, 1_000_000]),
            RADIUS,
        ],
        make: Make::Mesh(polytope::polytope),
    },
    Sample {
        name: "shuttle",
        about: "space shuttle of 528 faces, as in [K98 §4.2]",
        parameters: &shuttle::PARAMETERS,
        make: Make::Mesh(shuttle::shuttle),
    },
    Sample {
        name: "spaceship",
        about: "spaceship with gaping wings and hollow engines, for the simulator of [H93]",
        parameters: &spaceship::PARAMETERS,
        make: Make::Mesh(spaceship::spaceship),
    },
    Sample {
        name: "chair",
        about: "chair of 146 faces, as in [K98 §5.2]",
        parameters: &chair::PARAMETERS,
        make: Make::Mesh(chair::chair),
    },
    Sample {
        name: "head",
        about: "head with nose, eye sockets, ears and neck, as in [K98 §4.3]",
        parameters: &head::PARAMETERS,
        make: Make::Mesh(head::head),
    },
    Sample {
        name: "shrine",
        about: "portable shrine: roof, posts, railing, carrying poles, as in [K98 §4.4]",
        parameters: &shrine::PARAMETERS,
        make: Make::Mesh(shrine::shrine),
    },
    Sample {
        name: "hand",
        about: "hand whose fingers bend, as in [K98 §4.3]",
        parameters: &deforming::HAND,
        make: Make::Deforming(Hand::deforming),
    },
    Sample {
        name: "pulsating-sphere",
        about: "sphere that swells, shrinks and bulges",
        parameters: &deforming::PULSE,
        make: Make::Deforming(Pulse::deforming),
    },
    Sample {
        name: "twisting-rod",
        about: "square rod along z, twisted one way and the other",
        parameters: &deforming::ROD,
        make: Make::Deforming(Rod::deforming),
    },
    Sample {
        name: "cloth",
        about: "open sheet that falls on a ball of radius 1 and drapes over it in folds",
        parameters: &deforming::CLOTH,
        make: Make::Deforming(Cloth::deforming),
    },
    Sample {
        name: "headlight-part",
        about: "a part of headlight-fitting, in its own frame, or what a cover is taken off",
        parameters: &headlight::PART_PARAMETERS,
        make: Make::Mesh(headlight::part),
    },
    r98::BODY,
    Sample {
        name: "headlight",
        about: "headlight in six parts: a screw through the wall, a cover 0.5 mm off its rim",
        parameters: &[],
        make: Make::Scene(|_| scenes::headlight()),
    },
    Sample {
        name: "headlight-seated",
        about: "the same with the cover on its rim and the screw outside",
        parameters: &[],
        make: Make::Scene(|_| scenes::headlight_seated()),
    },
    Sample {
        name: headlight::NAME,
        about: "headlight whose two covers with bayonets are to be taken off, as in [E99 §5]",
        parameters: &headlight::PARAMETERS,
        make: Make::Moving(Moving {
            scene: headlight::scene,
            names: &headlight::SEQUENCES,
            sequence: headlight::sequence,
        }),
    },
    Sample {
        name: "headlight-cover",
        about: "fitting check: the left cover turned and taken off; free",
        parameters: &headlight::FIT_PARAMETERS,
        make: Make::Scene(|values| headlight::fit::scene(values, Task::Cover)),
    },
    Sample {
        name: "headlight-cover-early",
        about: "fitting check: the left cover pulled without turning it; its lugs hit the lip",
        parameters: &headlight::FIT_PARAMETERS,
        make: Make::Scene(|values| headlight::fit::scene(values, Task::CoverEarly)),
    },
    Sample {
        name: "headlight-bulb",
        about: "fitting check: the left bulb out through the neck, its cover off; free",
        parameters: &headlight::FIT_PARAMETERS,
        make: Make::Scene(|values| headlight::fit::scene(values, Task::Bulb)),
    },
    Sample {
        name: "headlight-bulb-early",
        about: "fitting check: the same with the cover in its place, which the bulb hits",
        parameters: &headlight::FIT_PARAMETERS,
        make: Make::Scene(|values| headlight::fit::scene(values, Task::BulbEarly)),
    },
    Sample {
        name: "peg",
        about: "fitting check: a peg pushed through a plate, with a known clearance",
        parameters: &fitting::PARAMETERS,
        make: Make::Scene(|values| fitting::sample(values, "peg")),
    },
    Sample {
        name: "slot",
        about: "fitting check: the foot of a hook through a slot and below the plate",
        parameters: &fitting::PARAMETERS,
        make: Make::Scene(|values| fitting::sample(values, "hook")),
    },
    Sample {
        name: "bayonet",
        about: "fitting check: a plug with lugs pushed into a ring and turned",
        parameters: &fitting::PARAMETERS,
        make: Make::Scene(|values| fitting::sample(values, "bayonet-depth")),
    },
    Sample {
        name: "interlocked-tori",
        about: "two linked rings: their boxes overlap, they do not touch",
        parameters: &[],
        make: Make::Scene(|_| scenes::interlocked_tori()),
    },
    Sample {
        name: "hands",
        about: "two bending hands, a pulsating sphere, shuttle and head, as in [K98 §4.3]",
        parameters: &scenes::HANDS,
        make: Make::Scene(scenes::hands),
    },
    Sample {
        name: "cloth-ball",
        about: "cloth that falls on a ball and drapes over it; they do not touch",
        parameters: &scenes::CLOTH_BALL,
        make: Make::Scene(scenes::cloth_ball),
    },
    Sample {
        name: room::NAME,
        about: "room of side 100 with drifting bodies of 36 faces, as in [V00 §7–8]",
        parameters: &room::PARAMETERS,
        make: Make::Scene(room::scene),
    },
    Sample {
        name: "bouncing",
        about: "the same room with spinning bodies, for `impinge sim`",
        parameters: &bouncing::PARAMETERS,
        make: Make::Scene(bouncing::scene),
    },
    Sample {
        name: "grouped-cubes",
        about: "cubes under random forces on groups of them, for `impinge sim`, as in [H93]",
        parameters: &grouped_cubes::PARAMETERS,
        make: Make::Scene(grouped_cubes::scene),
    },
    Sample {
        name: "spaceships",
        about: "ships steered at random, by thrust and turn, for `impinge sim`, as in [H93]",
        parameters: &spaceships::PARAMETERS,
        make: Make::Scene(spaceships::scene),
    },
    Sample {
        name: assembly::NAME,
        about: "machine of hundreds of parts with bolts, bearings and gears, clashes known",
        parameters: &assembly::PARAMETERS,
        make: Make::Scene(assembly::scene),
    },
    r98::random::SAMPLE,
    r98::comb::SAMPLE,
    r98::grasp::SAMPLE,
];

#[cfg(test)]
mod tests;
