//! Building from the top down [E99 §3], set by set, with a stack of its own.

use super::bound::Bound;
use super::quality::measure;
use super::split::{Set, Splits};
use super::{Hierarchy, Node, Params};
use crate::Triangle;
use crate::aabb::Aabb;
use crate::mesh::Mesh;

/// A node whose faces are still to be split.
struct Task {
    node: usize,
    /// Its faces, as places in the list of faces.
    start: usize,
    end: usize,
    depth: u32,
    /// Of its volume; not known where nothing asks for it.
    quality: f64,
}

/// A split that was tried: a subset for each face, and for each subset that has faces its volume
/// with the quality.
struct Trial<B> {
    labels: Vec<u8>,
    bounds: Vec<Option<(B, f64)>>,
}

pub(super) fn build<B: Bound>(mesh: &Mesh, params: &Params) -> Hierarchy<B> {
    let count = mesh.triangles().len();
    let mut faces: Vec<u32> = (0..count as u32).collect();
    let all: Vec<Triangle> = faces.iter().map(|&i| mesh.triangle(i)).collect();
    let root = B::around(&all, params.quality);
    let quality = params.measure(&root, &all);
    let mut nodes = vec![leaf(root, 0, count)];
    let mut stack = vec![Task { node: 0, start: 0, end: count, depth: 0, quality }];
    let depth_max = 2 * count.ilog2() + 16;
    let mut set = Set::default();
    while let Some(Task { node, start, end, depth, quality }) = stack.pop() {
        let members = &mut faces[start..end];
        if members.len() <= params.leaf_max.max(1) as usize {
            continue;
        }
        set.refill(members.iter().map(|&i| all[i as usize]));
        let trial = if depth >= depth_max || set.coincides() {
            Trial::equal_parts(&set, params)
        } else {
            Trial::good_enough(&set, (&nodes[node].bound, quality), params)
        };
        let sizes = trial.sort(members);
        let first = nodes.len();
        let mut place = start;
        for (bound, size) in trial.bounds.iter().zip(sizes) {
            let &Some((bound, quality)) = bound else { continue };
            let end = place + size;
            stack.push(Task { node: nodes.len(), start: place, end, depth: depth + 1, quality });
            nodes.push(leaf(bound, place, size));
            place += size;
        }
        let degree = nodes.len() - first;
        nodes[node] = Node { first: first as u32, len: degree as u32, leaf: false, ..nodes[node] };
    }
    Hierarchy { nodes, faces }
}

fn leaf<B>(bound: B, first: usize, len: usize) -> Node<B> {
    Node { bound, first: first as u32, len: len as u32, leaf: true }
}

impl Params {
    /// The lowest and the highest degree for a set of so many faces.
    fn degrees_for(&self, faces: usize) -> [usize; 2] {
        let [low, high] = self.degrees.map(|degree| usize::from(degree.clamp(2, 6)).min(faces));
        [low.min(high), high]
    }

    /// The quality of a volume, if anything depends on it: with a fixed degree nothing does.
    fn measure<B: Bound>(&self, bound: &B, faces: &[Triangle]) -> f64 {
        let [low, high] = self.degrees_for(usize::MAX);
        if low == high { 0.0 } else { measure(self.quality, bound, faces) }
    }
}

impl<B: Bound> Trial<B> {
    /// The split of the lowest degree that improves the quality as `params` ask, or else of the
    /// highest degree.
    fn good_enough(set: &Set, (bound, whole): (&B, f64), params: &Params) -> Self {
        let quality = params.quality;
        let [low, high] = params.degrees_for(set.len());
        let needed = params.alpha * whole;
        let mut splits = Splits::of(set, bound, params.splitter, quality);
        let mut labels = Vec::new();
        let mut best = None;
        for degree in low..=high {
            splits.split::<B>(degree, &mut labels);
            let trial = Self::measured(set, &labels, params);
            let worst = trial.bounds.iter().flatten().fold(0.0f64, |worst, (_, q)| worst.max(*q));
            best = Some(trial);
            if needed >= worst {
                break;
            }
        }
        match best {
            Some(trial) if trial.bounds.iter().flatten().count() > 1 => trial,
            _ => Self::equal_parts(set, params),
        }
    }

    /// With the volumes of the subsets.
    fn measured(set: &Set, labels: &[u8], params: &Params) -> Self {
        let mut subset: Vec<Triangle> = Vec::new();
        let count = labels.iter().max().map_or(0, |&last| last + 1);
        let mut bounds = Vec::new();
        for label in 0..count {
            let members = labels.iter().zip(&set.triangles).filter(|(of, _)| **of == label);
            subset.clear();
            subset.extend(members.map(|(_, triangle)| *triangle));
            bounds.push((!subset.is_empty()).then(|| {
                let bound = B::around(&subset, params.quality);
                (bound, params.measure(&bound, &subset))
            }));
        }
        Self { labels: labels.to_vec(), bounds }
    }

    /// Equal parts of the faces in the order of their centres along the longest axis.
    fn equal_parts(set: &Set, params: &Params) -> Self {
        let [degree, _] = params.degrees_for(set.len());
        let size = Aabb::around(&set.centers).size();
        let longest = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let mut order: Vec<usize> = (0..set.len()).collect();
        let along = |i: &usize| set.centers[*i][longest];
        order.sort_by(|i, j| along(i).total_cmp(&along(j)));
        let mut labels = vec![0; set.len()];
        for (place, i) in order.into_iter().enumerate() {
            labels[i] = (place * degree / set.len()) as u8;
        }
        Self::measured(set, &labels, params)
    }

    /// Brings the faces into the order of their subsets, and says how many each has.
    fn sort(&self, members: &mut [u32]) -> Vec<usize> {
        let mut keyed: Vec<(u8, u32)> =
            self.labels.iter().copied().zip(members.iter().copied()).collect();
        keyed.sort_by_key(|(label, _)| *label);
        members.iter_mut().zip(&keyed).for_each(|(member, (_, face))| *member = *face);
        let size =
            |label: usize| self.labels.iter().filter(|of| usize::from(**of) == label).count();
        (0..self.bounds.len()).map(size).collect()
    }
}

impl Set {
    fn refill(&mut self, triangles: impl Iterator<Item = Triangle>) {
        self.triangles.clear();
        self.triangles.extend(triangles);
        let mean = |[a, b, c]: &Triangle| std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
        self.centers.clear();
        self.centers.extend(self.triangles.iter().map(mean));
    }
}
