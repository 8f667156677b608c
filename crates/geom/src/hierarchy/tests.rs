//! Every kind, splitter and quality on nasty soups: all faces once, all in, nothing too deep.

use super::*;
use crate::aabb::Aabb;
use crate::distance::triangle_triangle;
use crate::inside::{Crossing, Ray, crossing};
use crate::obb::Obb;
use crate::pose::Pose;
use crate::sphere::Sphere;
use crate::tri_tri::intersect;
use crate::{Point, Triangle};
use glam::DVec3;
use proptest::prelude::*;

const SPLITTERS: [Splitter; 3] = [Splitter::Plain, Splitter::Heuristic, Splitter::Gottschalk];
const QUALITIES: [Quality; 3] = [Quality::Volume, Quality::Surface, Quality::Hausdorff];

fn soup(triangles: &[Triangle]) -> Mesh {
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened().to_vec(), indices).expect("finite corners")
}

/// Whether the volume holds the point, with room for the rounding of this very check.
trait Holds {
    fn holds(&self, point: &Point) -> bool;
}

impl Holds for Sphere {
    fn holds(&self, point: &Point) -> bool {
        DVec3::from(*point).distance(DVec3::from(self.center)) <= self.radius
    }
}

impl Holds for Aabb {
    fn holds(&self, point: &Point) -> bool {
        self.contains(point)
    }
}

impl Holds for Obb {
    fn holds(&self, point: &Point) -> bool {
        let way = DVec3::from(*point) - DVec3::from(self.center);
        (0..3).all(|k| way.dot(self.axes[k].into()).abs() <= self.half[k])
    }
}

/// Panics unless the tree is one.
fn check<B: Bound + Holds>(mesh: &Mesh, params: &Params) -> Hierarchy<B> {
    let tree = Hierarchy::<B>::of(mesh, params);
    let mut seen = vec![0; mesh.triangles().len()];
    let mut parents = vec![0; tree.nodes().len()];
    // The faces below each node; children stand behind their parents.
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes().len()];
    for (i, node) in tree.nodes().iter().enumerate().rev() {
        for child in node.children() {
            assert!(child as usize > i);
            parents[child as usize] += 1;
            let faces = below[child as usize].clone();
            below[i].extend(faces);
        }
        let faces = tree.faces(node);
        assert!(node.is_leaf() != faces.is_empty() && faces.len() <= params.leaf_max as usize);
        assert!(node.is_leaf() || (2..=params.degrees[1].into()).contains(&node.children().len()));
        faces.iter().for_each(|&face| seen[face as usize] += 1);
        below[i].extend(faces);
        for &face in &below[i] {
            for corner in mesh.triangle(face) {
                assert!(node.bound.holds(&corner), "{:?} {corner:?}", node.bound);
            }
        }
    }
    assert!(seen.iter().all(|&times| times == 1));
    assert!(parents[0] == 0 && parents[1..].iter().all(|&times| times == 1));
    let deepest = 3.0 * (seen.len() as f64).log2() + 18.0;
    assert!(f64::from(tree.depth()) <= deepest, "{} > {deepest}", tree.depth());
    tree
}

fn check_all(mesh: &Mesh, degrees: [u8; 2], leaf_max: u32) {
    for splitter in SPLITTERS {
        for quality in QUALITIES {
            let params = Params { splitter, quality, degrees, leaf_max, ..Params::default() };
            check::<Sphere>(mesh, &params);
            check::<Aabb>(mesh, &params);
            check::<Obb>(mesh, &params);
        }
    }
}

/// Points on a coarse grid (coincident, flat and degenerate faces), anywhere, or far out.
fn soups() -> impl Strategy<Value = Vec<Triangle>> {
    let number = prop_oneof![
        4 => (0i8..3).prop_map(f64::from),
        4 => -1.0..3.0f64,
        1 => Just(1e-9),
        1 => Just(-1e3),
    ];
    let corner = prop::array::uniform3(number);
    let soup = prop::collection::vec(prop::array::uniform3(corner), 1..60);
    let scale = prop_oneof![4 => Just(0), 1 => Just(250), 1 => Just(-250)];
    (soup, scale, prop::bool::ANY).prop_map(|(soup, exponent, flat)| {
        let place = |p: Point| {
            let p = if flat { [p[0], p[1], 0.1] } else { p };
            p.map(|x| crate::flush(x * 2f64.powi(exponent)))
        };
        soup.into_iter().map(|triangle| triangle.map(place)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_tree_holds_its_faces(
        soup_of in soups(),
        low in 2u8..7,
        high in 2u8..7,
        leaf in 1u32..6,
    ) {
        check_all(&soup(&soup_of), [low.min(high), low.max(high)], leaf);
    }
}

fn poses() -> impl Strategy<Value = Pose> {
    let turn = prop_oneof![
        Just([1.0, 0.0, 0.0, 0.0]),
        Just([1.0, 1.0, 0.0, 0.0]),
        prop::array::uniform4(-1.0..1.0f64),
    ];
    let far = prop_oneof![3 => Just(0.0), 1 => Just(1e3), 1 => Just(-1e8)];
    let shift = prop::array::uniform3(prop_oneof![(-2i8..3).prop_map(f64::from), -2.0..2.0f64]);
    (turn, shift, far).prop_filter_map("no rotation", |(turn, shift, far)| {
        Pose::new(turn, shift.map(|x| x + far)).ok()
    })
}

/// Both must be kept: what touches is never ruled out, and no distance is overestimated.
fn check_placed<B: Bound>(soups: &[Vec<Triangle>; 2], poses: &[Pose; 2], point: &Point) {
    let bounds = [0, 1].map(|k| B::around(&soups[k], Quality::Surface));
    let reaches = [0, 1].map(|k| reach(&soup(&soups[k])));
    let view = View::new([&poses[0], &poses[1]], reaches);
    let posed = |k: usize| soups[k].iter().map(move |t| t.map(|p| poses[k].apply(&p)));
    let (apart, gap) = (bounds[0].is_apart(&bounds[1], &view), bounds[0].gap(&bounds[1], &view));
    for a in posed(0) {
        for b in posed(1) {
            assert!(!(apart && intersect(&a, &b)), "{a:?} {b:?}");
            assert!(gap <= triangle_triangle(&a, &b).hi, "{gap} {a:?} {b:?}");
        }
        let line = Line::up(point, &poses[0], reaches[0]);
        let crossed = crossing(Ray::PositiveZ, point, &a) != Crossing::Miss;
        assert!(!crossed || bounds[0].meets(&line), "{a:?}");
    }
    // Whatever is farther away than both are large is ruled out.
    let size = 4.0 * (reaches[0] + reaches[1]) + 1.0;
    let shift = poses[0].translation();
    let away = Pose::new(poses[1].rotation(), [shift[0] + size, shift[1], shift[2]]).unwrap();
    let view = View::new([&poses[0], &away], reaches);
    assert!(bounds[0].is_apart(&bounds[1], &view) && bounds[0].gap(&bounds[1], &view) > 0.0);
    let beside = [shift[0] + size, shift[1], shift[2]];
    assert!(!bounds[0].meets(&Line::up(&beside, &poses[0], reaches[0])));
}

fn small_soups() -> impl Strategy<Value = Vec<Triangle>> {
    let number = prop_oneof![(0i8..3).prop_map(f64::from), -1.0..3.0f64];
    prop::collection::vec(prop::array::uniform3(prop::array::uniform3(number)), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn what_touches_is_never_ruled_out(
        soups in [small_soups(), small_soups()],
        poses in [poses(), poses()],
        together in prop::bool::ANY,
        point in prop::array::uniform3(-1.0..3.0f64),
    ) {
        // Two poses drawn apart seldom meet when one is far out.
        let second = if together { poses[0] } else { poses[1] };
        let point = poses[0].apply(&point);
        check_placed::<Sphere>(&soups, &[poses[0], second], &point);
        check_placed::<Aabb>(&soups, &[poses[0], second], &point);
        check_placed::<Obb>(&soups, &[poses[0], second], &point);
    }
}

#[test]
fn one_triangle_is_a_leaf() {
    let mesh = soup(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
    check_all(&mesh, [2, 6], 4);
    assert_eq!(check::<Obb>(&mesh, &Params::default()).nodes().len(), 1);
}

#[test]
fn thousands_of_equal_faces_make_a_shallow_tree() {
    let face = [[0.1, 0.2, 0.3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut triangles = vec![face; 3000];
    check_all(&soup(&triangles), [2, 6], 4);
    // Two heaps and a few strays between.
    triangles.extend(vec![face.map(|p| p.map(|x| x + 2.0)); 2000]);
    triangles.extend((0..9).map(|i| face.map(|p| p.map(|x| x + f64::from(i) * 0.3))));
    check_all(&soup(&triangles), [2, 6], 4);
}

#[test]
fn faces_that_shrink_towards_a_point_do_not_make_a_list() {
    let triangle = |i: i32| {
        let s = 0.5f64.powi(i);
        [[s, 0.0, 0.0], [s, s, 0.0], [s, 0.0, s]]
    };
    check_all(&soup(&(0..280).map(triangle).collect::<Vec<_>>()), [2, 6], 4);
}

#[test]
fn the_degree_is_the_lowest_that_improves_enough() {
    // Six clusters around a ring: two or three boxes are hardly better than one, six are.
    let cluster = |c: u32| {
        let angle = f64::from(c) * std::f64::consts::TAU / 6.0;
        (0..5).map(move |i| {
            let (x, y) = (10.0 * angle.cos(), 10.0 * angle.sin());
            let z = f64::from(i) * 0.01;
            [[x, y, z], [x + 0.1, y, z], [x, y + 0.1, z]]
        })
    };
    let mesh = soup(&(0..6).flat_map(cluster).collect::<Vec<_>>());
    let degree = |alpha: f64, degrees: [u8; 2]| {
        let splitter = Splitter::Plain;
        let params = Params { splitter, alpha, degrees, ..Params::default() };
        check::<Sphere>(&mesh, &params).nodes()[0].children().len()
    };
    assert_eq!([degree(0.99, [2, 6]), degree(0.001, [2, 6])], [2, 6]);
    assert_eq!([degree(0.001, [2, 4]), degree(0.99, [3, 3])], [4, 3]);
    let degrees: Vec<usize> = [0.9, 0.75, 0.5, 0.2].map(|alpha| degree(alpha, [2, 6])).to_vec();
    assert!(degrees.is_sorted(), "{degrees:?}");
}

#[test]
fn the_same_mesh_gives_the_same_tree() {
    let triangle = |i: u32| {
        let x = f64::from(i * 7919 % 101);
        let y = f64::from(i * 104_729 % 97);
        [[x, y, 0.0], [x + 1.0, y, 1.0], [x, y + 1.0, f64::from(i % 5)]]
    };
    let mesh = soup(&(0..500).map(triangle).collect::<Vec<_>>());
    let params = Params { splitter: Splitter::Heuristic, ..Params::default() };
    assert_eq!(check::<Obb>(&mesh, &params), check::<Obb>(&mesh, &params));
}
