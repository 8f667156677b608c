//! The shapes that stations are made of: turned parts, rings, toothed wheels and tubes with ends.
//!
//! Radii are those of facets: corners lie further out by 1 / cos(π / facets).

use super::{Detail, NAME};
use crate::error::SampleError;
use crate::surface::Surface;
use crate::turn::{sine, turn};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Coordinates are rounded to 2⁻²⁰ of it.
const SIZE: Point = [64.0; 3];

impl Detail {
    /// The radius of corners whose facets have this radius.
    pub(super) fn corner(self, facet: f64) -> f64 {
        facet / turn(1, 2 * self.facets)[0]
    }

    /// A profile from axis to axis, turned about z.
    pub(super) fn turned(self, profile: &[[f64; 2]]) -> Result<Mesh, SampleError> {
        let wide: Vec<[f64; 2]> = profile.iter().map(|&[r, z]| [self.corner(r), z]).collect();
        Surface::revolved(&wide, self.facets).finish(NAME, SIZE)
    }

    /// A closed profile beside the axis, clockwise with the radius to the right and z up.
    pub(super) fn ring(self, profile: &[[f64; 2]]) -> Result<Mesh, SampleError> {
        let around = |j| {
            let [c, s] = turn(j, self.facets);
            profile.iter().map(move |&[r, z]| {
                let r = self.corner(r);
                [r * c, r * s, z]
            })
        };
        let vertices = (0..self.facets).flat_map(around).collect();
        Surface::looped(vertices, self.facets, profile.len() as u32).finish(NAME, SIZE)
    }

    /// From one point of a profile to another in so many rows, the last point left out.
    pub(super) fn rows(self, from: [f64; 2], to: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
        (0..self.rows).map(move |i| {
            let part = f64::from(i) / f64::from(self.rows);
            [0, 1].map(|k| from[k] + (to[k] - from[k]) * part)
        })
    }

    /// A ball with a corner on either side along x.
    pub(super) fn ball(self, radius: f64) -> Result<Mesh, SampleError> {
        let bands = self.facets / 2;
        let profile: Vec<[f64; 2]> = (0..=bands)
            .map(|i| {
                let [c, s] = turn(i, 2 * bands);
                // Both ends lie exactly on the axis.
                [if i == bands { 0.0 } else { radius * s }, -radius * c]
            })
            .collect();
        Surface::revolved(&profile, self.facets).finish(NAME, SIZE)
    }

    /// A toothed wheel from z = 0 to `height` with a bore.
    pub(super) fn wheel(self, wheel: &Wheel) -> Result<Mesh, SampleError> {
        let degrees = self.facets;
        let full = 360 * degrees;
        let pitch = full / wheel.teeth;
        let start = wheel.first * degrees;
        // Teeth, corners of the bore, and even steps between them.
        let of_tooth = |tooth: u32| {
            let sides = [pitch - wheel.foot * degrees, pitch - wheel.tip * degrees];
            let sides = [wheel.tip * degrees, wheel.foot * degrees, sides[0], sides[1]];
            sides.map(|side| (start + tooth * pitch + side) % full)
        };
        let mut angles: Vec<u32> = (0..wheel.teeth).flat_map(of_tooth).collect();
        angles.extend((0..self.facets).map(|j| j * 360));
        let steps = 4 * self.facets + 8 * self.rows;
        angles
            .extend((0..steps).map(|i| (u64::from(full) * u64::from(i) / u64::from(steps)) as u32));
        angles.sort_unstable();
        angles.dedup();
        let bore = Polygon { facets: self.facets, corner: self.corner(wheel.bore) };
        let around = |&angle: &u32| {
            let way = turn(angle, full);
            let outer = wheel.outline((angle + full - start) % full, degrees);
            let inner = bore.at(way, angle, full);
            [(inner, 0.0), (inner, wheel.height), (outer, wheel.height), (outer, 0.0)]
                .map(|(r, z)| [r * way[0], r * way[1], z])
        };
        let vertices = angles.iter().flat_map(around).collect();
        Surface::looped(vertices, angles.len() as u32, 4).finish(NAME, SIZE)
    }

    /// A tube with ends along a line of points, each with its way and a direction across.
    pub(super) fn tube(self, tube: &Tube, line: &[[DVec3; 3]]) -> Result<Mesh, SampleError> {
        let radius = tube.radius / turn(1, 2 * tube.sides)[0];
        let circle: Vec<[f64; 2]> = (0..tube.sides).map(|j| turn(j, tube.sides)).collect();
        let mut vertices = Vec::with_capacity(line.len() * circle.len() + 2);
        for &[center, way, across] in line {
            let beside = way.cross(across);
            let at = |[c, s]: &[f64; 2]| center + across * (radius * c) + beside * (radius * s);
            vertices.extend(circle.iter().map(|cs| at(cs).to_array()));
        }
        let first = vertices.len() as u32;
        let ends = [line[0][0], line[line.len() - 1][0]];
        vertices.extend(ends.map(|end| end.to_array()));
        let (sides, last) = (tube.sides, (line.len() as u32 - 1) * tube.sides);
        let mut triangles = Vec::new();
        for j in 0..sides {
            let next = (j + 1) % sides;
            triangles.push([first, next, j]);
            triangles.push([first + 1, last + j, last + next]);
            for low in (0..last).step_by(sides as usize) {
                let high = low + sides;
                triangles.push([low + j, high + next, high + j]);
                triangles.push([low + j, low + next, high + next]);
            }
        }
        Surface { vertices, triangles }.finish(NAME, SIZE)
    }

    /// A helix about z that climbs from 0 to `height`.
    pub(super) fn spring(self, coil: &Coil) -> Result<Mesh, SampleError> {
        let per_turn = 24 + 2 * self.rows;
        let count = coil.turns * per_turn;
        let slope = coil.height / (f64::from(coil.turns) * TAU);
        let at = |i| {
            let [c, s] = turn(i, per_turn);
            let way = DVec3::new(-s * coil.radius, c * coil.radius, slope).normalize();
            let z = coil.height * f64::from(i) / f64::from(count);
            let outward = DVec3::new(c, s, 0.0);
            [DVec3::new(coil.radius * c, coil.radius * s, z), way, outward]
        };
        let line: Vec<[DVec3; 3]> = (0..=count).map(at).collect();
        self.tube(&Tube { radius: coil.wire, sides: 8 }, &line)
    }

    /// A hose along x, straight up to 20 from the middle, its ends bent up.
    pub(super) fn hose(self, radius: f64) -> Result<Mesh, SampleError> {
        const STRAIGHT: f64 = 20.0;
        const BENT: f64 = 30.0;
        let bends = 2 + self.rows;
        let bend = |i: u32, side: f64| {
            // A quarter of a turn on a circle: at half of it the way points up by an eighth.
            let angle = FRAC_PI_2 * f64::from(i) / f64::from(bends);
            let (s, c) = (sine(angle), sine(FRAC_PI_2 - angle));
            let center = DVec3::new(side * (STRAIGHT + BENT * s), 0.0, BENT * (1.0 - c));
            [center, DVec3::new(c, 0.0, side * s), DVec3::Y]
        };
        let left = (0..=bends).rev().map(|i| bend(i, -1.0));
        let line: Vec<[DVec3; 3]> = left.chain((0..=bends).map(|i| bend(i, 1.0))).collect();
        self.tube(&Tube { radius, sides: self.facets }, &line)
    }
}

/// A tube.
pub(super) struct Tube {
    pub(super) radius: f64,
    pub(super) sides: u32,
}

/// A helix.
pub(super) struct Coil {
    pub(super) radius: f64,
    pub(super) wire: f64,
    pub(super) turns: u32,
    pub(super) height: f64,
}

/// A toothed wheel; angles in whole degrees.
pub(super) struct Wheel {
    pub(super) teeth: u32,
    /// Where the middle of a tooth is.
    pub(super) first: u32,
    /// Half the width of a tooth, at its tip and at its foot.
    pub(super) tip: u32,
    pub(super) foot: u32,
    /// Radii of the flats at the tips and between the teeth.
    pub(super) outer: f64,
    pub(super) root: f64,
    pub(super) bore: f64,
    pub(super) height: f64,
}

impl Wheel {
    /// How far the outline is in the direction that is `angle` after the middle of a tooth; a degree
    /// is `degrees` of it.
    fn outline(&self, angle: u32, degrees: u32) -> f64 {
        let pitch = 360 * degrees / self.teeth;
        let within = angle % pitch;
        // A tooth is symmetric: judged by the distance from its middle.
        let off = within.min(pitch - within);
        let (tip, foot) = (self.tip * degrees, self.foot * degrees);
        let cosine = |part: u32| turn(part, 360 * degrees)[0];
        let (tip_corner, foot_corner) =
            (self.outer / cosine(tip), self.root / cosine(pitch / 2 - foot));
        if off <= tip {
            return self.outer / cosine(off);
        }
        if off >= foot {
            return self.root / cosine(pitch / 2 - off);
        }
        let corner = |r: f64, part: u32| turn(part, 360 * degrees).map(|x| r * x);
        ray(turn(off, 360 * degrees), corner(tip_corner, tip), corner(foot_corner, foot))
    }
}

/// A regular polygon about the origin with a corner at angle 0.
struct Polygon {
    facets: u32,
    corner: f64,
}

impl Polygon {
    /// How far it is in the direction `way`, which is `angle` of `full` turned.
    fn at(&self, way: [f64; 2], angle: u32, full: u32) -> f64 {
        let each = full / self.facets;
        let facet = angle / each;
        if angle.is_multiple_of(each) {
            return self.corner;
        }
        let corner = |j: u32| turn(j, self.facets).map(|x| x * self.corner);
        ray(way, corner(facet), corner(facet + 1))
    }
}

/// How far the line through `p` and `q` is from the origin in the direction `way`.
fn ray(way: [f64; 2], p: [f64; 2], q: [f64; 2]) -> f64 {
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    cross(p, q) / cross(way, [q[0] - p[0], q[1] - p[1]])
}
