//! A machine of hundreds of parts with known clashes and clearances, in millimetres.
//!
//! Stations stand on a grid, each turned by another angle: a plate with bolts, washers and nuts, a
//! bearing with balls on a shaft, two meshing gears, a spring, a hose in a clamp, an insert cast
//! into a boss, all under a cover (`station.rs`). Round parts are prisms over regular polygons whose
//! *facets* have the radius that a drawing would state, and coaxial ones are aligned, so that the
//! gap between shaft and hole is the difference of radii whatever the number of facets.
//! What touches lies in one plane z, which no pose of a station changes by a bit.
//!
//! [`Assembly::known`] is the whole truth up to 1 mm: a pair that is not in it is further apart.

mod parts;
mod plate;
mod station;

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::turn::turn;
use crate::{Part, SampleScene};
use impinge_geom::pose::Pose;
use impinge_scene::units::Unit;
use station::{PARTS_PER_STATION, Station};
use std::collections::BTreeMap;

/// The name of the sample.
pub const NAME: &str = "assembly";
/// Pairs that are closer than this, in millimetres, are listed in [`Assembly::known`].
pub const KNOWN_BELOW: f64 = 1.0;
/// Parts of an assembly.
const PARTS_MAX: u32 = 10_000;
/// From the middle of one station to that of the next; a plate reaches 77 from its middle.
const SPACING: f64 = 160.0;
/// Facets are multiples of this.
const FACETS_STEP: u32 = 8;

/// What assembly to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// How many parts.
    pub parts: u32,
    /// How many faces, of all parts together. Some percent less where the count cannot be met; more
    /// where the parts need them.
    pub faces: u32,
    /// Another assembly of the same kind.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { parts: 300, faces: 500_000, seed: 1 }
    }
}

/// An assembly, and what is known of it.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The parts.
    pub scene: SampleScene,
    /// All pairs that touch or are closer than [`KNOWN_BELOW`], sorted.
    pub known: Vec<Known>,
}

/// What is known of two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Their places in the list of parts; the lower one first.
    pub pair: [usize; 2],
    /// How they are to each other.
    pub relation: Relation,
}

/// How two parts are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// They overlap.
    Clash,
    /// They lie on each other in one plane, without overlap.
    Touch,
    /// The second of the pair is sealed within the first.
    Inside,
    /// They are apart.
    Gap {
        /// Not closer than this.
        at_least: f64,
        /// Not further than this.
        at_most: f64,
    },
}

/// How fine the parts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Detail {
    /// Facets of everything round; a multiple of [`FACETS_STEP`].
    facets: u32,
    /// Rows along everything long: turns of threads, bands of mantles, steps of hoses.
    rows: u32,
}

impl Assembly {
    /// Makes an assembly.
    pub fn new(params: &Params) -> Result<Self, SampleError> {
        let &Params { parts, faces, seed } = params;
        if !(2..=PARTS_MAX).contains(&parts) {
            let needed = format!("{parts} parts; 2 to {PARTS_MAX} parts are needed");
            return Err(SampleError::Conflict { sample: NAME, needed });
        }
        crate::surface::check_faces(NAME, u64::from(faces))?;
        let station = Station::new(choose_detail(parts, u64::from(faces)))?;
        let mut random = Random(seed);
        let (mut list, mut known) = (Vec::new(), Vec::new());
        let parts = parts as usize;
        let columns = (1..).find(|c| c * c * PARTS_PER_STATION >= parts).unwrap_or(1);
        for number in 0..parts.div_ceil(PARTS_PER_STATION) {
            let [x, y] = [number % columns, number / columns].map(|k| k as f64 * SPACING);
            let [c, s] = turn(random.between(0, 359) as u32, 720);
            let place = Pose::new([c, 0.0, 0.0, s], [x, y, 0.0]).expect("a place in the machine");
            let built = station.build(&mut random);
            let first = list.len();
            list.extend(built.parts.into_iter().map(|part| Part {
                name: format!("{}-{}", part.name, number + 1),
                pose: place.after(&part.pose),
                mesh: part.mesh,
            }));
            known.extend(
                built
                    .known
                    .into_iter()
                    .map(|known| Known { pair: known.pair.map(|part| part + first), ..known }),
            );
        }
        list.truncate(parts);
        known.retain(|known| known.pair[1] < parts);
        known.sort_by_key(|known| known.pair);
        Ok(Self {
            scene: SampleScene {
                unit: Unit::Mm,
                parts: list,
                fit: None,
                frames: BTreeMap::new(),
                sim: None,
            },
            known,
        })
    }
}

/// The finest cut that needs no more faces: first facets, then rows for what is left.
fn choose_detail(parts: u32, faces: u64) -> Detail {
    // What the grid of coordinates is too coarse for counts as too many faces.
    let fits = |detail: Detail| match Station::new(detail) {
        Ok(station) => {
            let counts = station.face_counts();
            (0..parts as usize).map(|i| counts[i % PARTS_PER_STATION]).sum::<u64>() <= faces
        }
        Err(_) => false,
    };
    // Rows keep their share as facets grow.
    let cut = |steps: u32| Detail { facets: FACETS_STEP * steps, rows: 2 * steps };
    let steps = last_true(|steps| fits(cut(steps)));
    let Detail { facets, rows } = cut(steps);
    let more = last_true(|more| fits(Detail { facets, rows: rows + more }));
    Detail { facets, rows: if more > 1 { rows + more } else { rows } }
}

/// The largest number that `holds` is true for, which then is true for all below; 1 if there is none.
fn last_true(holds: impl Fn(u32) -> bool) -> u32 {
    let mut high = 2;
    while high < 1 << 16 && holds(high) {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// What can be set.
pub(crate) static PARAMETERS: [Parameter; 3] = [
    Parameter::count("parts", "parts", [300, 2, PARTS_MAX]),
    Parameter::count("faces", "faces of all parts together, about", [500_000, 1, 10_000_000]),
    Parameter::count("seed", "another assembly of the same kind", [1, 0, 1_000_000]),
];

/// The assembly as a scene.
pub(crate) fn scene(values: &Values) -> Result<SampleScene, SampleError> {
    let params = Params {
        parts: values.whole("parts"),
        faces: values.whole("faces"),
        seed: u64::from(values.whole("seed")),
    };
    Ok(Assembly::new(&params)?.scene)
}

#[cfg(test)]
mod tests;
