//! When four moving corners lie in one plane: the roots of a cubic, with its rounding.
//!
//! The volume of the corners is a cubic of time, kept by its Bézier coefficients over the whole
//! motion, since those bound it: as long as all coefficients over an interval are on one side of
//! zero, so is the cubic [Farin 2002 §5].

use super::frame::{Frame, Kind};

/// u, the largest relative error of one operation.
const U: f64 = 0.5 * f64::EPSILON;
/// Rounds a time that was worked out by up to six operations down for certain.
pub(super) const DOWN: f64 = 1.0 - 8.0 * U;
/// So many pieces of the cubic are looked at in one search.
const CLIPS_MAX: usize = 64;

/// The volume of the corners over time.
pub(super) struct Cubic {
    coefficients: [f64; 4],
    /// What is nearer to zero than this may have either sign, in a coefficient over any interval
    /// and in a value at any time.
    slack: f64,
}

/// The other side of the plane.
pub(super) struct Crossed {
    pub(super) time: f64,
    /// The sign of the cubic before it was crossed.
    pub(super) side: f64,
}

impl Cubic {
    #[inline]
    pub(super) fn new<K: Kind>(frame: &Frame<K>) -> Self {
        let [s, e] = [&frame.start, &frame.end];
        let (first, last) = (s.p.cross(s.q), e.p.cross(e.q));
        let middle = s.p.cross(e.q) + e.p.cross(s.q);
        let coefficients = [
            s.r.dot(first),
            (e.r.dot(first) + s.r.dot(middle)) * (1.0 / 3.0),
            (s.r.dot(last) + e.r.dot(middle)) * (1.0 / 3.0),
            e.r.dot(last),
        ];
        // Each coefficient is a mean of at most three sums of six products of three differences,
        // so that none of its terms, taken together, exceeds 6 V, V being the product of the largest
        // parts. A term passes at most 12 roundings (3 differences, 2 products, 5 sums, 2 for the
        // third): 72 u V. Coefficients over an interval, and values, are made by three
        // interpolations in turn, of 3 roundings each, of numbers up to 6 V: 54 u V. Together less than 192.
        // What underflows is far below the last summand.
        let slack = 192.0 * U * frame.volume() + f64::MIN_POSITIVE;
        Self { coefficients, slack }
    }

    /// Whether the corners are never in one plane.
    #[inline]
    pub(super) fn is_clear(&self) -> bool {
        let [a, b, c, d] = self.coefficients;
        a.min(b).min(c.min(d)) > self.slack || a.max(b).max(c.max(d)) < -self.slack
    }

    /// The value at a time.
    #[inline]
    fn value(&self, t: f64) -> f64 {
        value(&self.coefficients, t)
    }

    /// The corners are in no common plane from `from` up to and without what is returned; infinite
    /// if they are not until the end, either.
    pub(super) fn clear_until(&self, from: f64, end: f64) -> f64 {
        let mut local = if from == 0.0 && end == 1.0 {
            self.coefficients
        } else {
            piece(&self.coefficients, from, end)
        };
        if local[0] < 0.0 {
            local = local.map(|x| -x);
        }
        if local[0] <= self.slack {
            return from;
        }
        if least(&local) > self.slack {
            return f64::INFINITY;
        }
        if passes_once(&local)
            && let Some(place) = self.before_root(&local)
        {
            return ((from + place * (end - from)) * DOWN).max(from);
        }
        self.clip(from, end)
    }

    /// A place from 0 to 1 right before the only root of a piece that begins above zero.
    #[inline]
    fn before_root(&self, piece: &[f64; 4]) -> Option<f64> {
        let (root, slope) = root(piece);
        let place = root - (2.0 * self.slack / slope.abs() + 8.0 * U);
        (place > 0.0 && least(&left(piece, place)) > self.slack).then_some(place)
    }

    /// The same as `clear_until` for any number of roots: the hull of the coefficients tells how far
    /// an interval is clear. The interval is kept as short as its last step was, since a hull is
    /// near its curve only over short intervals.
    fn clip(&self, from: f64, end: f64) -> f64 {
        let (mut time, mut width) = (from, end - from);
        for _ in 0..CLIPS_MAX {
            let until = (time + width).min(end);
            let mut local = piece(&self.coefficients, time, until);
            if local[0] < 0.0 {
                local = local.map(|x| -x);
            }
            let share = clear_share(&local.map(|x| x - self.slack));
            if share == 1.0 {
                if until == end {
                    return f64::INFINITY;
                }
                (time, width) = (until, 4.0 * width);
                continue;
            }
            let next = ((time + share * (until - time)) * DOWN).max(time);
            let gain = next - time;
            if gain <= 8.0 * U * (until - time).max(time) {
                return next;
            }
            (time, width) = (next, 0.5 * gain);
        }
        time
    }

    /// A time after `from` and at most `until` at which the corners are certainly on the other side.
    pub(super) fn crossed(&self, from: f64, until: f64) -> Option<Crossed> {
        let here = self.value(from);
        let side = if here > 0.0 { 1.0 } else { -1.0 };
        if here * side <= self.slack {
            return None;
        }
        let slope = slope(&self.coefficients, from);
        let near = from + ((here.abs() + 4.0 * self.slack) / slope.abs() + 16.0 * U);
        let beyond = |time: &f64| *time <= until && self.value(*time) * side < -self.slack;
        let time = [near, until].into_iter().find(beyond)?;
        Some(Crossed { time, side })
    }
}

/// The least of four.
#[inline]
fn least(&[a, b, c, d]: &[f64; 4]) -> f64 {
    a.min(b).min(c.min(d))
}

#[inline]
fn mix(a: f64, b: f64, t: f64) -> f64 {
    (1.0 - t) * a + t * b
}

/// The value at a place.
#[inline]
pub(super) fn value(&[a, b, c, d]: &[f64; 4], t: f64) -> f64 {
    let s = 1.0 - t;
    ((a * s + 3.0 * b * t) * s + 3.0 * c * (t * t)) * s + d * (t * t * t)
}

/// The slope at a place.
#[inline]
fn slope(&[a, b, c, d]: &[f64; 4], t: f64) -> f64 {
    let s = 1.0 - t;
    3.0 * (((b - a) * s + 2.0 * (c - b) * t) * s + (d - c) * (t * t))
}

/// The coefficients over `0…t`.
#[inline]
fn left(&[a, b, c, d]: &[f64; 4], t: f64) -> [f64; 4] {
    let (ab, bc, cd) = (mix(a, b, t), mix(b, c, t), mix(c, d, t));
    let (abc, bcd) = (mix(ab, bc, t), mix(bc, cd, t));
    [a, ab, abc, mix(abc, bcd, t)]
}

/// The coefficients over `x…y`: the polar form at x and y.
pub(super) fn piece(&[a, b, c, d]: &[f64; 4], x: f64, y: f64) -> [f64; 4] {
    let at_x = [mix(a, b, x), mix(b, c, x), mix(c, d, x)];
    let at_y = [mix(a, b, y), mix(b, c, y), mix(c, d, y)];
    let xx = [mix(at_x[0], at_x[1], x), mix(at_x[1], at_x[2], x)];
    let xy = [mix(at_x[0], at_x[1], y), mix(at_x[1], at_x[2], y)];
    let yy = [mix(at_y[0], at_y[1], y), mix(at_y[1], at_y[2], y)];
    [mix(xx[0], xx[1], x), mix(xx[0], xx[1], y), mix(xy[0], xy[1], y), mix(yy[0], yy[1], y)]
}

/// Whether coefficients that begin above zero change sides once.
#[inline]
fn passes_once(&[_, b, c, d]: &[f64; 4]) -> bool {
    d < 0.0 && (b >= 0.0 || c <= 0.0)
}

/// The root of coefficients that change sides once, by Newton's method held within a bracket, and
/// the slope there. Rounding is left to the caller.
#[inline]
pub(super) fn root(piece: &[f64; 4]) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    let mut x = piece[0] / (piece[0] - piece[3]);
    let mut steep = -1.0;
    for _ in 0..12 {
        let y = value(piece, x);
        steep = slope(piece, x);
        if y > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let mut next = x - y / steep;
        if next.is_nan() || next < low || next > high {
            next = 0.5 * (low + high);
        }
        let step = (next - x).abs();
        x = next;
        // The next step would be about the square of this one.
        if step < 1e-8 {
            break;
        }
    }
    (x, steep)
}

/// The part of an interval, from its start, in which the coefficients prove a curve to be above
/// zero: up to where their hull comes down to it.
fn clear_share(coefficients: &[f64; 4]) -> f64 {
    let mut share = 1.0;
    for j in 0..4 {
        if coefficients[j] > 0.0 {
            continue;
        }
        // The lower hull may come down from any coefficient before.
        let from = |i: usize| {
            let down = coefficients[i] / (coefficients[i] - coefficients[j]);
            (i as f64 + down * (j - i) as f64) / 3.0
        };
        let least = (0..j).filter(|&i| coefficients[i] > 0.0).map(from).fold(1.0, f64::min);
        share = f64::min(share, if j == 0 { 0.0 } else { least });
    }
    share
}
