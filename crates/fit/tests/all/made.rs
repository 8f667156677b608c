//! Scenes and random numbers for tests.

use impinge_fit::prelude::*;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_samples::SampleScene;
use impinge_scene::scene::{SceneBody, Source};
use impinge_scene::units::Unit;
use std::sync::Arc;

/// A body of a scene.
pub(crate) fn body(name: &str, mesh: &Arc<Mesh>, pose: Pose) -> SceneBody {
    let source = Source { mesh: name.to_owned(), path: None, object: None, unit: Unit::Mm };
    SceneBody {
        name: name.to_owned(),
        mesh: Arc::clone(mesh),
        frames: None,
        pose,
        voxel: None,
        groups: Vec::new(),
        source,
    }
}

/// The assembly of a sample.
pub(crate) fn assembly(scene: &SampleScene) -> Assembly {
    Assembly::of_scene(scene.clone().into_scene("sample")).expect("a fitting check")
}

/// Random numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next one.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below a number.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() >> 11) as usize % count
    }

    /// Another number than that.
    pub(crate) fn other(&mut self, old: f64, is_whole: bool) -> f64 {
        if is_whole {
            return match self.below(4) {
                0 => old + 1.0,
                1 => (old - 1.0).abs(),
                2 => (self.below(100)) as f64,
                _ => 2.0 * old + 1.0,
            };
        }
        let small = 10f64.powi(self.below(16) as i32 - 15);
        match self.below(7) {
            0 => old.next_up(),
            1 => -old,
            2 => 0.0,
            3 => old + small,
            4 => old - small,
            5 => old * 2.0,
            _ => old * (1.0 + small),
        }
    }

    /// Drops, doubles or swaps entries of a list, or changes one.
    pub(crate) fn change<T: Clone + PartialEq>(&mut self, list: &mut Vec<T>) -> String {
        let [i, j] = [self.below(list.len()), self.below(list.len())];
        match self.below(4) {
            0 => {
                list.remove(i);
                format!("entry {i} dropped")
            }
            1 => {
                list.insert(i, list[j].clone());
                format!("entry {j} again at {i}")
            }
            2 => {
                list[i] = list[j].clone();
                format!("entry {i} as {j}")
            }
            _ => {
                list.swap(i, j);
                format!("entries {i} and {j} swapped")
            }
        }
    }
}
