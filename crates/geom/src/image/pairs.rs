//! Pairs of faces whose extents overlap, and which of them meet: pixel by pixel, then eight pairs at a
//! time in f32 with bounds for all rounding, then exactly.

use super::winnow::{Fineness, shrink};
use crate::face_cells::tile::scale_of;
use crate::face_cells::{Ask, Ended, HITS_MAX, Side, UNITS_MAX, meet};
use impinge_simd::faces::pairs::{Judged, judge};
use impinge_simd::image::extents::Extents;
use impinge_simd::image::grid::{Cells, Raster};
use impinge_simd::image::meet::Lists;

/// Memory that is kept.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    lists: Lists,
    cells: [Vec<Cells>; 2],
    near: Vec<[u32; 2]>,
    judged: Judged,
}

/// Pairs are tested when so many have come together.
const BATCH: usize = 1024;
/// So many faces are held against the lists before a look is taken at what that came to.
const STEP: usize = 32;
/// Up to so many pairs of faces are all looked at.
const FEW: usize = 1 << 10;
/// The most pixels along a side.
const SIDE: u16 = 256;
/// Faces may be in so many lists in the mean; with more, pixels become larger.
const LISTS_PER_FACE: usize = 8;

impl Pairs {
    /// Finds the pairs that meet among the faces that were left. What was done before is in `ended`.
    pub(super) fn run(
        &mut self,
        sides: [&Side<'_>; 2],
        (both, hits): (&mut [Extents; 2], &mut Vec<[u32; 2]>),
        (ask, ended): (&Ask<'_>, &mut Ended),
    ) {
        let Some((mor, mean)) = shrink(both) else { return };
        let few = both[0].len() * both[1].len() <= FEW;
        let [width, height, _] =
            if few { [1; 3] } else { Fineness::AsDrawn(SIDE).size(&mor, mean) };
        let mut size = [width, height, 1];
        let most = LISTS_PER_FACE * (both[0].len() + both[1].len()) + FEW;
        loop {
            let raster = Raster::of(&mor, size);
            let mut listed = 0;
            for (extents, cells) in both.iter().zip(&mut self.cells) {
                raster.cells(&extents.extents, cells);
                listed += cells.iter().map(lists_of).sum::<usize>();
            }
            if listed <= most || size == [1; 3] {
                break;
            }
            size = size.map(|count| count.div_ceil(2));
        }
        let [a, b] = both.each_ref().map(|of| (&of.extents[..], &of.names[..]));
        let image = (usize::from(size[0]), usize::from(size[1]));
        self.lists.fill(image, a, &self.cells[0]);
        let units = ask.units.min(UNITS_MAX);
        self.near.clear();
        let steps = b.0.chunks(STEP).zip(b.1.chunks(STEP));
        for (number, (extents, names)) in steps.enumerate() {
            let cells = &self.cells[1][number * STEP..][..names.len()];
            ended.work.boxes += self.lists.meet((extents, names), cells, &mut self.near);
            if ended.work.units() > units {
                ended.complete = false;
                break;
            }
            if self.near.len() >= BATCH && !self.test(sides, hits, (ask, ended)) {
                return;
            }
        }
        self.test(sides, hits, (ask, ended));
    }

    /// Adds those pairs that meet; false if that is the end.
    fn test(
        &mut self,
        sides: [&Side<'_>; 2],
        hits: &mut Vec<[u32; 2]>,
        (ask, ended): (&Ask<'_>, &mut Ended),
    ) -> bool {
        let Self { near, judged, .. } = self;
        let scale = scale_of(&sides[0].bounds.intersection(sides[1].bounds));
        let [a, b] = sides.map(|side| side.soup());
        let units = ask.units.min(UNITS_MAX);
        for some in near.chunks(BATCH) {
            judged.hits.clear();
            judged.open.clear();
            judge(a, b, (some, scale), judged);
            ended.work.pairs += some.len() as u64;
            ended.work.exact += judged.open.len() as u64;
            let settled = judged.open.iter().filter(|&&pair| meet(sides, pair));
            let found = judged.hits.iter().chain(settled).copied();
            if ask.first_only {
                if let Some(first) = found.min() {
                    hits.push(first);
                    return false;
                }
            } else {
                hits.extend(found);
            }
            if ended.work.units() > units || hits.len() > HITS_MAX || (ask.is_over)() {
                ended.complete = false;
                return false;
            }
        }
        near.clear();
        true
    }
}

/// In how many lists a face is.
fn lists_of(cells: &Cells) -> usize {
    let along = |k: usize| usize::from(cells[k + 4] - cells[k]) + 1;
    along(0) * along(1)
}
