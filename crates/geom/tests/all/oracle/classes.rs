//! Kinds of triangle pairs, each aimed at one way in which triangles can meet or just miss.
//!
//! All but the first two are built on the integer grid, so that what is meant to be collinear,
//! coplanar or shared is so exactly.

use super::rng::Rng;
use impinge_geom::{Point, Triangle};

/// One kind of pair.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    /// Whether its pairs are in special position before they are twisted.
    pub(crate) degenerate: bool,
    pub(crate) make: fn(&mut Rng) -> [Triangle; 2],
}

const fn general(name: &'static str, make: fn(&mut Rng) -> [Triangle; 2]) -> Class {
    Class { name, degenerate: false, make }
}

const fn special(name: &'static str, make: fn(&mut Rng) -> [Triangle; 2]) -> Class {
    Class { name, degenerate: true, make }
}

pub(crate) const CLASSES: [Class; 22] = [
    general("random", random),
    general("near miss", near_miss),
    general("needles", needles),
    general("parallel planes", parallel_planes),
    special("coplanar, axis plane", coplanar_axis),
    special("coplanar, tilted plane", coplanar_tilted),
    special("coplanar, nested", coplanar_nested),
    special("shared vertex", shared_vertex),
    special("shared edge", shared_edge),
    special("vertex on edge", vertex_on_edge),
    special("edge through edge", edge_through_edge),
    special("edge through vertex", edge_through_vertex),
    special("vertex in face", vertex_in_face),
    special("edges on one line", edges_on_one_line),
    special("needle in special position", needle_special),
    special("segment and triangle", segment_and_triangle),
    special("two segments", two_segments),
    special("point and triangle", point_and_triangle),
    special("point and segment", point_and_segment),
    special("duplicate", duplicate),
    general("tiny grid", tiny_grid),
    special("tiny planar grid", tiny_planar_grid),
];

/// A point of the integer grid.
type Node = [i64; 3];

fn real(triangle: [Node; 3]) -> Triangle {
    triangle.map(|node| node.map(|x| x as f64))
}

fn node(rng: &mut Rng, size: i64) -> Node {
    std::array::from_fn(|_| rng.integer(-size, size))
}

/// A coordinate range: small ones meet often by chance, large ones fill the mantissa of products.
fn size(rng: &mut Rng) -> i64 {
    1 << rng.integer(1, 24)
}

fn along(origin: Node, steps: i64, direction: Node) -> Node {
    std::array::from_fn(|k| origin[k] + steps * direction[k])
}

/// The pair in either order, with the corners of both in any order.
fn mixed(rng: &mut Rng, mut pair: [[Node; 3]; 2]) -> [Triangle; 2] {
    rng.shuffle(&mut pair);
    pair.map(|mut triangle| {
        rng.shuffle(&mut triangle);
        real(triangle)
    })
}

fn random_point(rng: &mut Rng) -> Point {
    std::array::from_fn(|_| rng.centered())
}

fn random(rng: &mut Rng) -> [Triangle; 2] {
    std::array::from_fn(|_| std::array::from_fn(|_| random_point(rng)))
}

/// B has a corner near a point of A's face, a little off along one axis, and lies on that side.
fn near_miss(rng: &mut Rng) -> [Triangle; 2] {
    let a: Triangle = std::array::from_fn(|_| random_point(rng));
    let (u, v) = (rng.unit(), rng.unit());
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    let edges: [Point; 2] = [1, 2].map(|i| std::array::from_fn(|k| a[i][k] - a[0][k]));
    let foot: Point = std::array::from_fn(|k| a[0][k] + u * edges[0][k] + v * edges[1][k]);
    let normal = cross(edges[0], edges[1]);
    let gap = rng.centered().signum() * 10f64.powf(-16.0 * rng.unit());
    let lift = |p: Point, by: f64| -> Point { std::array::from_fn(|k| p[k] + by * normal[k]) };
    let far: [Point; 2] = std::array::from_fn(|_| {
        let (du, dv, by) = (rng.centered(), rng.centered(), rng.unit());
        let beside = std::array::from_fn(|k| foot[k] + du * edges[0][k] + dv * edges[1][k]);
        lift(beside, if rng.below(4) == 0 { gap } else { by })
    });
    [a, [lift(foot, gap), far[0], far[1]]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Long thin triangles that cross near the origin, if at all.
fn needles(rng: &mut Rng) -> [Triangle; 2] {
    let mut needle = |thick: i64| {
        let tip = node(rng, 1 << 24);
        let base = along(node(rng, thick), -1, tip);
        [tip, base, along(base, 1, node(rng, thick))]
    };
    let pair = [needle(2), needle(1 << 20)];
    mixed(rng, pair)
}

/// A flat pair, one of the two a single grid step off its plane.
fn parallel_planes(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let (u, v, step) = (node(rng, 8), node(rng, 8), node(rng, 1));
    let mut flat = || -> [Node; 3] {
        std::array::from_fn(|_| {
            let [s, t] = [rng.integer(-size, size), rng.integer(-size, size)];
            along(along([0; 3], s, u), t, v)
        })
    };
    let pair = [flat(), flat().map(|p| along(p, 1, step))];
    mixed(rng, pair)
}

fn coplanar_axis(rng: &mut Rng) -> [Triangle; 2] {
    let (size, axis) = (size(rng), rng.below(3));
    let level = rng.integer(-size, size);
    let mut flat = || -> [Node; 3] {
        std::array::from_fn(|_| {
            let mut p = node(rng, size);
            p[axis] = level;
            p
        })
    };
    let pair = [flat(), flat()];
    mixed(rng, pair)
}

/// Both triangles in the plane that two grid vectors span.
fn coplanar_tilted(rng: &mut Rng) -> [Triangle; 2] {
    let (steps, size) = (1 << rng.integer(1, 14), size(rng));
    let (origin, u, v) = (node(rng, size), node(rng, size), node(rng, size));
    let mut flat = || -> [Node; 3] {
        std::array::from_fn(|_| {
            let [s, t] = [rng.integer(-steps, steps), rng.integer(-steps, steps)];
            along(along(origin, s, u), t, v)
        })
    };
    let pair = [flat(), flat()];
    mixed(rng, pair)
}

/// A face with corners o, o+8u, o+8v, and the point o+su+tv of its plane.
struct Face {
    corners: [Node; 3],
    u: Node,
    v: Node,
}

impl Face {
    fn new(rng: &mut Rng) -> Self {
        let size = size(rng);
        let (o, u, v) = (node(rng, size), node(rng, size), node(rng, size));
        Self { corners: [o, along(o, 8, u), along(o, 8, v)], u, v }
    }

    fn at(&self, s: i64, t: i64) -> Node {
        along(along(self.corners[0], s, self.u), t, self.v)
    }

    /// A point of the plane: within the face, on its border, or just outside.
    fn around(&self, rng: &mut Rng) -> Node {
        let s = rng.integer(-1, 9);
        let t = rng.integer(-1, (9 - s).max(0));
        self.at(s, t)
    }
}

fn coplanar_nested(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let inner = std::array::from_fn(|_| {
        let s = rng.integer(0, 8);
        face.at(s, rng.integer(0, 8 - s))
    });
    mixed(rng, [face.corners, inner])
}

fn shared_vertex(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let common = node(rng, size);
    let pair = [(); 2].map(|()| [common, node(rng, size), node(rng, size)]);
    mixed(rng, pair)
}

fn shared_edge(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let common = [node(rng, size), node(rng, size)];
    let pair = [(); 2].map(|()| [common[0], common[1], node(rng, size)]);
    mixed(rng, pair)
}

fn vertex_on_edge(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let vertex = face.at(rng.integer(-1, 9), 0);
    let other = lopsided(rng, &face, vertex);
    mixed(rng, [face.corners, other])
}

/// A triangle at `vertex`; its other corners lie anywhere, or in the face's plane or along its edge.
fn lopsided(rng: &mut Rng, face: &Face, vertex: Node) -> [Node; 3] {
    let size = size(rng);
    let mut corner = || match rng.below(4) {
        0 => along(vertex, rng.integer(-3, 3), face.u),
        1 => along(along(vertex, rng.integer(-3, 3), face.u), rng.integer(-3, 3), face.v),
        _ => along(vertex, 1, node(rng, size)),
    };
    [vertex, corner(), corner()]
}

/// Two edges on crossing lines; they meet, end at each other, or end just before.
fn edge_through_edge(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let crossing = node(rng, size);
    let pair = [(); 2].map(|()| {
        let direction = node(rng, size);
        let start = rng.integer(-4, 1);
        [along(crossing, start, direction), along(crossing, 4, direction), node(rng, size)]
    });
    mixed(rng, pair)
}

fn edge_through_vertex(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let a = [(); 3].map(|()| node(rng, size));
    let direction = node(rng, size);
    let edge = [along(a[0], rng.integer(-4, 1), direction), along(a[0], 4, direction)];
    let other = [edge[0], edge[1], node(rng, size)];
    mixed(rng, [a, other])
}

fn vertex_in_face(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let vertex = face.around(rng);
    let other = lopsided(rng, &face, vertex);
    mixed(rng, [face.corners, other])
}

fn edges_on_one_line(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let (origin, direction) = (node(rng, size), node(rng, size));
    let pair = [(); 2].map(|()| {
        let start = rng.integer(-5, 4);
        let end = start + rng.integer(1, 4);
        [along(origin, start, direction), along(origin, end, direction), node(rng, size)]
    });
    mixed(rng, pair)
}

/// A needle whose long side starts at, lies in, or pierces a face.
fn needle_special(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let (on, length) = (face.around(rng), rng.integer(1, 1 << 8));
    let direction = if rng.flip() { face.u } else { node(rng, 1 << 20) };
    let tip = along(on, length, direction);
    let back = along(on, rng.integer(-length, 1), direction);
    let needle = [tip, back, along(back, 1, node(rng, 1))];
    mixed(rng, [face.corners, needle])
}

/// Three points of one line; `steps` apart at most, perhaps all in one place.
fn segment(rng: &mut Rng, through: Node, direction: Node) -> [Node; 3] {
    [(); 3].map(|()| along(through, rng.integer(-3, 3), direction))
}

fn segment_and_triangle(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let (on, size) = (face.around(rng), size(rng));
    let direction = match rng.below(4) {
        0 => face.u,
        1 => along(face.u, -1, face.v),
        _ => node(rng, size),
    };
    let segment = segment(rng, on, direction);
    mixed(rng, [face.corners, segment])
}

fn two_segments(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let (crossing, u, v) = (node(rng, size), node(rng, size), node(rng, size));
    let v = if rng.flip() { u } else { v };
    let off = if rng.below(4) == 0 { node(rng, 1) } else { [0; 3] };
    let pair = [segment(rng, crossing, u), segment(rng, along(crossing, 1, off), v)];
    mixed(rng, pair)
}

fn point_and_triangle(rng: &mut Rng) -> [Triangle; 2] {
    let face = Face::new(rng);
    let off = if rng.below(4) == 0 { node(rng, 1) } else { [0; 3] };
    let point = along(face.around(rng), 1, off);
    mixed(rng, [face.corners, [point; 3]])
}

fn point_and_segment(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let (origin, direction) = (node(rng, size), node(rng, size));
    let off = if rng.below(4) == 0 { node(rng, 1) } else { [0; 3] };
    let point = along(along(origin, rng.integer(-3, 3), direction), 1, off);
    let direction = if rng.below(8) == 0 { [0; 3] } else { direction };
    let pair = [segment(rng, origin, direction), [point; 3]];
    mixed(rng, pair)
}

/// The same triangle twice, now and then with one or all corners a grid step aside.
fn duplicate(rng: &mut Rng) -> [Triangle; 2] {
    let size = size(rng);
    let a = [(); 3].map(|()| node(rng, size));
    let mut b = a;
    let moved = [0, 0, 0, 1, 3][rng.below(5)];
    let step = node(rng, 1);
    for corner in &mut b[..moved] {
        *corner = along(*corner, 1, step);
    }
    mixed(rng, [a, b])
}

fn tiny_grid(rng: &mut Rng) -> [Triangle; 2] {
    let top = rng.integer(1, 3);
    let mut corners = || -> Triangle {
        std::array::from_fn(|_| std::array::from_fn(|_| rng.integer(0, top) as f64))
    };
    [corners(), corners()]
}

fn tiny_planar_grid(rng: &mut Rng) -> [Triangle; 2] {
    let (top, axis) = (rng.integer(2, 6), rng.below(3));
    let mut corners = || -> Triangle {
        std::array::from_fn(|_| {
            std::array::from_fn(|k| if k == axis { 1.0 } else { rng.integer(0, top) as f64 })
        })
    };
    [corners(), corners()]
}
