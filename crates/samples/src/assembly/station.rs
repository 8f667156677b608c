//! One station of the machine: its parts, where they stand, and how close they are to each other.
//!
//! Lengths in millimetres, z up, the plate from z = 0 to 10. What is chosen by chance: the fits of
//! the bearing, whether the cover is seated, and for each bolt whether it is tight, straight, and
//! modelled with a thread that overlaps its nut, as drawings often are.

use super::parts::{Coil, Wheel};
use super::plate::{self, Holes};
use super::{Detail, Known, Relation};
use crate::Part;
use crate::error::SampleError;
use crate::random::Random;
use crate::turn::turn;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;

const BOLTS: usize = 4;
const BALLS: usize = 8;
/// Parts before the bolts.
const FIXED: usize = 13;
/// How many parts a station has.
pub(super) const PARTS_PER_STATION: usize = FIXED + 3 * BOLTS + BALLS;

const PLATE_TOP: f64 = 10.0;
const WASHER_TOP: f64 = PLATE_TOP + 1.5;
/// Where bolts, and the middles of corner tiles, are.
const CORNER: f64 = 2.0 * plate::HALF;
const IDLER_X: f64 = 22.0;
const HOSE_Z: f64 = 77.0;
/// How far a crooked bolt is off its axis: more than the hole allows, less than the washer does.
const CROOKED: f64 = 0.375;
/// Coordinates are rounded to some 6e-5, and a few roundings add up.
const ROUNDING: f64 = 5e-4;

// Places of the fixed parts in the list.
const PLATE: usize = 0;
const COVER: usize = 1;
const SHAFT: usize = 2;
const GEAR: usize = 3;
const IDLER: usize = 4;
const PIN: usize = 5;
const OUTER_RING: usize = 6;
const INNER_RING: usize = 7;
const SPRING: usize = 8;
const HOSE: usize = 9;
const CLAMP: usize = 10;
const BOSS: usize = 11;
const INSERT: usize = 12;

/// The meshes of a station.
pub(super) struct Station {
    detail: Detail,
    /// The fixed parts, the rings with clearance.
    fixed: [(&'static str, Mesh); FIXED],
    /// The rings as press fits, larger and smaller than their seats.
    pressed: [Mesh; 2],
    bolt: Mesh,
    washer: Mesh,
    /// With clearance, and with a bore that the thread overlaps.
    nuts: [Mesh; 2],
    ball: Mesh,
}

/// A station in its own frame.
pub(super) struct Built {
    pub(super) parts: Vec<Part>,
    pub(super) known: Vec<Known>,
}

impl Station {
    /// Makes all meshes.
    pub(super) fn new(detail: Detail) -> Result<Self, SampleError> {
        let d = detail;
        let outer_ring = |r: f64| {
            d.ring(&[
                [14.25, 0.5],
                [14.25, 2.0],
                [15.125, 2.0],
                [15.125, 8.0],
                [14.25, 8.0],
                [14.25, 9.5],
                [r, 9.5],
                [r, 0.5],
            ])
        };
        let inner_ring = |r: f64| {
            d.ring(&[
                [r, 0.5],
                [r, 9.5],
                [9.5, 9.5],
                [9.5, 8.0],
                [8.875, 8.0],
                [8.875, 2.0],
                [9.5, 2.0],
                [9.5, 0.5],
            ])
        };
        let holes = Holes { middle: 16.25, corners: 4.25 };
        let coil = Coil { radius: 8.75, wire: 1.0, turns: 5, height: 26.0 };
        Ok(Self {
            detail,
            fixed: [
                ("plate", plate::plate(d, &holes, PLATE_TOP)?),
                ("cover", cover(d)?),
                ("shaft", shaft(d)?),
                ("gear", d.wheel(&GEAR_WHEEL)?),
                ("idler", d.wheel(&IDLER_WHEEL)?),
                ("pin", d.turned(&[[0.0, 0.0], [3.0, 0.0], [3.0, 12.0], [0.0, 12.0]])?),
                ("outer-ring", outer_ring(16.1875)?),
                ("inner-ring", inner_ring(7.0625)?),
                ("spring", d.spring(&coil)?),
                ("hose", d.hose(5.0)?),
                ("clamp", d.ring(&[[5.25, -4.0], [5.25, 4.0], [7.0, 4.0], [7.0, -4.0]])?),
                ("boss", d.turned(&[[0.0, 0.0], [6.0, 0.0], [6.0, 20.0], [0.0, 20.0]])?),
                ("insert", d.ball(2.0)?),
            ],
            pressed: [outer_ring(16.3125)?, inner_ring(6.9375)?],
            bolt: bolt(d)?,
            washer: d.ring(&[[4.5, 0.0], [4.5, 1.5], [8.0, 1.5], [8.0, 0.0]])?,
            nuts: [nut(d, 4.125)?, nut(d, 3.75)?],
            ball: d.ball(3.0)?,
        })
    }

    /// The faces of each part, in the order of the parts.
    pub(super) fn face_counts(&self) -> Vec<u64> {
        let mut meshes: Vec<&Mesh> = self.fixed.iter().map(|(_, mesh)| mesh).collect();
        (0..BOLTS).for_each(|_| meshes.extend([&self.bolt, &self.washer, &self.nuts[0]]));
        meshes.extend([&self.ball; BALLS]);
        meshes.iter().map(|mesh| mesh.face_count() as u64).collect()
    }

    /// Puts a station together.
    pub(super) fn build(&self, random: &mut Random) -> Built {
        let mut built = Built { parts: Vec::new(), known: Vec::new() };
        let cover_lift = if one_in(random, 3) { 0.5 } else { 0.0 };
        for (i, (name, mesh)) in self.fixed.iter().enumerate() {
            let place = match i {
                COVER => shift([0.0, 0.0, cover_lift]),
                GEAR => shift([0.0, 0.0, 12.0]),
                IDLER => shift([IDLER_X, 0.0, 12.0]),
                PIN => shift([IDLER_X, 0.0, PLATE_TOP]),
                SPRING => shift([0.0, 0.0, 29.5]),
                HOSE => shift([0.0, 0.0, HOSE_Z]),
                CLAMP => about_y([0.0, 0.0, HOSE_Z]),
                BOSS => shift([0.0, 47.0, PLATE_TOP]),
                INSERT => shift([0.0, 47.0, PLATE_TOP + 10.0]),
                _ => Pose::IDENTITY,
            };
            built.add((*name).to_owned(), mesh.clone(), place);
        }
        let seated = if cover_lift > 0.0 { exactly(cover_lift) } else { Relation::Touch };
        built.know([PLATE, COVER], seated);
        built.know([PLATE, PIN], Relation::Touch);
        built.know([PLATE, BOSS], Relation::Touch);
        built.know([BOSS, INSERT], Relation::Inside);
        built.know([SHAFT, GEAR], exactly(0.125));
        built.know([IDLER, PIN], exactly(0.125));
        built.know([GEAR, IDLER], exactly(0.5));
        built.know([HOSE, CLAMP], exactly(0.25));
        // The coil runs in straight steps and its wire has eight sides, so this is not one number.
        let nearest = 8.75 * turn(1, 48)[0] - 1.0 / turn(1, 16)[0] - self.detail.corner(7.0);
        built.know([SHAFT, SPRING], Relation::Gap { at_least: nearest.max(0.01), at_most: 0.95 });
        self.fit_rings(&mut built, random);
        (0..BOLTS).for_each(|k| self.add_bolt(&mut built, k, random));
        (0..BALLS).for_each(|k| self.add_ball(&mut built, k));
        built
    }

    fn fit_rings(&self, built: &mut Built, random: &mut Random) {
        for (k, (ring, seat)) in [(OUTER_RING, PLATE), (INNER_RING, SHAFT)].into_iter().enumerate()
        {
            let pressed = one_in(random, 3);
            if pressed {
                built.parts[ring].mesh = self.pressed[k].clone();
            }
            built.know([seat, ring], if pressed { Relation::Clash } else { exactly(0.0625) });
        }
    }

    /// A bolt through corner `k`, with a washer on the plate and a nut below it.
    fn add_bolt(&self, built: &mut Built, k: usize, random: &mut Random) {
        let [x, y] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][k].map(|s| s * CORNER);
        let crooked = one_in(random, 8);
        let lift = match random.between(0, 3) {
            0 if !crooked => 0.25,
            1 if !crooked => 0.75,
            _ => 0.0,
        };
        let drop = if one_in(random, 3) { 0.25 } else { 0.0 };
        let threaded = crooked || one_in(random, 2);
        let off = if crooked { CROOKED } else { 0.0 };
        let bolt = built.parts.len();
        let [washer, nut] = [bolt + 1, bolt + 2];
        let name = |kind: &str| format!("{kind}-{}", k + 1);
        built.add(name("bolt"), self.bolt.clone(), shift([x + off, y, WASHER_TOP + lift]));
        built.add(name("washer"), self.washer.clone(), shift([x, y, PLATE_TOP]));
        built.add(
            name("nut"),
            self.nuts[usize::from(threaded)].clone(),
            shift([x, y, -6.0 - drop]),
        );
        built.know([PLATE, bolt], if crooked { Relation::Clash } else { exactly(0.25) });
        built.know([PLATE, washer], Relation::Touch);
        built.know([PLATE, nut], if drop > 0.0 { exactly(drop) } else { Relation::Touch });
        let seated = if lift > 0.0 { exactly(lift.min(0.5)) } else { Relation::Touch };
        built.know([bolt, washer], seated);
        built.know([bolt, nut], if threaded { Relation::Clash } else { exactly(0.125) });
    }

    /// Ball `k` of the bearing, opposite the middle of a facet of both rings.
    fn add_ball(&self, built: &mut Built, k: usize) {
        let facets = self.detail.facets;
        let half_steps = 1 + k as u32 * facets / 4;
        let [c, s] = turn(half_steps, 2 * facets);
        let [half_c, half_s] = turn(half_steps, 4 * facets);
        let place = Pose::new([half_c, 0.0, 0.0, half_s], [12.0 * c, 12.0 * s, 5.0]);
        let ball = built.parts.len();
        let place = place.expect("a unit quaternion and a place in the bearing");
        built.add(format!("ball-{}", k + 1), self.ball.clone(), place);
        built.know([OUTER_RING, ball], exactly(0.125));
        built.know([INNER_RING, ball], exactly(0.125));
    }
}

impl Built {
    fn add(&mut self, name: String, mesh: Mesh, pose: Pose) {
        self.parts.push(Part { name, mesh, pose });
    }

    fn know(&mut self, pair: [usize; 2], relation: Relation) {
        self.known.push(Known { pair, relation });
    }
}

const GEAR_WHEEL: Wheel = Wheel {
    teeth: 12,
    first: 0,
    tip: 3,
    foot: 5,
    outer: 15.0,
    root: 11.0,
    bore: 7.125,
    height: 8.0,
};

/// Turned so that the tooth of the gear points between two of its teeth.
const IDLER_WHEEL: Wheel = Wheel {
    teeth: 6,
    first: 30,
    tip: 4,
    foot: 18,
    outer: 10.0,
    root: 6.5,
    bore: 3.125,
    height: 8.0,
};

/// A shell that stands on the plate.
fn cover(d: Detail) -> Result<Mesh, SampleError> {
    let mut profile = vec![[0.0, 63.0]];
    profile.extend(d.rows([33.5, 63.0], [33.5, PLATE_TOP]));
    profile.push([33.5, PLATE_TOP]);
    profile.extend(d.rows([36.0, PLATE_TOP], [36.0, 66.0]));
    profile.extend([[36.0, 66.0], [0.0, 66.0]]);
    d.turned(&profile)
}

/// With a collar above the gear.
fn shaft(d: Detail) -> Result<Mesh, SampleError> {
    let mut profile = vec![[0.0, -20.0]];
    profile.extend(d.rows([7.0, -20.0], [7.0, 24.0]));
    profile.extend([[7.0, 24.0], [9.0, 24.0], [9.0, 26.0]]);
    profile.extend(d.rows([7.0, 26.0], [7.0, 58.0]));
    profile.extend([[7.0, 58.0], [0.0, 58.0]]);
    d.turned(&profile)
}

/// Its head above z = 0. The thread runs between the radii 3.6 and 4; wherever a nut is, it has a
/// crest, for crests are at most six apart and one of them is at −16 or two of them around it.
fn bolt(d: Detail) -> Result<Mesh, SampleError> {
    let turns = d.rows;
    let mut profile = vec![[0.0, -23.5], [3.0, -23.5]];
    profile.extend((0..=2 * turns).map(|i| {
        let part = f64::from(i) / f64::from(2 * turns);
        [if i % 2 == 0 { 4.0 } else { 3.625 }, -22.0 + 12.0 * part]
    }));
    profile.extend([[4.0, 0.0], [7.0, 0.0], [7.0, 6.0], [0.0, 6.0]]);
    d.turned(&profile)
}

/// A hexagon with a bore.
fn nut(d: Detail, bore: f64) -> Result<Mesh, SampleError> {
    let hexagon =
        Wheel { teeth: 6, first: 0, tip: 5, foot: 6, outer: 7.0, root: 6.5, bore, height: 6.0 };
    d.wheel(&hexagon)
}

/// A gap of one number, up to rounding.
fn exactly(gap: f64) -> Relation {
    Relation::Gap { at_least: gap - ROUNDING, at_most: gap + ROUNDING }
}

fn one_in(random: &mut Random, count: i32) -> bool {
    random.between(1, count) == 1
}

fn shift(to: Point) -> Pose {
    Pose::shift(to).expect("a place in the station")
}

/// A quarter of a turn about y, then a shift.
fn about_y(to: Point) -> Pose {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    Pose::new([half, 0.0, half, 0.0], to).expect("a unit quaternion and a place in the station")
}
