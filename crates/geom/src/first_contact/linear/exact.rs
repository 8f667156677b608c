//! What rounding leaves open: intervals of time, judged by whole numbers.
//!
//! An interval is free if the volume of the corners keeps its sign, or the origin stays outside of
//! one edge and inside of another as seen along an axis, or one axis parts the features; each of
//! these is a polynomial whose Bézier coefficients over the interval are worked out exactly. It
//! holds a contact if the volume changes its sign and the origin is inside of all edges throughout,
//! or if the features touch at one of its ends, or at the simplest fraction next to where they are
//! likely to. An interval that is neither is split around the root or the extreme value of the volume.
//!
//! What is left of an interval that became narrow is mostly an instant at which the features graze, or
//! meet right at a rim: a root of the volume that is also one of another polynomial (`instant`).
//!
//! Whenever two features are apart at a time, one of the three reasons holds around it. So all is
//! decided, if the limits of time (2⁻¹⁰⁴) and of work allow. What is not counts as touching.

use super::cells::{
    Cell, around, fraction_upper, grid_lower, grid_upper, simplest, split, to_grid, to_grid_up,
    to_time,
};
use super::cubic::{piece, root, value};
use super::frame::Kind;
use super::instant::{Form, Instants};
use super::whole::{Whole, odd};
use crate::Point;
use crate::predicates::Sign;
use std::cell::OnceCell;
use std::marker::PhantomData;

/// So many intervals are judged by short numbers, and as many by long ones.
const JUDGED_MAX: usize = 64;
/// So many intervals can wait for their turn: each that is split leaves two more.
const CELLS_MAX: usize = 2 + 2 * 2 * JUDGED_MAX;

/// How many bits coordinates may have, in their smallest common unit, if `short` limbs are to hold
/// their differences and `long` limbs everything, while time is counted in units of `2^-grid`.
///
/// A difference has one bit more, the volume three times that and 5 more (18 products, thrice), and
/// each of three interpolations adds one bit and those of the grid; one is for the sign.
const fn bits_max(short: i32, long: i32, grid: i32) -> i32 {
    let (differences, volumes) = (64 * short - 2, (64 * long - 3 * (grid + 1) - 9) / 3);
    if differences < volumes { differences } else { volumes }
}

/// What was found.
pub(super) enum Verdict {
    Free,
    /// Free before the first time. Something touches at or before the second if that is `proven`;
    /// else it could not be told whether something does between them.
    Contact {
        time: [f64; 2],
        proven: bool,
    },
}

/// What is asked.
pub(super) struct Search<'a> {
    pub(super) start: &'a [Point; 4],
    pub(super) end: &'a [Point; 4],
    /// Nothing touches before the first time; what is after the second does not matter.
    pub(super) span: [f64; 2],
    pub(super) tolerance: f64,
    /// The axis from which the polygon is likely to be seen best; any will do.
    pub(super) axis: usize,
}

/// Decides the search.
#[cold]
pub(super) fn decide<K: Kind>(search: &Search) -> Verdict {
    let (mut unit, mut top) = (i32::MAX, i32::MIN);
    for (size, exponent) in search.start.iter().chain(search.end).flatten().filter_map(|&x| odd(x))
    {
        unit = unit.min(exponent);
        top = top.max(exponent + 64 - size.leading_zeros() as i32);
    }
    let bits = top.saturating_sub(unit);
    let mut cells = Vec::with_capacity(CELLS_MAX);
    // Half the length of the longer numbers is enough for nearly all.
    let coarse = if bits <= bits_max(2, 7, 62) {
        Some(Motion::<K, 2, 7, 62>::new(search, unit).decide(search, &mut cells))
    } else if bits <= bits_max(2, 10, 62) {
        Some(Motion::<K, 2, 10, 62>::new(search, unit).decide(search, &mut cells))
    } else {
        None
    };
    match coarse {
        Some(Some(verdict)) => return verdict,
        Some(None) => cells.iter_mut().for_each(|cell| *cell = cell.refined(104 - 62)),
        None => {}
    }
    // All coordinates in the range of this crate have at most 653 bits.
    let fine = if bits <= bits_max(3, 12, 104) {
        Motion::<K, 3, 12, 104>::new(search, unit).decide(search, &mut cells)
    } else if bits <= bits_max(11, 40, 104) {
        Motion::<K, 11, 40, 104>::new(search, unit).decide(search, &mut cells)
    } else {
        None
    };
    fine.unwrap_or_else(|| {
        let open = cells.last().copied().unwrap_or(Cell { from: 0, to: 1 << 104 });
        let [low, high] = [grid_lower(open.from, 104), grid_upper(open.to, 104)];
        Verdict::Contact {
            time: [low.max(search.span[0]), high.min(search.span[1])],
            proven: false,
        }
    })
}

type Vector<const N: usize> = [Whole<N>; 3];

/// What can be said of an interval.
enum Judged<const N: usize> {
    Free,
    /// There is a contact in it.
    Crossed,
    /// The coefficients of the volume over it.
    Open([Whole<N>; 4]),
}

/// The turns `r × q`, `r × p` and `p × q` about an axis.
struct Turns<const N: usize> {
    /// Twice their Bézier coefficients.
    exact: [[Whole<N>; 3]; 3],
    /// The same, each rounded, relative to the largest.
    rough: [[f64; 3]; 3],
}

/// The vectors `p`, `q` and `r` of the frame at both ends, and the volume.
struct Motion<K, const D: usize, const N: usize, const GRID: i32> {
    ends: [[Vector<D>; 3]; 2],
    /// Three times its Bézier coefficients.
    volume: [Whole<N>; 4],
    /// The same, each rounded, relative to the largest.
    rough: [f64; 4],
    /// What [`Self::turns`] gives for each axis, once it was asked for.
    turns: [OnceCell<Turns<N>>; 3],
    /// The axis from which the polygon is likely to be seen best.
    axis: usize,
    kind: PhantomData<K>,
}

impl<K: Kind, const D: usize, const N: usize, const GRID: i32> Motion<K, D, N, GRID> {
    /// All of time.
    const ONE: u128 = 1 << GRID;
    /// The limbs of a time.
    const LIMBS: usize = if GRID < 64 { 1 } else { 2 };

    fn new(search: &Search, unit: i32) -> Self {
        // Plain loops here and below: what maps arrays of long numbers moves them about.
        let mut ends = [[[Whole::ZERO; 3]; 3]; 2];
        for (end, points) in ends.iter_mut().zip([search.start, search.end]) {
            for k in 0..3 {
                let part = |i: usize| Whole::new(points[i][k], unit);
                let [p, q, r] = K::spread([part(0), part(1), part(2), part(3)]);
                (end[0][k], end[1][k], end[2][k]) = (p, q, r);
            }
        }
        let [[p, q, r], [p1, q1, r1]] = &ends;
        let (first, last): (Vector<N>, Vector<N>) = (cross(p, q), cross(p1, q1));
        let middle = sum(&cross(p, q1), &cross(p1, q));
        let triple = |x: Whole<N>| x + x + x;
        let volume = [
            triple(dot(r, &first)),
            dot(r1, &first) + dot(r, &middle),
            dot(r, &last) + dot(r1, &middle),
            triple(dot(r1, &last)),
        ];
        let (rough, turns) = (guesses(&volume), Default::default());
        Self { ends, volume, rough, turns, axis: search.axis, kind: PhantomData }
    }

    /// Decides what happens in `cells`, the first on top, or if there are none, in all of the span.
    /// None if it remains open what happens in the one on top, and so in all others.
    fn decide(&self, search: &Search, cells: &mut Vec<Cell>) -> Option<Verdict> {
        let [from, end] = [to_grid(search.span[0], GRID), to_grid_up(search.span[1], GRID)];
        let tolerance = to_grid(search.tolerance.clamp(0.0, 1.0), GRID);
        if cells.is_empty() {
            // A contact, once suspected, is mostly right there.
            let near = from + tolerance / 2;
            if from < near && near < end {
                cells.extend([Cell { from: near, to: end }, Cell { from, to: near }]);
            } else {
                cells.push(Cell { from, to: end });
            }
        }
        for _ in 0..JUDGED_MAX {
            let Some(cell) = cells.pop() else { return Some(Verdict::Free) };
            let short = cell.to - cell.from <= tolerance;
            let found = |to: f64| {
                let low = grid_lower(cell.from, GRID).max(search.span[0]);
                Some(Verdict::Contact { time: [low, to.min(search.span[1])], proven: true })
            };
            let volume = match self.judge(cell) {
                Judged::Free => continue,
                Judged::Crossed if short => return found(grid_upper(cell.to, GRID)),
                Judged::Crossed => self.volume_over(cell),
                Judged::Open(volume) => volume,
            };
            for (time, corner) in [(cell.from, 0), (cell.to, 3)] {
                let near = short || time == cell.from;
                if near && volume[corner].sign() == 0 && self.touches([time, Self::ONE]) {
                    return found(grid_upper(time, GRID));
                }
            }
            // What is left open after it became narrow is mostly a matter of rims and grazes.
            let narrow = cell.to - cell.from <= tolerance.min(Self::ONE >> 40);
            match if narrow { self.touches_within(cell, &volume) } else { None } {
                Some(true) => return found(grid_upper(cell.to, GRID)),
                Some(false) => continue,
                None => {}
            }
            if cell.to - cell.from <= 1 {
                cells.push(cell);
                return None;
            }
            let centre = around(cell, self.centre(cell, &volume));
            let fraction = simplest(centre, GRID);
            if short && fraction[1] >> (GRID / 2) == 0 && self.touches(fraction) {
                return found(fraction_upper(fraction));
            }
            split(cell, centre, cells);
        }
        if cells.is_empty() { Some(Verdict::Free) } else { None }
    }

    fn volume_over(&self, cell: Cell) -> [Whole<N>; 4] {
        let [a, b, c, d] = &self.volume;
        let (x, y) = (cell.from, cell.to);
        let at_x = [Self::mix(a, b, x), Self::mix(b, c, x), Self::mix(c, d, x)];
        let at_y = [Self::mix(a, b, y), Self::mix(b, c, y), Self::mix(c, d, y)];
        let xx = [Self::mix(&at_x[0], &at_x[1], x), Self::mix(&at_x[1], &at_x[2], x)];
        let xy = [Self::mix(&at_x[0], &at_x[1], y), Self::mix(&at_x[1], &at_x[2], y)];
        let yy = [Self::mix(&at_y[0], &at_y[1], y), Self::mix(&at_y[1], &at_y[2], y)];
        [
            Self::mix(&xx[0], &xx[1], x),
            Self::mix(&xx[0], &xx[1], y),
            Self::mix(&xy[0], &xy[1], y),
            Self::mix(&yy[0], &yy[1], y),
        ]
    }

    fn judge(&self, cell: Cell) -> Judged<N> {
        if self.rough_side(cell) != 0 {
            return Judged::Free;
        }
        let volume = self.volume_over(cell);
        let signs = signs(&volume);
        if uniform(&signs) != 0 {
            return Judged::Free;
        }
        let passes = signs[0] * signs[3] <= 0;
        for turned in 0..3 {
            let axis = (self.axis + turned) % 3;
            let sides = self.insides(axis, cell);
            if sides.contains(&1) && sides.contains(&-1) {
                return Judged::Free;
            }
            if passes && uniform(&sides) != 0 {
                return Judged::Crossed;
            }
        }
        if self.apart_on_an_axis(cell) { Judged::Free } else { Judged::Open(volume) }
    }

    /// Whether the features touch within an interval, at whose ends they do not; none if it is not
    /// known.
    fn touches_within(&self, cell: Cell, volume: &[Whole<N>; 4]) -> Option<bool> {
        let touches = |all: &[Whole<N>], over: &[Whole<N>]| {
            let span = [Self::ONE, cell.from, cell.to];
            self.touches_at(&Instants::new(Form::new(all), changes(over), span), cell)
        };
        if volume.iter().any(|x| x.sign() != 0) {
            return touches(&self.volume, volume);
        }
        // They are in one plane all the time: something happens when the origin passes an edge, or
        // if all are on one line, a corner.
        let mut edges = (0..3).flat_map(|axis| (0..K::CORNERS).map(move |edge| (axis, edge)));
        let passes = |(axis, edge)| {
            let all = self.inside(axis, edge);
            touches(&all, &Self::quadratic_over(&all, cell)) == Some(true)
        };
        let ends = |(all, over): ([Whole<N>; 2], [Whole<N>; 2])| touches(&all, &over) == Some(true);
        (edges.any(passes) || self.corners_over(cell).any(ends)).then_some(true)
    }

    /// Whether the features, which are in one plane then, touch at some instants of an interval; by
    /// the same rules as [`Self::touches`].
    fn touches_at(&self, instants: &Instants, cell: Cell) -> Option<bool> {
        if instants.count == 0 {
            return Some(false);
        }
        let sign = |all: &[Whole<N>], over: &[Whole<N>]| match range(over) {
            [low, high] if low == high => Some(low),
            _ => instants.sign_of(&Form::new(all)),
        };
        for turned in 0..3 {
            let axis = (self.axis + turned) % 3;
            let mut signs = [0; 4];
            for (edge, known) in signs.iter_mut().enumerate().take(K::CORNERS) {
                let all = self.inside(axis, edge);
                *known = sign(&all, &Self::quadratic_over(&all, cell))?;
            }
            // All turns are about one direction then: an axis that sees one sees all.
            if signs != [0; 4] {
                return Some(!(signs.contains(&1) && signs.contains(&-1)));
            }
        }
        let mut signs = [0; 12];
        for (known, (all, over)) in signs.iter_mut().zip(self.corners_over(cell)) {
            *known = sign(&all, &over)?;
        }
        Some(signs.chunks(4).all(|four| uniform(&four[..K::CORNERS]) == 0))
    }

    /// Twice the Bézier coefficients of how far the origin is inside of an edge, seen along an axis.
    fn inside(&self, axis: usize, edge: usize) -> [Whole<N>; 3] {
        let [rq, rp, pq] = &self.turns(axis).exact;
        let at = |j: usize| K::insides(rq[j], rp[j], pq[j])[edge];
        [at(0), at(1), at(2)]
    }

    /// The parts of the corners at both ends of time, and at both ends of an interval times some
    /// number: four for each axis.
    fn corners_over(&self, cell: Cell) -> impl Iterator<Item = ([Whole<N>; 2], [Whole<N>; 2])> {
        let times = [[0, 1], [1, 1], [cell.from, Self::ONE], [cell.to, Self::ONE]];
        let at = times.map(|time| {
            let [p, q, r] = self.at(time);
            std::array::from_fn::<_, 3, _>(|k| K::corners(p[k], q[k], r[k]))
        });
        let part = move |at: &[[Whole<N>; 4]; 3], i: usize| at[i / 4][i % 4];
        (0..12)
            .map(move |i| ([part(&at[0], i), part(&at[1], i)], [part(&at[2], i), part(&at[3], i)]))
    }

    /// The vectors at a time that is a fraction, times its denominator.
    fn at(&self, [time, one]: [u128; 2]) -> [Vector<N>; 3] {
        let [start, end] = &self.ends;
        let mut made = [[Whole::ZERO; 3]; 3];
        for i in 0..3 {
            for k in 0..3 {
                let (from, to) = (start[i][k].resized(), end[i][k].resized());
                made[i][k] = from.mixed(&to, [one - time, time], Self::LIMBS);
            }
        }
        made
    }

    fn apart_on_an_axis(&self, cell: Cell) -> bool {
        let ends = [self.at([cell.from, Self::ONE]), self.at([cell.to, Self::ONE])];
        (0..3).any(|k| {
            let side = |[p, q, r]: &[Vector<N>; 3]| uniform(&signs(&K::corners(p[k], q[k], r[k])));
            side(&ends[0]) * side(&ends[1]) > 0
        })
    }

    /// The sign of the volume throughout an interval, if rounding leaves no doubt of it; else 0.
    fn rough_side(&self, cell: Cell) -> Sign {
        let over = piece(&self.rough, to_time(cell.from, GRID), to_time(cell.to, GRID));
        uniform(&over.map(rough_sign))
    }

    fn turns(&self, axis: usize) -> &Turns<N> {
        self.turns[axis].get_or_init(|| {
            let [[p, q, r], [p1, q1, r1]] = &self.ends;
            let over = |a: &Vector<D>, b: &Vector<D>, a1: &Vector<D>, b1: &Vector<D>| {
                let (first, last): (Whole<N>, Whole<N>) = (turn(axis, a, b), turn(axis, a1, b1));
                [first + first, turn(axis, a, b1) + turn(axis, a1, b), last + last]
            };
            let exact = [over(r, q, r1, q1), over(r, p, r1, p1), over(p, q, p1, q1)];
            let [[a, b, c], [d, e, f], [g, h, i]] = &exact;
            let [a, b, c, d, e, f, g, h, i] = guesses(&[*a, *b, *c, *d, *e, *f, *g, *h, *i]);
            Turns { exact, rough: [[a, b, c], [d, e, f], [g, h, i]] }
        })
    }

    /// For each edge whether the origin is inside (1) or outside (−1) throughout an interval, as
    /// seen along an axis, if all are in one plane; 0 if it is not known.
    fn insides(&self, axis: usize, cell: Cell) -> [Sign; 4] {
        let span = [to_time(cell.from, GRID), to_time(cell.to, GRID)];
        let Turns { exact, rough: [rq, rp, pq] } = self.turns(axis);
        let (rq, rp, pq) = (rough_over(rq, span), rough_over(rp, span), rough_over(pq, span));
        let mut at = [[0; 4]; 3];
        for j in 0..3 {
            let [a, b, c, d] = K::insides(rq[j], rp[j], pq[j]);
            at[j] = [rough_sign(a), rough_sign(b), rough_sign(c), rough_sign(d)];
        }
        let rough = sides(&at);
        if !rough.contains(&0) || (rough.contains(&1) && rough.contains(&-1)) {
            return rough;
        }
        let [rq, rp, pq] = exact;
        let over = |turn: &[Whole<N>; 3]| Self::quadratic_over(turn, cell);
        let (rq, rp, pq) = (over(rq), over(rp), over(pq));
        for j in 0..3 {
            at[j] = signs(&K::insides(rq[j], rp[j], pq[j]));
        }
        sides(&at)
    }

    /// Where in an interval, from 0 to 1, the matter is likely to be decided: where the volume is
    /// zero, or nearest to it; if it is zero all the time, where the origin comes to an edge.
    fn centre(&self, cell: Cell, volume: &[Whole<N>; 4]) -> f64 {
        if volume.iter().any(|x| x.sign() != 0) {
            return nearest_zero(&guesses(volume)).unwrap_or(0.5);
        }
        for axis in 0..3 {
            for edge in 0..K::CORNERS {
                let [a, b, c] = guesses(&Self::quadratic_over(&self.inside(axis, edge), cell));
                let cubic = [a, (a + 2.0 * b) / 3.0, (2.0 * b + c) / 3.0, c];
                if uniform(&[a, b, c].map(rough_sign)) == 0
                    && let Some(centre) = nearest_zero(&cubic)
                {
                    return centre;
                }
            }
        }
        let passed = self.corners_over(cell).find(|(_, over)| changes(over) == 1);
        passed.map_or(0.5, |(_, over)| {
            let [from, to] = guesses(&over);
            from / (from - to)
        })
    }

    /// Whether the features touch at a time that is a fraction.
    fn touches(&self, time: [u128; 2]) -> bool {
        let [p, q, r] = self.at(time);
        if dot(&r, &cross::<N, N>(&p, &q)).sign() != 0 {
            return false;
        }
        let mut spread = false;
        for axis in 0..3 {
            let turns: [Whole<N>; 3] = [turn(axis, &r, &q), turn(axis, &r, &p), turn(axis, &p, &q)];
            let sides = signs(&K::insides(turns[0], turns[1], turns[2]));
            if sides.contains(&1) && sides.contains(&-1) {
                return false;
            }
            spread |= sides.iter().any(|&side| side != 0);
        }
        // Inside of all edges; or all on one line with the origin, where each axis must agree.
        spread || (0..3).all(|k| uniform(&signs(&K::corners(p[k], q[k], r[k]))) == 0)
    }

    fn quadratic_over([a, b, c]: &[Whole<N>; 3], cell: Cell) -> [Whole<N>; 3] {
        let (x, y) = (cell.from, cell.to);
        let at_x = [Self::mix(a, b, x), Self::mix(b, c, x)];
        let at_y = [Self::mix(a, b, y), Self::mix(b, c, y)];
        [
            Self::mix(&at_x[0], &at_x[1], x),
            Self::mix(&at_x[0], &at_x[1], y),
            Self::mix(&at_y[0], &at_y[1], y),
        ]
    }

    /// From `a` to `b`, times [`Self::ONE`].
    #[inline]
    fn mix(a: &Whole<N>, b: &Whole<N>, time: u128) -> Whole<N> {
        a.mixed(b, [Self::ONE - time, time], Self::LIMBS)
    }
}

/// The sign of a number that was made from coefficients of at most one in size, each rounded twice,
/// by up to three interpolations of 3 roundings each between times that were rounded, too, and as
/// many sums; 0 if that may have changed it. All together is less than 64 roundings of numbers up to
/// three.
fn rough_sign(x: f64) -> Sign {
    const SLACK: f64 = 96.0 * f64::EPSILON;
    (x > SLACK) as Sign - (x < -SLACK) as Sign
}

/// The common sign of each edge in three coefficients.
fn sides(at: &[[Sign; 4]; 3]) -> [Sign; 4] {
    let mut sides = at[0];
    for (i, side) in sides.iter_mut().enumerate() {
        if at[1][i] != *side || at[2][i] != *side {
            *side = 0;
        }
    }
    sides
}

fn signs<const N: usize>([a, b, c, d]: &[Whole<N>; 4]) -> [Sign; 4] {
    [a.sign(), b.sign(), c.sign(), d.sign()]
}

/// The coefficients of a quadratic over an interval.
fn rough_over(&[a, b, c]: &[f64; 3], [x, y]: [f64; 2]) -> [f64; 3] {
    let mix = |a: f64, b: f64, t: f64| (1.0 - t) * a + t * b;
    let (at_x, at_y) = ([mix(a, b, x), mix(b, c, x)], [mix(a, b, y), mix(b, c, y)]);
    [mix(at_x[0], at_x[1], x), mix(at_x[0], at_x[1], y), mix(at_y[0], at_y[1], y)]
}

/// The common sign of all; 0 if there is none.
fn uniform(signs: &[Sign]) -> Sign {
    if signs.iter().all(|sign| *sign == signs[0]) { signs[0] } else { 0 }
}

/// The least and the greatest of some signs.
fn range<const N: usize>(numbers: &[Whole<N>]) -> [Sign; 2] {
    numbers.iter().map(Whole::sign).fold([1, -1], |[low, high], x| [low.min(x), high.max(x)])
}

/// How often numbers change their sign, those that are zero left out.
fn changes<const N: usize>(numbers: &[Whole<N>]) -> usize {
    let signs = numbers.iter().map(Whole::sign).filter(|&sign| sign != 0);
    let next = signs.clone().skip(1);
    signs.zip(next).filter(|(a, b)| a != b).count()
}

/// One part of the cross product.
fn turn<const D: usize, const N: usize>(axis: usize, a: &Vector<D>, b: &Vector<D>) -> Whole<N> {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    a[i].times::<D, N>(&b[j]) - a[j].times::<D, N>(&b[i])
}

fn cross<const D: usize, const N: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<N> {
    [turn(0, a, b), turn(1, a, b), turn(2, a, b)]
}

fn sum<const N: usize>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn dot<const D: usize, const N: usize>(a: &Vector<D>, b: &Vector<N>) -> Whole<N> {
    a[0].times::<N, N>(&b[0]) + a[1].times::<N, N>(&b[1]) + a[2].times::<N, N>(&b[2])
}

/// About some numbers, relative to the largest of them.
fn guesses<const N: usize, const M: usize>(numbers: &[Whole<N>; M]) -> [f64; M] {
    let limbs = numbers.iter().map(Whole::len).max().unwrap_or(0);
    let mut made = [0.0; M];
    for (made, x) in made.iter_mut().zip(numbers) {
        *made = x.guess(limbs);
    }
    made
}

/// Where, from 0 to 1, a cubic is likely to be zero, or nearest to it; none if it is zero throughout,
/// or nearest at an end.
fn nearest_zero(cubic: &[f64; 4]) -> Option<f64> {
    let &[a, b, c, d] = cubic;
    if cubic.iter().all(|&x| x == 0.0) {
        return None;
    }
    if a == 0.0 || d == 0.0 {
        return Some(if a == 0.0 { 0.0 } else { 1.0 });
    }
    if a * d <= 0.0 {
        let falling = cubic.map(|x| x * a.signum());
        return Some(root(&falling).0);
    }
    // A third of the slope is u (1 − t)² + 2 v t (1 − t) + w t².
    let (u, v, w) = (b - a, c - b, d - c);
    let root = (v * v - u * w).max(0.0).sqrt();
    let extremes = [u / (u - v + root), u / (u - v - root)];
    let height = |t: f64| value(cubic, t) * a.signum();
    let within = extremes.into_iter().filter(|t| *t > 0.0 && *t < 1.0);
    within.min_by(|x, y| height(*x).total_cmp(&height(*y)))
}
