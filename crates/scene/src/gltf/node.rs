//! The node hierarchy: which mesh stands where.

use super::buffer::missing;
use super::json::{Document, Node};
use super::whole;
use crate::error::Fault;
use impinge_geom::Point;

/// A mesh and its place in the world.
pub(super) struct Instance {
    /// None where a file has meshes but no nodes.
    pub node: Option<usize>,
    pub mesh: usize,
    pub to_world: Affine,
}

/// A linear map, row by row, followed by a translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine {
    rows: [[f64; 3]; 3],
    translation: Point,
}

impl Affine {
    pub(super) const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    pub(super) fn apply(&self, point: &Point) -> Point {
        let linear = self.linear(point);
        std::array::from_fn(|k| linear[k] + self.translation[k])
    }

    fn linear(&self, [x, y, z]: &Point) -> Point {
        self.rows.map(|[a, b, c]| a * x + b * y + c * z)
    }

    /// First `inner`, then this map.
    pub(super) fn after(&self, inner: &Self) -> Self {
        let column = |k: usize| self.linear(&inner.rows.map(|row| row[k]));
        let columns = [column(0), column(1), column(2)];
        Self {
            rows: std::array::from_fn(|i| columns.map(|column| column[i])),
            translation: self.apply(&inner.translation),
        }
    }

    /// From a matrix, column by column; `user` is what it belongs to.
    pub(super) fn from_matrix(m: &[f64; 16], user: &str) -> Result<Self, Fault> {
        let last = [m[3], m[7], m[11], m[15]];
        // Exporters that invert matrices in f32 leave the last row a little off.
        if last.iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(x, needed)| (x - needed).abs() > 1e-6) {
            return Err(whole(format!(
                "{user} has a matrix with the last row {last:?}; [0, 0, 0, 1] is needed"
            )));
        }
        Ok(Self {
            rows: std::array::from_fn(|i| [m[i], m[4 + i], m[8 + i]]),
            translation: [m[12], m[13], m[14]],
        })
    }

    /// True if it turns left hands into right hands.
    pub(super) fn mirrors(&self) -> bool {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}

/// All meshes of the default scene; of all scenes or nodes where no scene is the default; or the
/// bare meshes of a file without nodes.
pub(super) fn instances(document: &Document) -> Result<Vec<Instance>, Fault> {
    if document.nodes.is_empty() {
        let bare = |mesh| Instance { node: None, mesh, to_world: Affine::IDENTITY };
        return Ok((0..document.meshes.len()).map(bare).collect());
    }
    let nodes = &document.nodes;
    let mut reached = vec![false; nodes.len()];
    let mut found = Vec::new();
    let mut stack = roots(document)?;
    // Reversed, here and below: the stack then yields nodes in the order of the file.
    stack.reverse();
    while let Some((index, parent)) = stack.pop() {
        if std::mem::replace(&mut reached[index], true) {
            return Err(whole(format!(
                "node {index} is reached twice; a node has one parent at most, without cycles"
            )));
        }
        let node = &nodes[index];
        let to_world = parent.after(&local(index, node)?);
        if let Some(mesh) = node.mesh {
            check(node, index, (mesh, document.meshes.len()))?;
            found.push(Instance { node: Some(index), mesh, to_world });
        }
        for &child in node.children.iter().rev() {
            if child >= nodes.len() {
                return Err(missing(&format!("node {index}"), "node", child, nodes.len()));
            }
            stack.push((child, to_world));
        }
    }
    let lost = reached.iter().position(|&reached| !reached);
    match lost.filter(|_| document.scenes.is_empty()) {
        Some(node) => Err(whole(format!("node {node} is its own ancestor; nodes must form trees"))),
        None => Ok(found),
    }
}

fn check(node: &Node, index: usize, (mesh, count): (usize, usize)) -> Result<(), Fault> {
    if mesh >= count {
        return Err(missing(&format!("node {index}"), "mesh", mesh, count));
    }
    // Left out, the instances would be missing bodies: an answer "free" would be wrong.
    if node.extensions.instancing.is_some() {
        return Err(whole(format!(
            "not supported: node {index} uses the extension EXT_mesh_gpu_instancing; \
             save each instance as a node"
        )));
    }
    Ok(())
}

fn roots(document: &Document) -> Result<Vec<(usize, Affine)>, Fault> {
    let nodes = document.nodes.len();
    let scenes = match document.scene {
        None => 0..document.scenes.len(),
        Some(scene) if scene < document.scenes.len() => scene..scene + 1,
        Some(scene) => {
            return Err(missing("the file", "scene", scene, document.scenes.len()));
        }
    };
    let mut is_root = vec![document.scenes.is_empty(); nodes];
    if document.scenes.is_empty() {
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            // A child that is not there is reported when its parent is reached.
            if let Some(is_root) = is_root.get_mut(child) {
                *is_root = false;
            }
        }
    }
    for scene in scenes {
        for &node in &document.scenes[scene].nodes {
            let is_root = is_root.get_mut(node);
            *is_root.ok_or_else(|| missing(&format!("scene {scene}"), "node", node, nodes))? = true;
        }
    }
    let roots = (0..nodes).filter(|&node| is_root[node]);
    Ok(roots.map(|node| (node, Affine::IDENTITY)).collect())
}

/// The node's own transform, relative to its parent.
pub(super) fn local(index: usize, node: &Node) -> Result<Affine, Fault> {
    let parts = [node.translation.is_some(), node.rotation.is_some(), node.scale.is_some()];
    if let Some(m) = node.matrix {
        if parts.contains(&true) {
            return Err(whole(format!(
                "node {index} has a matrix and a translation, rotation or scale; \
                 one or the other is needed"
            )));
        }
        return Affine::from_matrix(&m, &format!("node {index}"));
    }
    Trs::of(node).affine(index)
}

/// Scale, rotation (x y z w) and translation, in this order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trs {
    pub translation: [f64; 3],
    pub rotation: [f64; 4],
    pub scale: [f64; 3],
}

impl Trs {
    /// Those of a node; what it does not state changes nothing.
    pub(super) fn of(node: &Node) -> Self {
        Self {
            translation: node.translation.unwrap_or([0.0; 3]),
            rotation: node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            scale: node.scale.unwrap_or([1.0; 3]),
        }
    }

    /// The same as a map; `index` is the node, for the message.
    pub(super) fn affine(&self, index: usize) -> Result<Affine, Fault> {
        let [x, y, z, w] = self.rotation;
        let turn = impinge_geom::pose::Pose::new([w, x, y, z], [0.0; 3])
            .map_err(|error| whole(format!("node {index}, rotation: {error}")))?;
        let rows = turn.matrix().map(|row| std::array::from_fn(|k| row[k] * self.scale[k]));
        Ok(Affine { rows, translation: self.translation })
    }
}
