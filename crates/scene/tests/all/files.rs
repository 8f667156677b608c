//! What is read from disk: regular files only, and nothing outside the folder of a glTF.

use impinge_scene::load;
use serde_json::json;
use std::path::Path;

/// The message for a file in `folder`, which it leaves out.
fn message(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    let error = load::load(&path).unwrap_err().to_string();
    error.replace(&format!("{}", path.display()), name)
}

#[test]
fn what_is_no_readable_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| message(folder.path(), name);
    std::fs::create_dir(folder.path().join("folder.obj")).unwrap();
    std::fs::write(folder.path().join("empty.STL"), "").unwrap();
    std::fs::write(folder.path().join("bad.OBJ"), "v 0 0 0\nf 1 1 2\n").unwrap();
    assert_eq!(text("folder.obj"), "folder.obj: this is a directory; a mesh file is needed");
    assert_eq!(text("empty.STL"), "empty.STL: the file is empty; a mesh is needed");
    assert_eq!(text("none.ply"), "none.ply: there is no such file");
    let fault = "the face names vertex 2, but the file has only 1 vertex";
    assert_eq!(text("bad.OBJ"), format!("bad.OBJ:2: {fault}"));
    let known = "known are obj, stl, ply, off, raw, gltf, glb, mseq";
    assert_eq!(text("a.step"), format!("a.step: the extension `step` is unknown; {known}"));
    assert_eq!(text("noname"), format!("noname: the file's name has no extension; {known}"));
}

/// Writes `tri.gltf`, whose triangle lies in the file `buffer`.
fn write_gltf(folder: &Path, buffer: &str) {
    let gltf = json!({
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": buffer}],
    });
    std::fs::write(folder.join("tri.gltf"), gltf.to_string()).unwrap();
}

#[test]
fn more_than_the_stated_length_of_a_buffer_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    write_gltf(folder.path(), "sub/tri.bin");
    // A file with a hole: far longer than any memory. Not every file system can have it.
    let file = std::fs::File::create(folder.path().join("sub/tri.bin")).unwrap();
    if file.set_len(1 << 42).is_err() {
        file.set_len(40).unwrap();
    }
    assert_eq!(load::load(&folder.path().join("tri.gltf")).unwrap().len(), 1);
}

/// Links and devices as Unix has them.
#[cfg(unix)]
mod unix {
    use super::*;
    use impinge_scene::resolve;
    use impinge_scene::scene::Scene;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn links_may_not_lead_out_of_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("inside");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(place.path().join("tri.bin"), [0; 36]).unwrap();
        std::fs::write(folder.join("own.bin"), [0; 36]).unwrap();
        symlink("../tri.bin", folder.join("out.bin")).unwrap();
        symlink("own.bin", folder.join("in.bin")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        symlink("/dev/zero", folder.join("zero.bin")).unwrap();
        for name in ["out.bin", "up/tri.bin", "zero.bin"] {
            write_gltf(&folder, name);
            let needed = "this is a link that leads outside the file's folder";
            let needed = format!("tri.gltf: buffer 0: cannot read `{name}`: {needed}");
            assert_eq!(message(&folder, "tri.gltf"), needed);
        }
        for name in ["own.bin", "in.bin", "up/inside/own.bin"] {
            write_gltf(&folder, name);
            assert_eq!(load::load(&folder.join("tri.gltf")).unwrap().len(), 1, "{name}");
        }
        // The folder itself may be a link.
        symlink(&folder, place.path().join("alias")).unwrap();
        assert_eq!(load::load(&place.path().join("alias/tri.gltf")).unwrap().len(), 1);
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let pipe = std::process::Command::new("mkfifo").arg(folder.join("pipe.stl")).status();
        assert!(pipe.unwrap().success());
        let _socket = UnixListener::bind(folder.join("socket.obj")).unwrap();
        symlink("/dev/zero", folder.join("zero.off")).unwrap();
        symlink("pipe.stl", folder.join("link.ply")).unwrap();
        for name in ["pipe.stl", "socket.obj", "zero.off", "link.ply"] {
            let needed = "this is not a regular file; a mesh file is needed";
            assert_eq!(message(folder, name), format!("{name}: {needed}"));
        }
        write_gltf(folder, "pipe.stl");
        let needed = "buffer 0: cannot read `pipe.stl`: this is not a regular file";
        assert_eq!(message(folder, "tri.gltf"), format!("tri.gltf: {needed}"));
        let scene = Scene::load(&folder.join("pipe.stl"), &resolve::files).unwrap_err();
        assert_eq!(scene.message, "cannot be read: this is not a regular file");
        std::fs::write(folder.join("real"), "v 0 0 0\nf 1 1 1\n").unwrap();
        symlink("real", folder.join("good.obj")).unwrap();
        assert_eq!(load::load(&folder.join("good.obj")).unwrap().len(), 1);
    }
}
