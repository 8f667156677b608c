//! parry3d's tree of boxes, kept from frame to frame: leaves updated, refitted, and improved a
//! little each time, as its own physics engine does. It wins over rebuilding at every size here.

use crate::contest::Contestant;
use impinge::contract::bounds::Bounds;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// How results name it.
pub(crate) const NAME: &str = "parry3d 0.31.1 Bvh";

pub(crate) struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
}

impl Parry {
    /// With a tree over the first frame.
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let boxes = boxes(bounds);
        Self {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            workspace: BvhWorkspace::default(),
            boxes,
            pairs: Vec::new(),
        }
    }
}

fn boxes(bounds: &Bounds) -> Vec<Aabb> {
    let of = |b: &[f32; 6]| Aabb::new(Vector::new(b[0], b[1], b[2]), Vector::new(b[3], b[4], b[5]));
    bounds.aabb.iter().map(of).collect()
}

impl Contestant for Parry {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn look(&mut self, bounds: &Bounds) {
        self.boxes = boxes(bounds);
    }

    fn find(&mut self, _: &Bounds) -> usize {
        for (leaf, aabb) in self.boxes.iter().enumerate() {
            self.tree.insert_or_update_partially(*aabb, leaf as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        self.pairs.clear();
        let pairs = &mut self.pairs;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            pairs.push((a, b))
        });
        pairs.len()
    }
}
