//! glTF and GLB from any bytes, without a disk: every buffer beside the file is the input itself.
#![no_main]

use impinge_scene::gltf;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = gltf::read_with(bytes, Path::new("f.glb"), &|_| Ok(bytes.to_vec())) {
        assert!(!error.message.is_empty());
    }
});
