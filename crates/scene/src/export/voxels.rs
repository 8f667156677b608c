//! Voxels for other programs: binvox and NRRD, and pictures of their layers.
//!
//! Everything is written while it is made, so that a map that is small in memory does not become
//! large there on its way into a dense file.

use super::{beside, fail};
use crate::error::FileError;
use crate::units::Unit;
use flate2::Compression;
use flate2::write::GzEncoder;
use impinge_geom::voxels::grid::Grid;
use impinge_geom::voxels::map::VoxelMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Extensions of files that voxels can be written to.
pub const EXTENSIONS: [&str; 3] = ["binvox", "nrrd", "nhdr"];

/// Writes a map to a `.binvox`, `.nrrd` or `.nhdr` file; the last with its voxels in a file beside it,
/// whose name ends in `.raw`. Coordinates are those of the mesh, in `unit`.
pub fn write(path: &Path, map: &VoxelMap, unit: Unit) -> Result<(), FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let written = match extension.as_deref() {
        Some("binvox") => beside(path, |out| binvox(map, out)),
        Some("nrrd") => beside(path, |out| nrrd(map, unit, out)),
        Some("nhdr") => detached(path, map, unit),
        _ => {
            return Err(fail(
                path,
                "cannot export to this format; .binvox, .nrrd or .nhdr is needed",
            ));
        }
    };
    written.map_err(|error| fail(path, &format!("cannot be written: {error}")))
}

/// The file with the voxels of a `.nhdr` file.
pub fn raw_file(path: &Path) -> PathBuf {
    path.with_extension("raw")
}

/// Runs of equal voxels, y fastest, then z, then x, in a cube: binvox knows no other boxes. What the grid
/// lacks of a cube is empty and lies beyond its high sides.
fn binvox(map: &VoxelMap, out: &mut dyn Write) -> io::Result<()> {
    let grid = map.grid();
    let side = grid.counts().into_iter().fold(0, u32::max);
    let [x, y, z] = grid.origin();
    writeln!(out, "#binvox 1\ndim {side} {side} {side}\ntranslate {x} {y} {z}")?;
    writeln!(out, "scale {}\ndata", f64::from(side) * grid.size())?;
    let mut out = BufWriter::new(out);
    let mut run = (false, 0u8);
    for x in 0..side {
        for z in 0..side {
            for y in 0..side {
                let filled = map.is_filled([x, y, z]);
                if run.1 == u8::MAX || run.0 != filled {
                    write_run(run, &mut out)?;
                    run = (filled, 0);
                }
                run.1 += 1;
            }
        }
    }
    write_run(run, &mut out)?;
    out.flush()
}

fn write_run((filled, count): (bool, u8), out: &mut impl Write) -> io::Result<()> {
    if count > 0 { out.write_all(&[u8::from(filled), count]) } else { Ok(()) }
}

/// Voxels are samples at their middles, a byte each.
fn nrrd(map: &VoxelMap, unit: Unit, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(header(map.grid(), unit, "gzip").as_bytes())?;
    out.write_all(b"\n")?;
    let mut packed = GzEncoder::new(BufWriter::new(out), Compression::fast());
    samples(map, &mut packed)?;
    packed.finish()?.flush()
}

fn detached(path: &Path, map: &VoxelMap, unit: Unit) -> io::Result<()> {
    let raw = raw_file(path);
    beside(&raw, |out| samples(map, &mut BufWriter::new(out)))?;
    let name = raw.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = header(map.grid(), unit, "raw") + &format!("data file: {name}\n");
    beside(path, |out| out.write_all(text.as_bytes()))
}

fn header(grid: &Grid, unit: Unit, encoding: &str) -> String {
    let ([nx, ny, nz], [x, y, z], size) = (grid.counts(), grid.centre([0; 3]), grid.size());
    let mut text = "NRRD0005\n# 1 is filled, 0 is empty\ntype: uint8\ndimension: 3\n".to_owned();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "space dimension: 3\nsizes: {nx} {ny} {nz}\n\
         space directions: ({size},0,0) (0,{size},0) (0,0,{size})\nkinds: space space space\n\
         centers: cell cell cell\nspace units: \"{unit}\" \"{unit}\" \"{unit}\"\n\
         space origin: ({x},{y},{z})\nencoding: {encoding}\n"
    );
    text
}

fn samples(map: &VoxelMap, out: &mut impl Write) -> io::Result<()> {
    let [across, deep, high] = map.grid().counts();
    let mut row = vec![0; across as usize];
    for z in 0..high {
        for y in 0..deep {
            for (sample, x) in row.iter_mut().zip(0..) {
                *sample = u8::from(map.is_filled([x, y, z]));
            }
            out.write_all(&row)?;
        }
    }
    out.flush()
}

/// Writes a picture of each layer across an axis to a folder, which is made if it is not there, and
/// returns how many. Filled voxels are white. Rows go down: the last voxels of the picture's second
/// axis are on top, as in a drawing.
pub fn write_slices(folder: &Path, map: &VoxelMap, axis: usize) -> Result<u32, FileError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| fail(folder, &format!("the folder cannot be made: {error}")))?;
    let layers = map.grid().counts()[axis];
    for layer in 0..layers {
        let path = folder.join(format!("{}-{layer:04}.png", ["x", "y", "z"][axis]));
        beside(&path, |out| picture(map, axis, layer, out))
            .map_err(|error| fail(&path, &format!("cannot be written: {error}")))?;
    }
    Ok(layers)
}

fn picture(map: &VoxelMap, axis: usize, layer: u32, out: &mut dyn Write) -> io::Result<()> {
    // Right and up: y and z across x, x and z across y, x and y across z.
    let [right, up] = [[1, 2], [0, 2], [0, 1]][axis];
    let counts = map.grid().counts();
    let [width, height] = [counts[right], counts[up]];
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for row in (0..height).rev() {
        for x in 0..width {
            let mut voxel = [layer; 3];
            voxel[right] = x;
            voxel[up] = row;
            pixels.push(if map.is_filled(voxel) { u8::MAX } else { 0 });
        }
    }
    let mut encoder = png::Encoder::new(BufWriter::new(out), width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&pixels).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use impinge_geom::aabb::Aabb;
    use std::io::Read;

    /// Some voxels that no turning or mirroring maps to themselves, with long runs.
    fn example() -> VoxelMap {
        let bounds = Aabb { min: [-3.0, 10.0, 0.5], max: [27.0, 22.0, 49.5] };
        let grid = Grid::around(&bounds, 1.5).unwrap();
        VoxelMap::build(grid, |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..grid.counts()[2] {
                    let [x, y] = [8 * bx + bit % 8, 8 * by + bit / 8];
                    if x + 2 * y < z || x * y * z % 7 == 3 {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        })
    }

    fn all(map: &VoxelMap) -> impl Iterator<Item = [u32; 3]> {
        let [across, deep, high] = map.grid().counts();
        (0..across * deep * high).map(move |i| [i % across, i / across % deep, i / across / deep])
    }

    /// The bytes after a line that begins like this, and the lines before.
    fn after<'a>(bytes: &'a [u8], line: &[u8]) -> (String, &'a [u8]) {
        let at = bytes.windows(line.len()).position(|window| window == line).unwrap();
        let text = String::from_utf8(bytes[..at].to_vec()).unwrap();
        (text, &bytes[at + line.len()..])
    }

    #[test]
    fn binvox_reads_back() {
        let map = example();
        let mut bytes = Vec::new();
        binvox(&map, &mut bytes).unwrap();
        let (head, data) = after(&bytes, b"\ndata\n");
        assert!(head.starts_with("#binvox 1\ndim 35 35 35\ntranslate "), "{head}");
        assert!(head.ends_with("scale 52.5"), "{head}");
        let runs = data.as_chunks::<2>().0.iter();
        let voxels: Vec<u8> =
            runs.flat_map(|&[value, count]| std::iter::repeat_n(value, count.into())).collect();
        assert_eq!(voxels.len(), 35 * 35 * 35);
        for [x, y, z] in all(&map) {
            let at = ((x * 35 + z) * 35 + y) as usize;
            assert_eq!(voxels[at] == 1, map.is_filled([x, y, z]), "{x} {y} {z}");
        }
        assert_eq!(voxels.iter().map(|&v| u64::from(v)).sum::<u64>(), map.filled());
    }

    #[test]
    fn nrrd_reads_back_packed_and_detached() {
        let map = example();
        let folder = tempfile::tempdir().unwrap();
        let mut packed = Vec::new();
        nrrd(&map, Unit::Mm, &mut packed).unwrap();
        let (head, data) = after(&packed, b"\n\n");
        let mut samples = Vec::new();
        GzDecoder::new(data).read_to_end(&mut samples).unwrap();
        let [x, y, z] = map.grid().counts();
        assert!(head.contains(&format!("sizes: {x} {y} {z}\n")), "{head}");
        let place = map.grid().centre([0; 3]).map(|x| x.to_string()).join(",");
        assert!(head.contains(&format!("space origin: ({place})\n")), "{head}");
        assert_eq!(samples.len() as u32, x * y * z);
        for (voxel, &sample) in all(&map).zip(&samples) {
            assert_eq!(sample == 1, map.is_filled(voxel));
        }
        let path = folder.path().join("map.nhdr");
        write(&path, &map, Unit::Mm).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("encoding: raw\ndata file: map.raw\n"), "{text}");
        assert_eq!(std::fs::read(raw_file(&path)).unwrap(), samples);
    }

    #[test]
    fn pictures_show_each_layer() {
        let map = example();
        let folder = tempfile::tempdir().unwrap();
        for axis in 0..3 {
            let count = write_slices(folder.path(), &map, axis).unwrap();
            assert_eq!(count, map.grid().counts()[axis]);
            let path = folder.path().join(format!("{}-0007.png", ["x", "y", "z"][axis]));
            let file = io::BufReader::new(std::fs::File::open(path).unwrap());
            let mut reader = png::Decoder::new(file).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let white = pixels.iter().filter(|&&p| p == 255).count();
            assert_eq!(white, map.voxels().filter(|voxel| voxel[axis] == 7).count());
            // The lower left corner is the lower end of both axes.
            let [right, up] = [[1, 2], [0, 2], [0, 1]][axis];
            let [width, height] = [right, up].map(|k| map.grid().counts()[k] as usize);
            let mut voxel = [7; 3];
            (voxel[right], voxel[up]) = (2, 3);
            assert_eq!(pixels[(height - 4) * width + 2] == 255, map.is_filled(voxel));
        }
    }
}
