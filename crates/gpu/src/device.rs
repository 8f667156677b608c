//! The graphics processor: found once, and shared by all that use it.

use crate::GpuError;
use std::pin::pin;
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Work that is not done by then never will be; the processor does it instead, and all that follows.
const LONGEST: Duration = Duration::from_secs(60);

/// A graphics processor, or a program that stands in for one.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    features: wgpu::Features,
    name: String,
    /// What went wrong first, once something did.
    fault: Arc<OnceLock<String>>,
}

impl Gpu {
    /// The fastest that the machine has.
    ///
    /// # Errors
    /// If there is none, or if it cannot be used.
    pub fn open() -> Result<Arc<Self>, GpuError> {
        let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
        wanted.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(wanted);
        let fastest = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = now(instance.request_adapter(&fastest)).ok_or(GpuError::NoAdapter)?;
        let adapter = adapter.map_err(|_| GpuError::NoAdapter)?;
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let features = adapter.features() & wgpu::Features::DEPTH32FLOAT_STENCIL8;
        let asked = wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let name = format!("{} ({})", info.name, info.driver_info);
        let refused = |reason: String| GpuError::Refused { name: name.clone(), reason };
        let opened = now(adapter.request_device(&asked));
        let opened = opened.ok_or_else(|| refused("it does not answer".to_owned()))?;
        let (device, queue) = opened.map_err(|error| refused(error.to_string()))?;
        let fault = Arc::new(OnceLock::new());
        // Without these an error would end the program. Only the first counts: the rest follows from it.
        let (by_error, by_loss) = (fault.clone(), fault.clone());
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let _ = by_error.set(error.to_string());
        }));
        device.set_device_lost_callback(move |_, reason| {
            let _ = by_loss.set(format!("it was lost: {reason}"));
        });
        Ok(Arc::new(Self { device, queue, limits, features, name, fault }))
    }

    /// What it is called, with its driver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can be relied on: once something went wrong, nothing it tells is believed any more.
    pub fn is_sound(&self) -> bool {
        self.fault.get().is_none()
    }

    /// What went wrong, if something did.
    pub fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// From now on everything is left to the processor.
    pub fn give_up(&self, reason: &str) {
        let _ = self.fault.set(reason.to_owned());
    }

    /// Whether it took what it was given, such as shaders.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        let refused = |fault: &str| {
            let reason = fault.split_whitespace().collect::<Vec<_>>().join(" ");
            Err(GpuError::Refused { name: self.name.clone(), reason })
        };
        self.fault().map_or(Ok(()), refused)
    }

    /// Whether it has depths in f32 together with a stencil.
    pub(crate) fn has_stencil(&self) -> bool {
        self.features.contains(wgpu::Features::DEPTH32FLOAT_STENCIL8)
    }

    /// A shader. Faults in it show in [`Gpu::is_sound`].
    pub(crate) fn shader(&self, text: &'static str) -> wgpu::ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    /// A buffer of so many bytes.
    pub(crate) fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let wanted = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.device.create_buffer(&wanted)
    }

    /// Hands over commands, waits until they are done, and reads the first bytes of a buffer that they
    /// filled. None if anything went wrong on the way, now or earlier.
    pub(crate) fn run<T>(
        &self,
        commands: wgpu::CommandEncoder,
        (filled, bytes): (&wgpu::Buffer, u64),
        read: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let index = self.queue.submit([commands.finish()]);
        let (tell, told) = mpsc::channel();
        filled.slice(..bytes).map_async(wgpu::MapMode::Read, move |mapped| {
            // Nobody listens any more if it took too long.
            let _ = tell.send(mapped.is_ok());
        });
        let until = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(LONGEST) };
        let waited = self.device.poll(until).is_ok();
        // Another thread may have been the one to see that it is done, and be about to tell.
        let mapped = waited && told.recv_timeout(LONGEST) == Ok(true);
        if !mapped {
            self.give_up("it did not finish in time");
        }
        let view = filled.slice(..bytes).get_mapped_range().ok().filter(|_| self.is_sound());
        let Some(view) = view else {
            self.give_up("its memory cannot be read");
            return None;
        };
        let result = read(&view);
        drop(view);
        filled.unmap();
        Some(result)
    }
}

/// What a future tells at once: here they all do, since there is no browser to wait for.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
