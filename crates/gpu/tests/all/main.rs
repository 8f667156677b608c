//! Tests of the image engines on a graphics processor. They need an adapter, which may be one in
//! software; without one they say that they were skipped, or fail if `IMPINGE_GPU=required` is set.

#[path = "../../../impinge/tests/all/duel.rs"]
mod duel;
mod engine;
#[path = "../../../impinge/tests/all/random.rs"]
mod random;
mod renderer;
mod sieve;

use impinge_gpu::GpuError;
use impinge_gpu::device::Gpu;
use std::io::Write;
use std::sync::{Arc, OnceLock};

/// The graphics processor, one for all tests.
fn gpu() -> Option<Arc<Gpu>> {
    static OPENED: OnceLock<Result<Arc<Gpu>, GpuError>> = OnceLock::new();
    match OPENED.get_or_init(Gpu::open) {
        Ok(gpu) => Some(gpu.clone()),
        Err(error) => {
            let required = std::env::var_os("IMPINGE_GPU").is_some_and(|value| value == "required");
            assert!(!required, "{error}");
            // Not by a macro: what those write is only shown of tests that fail.
            let _ = writeln!(std::io::stderr(), "skipped: no graphics adapter");
            None
        }
    }
}
