//! Extents of two bodies, winnowed by images: what shares no bin of any pixel with the other body is
//! left out, then an image is made of the smaller part that the others still reach, and so on.

use super::sieve::Sieve;
use crate::face_cells::Side;
use impinge_simd::image::edges::Outline;
use impinge_simd::image::extents::Extents;
use impinge_simd::image::grid::{Bins, Cells, PIXELS_MAX, Raster};
use impinge_simd::image::{Extent, View, common, is_empty};

/// How fine images are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fineness {
    /// Pixels about as large as what is drawn, but no more than so many along a side.
    AsDrawn(u16),
    /// So many along a side.
    Fixed(u16),
}

/// Bins of depth.
const BINS: u16 = 64;
/// How wide pixels are, in widths of what is drawn: so wide that most of it is in two by two of them.
const COARSE: f32 = 1.5;
/// With so few, the image costs more than it saves.
const FEW: usize = 48;
/// Another image is made if at most this part was left by the last.
const WORTH: f64 = 0.7;
/// So many images at most.
const ROUNDS_MAX: usize = 8;

/// What extents are around.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// Boxes as they are.
    Boxes,
    /// Faces of two meshes, which fill only a part of their extents.
    Faces([&'a Side<'a>; 2], &'a View),
}

/// Memory that is kept.
#[derive(Debug, Default)]
pub(super) struct Winnow {
    cells: Vec<Cells>,
    bins: Bins,
}

impl Winnow {
    /// Leaves out what cannot meet the other body; a sieve, if there is one, makes the images. Returns how
    /// many extents were looked at.
    pub(super) fn run(
        &mut self,
        both: &mut [Extents; 2],
        (subject, fineness): (Subject<'_>, Fineness),
        sieve: Option<&dyn Sieve>,
    ) -> u64 {
        let mut looked = 0;
        for _ in 0..ROUNDS_MAX {
            let before = both[0].len() + both[1].len();
            looked += before as u64;
            let Some((mor, mean)) = shrink(both) else {
                both.iter_mut().for_each(Extents::clear);
                break;
            };
            let forced = matches!(fineness, Fineness::Fixed(_));
            let count = both[0].len() + both[1].len();
            if count < FEW && !forced {
                break;
            }
            let raster = Raster::of(&mor, fineness.size(&mor, mean));
            if !sieve.is_some_and(|sieve| sieve.sift(both, &raster)) {
                self.sift(both, (subject, &raster));
            }
            let left = both[0].len() + both[1].len();
            if both.iter().any(Extents::is_empty) {
                both.iter_mut().for_each(Extents::clear);
                break;
            }
            if left as f64 > WORTH * before as f64 {
                break;
            }
        }
        looked
    }

    /// What a [`Sieve`] does, and large faces are drawn along their edges.
    fn sift(&mut self, both: &mut [Extents; 2], (subject, raster): (Subject<'_>, &Raster)) {
        let pictures = [0, 1].map(|of| Picture { subject, of, raster });
        self.draw(&both[0], &pictures[0]);
        self.keep(&mut both[1], &pictures[1]);
        self.draw(&both[1], &pictures[1]);
        self.keep(&mut both[0], &pictures[0]);
    }

    fn draw(&mut self, extents: &Extents, picture: &Picture<'_>) {
        picture.raster.cells(&extents.extents, &mut self.cells);
        self.bins.begin(picture.raster);
        for (cells, &name) in self.cells.iter().zip(&extents.names) {
            match picture.outline(cells, name) {
                None => self.bins.draw(cells),
                Some(outline) => outline.draw(cells, &mut self.bins),
            }
        }
    }

    fn keep(&mut self, extents: &mut Extents, picture: &Picture<'_>) {
        picture.raster.cells(&extents.extents, &mut self.cells);
        let mut kept = 0;
        for (i, cells) in self.cells.iter().enumerate() {
            let name = extents.names[i];
            extents.extents[kept] = extents.extents[i];
            extents.names[kept] = name;
            let meets = match picture.outline(cells, name) {
                None => self.bins.meet(cells),
                Some(outline) => outline.meet(cells, &self.bins),
            };
            kept += usize::from(meets);
        }
        extents.extents.truncate(kept);
        extents.names.truncate(kept);
    }
}

/// How one of the bodies is drawn.
struct Picture<'a> {
    subject: Subject<'a>,
    of: usize,
    raster: &'a Raster,
}

/// Faces that fill more pixels than this, and more than this many along both sides, are drawn along
/// their edges.
const LARGE: usize = 64;
const LARGE_SIDE: usize = 3;

impl Picture<'_> {
    /// The edges of a face, if it is large enough for it to matter.
    #[inline(always)]
    fn outline(&self, cells: &Cells, name: u32) -> Option<Outline> {
        let along = |k: usize| usize::from(cells[k + 4] - cells[k]) + 1;
        let large = along(0) * along(1) > LARGE && along(0).min(along(1)) > LARGE_SIDE;
        match self.subject {
            Subject::Faces(sides, view) if large => {
                Some(outline(sides[self.of], name, (view, self.raster)))
            }
            _ => None,
        }
    }
}

/// The edges of a face in pixels and bins.
///
/// The slack. Corners are off by no more than the view grants. A point that two faces share is in the
/// pixel of its f32 coordinate, by the f32 arithmetic of the raster: it was rounded by at most 2⁻²⁴,
/// since it is between −2 and 2, and then by a difference and a product, 2⁻²⁴ of at most 1025
/// pixels each; and all of that again if it was so brought beyond the border. The arithmetic here is
/// of f64, whose rounding is granted where edges are made.
pub(super) fn outline(side: &Side<'_>, face: u32, (view, raster): (&View, &Raster)) -> Outline {
    let Raster { origin, scale, .. } = *raster;
    let corners = side.triangle(face).map(|corner| {
        let [x, y, z] = [0, 1, 2].map(|k| corner[k] - view.centre[k]);
        let [i, j, k] = view.columns;
        let seen = |row: usize| x * i[row] + y * j[row] + z * k[row];
        [0, 1, 2].map(|row| (seen(row) - f64::from(origin[row])) * f64::from(scale[row]))
    });
    let slack =
        |scale: f32| f64::from(scale) * (f64::from(view.grant) + 2f64.powi(-23)) + 2f64.powi(-11);
    Outline::of(&corners, 0.5, [slack(scale[0].max(scale[1])), slack(scale[2])])
}

/// Leaves out what does not reach where both bodies are; tells where that is, and how wide and high
/// extents are in the mean. None if it is nowhere.
pub(super) fn shrink(both: &mut [Extents; 2]) -> Option<(Extent, [f32; 2])> {
    let [a, b] = both;
    let whole = common(&a.hull(), &b.hull());
    if is_empty(&whole) {
        return None;
    }
    let (of_a, of_b) = (a.keep_within(&whole), b.keep_within(&whole));
    let mor = common(&of_a.hull, &of_b.hull);
    let count = (a.len() + b.len()).max(1) as f32;
    let mean = |k: usize| {
        let widths = |sum: &Extent| -(sum[k] + sum[k + 4]);
        (widths(&of_a.sum) + widths(&of_b.sum)) / count
    };
    (!is_empty(&mor)).then(|| (mor, [mean(0), mean(1)]))
}

impl Fineness {
    /// Columns, rows and bins for extents that are so wide and high in the mean.
    pub(super) fn size(self, mor: &Extent, mean: [f32; 2]) -> [u16; 3] {
        let along = |k: usize| match self {
            Self::Fixed(count) => count.clamp(1, PIXELS_MAX),
            Self::AsDrawn(most) => {
                let width = -mor[k + 4] - mor[k];
                // Not a number, or infinite, where all is flat.
                let count = (width / (COARSE * mean[k])).ceil().min(f32::from(most));
                if count >= 1.0 { count as u16 } else { 1 }
            }
        };
        [along(0), along(1), BINS]
    }
}
