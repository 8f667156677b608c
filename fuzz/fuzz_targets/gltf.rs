//! glTF and GLB from any bytes, without a disk: every buffer beside the file is the input itself.
#![no_main]

use impinge_scene::gltf;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    match gltf::read_with(bytes, Path::new("f.glb"), &|_| Ok(bytes.to_vec())) {
        Ok(objects) => {
            for object in objects.iter().filter(|object| object.animation.is_some()) {
                if let Err(message) = object.frames(2) {
                    assert!(!message.is_empty());
                }
            }
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
});
