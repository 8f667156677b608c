//! A chair of 146 faces, as the one of [K98 §5.2]: seat, legs, and a back of two posts and
//! a rail, one closed surface.

use crate::blocks::{Block, union};
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use impinge_geom::mesh::Mesh;

/// Seen from the front: x to the right, y to the back, z up; the seat is two wide.
const BLOCKS: [Block; 6] = [
    // The legs; those behind go on as the posts of the back.
    [[-1.0, -1.0, -2.0], [-0.75, -0.75, 0.0]],
    [[0.75, -1.0, -2.0], [1.0, -0.75, 0.0]],
    [[-1.0, 0.75, -2.0], [-0.75, 1.0, 2.25]],
    [[0.75, 0.75, -2.0], [1.0, 1.0, 2.25]],
    [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.25]],
    // The rail.
    [[-0.75, 0.75, 1.0], [0.75, 1.0, 2.0]],
];

pub(crate) static PARAMETERS: [Parameter; 1] =
    [Parameter::count("faces", "faces; an odd number is rounded up", [146, 144, 1_000_000])];

pub(crate) fn chair(values: &Values) -> Result<Mesh, SampleError> {
    union(&BLOCKS).refined(values.whole("faces")).finish(values.sample, [2.0; 3])
}
