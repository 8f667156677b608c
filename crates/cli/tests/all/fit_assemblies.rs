//! Fitting checks of real assemblies: the verdicts that are argued in their scene files, with
//! certificates that are accepted.

use crate::program::run;
use std::path::Path;

#[test]
fn verdicts_are_the_argued_ones_and_proven() {
    let Some(data) = std::env::var_os("IMPINGE_DATA") else {
        eprintln!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let meshes = Path::new(&data).join("assemblies");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fit");
    let scratch = tempfile::tempdir().expect("a folder");
    let mut scenes: Vec<_> = std::fs::read_dir(folder)
        .expect("the scenes are there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    scenes.sort();
    assert!(scenes.len() > 10);
    for scene in scenes {
        let text = std::fs::read_to_string(&scene).expect("a text");
        let argued = text.lines().next().and_then(|line| line.strip_prefix("# verdict: "));
        let code = match argued {
            Some("free") => 0,
            Some("contact") => 1,
            other => panic!("{}: {other:?} is no verdict", scene.display()),
        };
        let certificate = scratch.path().join("certificate.json");
        let [scene, meshes, file] =
            [&scene, &meshes, &certificate].map(|path| path.to_str().expect("text"));
        let fitted = run(&["fit", scene, "--meshes", meshes, "--certificate", file]);
        assert_eq!(fitted.code, code, "{scene}: {}{}", fitted.out, fitted.err);
        let verified = run(&["verify", file, "--scene", scene, "--meshes", meshes]);
        assert_eq!(verified.code, 0, "{scene}: {}{}", verified.out, verified.err);
        let outcome = if code == 0 { "PROVED FREE  " } else { "PROVED CONTACT  " };
        assert!(verified.out.starts_with(outcome), "{scene}: {}", verified.out);
    }
}
