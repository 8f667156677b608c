//! Bodies are reflected by the normals of the faces that meet [K98 §4.3].
//!
//! Along the common normal their closing speed is turned round, each taking a part after its mass; what
//! is across stays, and so does their turning. What is not free reflects with the velocity of its
//! surface at the place of the contact, so that a hand pushes what it touches.

use super::manifold::{Hit, Spot};
use crate::columns::{Columns, point};
use crate::frame::{Collision, Other};
use glam::DVec3;

/// Answers to two bodies that touch; nothing if they do not approach each other.
pub(crate) fn answer(
    columns: &mut Columns,
    hit: &Hit,
    spots: &[Spot],
    restitution: f64,
) -> Option<Collision> {
    let [a, b] = hit.pair;
    let middle = spots.iter().map(|spot| spot.point).sum::<DVec3>() / spots.len() as f64;
    let surface = |i: usize| {
        let free = columns.inverse_mass[i] > 0.0;
        if free { columns.velocity[i] } else { columns.velocity_at(i, middle) }
    };
    let closing = (surface(a) - surface(b)).dot(hit.normal);
    let give = columns.inverse_mass[a] + columns.inverse_mass[b];
    if closing <= 0.0 || give == 0.0 {
        return None;
    }
    let impulse = hit.normal * ((1.0 + restitution) * closing / give);
    let shares = [-columns.inverse_mass[a], columns.inverse_mass[b]];
    columns.velocity[a] += impulse * shares[0];
    columns.velocity[b] += impulse * shares[1];
    Some(Collision { body: a, with: Other::Body(b), speed: closing, point: point(middle) })
}
