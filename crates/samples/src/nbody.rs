//! Worlds of many moving boxes, of the kinds that broad phases find easy and hard.
//!
//! All lie on a grid of 2²³ steps to the room's side. Places and velocities are multiples of four
//! and radii are one more than a multiple of four, so that no two boxes ever touch without
//! overlapping, and every number is exact in f32: the pairs of a frame are beyond dispute. Radii
//! follow from the density (the boxes' volume as a part of the room's), as in [V00 §8].

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use impinge_scene::nbody::{Cube, NBody, Pen};

/// How the bodies of a world are made and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All of one size, anywhere in the room.
    Uniform,
    /// Sizes from 1 to 100, each order of magnitude equally often (log-uniform): few boxes have
    /// nearly all of the volume.
    Spread,
    /// Sizes from 1 to 100 by the power law s⁻⁴: each order of magnitude has as much volume.
    SpreadPower,
    /// Nine in ten bodies within a cube of 1 % of the room, which they do not leave.
    Clustered,
    /// All in a layer of twice their size; the density is that of the layer.
    Flat,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Uniform, Self::Spread, Self::SpreadPower, Self::Clustered, Self::Flat];

    /// The name in `kind=NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Spread => "spread",
            Self::SpreadPower => "spread-power",
            Self::Clustered => "clustered",
            Self::Flat => "flat",
        }
    }
}

/// What world to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// How bodies are made and placed.
    pub kind: Kind,
    /// How many bodies; at most [`BODIES_MAX`].
    pub n: usize,
    /// The volume of all boxes as a part of the room's.
    pub density: f64,
    /// How far a body moves in a frame, in radii.
    pub speed: f64,
    /// Another world of the same kind.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { kind: Kind::Uniform, n: 1000, density: 0.025, speed: 0.1, seed: 1 }
    }
}

/// As many bodies as a world may have.
pub const BODIES_MAX: usize = 10_000_000;
/// The name for `sample:nbody?…`.
pub const NAME: &str = "nbody";
/// What can be set besides `kind`.
pub static PARAMETERS: [Parameter; 4] = [
    Parameter::count("n", "bodies", [1000, 1, BODIES_MAX as u32]),
    Parameter::real("density", "volume of all boxes, part of the room's", [0.025, 1e-6, 100.0]),
    Parameter::real("speed", "way in a frame, in radii", [0.1, 0.0, 100.0]),
    Parameter::count("seed", "another world of the same kind", [1, 0, 1_000_000]),
];

/// The room's side.
const SIDE: i32 = 1 << 23;
/// The cluster's side: a hundredth of the volume.
const CLUSTER_SIDE: i32 = 1_807_270;
/// The largest size where sizes differ; the smallest is one.
const SPREAD: f64 = 100.0;

/// The world that a text like `nbody?kind=spread&n=1000` names.
pub fn build(text: &str) -> Result<NBody, SampleError> {
    let (name, settings) = text.split_once('?').unwrap_or((text, ""));
    if name != NAME {
        return Err(SampleError::UnknownName { name: name.to_owned(), known: NAME.to_owned() });
    }
    let mut kinds = settings.split('&').filter_map(|item| item.strip_prefix("kind="));
    let kind = match (kinds.next(), kinds.next()) {
        (_, Some(_)) => return Err(SampleError::Twice { sample: NAME, parameter: "kind" }),
        (Some(wanted), None) => kind_of(wanted)?,
        (None, None) => Kind::Uniform,
    };
    let numbers: Vec<&str> =
        settings.split('&').filter(|item| !item.starts_with("kind=")).collect();
    let values = Values::read(NAME, &PARAMETERS, &numbers.join("&"))?;
    world(&Params {
        kind,
        n: values.whole("n") as usize,
        density: values.real("density"),
        speed: values.real("speed"),
        seed: u64::from(values.whole("seed")),
    })
}

fn kind_of(wanted: &str) -> Result<Kind, SampleError> {
    Kind::ALL.into_iter().find(|kind| kind.name() == wanted).ok_or_else(|| {
        let known = Kind::ALL.map(Kind::name).join(", ");
        let needed = format!("there is no kind `{wanted}`; known are {known}");
        SampleError::Conflict { sample: NAME, needed }
    })
}

/// Makes a world.
pub fn world(params: &Params) -> Result<NBody, SampleError> {
    let conflict = |needed| SampleError::Conflict { sample: NAME, needed };
    if !(1..=BODIES_MAX).contains(&params.n) {
        return Err(conflict(format!("{} bodies; 1 to {BODIES_MAX} bodies are needed", params.n)));
    }
    let mut random = Random(params.seed);
    let radii = radii(params, &mut random);
    let largest = radii.iter().copied().fold(0, i32::max);
    let pen = pen(params, largest, &mut random);
    let widths = pen.iter().flat_map(|pen| [0, 1, 2].map(|k| pen.max[k] - pen.min[k]));
    // Four more on each side leave a choice of places on the grid of fours.
    let most = widths.fold(SIDE, i32::min) / 2 - 4;
    if largest > most {
        return Err(conflict(format!(
            "with {} bodies at density {} the largest has radius {largest} of the room's {SIDE} \
             steps; at most {most} is possible (more bodies, or a lower density)",
            params.n, params.density
        )));
    }
    let bodies = radii.iter().enumerate().map(|(i, &r)| {
        let room = Pen { bodies: usize::MAX, min: [0; 3], max: [SIDE; 3] };
        let walls = pen.filter(|pen| i < pen.bodies).unwrap_or(room);
        // From the first to the last multiple of four within the walls.
        let place = |k: usize, random: &mut Random| {
            4 * random.between((walls.min[k] + r + 3) / 4, (walls.max[k] - r) / 4)
        };
        let p = [0, 1, 2].map(|k| place(k, &mut random));
        let step = params.speed * f64::from(r) / 4.0;
        let v = random.direction().to_array().map(|d| 4 * (d * step).round() as i32);
        Cube { p, v, r }
    });
    let bodies = bodies.collect();
    Ok(NBody { side: SIDE, scale: scale(&radii), bodies, pen })
}

/// Where some bodies are kept.
fn pen(params: &Params, largest: i32, random: &mut Random) -> Option<Pen> {
    match params.kind {
        Kind::Clustered => {
            let min = [0; 3].map(|_| random.between(0, SIDE - CLUSTER_SIDE));
            let bodies = params.n - params.n / 10;
            Some(Pen { bodies, min, max: min.map(|x| x + CLUSTER_SIDE) })
        }
        Kind::Flat => {
            let (low, high) = (SIDE / 2 - 2 * largest, SIDE / 2 + 2 * largest);
            Some(Pen { bodies: params.n, min: [0, 0, low], max: [SIDE, SIDE, high] })
        }
        Kind::Uniform | Kind::Spread | Kind::SpreadPower => None,
    }
}

/// A power of two that makes the mean radius about one world unit.
fn scale(radii: &[i32]) -> i32 {
    let mean = radii.iter().map(|&r| i64::from(r)).sum::<i64>() / radii.len().max(1) as i64;
    let ratio = (i64::from(SIDE) / mean.max(1)).max(1) as u64;
    1 << ratio.ilog2()
}

/// The radius of each body: the sizes that the kind asks for, all grown alike until the boxes have
/// the volume that the density asks for.
fn radii(params: &Params, random: &mut Random) -> Vec<i32> {
    let sizes: Vec<f64> = (0..params.n)
        .map(|_| match params.kind {
            Kind::Spread => SPREAD_POWERS.power(random.unit()),
            // The part of the bodies that are smaller than s is (1 − s⁻³) / (1 − SPREAD⁻³).
            Kind::SpreadPower => {
                let part = random.unit() * (1.0 - 1.0 / (SPREAD * SPREAD * SPREAD));
                cube_root(1.0 / (1.0 - part))
            }
            _ => 1.0,
        })
        .collect();
    let side = f64::from(SIDE);
    let unit = match params.kind {
        // A layer of four radii: 8 n r³ = density · side² · 4 r.
        Kind::Flat => side * (params.density / (2.0 * params.n as f64)).sqrt(),
        _ => {
            let cubes: f64 = sizes.iter().map(|s| s * s * s).sum();
            side * cube_root(params.density / (8.0 * cubes))
        }
    };
    sizes.iter().map(|s| (s * unit).min(side) as i32 / 4 * 4 + 1).collect()
}

/// `SPREAD` to the powers 1/2, 1/4, 1/8 …, by square roots alone.
struct Powers([f64; 24]);

static SPREAD_POWERS: std::sync::LazyLock<Powers> = std::sync::LazyLock::new(|| {
    let mut power = SPREAD;
    Powers(std::array::from_fn(|_| {
        power = power.sqrt();
        power
    }))
});

impl Powers {
    /// `SPREAD` to the power of `exponent`, a number from 0 to 1, as far as 24 binary digits tell.
    fn power(&self, exponent: f64) -> f64 {
        let (mut left, mut product) = (exponent, 1.0);
        for power in self.0 {
            left *= 2.0;
            if left >= 1.0 {
                left -= 1.0;
                product *= power;
            }
        }
        product
    }
}

/// The cube root of a positive number, by halving: the same bits everywhere, unlike a library's.
pub(crate) fn cube_root(x: f64) -> f64 {
    let (mut low, mut high) = (0.0, x.max(1.0));
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if middle * middle * middle <= x {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(kind: Kind, n: usize) -> NBody {
        world(&Params { kind, n, ..Params::default() }).unwrap()
    }

    #[test]
    fn boxes_have_the_volume_that_was_asked_for() {
        for kind in [Kind::Uniform, Kind::Spread, Kind::SpreadPower, Kind::Clustered] {
            for (n, density) in [(100, 0.05), (5000, 0.025), (5000, 2.5)] {
                let world = world(&Params { kind, n, density, ..Params::default() }).unwrap();
                let edges = world.bodies.iter().map(|body| 2.0 * f64::from(body.r));
                let volume: f64 = edges.map(|edge| (edge / f64::from(SIDE)).powi(3)).sum();
                assert!((volume / density - 1.0).abs() < 0.02, "{kind:?} {n}: {volume}");
            }
        }
        let flat = made(Kind::Flat, 1000);
        let r = f64::from(flat.bodies[0].r) / f64::from(SIDE);
        assert!((8.0 * 1000.0 * r.powi(3) / (4.0 * r) / 0.025 - 1.0).abs() < 0.01);
    }

    #[test]
    fn sizes_are_spread_as_told() {
        let part_below = |kind, bound: f64| {
            let mut sizes: Vec<i32> = made(kind, 20_000).bodies.iter().map(|b| b.r).collect();
            sizes.sort_unstable();
            let least = f64::from(sizes[0]);
            assert!(f64::from(sizes[19_999]) / least > 10.0, "{kind:?}");
            sizes.iter().filter(|&&r| f64::from(r) < bound * least).count() as f64 / 20_000.0
        };
        assert!((part_below(Kind::Spread, 10.0) - 0.5).abs() < 0.02);
        assert!((part_below(Kind::SpreadPower, 2.0) - 0.875).abs() < 0.02);
    }

    #[test]
    fn bodies_stay_where_they_belong_and_never_just_touch() {
        for kind in Kind::ALL {
            let mut world =
                world(&Params { kind, n: 300, speed: 0.5, ..Params::default() }).unwrap();
            for _ in 0..200 {
                world.step();
            }
            for (i, a) in world.bodies.iter().enumerate() {
                let pen = world.pen.filter(|pen| i < pen.bodies);
                for k in 0..3 {
                    let (low, high) = pen.map_or((0, SIDE), |pen| (pen.min[k], pen.max[k]));
                    assert!(low <= a.p[k] - a.r && a.p[k] + a.r <= high, "{kind:?} {i}");
                    let apart = |b: &Cube| (a.p[k] - b.p[k]).abs() != a.r + b.r;
                    assert!(world.bodies.iter().all(apart), "{kind:?}");
                }
                let exact = |(x, k): (f32, usize)| {
                    let side = if k < 3 { -a.r } else { a.r };
                    let unit = f64::from(world.scale) / f64::from(SIDE);
                    f64::from(x) == f64::from(a.p[k % 3] + side) * unit
                };
                assert!(world.aabb(i).into_iter().zip(0..).all(exact), "{kind:?}");
            }
        }
    }

    #[test]
    fn worlds_are_decided_by_their_seed() {
        for kind in Kind::ALL {
            let with = |seed| world(&Params { kind, seed, ..Params::default() }).unwrap();
            assert_eq!(with(3), with(3));
            assert_ne!(with(3).bodies, with(4).bodies);
        }
        let named = build("nbody?kind=clustered&n=70&density=0.05&speed=0&seed=9").unwrap();
        let params = Params { kind: Kind::Clustered, n: 70, density: 0.05, speed: 0.0, seed: 9 };
        assert_eq!(named, world(&params).unwrap());
        assert!(named.bodies.iter().all(|body| body.v == [0; 3]));
        assert_eq!(build("nbody").unwrap(), made(Kind::Uniform, 1000));
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        let message = |text: &str| build(text).unwrap_err().to_string();
        assert!(message("nbody?kind=flatt").contains("known are uniform, spread, spread-power"));
        assert!(message("nbody?n=0").contains("from 1 to 10000000"));
        assert!(message("nbody?n=1&density=50").contains("more bodies, or a lower"));
        let none = world(&Params { n: 0, ..Params::default() }).unwrap_err();
        assert!(none.to_string().contains("1 to 10000000 bodies"));
        assert!(message("nbody?kind=flat&kind=flat").contains("twice"));
        assert!(message("nbody?size=1").contains("it has n, density, speed, seed"));
        assert!(message("room").contains("known are nbody"));
    }

    #[test]
    fn roots_and_powers_are_right() {
        for x in [1e-9, 0.3, 1.0, 8.0, 1e6] {
            assert!((cube_root(x) / f64::cbrt(x) - 1.0).abs() < 1e-12, "{x}");
        }
        for e in [0.0, 0.25, 0.7, 0.999_999] {
            assert!((SPREAD_POWERS.power(e) / SPREAD.powf(e) - 1.0).abs() < 1e-5, "{e}");
        }
    }
}
