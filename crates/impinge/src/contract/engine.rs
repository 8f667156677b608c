//! The narrow phase, as the world sees it.

use crate::contract::answer::{AnswerSink, Guarantee, Progress};
use crate::contract::ids::ShapeId;
use crate::contract::job::Batch;
use impinge_geom::mesh::Mesh;
use impinge_geom::skin::Skin;
use std::any::Any;
use std::sync::Arc;

/// Decides whether prepared shapes touch.
///
/// Prepared models do not change during a step, so threads share them; what a query scribbles on
/// is in [`Scratch`].
pub trait Engine: Send + Sync {
    /// The name users choose it by.
    fn name(&self) -> &'static str;
    /// The worst that callers must expect; each answer says what it really reached.
    fn guarantee(&self) -> Guarantee;
    /// How exact the model of a shape is to be, as a length, or none for what the engine does anyway.
    /// Told before the shape is prepared, and true until it is released. Whoever answers exactly has no
    /// use for it.
    fn set_accuracy(&mut self, _shape: ShapeId, _length: Option<f64>) {}
    /// Builds the engine's own model of a shape. Everything that can fail, fails here.
    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError>;
    /// The same for many shapes, which an engine may build side by side. If one of them fails, none
    /// stays prepared, and the error tells the first that does.
    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        for (index, (shape, mesh)) in shapes.iter().enumerate() {
            if let Err(error) = self.prepare(*shape, mesh) {
                shapes[..index].iter().for_each(|(shape, _)| self.release(*shape));
                return Err(PrepareAllError { index, error });
            }
        }
        Ok(())
    }
    /// Takes in a shape whose vertices are going to move. What is made of it should not cost more than
    /// [`Engine::update`] can make good.
    fn prepare_skin(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        self.prepare(shape, skin.mesh())
    }
    /// The vertices of such a shape have moved. An engine that knows nothing better prepares it anew.
    fn update(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        self.prepare(shape, skin.mesh())
    }
    /// Forgets a shape.
    fn release(&mut self, shape: ShapeId);
    /// The memory of all prepared models, beyond their meshes.
    fn bytes(&self) -> usize;
    /// Answers every job of the batch, one answer each, in their order. Cannot fail; when the budget
    /// is spent, the remaining verdicts are `Unknown`. All shapes of the jobs have been prepared.
    fn collide(
        &self,
        batch: &Batch<'_>,
        scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress;
}

/// Why an engine cannot take a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine {engine} cannot use this mesh: {reason}")]
pub struct PrepareError {
    /// The engine's name.
    pub engine: &'static str,
    /// What was found and what was needed.
    pub reason: String,
}

/// Which of several shapes an engine cannot take, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mesh {index}: {error}")]
pub struct PrepareAllError {
    /// Its place in the list, counted from 0.
    pub index: usize,
    /// What is wrong with it.
    #[source]
    pub error: PrepareError,
}

/// Memory that an engine keeps between its calls, of a type that only the engine knows.
#[derive(Default)]
pub struct Scratch {
    content: Option<Box<dyn Any + Send>>,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("used", &self.content.is_some()).finish()
    }
}

impl Scratch {
    /// The engine's buffers, made on first use.
    pub fn get<T: Default + Send + 'static>(&mut self) -> &mut T {
        let fits = self.content.as_ref().is_some_and(|content| content.is::<T>());
        if !fits {
            self.content = Some(Box::new(T::default()));
        }
        let content = self.content.as_mut().and_then(|content| content.downcast_mut());
        content.expect("was made with this type just above")
    }
}
