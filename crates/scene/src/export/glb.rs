//! GLB with coloured vertices: one node and mesh per body, one material that shows both sides.

use super::{Color, Painted};
use crate::units::Unit;
use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

pub(super) fn encode(bodies: &[Painted<'_>], unit: Unit) -> Result<Vec<u8>, String> {
    let mut parts = Parts::default();
    let mut meshes = Vec::new();
    let mut nodes = Vec::new();
    // A mesh without triangles is no valid glTF.
    for body in bodies.iter().filter(|body| !body.triangles.is_empty()) {
        let primitive = parts.add(body, unit)?;
        nodes.push(json!({"name": body.name, "mesh": meshes.len()}));
        meshes.push(json!({"name": body.name, "primitives": [primitive]}));
    }
    let document = json!({
        "asset": {"version": "2.0", "generator": "impinge"},
        "scene": 0,
        "scenes": [{"nodes": (0..nodes.len()).collect::<Vec<_>>()}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{
            "name": "faces",
            "doubleSided": true,
            "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9},
        }],
        "accessors": parts.accessors,
        "bufferViews": parts.views,
        "buffers": [{"byteLength": parts.binary.len()}],
    });
    container(&document, &parts.binary)
}

/// The binary chunk and what points into it.
#[derive(Default)]
struct Parts {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Parts {
    /// Adds a body's columns; the primitive that uses them.
    fn add(&mut self, body: &Painted<'_>, unit: Unit) -> Result<Value, String> {
        let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let start = self.binary.len();
        for (point, _) in &body.vertices {
            for k in 0..3 {
                let x = unit.convert(point[k], Unit::M) as f32;
                if !x.is_finite() {
                    return Err(format!(
                        "body `{}` has the coordinate {:e} {unit}; GLB needs single precision, \
                         at most 3.4e38 m",
                        body.name, point[k]
                    ));
                }
                least[k] = least[k].min(x);
                most[k] = most[k].max(x);
                self.binary.extend(x.to_le_bytes());
            }
        }
        let count = body.vertices.len();
        let view = self.view(start, ARRAY_BUFFER);
        let position = self.accessor(json!({"bufferView": view, "componentType": FLOAT,
            "count": count, "type": "VEC3", "min": least, "max": most}));
        let start = self.binary.len();
        for (_, color) in &body.vertices {
            self.binary.extend(linear(*color).iter().flat_map(|x| x.to_le_bytes()));
        }
        let view = self.view(start, ARRAY_BUFFER);
        let color = self.accessor(json!({"bufferView": view, "componentType": UNSIGNED_SHORT,
            "normalized": true, "count": count, "type": "VEC4"}));
        let start = self.binary.len();
        let corners = body.triangles.as_flattened();
        self.binary.extend(corners.iter().flat_map(|corner| corner.to_le_bytes()));
        let view = self.view(start, ELEMENT_ARRAY_BUFFER);
        let indices = self.accessor(json!({"bufferView": view, "componentType": UNSIGNED_INT,
            "count": corners.len(), "type": "SCALAR"}));
        let attributes = json!({"POSITION": position, "COLOR_0": color});
        Ok(json!({"attributes": attributes, "indices": indices, "material": 0}))
    }

    /// A view of everything since `start`; every column is a multiple of four bytes long.
    fn view(&mut self, start: usize, target: u32) -> usize {
        self.views.push(json!({"buffer": 0, "byteOffset": start,
            "byteLength": self.binary.len() - start, "target": target}));
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// The colour as light, which is how glTF stores vertex colours; 16 bits, so that dark colours
/// keep their steps. The fourth number is opacity.
fn linear(color: Color) -> [u16; 4] {
    let [red, green, blue] = color.map(|value| {
        let value = f64::from(value) / 255.0;
        let light = match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        };
        (light * 65535.0).round() as u16
    });
    [red, green, blue, u16::MAX]
}

fn container(document: &Value, binary: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + text.len() + 8 + binary.len();
    let Ok(total) = u32::try_from(length) else {
        return Err(format!("{length} bytes are too many for GLB; 4294967295 are possible"));
    };
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(b"glTF");
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(total.to_le_bytes());
    // Both lengths are below the total, which fits.
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&text);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    Ok(bytes)
}
