//! `[sim]` and `[body.sim]`: what is read, and what times may look like.

use impinge_geom::mesh::Mesh;
use impinge_scene::object::Object;
use impinge_scene::scene::Scene;
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
