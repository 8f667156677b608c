//! How many triangles per second the conservative rasteriser of engine `image` takes, small ones and large.
//!
//! Small triangles are those of a mesh whose faces are about as large as a pixel, two thirds of it as
//! the engine chooses pixels, and larger: their vertices are projected, extents of faces made, extents turned into cells and those drawn. Large
//! ones are drawn along their edges, which are set up for each.

use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge_simd::faces::ranges::Run;
use impinge_simd::image::edges::Outline;
use impinge_simd::image::extents::{Extents, of_faces, see};
use impinge_simd::image::grid::{Bins, Cells, Raster};
use impinge_simd::image::{Extent, NOTHING, View};
use std::hint::black_box;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "image-rates",
    title: "Raster rates of the image engine",
    paper: None,
    about: "small triangles per second of a mesh with sides of 2/3, 1 and 2 pixels, from \
    vertices to bits of depth, and stage by stage; and covered pixels per second of single \
    triangles with sides of 6 to 200 pixels, drawn along their edges. One core, the fastest \
    pass.",
    run,
};

/// Aims: small triangles and covered pixels per second, in millions.
const AIMS: [f64; 2] = [80.0, 500.0];
/// Pixels along a side of the image of small triangles, and of the one of large ones.
const SMALL: [u16; 3] = [64, 128, 256];
/// Their sides in pixels: as the engine chooses pixels for faces, and larger.
const SMALL_SIDES: [f64; 3] = [2.0 / 3.0, 1.0, 2.0];
const LARGE: u16 = 512;
const SIDES: [f64; 4] = [6.0, 16.0, 48.0, 200.0];
/// Of a run of 64 faces: eight squares by four.
const RUN: [usize; 2] = [8, 4];
const ALL: Extent = [-1.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, 0.0];

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("triangles", ""),
        ("image", "px"),
        ("side", "px"),
        ("drawn", ""),
        ("per triangle", "ns"),
        ("extents", "ns"),
        ("cells", "ns"),
        ("draw", "ns"),
        ("triangles", "M/s"),
        ("covered pixels, along edges", "M/s"),
        ("covered pixels, as the engine draws", "M/s"),
    ]);
    let images = if lab.settings.quick { &SMALL[..1] } else { &SMALL[..] };
    let mut slowest = f64::INFINITY;
    for &pixels in images {
        for side in SMALL_SIDES {
            let rate = small(lab, (pixels, side), &mut table)?;
            slowest = slowest.min(rate);
        }
    }
    let sides = if lab.settings.quick { &SIDES[..2] } else { &SIDES[..] };
    let mut points = Vec::new();
    for &side in sides {
        points.push([side, large(lab, side, &mut table)?]);
    }
    lab.note(format!(
        "Small triangles: the slowest row takes {slowest:.1} M/s; the aim is {} M/s. Included: \
         projecting the vertices of runs of 64 faces, extents of faces with the granted \
         error, their pixels and bins, and drawing; not included: clearing the image.",
        AIMS[0]
    ));
    let least = points.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
    lab.note(format!(
        "Large triangles, as the engine draws them: the slowest row covers {least:.0} M pixels \
         per second; the aim is {} M. Included: edges and plane of each, rows, and 64-bit masks \
         of depth; or the box of what has up to 64 pixels. Pixels are those that the triangle may \
         touch, not the lanes beside them and not the rest of a box.",
        AIMS[1]
    ));
    let series = vec![Series { name: "as the engine draws".to_owned(), mark: Mark::Line, points }];
    let plot = Plot {
        title: "Covered pixels per second".to_owned(),
        x: Axis { label: "side of a triangle, pixels".to_owned(), scale: Scale::Log },
        y: Axis { label: "million covered pixels per second".to_owned(), scale: Scale::Log },
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// A wavy sheet of squares, each of two triangles, in runs of 64.
struct Sheet {
    points: Vec<[f64; 3]>,
    /// Eight faces at a time: the same in every run.
    corners: Vec<[[u8; 8]; 3]>,
    vertices: Vec<Vec<u32>>,
    names: Vec<u32>,
}

impl Sheet {
    fn of(squares: usize) -> Self {
        let at = |i: usize| 2.0 * i as f64 / squares as f64 - 1.0;
        let wide = squares + 1;
        let points = (0..wide * wide).map(|k| {
            let (x, y) = (at(k % wide), at(k / wide));
            [x, y, 0.5 * (3.0 * x).sin() * (2.0 * y).cos()]
        });
        let [columns, rows] = RUN;
        let place = |x: usize, y: usize| (y * (columns + 1) + x) as u8;
        let faces: Vec<[u8; 3]> = (0..columns * rows)
            .flat_map(|k| {
                let (x, y) = (k % columns, k / columns);
                let [a, b] = [place(x, y), place(x + 1, y)];
                let [c, d] = [place(x, y + 1), place(x + 1, y + 1)];
                [[a, b, d], [a, d, c]]
            })
            .collect();
        let eight = |some: &[[u8; 3]]| [0, 1, 2].map(|k| std::array::from_fn(|i| some[i][k]));
        let corners = faces.chunks(8).map(eight).collect();
        let mut vertices = Vec::new();
        for top in (0..squares).step_by(rows) {
            for left in (0..squares).step_by(columns) {
                let of = |k: usize| (top + k / (columns + 1)) * wide + left + k % (columns + 1);
                vertices.push((0..(columns + 1) * (rows + 1)).map(|k| of(k) as u32).collect());
            }
        }
        Self { points: points.collect(), corners, vertices, names: (0..64).collect() }
    }
}

/// Millions of triangles per second.
fn small(lab: &Lab, (pixels, side): (u16, f64), table: &mut Table) -> Result<f64> {
    let squares = (f64::from(pixels) / side).round() as usize;
    let sheet = Sheet::of(squares);
    let columns = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let view = View { centre: [0.0; 3], columns, grant: 2f32.powi(-22) };
    let raster = Raster::of(&ALL, [pixels, pixels, 64]);
    let (mut extents, mut cells) = (Extents::default(), Vec::<Cells>::new());
    let mut bins = Bins::default();
    let mut seen = [NOTHING; (RUN[0] + 1) * (RUN[1] + 1)];
    let mut make = |extents: &mut Extents| {
        extents.clear();
        for vertices in &sheet.vertices {
            let run = Run { vertices, corners: &sheet.corners, faces: &sheet.names };
            see(&view, &sheet.points, vertices, &mut seen);
            of_faces((&seen, &run), view.grant, &ALL, extents);
        }
    };
    make(&mut extents);
    let count = extents.len();
    ensure!(count == 2 * squares * squares, "{count} of {} faces", 2 * squares * squares);
    let ns = |us: f64| 1000.0 * us / count as f64;
    let of_extents = ns(lab.time(1, |_| make(&mut extents)).min_us);
    let of_cells = ns(lab.time(1, |_| raster.cells(&extents.extents, &mut cells)).min_us);
    bins.begin(&raster);
    let draw = |bins: &mut Bins, cells: &[Cells]| cells.iter().for_each(|one| bins.draw(one));
    let of_draw = ns(lab.time(1, |_| draw(&mut bins, black_box(&cells))).min_us);
    let whole = lab.time(1, |_| {
        make(&mut extents);
        raster.cells(&extents.extents, &mut cells);
        draw(&mut bins, &cells);
        black_box(bins.get(1, 1));
    });
    let whole = ns(whole.min_us);
    let set = (0..usize::from(pixels)).all(|x| bins.get(x, x) != 0);
    ensure!(set, "a pixel of the sheet is empty");
    table.push([
        Cell::Text("small".to_owned()),
        Cell::Count(u64::from(pixels)),
        Cell::Real(side),
        Cell::Count(count as u64),
        Cell::Real(whole),
        Cell::Real(of_extents),
        Cell::Real(of_cells),
        Cell::Real(of_draw),
        Cell::Real(1000.0 / whole),
        Cell::Missing,
        Cell::Missing,
    ]);
    Ok(1000.0 / whole)
}

/// Millions of covered pixels per second.
fn large(lab: &Lab, side: f64, table: &mut Table) -> Result<f64> {
    let raster = Raster::of(&ALL, [LARGE, LARGE, 64]);
    let mut random = Random::of([lab.settings.seed, side as u64, 0]);
    let last = f64::from(LARGE) - 1.0;
    let count = if lab.settings.quick { 64 } else { 1024 };
    let mut triangles: Vec<([[f64; 3]; 3], Cells)> = Vec::new();
    for _ in 0..count {
        // An equilateral triangle, turned at will; its depth leans.
        let angle = random.between([0.0, std::f64::consts::TAU]);
        let radius = side / 3f64.sqrt();
        let middle = [(); 2].map(|()| random.between([radius, last - radius]));
        let corners = [0.0, 1.0, 2.0].map(|k| {
            let (s, c) = (angle + std::f64::consts::TAU * k / 3.0).sin_cos();
            [middle[0] + radius * c, middle[1] + radius * s, random.between([20.0, 40.0])]
        });
        let mut cells = [0; 8];
        for k in 0..3 {
            let all = corners.map(|corner| corner[k]);
            cells[k] = all.iter().copied().fold(f64::INFINITY, f64::min).round() as u16;
            cells[k + 4] = all.iter().copied().fold(0.0, f64::max).round() as u16;
        }
        triangles.push((corners, cells));
    }
    let outline = |corners: &[[f64; 3]; 3]| Outline::of(corners, 0.5, [2f64.powi(-10); 2]);
    let covered: usize = triangles
        .iter()
        .map(|(corners, cells)| {
            let outline = outline(corners);
            let of_row = |y| outline.columns(y, cells).map_or(0, |[first, last]| last + 1 - first);
            (cells[1]..=cells[5]).map(of_row).sum::<usize>()
        })
        .sum();
    let area = 3f64.sqrt() / 4.0 * side * side * f64::from(count);
    ensure!(covered as f64 > area, "{covered} pixels cannot cover {area}");
    let mut bins = Bins::default();
    bins.begin(&raster);
    let time = lab.time(1, |_| {
        for (corners, cells) in &triangles {
            outline(black_box(corners)).draw(cells, &mut bins);
        }
    });
    let rate = covered as f64 / time.min_us;
    // The engine draws what has few pixels, or is narrow, as a box.
    let along = |cells: &Cells, k: usize| usize::from(cells[k + 4] - cells[k]) + 1;
    let as_engine = lab.time(1, |_| {
        for (corners, cells) in &triangles {
            let [wide, high] = [0, 1].map(|k| along(cells, k));
            if wide * high > 64 && wide.min(high) > 3 {
                outline(black_box(corners)).draw(cells, &mut bins);
            } else {
                bins.draw(cells);
            }
        }
    });
    let rate_of_engine = covered as f64 / as_engine.min_us;
    table.push([
        Cell::Text("large".to_owned()),
        Cell::Count(u64::from(LARGE)),
        Cell::Real(side),
        Cell::Count(u64::from(count as u32)),
        Cell::Real(1000.0 * time.min_us / f64::from(count)),
        Cell::Missing,
        Cell::Missing,
        Cell::Missing,
        Cell::Real(f64::from(count) / time.min_us),
        Cell::Real(rate),
        Cell::Real(rate_of_engine),
    ]);
    Ok(rate_of_engine)
}
