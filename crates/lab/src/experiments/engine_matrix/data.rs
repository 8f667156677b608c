//! Models of $IMPINGE_DATA: pairs in degenerate contact (coref), and pairs of real models in random poses
//! (mesh-pairs), as far as they are small.

use super::scenes::{Still, two};
use anyhow::{Context, Result, ensure};
use impinge::prelude::*;
use impinge_scene::load::load;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pairs of larger bodies would take brute force too long.
const FACES_MAX: usize = 400;
/// Poses of each pair of models.
const POSES: usize = 8;

/// Whether there are any.
pub(super) fn all(quick: bool, out: &mut Vec<Still>) -> Result<bool> {
    let Some(root) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        return Ok(false);
    };
    if !quick {
        coref(&root.join("coref"), out)?;
        for name in ["fclenv-fclrob", "sphere-chairwood", "venus-shuttle"] {
            pair(&root.join("mesh-pairs").join(name).with_extension("mpx"), name, out)?;
        }
    }
    Ok(true)
}

fn coref(folder: &Path, out: &mut Vec<Still>) -> Result<()> {
    let list = std::fs::read_to_string(folder.join("coref_truth.csv"))?;
    for line in list.lines().skip(1) {
        let mut columns = line.split(',');
        let mut next = || columns.next().with_context(|| format!("{line}: too few columns"));
        let names = [next()?, next()?];
        let faces = [next()?.parse::<usize>()?, next()?.parse::<usize>()?];
        if faces.iter().any(|count| *count > FACES_MAX) {
            continue;
        }
        let read = |name: &str| -> Result<Arc<Mesh>> {
            let path = folder.join(name.replacen(':', "/", 1));
            let first = load(&path)?.into_iter().next();
            Ok(Arc::new(first.with_context(|| format!("{name}: no mesh"))?.mesh))
        };
        let meshes = [read(names[0])?, read(names[1])?];
        let name = format!("{} and {}", names[0], names[1]);
        out.push(two("pairs in degenerate contact", name, &meshes, &[Pose::IDENTITY]));
    }
    Ok(())
}

/// Little-endian words, one after the other.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> Result<u32> {
        let (word, rest) = self.0.split_first_chunk().context("the file ends too early")?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*word))
    }

    fn triples(&mut self, count: u32) -> Result<Vec<[u32; 3]>> {
        (0..count).map(|_| Ok([self.next()?, self.next()?, self.next()?])).collect()
    }

    /// Coordinates are small whole numbers.
    fn points(&mut self, count: u32) -> Result<Vec<Point>> {
        let all = self.triples(count)?;
        Ok(all.into_iter().map(|p| p.map(|word| f64::from(word.cast_signed()))).collect())
    }
}

/// Some poses of a file, each of which has vertices of its own for the second body.
fn pair(path: &Path, name: &str, out: &mut Vec<Still>) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let body = bytes.strip_prefix(b"MPEX1\0\0\0");
    let mut words = Words(body.with_context(|| format!("{}: no such pairs", path.display()))?);
    let [points_a, faces_a, points_b, faces_b, poses] =
        [words.next()?, words.next()?, words.next()?, words.next()?, words.next()?];
    ensure!(poses as usize >= POSES, "{}: too few poses", path.display());
    let points = words.points(points_a)?;
    let fixed = Arc::new(Mesh::new(points, words.triples(faces_a)?)?);
    let triangles = words.triples(faces_b)?;
    for pose in 0..POSES {
        let moved = Arc::new(Mesh::new(words.points(points_b)?, triangles.clone())?);
        let count = words.next()?;
        (0..2 * u64::from(count)).try_for_each(|_| words.next().map(drop))?;
        let meshes = [Arc::clone(&fixed), moved];
        out.push(two(
            "pairs of real models",
            format!("{name}, pose {pose}"),
            &meshes,
            &[Pose::IDENTITY],
        ));
    }
    Ok(())
}
