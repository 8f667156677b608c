//! A portable shrine, as built in [K98 §4.4]: poles to carry it by, platform, railing, sanctum, posts
//! and beams, one closed surface; and, a little above them, a roof with swept-up corners, another one.
//!
//! Both are made of boxes; then the roof is moved up or down by an amount that depends on x and y
//! alone. Upright faces stay in their planes and faces one above the other move alike, so the surface
//! cannot meet itself.

use crate::blocks::{Block, union};
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

pub(crate) static PARAMETERS: [Parameter; 1] =
    [Parameter::count("faces", "faces; an odd number is rounded up", [5264, 5000, 1_000_000])];

/// Where the roof begins before it is swept, which moves it down by at most 0.5625.
const EAVES: f64 = 11.5;

/// The carrying poles go along x; the shrine is 8 wide.
pub(crate) fn shrine(values: &Values) -> Result<Mesh, SampleError> {
    let mut blocks = frame();
    blocks.extend(railing());
    blocks.extend(house());
    let mut surface = union(&blocks);
    let mut above = union(&roof());
    for vertex in &mut above.vertices {
        *vertex = swept(*vertex);
    }
    surface.append(above);
    surface.refined(values.whole("faces")).finish(values.sample, [16.0; 3])
}

/// The box around a middle in x and y, from one height to another.
fn upright([x, y]: [f64; 2], [dx, dy]: [f64; 2], [low, high]: [f64; 2]) -> Block {
    [[x - dx, y - dy, low], [x + dx, y + dy, high]]
}

/// The four places that mirrors in x and y make of one.
fn corners(x: f64, y: f64) -> [[f64; 2]; 4] {
    [[-x, -y], [x, -y], [-x, y], [x, y]]
}

/// Two poles along x, two across under their ends, feet, and a platform.
fn frame() -> Vec<Block> {
    let mut blocks = Vec::new();
    for side in [-1.0, 1.0] {
        blocks.push(upright([0.0, 2.5 * side], [14.0, 0.25], [1.0, 1.5]));
        blocks.push(upright([8.0 * side, 0.0], [0.25, 6.0], [1.5, 2.0]));
    }
    blocks.extend(corners(2.5, 2.5).map(|at| upright(at, [0.25, 0.25], [0.0, 1.0])));
    blocks.push(upright([0.0, 0.0], [4.0, 4.0], [1.5, 2.5]));
    blocks
}

/// A rail around the platform, on posts in its corners and in the middle of its sides.
fn railing() -> Vec<Block> {
    let mut blocks = corners(3.5, 3.5).map(|at| upright(at, [0.125, 0.125], [2.5, 4.0])).to_vec();
    for side in [-3.5, 3.5] {
        blocks.push(upright([0.0, side], [3.625, 0.125], [3.75, 4.0]));
        blocks.push(upright([side, 0.0], [0.125, 3.625], [3.75, 4.0]));
        blocks.push(upright([0.0, side], [0.125, 0.125], [2.5, 3.75]));
        blocks.push(upright([side, 0.0], [0.125, 0.125], [2.5, 3.75]));
    }
    blocks
}

/// Four posts with beams through them, and the sanctum between.
fn house() -> Vec<Block> {
    let mut blocks = corners(2.5, 2.5).map(|at| upright(at, [0.25, 0.25], [2.5, 10.875])).to_vec();
    blocks.push(upright([0.0, 0.0], [1.75, 1.75], [2.5, 9.0]));
    for side in [-2.5, 2.5] {
        blocks.push(upright([0.0, side], [3.25, 0.25], [9.0, 9.5]));
        blocks.push(upright([side, 0.0], [0.25, 3.25], [9.0, 9.5]));
    }
    blocks
}

/// Slabs one on another, each smaller than the one below, and a bird on top.
fn roof() -> Vec<Block> {
    let slab = |(half, k): (f64, u8)| {
        let low = EAVES + 0.5 * f64::from(k);
        upright([0.0, 0.0], [half, half], [low, low + 0.5])
    };
    let mut blocks: Vec<Block> =
        [5.5, 5.0, 4.25, 3.5, 2.75, 2.0].into_iter().zip(0..).map(slab).collect();
    let top = EAVES + 3.0;
    blocks.push(upright([0.0, 0.0], [1.0, 1.0], [top, top + 1.0]));
    blocks.push(upright([0.0, 0.0], [0.25, 0.25], [top + 1.0, top + 2.5]));
    blocks.push(upright([0.0, 0.0], [0.25, 1.25], [top + 1.5, top + 2.0]));
    blocks
}

/// The roof falls off from its middle and rises again at its corners.
fn swept([x, y, z]: Point) -> Point {
    let (x2, y2) = (x * x, y * y);
    let lift = 0.001953125 * (x2 * x2 + y2 * y2) - 0.046875 * (x2 + y2);
    [x, y, z + lift]
}
