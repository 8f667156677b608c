//! Trees of coins: that they hold what they should, and that searches tell no more than is true.

use glam::DVec3;
use impinge_geom::coins::cover::{Form, Ruler};
use impinge_geom::coins::levels::{Descent, descend};
use impinge_geom::coins::search::{Interval, Refinement, all_meeting};
use impinge_geom::coins::{Below, Builder, CoinTree, Couple, Place, Placed};
use impinge_geom::distance::triangle_triangle;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri::intersect;
use impinge_samples::build_mesh;
use proptest::prelude::*;

const SAMPLES: [&str; 6] = [
    "torus-knot?segments=24&sides=5",
    "stellated-dodecahedron",
    "sphere?faces=120",
    "box?x=2&y=0.01&z=0.6",
    "cup?segments=10",
    "cloth?faces=400",
];

const BUILDERS: [Builder; 3] = [Builder::Coins, Builder::Octree, Builder::Annealed];

fn samples() -> Vec<Mesh> {
    SAMPLES.iter().map(|name| build_mesh(name).expect("a sample")).collect()
}

/// The triangles below a coin.
fn below(tree: &CoinTree, place: Place, triangles: &mut Vec<u32>) {
    match tree.below(place) {
        Below::Triangle(id) => triangles.push(id),
        Below::Node(node) => tree.places(node).for_each(|place| below(tree, place, triangles)),
    }
}

/// Every coin with all that is below it.
fn check_cover(mesh: &Mesh, builder: Builder) -> usize {
    let tree = CoinTree::build(mesh, builder);
    let (mut waiting, mut count) = (vec![CoinTree::ROOT], 0);
    let mut all = Vec::new();
    below(&tree, CoinTree::ROOT, &mut all);
    all.sort_unstable();
    let expected: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    assert_eq!(all, expected, "every triangle is there once");
    while let Some(place) = waiting.pop() {
        let coin = tree.coin(place);
        let [centre, normal, witness] =
            [coin.centre, coin.normal, coin.witness].map(|v| DVec3::from(v.map(f64::from)));
        let (radius, half) = (f64::from(coin.radius), f64::from(coin.half));
        let mut held = Vec::new();
        below(&tree, place, &mut held);
        let mut is_told = false;
        for &id in &held {
            for corner in mesh.triangle(id) {
                let way = (DVec3::from(corner) - DVec3::from(tree.origin())) / tree.unit();
                assert!(
                    (way - centre).length() <= radius,
                    "{place:?}: a corner is outside the ball"
                );
                let along = (way - centre).dot(normal) / normal.length();
                assert!(along.abs() <= half, "{place:?}: a corner is outside the slab");
                is_told |= (way - witness).length() < 1e-6;
            }
        }
        assert!(is_told, "{place:?}: the point is of what the coin holds");
        count += held.len();
        if let Below::Node(node) = tree.below(place) {
            waiting.extend(tree.places(node));
        }
    }
    count
}

#[test]
fn coins_hold_all_that_is_below_them() {
    let knot = build_mesh("torus-knot?segments=300&sides=20").expect("a sample");
    for builder in BUILDERS {
        for mesh in samples() {
            check_cover(&mesh, builder);
        }
        assert!(check_cover(&knot, builder) > 50_000);
    }
}

#[test]
fn a_triangle_and_nothing_have_trees() {
    let triangle = |times: usize| {
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Mesh::new(corners, vec![[0, 1, 2]; times]).expect("a mesh")
    };
    // Triangles that are points are smaller than every cell, and some are at one place.
    let places = [0.0, 1e-9, 1.0].map(|x| [x, 0.0, 0.0]).to_vec();
    let points = vec![[0; 3], [0; 3], [1; 3], [2; 3], [2; 3]];
    let points = Mesh::new(places, points).expect("a mesh");
    for builder in BUILDERS {
        check_cover(&triangle(1), builder);
        // A thousand triangles at one place cannot be told apart by where they are.
        check_cover(&triangle(1000), builder);
        check_cover(&points, builder);
    }
}

#[test]
fn an_octree_has_balls_around_halves_of_cells() {
    let mesh = build_mesh("torus-knot?segments=300&sides=20").expect("a sample");
    let tree = CoinTree::build(&mesh, Builder::Octree);
    let mut level = vec![CoinTree::ROOT];
    let whole = tree.coin(CoinTree::ROOT);
    for depth in 0..4 {
        for &place in &level {
            let coin = tree.coin(place);
            let cell = whole.radius / (1 << depth) as f32;
            // Grown by no more than what triangles stick out.
            assert!(coin.radius >= cell * (1.0 - 1e-6) && coin.radius < cell + 0.2, "{coin:?}");
            assert_eq!(coin.half, coin.radius);
        }
        let nodes = level.iter().filter_map(|&place| match tree.below(place) {
            Below::Node(node) => Some(node),
            Below::Triangle(_) => None,
        });
        level = nodes.flat_map(|node| tree.places(node)).collect();
        assert!(level.len() > 1 << (2 * depth));
    }
}

#[test]
fn levels_reach_no_farther_than_their_bounds() {
    let mesh = build_mesh("torus-knot?segments=120&sides=16").expect("a sample");
    let ruler = Ruler::of(&mesh);
    let [coins, octree, annealed] = BUILDERS.map(|builder| CoinTree::build(&mesh, builder));
    for tree in [&coins, &octree, &annealed] {
        let errors = tree.level_errors(&mesh, Form::Balls, None);
        assert_eq!(errors[0].count, 1);
        assert_eq!(errors.last().map(|error| error.count), Some(mesh.triangles().len()));
        assert_eq!(tree.level_errors(&mesh, Form::Balls, Some(2)), errors[..3]);
        for error in errors {
            assert!(error.seen_max > 0.0 && error.seen_max <= error.bound_max, "{error:?}");
            assert!(error.seen_mean <= error.seen_max && error.bound_mean <= error.bound_max);
            assert!(error.radius_max <= error.bound_max, "{error:?}");
        }
    }
    // At equal number, in the mean: half of the octree's, and annealing helps.
    for error in octree.level_errors(&mesh, Form::Balls, Some(4)) {
        let at = |tree: &CoinTree, form: Form| {
            let cut = tree.cut(error.count);
            assert!(cut.len() <= error.count);
            ruler.measure(tree, &cut, form)
        };
        assert!(at(&coins, Form::Coins).seen_mean <= 0.5 * error.seen_mean);
        assert!(at(&annealed, Form::Balls).seen_mean < 0.9 * error.seen_mean);
    }
}

#[test]
fn a_cut_holds_every_triangle_once() {
    let mesh = build_mesh("torus-knot?segments=40&sides=8").expect("a sample");
    for builder in BUILDERS {
        let tree = CoinTree::build(&mesh, builder);
        for count in [1, 8, 30, 200, 10_000] {
            let (cut, mut held) = (tree.cut(count), Vec::new());
            assert!(cut.len() <= count);
            cut.iter().for_each(|&place| below(&tree, place, &mut held));
            held.sort_unstable();
            assert!(held.iter().copied().eq(0..mesh.triangles().len() as u32));
        }
    }
}

#[test]
fn the_ball_of_one_level_over_a_cube_has_its_known_error() {
    let mesh = build_mesh("box?x=2&y=2&z=2").expect("a sample");
    let tree = CoinTree::build(&mesh, Builder::Octree);
    let error = Ruler::of(&mesh).measure(&tree, &[CoinTree::ROOT], Form::Balls);
    let root = 3f64.sqrt();
    // Above the middle of a face it is the radius less one; the centre is one away from the surface.
    assert!(error.seen_max <= root - 1.0 && error.seen_max > 0.8 * (root - 1.0), "{error:?}");
    assert!((error.bound_max - (root + 1.0)).abs() < 1e-5, "{error:?}");
    assert!((error.volume - 4.0 / 3.0 * std::f64::consts::PI * root.powi(3)).abs() < 1e-4);
}

/// The truth, triangle by triangle: whether they meet, and between what the distance is.
fn truth(couple: &Couple<'_>) -> (Vec<[u32; 2]>, [f64; 2]) {
    let [a, b] = couple.bodies();
    let (mut meeting, mut distance) = (Vec::new(), [f64::INFINITY; 2]);
    for i in 0..a.mesh.triangles().len() as u32 {
        for j in 0..b.mesh.triangles().len() as u32 {
            let (s, t) = (a.triangle(i), b.triangle(j));
            if intersect(&s, &t) {
                meeting.push([i, j]);
                distance = [0.0; 2];
            } else {
                let found = triangle_triangle(&s, &t);
                distance = [distance[0].min(found.lo), distance[1].min(found.hi)];
            }
        }
    }
    (meeting, distance)
}

/// Looks at the interval after every step.
fn check_search(couple: &Couple<'_>, below: f64) -> u64 {
    let (meeting, [low, high]) = truth(couple);
    let mut search = Refinement::default();
    search.start(couple, below);
    let mut before: Option<Interval> = None;
    while !search.is_done() {
        search.step(couple, usize::MAX);
        let Some(now) = search.interval(couple) else {
            // Far away, or nothing is known yet: bodies may be too unlike in size for bounds.
            let is_unknown = search.ends(couple) == [0.0, f64::INFINITY];
            assert!(is_unknown || search.is_done() && high > below);
            continue;
        };
        assert!(now.at_least <= high, "{now:?} {high}");
        assert!(now.at_most >= low, "{now:?} {low}");
        let [p, q] = now.points.map(DVec3::from);
        if search.meeting().is_none() {
            assert!((p - q).length() <= now.at_most + 1e-15 * p.length(), "{now:?}");
        }
        if let Some(before) = before {
            assert!(
                now.at_least >= before.at_least && now.at_most <= before.at_most,
                "{now:?} {before:?}"
            );
        }
        before = Some(now);
    }
    assert_eq!(search.meeting().is_some(), !meeting.is_empty());
    if meeting.is_empty() && high <= below {
        let found = search.interval(couple).expect("it is near enough");
        assert!(
            found.at_least >= low * (1.0 - 1e-9) && found.at_most <= high * (1.0 + 1e-9),
            "{found:?} {low}"
        );
    }
    let mut all = Vec::new();
    assert!(all_meeting(couple, |pair| all.push(pair), |_| true));
    all.sort_unstable();
    assert_eq!(all, meeting);
    search.steps()
}

/// Looks at the interval after every pass, and within.
fn check_descent(couple: &Couple<'_>, below: f64) {
    let (meeting, [low, high]) = truth(couple);
    let mut descent = Descent::default();
    descent.start(couple, below);
    let mut before = [0.0, f64::INFINITY];
    while !descent.is_done() {
        let (depth, mut left) = (descent.depth(), 5);
        let is_whole = descent.pass_while(couple, || {
            left -= 1;
            left >= 0
        });
        assert_eq!(descent.depth(), depth + u32::from(is_whole));
        let [at_least, at_most] = descent.ends(couple);
        assert!(at_least <= high && at_most >= low, "{at_least} {at_most}: {low} {high}");
        assert!(at_least >= before[0] && at_most <= before[1], "{at_least} {at_most} {before:?}");
        assert!(!descent.apart() || meeting.is_empty());
        before = [at_least, at_most];
        if let Some(now) = descent.interval(couple)
            && descent.meeting().is_none()
        {
            let [p, q] = now.points.map(DVec3::from);
            assert!((p - q).length() <= now.at_most + 1e-15 * p.length(), "{now:?}");
        }
    }
    assert_eq!(descent.apart(), meeting.is_empty());
    assert!(descent.meeting().is_none_or(|pair| meeting.contains(&pair)));
    if meeting.is_empty() && high <= below {
        let [at_least, at_most] = descent.ends(couple);
        assert!(at_least >= low * (1.0 - 1e-9) && at_most <= high * (1.0 + 1e-9));
    }
    for depth in [0, 2, 4, 60] {
        let papers = descend(couple, depth);
        assert!(papers.depth() <= depth && (papers.is_done() || papers.depth() == depth));
        assert!(!papers.apart() || meeting.is_empty());
        assert!(depth < 60 || papers.apart() == meeting.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn intervals_hold_the_distance_and_shrink(
        which in prop::array::uniform2(0usize..6),
        turns in prop::array::uniform2(prop::array::uniform4(-1f64..1.0)),
        way in prop::array::uniform3(-1f64..1.0),
        far in prop::sample::select(vec![0.0, 0.3, 1.0, 2.5, 30.0]),
        place in prop::sample::select(vec![0.0, 10.0, 1e6, 1e12]),
        scale in prop::sample::select(vec![1.0, 1e-3, 1e5, 1e-30, 1e25]),
        below in prop::sample::select(vec![0.0, 0.1, f64::INFINITY]),
        builders in prop::array::uniform2(prop::sample::select(BUILDERS.to_vec())),
    ) {
        let meshes = samples();
        let scaled = |mesh: &Mesh, by: f64| {
            let vertices = mesh.vertices().iter().map(|v| v.map(|x| x * by)).collect();
            Mesh::new(vertices, mesh.triangles().to_vec()).expect("still a mesh")
        };
        let a = &meshes[which[0] % meshes.len()];
        let b = scaled(&meshes[which[1] % meshes.len()], scale);
        let poses = [0, 1].map(|k| {
            let far = if k == 1 { far } else { 0.0 };
            Pose::new(turns[k], way.map(|x| place + far * x))
        });
        let [Ok(pose_a), Ok(pose_b)] = poses else { return Ok(()) };
        let (tree_a, tree_b) = (CoinTree::build(a, builders[0]), CoinTree::build(&b, builders[1]));
        let couple = Couple::new(
            Placed { mesh: a, tree: &tree_a, pose: &pose_a },
            Placed { mesh: &b, tree: &tree_b, pose: &pose_b },
        );
        check_search(&couple, below);
        check_descent(&couple, below);
    }
}

#[test]
fn a_small_room_is_told() {
    let mesh = build_mesh("torus-knot?segments=100&sides=8").expect("a sample");
    let tree = CoinTree::of(&mesh);
    let pose = Pose::new([1.0, 0.2, 0.3, 0.1], [8.0, 0.0, 0.0]).expect("finite");
    let here = Placed { mesh: &mesh, tree: &tree, pose: &Pose::IDENTITY };
    let couple = Couple::new(here, Placed { pose: &pose, ..here });
    let run = |room: usize| {
        let mut search = Refinement::default();
        search.start(&couple, f64::INFINITY);
        while !search.is_done() {
            search.step(&couple, room);
        }
        (search.is_whole(), search.ends(&couple))
    };
    let (whole, [low, high]) = run(usize::MAX);
    assert!(whole && high - low < 1e-9);
    let (whole, [least, most]) = run(10);
    assert!(!whole && least <= low && most >= high && least > 0.0, "{least} {low} {high} {most}");
}
