//! The part of the glTF JSON that bears on shape. Everything else is skipped unread.

use super::container::Parts;
use super::whole;
use crate::error::{Fault, Place};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    asset: Asset,
    #[serde(default)]
    extensions_required: Vec<String>,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub animations: Vec<Animation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    version: String,
    min_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<Vec<f64>>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    #[serde(default)]
    pub extensions: NodeExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub instancing: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
    pub weights: Option<Vec<f64>>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    #[serde(default = "triangles")]
    pub mode: u32,
    #[serde(default)]
    pub targets: Vec<Attributes>,
}

/// The mode of a primitive that states none.
fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
    #[serde(rename = "JOINTS_0")]
    pub joints: Option<usize>,
    #[serde(rename = "WEIGHTS_0")]
    pub weights: Option<usize>,
    #[serde(rename = "JOINTS_1")]
    pub more_joints: Option<usize>,
    #[serde(rename = "WEIGHTS_1")]
    pub more_weights: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    #[serde(default = "linear")]
    pub interpolation: String,
}

/// How a sampler that says nothing interpolates.
fn linear() -> String {
    "LINEAR".to_owned()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: u64,
}

pub(super) fn parse(parts: &Parts<'_>) -> Result<Document, Fault> {
    serde_json::from_slice(parts.json).map_err(|error| {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = format!("no glTF JSON: {}", text.strip_suffix(&place).unwrap_or(&text));
        Fault::new(place_of(parts, &error), message)
    })
}

/// A line of a `.gltf`, which people open in an editor; a byte of a GLB, which they do not.
fn place_of(parts: &Parts<'_>, error: &serde_json::Error) -> Place {
    let Some(start) = parts.json_at else {
        return Place::Line(error.line().max(1));
    };
    let lines = parts.json.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    Place::Byte((start + before + error.column().saturating_sub(1)) as u64)
}

/// Extensions that a file may require without any effect on where its triangles are.
const HARMLESS: [&str; 7] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "EXT_texture_",
    "EXT_lights_",
];

pub(super) fn check_version_and_extensions(document: &Document) -> Result<(), Fault> {
    let asset = &document.asset;
    let version = asset.min_version.as_ref().unwrap_or(&asset.version);
    let readable = match &asset.min_version {
        Some(least) => least == "2.0",
        None => version.starts_with("2."),
    };
    if !readable {
        return Err(whole(format!("glTF version `{version}` found; version 2.0 is needed")));
    }
    let known = |name: &&String| HARMLESS.iter().any(|prefix| name.starts_with(prefix));
    match document.extensions_required.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(whole(format!(
            "not supported: the file requires the extension {name}; \
             save it without (uncompressed triangles are needed)"
        ))),
    }
}
