//! Binary little-endian PLY with coloured vertices, which MeshLab and Blender both show; face
//! colours only some programs read.

use super::Painted;
use crate::units::Unit;
use std::fmt::Write;

pub(super) fn encode(bodies: &[Painted<'_>], unit: Unit) -> Result<Vec<u8>, String> {
    let vertices: usize = bodies.iter().map(|body| body.vertices.len()).sum();
    let faces: usize = bodies.iter().map(|body| body.triangles.len()).sum();
    // Indices are written as `uint`.
    if u32::try_from(vertices).is_err() {
        return Err(format!("{vertices} vertices are too many for PLY; 4294967295 are possible"));
    }
    let mut bytes = header(bodies, unit, [vertices, faces]).into_bytes();
    bytes.reserve_exact(27 * vertices + 13 * faces);
    for (point, color) in bodies.iter().flat_map(|body| &body.vertices) {
        bytes.extend(point.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(color);
    }
    let mut first = 0;
    for body in bodies {
        for corners in &body.triangles {
            bytes.push(3);
            bytes.extend(corners.iter().flat_map(|corner| (first + corner).to_le_bytes()));
        }
        first += body.vertices.len() as u32;
    }
    Ok(bytes)
}

fn header(bodies: &[Painted<'_>], unit: Unit, [vertices, faces]: [usize; 2]) -> String {
    let mut text = format!("ply\nformat binary_little_endian 1.0\ncomment unit {unit}\n");
    // PLY knows no bodies; the comments say which faces are whose.
    let mut face = 0;
    for body in bodies {
        let end = face + body.triangles.len();
        let name: String = body.name.chars().filter(|c| !c.is_control()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "comment faces {face} to {end} (exclusive): {name}");
        face = end;
    }
    let _ = write!(
        text,
        "element vertex {vertices}\nproperty double x\nproperty double y\nproperty double z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n"
    );
    text
}
