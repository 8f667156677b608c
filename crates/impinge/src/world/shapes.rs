//! Meshes that were handed over: equal ones are kept and prepared once.

use super::ask::Asked;
use super::skins::Skins;
use crate::contract::engine::{Engine, PrepareAllError, PrepareError};
use crate::contract::ids::ShapeId;
use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::penetration::outline::Outline;
use impinge_geom::skin::Skin;
use impinge_geom::sphere::Sphere;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// What a shape covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) bounds: Aabb,
    pub(super) sphere: Sphere,
    /// The middle of the box, and how far it reaches from there along each axis.
    pub(super) center: Point,
    pub(super) half: Point,
    /// The largest coordinate of the box, without its sign.
    pub(super) largest: f64,
}

impl Extent {
    pub(super) fn new(bounds: Aabb, sphere: Sphere) -> Self {
        let center = bounds.center();
        let half = |k: usize| (bounds.max[k] - center[k]).max(center[k] - bounds.min[k]);
        let corners = bounds.min.iter().chain(&bounds.max);
        let largest = corners.fold(0.0, |most: f64, x| most.max(x.abs()));
        Self { bounds, sphere, center, half: std::array::from_fn(half), largest }
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }
}

/// What the world itself knows of a shape.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) mesh: Arc<Mesh>,
    pub(super) extent: Extent,
    /// What the engine was told of it.
    accuracy: Option<f64>,
    /// Of a body that deforms, whose own this shape is.
    skins: Option<Box<Skins>>,
    /// Made when bodies of this shape are first to be parted, which most never are.
    outline: OnceLock<Outline>,
    /// For questions between steps.
    pub(super) asked: Asked,
}

impl Shape {
    fn of(mesh: &Arc<Mesh>, accuracy: Option<f64>) -> Self {
        let sphere = Sphere::around(&used_vertices(mesh));
        let mesh = Arc::clone(mesh);
        let (outline, asked) = (OnceLock::new(), Asked::default());
        let extent = Extent::new(mesh.bounds(), sphere);
        Self { mesh, extent, accuracy, skins: None, outline, asked }
    }

    fn of_skins(skins: Skins, accuracy: Option<f64>) -> Self {
        let (outline, asked) = (OnceLock::new(), Asked::default());
        let (mesh, extent) = (Arc::clone(skins.now().mesh()), skins.extent());
        Self { mesh, extent, accuracy, skins: Some(Box::new(skins)), outline, asked }
    }

    /// Whether it is the own shape of a body that deforms.
    pub(super) fn is_own(&self) -> bool {
        self.skins.is_some()
    }

    /// Of a body that has deformed since the last step: its mesh and extent then.
    pub(super) fn start(&self) -> Option<(&Arc<Mesh>, Extent)> {
        self.skins.as_ref()?.start()
    }

    /// A skin to be filled with other vertices; see [`Skins::take_out`].
    pub(super) fn take_out(&mut self, keep_start: bool) -> Skin {
        match &mut self.skins {
            Some(skins) => skins.take_out(keep_start),
            None => Skin::of(Arc::clone(&self.mesh)),
        }
    }

    /// The skin was not filled.
    pub(super) fn put_back(&mut self, skin: Skin, keep_start: bool) {
        if let Some(skins) = &mut self.skins {
            skins.put_back(skin, keep_start);
        }
    }

    /// The skin is what the own shape of a body looks like from now on. All that was known of how it
    /// looked is forgotten.
    fn wear(&mut self, skin: Skin, keep_start: bool) {
        let Some(skins) = &mut self.skins else { return };
        skins.wear(skin, keep_start);
        (self.mesh, self.extent) = (Arc::clone(skins.now().mesh()), skins.extent());
        (self.outline, self.asked) = (OnceLock::new(), Asked::default());
    }

    /// What it takes to part bodies of this shape from others.
    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.mesh))
    }
}

/// A mesh, and how exactly bodies of it are to be decided.
type Wanted = (Arc<Mesh>, Option<f64>);

#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// By id; none where a shape was removed.
    shapes: Vec<Option<Shape>>,
    /// Shapes by the hash of their content; looked up, never iterated.
    by_content: HashMap<u64, Vec<ShapeId>>,
}

impl Shapes {
    /// Takes in several meshes; what can be done side by side is. If the engine refuses one of them,
    /// nothing has changed.
    pub(super) fn add_all(
        &mut self,
        meshes: &[Wanted],
        engine: &mut dyn Engine,
    ) -> Result<Vec<ShapeId>, PrepareAllError> {
        let keys: Vec<u64> = meshes.par_iter().map(|(mesh, _)| content_hash(mesh)).collect();
        let mut fresh = Fresh::default();
        let find = |(i, &key): (usize, &u64)| {
            let wanted = &meshes[i];
            self.known(key, wanted).or_else(|| fresh.known(key, wanted)).unwrap_or_else(|| {
                let id = ShapeId((self.shapes.len() + fresh.shapes.len()) as u32);
                engine.set_accuracy(id, wanted.1);
                fresh.add(key, (id, wanted), i);
                id
            })
        };
        let ids = keys.iter().enumerate().map(find).collect();
        engine
            .prepare_all(&fresh.shapes)
            .map_err(|refused| PrepareAllError { index: fresh.places[refused.index], ..refused })?;
        let made = fresh.shapes.par_iter().zip(&fresh.accuracies);
        let shapes = made.map(|((_, mesh), accuracy)| Some(Shape::of(mesh, *accuracy)));
        self.shapes.par_extend(shapes);
        for (key, id) in fresh.keys {
            self.by_content.entry(key).or_default().push(id);
        }
        Ok(ids)
    }

    fn known(&self, key: u64, (mesh, accuracy): &Wanted) -> Option<ShapeId> {
        let alike = self.by_content.get(&key)?.iter();
        let is_it = |shape: &Shape| shape.accuracy == *accuracy && is_same(&shape.mesh, mesh);
        alike.copied().find(|&id| self.get(id).is_some_and(is_it))
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

    /// The own shape of a body that deforms for the first time: that of shape `of`, in its new skin.
    pub(super) fn add_own(
        &mut self,
        of: ShapeId,
        skin: Skin,
        engine: &mut dyn Engine,
    ) -> Result<ShapeId, PrepareError> {
        let id = ShapeId(self.shapes.len() as u32);
        let before = self.of_body(of);
        let accuracy = before.accuracy;
        engine.set_accuracy(id, accuracy);
        engine.prepare_skin(id, &skin)?;
        let skins = Skins::new(skin, Arc::clone(&before.mesh));
        self.shapes.push(Some(Shape::of_skins(skins, accuracy)));
        Ok(id)
    }

    /// Such a shape deforms again. If the engine refuses that, nothing has changed.
    pub(super) fn wear(
        &mut self,
        id: ShapeId,
        (skin, keep_start): (Skin, bool),
        engine: &mut dyn Engine,
    ) -> Result<(), PrepareError> {
        let Some(shape) = self.get_mut(id) else { return Ok(()) };
        let updated = engine.update(id, &skin);
        if updated.is_ok() {
            shape.wear(skin, keep_start);
        } else {
            shape.put_back(skin, keep_start);
        }
        updated
    }

    /// Forgets the own shape of a body that goes or gets another one; others stay.
    pub(super) fn release_own(&mut self, id: ShapeId, engine: &mut dyn Engine) {
        if self.get(id).is_some_and(Shape::is_own) {
            self.shapes[id.0 as usize] = None;
            engine.release(id);
        }
    }

    pub(super) fn get_mut(&mut self, id: ShapeId) -> Option<&mut Shape> {
        self.shapes.get_mut(id.0 as usize)?.as_mut()
    }

    pub(super) fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.shapes.get(id.0 as usize)?.as_ref()
    }

    /// The shape of a body: bodies are taken in only with a known shape, which stays while they do.
    pub(super) fn of_body(&self, id: ShapeId) -> &Shape {
        self.get(id).expect("a shape in use is not removed")
    }
}

/// Shapes that are about to be taken in.
#[derive(Default)]
struct Fresh {
    shapes: Vec<(ShapeId, Arc<Mesh>)>,
    /// Of each of them.
    accuracies: Vec<Option<f64>>,
    /// The place of each in the list of meshes that were handed over.
    places: Vec<usize>,
    keys: Vec<(u64, ShapeId)>,
    /// Places in `shapes` by the hash of their content; looked up, never iterated.
    by_content: HashMap<u64, Vec<usize>>,
}

impl Fresh {
    fn known(&self, key: u64, (mesh, accuracy): &Wanted) -> Option<ShapeId> {
        let mut alike = self.by_content.get(&key)?.iter();
        let is_it = |place: usize| {
            self.accuracies[place] == *accuracy && is_same(&self.shapes[place].1, mesh)
        };
        alike.find(|&&place| is_it(place)).map(|&place| self.shapes[place].0)
    }

    fn add(&mut self, key: u64, (id, (mesh, accuracy)): (ShapeId, &Wanted), place: usize) {
        self.by_content.entry(key).or_default().push(self.shapes.len());
        self.keys.push((key, id));
        self.places.push(place);
        self.shapes.push((id, Arc::clone(mesh)));
        self.accuracies.push(*accuracy);
    }
}

fn is_same(a: &Arc<Mesh>, b: &Arc<Mesh>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

/// The vertices that triangles use; stray ones must not inflate bounds.
fn used_vertices(mesh: &Mesh) -> Vec<Point> {
    let vertices = mesh.vertices().iter().zip(mesh.used());
    vertices.filter_map(|(vertex, used)| used.then_some(*vertex)).collect()
}

/// Equal for equal meshes. It need not be good beyond that, for meshes that hash alike are compared:
/// each word is spread by one multiplication.
fn content_hash(mesh: &Mesh) -> u64 {
    let spread = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    };
    let counts = [mesh.vertices().len(), mesh.triangles().len()].map(|n| n as u64);
    let corners = mesh.triangles().as_flattened().iter().map(|&v| u64::from(v));
    // Zeros of either sign are equal and must hash alike.
    let numbers = mesh.vertices().as_flattened().iter().map(|x| (x + 0.0).to_bits());
    counts.into_iter().chain(corners).chain(numbers).fold(0x243f_6a88_85a3_08d3, spread)
}
