//! All pairs of faces of two meshes that meet, found in an image of both: vertices are seen along one
//! direction, and where no bin of depth of any pixel is reached by both, nothing meets (R98), made safe.
//!
//! The image only selects. Extents of faces are grown by a derived bound of all rounding, so that faces
//! that share a point share a bin of a pixel at any resolution; what is left is decided exactly. Runs of
//! faces come first, in boxes along the axes, then as they are seen, then faces. See docs/notes/image.md.

mod layers;
mod pairs;
pub mod picture;
pub mod sieve;
mod view;
pub mod volume;
mod winnow;

use crate::aabb::Aabb;
use crate::face_cells::{Ask, Ended, RUN, Side, Work};
use impinge_simd::image::extents::{Extents, around, of_faces, see};
use impinge_simd::image::{Extent, NOTHING};
use pairs::Pairs;
use sieve::Sieve;
pub use view::Direction;
use winnow::{Fineness, Subject, Winnow, shrink};

/// How runs of faces are drawn.
const RUNS: (Subject<'_>, Fineness) = (Subject::Boxes, Fineness::AsDrawn(32));
/// The most pixels along a side of an image of faces.
const FACE_PIXELS: u16 = 128;

/// Memory that is kept from question to question.
#[derive(Debug, Default)]
pub struct Image {
    runs: [Extents; 2],
    seen: [Seen; 2],
    faces: [Extents; 2],
    winnow: Winnow,
    pairs: Pairs,
    hits: Vec<[u32; 2]>,
}

/// Vertices of runs of faces as they are seen.
#[derive(Debug, Default)]
struct Seen {
    /// Those that are used come first; the others are left from earlier looks.
    vertices: Vec<Extent>,
    used: usize,
    /// By run: where its vertices begin, if they were looked at.
    starts: Vec<u32>,
}

impl Seen {
    fn begin(&mut self, runs: usize) {
        self.used = 0;
        self.starts.resize(runs, 0);
    }

    /// Room for the vertices of a run.
    fn places(&mut self, run: u32, count: usize) -> &mut [Extent] {
        let start = self.used;
        self.starts[run as usize] = start as u32;
        self.used += count;
        if self.vertices.len() < self.used {
            self.vertices.resize(self.used, NOTHING);
        }
        &mut self.vertices[start..self.used]
    }

    /// The vertices of a run, and then others.
    fn of(&self, run: u32) -> &[Extent] {
        &self.vertices[self.starts[run as usize] as usize..]
    }
}

/// How to look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look<'a> {
    /// The direction of the last look at the same bodies.
    pub last: Option<Direction>,
    /// Pixels along a side of images of faces; else as many as suit them.
    pub resolution: Option<u16>,
    /// What makes the images of faces; else the processor.
    pub sieve: Option<&'a dyn Sieve>,
}

impl Image {
    /// The pairs that the last search found, sorted.
    pub fn hits(&self) -> &[[u32; 2]] {
        &self.hits
    }

    /// Finds the faces of two meshes that share a point; also tells along which direction it looked.
    pub fn search(
        &mut self,
        sides: [&Side<'_>; 2],
        look: &Look<'_>,
        ask: &Ask<'_>,
    ) -> (Ended, Option<Direction>) {
        self.hits.clear();
        let mut ended = Ended { complete: true, work: Work::default() };
        let region = sides[0].bounds.intersection(sides[1].bounds);
        if region.is_empty() || ask.units == 0 {
            ended.complete = region.is_empty();
            return (ended, look.last);
        }
        // Where nothing had to be seen, the last direction stays the one to begin with.
        let direction = self.select((sides, &region), (look, ask), &mut ended).or(look.last);
        // Nothing in common is proof, whatever it took to find it.
        if ended.complete && self.faces.iter().any(Extents::is_empty) {
            return (ended, direction);
        }
        if !ended.goes_on(ask) {
            return (ended, direction);
        }
        self.pairs.run(sides, (&mut self.faces, &mut self.hits), (ask, &mut ended));
        self.hits.sort_unstable();
        (ended, direction)
    }

    /// Finds the faces that may meet one of the other mesh. It may end between its stages; then nothing is
    /// known of what they would have left.
    fn select(
        &mut self,
        (sides, region): ([&Side<'_>; 2], &Aabb),
        (look, ask): (&Look<'_>, &Ask<'_>),
        ended: &mut Ended,
    ) -> Option<Direction> {
        self.faces.iter_mut().for_each(Extents::clear);
        // Boxes along the axes, as they are.
        let reach = self.reach_region(sides, region)?;
        let axes = Direction::longest(region).view(region, &reach);
        for (runs, side) in self.runs.iter_mut().zip(sides) {
            for (extent, &run) in runs.extents.iter_mut().zip(&runs.names) {
                *extent = around(&axes, &side.boxes[run as usize]);
            }
        }
        ended.work.faces += self.winnow.run(&mut self.runs, RUNS, None);
        if self.runs.iter().any(Extents::is_empty) || !ended.goes_on(ask) {
            return None;
        }
        // The same runs as they are seen.
        let [a, b] = [0, 1].map(|k| boxes_around(sides[k], &self.runs[k]));
        let (region, reach) = (&region.intersection(&a).intersection(&b), a.union(&b));
        if region.is_empty() {
            return None;
        }
        let names = [0, 1].map(|k| &self.runs[k].names[..]);
        let direction = Direction::choose(sides, names, region, look.last);
        let view = direction.view(region, &reach);
        for ((runs, seen), side) in self.runs.iter_mut().zip(&mut self.seen).zip(sides) {
            seen.begin(side.layout.len());
            for (extent, &run) in runs.extents.iter_mut().zip(&runs.names) {
                let vertices = side.layout.run(run).vertices;
                *extent = see(&view, side.points, vertices, seen.places(run, vertices.len()));
            }
        }
        ended.work.faces += self.winnow.run(&mut self.runs, RUNS, None);
        // Their faces.
        let (mor, _) = shrink(&mut self.runs)?;
        if !ended.goes_on(ask) {
            return Some(direction);
        }
        let both = self.runs.iter().zip(&self.seen).zip(&mut self.faces);
        for (((runs, seen), faces), side) in both.zip(sides) {
            for &run in &runs.names {
                of_faces((seen.of(run), &side.layout.run(run)), view.grant, &mor, faces);
            }
            ended.work.faces += (RUN * runs.len()) as u64;
        }
        let fineness = look.resolution.map_or(Fineness::AsDrawn(FACE_PIXELS), Fineness::Fixed);
        let faces = (Subject::Faces(sides, &view), fineness);
        ended.work.faces += self.winnow.run(&mut self.faces, faces, look.sieve);
        Some(direction)
    }

    /// Lists the runs of both meshes whose boxes reach the region, and tells the box around them.
    fn reach_region(&mut self, sides: [&Side<'_>; 2], region: &Aabb) -> Option<Aabb> {
        let mut reach = Aabb::EMPTY;
        for (runs, side) in self.runs.iter_mut().zip(sides) {
            runs.clear();
            for (&[min, max], run) in side.boxes.iter().zip(0..) {
                let around = Aabb { min, max };
                if around.overlaps(region) {
                    runs.push([0.0; 8], run);
                    reach = reach.union(&around);
                }
            }
            if runs.is_empty() {
                return None;
            }
        }
        Some(reach)
    }
}

impl Ended {
    /// Whether there is something left of what may be done; if not, the search is not complete.
    fn goes_on(&mut self, ask: &Ask<'_>) -> bool {
        self.complete &= self.work.units() <= ask.units && !(ask.is_over)();
        self.complete
    }
}

/// The box around some runs.
fn boxes_around(side: &Side<'_>, runs: &Extents) -> Aabb {
    let boxes = runs.names.iter().map(|&run| side.boxes[run as usize]);
    boxes.fold(Aabb::EMPTY, |all, [min, max]| all.union(&Aabb { min, max }))
}
