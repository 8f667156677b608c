//! Any bytes give bodies or a message in the OBJ reader, never a panic.
#![no_main]

use impinge_scene::obj;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match obj::read(bytes) {
    Ok(parts) => assert!(!parts.is_empty()),
    Err(fault) => assert!(!fault.message.is_empty()),
});
