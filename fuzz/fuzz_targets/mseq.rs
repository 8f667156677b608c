//! Any bytes give frames or a message in the MSEQ reader, never a panic.
#![no_main]

use impinge_scene::mseq;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match mseq::read(bytes) {
    Ok(read) => assert_eq!(read.frames.frame(0), read.mesh.vertices()),
    Err(fault) => assert!(!fault.message.is_empty()),
});
