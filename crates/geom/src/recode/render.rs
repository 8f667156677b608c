//! The graphics system, as [R98 §4] uses it: a depth buffer, a stencil mask and a stencil counter.
//!
//! What is drawn is in image coordinates already: x to the right and y downwards in pixels of the
//! viewport, pixel `(i, j)` with its centre at `(i + ½, j + ½)`; z is the depth, 0 nearest to the eye.
//! A face covers a pixel if the centre is in it; a centre on an edge belongs to the face of which that is a
//! top or a left edge, so that the line through a pixel crosses the surface of a closed convex block twice
//! or never. Faces are drawn whichever way round they are. Depths are clamped to 0…1 pixel by pixel, and
//! nothing is clipped away for its depth: blocks may reach beyond the range of the one they are held against.
//!
//! Work comes in lists, the drawings of one frame that do not depend on each other, so that a
//! renderer may do them together or side by side. What it tells must not depend on that.

/// A block in image coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// Corners: x and y in pixels, z the depth.
    pub points: &'a [[f32; 3]],
    /// Faces, by the numbers of their corners.
    pub triangles: &'a [[u32; 3]],
}

/// Pixels along the sides of a viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

/// Pixels of a viewport, from `min` on to before `max`, x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// The first.
    pub min: [u32; 2],
    /// Behind the last; above `min`.
    pub max: [u32; 2],
}

impl Rect {
    /// Pixels along its sides.
    pub fn size(&self) -> Size {
        Size { width: self.max[0] - self.min[0], height: self.max[1] - self.min[1] }
    }
}

/// Which depth of those that are drawn on a pixel stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The greatest: the buffer is cleared to 0, and a depth passes if it is greater or equal.
    Farthest,
    /// The least: the buffer is cleared to 1, and a depth passes if it is less or equal.
    Nearest,
}

/// `RenderSetZ` [R98 fig. 4]: the depth map of a block over a cleared viewport.
#[derive(Clone, Copy, Debug)]
pub struct SetZ<'a> {
    /// What is drawn. It may reach beyond the viewport.
    pub drawing: Drawing<'a>,
    /// On what.
    pub size: Size,
    /// Which depths stay.
    pub keep: Keep,
}

/// `RenderTestZ` [R98 fig. 4]: counts faces whose depth is not beyond that of a map. Nothing is written but
/// the counter, which starts at 0.
#[derive(Debug)]
pub struct TestZ<'a, Map> {
    /// What is held against the map, in the coordinates of the map.
    pub drawing: Drawing<'a>,
    /// The map.
    pub map: &'a Map,
    /// The pixels of it that are looked at.
    pub over: Rect,
}

/// A depth map, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Depths {
    /// Its pixels.
    pub size: Size,
    /// VZA: the depth that stayed, row by row from the top; meaningless where the mask is 0.
    pub depth: Vec<f32>,
    /// VSA: 1 where the block is, else 0.
    pub mask: Vec<u8>,
}

/// VSC: how many faces of the tested block passed on each pixel of the rectangle, row by row from the top; 0
/// where the mask of the map is 0. It stays at the renderer's largest number, 127 or more, once it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Which pixels of the map.
    pub over: Rect,
    /// One number each.
    pub count: Vec<u8>,
}

/// How far what is drawn may be off, beyond the rounding of what is given to f32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slack {
    /// Corners are moved by at most this, along x and along y, in pixels.
    pub pixels: f64,
    /// Depths on pixels are off by at most this.
    pub depth: f64,
}

/// What draws.
pub trait Renderer: Send + Sync {
    /// A depth map with its mask, wherever the renderer keeps it.
    type Map: Send + Sync;
    /// How exactly it draws; corners are thought to be within a thousand pixels.
    fn slack(&self) -> Slack;
    /// Draws each of the list on a viewport of its own.
    fn set_z(&self, all: &[SetZ<'_>]) -> Vec<Self::Map>;
    /// Holds each of the list against its map.
    fn test_z(&self, all: &[TestZ<'_, Self::Map>]) -> Vec<Counts>;
    /// What is in a map.
    fn read(&self, map: &Self::Map) -> Depths;
}
