//! Meshes that were handed over: equal ones are kept and prepared once.

use crate::contract::engine::{Engine, PrepareError};
use crate::contract::ids::ShapeId;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::sphere::Sphere;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What the world itself knows of a shape.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) mesh: Arc<Mesh>,
    pub(super) bounds: Aabb,
    pub(super) sphere: Sphere,
}

#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// By id; none where a shape was removed.
    shapes: Vec<Option<Shape>>,
    /// Shapes by the hash of their content; looked up, never iterated.
    by_content: HashMap<u64, Vec<ShapeId>>,
}

impl Shapes {
    pub(super) fn add(
        &mut self,
        mesh: Arc<Mesh>,
        engine: &mut dyn Engine,
    ) -> Result<ShapeId, PrepareError> {
        let key = content_hash(&mesh);
        let alike = self.by_content.entry(key).or_default();
        let same = |id: &&ShapeId| {
            self.shapes[id.0 as usize].as_ref().is_some_and(|shape| shape.mesh == mesh)
        };
        let known = alike.iter().find(same);
        if let Some(&id) = known {
            return Ok(id);
        }
        let id = ShapeId(self.shapes.len() as u32);
        engine.prepare(id, &mesh)?;
        alike.push(id);
        let used: Vec<_> = used_vertices(&mesh);
        let (bounds, sphere) = (mesh.bounds(), Sphere::around(&used));
        self.shapes.push(Some(Shape { bounds, sphere, mesh }));
        Ok(id)
    }

    pub(super) fn remove(&mut self, id: ShapeId, engine: &mut dyn Engine) -> bool {
        let shape = self.shapes.get_mut(id.0 as usize).and_then(Option::take);
        let Some(shape) = shape else { return false };
        if let Some(alike) = self.by_content.get_mut(&content_hash(&shape.mesh)) {
            alike.retain(|&other| other != id);
        }
        engine.release(id);
        true
    }

    pub(super) fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.shapes.get(id.0 as usize)?.as_ref()
    }

    /// The shape of a body: bodies are taken in only with a known shape, which stays while they do.
    pub(super) fn of_body(&self, id: ShapeId) -> &Shape {
        self.get(id).expect("a shape in use is not removed")
    }
}

/// The vertices that triangles use; stray ones must not inflate bounds.
fn used_vertices(mesh: &Mesh) -> Vec<impinge_geom::Point> {
    let vertices = mesh.vertices().iter().zip(mesh.used());
    vertices.filter_map(|(vertex, used)| used.then_some(*vertex)).collect()
}

fn content_hash(mesh: &Mesh) -> u64 {
    let mut hasher = DefaultHasher::new();
    mesh.triangles().hash(&mut hasher);
    // Zeros of either sign are equal and must hash alike.
    mesh.vertices().iter().flatten().for_each(|x| (x + 0.0).to_bits().hash(&mut hasher));
    hasher.finish()
}
