//! Two closed bodies in layers: for each pixel, where along the depth a body is certainly inside, and
//! where its surface may be. From that, how much space two bodies share, between certain bounds, and
//! whether they share any.
//!
//! A pixel stands for a column of space, or for the line through its middle. In a column each face that
//! may touch it has an interval of depth ([`Outline`]) that holds all of the face there. Between such
//! intervals there is no surface: all of the column is inside the body there, or none. Which one, the line
//! through the middle tells by parity of the faces it crosses. Those are counted in whole numbers, on
//! corners that were rounded to a lattice which the lines avoid; an edge that a line meets counts for one
//! side, whichever face asks. Every edge of a shell has an even number of faces, so each line
//! leaves a shell as often as it enters it.
//!
//! Why counting on rounded corners is no approximation: intervals hold the face for all places that its
//! corners may have within the slack. While they move from the true ones to the rounded ones, no
//! face enters the space between intervals, so that parity there stays what it was.

use super::volume::Solid;
use crate::Point;
use crate::shells::shell_of;
use glam::DVec3;
use impinge_simd::image::edges::Outline;
use impinge_simd::image::grid::Cells;

/// A box of space in which columns stand: three directions at right angles, and the ends along each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) rows: [DVec3; 3],
    pub(super) ends: [[f64; 2]; 3],
}

/// Units of depth from one end of a room to the other.
const DEPTH: f64 = 64.0;
/// Lattice points per pixel are at most two to this power, and no coordinate is beyond the second.
const FINE: i32 = 20;
const LARGEST: i32 = 58;

impl Room {
    pub(super) fn width(&self, k: usize) -> f64 {
        self.ends[k][1] - self.ends[k][0]
    }

    /// How much space it is.
    pub(super) fn volume(&self) -> f64 {
        (0..3).map(|k| self.width(k)).product()
    }

    /// How much space a pixel and a unit of depth are.
    pub(super) fn unit(&self, resolution: u16) -> f64 {
        self.volume() / (f64::from(resolution).powi(2) * DEPTH)
    }

    /// The part of it that was found.
    pub(super) fn part(&self, found: &Found, resolution: u16) -> Self {
        let mut ends = self.ends;
        for (ends, pixels) in ends.iter_mut().zip(found.pixels) {
            let [low, high] = *ends;
            let [first, last] = pixels.map(f64::from);
            let pixel = (high - low) / f64::from(resolution);
            *ends = [low + first * pixel, low + (last + 1.0) * pixel];
        }
        ends[2] = found.depths.map(|depth| self.ends[2][0] + depth / DEPTH * self.width(2));
        // Rounding must not cut anything off.
        let all = |k: usize| {
            let little = 1e-9 * (ends[k][1] - ends[k][0]);
            [ends[k][0] - little, ends[k][1] + little]
        };
        Self { ends: [all(0), all(1), all(2)], ..*self }
    }
}

/// What columns told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Shared for certain, and at most, in the unit of a pixel and a unit of depth.
    pub(super) shared: [f64; 2],
    /// The first and last columns and rows, and from where to where in depth, where something may be.
    pub(super) pixels: [[u16; 2]; 2],
    pub(super) depths: [f64; 2],
    /// Nothing may be shared, not even a point.
    pub(super) nothing: bool,
}

/// Faces of a body over the pixels of a room.
struct Body {
    faces: Vec<Face>,
    /// By shell: what it counts if one is inside it.
    counts: Vec<i64>,
    /// How wide a pixel is on the lattice, twice.
    pixel: i64,
}

struct Face {
    outline: Outline,
    /// The corners on the lattice, twice.
    corners: [[i64; 2]; 3],
    depth: [f64; 2],
    cells: Cells,
    shell: u32,
}

/// Of no shell: it has no inside.
const OPEN: u32 = u32::MAX;

/// How pixels lie.
#[derive(Clone, Copy)]
struct Pixels<'a> {
    room: &'a Room,
    resolution: u16,
    /// How far columns reach from their middles, in pixels.
    half: f64,
}

/// A face in a column.
#[derive(Clone, Copy)]
struct Fragment {
    column: u16,
    depth: [f64; 2],
    shell: u32,
    /// The line through the middle crosses it.
    crossed: bool,
}

/// Depths at which a body may be, or is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layer {
    ends: [f64; 2],
    certain: bool,
}

/// Memory that is kept from row to row.
#[derive(Default)]
struct Row {
    active: Vec<u32>,
    next: usize,
    fragments: Vec<Fragment>,
    layers: Vec<Layer>,
    inside: Vec<bool>,
}

/// What two bodies share in a room, seen in so many pixels along a side. None if coordinates are too
/// far from it to be told apart.
pub(super) fn look(
    solids: [Solid<'_>; 2],
    room: &Room,
    (resolution, half): (u16, f64),
) -> Option<Found> {
    let pixels = Pixels { room, resolution, half };
    let [a, b] = solids;
    let (a, b) = (Body::of(a, pixels)?, Body::of(b, pixels)?);
    let mut rows = [Row::default(), Row::default()];
    let mut found = Found {
        shared: [0.0; 2],
        pixels: [[u16::MAX, 0]; 2],
        depths: [f64::INFINITY, f64::NEG_INFINITY],
        nothing: true,
    };
    for y in 0..resolution {
        rows[0].collect(&a, y);
        rows[1].collect(&b, y);
        let [one, other] = &mut rows;
        let (mut i, mut j) = (0, 0);
        while i < one.fragments.len() && j < other.fragments.len() {
            let (left, right) = (one.fragments[i].column, other.fragments[j].column);
            if left < right {
                i = one.end_of_column(i);
            } else if right < left {
                j = other.end_of_column(j);
            } else {
                i = one.layer(i, &a.counts);
                j = other.layer(j, &b.counts);
                found.add([&one.layers, &other.layers], (left, y));
            }
        }
    }
    Some(found)
}

impl Found {
    fn add(&mut self, [a, b]: [&[Layer]; 2], (x, y): (u16, u16)) {
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let (one, other) = (a[i], b[j]);
            let low = one.ends[0].max(other.ends[0]).max(0.0);
            let high = one.ends[1].min(other.ends[1]).min(DEPTH);
            if low <= high {
                self.nothing = false;
                self.shared[1] += high - low;
                if one.certain && other.certain {
                    self.shared[0] += high - low;
                }
                self.depths = [self.depths[0].min(low), self.depths[1].max(high)];
                for (ends, at) in self.pixels.iter_mut().zip([x, y]) {
                    *ends = [ends[0].min(at), ends[1].max(at)];
                }
            }
            if one.ends[1] < other.ends[1] { i += 1 } else { j += 1 }
        }
    }
}

impl Body {
    fn of(solid: Solid<'_>, pixels: Pixels<'_>) -> Option<Self> {
        let (places, far) = pixels.places(solid.points);
        let exponent = far.log2().ceil().max(0.0) as i32;
        if !far.is_finite() || exponent >= LARGEST {
            return None;
        }
        let unit = 2f64.powi(FINE.min(LARGEST - exponent));
        let rounding = 64.0 * f64::EPSILON * far;
        // To the lattice, and from there to the lines between its points.
        let slack = [2.0 / unit + rounding, rounding];
        let shells = shell_of(solid.shells, solid.triangles.len());
        let only = if solid.shells.is_empty() { OPEN } else { 0 };
        let mut faces = Vec::new();
        for (i, corners) in solid.triangles.iter().enumerate() {
            let seen = corners.map(|v| places[v as usize]);
            let lattice = seen.map(|corner| [0, 1].map(|k| (corner[k] * unit).round()));
            let rounded: [Point; 3] =
                std::array::from_fn(|c| [lattice[c][0] / unit, lattice[c][1] / unit, seen[c][2]]);
            let Some(cells) = pixels.cells_of(&rounded, slack[0]) else { continue };
            let end = |f: fn(f64, f64) -> f64| f(f(seen[0][2], seen[1][2]), seen[2][2]);
            faces.push(Face {
                outline: Outline::of(&rounded, pixels.half, slack),
                corners: lattice.map(|corner| corner.map(|x| 2 * x as i64)),
                depth: [end(f64::min) - rounding, end(f64::max) + rounding],
                cells,
                shell: shells.get(i).copied().unwrap_or(only),
            });
        }
        faces.sort_by_key(|face| face.cells[1]);
        let counts = solid.shells.iter().map(|shell| if shell.inward { -1 } else { 1 }).collect();
        Some(Self { faces, counts, pixel: 2 * unit as i64 })
    }
}

impl Pixels<'_> {
    /// Where points are, in pixels and in units of depth, and a number that is larger than all that the
    /// arithmetic came across, the points themselves in pixels included: they were rounded as they were
    /// brought near the origin.
    fn places(&self, points: &[Point]) -> (Vec<Point>, f64) {
        let Room { rows, ends } = self.room;
        let middle = |k: usize| rows[k] * (0.5 * (ends[k][0] + ends[k][1]));
        let centre = middle(0) + middle(1) + middle(2);
        let count = f64::from(self.resolution);
        let units = [count, count, DEPTH];
        // The middle of pixel 0 is at 0, and there depth begins.
        let first = [0.5 * count - 0.5, 0.5 * count - 0.5, 0.5 * DEPTH];
        let place = |point: &Point| -> Point {
            let way = DVec3::from(*point) - centre;
            std::array::from_fn(|k| rows[k].dot(way) * (units[k] / self.room.width(k)) + first[k])
        };
        let places: Vec<Point> = points.iter().map(place).collect();
        let size =
            |of: &[Point]| of.as_flattened().iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let finest = (0..3).map(|k| units[k] / self.room.width(k)).fold(0.0, f64::max);
        let world = 3.0 * (size(points) + centre.abs().max_element()) * finest;
        let far = size(&places) + world + count + DEPTH;
        (places, far)
    }

    /// The pixels whose columns a triangle may reach.
    fn cells_of(&self, corners: &[Point; 3], slack: f64) -> Option<Cells> {
        let mut cells = [0; 8];
        let last = f64::from(self.resolution - 1);
        for k in 0..2 {
            let end = |f: fn(f64, f64) -> f64| f(f(corners[0][k], corners[1][k]), corners[2][k]);
            let low = (end(f64::min) - self.half - slack).ceil().max(0.0);
            let high = (end(f64::max) + self.half + slack).floor().min(last);
            if low > high {
                return None;
            }
            (cells[k], cells[k + 4]) = (low as u16, high as u16);
        }
        Some(cells)
    }
}

impl Row {
    /// The faces in the columns of a row, column by column from the front.
    fn collect(&mut self, body: &Body, y: u16) {
        let Self { active, next, fragments, .. } = self;
        active.retain(|&i| body.faces[i as usize].cells[5] >= y);
        while body.faces.get(*next).is_some_and(|face| face.cells[1] <= y) {
            active.push(*next as u32);
            *next += 1;
        }
        fragments.clear();
        for &i in &*active {
            let face = &body.faces[i as usize];
            let Some([first, last]) = face.outline.columns(y, &face.cells) else { continue };
            for x in first..=last {
                let line = [x as i64, i64::from(y)].map(|at| at * body.pixel + 1);
                let crossed = face.shell != OPEN && crosses(&face.corners, line);
                let [low, high] = face.outline.depth(x, y);
                let depth = [low.max(face.depth[0]), high.min(face.depth[1])];
                if depth[0] <= depth[1] {
                    fragments.push(Fragment {
                        column: x as u16,
                        depth,
                        shell: face.shell,
                        crossed,
                    });
                }
            }
        }
        fragments.sort_unstable_by(|a, b| {
            a.column.cmp(&b.column).then(a.depth[0].total_cmp(&b.depth[0]))
        });
    }

    fn end_of_column(&self, from: usize) -> usize {
        let column = self.fragments[from].column;
        let others = self.fragments[from..].iter().position(|one| one.column != column);
        others.map_or(self.fragments.len(), |count| from + count)
    }

    /// Makes the layers of the column whose fragments begin at a place; tells where they end.
    fn layer(&mut self, from: usize, counts: &[i64]) -> usize {
        let end = self.end_of_column(from);
        let Self { fragments, layers, inside, .. } = self;
        layers.clear();
        inside.clear();
        inside.resize(counts.len(), false);
        let mut around = 0;
        let mut surface = fragments[from].depth;
        for one in &fragments[from..end] {
            if one.depth[0] <= surface[1] {
                surface[1] = surface[1].max(one.depth[1]);
            } else {
                layers.push(Layer { ends: surface, certain: false });
                if around != 0 {
                    layers.push(Layer { ends: [surface[1], one.depth[0]], certain: true });
                }
                surface = one.depth;
            }
            if one.crossed {
                let is_inside = &mut inside[one.shell as usize];
                *is_inside = !*is_inside;
                let count = counts[one.shell as usize];
                around += if *is_inside { count } else { -count };
            }
        }
        layers.push(Layer { ends: surface, certain: false });
        if inside.contains(&true) {
            // It cannot be, since every edge has an even number of faces. If it were, nothing would be
            // known of this column.
            layers.clear();
            let ends = [f64::NEG_INFINITY, f64::INFINITY];
            layers.push(Layer { ends, certain: false });
        }
        end
    }
}

/// Whether the line through a point of odd coordinates crosses a triangle whose corners have even ones.
///
/// Of the two edges that pass the point's height exactly one is to the left of it. What is decided of an
/// edge depends on its ends alone, so that all its faces agree.
fn crosses(corners: &[[i64; 2]; 3], [x, y]: [i64; 2]) -> bool {
    let mut is_crossed = false;
    for i in 0..3 {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        if (p[1] > y) != (q[1] > y) {
            let (low, high) = if p[1] < q[1] { (p, q) } else { (q, p) };
            let along = i128::from(high[0] - low[0]) * i128::from(y - low[1]);
            let across = i128::from(x - low[0]) * i128::from(high[1] - low[1]);
            is_crossed ^= along < across;
        }
    }
    is_crossed
}
