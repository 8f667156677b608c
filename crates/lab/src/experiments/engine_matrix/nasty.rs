//! Bodies that are easily taken for something else: hollow ones, walls as thin as foil, shells that overlap
//! or are inside out, and sizes that have nothing in common.

use super::scenes::{Still, two};
use anyhow::Result;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

/// How thick foil is.
const FOIL: f64 = 1e-5;
/// How much larger the larger one is where sizes differ.
const LARGER: f64 = 1e6;

/// Vertices and triangles of closed surfaces.
#[derive(Default)]
struct Surface {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// With a box from one corner to the other, seen from outside or, for a hollow, from within.
    fn with_box(mut self, [min, max]: [Point; 2], is_hollow: bool) -> Self {
        let first = self.ring([min, [max[0], max[1], min[2]]]);
        let second = self.ring([[min[0], min[1], max[2]], max]);
        let from = self.triangles.len();
        self.quad([first[3], first[2], first[1], first[0]]);
        self.quad(second);
        self.band(first, second);
        if is_hollow {
            self.triangles[from..].iter_mut().for_each(|triangle| triangle.swap(0, 1));
        }
        self
    }

    /// The corners of a rectangle at one height, counterclockwise from above.
    fn ring(&mut self, [min, max]: [Point; 2]) -> [u32; 4] {
        let first = self.vertices.len() as u32;
        let corners = [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]];
        self.vertices.extend(corners.map(|[x, y]| [x, y, min[2]]));
        [0, 1, 2, 3].map(|k| first + k)
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// What is between a ring and one above it, seen from outside.
    fn band(&mut self, below: [u32; 4], above: [u32; 4]) {
        for k in 0..4 {
            let next = (k + 1) % 4;
            self.quad([below[k], below[next], above[next], above[k]]);
        }
    }

    fn mesh(self) -> Result<Arc<Mesh>> {
        Ok(Arc::new(Mesh::new(self.vertices, self.triangles)?))
    }
}

fn cube(half: f64) -> [Point; 2] {
    [[-half; 3], [half; 3]]
}

/// A box that is open at the top, with walls and a floor of foil, in one closed surface.
fn tray() -> Result<Arc<Mesh>> {
    let mut tray = Surface::default();
    let inner = 1.0 - FOIL;
    let bottom = tray.ring([[-1.0; 3], [1.0, 1.0, -1.0]]);
    let rim = tray.ring([[-1.0, -1.0, 1.0], [1.0; 3]]);
    let mouth = tray.ring([[-inner, -inner, 1.0], [inner, inner, 1.0]]);
    let floor = tray.ring([[-inner; 3], [inner, inner, -inner]]);
    tray.quad([bottom[3], bottom[2], bottom[1], bottom[0]]);
    for (below, above) in [(bottom, rim), (rim, mouth), (mouth, floor)] {
        tray.band(below, above);
    }
    tray.quad(floor);
    tray.mesh()
}

/// Where the smaller body is put: in the middle, off it, at walls from both sides, in them, and outside.
const PLACES: [Point; 12] = [
    [0.0, 0.0, 0.0],
    [0.25, 0.125, -0.25],
    [0.8125, 0.0, 0.0],
    [0.875, 0.0, 0.0],
    [0.9375, 0.0, 0.0],
    [0.75, 0.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.125, 0.0, 0.0],
    [1.25, 0.5, 0.0],
    [0.5, 0.5, 0.5],
    [0.0, 0.0, -0.875],
];

pub(super) fn all(quick: bool, out: &mut Vec<Still>) -> Result<()> {
    let small = Surface::default().with_box(cube(0.125), false).mesh()?;
    let ball = Arc::new(build_mesh("sphere?faces=120&radius=0.125")?);
    let hollow = |wall: f64| {
        Surface::default().with_box(cube(1.0), false).with_box(cube(1.0 - wall), true).mesh()
    };
    // The volume that the one inside out takes away is larger than that of the others together.
    let far = [[90.0, -10.0, -10.0], [110.0, 10.0, 10.0]];
    let inverted = Surface::default()
        .with_box(cube(1.0), false)
        .with_box([[0.5; 3], [2.0; 3]], false)
        .with_box(far, true);
    let bodies = [
        ("hollow box", hollow(0.25)?),
        ("box of foil", hollow(FOIL)?),
        ("tray of foil", tray()?),
        ("overlapping boxes and one inside out", inverted.mesh()?),
    ];
    let mut places = PLACES.to_vec();
    for (name, body) in &bodies[..if quick { 1 } else { bodies.len() }] {
        if name.starts_with("overlapping") {
            places.extend([[100.0, 0.0, 0.0], [110.0, 0.0, 0.0], [89.0, 0.0, 0.0]]);
        }
        let shifts = places.iter().map(|at| Pose::shift(*at));
        let mut poses = shifts.collect::<Result<Vec<Pose>, _>>()?;
        // Turned by right angles no more.
        let turned = |pose: &Pose| Pose::new([0.9, 0.1, 0.3, 0.2], pose.translation());
        poses.extend(poses.clone().iter().map(turned).collect::<Result<Vec<_>, _>>()?);
        for (what, other) in [("box", &small), ("ball", &ball)] {
            let both = [Arc::clone(body), Arc::clone(other)];
            out.push(two("hollow and thin bodies", format!("{what} and {name}"), &both, &poses));
        }
    }
    sizes(out)
}

/// A body beside one that is a million times as large.
fn sizes(out: &mut Vec<Still>) -> Result<()> {
    let large = Surface::default().with_box(cube(LARGER), false).mesh()?;
    let ball = Arc::new(build_mesh(&format!("sphere?faces=360&radius={LARGER}"))?);
    let small = Arc::new(build_mesh("sphere?faces=120")?);
    let mut places = Vec::new();
    for gap in [-2.0, -1.0, -0.5, 0.0, 0.25, 0.99, 1.0, 1.01, 1.5] {
        places.push(Pose::shift([LARGER + gap, 0.0, 0.0])?);
        places.push(Pose::shift([LARGER + gap, 0.5 * LARGER, LARGER + gap])?);
        places.push(Pose::shift([0.0, 0.0, LARGER + gap])?);
    }
    for (name, large) in [("box", large), ("ball", ball)] {
        let both = [large, Arc::clone(&small)];
        let name = format!("a ball and a {name} a million times as large");
        out.push(two("sizes that differ", name, &both, &places));
    }
    Ok(())
}
