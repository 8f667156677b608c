//! The contact region [R98 §4]: where on the lines of view two blocks share something, and what.

use super::Block;
use super::case::Case;
use super::frame::{Frame, Plan};
use super::render::{Depths, Drawing, Keep, Renderer, SetZ};
use super::view::Window;
use crate::Point;

/// What two blocks share along the line through the centre of one pixel. Intervals go from the end nearer to the
/// eye to the farther one, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The boundaries of A.
    pub a: [Point; 2],
    /// The boundaries of B.
    pub b: [Point; 2],
    /// The boundaries of B, cut to what is in A.
    pub shared: [Point; 2],
    /// How B lies to A.
    pub case: Case,
}

/// Where two blocks share something.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The direction of view, of length one.
    pub direction: Point,
    /// How wide a pixel is.
    pub pixel: f64,
    /// The pixels that show something, row by row.
    pub spots: Vec<Spot>,
}

impl<R: Renderer> Frame<'_, R> {
    /// The contact region of a pair; none if not even their boxes share anything.
    ///
    /// Both blocks are drawn four times in all, nearest and farthest. The paper reads the depth buffer that the last
    /// pass left, which holds one boundary of one of them.
    pub(super) fn region(&self, pair: [u32; 2]) -> Option<Region> {
        let plan = self.plan(pair).ok()?;
        let [a, b] = pair.map(|k| &self.blocks[k as usize]);
        let (window, depths) = self.boundaries(&plan, [a, b]);
        let [a_min, a_max, b_min, b_max] = &depths[..] else { return None };
        let mut spots = Vec::new();
        let size = window.span.size();
        for pixel in 0..a_min.depth.len() {
            let of = |min: &Depths, max: &Depths| {
                (min.mask[pixel] != 0).then(|| [min.depth[pixel], max.depth[pixel]])
            };
            let (a, b) = (of(a_min, a_max), of(b_min, b_max));
            let case = Case::of(a, b);
            let (Some(a), Some(b), true) = (a, b, case.is_overlap()) else { continue };
            let at = [pixel as u32 % size.width, pixel as u32 / size.width];
            let ends = |ends: [f32; 2]| {
                ends.map(|depth| plan.view.place(&window.back(at, f64::from(depth))))
            };
            let shared = ends([a[0].max(b[0]), a[1].min(b[1])]);
            spots.push(Spot { a: ends(a), b: ends(b), shared, case });
        }
        Some(Region { direction: plan.view.direction(), pixel: plan.pixel, spots })
    }

    /// Of A the nearer and the farther boundary, then of B, all in one window.
    fn boundaries(&self, plan: &Plan, blocks: [&Block<'_>; 2]) -> (Window, Vec<Depths>) {
        let [a, b] = [&plan.seen[0].extent, &plan.seen[1].extent];
        let depths = [a.min[2].min(b.min[2]), a.max[2].max(b.max[2])];
        let window = Window::new(plan.region, plan.pixel, depths);
        let drawings = [0, 1].map(|side| window.draw(&plan.seen[side].points));
        let sets: Vec<SetZ<'_>> = [0, 0, 1, 1]
            .into_iter()
            .zip([Keep::Nearest, Keep::Farthest].into_iter().cycle())
            .map(|(side, keep)| SetZ {
                drawing: Drawing { points: &drawings[side], triangles: blocks[side].triangles },
                size: window.span.size(),
                keep,
            })
            .collect();
        let maps = self.renderer.set_z(&sets);
        (window, maps.iter().map(|map| self.renderer.read(map)).collect())
    }
}
