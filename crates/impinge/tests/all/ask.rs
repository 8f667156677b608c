//! Rays and points against bodies, judged by every triangle of every body.

use crate::random::Random;
use impinge::prelude::*;
use impinge_geom::distance::{Feature, point_triangle};
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::Placed;
use impinge_geom::ray_triangle::meet;
use impinge_geom::shells::{locate_in, shells};
use impinge_samples::build_mesh;

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + random.unit() * (high - low)
}

const ALL: fn(BodyId, &Body) -> bool = |_, _| true;

/// Triangles of all sizes, many of them flat, repeated or on a grid.
fn soup(random: &mut Random, count: u32) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..count {
        let at: Point = std::array::from_fn(|_| between(random, -1.0, 1.0));
        let size = 10f64.powf(between(random, -4.0, 0.0));
        for corner in 0..3 {
            let off = |random: &mut Random| match i % 4 {
                0 => 0.0,
                1 => f64::from(corner) * size,
                2 => (between(random, -2.0, 2.0)).round() * 0.25,
                _ => between(random, -size, size),
            };
            vertices.push(at.map(|x| if i % 4 == 2 { off(random) } else { x + off(random) }));
        }
    }
    let mut triangles: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    triangles.extend_from_within(..count as usize / 8);
    Mesh::new(vertices, triangles).unwrap()
}

fn meshes(random: &mut Random) -> Vec<Mesh> {
    let names = [
        "torus-knot?segments=60&sides=12",
        "bumpy-sphere?faces=960",
        "box",
        "cup",
        "sphere?faces=480",
        "box?x=1e-3&y=1e-3&z=1e-3",
    ];
    let mut meshes: Vec<Mesh> = names.iter().map(|name| build_mesh(name).unwrap()).collect();
    meshes.push(soup(random, 400));
    let one = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    meshes.push(Mesh::new(one.clone(), vec![[0, 1, 2]]).unwrap());
    meshes.push(Mesh::new(one.clone(), vec![[0, 1, 2]; 300]).unwrap());
    meshes.push(Mesh::new(one, vec![[0, 0, 0], [1, 1, 2], [0, 1, 0]]).unwrap());
    meshes
}

fn poses(random: &mut Random) -> [Pose; 3] {
    let turned = |random: &mut Random, far: f64| {
        let q: [f64; 4] = std::array::from_fn(|_| between(random, -1.0, 1.0) + 1e-3);
        let t: Point = std::array::from_fn(|_| between(random, -far, far));
        Pose::new(q, t).unwrap()
    };
    [Pose::IDENTITY, turned(random, 2.0), turned(random, 1e5)]
}

/// A point of a triangle: inside, on an edge or a corner.
fn on(random: &mut Random, corners: &[Point; 3], kind: u32) -> Point {
    let mut weights: [f64; 3] = std::array::from_fn(|_| between(random, 0.0, 1.0));
    if kind >= 1 {
        weights[0] = 0.0;
    }
    if kind >= 2 {
        return corners[(between(random, 0.0, 3.0) as usize).min(2)];
    }
    let sum: f64 = weights.iter().sum();
    std::array::from_fn(|k| (0..3).map(|c| weights[c] / sum * corners[c][k]).sum())
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Rays that are worth asking about.
fn ray(random: &mut Random, placed: &Placed<'_>, kind: u32) -> Option<Ray> {
    let count = placed.mesh.triangles().len() as f64;
    let pick = |random: &mut Random| {
        placed.triangle((between(random, 0.0, count) as u32).min(count as u32 - 1))
    };
    let (first, second) = (pick(random), pick(random));
    let target = on(random, &first, kind % 3);
    let anywhere: Point = std::array::from_fn(|k| target[k] + between(random, -3.0, 3.0));
    let (origin, direction) = match kind / 3 {
        // At it, from anywhere.
        0 => (anywhere, minus(&target, &anywhere)),
        // From the surface, towards another piece of it.
        1 => (target, minus(&on(random, &second, 2), &target)),
        // In the plane of a face, along an edge, along an axis.
        2 => (on(random, &first, 2), minus(&first[1], &first[0])),
        3 => {
            let mut axis = [0.0; 3];
            axis[kind as usize % 3] = 1.0;
            (std::array::from_fn(|k| target[k] - 4.0 * axis[k]), axis)
        }
        // From far away, and past it.
        4 => {
            let far = anywhere.map(|x| 1e4 * x);
            (far, minus(&target, &far))
        }
        _ => (anywhere, std::array::from_fn(|_| between(random, -1.0, 1.0))),
    };
    let ray = Ray::new(origin, direction).ok()?;
    if kind.is_multiple_of(5) { ray.up_to(between(random, 0.0, 4.0)).ok() } else { Some(ray) }
}

#[test]
fn rays_meet_what_every_triangle_says() {
    let mut random = Random(11);
    let (mut rays, mut hits) = (0, 0);
    for mesh in meshes(&mut random) {
        let tree = ObbTree::of(&mesh);
        for pose in poses(&mut random) {
            let placed = Placed { mesh: &mesh, tree: &tree, pose: &pose };
            let triangles: Vec<[Point; 3]> =
                (0..mesh.triangles().len() as u32).map(|i| placed.triangle(i)).collect();
            for kind in (0..18).cycle().take(450) {
                let Some(ray) = ray(&mut random, &placed, kind) else { continue };
                let mut expected: Vec<(f64, u32)> = Vec::new();
                for (i, triangle) in triangles.iter().enumerate() {
                    expected.extend(meet(&ray, triangle).map(|met| (met.distance, i as u32)));
                }
                expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let found = placed.cast_all(&ray);
                let told: Vec<_> = found.iter().map(|hit| (hit.distance, hit.triangle)).collect();
                assert_eq!(told, expected, "{ray:?}");
                assert_eq!(placed.cast(&ray), found.first().copied(), "{ray:?}");
                assert_eq!(placed.is_met(&ray), !expected.is_empty(), "{ray:?}");
                found.iter().for_each(|hit| plausible(&ray, hit, &triangles));
                rays += 1;
                hits += u32::from(!expected.is_empty());
            }
        }
    }
    assert!(rays > 12_000 && hits > 6_000 && hits < rays, "{hits} of {rays}");
}

fn plausible(ray: &Ray, hit: &Hit, triangles: &[[Point; 3]]) {
    let corners = &triangles[hit.triangle as usize];
    let sum: f64 = hit.weights.iter().sum();
    assert!((sum - 1.0).abs() < 1e-12 && hit.weights.iter().all(|&w| (0.0..=1.0).contains(&w)));
    let size = corners.iter().chain([&ray.origin()]).flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    // A point of the ray that is on the triangle, but for what rounding does to places and distances.
    let off = point_triangle(&hit.point, corners).lo;
    assert!(off <= 1e-14 * size + 3e-12 * hit.distance, "{off} {hit:?} {ray:?}");
    let length = hit.normal.iter().map(|x| x * x).sum::<f64>();
    assert!(hit.normal == [0.0; 3] || (length - 1.0).abs() < 1e-12, "{hit:?}");
}

/// A closed surface is left as often as it is entered, whatever the ray goes through.
#[test]
fn nothing_slips_through_edges_and_corners() {
    let mut random = Random(5);
    for name in ["sphere?faces=960", "torus-knot?segments=40&sides=8", "box"] {
        let mesh = build_mesh(name).unwrap();
        let tree = ObbTree::of(&mesh);
        let solid = shells(&mesh);
        for pose in poses(&mut random) {
            let placed = Placed { mesh: &mesh, tree: &tree, pose: &pose };
            for i in 0..600u32 {
                let at = placed.triangle(i % mesh.triangles().len() as u32);
                let target = on(&mut random, &at, 1 + i % 2);
                let inner = |i: u32| placed.triangle(i);
                let origin: Point =
                    std::array::from_fn(|k| target[k] + between(&mut random, -0.5, 0.5));
                if locate_in(&solid, &origin, inner) != Location::Inside {
                    continue;
                }
                let ray = Ray::new(origin, minus(&target, &origin)).unwrap();
                assert!(placed.is_met(&ray), "{name} {ray:?}");
            }
        }
    }
}

#[test]
fn the_closest_point_is_that_of_all_triangles() {
    let mut random = Random(12);
    let mut asked = 0;
    for mesh in meshes(&mut random) {
        let tree = ObbTree::of(&mesh);
        let solid = shells(&mesh);
        let shell_of = impinge_geom::shells::shell_of(&solid, mesh.triangles().len());
        for pose in poses(&mut random) {
            let placed = Placed { mesh: &mesh, tree: &tree, pose: &pose };
            let triangles: Vec<[Point; 3]> =
                (0..mesh.triangles().len() as u32).map(|i| placed.triangle(i)).collect();
            for kind in 0..360u32 {
                let corners = triangles[kind as usize % triangles.len()];
                let at = on(&mut random, &corners, kind % 3);
                let off = [0.0, 1e-9, 0.1, 1e4][kind as usize / 3 % 4];
                let point: Point =
                    std::array::from_fn(|k| at[k] + off * between(&mut random, -1.0, 1.0));
                let spot = Spot::new(point).unwrap();
                let each = triangles.iter().map(|triangle| point_triangle(&point, triangle));
                let each: Vec<_> = each.enumerate().collect();
                let at_least = each.iter().fold(f64::INFINITY, |m, (_, c)| m.min(c.lo));
                let (best, closest) = each.iter().min_by(|a, b| a.1.hi.total_cmp(&b.1.hi)).unwrap();
                let found = placed.closest(&spot).expect("there is a surface");
                assert_eq!(
                    (found.triangle, found.at_most),
                    (*best as u32, closest.hi),
                    "{point:?}"
                );
                assert_eq!((found.at_least, found.point), (at_least, closest.points[1]));
                assert!(found.at_least <= found.at_most && found.feature == closest.features[1]);
                // Limits on either side.
                let near = spot.within(found.at_least * 0.999_999).unwrap();
                assert!(placed.closest(&near).is_none() || found.at_least == 0.0);
                assert_eq!(placed.closest(&spot.within(found.at_most).unwrap()), Some(found));
                let expected = locate_in(&solid, &point, |i| triangles[i as usize]);
                assert_eq!(placed.locate(&point, &solid, &shell_of), expected);
                asked += 1;
            }
        }
    }
    assert!(asked > 10_000);
}

/// A world of bodies of all kinds: still, moving, frozen.
fn world(random: &mut Random) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let mut bodies = Vec::new();
    for mesh in meshes(random) {
        let shape = world.add_shape(mesh).unwrap();
        for i in 0..4u64 {
            let [_, from, _] = poses(random);
            let [_, to, _] = poses(random);
            let body = Body::new(shape).at(from).with_user_data(i);
            let body = match i {
                0 => body.frozen(),
                1 => body.moving(Motion::lerp_slerp(from, to)),
                _ => body,
            };
            bodies.push(world.insert(body).unwrap());
        }
    }
    (world, bodies)
}

#[test]
fn the_world_answers_as_its_bodies_do() {
    let mut random = Random(3);
    let (mut world, mut bodies) = world(&mut random);
    let even: fn(BodyId, &Body) -> bool = |_, body| body.user_data % 2 == 0;
    let mut hits = 0;
    for round in 0..600 {
        let [_, pose, _] = poses(&mut random);
        let chosen = bodies[round % bodies.len()];
        if round % 3 == 0 {
            assert!(world.set_pose(chosen, pose));
        }
        if round % 150 == 149 {
            assert!(world.remove(bodies.swap_remove(round % bodies.len())));
        }
        let origin: Point = std::array::from_fn(|_| between(&mut random, -3.0, 3.0));
        let direction: Point = std::array::from_fn(|_| between(&mut random, -1.0, 1.0));
        let ray = Ray::new(origin, direction).unwrap().up_to(6.0).unwrap();
        let wanted = if round % 2 == 0 { ALL } else { even };
        let is_wanted = |world: &World, id: BodyId| wanted(id, world.body(id).unwrap());
        let mut expected: Vec<RayHit> = Vec::new();
        for &id in bodies.iter().filter(|&&id| is_wanted(&world, id)) {
            expected.extend(world.cast_all_on(id, &ray));
        }
        let key = |hit: &RayHit| (hit.body, hit.hit.triangle);
        expected
            .sort_by(|a, b| a.hit.distance.total_cmp(&b.hit.distance).then(key(a).cmp(&key(b))));
        assert_eq!(world.cast_all(&ray, wanted), expected);
        assert_eq!(world.cast(&ray, wanted), expected.first().copied());
        assert_eq!(world.is_met(&ray, wanted), !expected.is_empty());
        hits += usize::from(!expected.is_empty());
        let spot = Spot::new(origin).unwrap();
        let each = bodies.iter().filter(|&&id| is_wanted(&world, id));
        let each: Vec<Closest> = each.filter_map(|&id| world.closest_on(id, &spot)).collect();
        let at_least = each.iter().fold(f64::INFINITY, |m, c| m.min(c.nearest.at_least));
        let best = each.iter().min_by(|a, b| {
            a.nearest.at_most.total_cmp(&b.nearest.at_most).then(a.body.cmp(&b.body))
        });
        let best = best.map(|c| Closest { nearest: Nearest { at_least, ..c.nearest }, ..*c });
        assert_eq!(world.closest(&spot, wanted), best);
        let near = spot.within(0.2).unwrap();
        assert_eq!(world.closest(&near, wanted), best.filter(|_| at_least <= 0.2));
        let mut around = Vec::new();
        for &id in &bodies {
            let location = world.locate_on(id, &spot).unwrap();
            around.extend((location != Location::Outside).then_some((id, location)));
        }
        around.sort_by_key(|(id, _)| *id);
        assert_eq!(world.around(&spot), around);
    }
    assert!(hits > 100);
    let gone = world.insert(Body::new(world.body(bodies[0]).unwrap().shape)).unwrap();
    world.remove(gone);
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    assert_eq!(world.cast_on(gone, &ray), None);
}

#[test]
fn a_moving_body_is_asked_at_the_end_of_its_way() {
    let mut world = World::new();
    let shape = world.add_shape(build_mesh("box").unwrap()).unwrap();
    let far = Pose::shift([9.0, 0.0, 0.0]).unwrap();
    let body = Body::new(shape).moving(Motion::lerp_slerp(Pose::IDENTITY, far));
    let id = world.insert(body).unwrap();
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    let met = world.cast(&ray, ALL).unwrap();
    assert_eq!((met.body, met.hit.distance, met.hit.facing), (id, 8.5, Facing::Front));
    let spot = Spot::new([9.1, 0.0, 0.0]).unwrap();
    assert_eq!(world.around(&spot), [(id, Location::Inside)]);
    let nearest = world.closest(&spot, ALL).unwrap().nearest;
    assert!(nearest.at_least <= 0.4 && 0.4 <= nearest.at_most + 1e-12);
    assert!(matches!(nearest.feature, Feature::Face | Feature::Edge(_)));
    let corner = Spot::new([9.5, 0.5, 0.5]).unwrap();
    assert_eq!(world.around(&corner), [(id, Location::On)]);
}

#[test]
fn sizes_at_the_ends_of_the_range_are_no_trouble() {
    for size in [1e-80, 1e-30, 1e30, 1e80] {
        let corners = vec![[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]];
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let tree = ObbTree::of(&mesh);
        let placed = Placed { mesh: &mesh, tree: &tree, pose: &Pose::IDENTITY };
        let ray = Ray::new([0.25 * size, 0.25 * size, 2.0 * size], [0.0, 0.0, -1e-300]).unwrap();
        let hit = placed.cast(&ray).expect("it is met");
        assert!((hit.distance / size - 2.0).abs() < 1e-12 && hit.normal == [0.0, 0.0, 1.0]);
        let spot = Spot::new([0.25 * size, 0.25 * size, -3.0 * size]).unwrap();
        let near = placed.closest(&spot).unwrap();
        assert!(near.at_least <= 3.0 * size && 3.0 * size <= near.at_most);
        assert!(near.at_most - near.at_least <= 1e-12 * size);
        let away = Ray::new([1e90; 3], [-1.0, -1.0, -1.0]).unwrap();
        assert!(placed.cast(&away).is_some());
    }
}
