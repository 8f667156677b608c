//! What bodies do when they meet: one file per response.

pub(crate) mod exchange;
pub(crate) mod impulse;
pub(crate) mod manifold;
pub(crate) mod reflect;

use crate::columns::{Columns, point};
use crate::frame::{Collision, Other};

/// Two bodies that met, at the middle between their centres.
fn between(columns: &Columns, [a, b]: [usize; 2], speed: f64) -> Collision {
    let middle = 0.5 * (columns.place[a] + columns.place[b]);
    Collision { body: a, with: Other::Body(b), speed, point: point(middle) }
}
