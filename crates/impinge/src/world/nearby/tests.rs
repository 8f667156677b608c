//! Questions to worlds that change, against every body looked at.

use crate::contract::query::Query;
use crate::world::body::Body;
use crate::world::{BodyId, World};
use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use impinge_samples::build_mesh;
use proptest::prelude::*;

/// One thing that happens to a world.
#[derive(Clone, Debug)]
enum Change {
    Insert(usize, [f64; 3], bool),
    Remove(prop::sample::Index),
    Move(prop::sample::Index, [f64; 3], bool),
    Reshape(prop::sample::Index, usize),
    Freeze(prop::sample::Index, bool),
    Step,
    Ask([f64; 3], [f64; 3]),
}

const SIZES: [f64; 4] = [1e-3, 1.0, 3.0, 1e3];

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = || {
        let small = prop::array::uniform3((-6i8..7).prop_map(f64::from));
        let far = prop::array::uniform3(0.0..9.0f64).prop_map(|p| p.map(|x| 1e6 + x));
        prop_oneof![6 => small, 2 => prop::array::uniform3(-6.0..6.0f64), 1 => far]
    };
    let one = any::<prop::sample::Index>;
    let change = prop_oneof![
        4 => (0..SIZES.len(), place(), any::<bool>()).prop_map(|(s, p, f)| Change::Insert(s, p, f)),
        1 => one().prop_map(Change::Remove),
        4 => (one(), place(), any::<bool>()).prop_map(|(i, p, m)| Change::Move(i, p, m)),
        1 => (one(), 0..SIZES.len()).prop_map(|(i, s)| Change::Reshape(i, s)),
        1 => (one(), any::<bool>()).prop_map(|(i, f)| Change::Freeze(i, f)),
        1 => Just(Change::Step),
        3 => (place(), place()).prop_map(|(p, q)| Change::Ask(p, q)),
    ];
    prop::collection::vec(change, 200..300)
}

struct Case {
    world: World,
    bodies: Vec<(BodyId, usize, Point)>,
}

impl Case {
    fn apply(&mut self, change: &Change) -> Result<(), TestCaseError> {
        let shape = |world: &mut World, size: usize| {
            let size = SIZES[size];
            world
                .add_shape(build_mesh(&format!("box?x={size}&y={size}&z={size}")).unwrap())
                .unwrap()
        };
        let Self { world, bodies } = self;
        let count = bodies.len();
        match *change {
            Change::Insert(size, at, frozen) => {
                let body = Body::new(shape(world, size)).at(Pose::shift(at).unwrap());
                let body = Body { frozen, ..body };
                bodies.push((world.insert(body).unwrap(), size, at));
            }
            Change::Step => {
                world.step(&Query::TOUCHING);
            }
            Change::Ask(p, q) => return self.ask(p, q),
            _ if count == 0 => {}
            Change::Remove(i) => {
                prop_assert!(world.remove(bodies.remove(i.index(count)).0));
            }
            Change::Move(i, to, on_its_way) => {
                let (id, _, at) = &mut bodies[i.index(count)];
                let [from, end] = [*at, to].map(|at| Pose::shift(at).unwrap());
                *at = to;
                if on_its_way {
                    world.set_motion(*id, Motion::lerp_slerp(from, end));
                } else {
                    world.set_pose(*id, end);
                }
            }
            Change::Reshape(i, size) => {
                let shape = shape(world, size);
                let (id, known, _) = &mut bodies[i.index(count)];
                *known = size;
                prop_assert!(world.set_shape(*id, shape).is_ok());
            }
            Change::Freeze(i, frozen) => {
                let id = bodies[i.index(count)].0;
                let known = if frozen { world.freeze(id) } else { world.thaw(id) };
                prop_assert!(known);
            }
        }
        Ok(())
    }

    /// All three questions. What is clearly there must be found, what is clearly not must not.
    fn ask(&mut self, p: Point, q: Point) -> Result<(), TestCaseError> {
        let Self { world, bodies } = self;
        let asked = Aabb {
            min: std::array::from_fn(|k| p[k].min(q[k])),
            max: std::array::from_fn(|k| p[k].max(q[k])),
        };
        let in_box = world.bodies_in_box(&asked);
        let near = world.bodies_near(p, 2.5);
        let toward: Point = std::array::from_fn(|k| q[k] - p[k]);
        let length = toward.iter().map(|x| x * x).sum::<f64>().sqrt();
        let along = world.bodies_along(p, toward.map(|x| 0.3 * x), length);
        for list in [&in_box, &near] {
            prop_assert!(list.windows(2).all(|two| two[0] < two[1]));
        }
        prop_assert!(along.windows(2).all(|two| two[0] < two[1]));
        for &(id, size, at) in &*bodies {
            let half = 0.5 * SIZES[size];
            // Boxes are rounded outward to f32, at 1e6 to sixteenths.
            let slack = 1e-6 * (1e-3 + at.iter().fold(half, |most, x| most.max(x.abs())));
            let aabb = Aabb { min: at.map(|x| x - half), max: at.map(|x| x + half) };
            let found = in_box.contains(&id);
            prop_assert!(found || !aabb.overlaps(&asked), "a body is missing in the box");
            prop_assert!(!found || aabb.grown(slack).overlaps(&asked.grown(slack)));
            let gap = distance(&aabb, &p);
            prop_assert!(near.contains(&id) || gap > 2.5, "a body is missing near the point");
            prop_assert!(!near.contains(&id) || gap <= 2.5 + 2.0 * slack);
            let met = along.iter().find(|(_, met)| *met == id);
            let instants = (0..=64).map(|i| f64::from(i) / 64.0);
            let inside = instants
                .into_iter()
                .find(|t| aabb.contains(&std::array::from_fn(|k| p[k] + t * toward[k])));
            if let (Some(t), true) = (inside, length > 0.0) {
                let lower = met.map_or(f64::INFINITY, |(distance, _)| *distance);
                prop_assert!(lower <= t * length * (1.0 + 1e-12), "{lower} > {}", t * length);
            }
            if let Some((t, _)) = met {
                let t = t / length;
                let enters = std::array::from_fn(|k| p[k] + t * toward[k]);
                prop_assert!(distance(&aabb, &enters) <= 3.0 * slack);
            }
        }
        prop_assert!(in_box.len().max(near.len()).max(along.len()) <= bodies.len());
        Ok(())
    }
}

fn distance(aabb: &Aabb, point: &Point) -> f64 {
    let gap = |k: usize| (aabb.min[k] - point[k]).max(point[k] - aabb.max[k]).max(0.0);
    gap(0).hypot(gap(1)).hypot(gap(2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The same world is also stepped now and then, and its twin is never asked: questions must not
    /// change what steps say.
    #[test]
    fn questions_agree_with_looking_at_every_body_and_leave_steps_alone(changes in changes()) {
        let mut asked = Case { world: World::new(), bodies: Vec::new() };
        let mut twin = Case { world: World::new(), bodies: Vec::new() };
        for change in &changes {
            asked.apply(change)?;
            if !matches!(change, Change::Ask(..)) {
                twin.apply(change)?;
            }
            if matches!(change, Change::Step) {
                prop_assert!(asked.world.derived.bounds().changed
                    == twin.world.derived.bounds().changed);
                prop_assert!(asked.world.pairs == twin.world.pairs);
            }
        }
    }
}

#[test]
fn what_is_no_place_has_nothing_near_it() {
    let mut world = World::new();
    let shape = world.add_shape(build_mesh("box").unwrap()).unwrap();
    let body = world.insert(Body::new(shape)).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(world.bodies_near([0.0, bad, 0.0], 1.0).is_empty());
        assert!(world.bodies_along([bad, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0).is_empty());
        assert!(world.bodies_along([0.0; 3], [1.0, bad, 0.0], 1.0).is_empty());
    }
    for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        assert!(world.bodies_near([0.0; 3], bad).is_empty());
        assert!(world.bodies_along([0.0; 3], [1.0, 0.0, 0.0], bad).is_empty());
    }
    assert!(world.bodies_along([0.0; 3], [0.0; 3], 1.0).is_empty());
    assert!(world.bodies_in_box(&Aabb::EMPTY).is_empty());
    let bad = Aabb { min: [f64::NAN; 3], max: [1.0; 3] };
    assert!(world.bodies_in_box(&bad).is_empty());

    let all = Aabb { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] };
    assert_eq!(world.bodies_in_box(&all), [body]);
    assert_eq!(world.bodies_near([9.0; 3], f64::INFINITY), [body]);
    for scale in [5e-324, 1e-200, 1.0, 1e300] {
        let met = world.bodies_along([-9.5, 0.0, 0.0], [scale, 0.0, 0.0], f64::INFINITY);
        assert!(matches!(met[..], [(t, id)] if id == body && t <= 9.0 && t > 8.9999), "{met:?}");
        assert!(world.bodies_along([-9.5, 0.0, 0.0], [scale, 0.0, 0.0], 8.9).is_empty());
    }
}

/// Two frozen bodies are not held against each other, a frozen and a live one are.
#[test]
fn a_live_body_meets_a_frozen_one_and_frozen_ones_do_not_meet() {
    let mut world = World::new();
    let shape = world.add_shape(build_mesh("box").unwrap()).unwrap();
    let at = |x: f64| Body::new(shape).at(Pose::shift([x, 0.0, 0.0]).unwrap());
    let walls = [0.0, 0.5].map(|x| world.insert(at(x).frozen()).unwrap());
    let mover = world.insert(at(1.4)).unwrap();
    let hits = |world: &mut World| -> Vec<[BodyId; 2]> {
        world.step(&Query::TOUCHING).hits().map(|hit| [hit.a, hit.b]).collect()
    };
    assert_eq!(hits(&mut world), [[walls[1], mover]]);
    world.set_pose(mover, Pose::shift([-0.8, 0.0, 0.0]).unwrap());
    assert_eq!(hits(&mut world), [[walls[0], mover]]);
    world.set_pose(walls[1], Pose::shift([-1.2, 0.0, 0.0]).unwrap());
    assert_eq!(hits(&mut world), [[walls[0], mover], [walls[1], mover]]);
    world.thaw(walls[0]);
    assert_eq!(hits(&mut world).len(), 2, "these two are apart by then");
    world.set_pose(walls[0], Pose::shift([-0.5, 0.0, 0.0]).unwrap());
    assert_eq!(hits(&mut world).len(), 3);
    world.remove(walls[1]);
    assert_eq!(hits(&mut world), [[walls[0], mover]]);
}
