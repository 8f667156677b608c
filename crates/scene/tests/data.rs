//! All mesh files of the data collection can be read.

use impinge_scene::load::load;
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
