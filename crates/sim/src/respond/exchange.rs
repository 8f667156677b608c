//! Bodies that meet exchange velocities and turn the other way round [V00 §7].
//!
//! It is taken once: two whose centres do not approach each other are left alone, so that bodies that
//! still overlap after a collision part instead of exchanging again. Momentum is kept between bodies of
//! equal mass, energy always. What does not give way throws the other back.

use super::between;
use crate::columns::Columns;
use crate::frame::Collision;
use glam::DVec3;

/// Answers to two bodies that touch; nothing if they do not approach each other.
pub(crate) fn answer(columns: &mut Columns, [a, b]: [usize; 2]) -> Option<Collision> {
    let way = columns.place[b] - columns.place[a];
    let closing = columns.velocity[a] - columns.velocity[b];
    if closing.dot(way) <= 0.0 {
        return None;
    }
    let met = between(columns, [a, b], closing.dot(way) / way.length());
    let gives = |i: usize| columns.inverse_mass[i] > 0.0;
    match (gives(a), gives(b)) {
        (true, true) => columns.velocity.swap(a, b),
        (true, false) => throw_back(columns, a, b),
        (false, true) => throw_back(columns, b, a),
        (false, false) => return None,
    }
    for i in [a, b] {
        if columns.inverse_mass[i] > 0.0 {
            columns.swirl[i] = -columns.swirl[i];
        }
    }
    Some(met)
}

/// Seen from the body that does not give way, the other goes back where it came from.
fn throw_back(columns: &mut Columns, i: usize, from: usize) {
    let wall: DVec3 = columns.velocity[from];
    columns.velocity[i] = 2.0 * wall - columns.velocity[i];
}
