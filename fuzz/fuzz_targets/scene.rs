//! Scene files from any text; the meshes `one` and `two` exist, everything else does not.
#![no_main]

use impinge_geom::mesh::Mesh;
use impinge_scene::object::Object;
use impinge_scene::scene::Scene;
use impinge_scene::units::Unit;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fn resolve(name: &str, _: &Path) -> Result<Vec<Object>, String> {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1e90, 0.0]];
    let mesh = Mesh::new(points, vec![[0, 1, 2]]).map_err(|error| error.to_string())?;
    let object = |name: &str, unit| Object::rigid(name, mesh.clone(), unit);
    match name {
        "one" => Ok(vec![object("a", None)]),
        "two" => Ok(vec![object("a", None), object("b", Some(Unit::M))]),
        _ => Err(format!("there is no `{name}`")),
    }
}

fuzz_target!(|text: &str| match Scene::parse(text, Path::new("f.toml"), &resolve) {
    Ok(scene) => assert!(!scene.bodies.is_empty()),
    Err(error) => assert!(!error.message.is_empty()),
});
