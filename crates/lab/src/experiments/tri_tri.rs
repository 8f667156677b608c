//! How fast two triangles are held against each other, and what exactness costs.

use super::pairs::{Group, Random, SIDE, count_hits, near_misses, packed, touching};
use crate::table::{Cell, Table};
use crate::timing::Timing;
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::contract::answer::Answers;
use impinge::contract::engine::{Engine, Scratch};
use impinge::contract::ids::ShapeId;
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::contract::query::Query;
use impinge::narrow::brute::Brute;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::tri_batch::{BatchCounts, TriangleBatch};
use impinge_geom::{Point, Triangle, tri_tri};
use impinge_simd::boxes::{self, Boxes4};
use impinge_simd::lanes::append;
use impinge_simd::tri_tri::{Decided, Triangles4, extent, filter, filter_bare};
use std::hint::black_box;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tri-tri",
    title: "Exact triangle–triangle decisions",
    paper: Some("[K98 §3.6]"),
    about: "Pairs whose boxes overlap, half of which intersect; what misses does so by at most 1 % \
            of the size, half of it past a face and half past an edge. One core.",
    run,
};

fn run(lab: &mut Lab) -> Result<()> {
    let count = if lab.settings.quick { 1 } else { 16 };
    let mut random = Random(lab.settings.seed);
    let near: Vec<Group> = (0..count).map(|_| near_misses(&mut random, 0.01)).collect();
    let grid: Vec<Group> = (0..count).map(|_| touching(&mut random)).collect();
    let mut table = Table::new(&[
        ("pairs", ""),
        ("form", ""),
        ("rate", "M pairs/s"),
        ("median rate", "M pairs/s"),
        ("boxes overlap", "%"),
        ("intersect", "%"),
        ("exact path", "%"),
        ("time to bare filter", ""),
    ]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        measure(lab, "within 1 %", &near, &mut table)?;
        measure(lab, "touching, flat, coplanar", &grid, &mut table)
    })?;
    lab.note(
        "The bare filter is the same arithmetic without error bounds and exact path: on the second \
         kind of pairs its answers are wrong.",
    );
    lab.note(
        "Bars for the first kind: exact and batched at least 20 M pairs/s and less than 1.25 times \
         the bare filter's time; the engine within twice the batched time.",
    );
    lab.publish(&table, None)
}

fn measure(lab: &Lab, kind: &str, groups: &[Group], table: &mut Table) -> Result<()> {
    let pairs = (groups.len() * SIDE * SIDE) as f64;
    let batched: Vec<Batched> = groups.iter().map(Batched::of).collect();
    let (counts, hits) = check(groups, &batched)?;
    let mut row = |form: &str, timing: Timing, bare: Option<Timing>| {
        let rate = |us: f64| pairs / groups.len() as f64 / us;
        let percent = |part: u64| 100.0 * part as f64 / pairs;
        table.push([
            Cell::Text(kind.to_owned()),
            Cell::Text(form.to_owned()),
            Cell::Real(rate(timing.min_us)),
            Cell::Real(rate(timing.median_us)),
            Cell::Real(percent(counts.tested)),
            Cell::Real(percent(hits)),
            Cell::Real(percent(counts.exact)),
            bare.map_or(Cell::Text(String::new()), |bare| Cell::Real(timing.min_us / bare.min_us)),
        ]);
    };
    let bare = lab.time(groups.len(), |i| {
        black_box(batched[i].hits_by(filter_bare, &groups[i].rows));
    });
    let certain = lab.time(groups.len(), |i| {
        black_box(batched[i].hits_by(filter, &groups[i].rows));
    });
    let batch = lab.time(groups.len(), |i| {
        black_box(count_hits(&batched[i].exact, &groups[i].rows));
    });
    let engine = Brutes::of(groups)?;
    let mut answers = Answers::default();
    let whole = lab.time(groups.len(), |i| engine.collide(i, &mut answers));
    let single = lab.time(groups.len(), |i| {
        black_box(single_hits(&groups[i]));
    });
    row("bare float filter, batched", bare, None);
    row("filter with error bounds, batched", certain, Some(bare));
    row("exact, batched", batch, Some(bare));
    row("exact, brute engine end to end", whole, Some(bare));
    row("exact, one pair at a time", single, Some(bare));
    Ok(())
}

/// What is timed must also be right: all forms find the same.
fn check(groups: &[Group], batched: &[Batched]) -> Result<(BatchCounts, u64)> {
    let mut totals = (BatchCounts::default(), 0);
    let engine = Brutes::of(groups)?;
    let mut answers = Answers::default();
    for (i, (group, batch)) in groups.iter().zip(batched).enumerate() {
        let (counts, hits) = count_hits(&batch.exact, &group.rows);
        ensure!(hits == single_hits(group), "the batched form does not agree with the single one");
        engine.collide(i, &mut answers);
        let pairs: usize = answers.all().iter().map(|a| answers.triangle_pairs(a).len()).sum();
        ensure!(hits == pairs as u64, "the engine finds {pairs} pairs, the batch {hits}");
        totals.0 += counts;
        totals.1 += hits;
    }
    Ok(totals)
}

fn single_hits(group: &Group) -> u64 {
    let row = |a: &Triangle| group.columns.iter().filter(|b| tri_tri::intersect(a, b)).count();
    group.rows.iter().map(row).sum::<usize>() as u64
}

/// One of the two forms of the filter.
type Filter = fn(&[f64; 9], &[Triangles4], &[u8], &mut Vec<Decided>);

/// The columns of a group, packed for both forms of the filter.
struct Batched {
    exact: TriangleBatch,
    blocks: Vec<Triangles4>,
    boxes: Vec<Boxes4>,
}

impl Batched {
    fn of(group: &Group) -> Self {
        let exact = packed(&group.columns);
        let (blocks, boxes) = group
            .columns
            .chunks_exact(4)
            .map(|four| {
                let corners: [[f64; 9]; 4] = std::array::from_fn(|lane| flat(&four[lane]));
                let column = |k: usize, t: &[f64; 9]| t.get(k).copied().unwrap_or(extent(t));
                let block: Triangles4 =
                    std::array::from_fn(|k| corners.each_ref().map(|t| column(k, t)));
                let bounds = |lane: usize| corners_of_box(&four[lane]);
                let boxes: Boxes4 = std::array::from_fn(|k| std::array::from_fn(|l| bounds(l)[k]));
                (block, boxes)
            })
            .unzip();
        Self { exact, blocks, boxes }
    }

    /// The same way with either form of the filter and nothing after it: boxes, filter, list of hits.
    fn hits_by(&self, filter: Filter, rows: &[Triangle]) -> u64 {
        let (mut wanted, mut decided, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut hits = 0;
        for row in rows {
            boxes::overlaps(&corners_of_box(row), &self.boxes, &mut wanted);
            filter(&flat(row), &self.blocks, &wanted, &mut decided);
            found.resize(4 * wanted.len() + 4, 0);
            let mut len = 0;
            for (block, decided) in decided.iter().enumerate() {
                len = append(&mut found, len, 4 * block as u32, decided.hit);
            }
            hits += black_box(&found[..len]).len() as u64;
        }
        hits
    }
}

fn flat(triangle: &Triangle) -> [f64; 9] {
    std::array::from_fn(|k| triangle[k / 3][k % 3])
}

fn corners_of_box(triangle: &Triangle) -> [f64; 6] {
    let Aabb { min, max } = Aabb::around(triangle);
    [min[0], min[1], min[2], max[0], max[1], max[2]]
}

/// Every group as one job: posing, boxes, packing, tests and the list of pairs.
struct Brutes {
    engine: Brute,
}

impl Brutes {
    fn of(groups: &[Group]) -> Result<Self> {
        let mut engine = Brute::default();
        for (i, triangles) in groups.iter().flat_map(|g| [&g.rows, &g.columns]).enumerate() {
            let corners: Vec<Point> = triangles.iter().flatten().copied().collect();
            let faces = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
            let mesh = Arc::new(Mesh::new(corners, faces.collect())?);
            engine.prepare(ShapeId(i as u32), &mesh)?;
        }
        Ok(Self { engine })
    }

    fn collide(&self, group: usize, answers: &mut Answers) {
        let place = |shape: usize| Placed {
            shape: ShapeId(shape as u32),
            placement: Placement::Fixed(Pose::IDENTITY),
        };
        let job = Job {
            a: place(2 * group),
            b: place(2 * group + 1),
            itself: false,
            memory: None,
            priority: 1.0,
        };
        let batch = Batch { jobs: &[job], query: &Query::PAIRS };
        self.engine.collide(&batch, &mut Scratch::default(), &mut answers.refill());
    }
}
