//! What [R98 §4] asks of a graphics system, by a graphics processor: a depth buffer of f32, and a stencil
//! that is the mask of a depth map or counts faces.
//!
//! # What it promises
//!
//! The pictures of the renderer on the processor, but for pixels whose centres are within [`Renderer::slack`]
//! of an edge of a face, and depths that differ by no more than moving the face by that would change them.
//! Corners are snapped by the hardware to fractions of a pixel: 1/256 is what adapters have, though Vulkan
//! asks for no more than 1/16. Depths are not interpolated by the hardware, which does it badly for slivers,
//! but taken from the plane of the face. In f32, s·(p − p₀) is off by no more than if the face were
//! moved by 2⁻²² of the way from p₀ to p.
//!
//! What it cannot draw so (faces that reach far beyond the image, images that are too large) the processor
//! draws, and everything once the graphics processor has failed.

use crate::GpuError;
use crate::device::Gpu;
use impinge_geom::recode::render::{
    Counts, Depths, Drawing, Keep, Rect, Renderer as Draws, SetZ, Size, Slack, TestZ,
};
use impinge_geom::recode::software::Software;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wgpu::{BufferUsages as Use, CompareFunction, StencilOperation};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32FloatStencil8;
/// Corners may be so many pixels away.
const REACH: f32 = 16384.0;
/// Rows of what is read begin at multiples of this.
const ROW: u64 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64;
/// So many bytes are read at once, or one picture.
const BATCH: u64 = 1 << 26;

/// Numbers of a face, as the shader takes them.
type Face = [f32; 13];

/// Draws on a graphics processor.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    farthest: wgpu::RenderPipeline,
    nearest: wgpu::RenderPipeline,
    test: wgpu::RenderPipeline,
    drawn: AtomicU64,
}

/// A depth map: on the graphics processor, and read.
#[derive(Debug)]
pub struct Map {
    depths: Depths,
    texture: Option<wgpu::Texture>,
}

impl Renderer {
    /// On a graphics processor.
    ///
    /// # Errors
    /// If it has no stencil with depths of f32, or cannot run the shaders.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self, GpuError> {
        if !gpu.has_stencil() {
            let reason = "it has no depth buffer of 32 bits with a stencil".to_owned();
            return Err(GpuError::Refused { name: gpu.name().to_owned(), reason });
        }
        let module = gpu.shader(include_str!("renderer.wgsl"));
        let (mask, count) = (StencilOperation::Replace, StencilOperation::IncrementClamp);
        let farthest = pipeline(gpu, &module, (CompareFunction::GreaterEqual, true), [mask; 2]);
        let nearest = pipeline(gpu, &module, (CompareFunction::LessEqual, true), [mask; 2]);
        let counted = [count, StencilOperation::Keep];
        let test = pipeline(gpu, &module, (CompareFunction::LessEqual, false), counted);
        gpu.check()?;
        Ok(Self { gpu: gpu.clone(), farthest, nearest, test, drawn: AtomicU64::new(0) })
    }

    /// How many pictures the graphics processor drew.
    pub fn drawn(&self) -> u64 {
        self.drawn.load(Ordering::Relaxed)
    }

    fn can_draw(&self, drawing: &Drawing<'_>, size: Size) -> bool {
        let most = self.gpu.limits.max_texture_dimension_2d;
        let near = |point: &[f32; 3]| point[..2].iter().all(|x| x.abs() <= REACH);
        let fits = [size.width, size.height].iter().all(|side| (1..=most).contains(side));
        let bytes = Layout::of(size, 0).end().max((drawing.triangles.len() * FACE) as u64);
        fits && bytes <= self.gpu.limits.max_buffer_size
            && drawing.points.iter().all(near)
            && self.gpu.is_sound()
    }

    fn texture(&self, size: Size) -> wgpu::Texture {
        self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent(size),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    /// Draws pictures one after the other, and reads them.
    fn pictures(&self, all: &[Picture<'_>]) -> Option<Vec<Depths>> {
        let mut commands = self.gpu.device.create_command_encoder(&Default::default());
        let faces: Vec<Face> = all.iter().flat_map(Picture::faces).collect();
        let buffer =
            self.gpu.buffer((faces.len().max(1) * FACE) as u64, Use::VERTEX | Use::COPY_DST);
        self.gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&faces));
        let layouts = Layout::of_all(all);
        let bytes = layouts.last().map_or(0, Layout::end);
        let back = self.gpu.buffer(bytes, Use::MAP_READ | Use::COPY_DST);
        let mut first = 0;
        for (picture, layout) in all.iter().zip(&layouts) {
            let last = first + picture.drawing.triangles.len() as u32;
            picture.draw(&mut commands, (&buffer, first..last));
            layout.read(&mut commands, picture.texture, &back);
            first = last;
        }
        let read = |bytes: &[u8]| layouts.iter().map(|layout| layout.depths(bytes)).collect();
        let pictures = self.gpu.run(commands, (&back, bytes), read)?;
        self.drawn.fetch_add(all.len() as u64, Ordering::Relaxed);
        Some(pictures)
    }

    /// The same in parts, as much as is read at once.
    fn batches(&self, all: &[Picture<'_>]) -> Vec<Option<Depths>> {
        let mut done = Vec::with_capacity(all.len());
        while done.len() < all.len() {
            let rest = &all[done.len()..];
            let bytes = Layout::of_all(rest);
            let count = bytes.iter().take_while(|layout| layout.end() <= BATCH).count().max(1);
            match self.pictures(&rest[..count]) {
                Some(pictures) => done.extend(pictures.into_iter().map(Some)),
                None => done.resize_with(done.len() + count, || None),
            }
        }
        done
    }
}

impl Draws for Renderer {
    type Map = Map;

    fn slack(&self) -> Slack {
        Slack { pixels: 2f64.powi(-8) + 2f64.powi(-10), depth: 2f64.powi(-21) }
    }

    fn set_z(&self, all: &[SetZ<'_>]) -> Vec<Map> {
        let drawable = |set: &SetZ<'_>| self.can_draw(&set.drawing, set.size);
        let textures: Vec<Option<wgpu::Texture>> =
            all.iter().map(|set| drawable(set).then(|| self.texture(set.size))).collect();
        let pictures: Vec<Picture<'_>> = all
            .iter()
            .zip(&textures)
            .filter_map(|(set, texture)| {
                let (pipeline, clear) = match set.keep {
                    Keep::Farthest => (&self.farthest, 0.0),
                    Keep::Nearest => (&self.nearest, 1.0),
                };
                let load = wgpu::LoadOp::Clear(clear);
                let over = Rect { min: [0; 2], max: [set.size.width, set.size.height] };
                let (texture, drawing) = (texture.as_ref()?, set.drawing);
                Some(Picture { drawing, texture, pipeline, load, over })
            })
            .collect();
        let mut drawn = self.batches(&pictures).into_iter();
        all.iter()
            .zip(&textures)
            .map(|(set, texture)| {
                let texture = texture.clone();
                match texture.as_ref().and_then(|_| drawn.next().flatten()) {
                    Some(depths) => Map { depths, texture },
                    None => Map { depths: Software.set_z(&[*set]).remove(0), texture: None },
                }
            })
            .collect()
    }

    fn test_z(&self, all: &[TestZ<'_, Map>]) -> Vec<Counts> {
        let picture = |test: &TestZ<'_, Map>| {
            let texture = test.map.texture.clone()?;
            self.can_draw(&test.drawing, test.map.depths.size).then_some(texture)
        };
        let textures: Vec<Option<wgpu::Texture>> = all.iter().map(picture).collect();
        let pictures: Vec<Picture<'_>> = all
            .iter()
            .zip(&textures)
            .filter_map(|(test, texture)| {
                let (drawing, over, load) = (test.drawing, test.over, wgpu::LoadOp::Load);
                let texture = texture.as_ref()?;
                Some(Picture { drawing, texture, pipeline: &self.test, load, over })
            })
            .collect();
        let mut drawn = self.batches(&pictures).into_iter();
        all.iter()
            .zip(&textures)
            .map(|(test, texture)| match texture.as_ref().and_then(|_| drawn.next().flatten()) {
                Some(stencil) => counts(test, &stencil.mask),
                None => {
                    let TestZ { drawing, over, .. } = *test;
                    Software.test_z(&[TestZ { drawing, map: &test.map.depths, over }]).remove(0)
                }
            })
            .collect()
    }

    fn read(&self, map: &Map) -> Depths {
        map.depths.clone()
    }
}

/// The counters of a rectangle, 0 where the map is not.
fn counts(test: &TestZ<'_, Map>, stencil: &[u8]) -> Counts {
    let (depths, over) = (&test.map.depths, test.over);
    let width = depths.size.width as usize;
    let pixels = (over.min[1]..over.max[1])
        .flat_map(|y| (over.min[0]..over.max[0]).map(move |x| y as usize * width + x as usize));
    let count = pixels.map(|pixel| if depths.mask[pixel] == 0 { 0 } else { stencil[pixel] });
    Counts { over, count: count.collect() }
}

/// Bytes of a face.
const FACE: usize = size_of::<Face>();

fn pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    (depth_compare, writes): (CompareFunction, bool),
    [pass_op, depth_fail_op]: [StencilOperation; 2],
) -> wgpu::RenderPipeline {
    let side = wgpu::StencilFaceState {
        compare: CompareFunction::Always,
        fail_op: StencilOperation::Keep,
        depth_fail_op,
        pass_op,
    };
    let stencil = wgpu::StencilState { front: side, back: side, read_mask: 0xff, write_mask: 0xff };
    let attributes = wgpu::vertex_attr_array![
        0 => Float32x2, 1 => Float32x2, 2 => Float32x2,
        3 => Float32x3, 4 => Float32x2, 5 => Float32x2,
    ];
    let faces = wgpu::VertexBufferLayout {
        array_stride: FACE as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &attributes,
    };
    let compilation_options = wgpu::PipelineCompilationOptions::default();
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("corner"),
            compilation_options: compilation_options.clone(),
            buffers: &[Some(faces)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: FORMAT,
            depth_write_enabled: Some(writes),
            depth_compare: Some(depth_compare),
            stencil,
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("depth"),
            compilation_options,
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn extent(size: Size) -> wgpu::Extent3d {
    wgpu::Extent3d { width: size.width, height: size.height, depth_or_array_layers: 1 }
}

/// Something to be drawn on a texture.
struct Picture<'a> {
    drawing: Drawing<'a>,
    texture: &'a wgpu::Texture,
    pipeline: &'a wgpu::RenderPipeline,
    /// What depths are before.
    load: wgpu::LoadOp<f32>,
    over: Rect,
}

impl Picture<'_> {
    fn size(&self) -> Size {
        Size { width: self.texture.width(), height: self.texture.height() }
    }

    fn faces(&self) -> impl Iterator<Item = Face> {
        let size = self.size();
        self.drawing.triangles.iter().map(move |triangle| {
            face(&triangle.map(|corner| self.drawing.points[corner as usize]), size)
        })
    }

    fn draw(
        &self,
        commands: &mut wgpu::CommandEncoder,
        (faces, which): (&wgpu::Buffer, std::ops::Range<u32>),
    ) {
        let view = self.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let store = wgpu::StoreOp::Store;
        let buffers = wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: Some(wgpu::Operations { load: self.load, store }),
            stencil_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0), store }),
        };
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(buffers),
            ..wgpu::RenderPassDescriptor::default()
        });
        let (min, size) = (self.over.min, self.over.size());
        pass.set_scissor_rect(min[0], min[1], size.width, size.height);
        pass.set_pipeline(self.pipeline);
        pass.set_stencil_reference(1);
        pass.set_vertex_buffer(0, faces.slice(..));
        pass.draw(0..3, which);
    }
}

/// A face for the shader.
fn face(corners: &[[f32; 3]; 3], size: Size) -> Face {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let [width, height] = [size.width, size.height].map(f64::from);
    let at = |p: &[f64; 3]| [(2.0 * p[0] / width - 1.0) as f32, (1.0 - 2.0 * p[1] / height) as f32];
    let [u, v] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    let area = u[0] * v[1] - u[1] * v[0];
    let slope = [(u[2] * v[1] - u[1] * v[2]) / area, (u[0] * v[2] - u[2] * v[0]) / area];
    // Seen edge-on, any depth of its range is as true.
    let is_slope = slope.iter().all(|x| x.abs() < 1e30);
    let [i, j] = if is_slope { slope.map(|x| x as f32) } else { [0.0; 2] };
    let depths = corners.map(|corner| corner[2]);
    let low = depths[0].min(depths[1]).min(depths[2]);
    let high = depths[0].max(depths[1]).max(depths[2]);
    let [[ax, ay], [bx, by], [cx, cy]] = [at(&a), at(&b), at(&c)];
    let [x, y, z] = corners[0];
    [ax, ay, bx, by, cx, cy, x, y, z, i, j, low, high]
}

/// Where a picture is in what is read: depths, and after them the stencil, in rows with gaps.
#[derive(Clone, Copy)]
struct Layout {
    size: Size,
    start: u64,
}

impl Layout {
    fn of(size: Size, start: u64) -> Self {
        Self { size, start }
    }

    fn of_all(pictures: &[Picture<'_>]) -> Vec<Self> {
        let mut start = 0;
        let mut next = |picture: &Picture<'_>| {
            let layout = Self::of(picture.size(), start);
            start = layout.end();
            layout
        };
        pictures.iter().map(&mut next).collect()
    }

    /// Bytes of a row of depths and of one of the stencil.
    fn rows(&self) -> [u64; 2] {
        [4, 1].map(|bytes| (u64::from(self.size.width) * bytes).next_multiple_of(ROW))
    }

    fn stencil(&self) -> u64 {
        self.start + self.rows()[0] * u64::from(self.size.height)
    }

    fn end(&self) -> u64 {
        self.stencil() + self.rows()[1] * u64::from(self.size.height)
    }

    fn read(&self, commands: &mut wgpu::CommandEncoder, from: &wgpu::Texture, to: &wgpu::Buffer) {
        let [depth, stencil] = self.rows();
        let parts = [
            (wgpu::TextureAspect::DepthOnly, self.start, depth),
            (wgpu::TextureAspect::StencilOnly, self.stencil(), stencil),
        ];
        for (aspect, offset, row) in parts {
            let layout = wgpu::TexelCopyBufferLayout {
                offset,
                bytes_per_row: Some(row as u32),
                rows_per_image: None,
            };
            let (mip_level, origin) = (0, wgpu::Origin3d::ZERO);
            commands.copy_texture_to_buffer(
                wgpu::TexelCopyTextureInfo { texture: from, mip_level, origin, aspect },
                wgpu::TexelCopyBufferInfo { buffer: to, layout },
                extent(self.size),
            );
        }
    }

    fn depths(&self, bytes: &[u8]) -> Depths {
        let [depth_row, stencil_row] = self.rows();
        let width = self.size.width as usize;
        let rows = |start: u64, row: u64, bytes_each: usize| {
            (0..u64::from(self.size.height)).map(move |y| {
                let from = (start + y * row) as usize;
                from..from + width * bytes_each
            })
        };
        let depth = rows(self.start, depth_row, 4)
            .flat_map(|row| bytes[row].as_chunks().0.iter().map(|x| f32::from_ne_bytes(*x)))
            .collect();
        let stencil = rows(self.stencil(), stencil_row, 1).flat_map(|row| &bytes[row]);
        Depths { size: self.size, depth, mask: stencil.copied().collect() }
    }
}
