//! The comb experiment [R98 §5.3]: two rows of five cones whose tips meet in exactly five points in a frame
//! that is known. One of the programs that the paper compares finds none of them.

use crate::film::{ABOUT_TIMES, Film, Kind, METHODS, Method, Moved, Plan, Take, spread};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::prelude::{Pose, Query};
use impinge_samples::r98::comb::{Comb, Moved as Way};
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "r98-comb",
    title: "Two combs of five cones whose tips meet",
    paper: Some("[R98 §5.3, fig. 6–7, 9]"),
    about: "two rows of five cones, aligned or offset, one of which comes down straight or \
    turning: how many of the five contacts are found in the frame in which tips touch in points, \
    and in the 19 after it, and milliseconds per frame with their deviation, against the number \
    of triangles",
    run,
};

/// A cone has twice as many triangles as the power of four.
const FINENESS: [u32; 5] = [2, 3, 4, 5, 6];
/// Of a film, by each method.
const PASSES: usize = 3;
/// The resolution at which nothing may be missed, either.
const COARSE: Method =
    Method { name: "image, 16 by 16", kind: Kind::Engine("image?resolution=16", Query::PAIRS) };
/// The paper's method with both kinds of boxes, as it has it, and seen across the axes of the cones: tips
/// that meet are then seen in profile, and what turned boxes share there is small.
const ASIDE: Method = Method {
    name: "r98-recode, oriented boxes, from the side",
    kind: Kind::Engine("r98-recode?boxes=oriented&plane=y", Query::TOUCHING),
};
/// What the engine takes if nothing is set: pixels along a region, as a power of two of their size at least.
const PIXELS: f64 = 64.0;

struct Row {
    offset: bool,
    way: Way,
    moved: Moved,
    triangles: u64,
    name: &'static str,
    take: Take,
    /// Contacts found in the frame in which tips touch, in all later frames, and in earlier ones.
    found: [usize; 3],
    is_exact: bool,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let fineness = if quick { &FINENESS[..1] } else { &FINENESS[..] };
    // Quick runs only show that all goes well: there the paper's method has no longer than others.
    let [limit, paper_limit] = if quick { [0.5, 0.5] } else { [3.0, 30.0] };
    let [limit, paper_limit] = [limit, paper_limit].map(Duration::from_secs_f64);
    let passes = if quick { 1 } else { PASSES };
    let clock = Clock::for_threads(lab.settings.threads);
    let plan = Plan { clock, passes, limit, paper_limit };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut rows = Vec::new();
    for offset in [false, true] {
        for way in [Way::Translation, Way::Rotation] {
            for &fineness in fineness {
                let comb = Comb::new(offset, way, fineness)?;
                for moved in [Moved::Vertices, Moved::Poses] {
                    let made = pool.install(|| shoot((&comb, offset, way), moved, &plan))?;
                    for (name, row) in made {
                        match row {
                            Some(row) => rows.push(row),
                            None => lab.note(format!(
                                "{}: {name} took too long for {} triangles and was left out.",
                                setting(offset, way, moved),
                                10 * comb.mesh.face_count()
                            )),
                        }
                    }
                }
            }
        }
    }
    conclude(lab, &rows)?;
    lab.publish(&table(&rows), Some(&plot(&rows, Way::Rotation)))?;
    lab.draw("-translation", &plot(&rows, Way::Translation))
}

fn setting(offset: bool, way: Way, moved: Moved) -> String {
    let tips = if offset { "offset" } else { "aligned" };
    let way = if way == Way::Translation { "translation" } else { "rotation" };
    let moved = if moved == Moved::Poses { "poses" } else { "vertices" };
    format!("{tips}, {way}, moved by {moved}")
}

/// All methods on one film; none where it takes too long.
fn shoot(
    (comb, offset, way): (&Comb, bool, Way),
    moved: Moved,
    plan: &Plan,
) -> Result<Vec<(&'static str, Option<Row>)>> {
    let poses: Vec<Vec<Pose>> = (0..Comb::FRAMES).map(|frame| comb.poses(frame)).collect();
    let mesh = Arc::new(comb.mesh.clone());
    let meshes = vec![mesh; 2 * Comb::CONES];
    let film = Film { meshes, poses, bent: Vec::new() };
    let mut rows = Vec::new();
    for method in METHODS.iter().chain([&COARSE, &ASIDE]).filter(|method| method.applies(moved)) {
        // Of large cones all pairs of features may be looked at.
        let hopeless = method.kind == Kind::ClosestFeatures && comb.mesh.face_count() > 1000;
        let take = if hopeless { None } else { method.shoot(&film, moved, plan)? };
        let row = take.map(|take| {
            let at = Comb::TOUCHING as usize;
            let sum = |frames: &[Vec<[u32; 2]>]| frames.iter().map(Vec::len).sum();
            Row {
                found: [take.hits[at].len(), sum(&take.hits[at + 1..]), sum(&take.hits[..at])],
                triangles: 10 * comb.mesh.face_count() as u64,
                name: method.name,
                is_exact: method.is_exact(),
                offset,
                way,
                moved,
                take,
            }
        });
        if let Some(row) = &row {
            let exact = row.is_exact && row.found != wanted();
            ensure!(!exact, "{}: {} finds {:?}", setting(offset, way, moved), row.name, row.found);
        }
        rows.push((method.name, row));
    }
    Ok(rows)
}

/// What there is to be found.
fn wanted() -> [usize; 3] {
    [Comb::CONES, Comb::CONES * (Comb::FRAMES - Comb::TOUCHING - 1) as usize, 0]
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("setting", ""),
        ("triangles", ""),
        ("method", ""),
        ("found where 5 tips touch", ""),
        ("found after, of 95", ""),
        ("invented before", ""),
        ("passes", ""),
        ("mean", "ms"),
        ("deviation", "ms"),
        ("deviation over mean", ""),
    ]);
    for row in rows {
        let [mean, deviation] = spread(&row.take.ms);
        table.push([
            Cell::Text(setting(row.offset, row.way, row.moved)),
            Cell::Count(row.triangles),
            Cell::Text(row.name.to_owned()),
            Cell::Count(row.found[0] as u64),
            Cell::Count(row.found[1] as u64),
            Cell::Count(row.found[2] as u64),
            Cell::Count(row.take.passes as u64),
            Cell::Real(mean),
            Cell::Real(deviation),
            Cell::Real(deviation / mean),
        ]);
    }
    table
}

fn conclude(lab: &mut Lab, rows: &[Row]) -> Result<()> {
    lab.note(
        "The paper, moved by poses and above 10,000 triangles: RECODE is fastest and its times \
         deviate least, then I-COLLIDE, Q-COLLIDE and RAPID where the combs turn; where they go \
         straight Q-COLLIDE finds none of the five contacts. Its curves have no figures in \
         its text.",
    );
    lab.note(ABOUT_TIMES);
    let of_image = rows.iter().filter(|row| row.name.starts_with("image"));
    let all = of_image.clone().count();
    let right = of_image.filter(|row| row.found == wanted()).count();
    lab.note(format!(
        "Engine image, as it is and forced to 16 by 16 pixels: 5 of 5 contacts in each of the 20 \
         frames in which cones touch, and none before, in {right} of {all} rows."
    ));
    explain_misses(lab, rows)?;
    let mut wrong: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row.found != wanted()) {
        wrong.push(format!(
            "{} ({}, {} triangles): {} of 5, {} of 95, {} before",
            row.name,
            setting(row.offset, row.way, row.moved),
            row.triangles,
            row.found[0],
            row.found[1],
            row.found[2]
        ));
    }
    wrong.truncate(12);
    if !wrong.is_empty() {
        lab.note(format!("The first that did not find just these: {}.", wrong.join("; ")));
    }
    Ok(())
}

/// Why the paper's method misses tips that meet, by the figures of the last frame.
fn explain_misses(lab: &mut Lab, rows: &[Row]) -> Result<()> {
    // The shape of the overlap and the boxes are the same for cones of any fineness.
    let comb = Comb::new(false, Way::Translation, FINENESS[0])?;
    let poses = comb.poses(Comb::FRAMES - 1);
    let extent = |body: usize, k: usize| {
        let along = comb.mesh.vertices().iter().map(|v| poses[body].apply(v)[k]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)])
    };
    let (lower, upper) = (0, Comb::CONES);
    let shared = |k: usize| {
        let ([a, b], [c, d]) = (extent(lower, k), extent(upper, k));
        b.min(d) - a.max(c)
    };
    let [width, breadth, depth] = [0, 1, 2].map(shared);
    let [bottom, tip] = extent(lower, 2);
    // Two cones that face each other share two flat cones of half the depth.
    let radius = 0.5 * depth * (0.5 * width) / (tip - bottom);
    let pixel = (width.max(breadth) / PIXELS).log2().floor().exp2();
    let axis = [0, 1].map(|k| 0.5 * (extent(lower, k)[0] + extent(lower, k)[1]));
    let [x, y] = axis.map(|c| ((c / pixel).floor() + 0.5) * pixel - c);
    lab.note(format!(
        "Why r98-recode, as it is, misses tips of aligned combs that go straight: it looks along \
         the axes of the cones, where boxes along the axes share {width} by {breadth}; a pixel is \
         1/{} wide. In the last frame, tips are {depth:.4} deep in each other, and what two cones \
         share has a radius of {radius:.4}; the middle of the nearest pixel is {:.4} from their \
         axis: nothing is seen. From the side, boxes along the axes share {width} by {depth:.4}; \
         the paper fits its viewport to that and has pixels as flat, those of our lattice are \
         square, so that only oriented boxes, which share less, make them small enough.",
        pixel.recip(),
        x.hypot(y)
    ));
    for name in ["r98-recode", ASIDE.name] {
        let straight = |row: &&Row| !row.offset && row.way == Way::Translation;
        let those: Vec<&Row> =
            rows.iter().filter(straight).filter(|row| row.name == name).collect();
        let found = those.iter().map(|row| row.found[1]);
        let Some((least, most)) = found.clone().min().zip(found.max()) else { continue };
        let all = |hits: &&Vec<[u32; 2]>| hits.len() == Comb::CONES;
        let frames = those.iter().map(|row| row.take.hits.iter().filter(all).count());
        lab.note(format!(
            "{name}, aligned, translation: {least} to {most} of 95 contacts in the frames after \
             tips met; all five at once in at least {} of 20 frames.",
            frames.min().unwrap_or(0)
        ));
    }
    Ok(())
}

/// Mean time against triangles, aligned, moved by poses as in the paper.
fn plot(rows: &[Row], way: Way) -> Plot {
    let mut series: Vec<Series> = Vec::new();
    let shown = |row: &&Row| !row.offset && row.way == way && row.moved == Moved::Poses;
    for row in rows.iter().filter(shown) {
        let point = [row.triangles as f64, spread(&row.take.ms)[0].max(1e-6)];
        match series.iter_mut().find(|series| series.name == row.name) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: row.name.to_owned(),
                mark: Mark::Line,
                points: vec![point],
            }),
        }
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let (x, y) = (axis("triangles, all cones together"), axis("ms per frame, one core"));
    Plot { title: format!("Aligned combs, {way:?}"), x, y, series }
}
