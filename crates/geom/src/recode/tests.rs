//! Blocks that are drawn, against intervals and planes that are not.

use super::case::{Case, Said, first_pass};
use super::software::Software;
use super::*;
use crate::hull::Hull;
use crate::pose::Pose;
use proptest::prelude::*;

const COARSE: Settings =
    Settings { resolution: Resolution::Pixels(16), plane: Plane::Axis(2), reuse: true };

/// A hull with its tight box.
#[derive(Debug)]
struct Body {
    hull: Hull,
    obb: Obb,
}

impl Body {
    fn around(points: &[Point]) -> Self {
        Self { hull: Hull::around(points), obb: Obb::tight_around(points) }
    }

    /// A box from one corner to another.
    fn cuboid(min: Point, max: Point) -> Self {
        let corner =
            |i: usize| std::array::from_fn(|k| if i >> k & 1 == 0 { min[k] } else { max[k] });
        Self::around(&(0..8).map(corner).collect::<Vec<_>>())
    }

    fn aligned(&self) -> Block<'_> {
        Block { points: &self.hull.points, triangles: &self.hull.triangles, obb: None }
    }

    fn oriented(&self) -> Block<'_> {
        Block { obb: Some(&self.obb), ..self.aligned() }
    }
}

fn one(a: &Body, b: &Body, settings: &Settings) -> Outcome {
    collide(&Software, &[a.aligned(), b.aligned()], &[[0, 1]], settings).0[0]
}

/// Each of the eight, made of two boxes: what the counter says, whether it is a collision, and in which pass.
#[test]
fn boxes_in_all_eight_cases() {
    let a = Body::cuboid([0.0, 0.0, 2.0], [4.0, 4.0, 4.0]);
    for (depths, case, passes) in [
        ([4.5, 6.0], Case::Beyond, 0),
        ([3.0, 6.0], Case::OutOfBack, 1),
        ([1.0, 6.0], Case::Around, 1),
        ([2.5, 3.5], Case::Within, 2),
        ([1.0, 3.0], Case::IntoFront, 2),
        ([0.5, 1.0], Case::InFront, 0),
        // The same depths: both passes count two.
        ([2.0, 4.0], Case::Within, 2),
    ] {
        let b = Body::cuboid([1.0, 1.0, depths[0]], [3.0, 3.0, depths[1]]);
        let outcome = one(&a, &b, &COARSE);
        assert_eq!((outcome.hit, outcome.passes), (case.is_overlap(), passes), "{case:?}");
        let shown = pictures(&Software, [a.aligned(), b.aligned()], &COARSE);
        assert_eq!(shown.len(), usize::from(passes), "{case:?}");
        if let Some(first) = shown.first() {
            assert!(first.counter.iter().all(|count| *count == case.count()), "{case:?}");
            assert!(first.mask.iter().all(|mask| *mask == 1));
        }
    }
}

/// Triangles over each other, upright and upside down: in the region there are pixels of both, of one, of none.
#[test]
fn pixels_of_one_block_alone_count_nothing() {
    let wedge = |flat: [[f64; 2]; 3], depths: [f64; 2]| {
        let corner = |[x, y]: [f64; 2]| depths.map(|z| [x, y, z]);
        Body::around(&flat.map(corner).concat())
    };
    let a = wedge([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], [0.0, 2.0]);
    let b = wedge([[1.0, 0.0], [4.0, 4.0], [1.0, 4.0]], [1.0, 3.0]);
    let first = pictures(&Software, [a.aligned(), b.aligned()], &COARSE).remove(0);
    let mut seen = Vec::new();
    for (k, (&mask, &count)) in first.mask.iter().zip(&first.counter).enumerate() {
        let [x, y] = [k as u32 % first.width, k as u32 / first.width].map(f64::from);
        let [x, y] = [1.0 + (x + 0.5) / 4.0, (y + 0.5) / 4.0];
        let in_a = x + y < 4.0;
        let in_b = 4.0 * (x - 1.0) < 3.0 * y;
        let is_rim = x + y == 4.0 || 4.0 * (x - 1.0) == 3.0 * y;
        let interval = |is_in: bool, ends| is_in.then_some(ends);
        let case = Case::of(interval(in_a, [0.0, 2.0]), interval(in_b, [1.0, 3.0]));
        assert!(is_rim || (mask, count) == (u8::from(in_a), case.count()), "{x} {y}: {case:?}");
        seen.push(case);
    }
    assert_eq!((first.width, first.height), (12, 16));
    assert!([Case::NoA, Case::NoB, Case::OutOfBack].iter().all(|case| seen.contains(case)));
}

/// Wedges whose boxes are in each other, apart on every line.
#[test]
fn what_is_apart_on_every_line_is_free() {
    // The plane x + z = 4 parts the two; their boxes are in each other.
    let low = [[0.0, 0.0, 0.0], [3.9, 0.0, 0.0], [0.0, 0.0, 3.9]];
    let high = [[4.0, 0.0, 4.0], [0.2, 0.0, 4.0], [4.0, 0.0, 0.2]];
    let prism = |base: &[Point]| {
        let top = base.iter().map(|p| [p[0], 4.0, p[2]]);
        Body::around(&base.iter().copied().chain(top).collect::<Vec<_>>())
    };
    let [a, b] = [prism(&low), prism(&high)];
    for (pair, counts, passes) in [([&a, &b], 0, 1), ([&b, &a], 2, 2)] {
        let outcome = one(pair[0], pair[1], &COARSE);
        assert_eq!((outcome.hit, outcome.passes), (false, passes));
        let shown = pictures(&Software, pair.map(Body::aligned), &COARSE);
        let first = &shown[0];
        let said = first_pass(&first.counter);
        assert_eq!(said == Said::SecondRendering, passes == 2);
        assert!(first.counter.iter().all(|count| *count == counts));
    }
    // Seen across the plane that parts them, nothing needs to be drawn.
    let across = Settings { plane: Plane::Separating, ..COARSE };
    assert_eq!(one(&a, &b, &across), Outcome::default());
}

/// Convex bodies at random places, near each other.
fn bodies() -> impl Strategy<Value = Vec<Body>> {
    let point = prop::array::uniform3(-0.5..0.5f64);
    let turn = (prop::array::uniform3(-0.6..0.6f64), prop::array::uniform4(-1.0..1.0f64));
    prop::collection::vec((prop::collection::vec(point, 4..14), turn), 2..7).prop_map(|all| {
        let body = |(points, (at, turn)): (Vec<Point>, _)| {
            let pose = Pose::new(turn, at).unwrap_or_default();
            Body::around(&points.iter().map(|p| pose.apply(p)).collect::<Vec<_>>())
        };
        all.into_iter().map(body).collect()
    })
}

fn all_pairs(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).flat_map(|a| (0..a).map(move |b| [b, a])).collect()
}

/// Whether convex bodies are apart by more than a length, by the planes of their faces and edges.
fn apart(a: &Hull, b: &Hull, by: f64) -> bool {
    let edges = |hull: &Hull| -> Vec<glam::DVec3> {
        let at = |v: u32| glam::DVec3::from(hull.points[v as usize]);
        let sides = hull.triangles.iter().flat_map(|&[i, j, k]| [[i, j], [j, k], [k, i]]);
        sides.filter(|[i, j]| i < j).map(|[i, j]| at(j) - at(i)).collect()
    };
    let faces = |hull: &Hull| -> Vec<glam::DVec3> {
        let at = |v: u32| glam::DVec3::from(hull.points[v as usize]);
        hull.triangles.iter().map(|&[i, j, k]| (at(j) - at(i)).cross(at(k) - at(i))).collect()
    };
    let crosses: Vec<glam::DVec3> =
        edges(a).iter().flat_map(|p| edges(b).into_iter().map(|q| p.cross(q))).collect();
    faces(a).into_iter().chain(faces(b)).chain(crosses).any(|axis| {
        let Some(unit) = axis.try_normalize() else { return false };
        let ends = |hull: &Hull| {
            let heights = hull.points.iter().map(|p| glam::DVec3::from(*p).dot(unit));
            heights.fold([f64::MAX, f64::MIN], |[lo, hi], h| [lo.min(h), hi.max(h)])
        };
        let ([a_lo, a_hi], [b_lo, b_hi]) = (ends(a), ends(b));
        b_lo - a_hi > by || a_lo - b_hi > by
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Reused maps and new ones, boxes along the axes and oriented ones say the same; and nobody invents.
    #[test]
    fn settings_do_not_change_what_is_seen(bodies in bodies(), level in 0u32..4) {
        let pairs = all_pairs(bodies.len());
        let aligned: Vec<Block<'_>> = bodies.iter().map(Body::aligned).collect();
        let oriented: Vec<Block<'_>> = bodies.iter().map(Body::oriented).collect();
        // One size of pixels for all: regions of other sizes would be looked at on other lattices.
        let length = Resolution::Length(0.1 / f64::from(1 << level));
        let settings = Settings { resolution: length, ..COARSE };
        let (shared, work) = collide(&Software, &aligned, &pairs, &settings);
        let alone = Settings { reuse: false, ..settings };
        let (single, work_alone) = collide(&Software, &aligned, &pairs, &alone);
        prop_assert_eq!(&shared, &single);
        prop_assert_eq!((work.maps + work.reused, 0), (work_alone.maps, work_alone.reused));
        prop_assert!(work.maps <= bodies.len() as u64);
        let (turned, _) = collide(&Software, &oriented, &pairs, &settings);
        for (k, (straight, turned)) in shared.iter().zip(&turned).enumerate() {
            prop_assert_eq!(straight.hit, turned.hit, "{:?}", pairs[k]);
            let [a, b] = pairs[k].map(|v| &bodies[v as usize].hull);
            prop_assert!(!(straight.hit && apart(a, b, straight.rounding)));
            prop_assert!(straight.rounding < 1e-5);
        }
        let across = Settings { plane: Plane::Separating, ..settings };
        for (k, outcome) in collide(&Software, &oriented, &pairs, &across).0.iter().enumerate() {
            let [a, b] = pairs[k].map(|v| &bodies[v as usize].hull);
            prop_assert!(!(outcome.hit && apart(a, b, outcome.rounding)));
        }
    }

    /// Points of the region are in both bodies, up to rounding, and there are some if there is a hit.
    #[test]
    fn regions_are_in_both(bodies in bodies(), separating in any::<bool>()) {
        let plane = if separating { Plane::Separating } else { Plane::Axis(1) };
        let settings = Settings { plane, ..COARSE };
        for [a, b] in all_pairs(bodies.len()) {
            let [a, b] = [&bodies[a as usize], &bodies[b as usize]];
            let outcome = one(a, b, &settings);
            let region = region(&Software, [a.aligned(), b.aligned()], &settings);
            let spots = region.as_ref().map_or(&[][..], |region| &region.spots);
            prop_assert_eq!(outcome.hit, !spots.is_empty());
            for spot in spots {
                for point in spot.shared {
                    let at = Hull { points: vec![point], triangles: Vec::new() };
                    prop_assert!(!apart(&a.hull, &at, 1e-5) && !apart(&b.hull, &at, 1e-5));
                }
            }
        }
    }
}

#[test]
fn what_has_no_volume_or_no_area_is_no_matter() {
    let cube = Body::cuboid([0.0; 3], [1.0; 3]);
    let sheet = Body::around(&[[0.2, 0.2, 0.5], [0.8, 0.2, 0.5], [0.2, 0.8, 0.5]]);
    let upright = Body::around(&[[0.2, 0.5, 0.2], [0.8, 0.5, 0.2], [0.2, 0.5, 0.8]]);
    let line = Body::around(&[[0.0; 3], [1.0; 3]]);
    let point = Body::around(&[[0.5; 3]]);
    assert!(one(&cube, &sheet, &COARSE).hit && one(&sheet, &cube, &COARSE).hit);
    assert!(one(&sheet, &sheet, &COARSE).hit);
    // Seen edge-on it covers no pixel; across the plane between the two it may.
    assert!(!one(&cube, &upright, &COARSE).hit);
    for a in [&cube, &sheet, &upright, &line, &point] {
        for b in [&line, &point, &upright] {
            for plane in [Plane::Axis(0), Plane::Separating] {
                for resolution in [Resolution::Pixels(1), Resolution::Length(1e-12)] {
                    let settings = Settings { resolution, plane, ..COARSE };
                    let blocks = [a.oriented(), b.oriented()];
                    collide(&Software, &blocks, &[[0, 1], [1, 0]], &settings);
                    region(&Software, blocks, &settings);
                }
            }
        }
    }
}
