//! Any bytes give bodies or a message in the RAW reader, never a panic.
#![no_main]

use impinge_scene::raw;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match raw::read(bytes) {
    Ok(parts) => assert!(!parts.is_empty()),
    Err(fault) => assert!(!fault.message.is_empty()),
});
