//! What is turned about an axis: covers, bulbs and, over an outline that is not round, the lens.

use super::cut::{Cut, steps};
use super::shell::{FLANGE, Outline, RIM};
use super::weld::Weld;
use super::{HEIGHT, Neck, WIDTH};
use crate::error::SampleError;
use crate::turn::turn;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// The collar of a neck along z: its outer end, the lip that lugs are held by, and the shoulder.
pub(super) const NECK_END: f64 = -12.0;
pub(super) const LIP: f64 = -9.0;
const SHOULDER: f64 = -3.0;
/// The outside of a cover's disc, and the end of its grip.
const DISC: f64 = -16.0;
const GRIP_END: f64 = -30.0;
/// The lens is so much thinner in radius than its seat, at least.
const LENS_GAP: f64 = 1.0;

impl Neck {
    /// From the inner wall through the opening to the outer wall; the heights at both ends are
    /// those of the walls.
    pub(super) fn profile(&self, cut: Cut, slot: bool) -> Vec<[f64; 2]> {
        let [bore, groove] = [self.bore(), self.groove].map(|r| cut.corner(r));
        let lip = cut.corner(if slot { self.slot() } else { self.lip() });
        let mut profile = vec![[bore, 0.0]];
        profile.push([bore, SHOULDER]);
        profile.extend([[groove, SHOULDER], [groove, LIP], [lip, LIP], [lip, NECK_END]]);
        profile.extend([[self.outer(), NECK_END], [self.outer(), 0.0]]);
        profile
    }
}

/// A disc with a rim over the neck, a skirt with lugs in it, and a bar to turn it by. Its lugs are
/// where the slots of the neck are; its grip is along x.
pub(super) fn cover(cut: Cut, neck: &Neck) -> Result<Mesh, SampleError> {
    let gap = neck.clearance;
    let skirt = neck.lip() - gap;
    let [low, high] = [LIP + gap, SHOULDER - gap];
    let under = NECK_END - gap;
    let rim = [cut.corner(neck.outer() + gap), neck.outer() + gap + 3.0];
    let mut weld = Weld::default();
    let line = |direction: &super::cut::Direction| -> Vec<Point> {
        let [c, s] = direction.way;
        let lug = if direction.bayonet { neck.groove - 2.0 * gap } else { skirt };
        // A bar with rounded ends: a curve of the fourth order as well.
        let (x, y) = (c / (0.55 * skirt), s / 7.0);
        let bar = 1.0 / ((x * x) * (x * x) + (y * y) * (y * y)).sqrt().sqrt();
        let mut profile: Vec<[f64; 2]> = cut.along([0.0, under], [skirt - 2.5, under]).collect();
        profile.extend(cut.along([skirt - 2.5, under], [skirt - 2.5, high]));
        profile.extend([[skirt - 2.5, high], [skirt, high], [lug, high], [lug, low], [skirt, low]]);
        profile.extend([[skirt, under], [rim[0], under], [rim[0], NECK_END + 5.0]]);
        profile.extend([[rim[1], NECK_END + 5.0], [rim[1], DISC + 1.5]]);
        // The rows are as many at all angles, so their number is that of the longest.
        let [edge, foot] = [rim[1] - 1.5, bar + 2.0];
        let rows = cut.rows(rim[1]);
        profile.extend(steps(rows).map(|part| [edge + (foot - edge) * part, DISC]));
        profile.extend([[foot, DISC], [bar, DISC - 2.0]]);
        let side = steps(cut.rows(12.0)).skip(1);
        profile.extend(side.map(|part| [bar * (1.0 - 0.1 * part), DISC - 2.0 - 11.0 * part]));
        profile.extend([[0.9 * bar, GRIP_END + 1.0], [0.8 * bar, GRIP_END], [0.0, GRIP_END]]);
        profile.into_iter().map(|[r, z]| [r * c, r * s, z]).collect()
    };
    let lines: Vec<Vec<Point>> = cut.bayonet(0).iter().map(line).collect();
    weld.around(&lines);
    weld.finish()
}

/// A socket with a flange behind the reflector, and the glass in front of it.
pub(super) fn bulb(cut: Cut) -> Result<Mesh, SampleError> {
    let mut profile = vec![[0.0, 4.0], [9.0, 4.0], [10.0, 5.0]];
    profile.extend(cut.along([10.0, 5.0], [10.0, 12.0]).skip(1));
    profile.extend([[10.0, 12.0], [8.0, 13.0]]);
    profile.extend(cut.along([8.0, 13.0], [8.0, 24.0]).skip(1));
    profile.extend([[8.0, 24.0], [11.0, 25.0], [11.0, 31.0], [17.0, 31.0], [17.0, 34.0]]);
    profile.extend([[10.5, 34.0], [10.5, 38.0]]);
    profile.extend(cut.along([9.5, 40.0], [9.5, 62.0]));
    let bends = cut.rows(20.0).max(3);
    profile.extend((0..=bends).map(|i| {
        let [c, s] = turn(i, 4 * bends);
        // The tip lies exactly on the axis.
        [if i == bends { 0.0 } else { 9.5 * c }, 62.0 + 9.5 * s]
    }));
    let circle = cut.circle();
    let line = |[c, s]: &[f64; 2]| profile.iter().map(|[r, z]| [r * c, r * s, *z]).collect();
    let mut weld = Weld::default();
    weld.around(&circle.iter().map(line).collect::<Vec<Vec<Point>>>());
    weld.finish()
}

/// A dome over the seat of the housing, with a foot in it and a brim over its rim.
pub(super) fn lens(cut: Cut) -> Result<Mesh, SampleError> {
    const DOME: f64 = 36.0;
    const THICK: f64 = 3.0;
    let outline = Outline { width: WIDTH, height: HEIGHT };
    // Half the steps of the housing's two openings together go around its outline.
    let around = cut.facets + cut.facets / 2;
    let foot = 10.0 - LENS_GAP;
    let line = |i: u32| -> Vec<Point> {
        let [c, s] = turn(i, around);
        // On the unit outline, in the direction of a circle's point.
        let out = 1.0 / ((c * c) * (c * c) + (s * s) * (s * s)).sqrt().sqrt();
        let unit = [c * out, s * out];
        let at = |[grown, z]: [f64; 2]| {
            let [x, y] = outline.grown(grown).at(unit);
            [x, y, z]
        };
        let rows = cut.rows(90.0);
        let dome = |part: f64, grown: f64, lift: f64| {
            let [x, y, z] = at([grown, RIM + THICK]);
            [x * part, y * part, z + lift + DOME * (1.0 - part * part)]
        };
        let inner = foot - THICK;
        let mut line: Vec<Point> = steps(rows).map(|part| dome(part, inner, -THICK)).collect();
        line.extend([[inner, RIM], [inner, RIM - 8.0], [foot, RIM - 8.0]].map(at));
        line.extend([[foot, RIM + 0.5], [FLANGE, RIM + 0.5], [FLANGE, RIM + THICK]].map(at));
        line.push(dome(1.0, foot, 0.0));
        line.extend(steps(rows).rev().map(|part| dome(part, foot, 0.0)));
        line
    };
    let mut weld = Weld::default();
    weld.around(&(0..around).map(line).collect::<Vec<_>>());
    weld.finish()
}
