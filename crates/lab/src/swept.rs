//! Meshes that move over a step, and everything that collides in it: published frames with their lists,
//! and a cloth that needs no data.

use crate::timing::Clock;
use anyhow::{Context, Result, ensure};
use impinge_geom::Point;
use impinge_geom::first_contact::swept::{
    Asked, Bodies, Collision, Collisions, Moving, Surface, Swept,
};
use impinge_geom::motion::vertex::VertexMotion;
use impinge_scene::load::load;
use std::path::{Path, PathBuf};

/// A mesh at the start and at the end of a step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is called.
    pub name: String,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
    /// The vertices at the start.
    pub start: Vec<Point>,
    /// The vertices at the end.
    pub end: Vec<Point>,
    /// The pairs that really collide, sorted, if they are known: vertices and faces, then edges.
    pub truth: Option<[Vec<[u32; 2]>; 2]>,
}

/// The published frames: name, files.
const FRAMES: [(&str, [&str; 2]); 2] = [
    ("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"]),
    ("armadillo-rollers", ["326.ply", "327.ply"]),
];

/// The published frames; none if IMPINGE_DATA is not set.
pub fn published() -> Result<Option<Vec<Step>>> {
    let Some(root) = std::env::var_os("IMPINGE_DATA") else { return Ok(None) };
    let folder = PathBuf::from(root).join("broadphase");
    FRAMES
        .iter()
        .map(|(name, files)| frames(&folder.join(name), name, files))
        .collect::<Result<_>>()
        .map(Some)
}

fn frames(folder: &Path, name: &str, files: &[&str; 2]) -> Result<Step> {
    let read = |file: &str| {
        let path = folder.join(file);
        let first = load(&path)?.into_iter().next();
        first.map(|object| object.mesh).with_context(|| format!("{}: no mesh", path.display()))
    };
    let (start, end) = (read(files[0])?, read(files[1])?);
    ensure!(start.triangles() == end.triangles(), "{name}: the frames have different faces");
    Ok(Step {
        name: name.to_owned(),
        triangles: start.triangles().to_vec(),
        start: start.vertices().to_vec(),
        end: end.vertices().to_vec(),
        truth: Some([listed(&folder.join("pairs_vf.bin"))?, listed(&folder.join("pairs_ee.bin"))?]),
    })
}

/// The pairs of a file that really collide: records of two numbers and a label.
fn listed(path: &Path) -> Result<Vec<[u32; 2]>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let number = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    let colliding = bytes.chunks_exact(9).filter(|record| record[8] == 1);
    let mut pairs: Vec<[u32; 2]> =
        colliding.map(|record| [number(&record[..4]), number(&record[4..8])]).collect();
    pairs.sort_unstable();
    Ok(pairs)
}

/// A rolled cloth of about so many faces, in three layers that waves drive into each other.
pub fn roll(faces: usize) -> Step {
    let side = ((faces as f64 / 2.0).sqrt().round() as u32).max(2);
    let place = |i: u32, j: u32, push: f64| {
        let (u, v) = (f64::from(i) / f64::from(side), f64::from(j) / f64::from(side));
        let angle = 6.0 * std::f64::consts::PI * u;
        let wave = push * 0.03 * (9.0 * angle + 20.0 * v).sin();
        let radius = 0.3 + 0.06 * u + wave;
        [radius * angle.cos(), radius * angle.sin(), v]
    };
    let corner = |i: u32, j: u32| i * (side + 1) + j;
    let mut triangles = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let [a, b] = [corner(i, j), corner(i, j + 1)];
            let [c, d] = [corner(i + 1, j), corner(i + 1, j + 1)];
            triangles.extend([[a, b, c], [c, b, d]]);
        }
    }
    let all = |push: f64| -> Vec<Point> {
        (0..=side)
            .flat_map(|i| (0..=side).map(move |j| (i, j)))
            .map(|(i, j)| place(i, j, push))
            .collect()
    };
    let name = format!("roll {}", triangles.len());
    Step { name, triangles, start: all(0.0), end: all(1.0), truth: None }
}

/// What a frame took, and what was found.
#[derive(Clone, Debug)]
pub struct Score {
    /// All collisions, in the best of the frames.
    pub all_ms: f64,
    /// The first contact alone.
    pub first_ms: f64,
    /// Everything that was found.
    pub found: Collisions,
}

/// Does a step several times on so many threads, as a simulation would: what stays is kept, and all
/// else is done anew.
pub fn score(step: &Step, threads: usize, frames: usize) -> Result<Score> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let clock = Clock::for_threads(threads);
    let surface = Surface::new(&step.triangles);
    let mut swept = Swept::default();
    let mut best = [f64::INFINITY; 2];
    pool.install(|| {
        for _ in 0..frames.max(1) {
            let watch = clock.start();
            let motion = VertexMotion::new(&step.start, &step.end)?;
            let bodies = Bodies::One(Moving::new(&surface, motion)?);
            swept.collisions(&bodies, &Asked::default(), |_| u64::MAX);
            best[0] = best[0].min(watch.elapsed().as_secs_f64() * 1e3);
            let watch = clock.start();
            swept.first(&bodies, &Asked::default(), |_| u64::MAX);
            best[1] = best[1].min(watch.elapsed().as_secs_f64() * 1e3);
        }
        let motion = VertexMotion::new(&step.start, &step.end)?;
        let bodies = Bodies::One(Moving::new(&surface, motion)?);
        let found = swept.collisions(&bodies, &Asked::default(), |_| u64::MAX).clone();
        Ok(Score { all_ms: best[0], first_ms: best[1], found })
    })
}

impl Score {
    /// How many of the true collisions were missed, and how many others were told.
    pub fn errors(&self, truth: &[Vec<[u32; 2]>; 2]) -> [usize; 2] {
        let (mut missed, mut extra) = (0, 0);
        for (truth, found) in truth.iter().zip([&self.found.vertex_face, &self.found.edge_edge]) {
            let told = |pair: &[u32; 2]| {
                found.binary_search_by_key(pair, |collision| collision.features).is_ok()
            };
            let known = |one: &&Collision| truth.binary_search(&one.features).is_err();
            missed += truth.iter().filter(|pair| !told(pair)).count();
            extra += found.iter().filter(known).count();
        }
        [missed, extra]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roll_meets_itself_and_errors_are_counted() {
        let step = roll(800);
        let score = score(&step, 1, 1).unwrap();
        let Collisions { vertex_face, edge_edge, complete, .. } = &score.found;
        assert!(*complete && !vertex_face.is_empty() && !edge_edge.is_empty());
        let all = |list: &[Collision]| -> Vec<[u32; 2]> {
            list.iter().map(|collision| collision.features).collect()
        };
        let mut truth = [all(vertex_face), all(edge_edge)];
        assert_eq!(score.errors(&truth), [0, 0]);
        truth[0].pop();
        truth[1].push([u32::MAX; 2]);
        assert_eq!(score.errors(&truth), [1, 1]);
    }
}
