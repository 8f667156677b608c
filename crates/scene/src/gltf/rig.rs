//! What deforms: the nodes with their channels, and meshes with morph targets and skins on them
//! [glTF 2.0 §3.7.2.2, §3.7.3].

use super::buffer::{Buffers, missing};
use super::channel::{Channel, Property, channels};
use super::json::Document;
use super::node::{Affine, Instance, Trs, local};
use super::primitive::Surface;
use super::{accessor, whole};
use crate::animation::Animation;
use crate::error::Fault;
use crate::frames::Frames;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::sync::Arc;

/// The nodes of a file, and its first animation.
#[derive(Debug)]
pub(super) struct Rig {
    /// For each node: the parts of its transform, or the whole where it is a matrix.
    locals: Vec<Result<Trs, Affine>>,
    parents: Vec<Option<usize>>,
    /// Parents before children. Nodes on cycles are left out.
    order: Vec<usize>,
    channels: Vec<Channel>,
    span: [f64; 2],
}

/// A mesh on a rig.
#[derive(Debug)]
pub(super) struct Puppet {
    rig: Arc<Rig>,
    /// The object as it was read, for its triangles.
    mesh: Mesh,
    node: usize,
    rest: Vec<Point>,
    /// For each target, how it moves each vertex.
    targets: Vec<Vec<Point>>,
    weights: Vec<f64>,
    skin: Option<Skin>,
}

/// Joints, and how much each vertex belongs to which.
#[derive(Debug)]
struct Skin {
    joints: Vec<usize>,
    inverse: Vec<Affine>,
    /// Up to eight places in the list of joints for each vertex; they may repeat.
    shares: Vec<[(usize, f64); 8]>,
}

/// An animation that could not be read: told when it is asked for, for the mesh is good without.
#[derive(Debug)]
pub(super) struct Broken(pub String);

impl Animation for Broken {
    fn frames(&self, _: u32) -> Result<Frames, String> {
        Err(self.0.clone())
    }
}

impl Rig {
    /// None if the file has no animation.
    pub(super) fn read(
        document: &Document,
        buffers: &mut Buffers<'_>,
    ) -> Result<Option<Self>, Fault> {
        let Some(animation) = document.animations.first() else { return Ok(None) };
        let channels = channels(document, animation, buffers)?;
        let nodes = &document.nodes;
        for channel in &channels {
            if nodes[channel.node].matrix.is_some() && channel.property != Property::Weights {
                let node = channel.node;
                return Err(whole(format!(
                    "node {node} is animated, but has a matrix; it needs translation, rotation and \
                     scale"
                )));
            }
        }
        let mut locals = Vec::with_capacity(nodes.len());
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let whole = local(index, node)?;
            locals.push(if node.matrix.is_some() { Err(whole) } else { Ok(Trs::of(node)) });
            for &child in &node.children {
                let count = nodes.len();
                let parent = parents.get_mut(child);
                *parent.ok_or_else(|| missing(&format!("node {index}"), "node", child, count))? =
                    Some(index);
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&i| parents[i].is_none()).collect();
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            // A child of two parents counts as that of the last one only, so each comes once.
            let own = |child: &&usize| parents[**child] == Some(index);
            let children: Vec<usize> = nodes[index].children.iter().filter(own).copied().collect();
            order.extend(children);
            next += 1;
            if order.len() > nodes.len() {
                return Err(whole(format!("node {index} names a child twice; once is needed")));
            }
        }
        let join = |span: [f64; 2], channel: &Channel| {
            let [from, to] = channel.span();
            [span[0].min(from), span[1].max(to)]
        };
        let span = channels.iter().fold([f64::INFINITY, f64::NEG_INFINITY], join);
        let span = if span[0] <= span[1] { span } else { [0.0; 2] };
        Ok(Some(Self { locals, parents, order, channels, span }))
    }

    /// Where all nodes are at a time.
    fn places(&self, time: f64) -> Result<Vec<Affine>, String> {
        let mut locals = self.locals.clone();
        for channel in &self.channels {
            let Ok(trs) = &mut locals[channel.node] else { continue };
            let value = channel.at(time);
            match channel.property {
                Property::Translation => trs.translation.copy_from_slice(&value),
                Property::Rotation => trs.rotation.copy_from_slice(&value),
                Property::Scale => trs.scale.copy_from_slice(&value),
                Property::Weights => {}
            }
        }
        let mut places = vec![Affine::IDENTITY; locals.len()];
        for &index in &self.order {
            let local = match &locals[index] {
                Ok(trs) => trs.affine(index).map_err(|fault| fault.message)?,
                Err(affine) => *affine,
            };
            places[index] = match self.parents[index] {
                Some(parent) => places[parent].after(&local),
                None => local,
            };
        }
        Ok(places)
    }

    /// The weights of a node's morph targets at a time, if a channel moves them.
    fn weights(&self, node: usize, time: f64) -> Option<Vec<f64>> {
        let moves = |c: &&Channel| c.node == node && c.property == Property::Weights;
        self.channels.iter().find(moves).map(|channel| channel.at(time))
    }
}

impl Puppet {
    /// How many morph targets a mesh has.
    pub(super) fn targets(document: &Document, instance: &Instance) -> usize {
        let primitives = &document.meshes[instance.mesh].primitives;
        primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0)
    }

    /// The mesh of an instance with all that moves it.
    pub(super) fn read(
        document: &Document,
        (instance, surface, mesh): (&Instance, &Surface, &Mesh),
        rig: &Arc<Rig>,
        buffers: &mut Buffers<'_>,
    ) -> Result<Self, Fault> {
        let node = instance.node.ok_or_else(|| whole("a mesh without a node does not move"))?;
        let primitives = &document.meshes[instance.mesh].primitives;
        let mut targets: Vec<Vec<Point>> = Vec::new();
        for target in 0..Self::targets(document, instance) {
            let mut moved = vec![[0.0; 3]; surface.vertices.len()];
            for piece in &surface.pieces {
                let given = primitives[piece.primitive].targets.get(target);
                let Some(position) = given.and_then(|given| given.position) else { continue };
                let user = format!("mesh {}, morph target {target}", instance.mesh);
                let points = accessor::numbers::<3>(document, position, (&user, &mut *buffers))?;
                if points.len() != piece.count {
                    let (found, needed) = (points.len(), piece.count);
                    return Err(whole(format!("{user} moves {found} points of {needed}")));
                }
                moved[piece.first..][..piece.count].copy_from_slice(&points);
            }
            targets.push(moved);
        }
        let own = document.nodes[node].weights.as_ref();
        let weights = own.or(document.meshes[instance.mesh].weights.as_ref());
        let skin = document.nodes[node].skin;
        let skin = skin.map(|skin| Skin::read(document, skin, (instance, surface), buffers));
        Ok(Self {
            rig: Arc::clone(rig),
            mesh: mesh.clone(),
            node,
            rest: surface.vertices.clone(),
            weights: weights.cloned().unwrap_or_default(),
            targets,
            skin: skin.transpose()?,
        })
    }

    fn at(&self, time: f64, out: &mut Vec<Point>) -> Result<(), String> {
        let mut points = self.rest.clone();
        let moved = self.rig.weights(self.node, time);
        for (weight, target) in moved.as_ref().unwrap_or(&self.weights).iter().zip(&self.targets) {
            for (point, by) in points.iter_mut().zip(target) {
                *point = std::array::from_fn(|k| point[k] + weight * by[k]);
            }
        }
        let places = self.rig.places(time)?;
        let Some(skin) = &self.skin else {
            out.extend(points.iter().map(|point| places[self.node].apply(point)));
            return Ok(());
        };
        let joints = skin.joints.iter().zip(&skin.inverse);
        let joints: Vec<Affine> =
            joints.map(|(&joint, inverse)| places[joint].after(inverse)).collect();
        out.extend(points.iter().zip(&skin.shares).map(|(point, shares)| {
            let mut sum = [0.0; 3];
            for &(joint, weight) in shares.iter().filter(|(_, weight)| *weight > 0.0) {
                let placed = joints[joint].apply(point);
                sum = std::array::from_fn(|k| sum[k] + weight * placed[k]);
            }
            sum
        }));
        Ok(())
    }
}

impl Animation for Puppet {
    /// Evenly spaced over the animation, both of its ends included.
    fn frames(&self, count: u32) -> Result<Frames, String> {
        let [from, to] = self.rig.span;
        let mut all = Vec::with_capacity(self.rest.len() * count as usize);
        for i in 0..count {
            let part = if count > 1 { f64::from(i) / f64::from(count - 1) } else { 0.0 };
            self.at(from + (to - from) * part, &mut all)?;
        }
        Frames::new(&self.mesh, all).map_err(|error| error.to_string())
    }
}

impl Skin {
    fn read(
        document: &Document,
        index: usize,
        (instance, surface): (&Instance, &Surface),
        buffers: &mut Buffers<'_>,
    ) -> Result<Self, Fault> {
        let user = format!("skin {index}");
        let skins = &document.skins;
        let skin = skins.get(index).ok_or_else(|| missing("a node", "skin", index, skins.len()))?;
        let nodes = document.nodes.len();
        if let Some(&joint) = skin.joints.iter().find(|&&joint| joint >= nodes) {
            return Err(missing(&user, "node", joint, nodes));
        }
        let inverse = match skin.inverse_bind_matrices {
            None => vec![Affine::IDENTITY; skin.joints.len()],
            Some(matrices) => {
                let found = accessor::numbers::<16>(document, matrices, (&user, &mut *buffers))?;
                if found.len() < skin.joints.len() {
                    let (found, needed) = (found.len(), skin.joints.len());
                    return Err(whole(format!("{user} has {found} matrices for {needed} joints")));
                }
                let affine = |matrix: &[f64; 16]| Affine::from_matrix(matrix, &user);
                found[..skin.joints.len()].iter().map(affine).collect::<Result<_, _>>()?
            }
        };
        let mut shares = vec![[(0, 0.0); 8]; surface.vertices.len()];
        for piece in &surface.pieces {
            let given = &document.meshes[instance.mesh].primitives[piece.primitive].attributes;
            let sets = [(given.joints, given.weights), (given.more_joints, given.more_weights)];
            for (set, (joints, weights)) in sets.into_iter().enumerate() {
                let (Some(joints), Some(weights)) = (joints, weights) else { continue };
                let joints = accessor::numbers::<4>(document, joints, (&user, &mut *buffers))?;
                let weights = accessor::numbers::<4>(document, weights, (&user, &mut *buffers))?;
                if joints.len() != piece.count || weights.len() != piece.count {
                    return Err(whole(format!("{user}: joints and weights of every point needed")));
                }
                let vertices = shares[piece.first..][..piece.count].iter_mut();
                for ((share, joints), weights) in vertices.zip(&joints).zip(&weights) {
                    for k in 0..4 {
                        share[4 * set + k] = (joints[k] as usize, weights[k]);
                    }
                }
            }
        }
        check_shares(&mut shares, skin.joints.len(), &user)?;
        Ok(Self { joints: skin.joints.clone(), inverse, shares })
    }
}

/// Weights of a vertex are made to sum to 1, as exporters that round them leave them a little off.
fn check_shares(shares: &mut [[(usize, f64); 8]], joints: usize, user: &str) -> Result<(), Fault> {
    for (vertex, share) in shares.iter_mut().enumerate() {
        let sum: f64 = share.iter().map(|(_, weight)| weight).sum();
        let good = share.iter().all(|(_, weight)| *weight >= 0.0) && sum > 0.0 && sum.is_finite();
        if !good {
            return Err(whole(format!(
                "{user}: the weights of point {vertex} sum to {sum}; 1 is needed"
            )));
        }
        if let Some((joint, _)) = share.iter().find(|(joint, w)| *joint >= joints && *w > 0.0) {
            return Err(missing(&format!("{user}, point {vertex}"), "joint", *joint, joints));
        }
        share.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    Ok(())
}
