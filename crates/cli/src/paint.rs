//! Bodies at their places with a colour per triangle, written as a file to look at.

use anyhow::Result;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::export::{self, Color, ExportBody};
use impinge_scene::units::Unit;
use std::path::Path;

/// A body to be shown.
pub(crate) struct Painted<'a> {
    pub(crate) name: &'a str,
    pub(crate) mesh: &'a Mesh,
    pub(crate) pose: Pose,
    /// One per triangle.
    pub(crate) colors: Vec<Color>,
}

/// Writes the bodies as the ending of `path` says.
pub(crate) fn write(path: &Path, bodies: &[Painted<'_>], unit: Unit) -> Result<()> {
    let place = |body: &Painted<'_>| -> Vec<Point> {
        body.mesh.vertices().iter().map(|vertex| body.pose.apply(vertex)).collect()
    };
    let places: Vec<Vec<Point>> = bodies.iter().map(place).collect();
    let shown = bodies.iter().zip(&places).map(|(body, vertices)| ExportBody {
        name: body.name,
        vertices,
        triangles: body.mesh.triangles(),
        colors: &body.colors,
    });
    export::write(path, &shown.collect::<Vec<_>>(), unit)?;
    Ok(())
}
