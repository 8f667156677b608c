//! All mesh files of the data collection can be read, and so can the fitting checks made of them.

use impinge_geom::motion::Motion;
use impinge_scene::load::load;
use impinge_scene::resolve;
use impinge_scene::scene::Scene;
use impinge_scene::scene::fit::Until;
use std::path::{Path, PathBuf};

/// All files below `folder` with one of these extensions, in a fixed order.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.contains(&extension.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn all_files_of_the_collection_load() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let mut count = 0;
    for folder in ["meshes", "polygon-soup", "coref", "assemblies", "rigid-frames", "point-in-mesh"]
    {
        for path in files(&data.join(folder), &["obj", "stl", "off", "ply"]) {
            let objects = load(&path).unwrap();
            assert!(!objects.is_empty());
            count += 1;
        }
    }
    assert!(count > 300, "only {count} files found");
    let shape = |name: &str| -> Vec<(String, usize, usize)> {
        let objects = load(&data.join(name)).unwrap();
        let shape = |o: &impinge_scene::object::Object| {
            (o.name.clone(), o.mesh.vertices().len(), o.mesh.face_count())
        };
        objects.iter().map(shape).collect()
    };
    assert_eq!(shape("meshes/venus.off"), [("venus".to_owned(), 711, 1418)]);
    let soup = shape("polygon-soup/multibody.stl");
    let names: Vec<&str> = soup.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["bodyB", "bodyA"]);
    assert_eq!(soup[0].2 + soup[1].2, 32);
    let joined = shape("polygon-soup/joined_tetrahedra.obj");
    assert_eq!(joined, [("joined_tetrahedra".to_owned(), 4, 4), ("bottom".to_owned(), 4, 4)]);
}

#[test]
fn the_fitting_checks_of_real_assemblies_load() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/fit"));
    let meshes = data.join("assemblies");
    let mut verdicts = [0, 0];
    let mut allowed = Vec::new();
    for path in files(folder, &["toml"]) {
        let scene = Scene::load_in(&path, &meshes, &resolve::files).unwrap();
        let fit = scene.fit.unwrap();
        let lead = &scene.bodies[fit.moving[0]];
        let source = lead.source.path.as_ref().unwrap();
        assert!(source.starts_with(&meshes) && source.is_file(), "{}", source.display());
        // Most begin where the part stands; what does not must say what may touch there.
        let stands = *fit.path.motions()[0].pose0() == lead.pose;
        assert!(stands || !fit.allowed.is_empty(), "{}", path.display());
        assert!(fit.path.motions().iter().all(|motion: &Motion| motion.pose0() != motion.pose1()));
        allowed.extend(fit.allowed.into_iter().map(|rule| rule.until));
        let text = std::fs::read_to_string(&path).unwrap();
        let verdict = text.lines().next().unwrap().strip_prefix("# verdict: ");
        let known = ["free", "contact"].iter().position(|known| verdict == Some(known));
        verdicts[known.unwrap_or_else(|| panic!("{}: {verdict:?}", path.display()))] += 1;
    }
    assert_eq!((verdicts, allowed.as_slice()), ([8, 9], [Until::Release].as_slice()));
}
