//! What an engine has prepared, by shape.

use crate::contract::ids::ShapeId;
use impinge_geom::mesh::Mesh;
use rayon::prelude::*;
use std::sync::Arc;

/// One model per shape that is in use.
#[derive(Debug)]
pub(super) struct Models<M> {
    by_shape: Vec<Option<M>>,
}

impl<M> Default for Models<M> {
    fn default() -> Self {
        Self { by_shape: Vec::new() }
    }
}

impl<M> Models<M> {
    /// Keeps a model, in place of an earlier one of that shape.
    pub(super) fn insert(&mut self, shape: ShapeId, model: M) {
        let index = shape.0 as usize;
        if self.by_shape.len() <= index {
            self.by_shape.resize_with(index + 1, || None);
        }
        self.by_shape[index] = Some(model);
    }

    /// Makes and keeps the models of many shapes, side by side.
    pub(super) fn insert_all(
        &mut self,
        shapes: &[(ShapeId, Arc<Mesh>)],
        make: impl Fn(&Arc<Mesh>) -> M + Sync,
    ) where
        M: Send,
    {
        // Meshes differ a thousandfold in size, so each is a task of its own.
        let made = shapes.par_iter().with_max_len(1).map(|(_, mesh)| make(mesh));
        let models: Vec<M> = made.collect();
        for ((shape, _), model) in shapes.iter().zip(models) {
            self.insert(*shape, model);
        }
    }

    /// Forgets a shape.
    pub(super) fn remove(&mut self, shape: ShapeId) {
        if let Some(model) = self.by_shape.get_mut(shape.0 as usize) {
            *model = None;
        }
    }

    /// The model of a shape that was prepared.
    pub(super) fn get(&self, shape: ShapeId) -> &M {
        let model = self.by_shape.get(shape.0 as usize).and_then(Option::as_ref);
        model.expect("shapes are prepared before they are used")
    }

    /// The same, to change it.
    pub(super) fn get_mut(&mut self, shape: ShapeId) -> &mut M {
        let model = self.by_shape.get_mut(shape.0 as usize).and_then(Option::as_mut);
        model.expect("shapes are prepared before they are used")
    }

    /// The memory of all models, `each` telling that of one beside its own size.
    pub(super) fn bytes(&self, each: impl Fn(&M) -> usize) -> usize {
        let slots = self.by_shape.capacity() * size_of::<Option<M>>();
        slots + self.by_shape.iter().flatten().map(each).sum::<usize>()
    }
}
