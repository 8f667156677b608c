//! The scenes: pairs near contact, samples at some of their instants, and bodies that are hard to tell apart.

use crate::near::{Approach, Random, poses};
use anyhow::{Result, bail, ensure};
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::{SampleScene, Sampled, build, build_mesh};
use std::sync::Arc;

/// Bodies at some instants.
pub(super) struct Still {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) meshes: Vec<Arc<Mesh>>,
    /// By instant and body.
    pub(super) poses: Vec<Vec<Pose>>,
}

/// Two bodies each, held against each other near contact.
const PAIRS: [[&str; 2]; 17] = [
    ["sphere?faces=360", "sphere?faces=360"],
    ["torus-knot?segments=60&sides=8", "torus-knot?segments=60&sides=8"],
    ["cone?segments=16&rings=2", "cone?segments=16&rings=2"],
    ["box?x=2&y=1&z=0.01", "box?x=2&y=1&z=0.01"],
    ["stellated-dodecahedron", "bumpy-sphere?faces=360"],
    ["shuttle", "chair"],
    ["head", "hand"],
    ["spaceship", "spaceship"],
    ["cup", "cylinder?radius=0.5&height=3"],
    ["polytope", "icosahedron"],
    ["r98-body?shape=capped-cones&triangles=144", "r98-body?shape=ellipsoids&triangles=144"],
    ["torus", "capped-cone"],
    ["shrine", "shuttle"],
    ["pulsating-sphere?faces=360&phase=0.3", "twisting-rod?faces=400&phase=0.6"],
    ["twisting-rod?faces=400&turns=2", "twisting-rod?faces=400&phase=0.25"],
    ["cup?wall=0.001&segments=16", "sphere?faces=120"],
    ["cloth?faces=800&phase=0.7", "bumpy-sphere?faces=360"],
];

/// Samples at some instants.
const SCENES: [&str; 24] = [
    "interlocked-tori",
    "headlight",
    "headlight-seated",
    "peg",
    "slot",
    "bayonet",
    "room?n=48&density=0.1",
    "room?n=48&density=0.1&frames=200",
    "grouped-cubes",
    "spaceships",
    "r98-random?shape=ellipsoids&n=60&triangles=144",
    "r98-random?shape=capped-cones&n=60&triangles=144&frame=50",
    "r98-random?shape=cones&n=60&triangles=144&frame=99",
    "r98-comb?fineness=2&frame=39",
    "r98-comb?fineness=2&frame=40",
    "r98-comb?fineness=2&tips=offset&frame=40",
    "r98-comb?fineness=2&tips=offset&motion=rotation&frame=39",
    "r98-comb?fineness=2&tips=offset&motion=rotation&frame=40",
    "r98-comb?fineness=2&motion=rotation&frame=40",
    "r98-comb?fineness=2&motion=rotation&frame=45",
    "r98-comb?fineness=2&motion=translation&frame=41",
    "bouncing?n=32",
    "assembly?parts=12&faces=3000",
    "assembly?parts=30&faces=10000&seed=2",
];

/// Samples that deform, and the frames that are looked at.
const DEFORMING: [(&str, [usize; 4]); 3] = [
    ("hands", [0, 8, 16, 24]),
    ("grasp?frames=70", [30, 45, 50, 69]),
    ("cloth-ball?faces=2000", [0, 8, 16, 24]),
];

pub(super) fn all(quick: bool, seed: u64) -> Result<Vec<Still>> {
    let mut stills = Vec::new();
    let (pairs, count) = if quick { (&PAIRS[2..3], 4) } else { (&PAIRS[..], 40) };
    for names in pairs {
        near(names, (count, seed), &mut stills)?;
    }
    let scenes = if quick { &SCENES[13..15] } else { &SCENES[..] };
    for name in scenes {
        let scene = scene(name)?;
        stills.push(Still {
            kind: "scenes of samples",
            name: (*name).to_owned(),
            poses: vec![scene.parts.iter().map(|part| part.pose).collect()],
            meshes: scene.parts.into_iter().map(|part| Arc::new(part.mesh)).collect(),
        });
    }
    if !quick {
        for (name, frames) in DEFORMING {
            deformed(name, &frames, &mut stills)?;
        }
    }
    nested(quick, &mut stills)?;
    coplanar(&mut stills)?;
    soups(if quick { 1 } else { 20 }, seed, &mut stills)?;
    Ok(stills)
}

fn scene(name: &str) -> Result<SampleScene> {
    let Sampled::Scene(scene) = build(name)? else { bail!("`{name}` is a scene") };
    Ok(scene)
}

pub(super) fn two(
    kind: &'static str,
    name: String,
    meshes: &[Arc<Mesh>; 2],
    places: &[Pose],
) -> Still {
    let poses = places.iter().map(|pose| vec![Pose::IDENTITY, *pose]).collect();
    Still { kind, name, meshes: meshes.to_vec(), poses }
}

fn near(names: &[&str; 2], (count, seed): (usize, u64), out: &mut Vec<Still>) -> Result<()> {
    let [a, b] = [Arc::new(build_mesh(names[0])?), Arc::new(build_mesh(names[1])?)];
    let approach = Approach::of([&a, &b], seed);
    let mut pair = PosedPair::new(Arc::clone(&a), Arc::clone(&b))?;
    let places = poses(&mut pair, &approach, count)?;
    let name = format!("{} and {}", names[0], names[1]);
    out.push(two("pairs of models near contact", name, &[a, b], &places));
    Ok(())
}

fn deformed(name: &str, frames: &[usize], out: &mut Vec<Still>) -> Result<()> {
    let scene = scene(name)?;
    for &frame in frames {
        let mesh = |(k, part): (usize, &impinge_samples::Part)| -> Result<Arc<Mesh>> {
            let vertices = scene.frames.get(&k).map(|all| all.frame(frame % all.len()).to_vec());
            Ok(Arc::new(match vertices {
                Some(vertices) => part.mesh.with_vertices(vertices)?,
                None => part.mesh.clone(),
            }))
        };
        out.push(Still {
            kind: "instants of deforming samples",
            name: format!("{name}, frame {frame}"),
            meshes: scene.parts.iter().enumerate().map(mesh).collect::<Result<_>>()?,
            poses: vec![scene.parts.iter().map(|part| part.pose).collect()],
        });
    }
    Ok(())
}

/// Bodies within others, some of which touch them from inside or are in a hollow.
fn nested(quick: bool, out: &mut Vec<Still>) -> Result<()> {
    let cases = [
        (["sphere?faces=360&radius=2", "sphere?faces=360"], [0.25, 0.0, 0.0]),
        (["sphere?faces=360&radius=2", "torus"], [0.0; 3]),
        (["box?x=4&y=4&z=4", "box"], [1.0, 1.0, 1.0]),
        (["box?x=4&y=4&z=4", "box"], [1.5, 0.0, 0.0]),
        (["torus?thickness=0.5&ring=2", "sphere?faces=120&radius=0.25"], [2.0, 0.0, 0.0]),
        (["torus?thickness=0.5&ring=2", "sphere?faces=120&radius=0.25"], [0.0; 3]),
        (["cup?wall=0.25", "sphere?faces=120&radius=0.5"], [0.0, 0.0, 1.0]),
        (["sphere?faces=360", "sphere?faces=360"], [0.0; 3]),
    ];
    let boxes = if quick { 2..4 } else { 0..cases.len() };
    for ([a, b], at) in &cases[boxes] {
        let meshes = [Arc::new(build_mesh(a)?), Arc::new(build_mesh(b)?)];
        let name = format!("{b} at {at:?} of {a}");
        out.push(two("nested bodies", name, &meshes, &[Pose::shift(*at)?]));
    }
    Ok(())
}

/// Boxes with faces, edges and corners in common, or one rounding away from that.
fn coplanar(out: &mut Vec<Still>) -> Result<()> {
    let cube = Arc::new(build_mesh("box")?);
    let next = 1.0f64.next_up();
    let before = 1.0f64.next_down();
    let places = [
        [1.0, 0.0, 0.0],
        [1.0, 0.5, 0.25],
        [1.0, 1.0, 0.0],
        [1.0, 1.0, 1.0],
        [next, 0.0, 0.0],
        [before, 0.0, 0.0],
        [next, 1.0, 1.0],
        [0.0, 0.0, 0.5],
        [0.25, 0.25, 1.0],
        [-1.0, 0.5, 0.0],
    ];
    let places = places.map(Pose::shift).into_iter().collect::<Result<Vec<_>, _>>()?;
    out.push(two("coplanar boxes", "boxes".to_owned(), &[Arc::clone(&cube), cube], &places));
    Ok(())
}

/// Triangles in no order, which bound nothing.
fn soups(count: u64, seed: u64, out: &mut Vec<Still>) -> Result<()> {
    for k in 0..count {
        let mut random = Random::of([seed, k, 5]);
        let mut soup = || -> Result<Arc<Mesh>> {
            let mut vertices: Vec<Point> = Vec::new();
            for _ in 0..40 {
                let middle: Point = std::array::from_fn(|_| random.between([-1.0, 1.0]));
                for _ in 0..3 {
                    let way: Point = random.on_sphere();
                    vertices.push(std::array::from_fn(|i| middle[i] + 0.2 * way[i]));
                }
            }
            let triangles = (0..40).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            Ok(Arc::new(Mesh::new(vertices, triangles)?))
        };
        let [a, b] = [soup()?, soup()?];
        let at = std::array::from_fn(|_| random.between([-1.2, 1.2]));
        out.push(two("soups of triangles", format!("soup {k}"), &[a, b], &[Pose::shift(at)?]));
    }
    ensure!(!out.is_empty(), "there are scenes");
    Ok(())
}

impl Still {
    fn posed(&self, body: usize, at: usize) -> Vec<Point> {
        let pose = &self.poses[at][body];
        self.meshes[body].vertices().iter().map(|v| pose.apply(v)).collect()
    }

    /// How far two bodies are apart, at most, by an engine that takes them for free; infinite if it does not.
    pub(super) fn distance(&self, bodies: [usize; 2], at: usize, engine: &str) -> f64 {
        let far = f64::INFINITY;
        let Some((pruner, engine)) = broad::by_name("brute").zip(narrow::by_name(engine)) else {
            return far;
        };
        let mut world = World::with(pruner, engine);
        for body in bodies {
            let Ok(shape) = world.add_shape(Arc::clone(&self.meshes[body])) else { return far };
            let placed = Body::new(shape).at(self.poses[at][body]);
            if world.insert(placed).is_err() {
                return far;
            }
        }
        let report = world.step(&Query::CLEARANCE);
        let gap = report.pairs().next().and_then(|pair| pair.answer.clearance);
        gap.map_or(far, |gap| gap.at_most)
    }

    /// How deep vertices and middles of faces of either body are in the other, at most.
    pub(super) fn deepest(&self, [a, b]: [usize; 2], at: usize) -> f64 {
        let of = |one: usize, other: usize| -> f64 {
            let mut world = World::new();
            let Ok(shape) = world.add_shape(Arc::clone(&self.meshes[other])) else { return 0.0 };
            let placed = Body::new(shape).at(self.poses[at][other]);
            let Ok(body) = world.insert(placed) else { return 0.0 };
            let points = self.posed(one, at);
            let middle = |t: &[u32; 3]| -> Point {
                let corners = t.map(|v| points[v as usize]);
                std::array::from_fn(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / 3.0)
            };
            let middles = self.meshes[one].triangles().iter().map(middle);
            let mut deepest = 0.0f64;
            for point in points.iter().copied().chain(middles) {
                let Ok(spot) = Spot::new(point) else { continue };
                if world.locate_on(body, &spot) == Some(Location::Inside) {
                    let found = world.closest_on(body, &spot);
                    deepest = deepest.max(found.map_or(0.0, |closest| closest.nearest.at_least));
                }
            }
            deepest
        };
        of(a, b).max(of(b, a))
    }
}
