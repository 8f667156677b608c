//! How much space two bodies share, between certain bounds; and whether they share any, as far as an
//! image of some resolution can tell.

use super::layers::{Found, Room, look};
use crate::Point;
use crate::aabb::Aabb;
use crate::shells::Shell;
use glam::DVec3;

/// A body at its place, with what of it has an inside.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// The vertices.
    pub points: &'a [Point],
    /// The corners of the faces.
    pub triangles: &'a [[u32; 3]],
    /// Its closed pieces; see [`crate::shells::shells`].
    pub shells: &'a [Shell],
}

/// How much space two bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Not less than this.
    pub at_least: f64,
    /// Not more than this.
    pub at_most: f64,
    /// About so much: what lines through the middles of pixels tell.
    pub estimate: f64,
}

/// Two bodies, moved so that the middle of what both their boxes reach is the origin: where in the world
/// they are tells nothing, and large coordinates would cost precision.
///
/// A coordinate less that of the middle is rounded once, by at most 2⁻⁵³ of what remains. That is
/// granted with the rounding of all that is calculated from it. The middle itself may be any point.
#[derive(Clone, Debug)]
struct Moved<'a> {
    solids: [Solid<'a>; 2],
    points: [Vec<Point>; 2],
    /// How much space both boxes reach; no more is shared.
    most: f64,
}

/// What an image tells of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They share no point, and none is in the other.
    Free,
    /// What is inside one overlaps what is inside the other.
    Overlapping,
    /// It is not fine enough to tell.
    Unknown,
}

/// Of bodies that share nothing.
const NOTHING: Volume = Volume { at_least: 0.0, at_most: 0.0, estimate: 0.0 };
/// Sums are rounded, and so is what a room measures.
const ROUNDING: f64 = 1e-9;
/// Resolution at which it is found out where the bodies are near each other.
const COARSE: u16 = 16;
/// The most rooms, each a part of the one before.
const ROOMS_MAX: usize = 4;

/// How much space two bodies share, seen in so many pixels along a side (1 to 1024). Only what is
/// closed counts.
pub fn shared(solids: [Solid<'_>; 2], resolution: u16) -> Volume {
    let Some(moved) = Moved::of(solids) else { return NOTHING };
    let solids = moved.solids();
    let Some(mut room) = Room::of(solids) else { return NOTHING };
    let resolution = resolution.clamp(1, 1024);
    for _ in 0..ROOMS_MAX {
        let Some(found) = look(solids, &room, (COARSE, 0.5)) else { return moved.unknown(&room) };
        if found.nothing {
            return NOTHING;
        }
        let part = room.part(&found, COARSE);
        if part.volume() > 0.5 * room.volume() {
            break;
        }
        room = part;
    }
    let (Some(columns), Some(lines)) =
        (look(solids, &room, (resolution, 0.5)), look(solids, &room, (resolution, 0.0)))
    else {
        return moved.unknown(&room);
    };
    moved.volume([&columns, &lines], &room, resolution)
}

impl<'a> Moved<'a> {
    /// None if their boxes share nothing.
    fn of(solids: [Solid<'a>; 2]) -> Option<Self> {
        let [a, b] = solids.map(|solid| {
            let corners = solid.triangles.iter().flatten();
            Aabb::around(corners.map(|&v| &solid.points[v as usize]))
        });
        if !a.overlaps(&b) {
            return None;
        }
        let common = a.intersection(&b);
        let middle = common.center();
        let points = solids.map(|Solid { points, triangles, .. }| {
            // Points of no face stay in the middle, where they cost no precision.
            let mut moved = vec![[0.0; 3]; points.len()];
            for &v in triangles.iter().flatten() {
                let point = points[v as usize];
                moved[v as usize] = std::array::from_fn(|k| point[k] - middle[k]);
            }
            moved
        });
        // A width is zero only if it is exactly that; all others are rounded up, and so are products.
        let [x, y, z] = common.size().map(|width| width.next_up());
        let is_flat = common.size().contains(&0.0);
        let most = if is_flat { 0.0 } else { ((x * y).next_up() * z).next_up() };
        Some(Self { solids, points, most })
    }

    fn solids(&self) -> [Solid<'_>; 2] {
        [0, 1].map(|k: usize| Solid { points: &self.points[k], ..self.solids[k] })
    }

    /// All that is known without a look.
    fn unknown(&self, room: &Room) -> Volume {
        Volume { at_most: self.most.min(room.volume() * (1.0 + ROUNDING)), ..NOTHING }
    }

    /// What columns tell for certain, and lines about.
    fn volume(&self, [columns, lines]: [&Found; 2], room: &Room, resolution: u16) -> Volume {
        let unit = room.unit(resolution);
        let [least, most] = columns.shared;
        let at_most = self.most.min(most * unit * (1.0 + ROUNDING));
        let at_least = at_most.min(least * unit * (1.0 - ROUNDING));
        let about = 0.5 * (lines.shared[0] + lines.shared[1]) * unit;
        Volume { at_least, at_most, estimate: about.max(at_least).min(at_most) }
    }
}

impl Room {
    /// What both bodies reach; none if that is nowhere. Of a few directions the one is taken along which
    /// it is the least, and of equally good ones that along which it is thinnest: there surfaces are flat.
    fn of(solids: [Solid<'_>; 2]) -> Option<Self> {
        let [a, b] = solids.map(|solid| {
            let corners = solid.triangles.iter().flatten();
            let bounds = Aabb::around(corners.map(|&v| &solid.points[v as usize]));
            DVec3::from(bounds.center())
        });
        let along = [Some(DVec3::Z), Some(DVec3::X), Some(DVec3::Y), (b - a).try_normalize()];
        let rooms = along.into_iter().flatten().map(|along| Self::along(along, solids));
        // Nothing in common along one direction is nothing in common.
        let least = |one: Option<Self>, other: Option<Self>| {
            let (one, other) = (one?, other?);
            let (much, little) = (1.01 * one.volume(), 0.99 * one.volume());
            let thinner = other.volume() <= much && other.width(2) < one.width(2);
            Some(if other.volume() < little || thinner { other } else { one })
        };
        rooms.reduce(least).expect("there are always the axes")
    }

    fn along(along: DVec3, solids: [Solid<'_>; 2]) -> Option<Self> {
        let across = along.any_orthonormal_vector();
        let rows = [across, along.cross(across), along];
        let mut ends = [[f64::NEG_INFINITY, f64::INFINITY]; 3];
        for solid in solids {
            let mut of = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
            let mut largest = 0.0f64;
            for &v in solid.triangles.iter().flatten() {
                let point = DVec3::from(solid.points[v as usize]);
                largest = largest.max(point.abs().max_element());
                for k in 0..3 {
                    let x = rows[k].dot(point);
                    of[k] = [of[k][0].min(x), of[k][1].max(x)];
                }
            }
            // What is calculated is off by less, and so are the points, which were rounded as they were
            // moved: that is some 2⁻⁵⁰ of the largest coordinate that remains.
            let little = 1e-12 * largest;
            for k in 0..3 {
                ends[k][0] = ends[k][0].max(of[k][0] - little);
                ends[k][1] = ends[k][1].min(of[k][1] + little);
            }
        }
        ends.iter().all(|[low, high]| low <= high).then_some(Self { rows, ends })
    }
}

/// Looks at two bodies again and again, each time twice as finely and only where they may still meet. It
/// may be stopped after any look, and what was told is true.
#[derive(Clone, Debug)]
pub struct Pyramid<'a> {
    /// What is left to be looked at, unless it is known that nothing is shared.
    left: Option<(Moved<'a>, Room)>,
    resolution: u16,
}

/// What one look told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Pixels along a side.
    pub resolution: u16,
    /// What is known.
    pub relation: Relation,
    /// How much space they share.
    pub volume: Volume,
}

/// The first look, and the last.
const FIRST: u16 = 8;
const LAST: u16 = 1024;

impl<'a> Pyramid<'a> {
    /// Of two bodies that were not looked at yet.
    pub fn of(solids: [Solid<'a>; 2]) -> Self {
        let left = Moved::of(solids).and_then(|moved| {
            let room = Room::of(moved.solids())?;
            Some((moved, room))
        });
        Self { left, resolution: FIRST }
    }
}

impl Iterator for Pyramid<'_> {
    type Item = Level;

    /// The next look. There is none after one that told all, nor after 1024 pixels along a side.
    fn next(&mut self) -> Option<Level> {
        if self.resolution > LAST {
            return None;
        }
        let resolution = std::mem::replace(&mut self.resolution, LAST + 1);
        let free = Level { resolution, relation: Relation::Free, volume: NOTHING };
        let Some((moved, room)) = &mut self.left else { return Some(free) };
        let both = |half: f64| look(moved.solids(), room, (resolution, half));
        let (Some(columns), Some(lines)) = (both(0.5), both(0.0)) else {
            let volume = moved.unknown(room);
            return Some(Level { relation: Relation::Unknown, volume, ..free });
        };
        if columns.nothing {
            return Some(free);
        }
        // On a line between surfaces, inside both: that needs no allowance, since the intervals of
        // surfaces along the line have it.
        let overlap = lines.shared[0] > 0.0 || columns.shared[0] > 0.0;
        let relation = if overlap { Relation::Overlapping } else { Relation::Unknown };
        let volume = moved.volume([&columns, &lines], room, resolution);
        *room = room.part(&columns, resolution);
        self.resolution = 2 * resolution;
        Some(Level { resolution, relation, volume })
    }
}
