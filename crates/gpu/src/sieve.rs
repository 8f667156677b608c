//! Images of faces, made by compute shaders: which faces may meet one of the other body.
//!
//! The first body is drawn, the second held against it, what is left of the second drawn, and the first
//! held against that, all in one go; what comes back is a flag for each face. Faces are drawn by their
//! extents. A face is left out only if its flag says so: one that was never looked at is kept.
//!
//! # Why nothing is missed
//!
//! Extents were grown by all that seeing may have rounded (`View::grant`), on the processor; here they
//! are taken as they are. An end x belongs into the pixel ⌊e⌋ with e = (x − origin)·scale + ½, brought to
//! within the image. If two extents overlap, then a lower end of one is at most the upper end of the other,
//! so e is, too, and its pixel. A graphics processor may round e in any direction, another one in
//! each step, flush what is tiny to zero, or fuse steps; it need not even be a monotone function. So a
//! lower end is brought to the pixel of e − s and an upper one to that of e + s, where s covers all of
//! that: as far as e is at most 1025, the difference and the product are off by less than 2⁻²² · 1025
//! together (or by a flush, far less), and the sum by 2⁻²³ · 1026, in all less than 2⁻¹¹ = s. Beyond
//! 1025 both ends are in the last pixel however they were rounded, and below −1 in the first one. Then a
//! lower end as calculated is below the true e and an upper one above it, and their whole parts, which
//! are exact, are in order. The same goes for bins.

use crate::GpuError;
use crate::device::Gpu;
use impinge_geom::image::sieve;
use impinge_simd::image::Extent;
use impinge_simd::image::extents::Extents;
use impinge_simd::image::grid::Raster;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::BufferUsages as Use;

/// Faces that one group of the shaders takes; `GROUP` there.
const GROUP: usize = 64;
/// The flag of a face of which each of so many parts was looked at and has no bin in common with the other
/// body: `APART` of the shaders, so many times.
const APART: u32 = 2;
/// Pixels of which large faces are drawn by one group, so that no invocation goes through more than 2¹⁵,
/// whatever the 64 faces of its group are. Some drivers silently end loops after 2¹⁶ rounds, and others all
/// work that takes seconds.
const PART: usize = 1 << 15;
/// Bytes of an extent, of a flag, of the bins of a pixel and of a raster.
const EXTENT: usize = size_of::<Extent>();
const FLAG: usize = 4;
const PIXEL: usize = 8;
const RASTER: u64 = 48;
/// More faces than this are left to the processor.
const FACES_MAX: usize = 1 << 26;

/// Makes images on a graphics processor.
#[derive(Debug)]
pub struct Sieve {
    gpu: Arc<Gpu>,
    layout: wgpu::BindGroupLayout,
    draw: wgpu::ComputePipeline,
    hold: wgpu::ComputePipeline,
    /// One for each thread that ever was here at the same time.
    lanes: Mutex<Vec<Lane>>,
    /// So many faces in one buffer.
    chunk: usize,
    images: AtomicU64,
}

impl Sieve {
    /// On a graphics processor.
    ///
    /// # Errors
    /// If it cannot run the shaders.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self, GpuError> {
        let device = &gpu.device;
        let entries = [
            entry(0, wgpu::BufferBindingType::Uniform),
            entry(1, wgpu::BufferBindingType::Storage { read_only: true }),
            entry(2, wgpu::BufferBindingType::Storage { read_only: false }),
            entry(3, wgpu::BufferBindingType::Storage { read_only: false }),
        ];
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let module = gpu.shader(include_str!("sieve.wgsl"));
        let pipeline = |name| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let (draw, hold) = (pipeline("draw"), pipeline("hold"));
        gpu.check()?;
        let (lanes, images) = (Mutex::default(), AtomicU64::new(0));
        let chunk = chunk_max(&gpu.limits);
        Ok(Self { gpu: gpu.clone(), layout, draw, hold, lanes, chunk, images })
    }

    /// The same with at most so many faces in one buffer: there may be any number of buffers.
    #[must_use]
    pub fn in_chunks_of(self, faces: usize) -> Self {
        Self { chunk: faces.clamp(1, self.chunk), ..self }
    }

    /// How many images it made.
    pub fn images(&self) -> u64 {
        self.images.load(Ordering::Relaxed)
    }

    /// The graphics processor.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Hands the flags of all faces of both bodies, one after the other, to `read`, and the flag of a face
    /// that is left out.
    fn flags<T>(
        &self,
        lane: &mut Lane,
        (both, raster): (&[Extents; 2], &Raster),
        read: impl FnOnce(&[u8], u32) -> T,
    ) -> Option<T> {
        lane.fill(self, both, raster);
        let mut commands = self.gpu.device.create_command_encoder(&Default::default());
        lane.clear(&mut commands);
        let mut pass = commands.begin_compute_pass(&Default::default());
        // Whom to draw or to hold, and on which image: the second image is of what is left of B.
        let steps =
            [(&self.draw, 0, 0), (&self.hold, 1, 0), (&self.draw, 1, 1), (&self.hold, 0, 1)];
        let parts = lane.parts();
        for (pipeline, body, image) in steps {
            pass.set_pipeline(pipeline);
            for chunk in &lane.bodies[body] {
                pass.set_bind_group(0, &chunk.bind(self, lane, image), &[]);
                pass.dispatch_workgroups(chunk.count.div_ceil(GROUP) as u32, parts, 1);
            }
        }
        drop(pass);
        let bytes = lane.collect(&mut commands);
        self.gpu.run(commands, (&lane.back, bytes), |flags| read(flags, APART * parts))
    }
}

impl sieve::Sieve for Sieve {
    fn sift(&self, both: &mut [Extents; 2], raster: &Raster) -> bool {
        let count = both[0].len() + both[1].len();
        if count > FACES_MAX || both.iter().any(Extents::is_empty) || !self.gpu.is_sound() {
            return false;
        }
        let spare = || self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lane = spare().pop().unwrap_or_else(|| Lane::new(&self.gpu));
        let kept: Option<Vec<bool>> = self.flags(&mut lane, (both, raster), |flags, left_out| {
            let flags = flags.as_chunks().0.iter().map(|flag| u32::from_ne_bytes(*flag));
            flags.map(|flag| flag != left_out).collect()
        });
        let Some(kept) = kept.filter(|kept| kept.len() == count) else { return false };
        spare().push(lane);
        let (of_a, of_b) = kept.split_at(both[0].len());
        keep(&mut both[0], of_a);
        keep(&mut both[1], of_b);
        self.images.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Leaves out what is not kept.
fn keep(extents: &mut Extents, kept: &[bool]) {
    let mut left = 0;
    for (i, is_kept) in kept.iter().enumerate() {
        extents.extents[left] = extents.extents[i];
        extents.names[left] = extents.names[i];
        left += usize::from(*is_kept);
    }
    extents.extents.truncate(left);
    extents.names.truncate(left);
}

fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

/// How many faces a buffer and a dispatch may have.
fn chunk_max(limits: &wgpu::Limits) -> usize {
    let bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    let groups = limits.max_compute_workgroups_per_dimension as usize;
    (usize::try_from(bytes).unwrap_or(usize::MAX) / EXTENT).min(GROUP * groups).clamp(1, FACES_MAX)
}

/// Some faces of a body on the graphics processor.
#[derive(Debug)]
struct Chunk {
    extents: wgpu::Buffer,
    flags: wgpu::Buffer,
    /// How many there are, and for how many there is room.
    count: usize,
    room: usize,
}

impl Chunk {
    fn new(gpu: &Gpu, room: usize) -> Self {
        let extents = gpu.buffer((room * EXTENT) as u64, Use::STORAGE | Use::COPY_DST);
        let flags = Use::STORAGE | Use::COPY_SRC | Use::COPY_DST;
        Self { extents, flags: gpu.buffer((room * FLAG) as u64, flags), count: 0, room }
    }

    /// What a shader sees: arrays that are as long as there are faces.
    fn bind(&self, sieve: &Sieve, lane: &Lane, image: usize) -> wgpu::BindGroup {
        let part = |buffer, bytes: usize| {
            let size = std::num::NonZeroU64::new(bytes as u64);
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size })
        };
        let resources = [
            lane.raster.as_entire_binding(),
            part(&self.extents, self.count * EXTENT),
            part(&self.flags, self.count * FLAG),
            part(&lane.bins[image], lane.pixels * PIXEL),
        ];
        let entries = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
        sieve.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &sieve.layout,
            entries: &entries.collect::<Vec<_>>(),
        })
    }
}

/// Memory for one image at a time, which is kept.
#[derive(Debug)]
struct Lane {
    raster: wgpu::Buffer,
    /// Bins of the first and of the second image.
    bins: [wgpu::Buffer; 2],
    pixels: usize,
    pixel_room: usize,
    bodies: [Vec<Chunk>; 2],
    /// All flags, to be read.
    back: wgpu::Buffer,
    back_room: usize,
}

impl Lane {
    fn new(gpu: &Gpu) -> Self {
        Self {
            raster: gpu.buffer(RASTER, Use::UNIFORM | Use::COPY_DST),
            bins: [(); 2].map(|()| bins(gpu, 1)),
            pixels: 1,
            pixel_room: 1,
            bodies: Default::default(),
            back: back(gpu, 1),
            back_room: 1,
        }
    }

    /// Hands all that is drawn to the graphics processor.
    fn fill(&mut self, sieve: &Sieve, both: &[Extents; 2], raster: &Raster) {
        let gpu = &*sieve.gpu;
        self.pixels = (usize::from(raster.last[0]) + 1) * (usize::from(raster.last[1]) + 1);
        if self.pixels > self.pixel_room {
            self.pixel_room = self.pixels.next_power_of_two();
            self.bins = [(); 2].map(|()| bins(gpu, self.pixel_room));
        }
        let Raster { origin: [x, y, z], scale: [i, j, k], last } = *raster;
        let [columns, rows, depths] = last.map(f32::from);
        let parts = self.parts() as f32;
        let numbers = [x, y, z, 0.0, i, j, k, 0.0, columns, rows, depths, parts];
        gpu.queue.write_buffer(&self.raster, 0, bytemuck::cast_slice(&numbers));
        for (chunks, extents) in self.bodies.iter_mut().zip(both) {
            chunks.truncate(extents.len().div_ceil(sieve.chunk));
            for (i, part) in extents.extents.chunks(sieve.chunk).enumerate() {
                if chunks.get(i).is_none_or(|chunk| chunk.room < part.len()) {
                    let chunk = Chunk::new(gpu, part.len().next_power_of_two().min(sieve.chunk));
                    chunks.truncate(i);
                    chunks.push(chunk);
                }
                chunks[i].count = part.len();
                gpu.queue.write_buffer(&chunks[i].extents, 0, bytemuck::cast_slice(part));
            }
        }
        let count = both[0].len() + both[1].len();
        if count > self.back_room {
            self.back_room = count.next_power_of_two();
            self.back = back(gpu, self.back_room);
        }
    }

    /// How many groups share large faces.
    fn parts(&self) -> u32 {
        self.pixels.div_ceil(PART) as u32
    }

    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.bodies.iter().flatten()
    }

    /// Nothing is drawn, and nothing decided.
    fn clear(&self, commands: &mut wgpu::CommandEncoder) {
        let size = Some((self.pixels * PIXEL) as u64);
        self.bins.iter().for_each(|bins| commands.clear_buffer(bins, 0, size));
        for chunk in self.chunks() {
            commands.clear_buffer(&chunk.flags, 0, Some((chunk.count * FLAG) as u64));
        }
    }

    /// Brings all flags to where they are read; returns their bytes.
    fn collect(&self, commands: &mut wgpu::CommandEncoder) -> u64 {
        let mut at = 0;
        for chunk in self.chunks() {
            let bytes = (chunk.count * FLAG) as u64;
            commands.copy_buffer_to_buffer(&chunk.flags, 0, &self.back, at, bytes);
            at += bytes;
        }
        at
    }
}

fn bins(gpu: &Gpu, pixels: usize) -> wgpu::Buffer {
    gpu.buffer((pixels * PIXEL) as u64, Use::STORAGE | Use::COPY_DST)
}

fn back(gpu: &Gpu, count: usize) -> wgpu::Buffer {
    gpu.buffer((count * FLAG) as u64, Use::MAP_READ | Use::COPY_DST)
}
