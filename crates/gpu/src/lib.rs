//! The image engines on a graphics processor, by Vulkan: images of faces that only select (`image`), and
//! depth and stencil buffers as printed (`r98-recode`). See docs/notes/gpu.md.
//!
//! Nothing here fails but opening: what the graphics processor cannot do, or does not do in time, is done
//! by the processor. The crate is outside of what is built by default, since wgpu is large.

pub mod device;
pub mod renderer;
pub mod sieve;

use device::Gpu;
use impinge::contract::engine::Engine;
use impinge::narrow::image::{self, Image};
use impinge::narrow::r98::{self, R98};
use std::sync::Arc;

/// Why there is no engine on a graphics processor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No driver, or no device.
    #[error(
        "no graphics adapter was found; a driver for Vulkan is needed, of a graphics processor or \
         in software (on Debian: mesa-vulkan-drivers and libvulkan1)"
    )]
    NoAdapter,
    /// There is one, but it cannot be used.
    #[error("the graphics adapter {name} cannot be used: {reason}")]
    Refused {
        /// The adapter.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// An engine that draws nothing.
    #[error("the engine {engine} does not use a graphics processor; image and r98-recode do")]
    NoImages {
        /// Its name.
        engine: String,
    },
    /// A parameter that is not there, or a value that it cannot have.
    #[error("engine {engine}: {reason}")]
    BadParameter {
        /// The engine.
        engine: String,
        /// What was found and what was needed.
        reason: String,
    },
}

/// The engine `image`, with images of faces made by the fastest graphics processor of the machine.
///
/// # Errors
/// If there is none that can be used.
pub fn image_engine() -> Result<Box<dyn Engine>, GpuError> {
    by_text("image", &Gpu::open()?)
}

/// The engine that `text` names, as `impinge::narrow::by_text`, on a graphics processor.
///
/// # Errors
/// If the engine does not draw, or cannot be set so; if the graphics processor cannot do what it takes.
pub fn by_text(text: &str, gpu: &Arc<Gpu>) -> Result<Box<dyn Engine>, GpuError> {
    let (engine, settings) = text.split_once('?').unwrap_or((text, ""));
    let bad = |reason| GpuError::BadParameter { engine: engine.to_owned(), reason };
    match engine {
        image::NAME => {
            let image = Image::read(settings).map_err(bad)?;
            Ok(Box::new(image.sifted_by(Arc::new(sieve::Sieve::new(gpu)?))))
        }
        r98::NAME => {
            let settings = r98::Settings::read(settings).map_err(bad)?;
            Ok(Box::new(R98::with(renderer::Renderer::new(gpu)?, settings)))
        }
        _ => Err(GpuError::NoImages { engine: engine.to_owned() }),
    }
}
