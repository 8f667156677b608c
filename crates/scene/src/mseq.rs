//! Sequences of meshes with the same triangles (`.mseq`): `MSEQ1` and three zero bytes; the numbers of
//! frames, vertices and triangles; the triangles; then the vertices frame by frame. Numbers are u32,
//! coordinates f32, all little-endian.

use crate::error::{Fault, Place};
use crate::frames::{Frames, FramesError};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

const MAGIC: &[u8; 8] = b"MSEQ1\0\0\0";
const HEAD: usize = 20;

/// A mesh, which is its first frame, and all of its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// Frame 0.
    pub mesh: Mesh,
    /// All frames.
    pub frames: Frames,
}

/// The sequence of an `.mseq` file.
pub fn read(bytes: &[u8]) -> Result<Sequence, Fault> {
    if !bytes.starts_with(MAGIC) {
        let message = "the file does not begin with MSEQ1; a sequence of meshes does";
        return Err(Fault::new(Place::Byte(0), message));
    }
    let Some((head, body)) = bytes.split_at_checked(HEAD) else {
        let message = format!("the file ends within its head; {HEAD} bytes are needed");
        return Err(Fault::new(Place::Byte(bytes.len() as u64), message));
    };
    let counts = words(&head[8..]).map(u64::from);
    let [frames, vertices, triangles] = [0, 1, 2].map(|k| counts.clone().nth(k).unwrap_or(0));
    if frames == 0 || vertices == 0 || triangles == 0 {
        let message = format!(
            "{frames} frames of {vertices} vertices and {triangles} triangles; at least one of \
             each is needed"
        );
        return Err(Fault::new(Place::Byte(8), message));
    }
    // Before anything is made of the counts: the file must be exactly as long as they say.
    let points = u128::from(frames) * u128::from(vertices);
    let needed = 12 * (u128::from(triangles) + points) + HEAD as u128;
    if bytes.len() as u128 != needed {
        let message = format!(
            "the file has {} bytes; {frames} frames of {vertices} vertices and {triangles} \
             triangles need {needed}",
            bytes.len()
        );
        return Err(Fault::new(Place::Whole, message));
    }
    let (corners, coordinates) = body.split_at(12 * triangles as usize);
    let corners: Vec<u32> = words(corners).collect();
    let coordinates: Vec<f64> = words(coordinates).map(|w| f64::from(f32::from_bits(w))).collect();
    let points: Vec<Point> = coordinates.as_chunks().0.to_vec();
    let whole = |error: FramesError| Fault::new(Place::Whole, error);
    let mesh = Mesh::new(points[..vertices as usize].to_vec(), corners.as_chunks().0.to_vec());
    let mesh = mesh.map_err(|error| Fault::new(Place::Whole, error))?;
    let frames = Frames::new(&mesh, points).map_err(whole)?;
    Ok(Sequence { mesh, frames })
}

/// The bytes of an `.mseq` file; coordinates are rounded to f32. The error says what does not fit.
pub fn write(mesh: &Mesh, frames: &Frames) -> Result<Vec<u8>, String> {
    let (vertices, triangles) = (mesh.vertices().len(), mesh.triangles().len());
    let found = frames.frame(0).len();
    if found != vertices {
        return Err(format!("frames of {found} vertices for a mesh of {vertices}"));
    }
    let mut bytes = MAGIC.to_vec();
    for count in [frames.len(), vertices, triangles] {
        let count = u32::try_from(count).map_err(|_| format!("{count} is more than 4294967295"))?;
        bytes.extend(count.to_le_bytes());
    }
    bytes.extend(mesh.triangles().as_flattened().iter().flat_map(|v| v.to_le_bytes()));
    for x in frames.iter().flat_map(<[Point]>::as_flattened) {
        let narrow = *x as f32;
        if !narrow.is_finite() {
            return Err(format!("the coordinate {x:e} is beyond what single precision holds"));
        }
        bytes.extend(narrow.to_le_bytes());
    }
    Ok(bytes)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + Clone + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}
