//! What may take the place of the images of faces: something that draws on other hardware.

use impinge_simd::image::extents::Extents;
use impinge_simd::image::grid::Raster;
use std::fmt::Debug;

/// Leaves out faces that cannot meet the other body, by one image.
///
/// It only selects: what it keeps too much costs time and changes no answer. But what it leaves out must
/// overlap no extent of the other body, or faces that meet are missed.
pub trait Sieve: Debug + Send + Sync {
    /// Leaves out of the second body what shares no bin of any pixel with the first, and of the first
    /// what shares none with the rest of the second. Tells whether it could; if not, nothing was left
    /// out, and the processor makes the image.
    fn sift(&self, both: &mut [Extents; 2], raster: &Raster) -> bool;
}
