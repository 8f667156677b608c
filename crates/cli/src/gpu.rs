//! Engines on a graphics processor, in programs that were built for it.

use anyhow::Result;
use impinge::contract::engine::Engine;

/// A graphics processor. There is none in programs that were built without.
#[cfg(feature = "gpu")]
pub(crate) type Adapter = std::sync::Arc<impinge_gpu::device::Gpu>;
#[cfg(not(feature = "gpu"))]
pub(crate) type Adapter = std::convert::Infallible;

/// The fastest of the machine.
#[cfg(feature = "gpu")]
pub(crate) fn open() -> Result<Adapter> {
    use anyhow::Context;
    impinge_gpu::device::Gpu::open().context("--gpu")
}
#[cfg(not(feature = "gpu"))]
pub(crate) fn open() -> Result<Adapter> {
    anyhow::bail!(
        "--gpu: this program was built without it; `cargo build --release --features gpu` in the \
         folder of impinge builds one that has it"
    )
}

/// The engine that a text names.
#[cfg(feature = "gpu")]
pub(crate) fn engine(text: &str, adapter: &Adapter) -> Result<Box<dyn Engine>> {
    use anyhow::Context;
    impinge_gpu::by_text(text, adapter).context("--gpu")
}
#[cfg(not(feature = "gpu"))]
pub(crate) fn engine(_text: &str, adapter: &Adapter) -> Result<Box<dyn Engine>> {
    match *adapter {}
}
