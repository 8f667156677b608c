//! `[sim]` and `[body.sim]`: what is read, and what times may look like.

use impinge_geom::mesh::Mesh;
use impinge_scene::object::Object;
use impinge_scene::scene::Scene;
use impinge_scene::scene::pilot::Pilot;
use impinge_scene::scene::sim::{Integrator, Kind, Mode, Response, Sim, SimBody, Walls, seconds};
use std::path::Path;

fn parse(text: &str) -> Result<Scene, String> {
    let resolver = |_: &str, _: &Path| {
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        Ok(vec![Object::rigid("part", mesh, None)])
    };
    Scene::parse(text, Path::new("s.toml"), &resolver).map_err(|error| error.to_string())
}

#[test]
fn all_keys_are_read() {
    let scene = parse(
        "[sim]\ndt = \"2 ms\"\ngravity = [0, 0, -9810]\n\
         room = { min = [0, 0, 0], max = [1, 2, 3] }\n\
         walls = \"sphere\"\nintegrator = \"runge-kutta\"\nresponse = \"impulse\"\n\
         restitution = 0.5\nfriction = 0.25\nengine = \"bvh\"\npruner = \"sweep\"\n\
         mode = \"dynamic\"\nloop = true\n\
         [[body]]\nname = \"a\"\nmesh = \"a.obj\"\n[body.sim]\nkind = \"fixed\"\nmass = 2\n\
         inertia = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\nvelocity = [1, 2, 3]\n\
         spin = [4, 5, 6]\ngrasp = [0.5, inf]\n\
         [[body]]\nname = \"b\"\nmesh = \"a.obj\"\n",
    );
    let body = SimBody {
        kind: Some(Kind::Fixed),
        mass: Some(2.0),
        density: None,
        inertia: Some([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]),
        velocity: Some([1.0, 2.0, 3.0]),
        spin: Some([4.0, 5.0, 6.0]),
        period: None,
        grasp: Some([0.5, f64::INFINITY]),
        pilot: None,
    };
    let sim = Sim {
        dt: Some(0.002),
        gravity: Some([0.0, 0.0, -9810.0]),
        room: Some([[0.0; 3], [1.0, 2.0, 3.0]]),
        walls: Some(Walls::Sphere),
        integrator: Some(Integrator::RungeKutta),
        response: Some(Response::Impulse),
        restitution: Some(0.5),
        friction: Some(0.25),
        engine: Some("bvh".to_owned()),
        pruner: Some("sweep".to_owned()),
        mode: Some(Mode::Dynamic),
        looping: true,
        grouped: None,
        bodies: vec![body, SimBody::default()],
    };
    assert_eq!(scene.unwrap().sim, Some(sim));
}

#[test]
fn a_pilot_is_read_and_checked() {
    let with = |kind: &str, pilot: &str| {
        parse(&format!(
            "[[body]]\nname = \"a\"\nmesh = \"a.obj\"\nsim = {{ {kind}pilot = {{ {pilot} }} }}\n"
        ))
    };
    let plain = "thrust = 4, speed = 6, range = 30";
    let said = |scene: Result<Scene, String>| scene.unwrap().sim.unwrap().bodies[0].pilot.unwrap();
    let usual = Pilot {
        nose: [1.0, 0.0, 0.0],
        thrust: 4.0,
        speed: 6.0,
        turn: 1.0,
        hold: [0.5, 2.0],
        home: [0.0; 3],
        range: 30.0,
        seed: 0,
    };
    assert_eq!(said(with("", plain)), usual);
    let all = "nose = [0, 0, -1], turn = 0, hold = [1, 1], home = [1, 2, 3], seed = 9";
    let told = Pilot {
        nose: [0.0, 0.0, -1.0],
        turn: 0.0,
        hold: [1.0, 1.0],
        home: [1.0, 2.0, 3.0],
        seed: 9,
        ..usual
    };
    assert_eq!(said(with("kind = \"free\", ", &format!("{plain}, {all}"))), told);
    let refused = [
        ("kind = \"fixed\", ", plain, "there is a pilot, but the body is not free"),
        ("", "thrust = 4, speed = 6", "missing field `range`"),
        ("", "thrust = 0, speed = 6, range = 30", "the pilot's thrust is 0"),
        ("", "thrust = 4, speed = 6, range = 30, hold = [2, 1]", "the pilot's hold is 1"),
        ("", "thrust = 4, speed = 6, range = 30, seed = -1", "invalid value"),
    ];
    for (kind, pilot, message) in refused {
        let error = with(kind, pilot).unwrap_err();
        assert!(error.contains(message) && error.contains("s.toml:4"), "{error}");
    }
}

#[test]
fn a_scene_without_it_has_none() {
    let plain = "[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n";
    assert_eq!(parse(plain).unwrap().sim, None);
    let body = format!("{plain}sim = {{ mass = 2 }}\n");
    let sim = parse(&body).unwrap().sim.unwrap();
    assert_eq!((sim.dt, sim.bodies[0].mass), (None, Some(2.0)));
    let dense = parse(&format!("{plain}sim = {{ density = 3 }}\n")).unwrap().sim.unwrap();
    assert_eq!((dense.bodies[0].mass, dense.bodies[0].density), (None, Some(3.0)));
    let empty = parse(&format!("sim = {{}}\n{plain}")).unwrap().sim;
    assert_eq!(empty.unwrap().bodies, [SimBody::default()]);
}

#[test]
fn rooms_and_matrices_are_checked_with_their_line() {
    let body = "[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n";
    for (text, expected) in [
        (
            format!("[sim]\nroom = {{ min = [0, 0, 0], max = [1, 0, 1] }}\n{body}"),
            "s.toml:2: the room reaches from",
        ),
        (format!("[sim]\ndt = 0\n{body}"), "s.toml:2: `0` is no time"),
        (format!("[sim]\ndt = true\n{body}"), "s.toml:2: a time is needed"),
        (
            format!("{body}sim = {{ inertia = [[1, 1, 0], [0, 1, 0], [0, 0, 1]] }}\n"),
            "s.toml:4: the inertia is no symmetric matrix",
        ),
        (
            format!("{body}[body.sim]\nmass = 2\ndensity = 3\n"),
            "s.toml:6: there are a mass and a density; one of them is needed, not both",
        ),
        (
            format!("{body}[body.sim]\ngrasp = [0, 1]\n"),
            "s.toml:5: it grasps, but it is free; what grasps must be fixed, or moved by",
        ),
        (
            format!("{body}[body.sim]\nkind = \"free\"\ngrasp = [0, 1]\n"),
            "s.toml:6: it grasps, but it is free",
        ),
    ] {
        let found = parse(&text).unwrap_err();
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn times_have_units() {
    for (text, expected) in [("1ms", 1e-3), ("250 us", 250e-6), ("2s", 2.0), (" 0.5 ", 0.5)] {
        assert_eq!(seconds(text), Ok(expected), "{text}");
    }
    for bad in ["", "ms", "0", "-1ms", "nan", "inf", "1h", "1 m s"] {
        assert!(seconds(bad).is_err(), "{bad}");
    }
}
