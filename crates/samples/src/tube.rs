//! Tubes closed in a ring: tori and torus knots.

use crate::error::SampleError;
use crate::parameter::Values;
use crate::surface::{Surface, check_faces};
use crate::turn::turn;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// How a tube is cut: along its way, and around it.
#[derive(Clone, Copy)]
struct Cut {
    segments: u32,
    sides: u32,
}

impl Cut {
    fn read(values: &Values) -> Result<Self, SampleError> {
        let cut = Self { segments: values.whole("segments"), sides: values.whole("sides") };
        check_faces(values.sample, 2 * u64::from(cut.segments) * u64::from(cut.sides))?;
        Ok(cut)
    }

    /// The tube around a closed line, given at every segment by its point and two directions across
    /// it: the way of the line, the first and the second are a right-handed frame.
    fn tube(self, radius: f64, line: impl Iterator<Item = [DVec3; 3]>) -> Surface {
        let circle: Vec<[f64; 2]> = (0..self.sides).map(|j| turn(j, self.sides)).collect();
        let at = |[center, across, along]: [DVec3; 3], [c, s]: [f64; 2]| -> Point {
            (center + across * (radius * c) + along * (radius * s)).to_array()
        };
        let vertices = line.flat_map(|frame| circle.iter().map(move |&cs| at(frame, cs)));
        Surface::looped(vertices.collect(), self.segments, self.sides)
    }
}

/// A ring about the z axis.
pub(crate) fn torus(values: &Values) -> Result<Mesh, SampleError> {
    let (ring, thickness) = (values.real("ring"), values.real("thickness"));
    if thickness >= ring {
        return Err(values.conflict(format!(
            "the thickness {thickness} must be smaller than the ring {ring}, else it meets itself"
        )));
    }
    let cut = Cut::read(values)?;
    let line = (0..cut.segments).map(|i| {
        let [c, s] = turn(i, cut.segments);
        let outward = DVec3::new(c, s, 0.0);
        [outward * ring, outward, DVec3::NEG_Z]
    });
    cut.tube(thickness, line).finish(values.sample, [ring + thickness; 3])
}

/// A tube along a line that winds `p` times about the z axis and `q` times about a ring.
/// The line lies on a torus, whose normal keeps the tube from twisting.
pub(crate) fn knot(values: &Values) -> Result<Mesh, SampleError> {
    let (p, q) = (values.whole("p"), values.whole("q"));
    if common_divisor(p, q) != 1 {
        return Err(values.conflict(format!(
            "p = {p} and q = {q} must have no common divisor, else the tube covers itself"
        )));
    }
    let [ring, winding, thickness] = ["ring", "winding", "thickness"].map(|name| values.real(name));
    if thickness >= winding || winding + thickness >= ring {
        return Err(values.conflict(format!(
            "the thickness {thickness} must be smaller than the winding {winding}, and both \
             together smaller than the ring {ring}, else the tube meets itself"
        )));
    }
    let strands = strand_distance([p, q], [ring - winding, winding]);
    if 2.0 * thickness >= strands {
        return Err(values.conflict(format!(
            "with p = {p} and q = {q} the strands are {strands:.3} apart on the inner side; twice \
             the thickness {thickness} must be smaller, else the tube meets itself"
        )));
    }
    let cut = Cut::read(values)?;
    let needed = SEGMENTS_PER_WINDING * p.max(q);
    if cut.segments < needed {
        let found = cut.segments;
        return Err(values.conflict(format!(
            "{found} segments are too few for p = {p} and q = {q}; at least {needed} are needed"
        )));
    }
    let line = (0..cut.segments).map(|i| {
        let around = |times: u32| {
            let steps = u64::from(i) * u64::from(times) % u64::from(cut.segments);
            turn(steps as u32, cut.segments)
        };
        let ([cp, sp], [cq, sq]) = (around(p), around(q));
        let outward = DVec3::new(cp, sp, 0.0);
        let normal = outward * cq + DVec3::Z * sq;
        let center = outward * ring + normal * winding;
        let (speed_p, speed_q) = (f64::from(p) * (ring + winding * cq), f64::from(q) * winding);
        let way = DVec3::new(-sp, cp, 0.0) * speed_p + (DVec3::Z * cq - outward * sq) * speed_q;
        let way = way.normalize();
        let across = (normal - way * normal.dot(way)).normalize();
        [center, across, way.cross(across)]
    });
    let size = ring + winding + thickness;
    cut.tube(thickness, line).finish(values.sample, [size; 3])
}

/// With fewer segments for each winding, straight pieces cut corners and the tube meets itself.
const SEGMENTS_PER_WINDING: u32 = 8;

/// How far apart neighbouring strands of a knot run where they are closest, on the inner side of
/// the torus: unrolled, they are parallel lines, `p` across one side of a rectangle and `q` across
/// the other.
fn strand_distance([p, q]: [u32; 2], [inner, winding]: [f64; 2]) -> f64 {
    let turn = std::f64::consts::TAU;
    turn * inner * winding / (f64::from(p) * inner).hypot(f64::from(q) * winding)
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
