//! Translations that part bodies: free by brute force, and held against the exhaustive optimum where
//! there is one.

use crate::random::Random;
use glam::DVec3;
use impinge::penetration::{Effort, Separation, separate_meshes};
use impinge::prelude::*;
use impinge_geom::Triangle;
use impinge_samples::build_mesh;
use std::sync::Arc;

type Placed = (Arc<Mesh>, Pose);

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

fn pose(random: &mut Random, spread: f64) -> Pose {
    let quaternion = [(); 4].map(|()| between(random, -1.0, 1.0));
    Pose::new(quaternion, [(); 3].map(|()| between(random, -spread, spread))).unwrap()
}

fn sample(name: &str) -> Arc<Mesh> {
    Arc::new(build_mesh(name).unwrap())
}

fn scaled(mesh: &Mesh, factor: [f64; 3]) -> Arc<Mesh> {
    let vertices = mesh.vertices().iter().map(|p| [0, 1, 2].map(|k| p[k] * factor[k]));
    Arc::new(mesh.with_vertices(vertices.collect()).unwrap())
}

/// Whether the two touch, by the simplest engine there is.
fn touches(a: &Placed, b: &Placed) -> bool {
    let pruner = impinge::broad::by_name("brute").unwrap();
    let mut world = World::with(pruner, impinge::narrow::by_name("brute").unwrap());
    for (mesh, pose) in [a, b] {
        let shape = world.add_shape(Arc::clone(mesh)).unwrap();
        world.insert(Body::new(shape).at(*pose)).unwrap();
    }
    world.step(&Query::TOUCHING).hits().count() > 0
}

fn moved((mesh, pose): &Placed, by: Point) -> Placed {
    let at = pose.translation();
    let to: Point = std::array::from_fn(|k| at[k] + by[k]);
    (Arc::clone(mesh), Pose::new(pose.rotation(), to).unwrap())
}

/// The separation of two that touch, checked for what must hold of every one.
fn parted(a: &Placed, b: &Placed) -> Separation {
    let effort = Effort::default();
    let found = separate_meshes((&a.0, &a.1), (&b.0, &b.1), effort).unwrap().expect("they touch");
    assert!(touches(a, b) && !touches(a, &moved(b, found.translation)), "{found:?}");
    assert_eq!(found.depth, DVec3::from(found.translation).length());
    assert!(found.at_least <= found.depth && found.at_least >= 0.0, "{found:?}");
    found
}

/// The least overlap of two convex polytopes: over the normals of all faces and the products of all
/// edges, each with both signs. One of these is the normal of a face of the difference body.
fn optimum(a: &Placed, b: &Placed) -> f64 {
    let posed = |(mesh, pose): &Placed| -> (Vec<DVec3>, Vec<[DVec3; 3]>) {
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| pose.apply(v).into()).collect();
        let faces = mesh.triangles().iter().map(|t| t.map(|v| vertices[v as usize])).collect();
        (vertices, faces)
    };
    let ((va, fa), (vb, fb)) = (posed(a), posed(b));
    let edges = |faces: &[[DVec3; 3]]| -> Vec<DVec3> {
        let all = faces.iter().flat_map(|[p, q, r]| [*q - *p, *r - *q, *p - *r]);
        // Each edge of a closed mesh comes in both senses; parallel ones give nothing new.
        let mut found: Vec<DVec3> = Vec::new();
        for edge in all.filter_map(DVec3::try_normalize) {
            if !found.iter().any(|other| other.dot(edge).abs() > 1.0 - 1e-15) {
                found.push(edge);
            }
        }
        found
    };
    let normals = fa.iter().chain(&fb).map(|[p, q, r]| (*q - *p).cross(*r - *p));
    let (ea, eb) = (edges(&fa), edges(&fb));
    let products = ea.iter().flat_map(|u| eb.iter().map(|v| u.cross(*v)));
    let mut least = f64::INFINITY;
    for axis in normals.chain(products.filter(|p| p.length() > 1e-9)) {
        let Some(axis) = axis.try_normalize() else { continue };
        let range = |points: &[DVec3]| {
            points.iter().fold([f64::MAX, f64::MIN], |[low, high], p| {
                [low.min(axis.dot(*p)), high.max(axis.dot(*p))]
            })
        };
        let ([a_low, a_high], [b_low, b_high]) = (range(&va), range(&vb));
        least = least.min(a_high - b_low).min(b_high - a_low);
    }
    least
}

/// The ratios of what was found to the optimum.
#[derive(Default)]
struct Ratios(Vec<f64>);

impl Ratios {
    fn judge(&mut self, a: &Placed, b: &Placed) {
        let (found, best) = (parted(a, b), optimum(a, b));
        let rounding = 8.0 * found.rounding;
        assert!(found.depth <= 1.1 * best + rounding, "{found:?} {best} {a:?} {b:?}");
        assert!(found.at_least <= best + rounding, "{found:?} {best}");
        assert!(found.is_proven(), "{found:?} {best} {a:?} {b:?}");
        // Of two that only touch there is no ratio.
        self.0.push(if best > rounding { found.depth / best } else { 1.0 });
    }

    fn tell(&self, what: &str) {
        let most = self.0.iter().copied().fold(0.0, f64::max);
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        println!(
            "{what}: {} pairs, ratio to the optimum {mean:.6} mean, {most:.6} max",
            self.0.len()
        );
    }
}

/// Pairs of two samples in random sizes and poses, as many as touch.
fn judge_pairs(what: &str, count: usize, mut draw: impl FnMut(&mut Random) -> [Placed; 2]) {
    let mut random = Random(what.len() as u64);
    let mut ratios = Ratios::default();
    while ratios.0.len() < count {
        let [a, b] = draw(&mut random);
        if touches(&a, &b) {
            ratios.judge(&a, &b);
        }
    }
    ratios.tell(what);
}

#[test]
fn boxes_are_parted_by_the_shortest_way() {
    judge_pairs("boxes", 500, |random| {
        let size = 10f64.powf(between(random, -3.0, 3.0));
        [(); 2].map(|()| {
            // Plates and rods too.
            let sides = [(); 3].map(|()| size * 10f64.powf(between(random, -2.0, 0.0)));
            (scaled(&sample("box"), sides), pose(random, size * 0.5))
        })
    });
}

#[test]
fn boxes_along_the_axes_are_too() {
    judge_pairs("aligned boxes", 100, |random| {
        [(); 2].map(|()| {
            let sides = [(); 3].map(|()| f64::from(1 + (random.next() % 4) as u32));
            let shift = [(); 3].map(|()| f64::from((random.next() % 5) as u32) * 0.5);
            (scaled(&sample("box"), sides), Pose::shift(shift).unwrap())
        })
    });
}

#[test]
fn polytopes_are_parted_by_the_shortest_way() {
    judge_pairs("polytopes", 500, |random| {
        [(); 2].map(|()| {
            let (corners, seed) = (4 + random.next() % 20, random.next() % 1000);
            let mesh = sample(&format!("polytope?corners={corners}&seed={seed}"));
            let stretch = [(); 3].map(|()| between(random, 0.05, 1.0));
            (scaled(&mesh, stretch), pose(random, 0.7))
        })
    });
}

#[test]
fn round_bodies_are_parted_by_nearly_the_shortest_way() {
    let names = ["sphere?faces=120", "cylinder", "cone", "ellipsoid?faces=120", "icosahedron"];
    judge_pairs("round bodies", 60, |random| {
        [(); 2].map(|()| {
            let mesh = sample(names[random.next() as usize % names.len()]);
            let factor = between(random, 0.2, 1.0);
            (scaled(&mesh, [factor; 3]), pose(random, 0.5))
        })
    });
}

#[test]
fn fine_spheres_need_their_radii_less_their_distance() {
    let mut random = Random(5);
    for faces in [960, 8000] {
        let sphere = sample(&format!("sphere?faces={faces}&radius=1"));
        for _ in 0..6 {
            let a = (Arc::clone(&sphere), pose(&mut random, 2.0));
            let direction = DVec3::from(pose(&mut random, 1.0).translation()).normalize();
            let apart = between(&mut random, 0.0, 1.8);
            let b = moved(&(Arc::clone(&sphere), a.1), (direction * apart).into());
            let found = parted(&a, &b);
            // The tessellated spheres lie within a few parts in a thousand of the round ones.
            assert!(found.is_proven() && found.depth < 1.02 * (2.0 - apart), "{found:?} {apart}");
            assert!(found.at_least > 0.93 * (2.0 - apart) - 0.02, "{found:?} {apart}");
        }
    }
}

#[test]
fn what_is_inside_is_taken_out() {
    let (big, small) = (sample("box?x=4&y=6&z=8"), sample("box?x=1&y=1&z=1"));
    let at = |x: f64| Pose::shift([x, 0.3, -0.2]).unwrap();
    for x in [0.0, 0.5, 1.2] {
        let (outer, inner) = ((Arc::clone(&big), Pose::IDENTITY), (Arc::clone(&small), at(x)));
        for (a, b) in [(&outer, &inner), (&inner, &outer)] {
            let found = parted(a, b);
            assert!(found.is_proven() && (found.depth - (2.5 - x)).abs() < 1e-9, "{found:?}");
        }
    }
    // Of a hollow body the inside is not solid, but what is in its wall must leave it.
    let ring = (sample("torus"), Pose::IDENTITY);
    let bounds = ring.0.bounds();
    let tube = 0.5 * bounds.size()[2];
    let middle = bounds.max[0] - tube;
    let pebble = (scaled(&small, [0.1 * tube; 3]), Pose::shift([middle, 0.0, 0.0]).unwrap());
    let found = parted(&ring, &pebble);
    assert!(found.depth < 1.3 * tube && found.at_least > 0.5 * tube, "{found:?} {tube}");
}

#[test]
fn equal_bodies_in_equal_poses_are_parted() {
    for name in ["box", "sphere?faces=528", "torus", "torus-knot?segments=40&sides=6", "cup"] {
        let a = (sample(name), Pose::new([1.0, 0.2, 0.3, 0.4], [1.0, 2.0, 3.0]).unwrap());
        let found = parted(&a, &a);
        println!("{name}: {found:?}");
    }
}

fn soup(triangles: &[Triangle]) -> Arc<Mesh> {
    let corners = triangles.iter().flatten().copied().collect();
    let faces = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Arc::new(Mesh::new(corners, faces).unwrap())
}

#[test]
fn flat_bodies_are_parted() {
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let one = (soup(&[flat]), Pose::IDENTITY);
    // In one plane hardly any way is needed.
    assert!(parted(&one, &one).depth < 1e-12 && parted(&one, &one).is_proven());
    let upright = [[0.2, 0.2, -0.1], [0.2, 0.2, 0.3], [0.5, 0.3, 0.3]];
    let found = parted(&one, &(soup(&[upright]), Pose::IDENTITY));
    assert!(found.is_proven() && (found.depth - 0.1).abs() < 1e-9, "{found:?}");
    let through = (sample("box"), Pose::IDENTITY);
    let found = parted(&one, &through);
    assert!(found.is_proven() && found.depth > 0.4, "{found:?}");
    // A segment, a point, and one point against another.
    let segment = (soup(&[[flat[0], flat[1], flat[1]]]), Pose::IDENTITY);
    let point = (soup(&[[flat[0]; 3]]), Pose::IDENTITY);
    for (a, b) in [(&segment, &one), (&one, &point), (&point, &point), (&segment, &segment)] {
        assert!(parted(a, b).depth < 1e-12);
    }
    // A quad of two triangles through a box: open, so only its triangles bound the way.
    let quad = [flat, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]];
    assert!(parted(&through, &(soup(&quad), Pose::IDENTITY)).depth < 0.6);
}

#[test]
fn touching_bodies_need_next_to_nothing() {
    let cube = sample("box");
    let a = (Arc::clone(&cube), Pose::IDENTITY);
    for shift in [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0; 3], [0.3, 1.0, 0.2]] {
        let found = parted(&a, &(Arc::clone(&cube), Pose::shift(shift).unwrap()));
        assert!(found.depth < 1e-12 && found.is_proven(), "{found:?}");
    }
    let apart = (&cube, &Pose::shift([1.1, 0.0, 0.0]).unwrap());
    let found = separate_meshes((&cube, &Pose::IDENTITY), apart, Effort::default());
    assert_eq!(found, Ok(None));
}

#[test]
fn bodies_may_be_tiny_huge_or_far_away() {
    let mut random = Random(9);
    for (size, far) in
        [(2f64.powi(-280), 0.0), (1e-12, 1.0), (1e80, 1e82), (1.0, 1e9), (1e-3, 1e12)]
    {
        let unit = sample("polytope");
        let mesh = scaled(&unit, [size; 3]);
        for _ in 0..10 {
            let shift: DVec3 = [(); 3].map(|()| far * between(&mut random, -1.0, 1.0)).into();
            let place = |pose: &Pose| {
                let t = DVec3::from(pose.translation()) * size + shift;
                Pose::new(pose.rotation(), t).unwrap()
            };
            let poses = [pose(&mut random, 0.5), pose(&mut random, 0.5)].map(|p| place(&p));
            let [a, b] = poses.map(|pose| (Arc::clone(&mesh), pose));
            if touches(&a, &b) {
                let found = parted(&a, &b);
                let best = optimum(&a, &b);
                assert!(found.depth <= 1.1 * best + 8.0 * found.rounding, "{found:?} {best}");
            }
        }
    }
}

/// Random translations shorter than the bound must not be free.
fn bound_holds(a: &Placed, b: &Placed, found: &Separation, random: &mut Random) {
    for _ in 0..8 {
        let direction = DVec3::from(pose(random, 1.0).translation()).normalize();
        let t = direction * (found.at_least * 0.999 * random.unit().cbrt());
        assert!(touches(a, &moved(b, t.into())), "{found:?} {t}");
    }
}

#[test]
fn concave_bodies_are_parted_and_the_bound_holds() {
    let names = [
        "torus?segments=24&sides=8",
        "torus-knot?segments=40&sides=6",
        "cup",
        "stellated-dodecahedron",
        "bumpy-sphere?faces=528",
        "box",
    ];
    let meshes = names.map(sample);
    let mut random = Random(4);
    let mut tried = 0;
    let (mut bounded, mut gained) = (0, 0);
    while tried < 60 {
        let [a, b] = [(); 2].map(|()| {
            let mesh = &meshes[random.next() as usize % meshes.len()];
            let size = 1.0 / mesh.bounds().size().iter().fold(0.0f64, |m, x| m.max(*x));
            (scaled(mesh, [size * between(&mut random, 0.5, 1.0); 3]), pose(&mut random, 0.5))
        });
        if !touches(&a, &b) {
            continue;
        }
        tried += 1;
        let found = parted(&a, &b);
        bound_holds(&a, &b, &found, &mut random);
        let none = Effort { questions_max: 0 };
        let hull = separate_meshes((&a.0, &a.1), (&b.0, &b.1), none).unwrap().unwrap();
        assert!(found.depth <= hull.depth);
        bounded += usize::from(found.at_least > 0.1 * found.depth);
        gained += usize::from(found.depth < 0.9 * hull.depth);
    }
    println!("of {tried}: {bounded} bounded within a factor of ten, {gained} shorter than hulls");
    assert!(bounded > 20 && gained > 15, "{bounded} {gained}");
}

/// A block with a slot along y, as a closed mesh: a U swept along y.
fn slotted() -> Arc<Mesh> {
    let outline = [
        [-2.0, -2.0],
        [2.0, -2.0],
        [2.0, 2.0],
        [0.5, 2.0],
        [0.5, -1.0],
        [-0.5, -1.0],
        [-0.5, 2.0],
        [-2.0, 2.0],
    ];
    let vertices = [-2.0, 2.0].iter().flat_map(|&y| outline.map(|[x, z]| [x, y, z])).collect();
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for i in 0..8u32 {
        let j = (i + 1) % 8;
        faces.extend([[i, j + 8, j], [i, i + 8, j + 8]]);
    }
    for [a, b, c] in [[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 4, 5], [0, 5, 7], [5, 6, 7]] {
        faces.extend([[a, b, c], [a + 8, c + 8, b + 8]]);
    }
    Arc::new(Mesh::new(vertices, faces).unwrap())
}

#[test]
fn a_peg_that_scrapes_the_wall_of_its_slot_is_moved_a_little() {
    let block = (slotted(), Pose::IDENTITY);
    let peg = sample("box?x=0.9&y=0.9&z=2");
    // Into the right wall by 0.02, where there is 0.12 of room to the left.
    let b = (peg, Pose::shift([0.07, 0.1, 0.5]).unwrap());
    let found = parted(&block, &b);
    assert!((found.depth - 0.02).abs() < 1e-3, "{found:?}");
    assert!(found.at_least <= 0.02 + 1e-12, "{found:?}");
}

#[test]
fn soup_is_parted() {
    let mut random = Random(8);
    for count in [1, 2, 10, 60] {
        for _ in 0..5 {
            let [a, b] = [(); 2].map(|()| {
                let mut point = || [(); 3].map(|()| between(&mut random, -1.0, 1.0));
                let soup =
                    soup(&(0..count).map(|_| [point(), point(), point()]).collect::<Vec<_>>());
                (soup, pose(&mut random, 0.3))
            });
            if touches(&a, &b) {
                let found = parted(&a, &b);
                bound_holds(&a, &b, &found, &mut random);
            }
        }
    }
}

#[test]
fn a_world_parts_its_bodies_the_same_way_on_any_number_of_threads() {
    let mut world = World::new();
    let knot = world.add_shape(sample("torus-knot?segments=40&sides=6")).unwrap();
    let ball = world.add_shape(sample("sphere?faces=528")).unwrap();
    let a = world.insert(Body::new(knot)).unwrap();
    let turned = Pose::new([0.9, 0.1, 0.3, 0.2], [0.3, 0.2, 0.4]).unwrap();
    let b = world.insert(Body::new(knot).at(turned)).unwrap();
    let c = world.insert(Body::new(ball).at(Pose::shift([50.0, 0.0, 0.0]).unwrap())).unwrap();
    let mut run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let world = &mut world;
        pool.install(move || world.separation(a, b))
    };
    let one = run(1).expect("the knots touch");
    assert!(run(2) == Some(one) && run(5) == Some(one));
    assert_eq!((world.separation(a, c), world.separation(a, a)), (None, None));
    let at = DVec3::from(turned.translation()) + DVec3::from(one.translation);
    world.set_pose(b, Pose::new(turned.rotation(), at).unwrap());
    assert_eq!(world.step(&Query::TOUCHING).hits().count(), 0);
    world.remove(b);
    assert_eq!(world.separation(a, b), None);
}
