//! Bodies that are steered: limits are kept, they come back, and flights repeat.

use glam::DVec3;
use impinge_samples::{Sampled, build, build_mesh};
use impinge_sim::prelude::*;
use std::sync::Arc;

const PILOT: Pilot = Pilot {
    nose: [0.0, 2.0, 0.0],
    thrust: 8.0,
    speed: 5.0,
    turn: 1.5,
    hold: [0.25, 1.0],
    home: [1.0, 2.0, 3.0],
    range: 20.0,
    seed: 7,
};

fn body() -> BodySpec {
    let mesh = Arc::new(build_mesh("box?y=3").unwrap());
    BodySpec { pilot: Some(PILOT), ..BodySpec::new(mesh) }
}

fn alone(integrator: Integrator) -> Simulation {
    let settings = Settings { integrator, ..Settings::default() };
    Simulation::new(settings, &[body()]).unwrap()
}

#[test]
fn limits_are_kept_and_the_body_stays_near_home() {
    for integrator in
        [Integrator::SemiImplicitEuler, Integrator::ExplicitEuler, Integrator::RungeKutta4]
    {
        let mut simulation = alone(integrator);
        let dt = 0.01;
        let (mut settings, mut last_spin) = (0, DVec3::ZERO);
        let (mut fastest, mut farthest) = (0.0f64, 0.0f64);
        let mut before = DVec3::ZERO;
        for _ in 0..20_000 {
            simulation.step(dt);
            let velocity = DVec3::from(simulation.velocity(0));
            // Thrust and drag: neither is more than the thrust at its most.
            assert!((velocity - before).length() <= 2.0 * PILOT.thrust * dt * (1.0 + 1e-9));
            before = velocity;
            fastest = fastest.max(velocity.length());
            let spin = DVec3::from(simulation.spin(0));
            assert!(spin.length() <= PILOT.turn * (1.0 + 1e-2), "{spin}");
            settings += usize::from((spin - last_spin).length() > 0.1);
            last_spin = spin;
            let away = DVec3::from(simulation.center(0)) - DVec3::from(PILOT.home);
            farthest = farthest.max(away.length());
        }
        assert!(fastest <= PILOT.speed * (1.0 + 1e-9) && fastest > 0.8 * PILOT.speed, "{fastest}");
        assert!(farthest > PILOT.range, "it was steered back at least once");
        assert!(farthest < PILOT.range + 3.0 * PILOT.speed, "{farthest}");
        // A setting is kept for 0.25 to 1 second of the 200, and not all of them are much different.
        assert!((150..800).contains(&settings), "{settings}");
    }
}

#[test]
fn thrust_is_along_the_nose() {
    let mut simulation = alone(Integrator::SemiImplicitEuler);
    let nose = |simulation: &Simulation| {
        let turned = Pose::new(simulation.pose(0).rotation(), [0.0; 3]).unwrap();
        DVec3::from(turned.apply(&[0.0, 1.0, 0.0]))
    };
    for _ in 0..2_000 {
        let (pointed, before) = (nose(&simulation), DVec3::from(simulation.velocity(0)));
        simulation.step(0.01);
        let gained = (DVec3::from(simulation.velocity(0)) - before) / 0.01;
        let thrust = gained + before * (PILOT.thrust / PILOT.speed);
        let along = thrust.dot(pointed);
        assert!((-1e-9..=PILOT.thrust + 1e-9).contains(&along), "{along}");
        assert!((thrust - pointed * along).length() < 1e-9, "{thrust} is not along {pointed}");
    }
}

#[test]
fn ships_meet_and_flights_repeat() {
    let fly = |text: &str, engine: &str| {
        let Ok(Sampled::Scene(scene)) = build(text) else { panic!("{text}") };
        let mut plan = Plan::of(&scene.into_scene(text)).unwrap();
        plan.settings.engine = engine.to_owned();
        let dt = plan.dt;
        let mut simulation = plan.start().unwrap();
        assert_eq!(simulation.step(0.0).touching, 0, "they begin apart");
        let met: usize = (0..1_500).map(|_| simulation.step(dt).collisions.len()).sum();
        (met, (0..simulation.len()).map(|i| *simulation.pose(i)).collect::<Vec<_>>())
    };
    let (met, poses) = fly("spaceships?n=12&faces=1024&range=20", "bvh");
    assert!(met > 5, "{met}");
    assert_eq!(fly("spaceships?n=12&faces=1024&range=20", "octree"), (met, poses.clone()));
    assert_ne!(fly("spaceships?n=12&faces=1024&range=20&seed=2", "bvh").1, poses);
}

#[test]
fn pilots_that_make_no_sense_are_refused() {
    let refused = |pilot: Pilot, kind: Kind| {
        let spec = BodySpec { pilot: Some(pilot), kind, ..body() };
        match Simulation::new(Settings::default(), &[spec]) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{pilot:?}"),
        }
    };
    let wrong = [
        (Pilot { nose: [0.0; 3], ..PILOT }, "the nose of the pilot of body 0 is 0; a direction"),
        (Pilot { home: [f64::NAN; 3], ..PILOT }, "the home of the pilot of body 0 is NaN"),
        (Pilot { thrust: 0.0, ..PILOT }, "the thrust of the pilot of body 0 is 0"),
        (Pilot { speed: -1.0, ..PILOT }, "the speed of the pilot of body 0 is -1"),
        (Pilot { range: f64::INFINITY, ..PILOT }, "the range of the pilot of body 0 is inf"),
        (Pilot { turn: -0.5, ..PILOT }, "the turn of the pilot of body 0 is -0.5"),
        (Pilot { hold: [0.0, 1.0], ..PILOT }, "the hold of the pilot of body 0 is 0"),
        (Pilot { hold: [2.0, 1.0], ..PILOT }, "the least time and the most are needed"),
    ];
    for (pilot, message) in wrong {
        let found = refused(pilot, Kind::Free);
        assert!(found.contains(message), "{found}");
    }
    assert!(refused(PILOT, Kind::Fixed).contains("something else moves it"));
}
