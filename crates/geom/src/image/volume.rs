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

/// Sums are rounded, and so is what a room measures.
const ROUNDING: f64 = 1e-9;
/// Resolution at which it is found out where the bodies are near each other.
const COARSE: u16 = 16;
/// The most rooms, each a part of the one before.
const ROOMS_MAX: usize = 4;

/// How much space two bodies share, seen in so many pixels along a side (1 to 1024). Only what is
/// closed counts.
pub fn shared(solids: [Solid<'_>; 2], resolution: u16) -> Volume {
    let none = Volume { at_least: 0.0, at_most: 0.0, estimate: 0.0 };
    let Some(mut room) = Room::of(solids) else { return none };
    let unknown = |room: &Room| Volume { at_most: room.volume() * (1.0 + ROUNDING), ..none };
    let resolution = resolution.clamp(1, 1024);
    for _ in 0..ROOMS_MAX {
        let Some(found) = look(solids, &room, (COARSE, 0.5)) else { return unknown(&room) };
        if found.nothing {
            return none;
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
        return unknown(&room);
    };
    columns.volume(&lines, &room, resolution)
}

impl Found {
    fn volume(&self, lines: &Self, room: &Room, resolution: u16) -> Volume {
        let unit = room.unit(resolution);
        let [least, most] = self.shared;
        Volume {
            at_least: least * unit * (1.0 - ROUNDING),
            at_most: most * unit * (1.0 + ROUNDING),
            estimate: 0.5 * (lines.shared[0] + lines.shared[1]) * unit,
        }
    }
}

impl Room {
    /// What both bodies reach; none if that is nowhere. Of a few directions the one is taken along which
    /// it is the least, and of equally good ones that along which it is thinnest: there surfaces are flat.
    fn of(solids: [Solid<'_>; 2]) -> Option<Self> {
        let around = solids.map(|solid| {
            let corners = solid.triangles.iter().flatten();
            Aabb::around(corners.map(|&v| &solid.points[v as usize]))
        });
        if !around[0].overlaps(&around[1]) {
            return None;
        }
        let [a, b] = around.map(|bounds| DVec3::from(bounds.center()));
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
            // What is calculated is off by less.
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
#[derive(Clone, Copy, Debug)]
pub struct Pyramid<'a> {
    solids: [Solid<'a>; 2],
    room: Option<Room>,
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
        Self { solids, room: Room::of(solids), resolution: FIRST }
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
        let free = Level {
            resolution,
            relation: Relation::Free,
            volume: Volume { at_least: 0.0, at_most: 0.0, estimate: 0.0 },
        };
        let Some(room) = self.room else { return Some(free) };
        let both = |half: f64| look(self.solids, &room, (resolution, half));
        let (Some(columns), Some(lines)) = (both(0.5), both(0.0)) else {
            let volume = Volume { at_most: room.volume() * (1.0 + ROUNDING), ..free.volume };
            return Some(Level { relation: Relation::Unknown, volume, ..free });
        };
        if columns.nothing {
            return Some(free);
        }
        // On a line between surfaces, inside both: that needs no allowance, since the intervals of
        // surfaces along the line have it.
        let overlap = lines.shared[0] > 0.0 || columns.shared[0] > 0.0;
        let relation = if overlap { Relation::Overlapping } else { Relation::Unknown };
        let volume = columns.volume(&lines, &room, resolution);
        self.room = Some(room.part(&columns, resolution));
        self.resolution = 2 * resolution;
        Some(Level { resolution, relation, volume })
    }
}
