//! Closed forms and conservation laws.

use impinge_samples::build_mesh;
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

fn length(v: Point) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn gap(a: Point, b: Point) -> f64 {
    length([0, 1, 2].map(|k| a[k] - b[k]))
}

fn spinning(integrator: Integrator) -> Simulation {
    let brick =
        BodySpec::new(mesh("box?x=1&y=2&z=3")).spin([0.3, 2.0, 0.4]).velocity([1.0, 0.0, 0.0]);
    let settings = Settings { integrator, ..Settings::default() };
    Simulation::new(settings, &[brick]).unwrap()
}

/// The largest relative deviations of energy and angular momentum over so many steps of 0.01.
fn drift(simulation: &mut Simulation, steps: usize, from: (f64, Point)) -> [f64; 2] {
    let mut worst = [0.0f64; 2];
    for _ in 0..steps {
        simulation.step(0.01);
        worst[0] = worst[0].max((simulation.energy() / from.0 - 1.0).abs());
        let turned = gap(simulation.angular_momentum(), from.1) / length(from.1);
        worst[1] = worst[1].max(turned);
    }
    worst
}

#[test]
fn a_tumbling_brick_keeps_its_energy() {
    // About the middle axis, where the turning is unstable: the hardest case.
    for (integrator, most) in
        [(Integrator::SemiImplicitEuler, [5e-3, 1e-10]), (Integrator::RungeKutta4, [1e-6, 1e-6])]
    {
        let mut simulation = spinning(integrator);
        let from = (simulation.energy(), simulation.angular_momentum());
        let early = drift(&mut simulation, 2000, from);
        let late = drift(&mut simulation, 8000, from);
        for (k, most) in most.into_iter().enumerate() {
            assert!(early[k].max(late[k]) < most, "{integrator:?} {k}: {early:?} {late:?}");
        }
        // Semi-implicit steps stray, but not farther and farther.
        if integrator == Integrator::SemiImplicitEuler {
            assert!(early[0] > 1e-5 && late[0] < 1.2 * early[0], "{early:?} {late:?}");
        }
        assert!(gap(simulation.center(0), [100.0, 0.0, 0.0]) < 1e-6);
    }
    let mut explicit = spinning(Integrator::ExplicitEuler);
    let from = (explicit.energy(), explicit.angular_momentum());
    let early = drift(&mut explicit, 2000, from)[0];
    let late = drift(&mut explicit, 8000, from)[0];
    assert!(early > 1e-3 && late > 3.0 * early, "the paper's method gains energy: {early} {late}");
}

#[test]
fn runge_kutta_turns_as_far_as_time_says() {
    // A body with equal moments turns at a steady rate.
    let spec = BodySpec::new(mesh("box")).spin([0.0, 0.0, 1.0]);
    for (integrator, most) in
        [(Integrator::RungeKutta4, 1e-9), (Integrator::SemiImplicitEuler, 2e-4)]
    {
        let settings = Settings { integrator, ..Settings::default() };
        let mut simulation = Simulation::new(settings, std::slice::from_ref(&spec)).unwrap();
        run(&mut simulation, 200, 0.01);
        let [w, x, y, z] = simulation.pose(0).rotation();
        assert!((w - 1f64.cos()).abs() < most && (z - 1f64.sin()).abs() < most);
        assert!(x.abs() + y.abs() < 1e-12);
    }
}

#[test]
fn a_falling_body_follows_the_parabola() {
    let (g, dt, steps) = (-9.81, 0.001, 1000);
    for (integrator, late) in [
        (Integrator::RungeKutta4, 0.0),
        (Integrator::SemiImplicitEuler, 0.5),
        (Integrator::ExplicitEuler, -0.5),
    ] {
        let gravity = [0.0, 0.0, g];
        let settings = Settings { integrator, gravity, ..Settings::default() };
        let spec = BodySpec::new(mesh("box")).velocity([1.0, 0.0, 3.0]);
        let mut simulation = Simulation::new(settings, &[spec]).unwrap();
        run(&mut simulation, steps, dt);
        let [x, _, z] = simulation.center(0);
        // The sums of both of Euler's methods in closed form.
        let exact = 3.0 + 0.5 * g + late * g * dt;
        assert!((x - 1.0).abs() < 1e-9 && (z - exact).abs() < 1e-9, "{integrator:?}: {z} {exact}");
    }
}

#[test]
fn a_force_and_a_torque_do_what_newton_says() {
    let brick = BodySpec::new(mesh("box?x=1&y=2&z=3")).mass(12.0);
    let settings = Settings { integrator: Integrator::RungeKutta4, ..Settings::default() };
    let mut simulation = Simulation::new(settings, &[brick]).unwrap();
    simulation.set_force(0, [24.0, 0.0, 0.0], [0.0, 0.0, 5.0]);
    run(&mut simulation, 100, 0.01);
    // 12 · (1 + 4) / 12 = 5 is the moment about z.
    assert!(gap(simulation.velocity(0), [2.0, 0.0, 0.0]) < 1e-9);
    assert!(gap(simulation.spin(0), [0.0, 0.0, 1.0]) < 1e-9);
}

#[test]
fn walls_reflect_in_closed_form() {
    let room = Some(Room::new([0.0; 3], [10.0, 8.0, 6.0]).unwrap());
    let velocity = [3.7, -2.9, 1.3];
    for dt in [0.01, 0.37, 5.0] {
        let spec = BodySpec::new(mesh("box")).at(at([2.0, 3.0, 4.0])).velocity(velocity);
        let mut simulation =
            Simulation::new(Settings { room, ..Settings::default() }, &[spec]).unwrap();
        let steps = 400u32;
        run(&mut simulation, steps, dt);
        let time = dt * f64::from(steps);
        for k in 0..3 {
            // Half a unit from each wall it turns: a folded line.
            let wide = [10.0, 8.0, 6.0][k] - 1.0;
            let far = ([2.0, 3.0, 4.0][k] - 0.5 + velocity[k] * time).rem_euclid(2.0 * wide);
            let folded = 0.5 + if far > wide { 2.0 * wide - far } else { far };
            // A step may lead farther than the room is wide only with the largest step.
            if velocity[k].abs() * dt < wide {
                assert!((simulation.center(0)[k] - folded).abs() < 1e-8, "{dt} {k}");
                assert_eq!(simulation.velocity(0)[k].abs(), velocity[k].abs());
            }
            let inside = (0.5 - 1e-12..=wide + 0.5 + 1e-12).contains(&simulation.center(0)[k]);
            assert!(inside, "{dt} {k}");
        }
    }
}

#[test]
fn a_ball_bounces_as_high_as_restitution_says() {
    let room = Some(Room::new([0.0; 3], [4.0, 4.0, 40.0]).unwrap());
    let (gravity, drop_height) = ([0.0, 0.0, -10.0], 5.0);
    for response in [Response::Exchange, Response::Impulse] {
        for (restitution, integrator) in [
            (1.0, Integrator::SemiImplicitEuler),
            (1.0, Integrator::RungeKutta4),
            (0.5, Integrator::SemiImplicitEuler),
            (0.5, Integrator::RungeKutta4),
        ] {
            let settings = Settings {
                room,
                gravity,
                restitution,
                integrator,
                response,
                ..Settings::default()
            };
            let spec = BodySpec::new(mesh("box")).at(at([2.0, 2.0, 0.5 + drop_height]));
            let mut simulation = Simulation::new(settings, &[spec]).unwrap();
            let (mut bounces, mut top) = (0, 0.0f64);
            // Two bounces: until the ball has fallen for the third time.
            for _ in 0..200_000 {
                bounces += simulation.step(1e-3).collisions.len();
                if bounces == 2 {
                    top = top.max(simulation.center(0)[2] - 0.5);
                } else if bounces == 3 {
                    break;
                }
            }
            let expected = drop_height * f64::powi(restitution, 4);
            let error = (top / expected - 1.0).abs();
            assert!(error < 0.02, "{response:?} {restitution} {integrator:?}: {top} {expected}");
        }
    }
}

#[test]
fn bouncing_for_long_neither_gains_nor_loses() {
    let room = Some(Room::new([0.0; 3], [10.0; 3]).unwrap());
    for integrator in [Integrator::SemiImplicitEuler, Integrator::RungeKutta4] {
        let gravity = [0.0, 0.0, -10.0];
        let settings = Settings { room, gravity, integrator, ..Settings::default() };
        let spec = BodySpec::new(mesh("box")).at(at([2.0, 2.0, 6.0])).velocity([3.0, 1.0, 0.0]);
        let mut simulation = Simulation::new(settings, &[spec]).unwrap();
        let energy = simulation.energy();
        run(&mut simulation, 100_000, 1e-3);
        let ratio = simulation.energy() / energy;
        assert!((ratio - 1.0).abs() < 5e-3, "{integrator:?}: {ratio}");
    }
}

/// Two balls on their way to each other, a little off the line of their centres.
fn balls(settings: Settings, masses: [f64; 2]) -> Simulation {
    let ball = mesh("sphere?faces=960");
    let left = BodySpec::new(Arc::clone(&ball)).mass(masses[0]).velocity([1.0, 0.1, 0.0]);
    let right =
        BodySpec::new(ball).mass(masses[1]).at(at([4.0, 0.5, 0.3])).velocity([-0.5, 0.0, 0.0]);
    Simulation::new(settings, &[left, right]).unwrap()
}

#[test]
fn elastic_impulses_keep_energy_and_momentum() {
    for response in [Response::Impulse, Response::Reflect] {
        for masses in [[1.0, 1.0], [1.0, 10.0], [7.0, 0.5]] {
            let mut simulation = balls(Settings { response, ..Settings::default() }, masses);
            let before =
                (simulation.energy(), simulation.momentum(), simulation.angular_momentum());
            let mut met = 0;
            for _ in 0..400 {
                met += simulation.step(0.01).collisions.len();
            }
            assert_eq!(met, 1, "{response:?} {masses:?}");
            assert!((simulation.energy() / before.0 - 1.0).abs() < 1e-9);
            assert!(gap(simulation.momentum(), before.1) < 1e-12);
            // Reflection by normals leaves turning alone, and may so lose angular momentum.
            if response == Response::Impulse {
                let turned = gap(simulation.angular_momentum(), before.2);
                assert!(turned < 1e-2, "{turned}");
            }
            let closing = simulation.velocity(0)[0] - simulation.velocity(1)[0];
            assert!(closing < 0.0, "they part");
        }
    }
}

#[test]
fn without_restitution_nothing_of_the_closing_speed_is_left() {
    let ball = mesh("sphere?faces=960");
    let left = BodySpec::new(Arc::clone(&ball)).mass(1.0).velocity([1.0, 0.0, 0.0]);
    let right = BodySpec::new(ball).mass(3.0).at(at([3.0, 0.0, 0.0]));
    let settings =
        Settings { response: Response::Impulse, restitution: 0.0, ..Settings::default() };
    let mut simulation = Simulation::new(settings, &[left, right]).unwrap();
    run(&mut simulation, 300, 0.01);
    for i in 0..2 {
        assert!((simulation.velocity(i)[0] - 0.25).abs() < 0.01, "{:?}", simulation.velocity(i));
    }
    assert!((simulation.momentum()[0] - 1.0).abs() < 1e-12);
}

#[test]
fn a_sliding_ball_ends_up_rolling_with_five_sevenths_of_its_speed() {
    let room = Some(Room::new([-50.0, -5.0, 0.0], [50.0, 5.0, 5.0]).unwrap());
    let settings = Settings {
        room,
        gravity: [0.0, 0.0, -10.0],
        response: Response::Impulse,
        restitution: 0.0,
        friction: 0.3,
        ..Settings::default()
    };
    let ball = BodySpec::new(mesh("sphere?faces=20000"));
    let ball = ball.at(at([-40.0, 0.0, 1.0 + 1e-3])).velocity([7.0, 0.0, 0.0]);
    let mut simulation = Simulation::new(settings, &[ball]).unwrap();
    // It slides for 2v / (7 μ g) = 2/3 s.
    run(&mut simulation, 1500, 1e-3);
    let (speed, turning) = (simulation.velocity(0)[0], simulation.spin(0)[1]);
    assert!((speed - 5.0).abs() < 0.15, "{speed}");
    assert!((turning - speed).abs() < 0.1, "{turning} {speed}");
}

#[test]
fn a_box_on_the_floor_slides_as_far_as_friction_says_and_rests() {
    let room = Some(Room::new([-50.0, -5.0, 0.0], [50.0, 5.0, 5.0]).unwrap());
    let settings = Settings {
        room,
        gravity: [0.0, 0.0, -10.0],
        response: Response::Impulse,
        restitution: 0.0,
        friction: 0.5,
        ..Settings::default()
    };
    // Flat, so that it does not tip over.
    let spec = BodySpec::new(mesh("box?x=2&y=2&z=0.5")).at(at([0.0, 0.0, 0.25]));
    let mut simulation = Simulation::new(settings, &[spec.velocity([4.0, 0.0, 0.0])]).unwrap();
    run(&mut simulation, 1200, 1e-3);
    let [x, y, z] = simulation.center(0);
    // v² / (2 μ g).
    assert!((x - 1.6).abs() < 0.02 && y.abs() < 1e-3, "{x} {y}");
    let energy = simulation.energy();
    run(&mut simulation, 5000, 1e-3);
    assert!(gap(simulation.center(0), [x, y, z]) < 1e-3, "it rests");
    assert!(simulation.energy() <= energy + 1e-3 && length(simulation.velocity(0)) < 0.02);
}

#[test]
fn a_box_comes_to_rest_on_a_fixed_one() {
    let settings = Settings {
        gravity: [0.0, 0.0, -10.0],
        response: Response::Impulse,
        restitution: 0.2,
        friction: 0.5,
        ..Settings::default()
    };
    let floor = BodySpec::new(mesh("box?x=20&y=20&z=2")).kind(Kind::Fixed);
    let upper = BodySpec::new(mesh("box")).at(at([0.1, 0.2, 1.8]));
    let mut simulation = Simulation::new(settings, &[floor, upper]).unwrap();
    let energy = simulation.energy();
    run(&mut simulation, 4000, 1e-3);
    assert!(simulation.energy() < energy);
    assert!(gap(simulation.center(1), [0.1, 0.2, 1.5]) < 0.02, "{:?}", simulation.center(1));
    assert!(length(simulation.velocity(1)) < 0.05 && length(simulation.spin(1)) < 0.05);
}
