//! `impinge info`: what a mesh is like, and what is wrong with it.

use crate::args::{Common, Format, InfoArgs};
use crate::input;
use crate::number::{count, of, point, short};
use crate::outcome::Outcome;
use crate::output::{self, csv_field};
use anyhow::{Context, Result};
use impinge::prelude::*;
use impinge_geom::topology::Topology;
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Every triangle is held against every other, so larger meshes are tested only when asked for.
const SELF_TEST_MAX: usize = 20_000;

/// One line of `impinge info --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge info")]
pub(crate) struct InfoLine {
    /// What was asked about: a file or a sample.
    source: String,
    /// The name of the body in it.
    name: String,
    /// Faces as the file has them; polygons count once.
    faces: usize,
    /// Triangles after triangulation.
    triangles: usize,
    /// Vertices as the file has them.
    vertices: usize,
    /// Vertices that no face uses.
    unused_vertices: usize,
    /// How many frames it has, if it deforms, all else being told of the first; else null.
    frames: Option<usize>,
    /// The unit of all lengths.
    units: Unit,
    /// The corners of the box around it, as it lies in the file.
    bounds: [Point; 2],
    /// The size of that box.
    size: Point,
    /// Whether inside and outside are told apart: every edge has an even number of faces.
    closed: bool,
    /// Whether no edge has more than two faces.
    manifold: bool,
    /// Whether neighbouring faces agree on which side is out.
    oriented: bool,
    /// Pieces that share no vertex.
    components: usize,
    /// Triangles that are there twice.
    duplicate_faces: usize,
    /// Triangles of zero area.
    degenerate_faces: usize,
    /// Edges of one face.
    open_edges: usize,
    /// Edges of more than two faces.
    non_manifold_edges: usize,
    /// Edges whose faces disagree on which side is out.
    orientation_conflicts: usize,
    /// The sum of the faces' areas.
    area: f64,
    /// The enclosed volume, negative if the mesh is inside out; null unless closed and oriented.
    volume: Option<f64>,
    /// Pairs of triangles that meet beyond what neighbours share; null if not counted.
    self_intersections: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(args: &InfoArgs, common: &Common) -> Result<Outcome> {
    let mut lines = Vec::new();
    for text in &args.meshes {
        for body in input::read(text)?.bodies {
            let unit = body.unit.or(args.units).unwrap_or(Unit::Mm);
            let mut line = look_at((text, &body.name), &body.mesh, unit, args)?;
            line.frames = body.frames.map(|frames| frames.len());
            lines.push(line);
        }
    }
    let text = match common.format {
        Format::Text => lines.iter().map(text).collect::<Vec<_>>().join("\n"),
        Format::Json => json(&lines)?,
        Format::Csv => csv(&lines),
    };
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn look_at(
    (source, name): (&str, &str),
    mesh: &Arc<Mesh>,
    units: Unit,
    args: &InfoArgs,
) -> Result<InfoLine> {
    let topology = Topology::of(mesh);
    let bounds = mesh.bounds();
    let counted = args.self_intersections || mesh.triangles().len() <= SELF_TEST_MAX;
    let solid = topology.closed && topology.oriented;
    Ok(InfoLine {
        source: source.to_owned(),
        name: name.to_owned(),
        faces: mesh.face_count(),
        triangles: mesh.triangles().len(),
        vertices: mesh.vertices().len(),
        unused_vertices: topology.unused_vertices,
        frames: None,
        units,
        bounds: [bounds.min, bounds.max],
        size: bounds.size(),
        closed: topology.closed,
        manifold: topology.non_manifold_edges == 0,
        oriented: topology.oriented,
        components: topology.component_count,
        duplicate_faces: topology.duplicate_faces,
        degenerate_faces: topology.degenerate_faces,
        open_edges: topology.open_edges,
        non_manifold_edges: topology.non_manifold_edges,
        orientation_conflicts: topology.orientation_conflicts,
        area: topology.area,
        volume: solid.then_some(topology.signed_volume),
        self_intersections: counted.then(|| self_intersections(mesh)).transpose()?,
    })
}

fn self_intersections(mesh: &Arc<Mesh>) -> Result<usize> {
    let mut world = World::new();
    let shape = world.add_shape(mesh.clone()).context("the self-test")?;
    world.insert(Body::new(shape))?;
    let report = world.step(&Query { itself: true, ..Query::PAIRS });
    Ok(report.hits().map(|pair| pair.triangle_pairs.len()).sum())
}

fn text(line: &InfoLine) -> String {
    let yes = |value: bool| if value { "yes" } else { "no" };
    let many = |n: usize, one: &str| of(n as u64, one);
    let unit = line.units;
    let mut faces = many(line.faces, "face");
    if line.triangles != line.faces {
        let _ = write!(faces, " ({})", many(line.triangles, "triangle"));
    }
    let mut vertices = many(line.vertices, "vertex");
    if line.unused_vertices > 0 {
        let _ = write!(vertices, " ({} unused)", count(line.unused_vertices as u64));
    }
    let frames = line.frames.map_or(String::new(), |n| format!(", {}", many(n, "frame")));
    let [low, high] = &line.bounds;
    let volume = match line.volume {
        Some(volume) if volume < 0.0 => format!("{} {unit}³, inside out", short(volume)),
        Some(volume) => format!("{} {unit}³", short(volume)),
        None => "none, for it is not closed and oriented".to_owned(),
    };
    let crossings = match line.self_intersections {
        Some(n) => count(n as u64),
        None => "not counted for so many faces; --self-intersections does".to_owned(),
    };
    let but =
        |n: usize, what: &str| if n == 0 { String::new() } else { format!(", {}", many(n, what)) };
    let mut text = format!("{}\n", title(line));
    let rows = [
        ("mesh", format!("{faces}, {vertices}, {}{frames}", many(line.components, "piece"))),
        ("size", format!("{} {unit}", line.size.map(short).join(" × "))),
        ("bounds", format!("{} … {} {unit}", point(low), point(high))),
        ("closed", format!("{}{}", yes(line.closed), but(line.open_edges, "open edge"))),
        ("manifold", format!("{}{}", yes(line.manifold), but(line.non_manifold_edges, "bad edge"))),
        (
            "oriented",
            format!("{}{}", yes(line.oriented), but(line.orientation_conflicts, "bad edge")),
        ),
        ("area", format!("{} {unit}²", short(line.area))),
        ("volume", volume),
        ("duplicate faces", count(line.duplicate_faces as u64)),
        ("degenerate faces", count(line.degenerate_faces as u64)),
        ("self-intersections", crossings),
    ];
    for (name, value) in rows {
        let _ = writeln!(text, "  {name:18}  {value}");
    }
    text
}

fn title(line: &InfoLine) -> String {
    let stem = std::path::Path::new(&line.source).file_stem().unwrap_or_default();
    if line.name == stem.to_string_lossy()
        || line.source.starts_with("sample:") && line.source.contains(&line.name)
    {
        line.source.clone()
    } else {
        format!("{}: {}", line.source, line.name)
    }
}

fn json(lines: &[InfoLine]) -> Result<String> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    Ok(text)
}

fn csv(lines: &[InfoLine]) -> String {
    let mut text =
        "source,name,faces,triangles,vertices,unused_vertices,units,size_x,size_y,size_z,\
        closed,manifold,oriented,components,duplicate_faces,degenerate_faces,open_edges,\
        non_manifold_edges,orientation_conflicts,area,volume,self_intersections,frames\n"
            .to_owned();
    for line in lines {
        let [x, y, z] = line.size;
        let numbers = [line.faces, line.triangles, line.vertices, line.unused_vertices];
        let flags = [line.closed, line.manifold, line.oriented];
        let flaws = [
            line.components,
            line.duplicate_faces,
            line.degenerate_faces,
            line.open_edges,
            line.non_manifold_edges,
            line.orientation_conflicts,
        ];
        let mut fields = vec![csv_field(&line.source), csv_field(&line.name)];
        fields.extend(numbers.map(|n| n.to_string()));
        fields.push(line.units.to_string());
        fields.extend([x, y, z].map(|x| x.to_string()));
        fields.extend(flags.map(|flag| flag.to_string()));
        fields.extend(flaws.map(|n| n.to_string()));
        fields.push(line.area.to_string());
        fields.push(line.volume.map_or(String::new(), |x| x.to_string()));
        fields.push(line.self_intersections.map_or(String::new(), |n| n.to_string()));
        fields.push(line.frames.map_or(String::new(), |n| n.to_string()));
        text += &fields.join(",");
        text.push('\n');
    }
    text
}
