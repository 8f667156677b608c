//! First contact of a vertex and a triangle, or of two edges, whose corners move in straight lines,
//! each at its own steady speed [E99 §4]; what deforming meshes are made of.
//!
//! Two features can only touch when their four corners lie in one plane. So the way leads from one
//! instant at which they do to the next (`cubic`), and there the contact is proven, or a direction
//! is found in which the features are apart, and stay so for a while (`frame`). Every sign that
//! decides is larger than a bound of its rounding; the few questions that remain open go to exact
//! arithmetic (`exact`).
//!
//! Time: most queries end after some comparisons or a bound of the cubic; a contact takes two or
//! three hundred nanoseconds, the exact search a few microseconds. Only the latter asks for
//! memory.
//!
//! Nothing here knows meshes, and which pairs are worth a query is decided elsewhere.

mod cells;
mod cubic;
mod exact;
mod frame;
mod instant;
mod whole;

use crate::Point;
use cubic::Cubic;
use exact::{Search, Verdict};
use frame::{Edges, Face, Frame, Kind, View};

/// What is asked of a pair of features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ask {
    /// How long the interval that holds the time of the contact may be.
    pub tolerance: f64,
    /// What happens later is not looked at; from 0 to 1.
    pub end: f64,
}

impl Default for Ask {
    fn default() -> Self {
        Self { tolerance: 1e-6, end: 1.0 }
    }
}

/// What became of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// They do not touch: proven.
    Free {
        /// Whether it took exact arithmetic.
        exact: bool,
    },
    /// They do, or exact arithmetic came to its limits and could not tell it from a contact.
    Contact(LinearContact),
}

/// The first contact of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearContact {
    /// Nothing touches before the first time; something does at or before the second, or comes as
    /// near as `within`.
    pub time: [f64; 2],
    /// The weights of the four corners, in the order they were given, in the common point. Those of
    /// either feature are not negative and add up to one.
    pub weights: [f64; 4],
    /// The unit direction from the first feature to the second in which they meet.
    pub normal: Point,
    /// How near they are proven to come: zero where a common point is proven.
    pub within: f64,
    /// Whether it took exact arithmetic.
    pub exact: bool,
    /// Whether the interval is longer than was asked for.
    pub wide: bool,
}

/// The first contact of a vertex with a triangle: the vertex comes first, then the three corners.
pub fn vertex_face(start: &[Point; 4], end: &[Point; 4], ask: &Ask) -> Outcome {
    first::<Face>(start, end, ask)
}

/// The first contact of two edges: the ends of the first edge, then those of the second.
pub fn edge_edge(start: &[Point; 4], end: &[Point; 4], ask: &Ask) -> Outcome {
    first::<Edges>(start, end, ask)
}

/// So many instants in one plane are looked at before exact arithmetic takes over.
const STEPS_MAX: usize = 24;

/// How far rounded arithmetic came.
enum Found {
    Free,
    Contact(LinearContact),
    /// Nothing touches before this time; what happens there is open.
    Open(f64),
}

#[inline]
fn first<K: Kind>(start: &[Point; 4], end: &[Point; 4], ask: &Ask) -> Outcome {
    if frame::apart_on_an_axis::<K>(start, end) {
        return Outcome::Free { exact: false };
    }
    let frame = Frame::<K>::new(start, end);
    let cubic = Cubic::new(&frame);
    if cubic.is_clear() {
        return Outcome::Free { exact: false };
    }
    match search(&frame, &cubic, ask) {
        Found::Free => Outcome::Free { exact: false },
        Found::Contact(contact) => Outcome::Contact(contact),
        Found::Open(time) => {
            let span = [time, ask.end];
            let axis = frame.at(time).axis();
            let search = Search { start, end, span, tolerance: ask.tolerance, axis };
            settle(&frame, &exact::decide::<K>(&search), ask)
        }
    }
}

/// What the exact search makes of the matter.
#[cold]
fn settle<K: Kind>(frame: &Frame<K>, verdict: &Verdict, ask: &Ask) -> Outcome {
    let &Verdict::Contact { time, proven } = verdict else { return Outcome::Free { exact: true } };
    let (weights, normal, near) = frame.at(time[0]).meeting();
    Outcome::Contact(LinearContact {
        time,
        weights,
        normal,
        within: if proven { 0.0 } else { near },
        exact: true,
        wide: time[1] - time[0] > ask.tolerance,
    })
}

fn search<K: Kind>(frame: &Frame<K>, cubic: &Cubic, ask: &Ask) -> Found {
    let mut time = 0.0;
    for _ in 0..STEPS_MAX {
        time = cubic.clear_until(time, ask.end);
        if time > ask.end {
            return Found::Free;
        }
        let view = frame.at(time);
        if view.is_inside(0.0) {
            return contact(&view, cubic, ask).map_or(Found::Open(time), Found::Contact);
        }
        let next = frame.apart_until(&view);
        if next > ask.end {
            return Found::Free;
        }
        if next <= time {
            return Found::Open(time);
        }
        time = next;
    }
    Found::Open(time)
}

/// The contact right after the time of the view, if rounding leaves no doubt of it: the corners
/// pass through a common plane, and meanwhile the features cross each other.
fn contact<K: Kind>(view: &View<K>, cubic: &Cubic, ask: &Ask) -> Option<LinearContact> {
    let time = view.time;
    let crossed = cubic.crossed(time, (time + ask.tolerance).min(ask.end))?;
    if !view.is_inside(crossed.time - time) {
        return None;
    }
    Some(LinearContact {
        time: [time, crossed.time],
        weights: view.weights(),
        normal: view.normal(crossed.side),
        within: 0.0,
        exact: false,
        wide: crossed.time - time > ask.tolerance,
    })
}
