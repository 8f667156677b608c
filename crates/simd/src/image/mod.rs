//! Meshes seen along a direction: vertices to places in an image, faces to extents, extents to pixels
//! and bins of depth, and pairs of extents that overlap.
//!
//! An extent is a box in the image, with its upper ends negated: `[u, v, depth, ·, −u, −v, −depth, ·]`.
//! So the extent around two others has the lesser number in every lane, what they have in common has
//! the greater, and growing is subtraction. The fourth and the eighth lane take no part.
//!
//! What makes it safe to compare extents instead of faces is one error bound, [`View::grant`], which
//! every extent is grown by. All that follows are monotone functions of the ends of extents, the same
//! ones for both bodies: extents that overlap share a pixel and a bin, however anything was rounded.

pub mod edges;
pub mod extents;
pub mod grid;
pub mod meet;

/// A box in the image; see above.
pub type Extent = [f32; 8];

/// Around nothing.
pub const NOTHING: Extent = [f32::INFINITY; 8];

/// Places beyond this are taken to be here: far outside of all that is looked at.
pub const FAR: f32 = 4.0;

/// Which lanes are upper ends.
const SIGNS: [f32; 8] = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];

/// How a point is seen: `columns[0] · (x − centre.x) + columns[1] · …`, with u, v and depth in the first
/// three rows. What is looked at is within −1 and 1 of all three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What is in the middle of the image.
    pub centre: [f64; 3],
    /// Where unit vectors are seen; the fourth number is zero.
    pub columns: [[f64; 4]; 3],
    /// How far the place of a point, as it is calculated, may be from the true one, after both are
    /// brought to within [`FAR`].
    pub grant: f32,
}

/// The bounds that the numbers of an extent must not be above if it overlaps another.
#[inline(always)]
pub fn facing(extent: &Extent) -> Extent {
    std::array::from_fn(|lane| -extent[(lane + 4) % 8])
}

/// Whether two extents share a point.
#[inline(always)]
pub fn overlap(one: &Extent, other: &Extent) -> bool {
    let most = facing(other);
    (0..3).chain(4..7).all(|lane| one[lane] <= most[lane])
}

/// What two extents have in common; empty if they do not overlap.
#[inline(always)]
pub fn common(one: &Extent, other: &Extent) -> Extent {
    std::array::from_fn(|lane| one[lane].max(other[lane]))
}

/// Whether no point is in it.
#[inline(always)]
pub fn is_empty(extent: &Extent) -> bool {
    (0..3).any(|lane| extent[lane] > -extent[lane + 4])
}
