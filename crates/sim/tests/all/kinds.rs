//! Scripted, grasped and deforming bodies, dynamic mode, and what is refused.

use impinge_geom::motion::Motion;
use impinge_geom::motion::path::Path;
use impinge_samples::{build_mesh, deforming};
use impinge_sim::prelude::*;
use std::sync::Arc;

fn run(simulation: &mut Simulation, frames: u32, dt: f64) {
    for _ in 0..frames {
        simulation.step(dt);
    }
}

fn mesh(text: &str) -> Arc<Mesh> {
    Arc::new(build_mesh(text).unwrap())
}

fn at(place: Point) -> Pose {
    Pose::shift(place).unwrap()
}

/// There and back along x, within two seconds.
fn shuttle(looping: bool) -> Kind {
    let (left, right) = (at([0.0; 3]), at([4.0, 0.0, 0.0]));
    let ways = vec![Motion::lerp_slerp(left, right), Motion::lerp_slerp(right, left)];
    let path = Path::new(vec![0.0, 1.0, 2.0], ways).unwrap();
    Kind::Scripted(Script { looping, ..Script::along(path) })
}

#[test]
fn a_script_leads_and_pushes() {
    for response in [Response::Exchange, Response::Reflect, Response::Impulse] {
        let bodies = [
            BodySpec::new(mesh("box")).kind(shuttle(false)),
            BodySpec::new(mesh("box")).at(at([2.5, 0.0, 0.0])),
        ];
        let mut simulation =
            Simulation::new(Settings { response, ..Settings::default() }, &bodies).unwrap();
        let mut met = 0;
        for _ in 0..300 {
            met += simulation.step(0.01).collisions.len();
        }
        assert_eq!(met, 1, "{response:?}");
        assert!((simulation.pose(0).translation()[0]).abs() < 1e-12, "it ends where it began");
        // Hit at speed 4 by what does not give way, it leaves with twice that.
        assert!((simulation.velocity(1)[0] - 8.0).abs() < 1e-6, "{response:?}");
    }
    let lone = [BodySpec::new(mesh("box")).kind(shuttle(true))];
    let mut simulation = Simulation::new(Settings::default(), &lone).unwrap();
    run(&mut simulation, 450, 0.01);
    assert!((simulation.pose(0).translation()[0] - 2.0).abs() < 1e-9, "half a second of lap three");
    assert!((simulation.velocity(0)[0] - 4.0).abs() < 1e-9);
}

#[test]
fn a_hand_takes_hold_of_what_it_touches_and_lets_go() {
    let bodies = [
        BodySpec { grasps: Some([0.0, 0.75]), ..BodySpec::new(mesh("box")).kind(shuttle(false)) },
        BodySpec::new(mesh("box?y=3")).at(at([2.5, 0.0, 0.0])),
        BodySpec::new(mesh("box")).at(at([2.5, 9.0, 0.0])),
    ];
    let mut simulation = Simulation::new(Settings::default(), &bodies).unwrap();
    let mut offset = None;
    for frame in 1..=150 {
        simulation.step(0.01);
        let way = simulation.pose(1).translation()[0] - simulation.pose(0).translation()[0];
        match simulation.holder(1) {
            Some(holder) => {
                assert_eq!(holder, 0);
                let first = *offset.get_or_insert(way);
                assert!((way - first).abs() < 1e-12, "held fast");
                assert!((38..75).contains(&frame), "{frame}");
            }
            None => assert!(!(38..75).contains(&frame), "{frame}"),
        }
    }
    // It went on with the hand's speed from where it was let go.
    assert!((simulation.velocity(1)[0] - 4.0).abs() < 1e-9);
    assert_eq!(simulation.velocity(2), [0.0; 3]);
    assert!(!simulation.release(1) && simulation.grasp(1, 0) && !simulation.grasp(1, 0));
    assert!(!simulation.grasp(2, 1), "what is held does not hold");
    assert!(simulation.release(1));
    assert!(!simulation.grasp(1, 2) && !simulation.grasp(1, 1), "what is free does not hold");
}

#[test]
fn what_is_held_does_not_count_and_comes_back_into_the_room() {
    let room = Some(Room::new([-1.0, -2.0, -2.0], [3.0, 2.0, 2.0]).unwrap());
    for mode in [Mode::Static, Mode::Dynamic] {
        let bodies = [
            BodySpec {
                grasps: Some([0.0, 0.95]),
                ..BodySpec::new(mesh("box")).kind(shuttle(false))
            },
            BodySpec::new(mesh("box")).at(at([1.0, 0.0, 0.0])),
        ];
        let settings = Settings { room, mode, ..Settings::default() };
        let mut simulation = Simulation::new(settings, &bodies).unwrap();
        run(&mut simulation, 90, 0.01);
        assert_eq!(simulation.holder(1), Some(0));
        let held = simulation.pose(1).translation()[0];
        assert!(held > 4.5, "a wall does not hold what is led: {held}");
        assert!((simulation.velocity(1)[0] - 4.0).abs() < 1e-9);
        let sums = (simulation.energy(), simulation.momentum(), simulation.angular_momentum());
        assert_eq!(sums, (0.0, [0.0; 3], [0.0; 3]));
        run(&mut simulation, 5, 0.01);
        assert_eq!(simulation.holder(1), None);
        let back = simulation.pose(1).translation()[0];
        assert!((back - 2.5).abs() < 1e-9, "at the wall that it was carried through: {back}");
        assert!(simulation.energy() > 0.0);
        for _ in 0..50 {
            simulation.step(0.01);
            assert!(simulation.pose(1).translation()[0] <= 2.5);
        }
    }
}

#[test]
fn a_body_that_swells_pushes_and_touches() {
    let animation = deforming("pulsating-sphere").unwrap();
    let frames = Arc::new(animation.frames(16));
    let rod = Arc::new(animation.mesh.clone());
    let bounds = rod.bounds();
    let mut spec = BodySpec::new(Arc::clone(&rod)).kind(Kind::Fixed);
    spec.deformation = Some(Deformation { frames: Arc::clone(&frames), period: 0.1 });
    // Something that the rod at rest does not reach, but the bent one does.
    let reach = |k: usize| {
        let all = frames.iter().flatten().map(|v| v[k]);
        all.fold(f64::NEG_INFINITY, f64::max) - bounds.max[k]
    };
    let k = (0..3).max_by(|&a, &b| reach(a).total_cmp(&reach(b))).unwrap();
    assert!(reach(k) > 0.0);
    let size = bounds.diagonal();
    let mut place = bounds.center();
    place[k] = bounds.max[k] + 0.5 * reach(k) + 0.5 * size;
    let block = BodySpec::new(mesh(&format!("box?x={size}&y={size}&z={size}"))).at(at(place));
    let mut simulation = Simulation::new(Settings::default(), &[spec, block]).unwrap();
    let mut touching = Vec::new();
    for _ in 0..32 {
        touching.push(simulation.step(0.05).touching > 0);
    }
    assert!(!touching[31] && touching.contains(&true), "{touching:?}");
    let shape = simulation.world().body(simulation.id(0)).unwrap().shape;
    let vertices = simulation.world().mesh(shape).unwrap().vertices();
    let farthest = vertices.iter().flatten().zip(rod.vertices().iter().flatten());
    let farthest = farthest.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(farthest < 1e-12, "after one period it looks as at the start");
}

#[test]
fn nothing_gets_through_a_thin_plate_in_dynamic_mode() {
    let plate = BodySpec::new(mesh("box?x=0.01&y=4&z=4")).kind(Kind::Fixed);
    let bullet = BodySpec::new(mesh("box")).at(at([-7.3, 0.2, 0.1])).velocity([100.0, 0.0, 0.0]);
    for (response, mode, passes) in [
        (Response::Exchange, Mode::Static, true),
        (Response::Exchange, Mode::Dynamic, false),
        (Response::Reflect, Mode::Dynamic, false),
        (Response::Impulse, Mode::Dynamic, false),
    ] {
        let settings = Settings { response, mode, ..Settings::default() };
        let bodies = [plate.clone(), bullet.clone()];
        let mut simulation = Simulation::new(settings, &bodies).unwrap();
        let mut met = 0;
        for _ in 0..20 {
            met += simulation.step(0.05).collisions.len();
        }
        assert_eq!(simulation.center(1)[0] > 0.0, passes, "{response:?} {mode:?}");
        assert_eq!(met, usize::from(!passes));
        let speed = if passes { 100.0 } else { -100.0 };
        assert!((simulation.velocity(1)[0] - speed).abs() < 1e-6, "{response:?}");
    }
}

#[test]
fn engine_voxel_holds_a_ball_on_plates_of_few_voxels() {
    let ball = BodySpec::new(mesh("sphere?faces=320&radius=5")).at(at([1.0, 2.0, 30.0]));
    for (thick, response, mode) in [
        (5.0, Response::Impulse, Mode::Static),
        (20.0, Response::Impulse, Mode::Static),
        (0.5, Response::Impulse, Mode::Dynamic),
        (0.5, Response::Reflect, Mode::Dynamic),
        (5.0, Response::Reflect, Mode::Dynamic),
    ] {
        let plate = mesh(&format!("box?x=80&y=80&z={thick}"));
        let settings = Settings {
            response,
            mode,
            gravity: [0.0, 0.0, -9810.0],
            restitution: 0.2,
            room: Some(Room::new([-100.0; 3], [100.0; 3]).unwrap()),
            engine: "voxel?size=1".to_owned(),
            ..Settings::default()
        };
        let bodies = [BodySpec::new(plate).kind(Kind::Fixed), ball.clone()];
        let mut simulation = Simulation::new(settings, &bodies).unwrap();
        for _ in 0..600 {
            simulation.step(1e-3);
        }
        let height = simulation.center(1)[2];
        assert!(height > 0.0 && height < 30.0, "{thick} {response:?} {mode:?}: {height}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let ball = mesh("sphere?faces=48");
    let plain = BodySpec::new(Arc::clone(&ball));
    let room = Room::new([0.0; 3], [10.0; 3]).unwrap();
    let message = |settings: Settings, spec: BodySpec| {
        Simulation::new(settings, &[spec]).err().expect("refused").to_string()
    };
    let default = Settings::default;
    let cases = [
        (
            default(),
            plain.clone().mass(-1.0),
            "the mass of body 0 is -1; a finite number above zero",
        ),
        (default(), plain.clone().mass(f64::NAN), "the mass of body 0 is NaN"),
        (default(), BodySpec { density: 0.0, ..plain.clone() }, "the density of body 0 is 0"),
        (default(), plain.clone().velocity([0.0, f64::NAN, 0.0]), "the velocity of body 0 is NaN"),
        (default(), plain.clone().spin([f64::INFINITY; 3]), "the spin of body 0 is inf"),
        (
            default(),
            BodySpec { grasps: Some([0.0, 1.0]), ..plain.clone() },
            "body 0 grasps, but it is free; what grasps must be fixed or scripted",
        ),
        (Settings { engine: "warp".into(), ..default() }, plain.clone(), "engine `warp`"),
        (Settings { pruner: "warp".into(), ..default() }, plain.clone(), "no pruner `warp`"),
        (Settings { restitution: 1.5, ..default() }, plain.clone(), "restitution is 1.5; 0 to 1"),
        (Settings { friction: -0.1, ..default() }, plain.clone(), "friction is -0.1; 0 or more"),
        (Settings { gravity: [f64::NAN; 3], ..default() }, plain.clone(), "gravity is NaN"),
        (Settings { room: Some(room), ..default() }, plain.clone(), "body 0 reaches from -1"),
        (
            default(),
            BodySpec {
                inertia: Some([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]),
                ..plain
            },
            "the inertia of body 0 is -1",
        ),
    ];
    for (settings, spec, expected) in cases {
        let found = message(settings, spec);
        assert!(found.contains(expected), "{found}\n{expected}");
    }
    assert!(Room::new([0.0; 3], [1.0, 0.0, 1.0]).is_err());
    assert!(Room::new([f64::NEG_INFINITY; 3], [1.0; 3]).is_err());
}

#[test]
fn what_flies_beyond_all_numbers_is_put_to_rest() {
    let spec = BodySpec::new(mesh("box")).velocity([1e300, 0.0, 0.0]);
    let mut simulation = Simulation::new(Settings::default(), &[spec]).unwrap();
    assert_eq!(simulation.step(1.0).halted, 1);
    assert_eq!((simulation.velocity(0), simulation.center(0)), ([0.0; 3], [0.0; 3]));
}
