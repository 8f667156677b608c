//! Oriented boxes: fitted by covariance as Gottschalk does, fitted tightly by search, and tested
//! for overlap along fifteen axes. Both fits hold their points for certain.

use crate::aabb::Aabb;
use crate::{Point, Triangle};
use glam::{DMat3, DQuat, DVec3};

/// A closed box of any orientation: all `center + Σ s[k]·axes[k]` with `|s[k]| <= half[k]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// The middle.
    pub center: Point,
    /// Three directions, orthonormal up to a few ulps.
    pub axes: [Point; 3],
    /// Half the edge lengths, none negative.
    pub half: Point,
}

/// Directions along which extreme points are sought; one of each opposite pair.
const PROBES: [Point; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
/// How many of the frames found are refined by turning.
const REFINED: usize = 3;
/// The first and the last angle by which refinement turns a frame.
const TURNS: [f64; 2] = [0.3, 1e-4];
/// Rounds of refinement at most; each either shrinks the box or halves the angle.
const ROUNDS_MAX: u32 = 200;

impl Obb {
    /// The box along the principal axes of the surface, each triangle weighted by its area; of the
    /// corners if there is no area. A point at the origin if there are no triangles.
    pub fn from_covariance(triangles: &[Triangle]) -> Self {
        let corners = triangles.as_flattened();
        fit(&surface_frame(triangles), corners)
    }

    /// The smallest box with these axes, which are orthonormal to 4 ε, around the points.
    pub(crate) fn along(frame: &DMat3, points: &[Point]) -> Self {
        fit(frame, points)
    }

    /// A box that is never larger than the one by covariance and the axis-aligned one, and often
    /// much smaller: several frames are tried, the best are turned while that helps.
    pub fn tight(triangles: &[Triangle]) -> Self {
        tightest(triangles.as_flattened(), surface_frame(triangles))
    }

    /// As [`Obb::tight`], for points: the covariance is that of the points.
    pub fn tight_around(points: &[Point]) -> Self {
        tightest(points, point_frame(points))
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        8.0 * self.half[0] * self.half[1] * self.half[2]
    }

    /// Whether the point is in the closed box, or outside by no more than a few ulps of the size.
    pub fn contains(&self, point: &Point) -> bool {
        let way = DVec3::from(*point) - DVec3::from(self.center);
        let slack = slack_of(way);
        (0..3).all(|k| way.dot(self.axes[k].into()).abs() <= self.half[k] + slack)
    }

    /// The axis-aligned box around this one, rounded outward.
    pub fn aabb(&self) -> Aabb {
        let reach: Point = std::array::from_fn(|k| {
            (0..3).map(|i| self.axes[i][k].abs() * self.half[i]).sum::<f64>()
        });
        // Three products and two additions: at most 3 roundings each of ½ ε.
        let reach = reach.map(|x| x * (1.0 + 2.0 * f64::EPSILON));
        Aabb {
            min: std::array::from_fn(|k| (self.center[k] - reach[k]).next_down()),
            max: std::array::from_fn(|k| (self.center[k] + reach[k]).next_up()),
        }
    }

    /// Whether the closed boxes share a point. Never wrongly says no; may say yes to boxes apart
    /// by less than about 10⁻¹⁴ of their size and distance.
    ///
    /// The fifteen axes are the face normals and the cross products of edge directions. All sums
    /// are linear in the lengths `m = |offset|₁ + Σ half`, with factors of magnitude at most one:
    /// the turned offset and the direction cosines carry errors below 3 ε, axes that are not quite
    /// orthonormal (4 ε) make the cosine formulas off by below 8 ε, and the final sums of up to
    /// five terms add 5 ε. Products of two such factors stay below 32 ε·m, and that is granted.
    pub fn overlaps(&self, other: &Self) -> bool {
        let offset = DVec3::from(other.center) - DVec3::from(self.center);
        let (a, b) = (self.half, other.half);
        let mine = self.axes.map(DVec3::from);
        let theirs = other.axes.map(DVec3::from);
        let size = offset.abs().element_sum() + a.iter().sum::<f64>() + b.iter().sum::<f64>();
        let slack = 32.0 * f64::EPSILON * size;
        let cosine: [Point; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| mine[i].dot(theirs[j])));
        let t: Point = std::array::from_fn(|i| offset.dot(mine[i]));
        let faces_apart = |i: usize| {
            let reach_b: f64 = (0..3).map(|j| b[j] * cosine[i][j].abs()).sum();
            let reach_a: f64 = (0..3).map(|j| a[j] * cosine[j][i].abs()).sum();
            t[i].abs() > a[i] + reach_b + slack
                || offset.dot(theirs[i]).abs() > b[i] + reach_a + slack
        };
        let edges_apart = |i: usize, j: usize| {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let gap = (t[i2] * cosine[i1][j] - t[i1] * cosine[i2][j]).abs();
            let reach_a = a[i1] * cosine[i2][j].abs() + a[i2] * cosine[i1][j].abs();
            let reach_b = b[j1] * cosine[i][j2].abs() + b[j2] * cosine[i][j1].abs();
            gap > reach_a + reach_b + slack
        };
        !(0..3).any(faces_apart) && !(0..9).any(|n| edges_apart(n / 3, n % 3))
    }
}

/// The frame whose axes are the columns, as close to orthonormal as rounding allows.
pub(crate) fn orthonormal(x: DVec3, y: DVec3) -> DMat3 {
    let x = x.try_normalize().unwrap_or(DVec3::X);
    let rest = y - x * x.dot(y);
    // Of nearly parallel directions nothing but rounding is left: any frame about `x` is as good.
    let parallel = rest.length() < 1e-8 * y.length();
    let y = rest.try_normalize().filter(|_| !parallel);
    let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
    // A second pass takes out what cancellation left of `x` in `y`.
    let y = (y - x * x.dot(y)).normalize();
    DMat3::from_cols(x, y, x.cross(y).normalize())
}

/// What rounding may do to the coordinate of `way` along an axis that is orthonormal to 4 ε: the
/// subtraction and the dot product are off by below 3 ε·|way|, and solving with the axes instead
/// of multiplying by their transpose changes it by below 8 ε·|way|.
fn slack_of(way: DVec3) -> f64 {
    16.0 * f64::EPSILON * way.abs().element_sum()
}

/// The smallest box in this frame, grown so that every point is certainly inside.
fn fit(frame: &DMat3, points: &[Point]) -> Obb {
    let axes = [frame.x_axis, frame.y_axis, frame.z_axis];
    let Some(&origin) = points.first() else {
        return Obb { center: [0.0; 3], axes: axes.map(Into::into), half: [0.0; 3] };
    };
    let origin = DVec3::from(origin);
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for point in points {
        let along = frame.transpose() * (DVec3::from(*point) - origin);
        (low, high) = (low.min(along), high.max(along));
    }
    let center = origin + *frame * ((low + high) * 0.5);
    // Measured anew from the rounded centre: its own rounding is then inside the half lengths.
    let (mut half, mut slack) = (DVec3::ZERO, 0.0f64);
    for point in points {
        let way = DVec3::from(*point) - center;
        half = half.max((frame.transpose() * way).abs());
        slack = slack.max(slack_of(way));
    }
    let half = half + slack * (1.0 + 4.0 * f64::EPSILON);
    Obb { center: center.into(), axes: axes.map(Into::into), half: half.into() }
}

/// The power of two just below the largest coordinate difference: dividing by it keeps squares and
/// cubes within range. One if there is no extent.
fn scale_of(points: &[Point]) -> f64 {
    let largest = Aabb::around(points).size().into_iter().fold(0.0f64, f64::max);
    if largest > 0.0 { f64::from_bits(largest.to_bits() & (0x7ff << 52)) } else { 1.0 }
}

/// Principal axes of a surface whose mass is its area.
fn surface_frame(triangles: &[Triangle]) -> DMat3 {
    let corners = triangles.as_flattened();
    let Some(&origin) = corners.first() else { return DMat3::IDENTITY };
    let scale = scale_of(corners);
    let local = |p: Point| (DVec3::from(p) - DVec3::from(origin)) / scale;
    let (mut area, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(local);
        let weight = (b - a).cross(c - a).length();
        let sum = a + b + c;
        area += weight;
        first += sum * (weight / 3.0);
        // The second moment of a triangle: (9 m mᵀ + a aᵀ + b bᵀ + c cᵀ) / 12, m the centroid.
        second += (outer(sum) + outer(a) + outer(b) + outer(c)) * (weight / 12.0);
    }
    if area == 0.0 {
        return point_frame(corners);
    }
    let mean = first / area;
    principal_axes(second * area.recip() - outer(mean))
}

/// Principal axes of points of equal mass.
fn point_frame(points: &[Point]) -> DMat3 {
    let Some(&origin) = points.first() else { return DMat3::IDENTITY };
    let scale = scale_of(points);
    let local = |p: &Point| (DVec3::from(*p) - DVec3::from(origin)) / scale;
    let share = 1.0 / points.len() as f64;
    let mean = points.iter().map(local).sum::<DVec3>() * share;
    let spread = points.iter().fold(DMat3::ZERO, |sum, p| sum + outer(local(p) - mean));
    principal_axes(spread * share)
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Eigenvectors of a symmetric matrix by Jacobi rotations, largest eigenvalue first.
pub(crate) fn principal_axes(matrix: DMat3) -> DMat3 {
    let mut m = matrix.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    // Convergence is quadratic: three by three needs some five sweeps.
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(36) {
        // What is left is no more than rounding.
        if m[p][q].abs() <= 1e-17 * (m[p][p].abs() + m[q][q].abs()) {
            continue;
        }
        let ratio = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        let turn = |a: &mut f64, b: &mut f64| {
            (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
        };
        for column in &mut m {
            let (left, right) = column.split_at_mut(q);
            turn(&mut left[p], &mut right[0]);
        }
        for k in 0..3 {
            let (left, right) = m.split_at_mut(q);
            turn(&mut left[p][k], &mut right[0][k]);
            let (left, right) = axes.split_at_mut(q);
            turn(&mut left[p][k], &mut right[0][k]);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| m[j][j].total_cmp(&m[i][i]));
    orthonormal(axes[order[0]].into(), axes[order[1]].into())
}

/// The tightest of many boxes, measured on all points; the search itself looks at extreme ones.
fn tightest(points: &[Point], covariance: DMat3) -> Obb {
    let scale = scale_of(points);
    let volume = |obb: &Obb| obb.half.iter().map(|h| h / scale).product::<f64>();
    let extremes = extreme_points(points, &covariance);
    let mut frames = candidate_frames(&extremes, scale);
    frames.push(covariance);
    let mut trials: Vec<(f64, DMat3)> =
        frames.iter().map(|frame| (volume(&fit(frame, &extremes)), *frame)).collect();
    trials.sort_by(|a, b| a.0.total_cmp(&b.0));
    let refined = trials.iter().take(REFINED).map(|(_, frame)| refine(*frame, &extremes, scale));
    // The two frames that must not win over the answer stand first and are measured in full.
    let mut best = fit(&covariance, points);
    for frame in std::iter::once(DMat3::IDENTITY).chain(refined) {
        let trial = fit(&frame, points);
        if volume(&trial) < volume(&best) {
            best = trial;
        }
    }
    best
}

/// The points farthest out along fixed directions of the world and of the covariance frame.
fn extreme_points(points: &[Point], covariance: &DMat3) -> Vec<Point> {
    let turned = PROBES.map(|p| *covariance * DVec3::from(p));
    let probes: Vec<DVec3> = PROBES.map(DVec3::from).into_iter().chain(turned).collect();
    let mut ends = vec![[(f64::INFINITY, 0), (f64::NEG_INFINITY, 0)]; probes.len()];
    for (i, point) in points.iter().enumerate() {
        for (probe, [low, high]) in probes.iter().zip(&mut ends) {
            let along = probe.dot(DVec3::from(*point));
            if along < low.0 {
                *low = (along, i);
            }
            if along > high.0 {
                *high = (along, i);
            }
        }
    }
    let mut chosen: Vec<usize> = ends.as_flattened().iter().map(|end| end.1).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().filter_map(|i| points.get(i).copied()).collect()
}

/// Frames that stand on the edges of the large triangle and of tetrahedra over it, which extreme
/// points span: the sides of a tight box tend to run along hull edges.
fn candidate_frames(extremes: &[Point], scale: f64) -> Vec<DMat3> {
    let mut frames = vec![DMat3::IDENTITY];
    // Small numbers, so that products of four do not overflow.
    let origin = extremes.first().map_or(DVec3::ZERO, |p| DVec3::from(*p));
    let points: Vec<DVec3> = extremes.iter().map(|p| (DVec3::from(*p) - origin) / scale).collect();
    let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let length2 = |&(i, j): &(usize, usize)| points[i].distance_squared(points[j]);
    let Some((i, j)) = pairs.max_by(|a, b| length2(a).total_cmp(&length2(b))) else {
        return frames;
    };
    let (a, b) = (points[i], points[j]);
    let along = (a - b).normalize_or(DVec3::X);
    let off = |p: &&DVec3| (**p - a).reject_from_normalized(along).length_squared();
    let Some(&c) = points.iter().max_by(|p, q| off(p).total_cmp(&off(q))) else {
        return frames;
    };
    let normal = (b - a).cross(c - a).normalize_or(DVec3::Z);
    let height = |p: &&DVec3| (**p - a).dot(normal);
    let by_height = |p: &&DVec3, q: &&DVec3| height(p).total_cmp(&height(q));
    frames.extend([(a, b, c), (b, c, a), (c, a, b)].map(|(p, q, r)| orthonormal(q - p, r - p)));
    let apexes = [points.iter().min_by(by_height), points.iter().max_by(by_height)];
    for &apex in apexes.into_iter().flatten() {
        for (p, q, r) in [(a, b, c), (b, c, a), (c, a, b)] {
            frames.push(orthonormal(q - p, apex - p));
            frames.push(orthonormal(apex - p, q - p));
            frames.push(orthonormal(apex - p, r - p));
        }
    }
    frames
}

/// Turns the frame about its own axes by ever smaller angles while the volume shrinks.
fn refine(frame: DMat3, points: &[Point], scale: f64) -> DMat3 {
    let volume = |frame: &DMat3| fit(frame, points).half.iter().map(|h| h / scale).product::<f64>();
    let (mut best, mut least) = (frame, volume(&frame));
    let mut angle = TURNS[0];
    for _ in 0..ROUNDS_MAX {
        let trials = [best.x_axis, best.y_axis, best.z_axis].map(|axis| {
            [angle, -angle].map(|a| DMat3::from_quat(DQuat::from_axis_angle(axis, a)) * best)
        });
        let before = least;
        for trial in trials.as_flattened() {
            // Made orthonormal again, so that rounding does not pile up over the rounds.
            let trial = orthonormal(trial.x_axis, trial.y_axis);
            let found = volume(&trial);
            if found < least {
                (best, least) = (trial, found);
            }
        }
        if least >= before {
            angle *= 0.5;
        }
        if angle < TURNS[1] {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rotations() -> impl Strategy<Value = DMat3> {
        prop::array::uniform4(-1.0..1.0f64).prop_map(|q| {
            let length2: f64 = q.iter().map(|x| x * x).sum();
            let q = if length2 > 1e-3 { DQuat::from_array(q) } else { DQuat::IDENTITY };
            DMat3::from_quat(q.normalize())
        })
    }

    /// Triangles in a turned box, flat, straight or in one point at times, at any scale and place.
    fn soups() -> impl Strategy<Value = Vec<Triangle>> {
        let corner = prop::array::uniform3(-1.0..1.0f64);
        let sides = prop::array::uniform3(prop_oneof![Just(0.0), Just(1e-3), Just(1.0), Just(3.0)]);
        let soup = prop::collection::vec(prop::array::uniform3(corner), 1..40);
        (soup, sides, rotations(), prop_oneof![Just(0), -280i32..280], 0.0..100.0f64).prop_map(
            |(soup, sides, turn, exponent, shift)| {
                let place = |p: Point| {
                    let p = turn * (DVec3::from(p) * DVec3::from(sides)) + shift;
                    p.to_array().map(|x| crate::flush(x * 2f64.powi(exponent)))
                };
                soup.into_iter().map(|triangle| triangle.map(place)).collect()
            },
        )
    }

    fn boxes() -> impl Strategy<Value = Obb> {
        let half = prop::array::uniform3(prop_oneof![Just(0.0), 0.0..2.0f64]);
        let turn = prop_oneof![Just(DMat3::IDENTITY), rotations()];
        (prop::array::uniform3(-3.0..3.0f64), turn, half).prop_map(|(center, turn, half)| Obb {
            center,
            axes: turn.to_cols_array_2d(),
            half,
        })
    }

    fn at(obb: &Obb, s: [f64; 3]) -> DVec3 {
        let arm = |k: usize| DVec3::from(obb.axes[k]) * (s[k] * obb.half[k]);
        DVec3::from(obb.center) + arm(0) + arm(1) + arm(2)
    }

    fn nearest(obb: &Obb, p: DVec3) -> DVec3 {
        let way = p - DVec3::from(obb.center);
        (0..3).fold(DVec3::from(obb.center), |q, k| {
            let axis = DVec3::from(obb.axes[k]);
            q + axis * way.dot(axis).clamp(-obb.half[k], obb.half[k])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn every_fit_holds_its_points_and_tight_is_tightest(soup in soups()) {
            let points = soup.as_flattened();
            let plain = Obb::from_covariance(&soup);
            let (tight, around) = (Obb::tight(&soup), Obb::tight_around(points));
            for obb in [&plain, &tight, &around] {
                for point in points {
                    let way = DVec3::from(*point) - DVec3::from(obb.center);
                    // What the fit must leave over for the rounding of this very check.
                    let spare = 4.0 * f64::EPSILON * way.abs().element_sum();
                    for k in 0..3 {
                        let along = way.dot(obb.axes[k].into()).abs();
                        prop_assert!(along + spare <= obb.half[k], "{along} {:?}", obb.half);
                    }
                    prop_assert!(obb.contains(point) && obb.aabb().contains(point));
                }
                let frame = DMat3::from_cols_array_2d(&obb.axes);
                let error = frame.transpose() * frame - DMat3::IDENTITY;
                prop_assert!(error.abs_diff_eq(DMat3::ZERO, 4.0 * f64::EPSILON), "{error}");
            }
            let scale = scale_of(points);
            let volume = |obb: &Obb| obb.half.iter().map(|h| h / scale).product::<f64>();
            let size = Aabb::around(points).size();
            let aligned: f64 = size.iter().map(|h| 0.5 * h / scale).product();
            prop_assert!(volume(&tight) <= volume(&plain));
            // The box's own rounding slack is all that may make it exceed an exact one.
            prop_assert!(volume(&tight) <= aligned * (1.0 + 1e-12) + 1e-11);
            prop_assert!(volume(&around) <= aligned * (1.0 + 1e-12) + 1e-11);
        }

        #[test]
        fn boxes_with_a_common_point_overlap(
            a in boxes(), b in boxes(),
            s in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64]),
            r in prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64]),
        ) {
            // Moved so that two of their points, often corners, fall together.
            let offset = at(&a, s) - at(&b, r);
            // The coordinates that make them meet are rounded at a magnitude of up to 16.
            let half = b.half.map(|h| h + 16.0 * f64::EPSILON);
            let b = Obb { center: (DVec3::from(b.center) + offset).into(), half, ..b };
            prop_assert!(a.overlaps(&b) && b.overlaps(&a));
        }

        #[test]
        fn boxes_apart_are_told_apart(a in boxes(), b in boxes()) {
            // Alternating projections end at the closest points of two convex sets.
            let (mut p, mut q) = (DVec3::from(a.center), DVec3::from(b.center));
            for _ in 0..2000 {
                q = nearest(&b, p);
                p = nearest(&a, q);
            }
            let overlap = a.overlaps(&b);
            prop_assert_eq!(overlap, b.overlaps(&a));
            // The plane between the last two points separates, or they fell together.
            let normal = (q - p).normalize_or(DVec3::X);
            let reach = |o: &Obb, n: DVec3| -> f64 {
                let along = |k: usize| o.half[k] * n.dot(o.axes[k].into()).abs();
                n.dot(o.center.into()) + along(0) + along(1) + along(2)
            };
            if reach(&a, normal) + reach(&b, -normal) < -1e-9 {
                prop_assert!(!overlap);
            }
            if p.distance(q) < 1e-14 {
                prop_assert!(overlap);
            }
        }
    }

    #[test]
    fn a_turned_box_is_found() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -0.7, 1.1));
        let corners = (0..8).map(|i| {
            let sign = DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1)));
            (turn * (sign * DVec3::new(5.0, 2.0, 1.0))).to_array()
        });
        let corners: Vec<Point> = corners.collect();
        let volume = Obb::tight_around(&corners).volume();
        assert!((volume - 10.0).abs() < 1e-3, "{volume}");
    }

    #[test]
    fn nothing_at_all_has_a_box_too() {
        assert_eq!(Obb::from_covariance(&[]).half, [0.0; 3]);
        assert_eq!(Obb::tight(&[]).half, [0.0; 3]);
        assert_eq!(Obb::tight_around(&[[1.0, 2.0, 3.0]; 4]).half, [0.0; 3]);
    }
}
