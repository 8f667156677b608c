//! Collision detection by rendering [R98 §4], as printed: convex blocks are drawn into depth and stencil buffers over
//! the region that both reach, and faces are counted pixel by pixel.
//!
//! Pixels are looked at in their centres. What no centre shows is missed, and nothing is invented but what
//! is within rounding: see [`Outcome::rounding`]. The engine `image` is what does not miss.
//! What draws is a [`render::Renderer`]; [`software::Software`] is one. See docs/notes/recode.md.

pub mod case;
mod frame;
pub mod mor;
pub mod region;
pub mod render;
pub mod separate;
pub mod software;
pub mod view;

use crate::Point;
use crate::obb::Obb;
use frame::Frame;
use region::Region;
use render::{Depths, Rect, Renderer};

/// A convex block in the world.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Its corners.
    pub points: &'a [Point],
    /// Its faces, a closed surface; which way round is not asked.
    pub triangles: &'a [[u32; 3]],
    /// A box around it. Where both blocks of a pair have one, the region that they share is made smaller by them.
    pub obb: Option<&'a Obb>,
}

/// How fine pixels are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// So many along the longer side of the region that a pair shares, up to twice as many: sizes of pixels are
    /// powers of two.
    Pixels(u32),
    /// Of this edge, for all pairs.
    Length(f64),
}

/// What blocks are projected on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// The plane across x, y or z (0, 1, 2), for all pairs.
    Axis(usize),
    /// The plane that parts the blocks of a pair, or nearly does [R98 §6]. Depth maps are of no use for other pairs
    /// then.
    Separating,
}

/// How a frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How fine.
    pub resolution: Resolution,
    /// On what.
    pub plane: Plane,
    /// Whether depth maps serve all pairs of a block, or are made anew for each.
    pub reuse: bool,
}

/// What was found of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// On the line through the centre of some pixel both blocks are at one place.
    pub hit: bool,
    /// How often the pair was drawn; 0 if no pixel has its centre in what their boxes share.
    pub passes: u8,
    /// How wide pixels were; 0 if the boxes share nothing.
    pub pixel: f64,
    /// Blocks that are a hit are no farther apart than this; infinite if one is larger than can be drawn.
    pub rounding: f64,
    /// It was not looked at, since it was time to stop.
    pub skipped: bool,
}

/// What was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Depth maps that were made.
    pub maps: u64,
    /// Depth maps that were there already when they were needed.
    pub reused: u64,
    /// Blocks held against maps.
    pub tests: u64,
    /// Faces drawn.
    pub triangles: u64,
    /// Pixels of all maps and counters.
    pub pixels: u64,
}

/// All pairs of blocks of a frame, one outcome each, in their order.
pub fn collide<R: Renderer>(
    renderer: &R,
    blocks: &[Block<'_>],
    pairs: &[[u32; 2]],
    settings: &Settings,
) -> (Vec<Outcome>, Work) {
    collide_until(renderer, blocks, pairs, (settings, &|| false))
}

/// The same, but it is asked now and then whether to stop; what was not looked at by then is told to be skipped.
pub fn collide_until<R: Renderer>(
    renderer: &R,
    blocks: &[Block<'_>],
    pairs: &[[u32; 2]],
    (settings, is_over): (&Settings, &dyn Fn() -> bool),
) -> (Vec<Outcome>, Work) {
    let mut frame = Frame::new(renderer, blocks, settings);
    let outcomes = frame.run(pairs, is_over);
    (outcomes, frame.work)
}

/// What one pair shares, at the resolution at which it is found; none if not even their boxes share anything.
pub fn region<R: Renderer>(
    renderer: &R,
    pair: [Block<'_>; 2],
    settings: &Settings,
) -> Option<Region> {
    Frame::new(renderer, &pair, settings).region([0, 1])
}

/// What the buffers hold after each pass over one pair, for people: the region that both reach. Empty if nothing is
/// drawn.
pub fn pictures<R: Renderer>(renderer: &R, pair: [Block<'_>; 2], settings: &Settings) -> Vec<Pass> {
    Frame::new(renderer, &pair, settings).pictures([0, 1])
}

/// The buffers after a pass, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// VZA: the farthest depth of the block that was drawn, ¼ where it begins and ¾ where it ends; meaningless where
    /// the mask is 0.
    pub depth: Vec<f32>,
    /// VSA: 1 where that block is.
    pub mask: Vec<u8>,
    /// VSC: how many faces of the other block are not beyond it.
    pub counter: Vec<u8>,
}

impl Pass {
    /// The part of a map that is looked at.
    fn cut(depths: &Depths, over: &Rect, counter: Vec<u8>) -> Self {
        let width = depths.size.width as usize;
        let row = |y: u32| {
            let start = y as usize * width;
            start + over.min[0] as usize..start + over.max[0] as usize
        };
        let rows = || (over.min[1]..over.max[1]).map(row);
        Self {
            width: over.size().width,
            height: over.size().height,
            depth: rows().flat_map(|row| depths.depth[row].iter().copied()).collect(),
            mask: rows().flat_map(|row| depths.mask[row].iter().copied()).collect(),
            counter,
        }
    }
}

#[cfg(test)]
mod tests;
