//! How much space two bodies share: bounds always hold the truth, and all converge to it. Truth is in
//! closed form, or for convex bodies from half-spaces and lines, which know nothing of pixels' faces.

use impinge_geom::Point;
use impinge_geom::image::volume::{Pyramid, Relation, Solid, Volume, shared};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::{Shell, shells};

struct Body {
    mesh: Mesh,
    shells: Vec<Shell>,
}

impl Body {
    fn new(mesh: Mesh) -> Self {
        Self { shells: shells(&mesh), mesh }
    }

    fn solid(&self) -> Solid<'_> {
        let (points, triangles) = (self.mesh.vertices(), self.mesh.triangles());
        Solid { points, triangles, shells: &self.shells }
    }

    fn volume(&self) -> f64 {
        let six = self.mesh.triangles().iter().map(|corners| {
            let [p, q, r] = corners.map(|v| self.mesh.vertices()[v as usize]);
            p[0] * (q[1] * r[2] - q[2] * r[1])
                + p[1] * (q[2] * r[0] - q[0] * r[2])
                + p[2] * (q[0] * r[1] - q[1] * r[0])
        });
        six.sum::<f64>() / 6.0
    }

    fn at(&self, pose: &Pose) -> Self {
        let vertices = self.mesh.vertices().iter().map(|v| pose.apply(v)).collect();
        Self::new(self.mesh.with_vertices(vertices).expect("finite"))
    }
}

fn block(half: Point) -> Mesh {
    let corner =
        |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).expect("a box")
}

fn ball(segments: u32, rings: u32, radius: f64) -> Mesh {
    let mut points = vec![[0.0, 0.0, radius], [0.0, 0.0, -radius]];
    for i in 1..rings {
        let down = std::f64::consts::PI * f64::from(i) / f64::from(rings);
        for j in 0..segments {
            let round = std::f64::consts::TAU * f64::from(j) / f64::from(segments);
            let across = radius * down.sin();
            points.push([across * round.cos(), across * round.sin(), radius * down.cos()]);
        }
    }
    let at = |i: u32, j: u32| 2 + (i - 1) * segments + j % segments;
    let mut triangles = Vec::new();
    for j in 0..segments {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        triangles.push([1, at(rings - 1, j + 1), at(rings - 1, j)]);
        for i in 1..rings - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Mesh::new(points, triangles).expect("a ball")
}

fn joined(meshes: &[&Mesh]) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = points.len() as u32;
        points.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|v| v + first)));
    }
    Mesh::new(points, triangles).expect("two meshes")
}

fn inside_out(mesh: &Mesh) -> Mesh {
    let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::new(mesh.vertices().to_vec(), turned).expect("the same points")
}

/// The common part of two convex bodies, by lines along z through a lattice of so many points.
fn truth([a, b]: [&Body; 2], lines: usize) -> f64 {
    let planes: Vec<[f64; 4]> = [a, b]
        .iter()
        .flat_map(|body| {
            body.mesh.triangles().iter().map(|corners| {
                let [p, q, r] = corners.map(|v| body.mesh.vertices()[v as usize]);
                let way = |to: Point| [to[0] - p[0], to[1] - p[1], to[2] - p[2]];
                let ([ax, ay, az], [bx, by, bz]) = (way(q), way(r));
                let n = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
                [n[0], n[1], n[2], n[0] * p[0] + n[1] * p[1] + n[2] * p[2]]
            })
        })
        .collect();
    let (one, other) = (a.mesh.bounds(), b.mesh.bounds());
    let ends = [0, 1].map(|k| [one.min[k].max(other.min[k]), one.max[k].min(other.max[k])]);
    if ends.iter().any(|[low, high]| low >= high) {
        return 0.0;
    }
    let step = ends.map(|[low, high]| (high - low) / lines as f64);
    let mut sum = 0.0;
    for i in 0..lines {
        for j in 0..lines {
            let x = ends[0][0] + (i as f64 + 0.5) * step[0];
            let y = ends[1][0] + (j as f64 + 0.5) * step[1];
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            for &[nx, ny, nz, d] in &planes {
                let rest = d - nx * x - ny * y;
                if nz > 0.0 {
                    high = high.min(rest / nz);
                } else if nz < 0.0 {
                    low = low.max(rest / nz);
                } else if rest < 0.0 {
                    high = f64::NEG_INFINITY;
                }
            }
            sum += (high - low).max(0.0);
        }
    }
    sum * step[0] * step[1]
}

struct Random(u64);

impl Random {
    fn symmetric(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn pose(&mut self, away: f64) -> Pose {
        let q = [(); 4].map(|()| self.symmetric());
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let there = [(); 3].map(|()| away * self.symmetric());
        Pose::new(q.map(|x| x / length), there).expect("a rotation")
    }
}

#[track_caller]
fn assert_holds(volume: &Volume, truth: f64, off: f64) {
    assert!(
        volume.at_least <= truth * (1.0 + off) && truth * (1.0 - off) <= volume.at_most,
        "{volume:?} {truth}"
    );
    assert!(volume.at_least <= volume.estimate * (1.0 + 1e-9), "{volume:?}");
    assert!(volume.estimate <= volume.at_most * (1.0 + 1e-9), "{volume:?}");
}

#[test]
fn boxes_share_what_the_formula_says() {
    let a = Body::new(block([0.5; 3]));
    for (shift, expected) in [
        ([0.3, 0.2, 0.1], 0.7 * 0.8 * 0.9),
        ([0.0; 3], 1.0),
        ([0.999, 0.0, -0.5], 0.001 * 0.5),
        ([0.9, -0.9, 0.9], 0.001),
    ] {
        for far in [0.0, 1e6] {
            let both = [[far; 3], shift.map(|x| x + far)];
            let [a, b] = both.map(|to| a.at(&Pose::shift(to).expect("finite")));
            for resolution in [8, 31, 64, 256] {
                let volume = shared([a.solid(), b.solid()], resolution);
                // Corners far off are where f64 puts them.
                assert_holds(&volume, expected, if far > 0.0 { 1e-6 } else { 1e-12 });
                let off = (volume.estimate / expected - 1.0).abs();
                assert!(off < if far > 0.0 { 1e-3 } else { 1e-5 }, "{volume:?} {expected}");
            }
        }
    }
}

#[test]
fn where_in_the_world_bodies_are_makes_no_difference() {
    for exponent in 6..=15 {
        let far = 10f64.powi(exponent);
        // Where coordinates are whole multiples of 1/8, all of these are exact.
        let boxes = [0.0, 0.5].map(|x| {
            Body::new(block([0.5; 3])).at(&Pose::shift([far + x, 0.0, 0.0]).expect("finite"))
        });
        for resolution in [8, 31, 256] {
            let volume = shared([boxes[0].solid(), boxes[1].solid()], resolution);
            assert_holds(&volume, 0.5, 0.0);
            assert!((volume.estimate - 0.5).abs() < 1e-5, "{far}: {volume:?}");
        }
        // Of others the same bodies are brought back, which takes no rounding.
        let ball = Body::new(ball(24, 16, 2.0));
        let away = [[far, -far, far], [far + 1.25, 0.5 - far, far + 0.75]]
            .map(|to| ball.at(&Pose::shift(to).expect("finite")));
        let back =
            away.each_ref().map(|body| body.at(&Pose::shift([-far, far, -far]).expect("finite")));
        let volume = shared([away[0].solid(), away[1].solid()], 64);
        let near = shared([back[0].solid(), back[1].solid()], 64);
        for (x, y) in [
            (volume.at_least, near.at_least),
            (volume.at_most, near.at_most),
            (volume.estimate, near.estimate),
        ] {
            assert!((x - y).abs() < 1e-6 * near.estimate, "{far}: {volume:?} {near:?}");
        }
        let level = Pyramid::of([away[0].solid(), away[1].solid()]).nth(2).expect("more to see");
        assert_eq!(level.relation, Relation::Overlapping, "{far}: {level:?}");
    }
}

#[test]
fn no_more_is_shared_than_boxes_have_in_common() {
    let a = Body::new(block([0.5; 3]));
    for (x, most) in [(0.75, 0.25), (1.0, 0.0), (1.0 - 1e-9, 1.0001e-9), (1.5, 0.0)] {
        let b = a.at(&Pose::shift([x, 0.0, 0.0]).expect("finite"));
        for resolution in [1, 8, 64] {
            let volume = shared([a.solid(), b.solid()], resolution);
            assert!(volume.at_most <= most * (1.0 + 1e-15), "{x}: {volume:?}");
            assert!(volume.at_least <= volume.estimate && volume.estimate <= volume.at_most);
        }
    }
}

#[test]
fn balls_converge_to_what_their_meshes_share() {
    let a = Body::new(ball(24, 16, 1.0));
    for (away, turn) in [(0.5, 0.3), (1.5, 1.0), (1.9, 2.0), (1.98, 0.1)] {
        let way = [0.6 * away, -0.48 * away, 0.64 * away];
        let pose =
            Pose::new([f64::cos(turn), 0.6 * f64::sin(turn), 0.0, 0.8 * f64::sin(turn)], way);
        let b = a.at(&pose.expect("a rotation"));
        let expected = truth([&a, &b], 600);
        let mut width_before = f64::INFINITY;
        for (resolution, off) in [(16, 2e-2), (64, 3e-3), (256, 1e-3)] {
            let volume = shared([a.solid(), b.solid()], resolution);
            assert_holds(&volume, expected, 1e-4);
            assert!((volume.estimate / expected - 1.0).abs() < off, "{volume:?} {expected}");
            let width = volume.at_most - volume.at_least;
            assert!(width < 0.45 * width_before, "{resolution}: {volume:?}");
            width_before = width;
        }
        assert!(width_before < 0.06 * expected, "{width_before} {expected}");
    }
    // Beside the lens of true balls, for meshes fine enough.
    let fine = Body::new(ball(200, 100, 1.0));
    let other = fine.at(&Pose::shift([0.0, 1.5, 0.0]).expect("finite"));
    let height = 0.25f64;
    let lens = 2.0 * std::f64::consts::PI * height * height * (3.0 - height) / 3.0;
    let volume = shared([fine.solid(), other.solid()], 128);
    assert!((volume.estimate / lens - 1.0).abs() < 5e-3, "{volume:?} {lens}");
}

#[test]
fn random_convex_bodies_share_what_half_spaces_say() {
    let mut random = Random(5);
    let shapes =
        [block([0.5, 0.4, 0.6]), block([1.0, 0.01, 1.0]), ball(7, 5, 0.7), ball(3, 2, 0.9)];
    let (mut shared_some, mut told) = (0, [0; 3]);
    for i in 0..160 {
        let [a, b] = [i % 4, (i / 4) % 4].map(|k| {
            Body::new(shapes[k].clone()).at(&random.pose(0.1 + 1.4 * (i % 7) as f64 / 6.0))
        });
        let expected = truth([&a, &b], 300);
        for resolution in [8, 40] {
            let volume = shared([a.solid(), b.solid()], resolution);
            assert!(volume.at_least <= expected * 1.01 + 1e-5, "{i}: {volume:?} {expected}");
            assert!(expected * 0.99 - 1e-5 <= volume.at_most, "{i}: {volume:?} {expected}");
        }
        shared_some += usize::from(expected > 1e-3);
        let last = Pyramid::of([a.solid(), b.solid()]).take(5).last().expect("one at least");
        match last.relation {
            Relation::Free => assert!(expected < 1e-9, "{i}: {last:?} {expected}"),
            Relation::Overlapping => assert!(expected > 0.0, "{i}: {last:?} {expected}"),
            Relation::Unknown => {}
        }
        told[last.relation as usize] += 1;
    }
    assert!(shared_some > 40, "{shared_some}");
    assert!(told[0] > 20 && told[1] > 40 && told[2] < 16, "{told:?}");
}

#[test]
fn what_is_within_and_what_is_in_a_cavity() {
    let (small, large) = (Body::new(ball(12, 8, 0.3)), Body::new(ball(16, 12, 1.0)));
    let volume = shared([small.solid(), large.solid()], 64);
    assert_holds(&volume, small.volume(), 1e-9);
    assert!((volume.estimate / small.volume() - 1.0).abs() < 5e-3);
    let hollow = Body::new(joined(&[&large.mesh, &inside_out(&ball(16, 12, 0.6))]));
    assert_eq!(hollow.shells.len(), 2);
    let volume = shared([small.solid(), hollow.solid()], 64);
    assert_eq!((volume.at_least, volume.at_most), (0.0, 0.0));
    let levels: Vec<_> = Pyramid::of([small.solid(), hollow.solid()]).collect();
    assert_eq!(levels.last().map(|level| level.relation), Some(Relation::Free));
    // In the wall.
    let in_wall = small.at(&Pose::shift([0.0, 0.0, 0.7]).expect("finite"));
    let volume = shared([in_wall.solid(), hollow.solid()], 128);
    assert!(volume.at_least > 0.0 && volume.at_most < small.volume());
    let level = Pyramid::of([in_wall.solid(), hollow.solid()]).nth(2).expect("not decided before");
    assert_eq!(level.relation, Relation::Overlapping);
    // What is open shares nothing, but is in the way.
    let open = Mesh::new(vec![[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]], vec![[0, 1, 2]]);
    let open = Body::new(open.expect("a triangle"));
    assert_eq!(shared([open.solid(), large.solid()], 32).at_least, 0.0);
    assert_eq!(
        Pyramid::of([open.solid(), large.solid()]).last().map(|level| level.relation),
        Some(Relation::Unknown)
    );
}
