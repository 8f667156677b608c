//! An exact oracle for "do two closed triangles share a point?", made to be obvious and not fast.
//!
//! A and B share a point exactly if zero is a convex combination of the nine differences aᵢ − bⱼ.
//! By Carathéodory four of them are then enough, so all subsets of one to four are tried, on
//! integers without rounding. Nothing here knows of planes, edges or degenerate cases: segments,
//! points and coplanar triangles are subsets like all others. No idea is shared with the subject.

pub(crate) mod classes;
pub(crate) mod dual;
mod integers;
pub(crate) mod rng;
mod signs;
pub(crate) mod twists;

use impinge_geom::Triangle;
use integers::Corners;
use signs::Signs;

/// Whether the closed triangles share a point; exact for all finite coordinates.
pub(crate) fn intersect(a: &Triangle, b: &Triangle) -> bool {
    match integers::small_pair(a, b) {
        Some(pair) => holds_origin(&Signs::of(&differences(&pair, |x, y| x - y))),
        None => intersect_big(a, b),
    }
}

/// The same by big integers whatever the coordinates, to check the short cut for small ones.
pub(crate) fn intersect_big(a: &Triangle, b: &Triangle) -> bool {
    let pair = integers::big_pair(a, b);
    holds_origin(&Signs::of(&differences(&pair, |x, y| x - y)))
}

/// Whether the pair needs big integers.
pub(crate) fn is_big(a: &Triangle, b: &Triangle) -> bool {
    integers::small_pair(a, b).is_none()
}

fn differences<T>([a, b]: &[Corners<T>; 2], minus: impl Fn(&T, &T) -> T) -> [[T; 3]; 9] {
    std::array::from_fn(|i| std::array::from_fn(|k| minus(&a[i / 3][k], &b[i % 3][k])))
}

/// Whether zero lies in the convex hull of the nine points whose signs are given.
///
/// Only subsets with positive weights throughout need a look, for others contain a smaller one.
fn holds_origin(signs: &Signs) -> bool {
    (0..9).any(|p| signs.point[p] == [0; 3] || later_subsets_hold_origin(signs, p))
}

fn later_subsets_hold_origin(signs: &Signs, p: usize) -> bool {
    (p + 1..9).any(|q| {
        segment_holds_origin(signs, [p, q])
            || (q + 1..9).any(|r| {
                triangle_holds_origin(signs, [p, q, r])
                    || (r + 1..9).any(|s| tetrahedron_holds_origin(signs, [p, q, r, s]))
            })
    })
}

/// Two vectors on one line that do not point to the same side.
fn segment_holds_origin(signs: &Signs, [p, q]: [usize; 2]) -> bool {
    signs.cross[p][q] == [0; 3] && (0..3).all(|k| signs.point[p][k] * signs.point[q][k] <= 0)
}

/// Three vectors of one plane whose cross products in cyclic order all point the same way.
///
/// They are multiples of the first one, so a single coordinate where that is not zero tells.
fn triangle_holds_origin(signs: &Signs, [p, q, r]: [usize; 3]) -> bool {
    if signs.det[p][q][r] != 0 {
        return false;
    }
    let normal = signs.cross[p][q];
    (0..3)
        .find(|&k| normal[k] != 0)
        .is_some_and(|k| signs.cross[q][r][k] == normal[k] && -signs.cross[p][r][k] == normal[k])
}

/// The weights that combine four vectors to zero are, by Cramer's rule, their alternating
/// determinants; zero lies strictly within if all have one sign.
fn tetrahedron_holds_origin(signs: &Signs, [p, q, r, s]: [usize; 4]) -> bool {
    let first = signs.det[q][r][s];
    first != 0
        && -signs.det[p][r][s] == first
        && signs.det[p][q][s] == first
        && -signs.det[p][q][r] == first
}
