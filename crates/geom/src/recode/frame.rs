//! The pairs of a frame, through both passes together [R98 fig. 3, 4].
//!
//! The frame is where depth maps are reused: a map covers all of its block (R_xy in the paper) on the lattice of the
//! view, and whoever meets the block at the same size of pixels takes it. Blocks that are much larger than what they
//! share with another are drawn over that part only, for that pair only.

use super::case::{Said, first_pass, second_pass};
use super::mor;
use super::render::{Counts, Drawing, Keep, Renderer, SetZ, TestZ};
use super::separate;
use super::view::{Seen, Span, View, Window};
use super::{Block, Outcome, Plane, Resolution, Settings, Work};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pairs that are drawn together; more would only take memory.
const PAIRS: usize = 256;
/// A map of a whole block has at most so many pixels, or four times as many as the pair shares.
const MAP_PIXELS: f64 = (1u32 << 18) as f64;
/// A rendered region has at most so many pixels along a side, whatever was asked for.
const SIDE_MAX: f64 = 2048.0;
/// Maps of so many pixels are drawn together, or one if it is larger: with all of a batch at fine resolutions memory
/// would not last.
const PIXELS: f64 = (1u32 << 23) as f64;
/// Maps of so many pixels are kept; then all are given up, and made anew where they are asked for.
const KEPT_PIXELS: f64 = (1u32 << 25) as f64;

/// What is known of a pair before anything is drawn.
pub(super) struct Plan {
    pub(super) view: View,
    pub(super) seen: [Arc<Seen>; 2],
    /// The minimal overlapping region, in pixels of the lattice.
    pub(super) region: Span,
    pub(super) pixel: f64,
    /// Whether all blocks are seen so, and maps can be shared.
    shared_view: bool,
}

impl Plan {
    /// The window of one of the two blocks, and whether it shows the whole block.
    fn window(&self, side: usize) -> (Window, bool) {
        let seen = &self.seen[side];
        let whole = Span::centres(&seen.rectangle(), self.pixel);
        let is_whole = whole.area() <= MAP_PIXELS.max(4.0 * self.region.area());
        let span = if is_whole { whole } else { self.region };
        let depths = [seen.extent.min[2], seen.extent.max[2]];
        (Window::new(span, self.pixel, depths), is_whole)
    }
}

/// A block and the size of pixels.
type Key = (u32, u64);

/// A depth map, with where it is.
struct Made<M> {
    map: M,
    window: Window,
}

/// A frame.
pub(super) struct Frame<'a, R: Renderer> {
    pub(super) renderer: &'a R,
    pub(super) blocks: &'a [Block<'a>],
    pub(super) settings: &'a Settings,
    /// All blocks in the view of the frame, if there is one.
    seen: Vec<Arc<Seen>>,
    kept: BTreeMap<Key, Arc<Made<R::Map>>>,
    kept_pixels: f64,
    pub(super) work: Work,
}

impl<'a, R: Renderer> Frame<'a, R> {
    pub(super) fn new(renderer: &'a R, blocks: &'a [Block<'a>], settings: &'a Settings) -> Self {
        let seen = match settings.plane {
            Plane::Axis(axis) => {
                let view = View::along_axis(axis);
                let all = blocks.par_iter();
                all.map(|block| Arc::new(Seen::of(block.points, &view))).collect()
            }
            Plane::Separating => Vec::new(),
        };
        let (kept, work) = (BTreeMap::new(), Work::default());
        Self { renderer, blocks, settings, seen, kept, kept_pixels: 0.0, work }
    }

    /// One outcome per pair.
    pub(super) fn run(&mut self, pairs: &[[u32; 2]], is_over: &dyn Fn() -> bool) -> Vec<Outcome> {
        pairs.chunks(PAIRS).flat_map(|some| self.together(some, is_over)).collect()
    }

    fn together(&mut self, pairs: &[[u32; 2]], is_over: &dyn Fn() -> bool) -> Vec<Outcome> {
        if is_over() {
            return vec![Outcome { skipped: true, ..Outcome::default() }; pairs.len()];
        }
        let this = &*self;
        let planned: Vec<Result<Plan, f64>> =
            pairs.par_iter().map(|pair| this.plan(*pair)).collect();
        let blank = |plan: &Result<Plan, f64>| Outcome {
            pixel: plan.as_ref().err().copied().unwrap_or(0.0),
            ..Outcome::default()
        };
        let mut outcomes: Vec<Outcome> = planned.iter().map(blank).collect();
        let plans: Vec<Option<Plan>> = planned.into_iter().map(Result::ok).collect();
        let mut drawn = (0..pairs.len()).filter(|&k| plans[k].is_some()).peekable();
        while drawn.peek().is_some() {
            let mut pixels = 0.0;
            let mut group = Vec::new();
            while let Some(&k) = drawn.peek() {
                let area =
                    |plan: &Plan| plan.window(0).0.span.area() + plan.window(1).0.span.area();
                pixels += plans[k].as_ref().map_or(0.0, area);
                if pixels > PIXELS && !group.is_empty() {
                    break;
                }
                group.push(k);
                drawn.next();
            }
            if is_over() {
                group.iter().for_each(|&k| outcomes[k].skipped = true);
            } else {
                self.passes(&group, &plans, (pairs, &mut outcomes));
            }
        }
        outcomes
    }

    /// Both passes of some pairs.
    fn passes(
        &mut self,
        which: &[usize],
        plans: &[Option<Plan>],
        (pairs, outcomes): (&[[u32; 2]], &mut [Outcome]),
    ) {
        let first = self.pass(which, plans, (pairs, 0));
        let mut again = Vec::new();
        for (&k, (counts, rounding)) in which.iter().zip(&first) {
            let said = first_pass(&counts.count);
            let pixel = plans[k].as_ref().map_or(0.0, |plan| plan.pixel);
            let hit = said == Said::Collision;
            outcomes[k] = Outcome { hit, passes: 1, pixel, rounding: *rounding, skipped: false };
            if said == Said::SecondRendering {
                again.push((k, counts));
            }
        }
        let which: Vec<usize> = again.iter().map(|(k, _)| *k).collect();
        let second = self.pass(&which, plans, (pairs, 1));
        for ((k, first), (second, rounding)) in again.into_iter().zip(&second) {
            outcomes[k].hit = second_pass(&first.count, &second.count);
            outcomes[k].passes = 2;
            outcomes[k].rounding = outcomes[k].rounding.max(*rounding);
        }
        if self.kept_pixels > KEPT_PIXELS {
            self.kept.clear();
            self.kept_pixels = 0.0;
        }
    }

    /// Else the size of pixels of which none has its centre in what the boxes of the blocks share; 0 if that is
    /// nothing, or if they are apart in depth.
    pub(super) fn plan(&self, pair: [u32; 2]) -> Result<Plan, f64> {
        let [a, b] = pair.map(|k| &self.blocks[k as usize]);
        let (view, seen) = match self.settings.plane {
            Plane::Axis(axis) => {
                (View::along_axis(axis), pair.map(|k| Arc::clone(&self.seen[k as usize])))
            }
            Plane::Separating => {
                let view = View::along(&separate::direction(a.points, b.points));
                (view, [a, b].map(|block| Arc::new(Seen::of(block.points, &view))))
            }
        };
        let [depths_a, depths_b] = [&seen[0], &seen[1]].map(|s| [s.extent.min[2], s.extent.max[2]]);
        if depths_a[0] > depths_b[1] || depths_b[0] > depths_a[1] {
            return Err(0.0);
        }
        let straight = mor::aligned(&seen[0], &seen[1]);
        let region = match (a.obb, b.obb) {
            (Some(a), Some(b)) => {
                let oriented = mor::oriented(&view, [a, b]);
                straight.zip(oriented).and_then(|(p, q)| mor::both(p, q))
            }
            _ => straight,
        };
        let (pixel, region) = self.pixels(&region.ok_or(0.0)?).ok_or(f64::INFINITY)?;
        let spans = [&seen[0], &seen[1]].map(|seen| Span::centres(&seen.rectangle(), pixel));
        let region = region.intersection(&spans[0]).intersection(&spans[1]);
        let shared_view = matches!(self.settings.plane, Plane::Axis(_));
        let plan = Plan { view, seen, region, pixel, shared_view };
        if region.is_empty() { Err(pixel) } else { Ok(plan) }
    }

    /// The size of pixels for a region, and those of the lattice whose centres are in it. If the number of pixels is set
    /// and the region is so narrow that it holds none, they are halved until it does. None if
    /// the region has no width that a pixel could show.
    fn pixels(&self, region: &mor::Rectangle) -> Option<(f64, Span)> {
        let [min, max] = region;
        let side = (max[0] - min[0]).max(max[1] - min[1]);
        let reach = min.iter().chain(max).fold(0.0f64, |r, x| r.max(x.abs()));
        // Where lattice coordinates are no whole numbers any more there are no pixels.
        let least = (side / SIDE_MAX).max(reach * f64::EPSILON * 256.0).max(f64::MIN_POSITIVE);
        let (wanted, is_fixed) = match self.settings.resolution {
            Resolution::Length(length) => (length, true),
            // A power of two, so that pairs whose regions are about as large share the lattice.
            Resolution::Pixels(count) => ((side / f64::from(count)).log2().floor().exp2(), false),
        };
        let mut pixel = wanted.max(least);
        if !(pixel.is_finite() && side.is_finite()) {
            return None;
        }
        let mut span = Span::centres(region, pixel);
        while span.is_empty() && !is_fixed && 0.5 * pixel >= least {
            pixel *= 0.5;
            span = Span::centres(region, pixel);
        }
        Some((pixel, span))
    }

    /// Draws the block `side` of the given pairs where that was not done yet, and holds the other against it. Tells the
    /// counters, and by how much what was drawn may be off.
    fn pass(
        &mut self,
        which: &[usize],
        plans: &[Option<Plan>],
        (pairs, side): (&[[u32; 2]], usize),
    ) -> Vec<(Counts, f64)> {
        let jobs: Vec<(usize, &Plan)> =
            which.iter().filter_map(|&k| Some((k, plans[k].as_ref()?))).collect();
        let maps = self.maps(&jobs, (pairs, side));
        let blocks = self.blocks;
        let other = |k: usize| &blocks[pairs[k][1 - side] as usize];
        let drawings: Vec<Vec<[f32; 3]>> = jobs
            .par_iter()
            .zip(&maps)
            .map(|((_, plan), made)| made.window.draw(&plan.seen[1 - side].points))
            .collect();
        let tests: Vec<TestZ<'_, R::Map>> = jobs
            .iter()
            .zip(maps.iter().zip(&drawings))
            .map(|((k, plan), (made, points))| TestZ {
                drawing: Drawing { points, triangles: other(*k).triangles },
                map: &made.map,
                over: plan.region.within(&made.window.span),
            })
            .collect();
        let counts = self.renderer.test_z(&tests);
        let slack = self.renderer.slack();
        let rounding = jobs.iter().zip(&maps).map(|((_, plan), made)| {
            let of = |side: usize| made.window.rounding(&plan.seen[side].extent, &slack);
            of(0) + of(1)
        });
        self.work.tests += tests.len() as u64;
        self.work.pixels += jobs.iter().map(|(_, plan)| plan.region.area() as u64).sum::<u64>();
        self.work.triangles += tests.iter().map(|t| t.drawing.triangles.len() as u64).sum::<u64>();
        counts.into_iter().zip(rounding).collect()
    }

    /// The maps of one side of pairs, made or found.
    fn maps(
        &mut self,
        jobs: &[(usize, &Plan)],
        (pairs, side): (&[[u32; 2]], usize),
    ) -> Vec<Arc<Made<R::Map>>> {
        // Which of the new ones, or one that is there.
        let mut found: Vec<Result<Arc<Made<R::Map>>, usize>> = Vec::with_capacity(jobs.len());
        let mut new: Vec<(Window, &Plan, u32, Option<Key>)> = Vec::new();
        let mut number: BTreeMap<Key, usize> = BTreeMap::new();
        for &(k, plan) in jobs {
            let (window, is_whole) = plan.window(side);
            let block = pairs[k][side];
            let shared = is_whole && plan.shared_view && self.settings.reuse;
            let key = shared.then_some((block, plan.pixel.to_bits()));
            let there = key.and_then(|key| self.kept.get(&key)).cloned().map(Ok);
            let there = there.or_else(|| number.get(&key?).map(|&k| Err(k)));
            self.work.reused += u64::from(there.is_some());
            found.push(there.unwrap_or_else(|| {
                key.and_then(|key| number.insert(key, new.len()));
                new.push((window, plan, block, key));
                Err(new.len() - 1)
            }));
        }
        let drawings: Vec<Vec<[f32; 3]>> =
            new.par_iter().map(|(window, plan, ..)| window.draw(&plan.seen[side].points)).collect();
        let sets: Vec<SetZ<'_>> = new
            .iter()
            .zip(&drawings)
            .map(|((window, _, block, _), points)| SetZ {
                drawing: Drawing { points, triangles: self.blocks[*block as usize].triangles },
                size: window.span.size(),
                keep: Keep::Farthest,
            })
            .collect();
        self.work.maps += sets.len() as u64;
        self.work.triangles += sets.iter().map(|s| s.drawing.triangles.len() as u64).sum::<u64>();
        let made: Vec<Arc<Made<R::Map>>> = self
            .renderer
            .set_z(&sets)
            .into_iter()
            .zip(&new)
            .map(|(map, (window, ..))| Arc::new(Made { map, window: *window }))
            .collect();
        for (made, (window, _, _, key)) in made.iter().zip(&new) {
            self.work.pixels += window.span.area() as u64;
            if let Some(key) = key {
                self.kept.insert(*key, Arc::clone(made));
                self.kept_pixels += window.span.area();
            }
        }
        found.into_iter().map(|one| one.unwrap_or_else(|k| Arc::clone(&made[k]))).collect()
    }

    /// What both passes of one pair show: the depth map and mask of one block, and the counter of the other.
    pub(super) fn pictures(&mut self, pair: [u32; 2]) -> Vec<super::Pass> {
        let plans = [self.plan(pair).ok()];
        let [Some(plan)] = &plans else { return Vec::new() };
        let mut passes = Vec::new();
        for side in [0, 1] {
            let made = self.maps(&[(0, plan)], (&[pair], side));
            let counts = self.pass(&[0], &plans, (&[pair], side));
            let over = plan.region.within(&made[0].window.span);
            let depths = self.renderer.read(&made[0].map);
            let said = first_pass(&counts[0].0.count);
            passes.push(super::Pass::cut(&depths, &over, counts[0].0.count.clone()));
            if said != Said::SecondRendering {
                break;
            }
        }
        passes
    }
}
