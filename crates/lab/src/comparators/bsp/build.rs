//! Making a BSP tree: some planes are tried for each part of space, and the one is taken that cuts few
//! pieces and leaves about as many before it as behind it.

use super::{Below, Node, Plane, Splitters, divide};
use glam::DVec3;
use impinge_geom::mesh::Mesh;

/// So many faces are tried as splitters of a part of space, evenly from all that are in it.
const CANDIDATES: usize = 12;
/// A piece that is cut costs as much as this many pieces more on one side than on the other.
const CUT_COST: usize = 4;
/// Planes across axes are tried for more pieces than this.
const FEW: usize = 8;

/// What is left of a face in a part of space.
struct Piece {
    points: Vec<DVec3>,
    plane: Plane,
}

/// Where a tree goes on: a side of a node, and the planes above.
struct Gap {
    node: usize,
    front: bool,
    depth: usize,
}

/// How a plane divides pieces.
#[derive(Clone, Copy, Default)]
struct Split {
    back: usize,
    front: usize,
    cut: usize,
}

impl Split {
    fn cost(&self) -> usize {
        CUT_COST * self.cut + self.back.abs_diff(self.front)
    }
}

/// The nodes of the tree of a closed mesh, the root first, and its depth.
pub(super) fn plant(mesh: &Mesh, tolerance: f64, splitters: Splitters) -> (Vec<Node>, usize) {
    let faces = (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i).map(DVec3::from));
    let pieces: Vec<Piece> = faces.filter_map(piece).collect();
    let mut planter = Planter { tolerance, splitters, nodes: Vec::new(), depth: 0 };
    let mut waiting = vec![(pieces, None)];
    while let Some((pieces, gap)) = waiting.pop() {
        let depth = gap.as_ref().map_or(0, |gap: &Gap| gap.depth);
        let node = planter.nodes.len();
        if let Some(Gap { node: above, front, .. }) = gap {
            let below = Below::Node(node as u32);
            let above = &mut planter.nodes[above];
            *(if front { &mut above.front } else { &mut above.back }) = below;
        }
        let sides = planter.grow(pieces, depth + 1);
        for (pieces, front) in sides.into_iter().zip([false, true]) {
            if !pieces.is_empty() {
                waiting.push((pieces, Some(Gap { node, front, depth: depth + 1 })));
            }
        }
    }
    (planter.nodes, planter.depth)
}

/// A face; none if it has no area.
fn piece([a, b, c]: [DVec3; 3]) -> Option<Piece> {
    let normal = (b - a).cross(c - a).try_normalize()?;
    let plane = Plane { normal, offset: normal.dot((a + b + c) / 3.0) };
    Some(Piece { points: vec![a, b, c], plane })
}

struct Planter {
    tolerance: f64,
    splitters: Splitters,
    nodes: Vec<Node>,
    depth: usize,
}

impl Planter {
    /// Adds a node for pieces; those behind its plane, and those before it.
    ///
    /// A plane across an axis has pieces on both sides. So a side without pieces is always that of a
    /// face, and is inside if it is behind it: nothing of the surface is in it.
    fn grow(&mut self, pieces: Vec<Piece>, depth: usize) -> [Vec<Piece>; 2] {
        let plane = self.choose(&pieces);
        self.nodes.push(Node { plane, back: Below::Inside, front: Below::Outside });
        self.depth = self.depth.max(depth);
        let (mut back, mut front) = (Vec::new(), Vec::new());
        for piece in pieces {
            let distances: Vec<f64> = piece.points.iter().map(|p| plane.distance(*p)).collect();
            match self.sides(&distances) {
                [false, false] => {}
                [true, false] => back.push(piece),
                [false, true] => front.push(piece),
                [true, true] => {
                    let (mut behind, mut before) = (Vec::new(), Vec::new());
                    divide(&piece.points, &distances, &mut behind, &mut before);
                    back.push(Piece { points: behind, plane: piece.plane });
                    front.push(Piece { points: before, plane: piece.plane });
                }
            }
        }
        [back, front]
    }

    /// Whether a piece is behind a plane and before it; neither if it lies flat on it.
    fn sides(&self, distances: &[f64]) -> [bool; 2] {
        [
            distances.iter().any(|d| *d < -self.tolerance),
            distances.iter().any(|d| *d > self.tolerance),
        ]
    }

    fn split(&self, pieces: &[Piece], plane: &Plane) -> Split {
        let mut split = Split::default();
        for piece in pieces {
            let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
            for point in &piece.points {
                let distance = plane.distance(*point);
                (lowest, highest) = (lowest.min(distance), highest.max(distance));
            }
            let (behind, before) = (lowest < -self.tolerance, highest > self.tolerance);
            split.back += usize::from(behind);
            split.front += usize::from(before);
            split.cut += usize::from(behind && before);
        }
        split
    }

    fn choose(&self, pieces: &[Piece]) -> Plane {
        let step = pieces.len().div_ceil(CANDIDATES);
        let of_faces = pieces.iter().step_by(step).map(|piece| piece.plane);
        let costs = of_faces.map(|plane| (self.split(pieces, &plane).cost(), plane));
        let best = costs.min_by_key(|(cost, _)| *cost).expect("there are pieces");
        if self.splitters == Splitters::Faces || pieces.len() <= FEW {
            return best.1;
        }
        let count = pieces.len() as f64;
        let mean = pieces.iter().map(|piece| piece.points[0]).sum::<DVec3>() / count;
        let across = DVec3::AXES.map(|normal| Plane { normal, offset: normal.dot(mean) });
        let costs = across.into_iter().filter_map(|plane| {
            let split = self.split(pieces, &plane);
            // Something must be left on either side, and be less than there was.
            let divides = |side: usize| side > 0 && side < pieces.len();
            let useful = divides(split.back) && divides(split.front);
            // What lies flat on such a plane would be lost.
            let whole = split.back + split.front - split.cut == pieces.len();
            (useful && whole).then(|| (split.cost(), plane))
        });
        costs.chain([best]).min_by_key(|(cost, _)| *cost).expect("there are pieces").1
    }
}
