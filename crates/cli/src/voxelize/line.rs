//! What `impinge voxelize` tells, as text, JSON or CSV.

use crate::args::voxelize::Fill;
use crate::number::{count, of, seconds, short};
use crate::output::csv_field;
use impinge_geom::voxels::map::{Brick, VoxelMap};
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// The line of `impinge voxelize --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge voxelize")]
pub(crate) struct VoxelizeLine {
    /// What was asked about: a file or a sample.
    pub(crate) source: String,
    /// The unit of all lengths.
    pub(crate) units: Unit,
    /// Which voxels are filled.
    pub(crate) fill: Fill,
    /// The edge of a voxel.
    pub(crate) size: f64,
    /// Voxels along each axis, with the empty ones around the mesh.
    pub(crate) counts: [u32; 3],
    /// Voxels that are filled.
    pub(crate) filled: u64,
    /// Their volume.
    pub(crate) volume: f64,
    /// The volume of the mesh itself; null unless it is closed and oriented.
    pub(crate) mesh_volume: Option<f64>,
    /// Bricks of 8³ voxels that are neither empty nor full, and hence stored.
    pub(crate) bricks: usize,
    /// Memory of the stored bricks for each voxel in them; null if there are none.
    pub(crate) bits_per_voxel: Option<f64>,
    /// Memory of the whole map, with the index of all bricks.
    pub(crate) bytes: usize,
    /// How long filling took, without reading and writing.
    pub(crate) seconds: f64,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) out: Option<String>,
    /// How many pictures were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slices: Option<u32>,
}

/// The memory of bricks for each voxel in those that are neither empty nor full.
pub(crate) fn bits_per_voxel(map: &VoxelMap) -> Option<f64> {
    let (all, stored) = (map.bricks().len(), map.bricks().len() - 2);
    let bits = 8 * all * size_of::<Brick>();
    (stored > 0).then(|| bits as f64 / (512 * stored) as f64)
}

impl VoxelizeLine {
    pub(crate) fn text(&self) -> String {
        let unit = self.units;
        let [x, y, z] = self.counts;
        let against = self.mesh_volume.map_or(String::new(), |volume| {
            let off = 100.0 * (self.volume / volume - 1.0);
            // Beside a volume of nothing, or of rounding, a percentage tells nothing.
            let off = if off < 1e6 { format!(" ({off:+.3} %)") } else { String::new() };
            format!("; the mesh has {} {unit}³{off}", short(volume))
        });
        let bits = self
            .bits_per_voxel
            .map_or(String::new(), |bits| format!(", {bits:.3} bits per voxel in them"));
        let mut text = format!("{}\n", self.source);
        let mut rows = vec![
            ("voxels", format!("{x} × {y} × {z} of {} {unit}", short(self.size))),
            ("filled", count(self.filled)),
            ("volume", format!("{} {unit}³{against}", short(self.volume))),
            ("bricks", format!("{} stored{bits}", count(self.bricks as u64))),
            ("memory", format!("{} bytes with the index", count(self.bytes as u64))),
            ("time", seconds(self.seconds)),
        ];
        if let Some(out) = &self.out {
            rows.push(("written", out.clone()));
        }
        if let Some(slices) = self.slices {
            rows.push(("pictures", of(u64::from(slices), "layer")));
        }
        if self.filled == 0 {
            let why = "no middle of a voxel is inside; smaller voxels or --fill cover show more";
            rows.push(("note", why.to_owned()));
        }
        for (name, value) in rows {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {name:8}  {value}");
        }
        text
    }

    pub(crate) fn csv(&self) -> String {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let fields = [
            csv_field(&self.source),
            self.units.to_string(),
            format!("{:?}", self.fill).to_lowercase(),
            self.size.to_string(),
            self.counts.map(|n| n.to_string()).join(","),
            self.filled.to_string(),
            self.volume.to_string(),
            number(self.mesh_volume),
            self.bricks.to_string(),
            number(self.bits_per_voxel),
            self.bytes.to_string(),
            self.seconds.to_string(),
        ];
        "source,units,fill,size,count_x,count_y,count_z,filled,volume,mesh_volume,bricks,\
         bits_per_voxel,bytes,seconds\n"
            .to_owned()
            + &fields.join(",")
            + "\n"
    }
}
