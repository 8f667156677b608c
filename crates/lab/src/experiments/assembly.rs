//! How long a whole assembly takes: reading its file, preparing its shapes, and all its questions.
//!
//! The assembly is the built-in one, whose answers are known; what is counted is compared with them,
//! so that a fast wrong answer does not get into the table. Poses are in the vertices of the file,
//! so equal parts are not recognised as such.

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_samples::assembly::{Assembly, KNOWN_BELOW, Params, Relation};
use impinge_scene::export::{self, ExportBody};
use impinge_scene::load::load;
use impinge_scene::units::Unit;
use std::path::Path;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "assembly",
    title: "Checking an assembly",
    paper: None,
    about: "The built-in machine as a GLB file, by parts and faces: milliseconds to read it, to \
            prepare its shapes, and to find what touches, all contacts, and all contacts with all \
            clearances below 1 mm; on one and two threads, by engine.",
    run,
};

/// Parts and faces.
const SIZES: [[u32; 2]; 5] =
    [[33, 20_000], [100, 160_000], [300, 50_000], [300, 500_000], [1000, 2_000_000]];
const THREADS: [usize; 2] = [1, 2];

/// Slower engines than the default leave the race here.
fn faces_max(engine: &str) -> u32 {
    if engine == narrow::bvh::NAME { u32::MAX } else { 20_000 }
}

struct Row {
    engine: &'static str,
    parts: usize,
    faces: usize,
    threads: usize,
    read_ms: f64,
    prepare_ms: f64,
    /// Touching, contacts, contacts and clearances.
    query_ms: [f64; 3],
    clashes: usize,
    gaps: usize,
}

fn run(lab: &mut Lab) -> Result<()> {
    let sizes = if lab.settings.quick { &SIZES[..1] } else { &SIZES[..] };
    let folder = tempfile::tempdir().context("cannot make a folder for test files")?;
    let mut rows = Vec::new();
    for &[parts, faces] in sizes {
        let made = Assembly::new(&Params { parts, faces, seed: lab.settings.seed })?;
        let path = folder.path().join(format!("assembly-{parts}-{faces}.glb"));
        write(&path, &made)?;
        for engine in narrow::exact_names().filter(|engine| *engine != "auto") {
            if faces <= faces_max(engine) {
                for threads in THREADS {
                    rows.push(measure(lab, &path, &made, (engine, threads))?);
                }
            }
        }
    }
    lab.note("Bar: 300 parts and 500,000 faces below 1000 ms on two threads, preparing included.");
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

/// Parts at their places.
fn write(path: &Path, made: &Assembly) -> Result<()> {
    let parts = &made.scene.parts;
    let place = |part: &impinge_samples::Part| -> Vec<Point> {
        part.mesh.vertices().iter().map(|vertex| part.pose.apply(vertex)).collect()
    };
    let places: Vec<Vec<Point>> = parts.iter().map(place).collect();
    let colors = parts.iter().map(|part| vec![[200; 3]; part.mesh.triangles().len()]);
    let colors: Vec<Vec<export::Color>> = colors.collect();
    let bodies = parts.iter().zip(places.iter().zip(&colors)).map(|(part, (vertices, colors))| {
        ExportBody { name: &part.name, vertices, triangles: part.mesh.triangles(), colors }
    });
    export::write(path, &bodies.collect::<Vec<_>>(), made.scene.unit)?;
    Ok(())
}

fn measure(
    lab: &Lab,
    path: &Path,
    made: &Assembly,
    (engine, threads): (&'static str, usize),
) -> Result<Row> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| {
        let objects = load(path)?;
        let read = lab.time(1, |_| drop(std::hint::black_box(load(path))));
        let faces = objects.iter().map(|object| object.mesh.face_count()).sum();
        let meshes: Vec<Arc<Mesh>> =
            objects.into_iter().map(|object| Arc::new(object.mesh)).collect();
        let mut world = filled(engine, &meshes)?;
        let prepare = lab.time(1, |_| drop(std::hint::black_box(filled(engine, &meshes))));
        let below = Gap::Below(Unit::Mm.convert(KNOWN_BELOW, Unit::M));
        let queries = [Query::TOUCHING, Query::CONTACTS, Query { gap: below, ..Query::CONTACTS }];
        let query_ms = queries.map(|query| {
            let timing = lab.time(1, |_| {
                std::hint::black_box(world.step(&query).hits().count());
            });
            timing.median_us / 1e3
        });
        let report = world.step(&queries[2]);
        let clashes = report.hits().count();
        let gaps = report.pairs().filter(|pair| pair.answer.clearance.is_some()).count();
        check(made, [clashes, gaps])?;
        let (read_ms, prepare_ms) = (read.median_us / 1e3, prepare.median_us / 1e3);
        let parts = meshes.len();
        Ok(Row { engine, parts, faces, threads, read_ms, prepare_ms, query_ms, clashes, gaps })
    })
}

fn filled(engine: &str, meshes: &[Arc<Mesh>]) -> Result<World> {
    let pruner = broad::by_name("auto").context("there is no default pruner")?;
    let engine = narrow::by_name(engine).with_context(|| format!("there is no `{engine}`"))?;
    let mut world = World::with(pruner, engine);
    for shape in world.add_shapes(meshes)? {
        world.insert(Body::new(shape))?;
    }
    Ok(world)
}

/// In the file coordinates have single precision: parts that lie on each other in one plane still
/// do, all else is clear by far more.
fn check(made: &Assembly, found: [usize; 2]) -> Result<()> {
    let gaps = made.known.iter().filter(|known| matches!(known.relation, Relation::Gap { .. }));
    let gaps = gaps.count();
    let known = [made.known.len() - gaps, gaps];
    ensure!(found == known, "{found:?} clashes and gaps were found, {known:?} are known");
    Ok(())
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("engine", ""),
        ("parts", ""),
        ("faces", ""),
        ("threads", ""),
        ("read", "ms"),
        ("prepare", "ms"),
        ("touching", "ms"),
        ("contacts", "ms"),
        ("contacts, below 1 mm", "ms"),
        ("clashes", ""),
        ("gaps", ""),
    ]);
    for row in rows {
        table.push([
            Cell::Text(row.engine.to_owned()),
            Cell::Count(row.parts as u64),
            Cell::Count(row.faces as u64),
            Cell::Count(row.threads as u64),
            Cell::Real(row.read_ms),
            Cell::Real(row.prepare_ms),
            Cell::Real(row.query_ms[0]),
            Cell::Real(row.query_ms[1]),
            Cell::Real(row.query_ms[2]),
            Cell::Count(row.clashes as u64),
            Cell::Count(row.gaps as u64),
        ]);
    }
    table
}

/// Of the default engine on two threads.
fn plot(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let chosen = rows.iter().filter(|row| row.engine != narrow::brute::NAME && row.threads == 2);
    let mut chosen: Vec<&Row> = chosen.collect();
    chosen.sort_by_key(|row| row.faces);
    let series = |name: &str, ms: &dyn Fn(&Row) -> f64| Series {
        name: name.to_owned(),
        mark: Mark::Line,
        points: chosen.iter().map(|row| [row.faces as f64, ms(row)]).collect(),
    };
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("faces"),
        y: axis("ms on two threads"),
        series: vec![
            series("read", &|row| row.read_ms),
            series("prepare", &|row| row.prepare_ms),
            series("touching", &|row| row.query_ms[0]),
            series("contacts", &|row| row.query_ms[1]),
            series("contacts, below 1 mm", &|row| row.query_ms[2]),
        ],
    }
}
