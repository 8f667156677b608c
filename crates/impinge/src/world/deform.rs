//! Bodies whose vertices move.

use super::World;
use crate::contract::engine::PrepareError;
use crate::contract::ids::BodyId;
use impinge_geom::Point;
use impinge_geom::mesh::MeshError;
use impinge_geom::skin::Skin;
use rayon::prelude::*;

/// Why a body cannot be deformed like that.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeformError {
    /// The body is not in this world.
    #[error("{0:?} is not in this world; insert gives one")]
    UnknownBody(BodyId),
    /// The vertices are too many, too few, not finite or too large.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The engine does not take them.
    #[error(transparent)]
    Engine(#[from] PrepareError),
    /// The body is in the list twice.
    #[error("{0:?} is named twice; which vertices it is to have is not clear")]
    NamedTwice(BodyId),
}

/// Which of several bodies cannot be deformed, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("deformation {index}: {error}")]
pub struct DeformAllError {
    /// Its place in the list, counted from 0.
    pub index: usize,
    /// What is wrong with it.
    #[source]
    pub error: DeformError,
}

/// Vertices on their way into a skin.
#[derive(Debug)]
pub(super) struct Refill {
    body: BodyId,
    /// The skin before must stay as it is.
    keep_start: bool,
    skin: Skin,
    refused: Option<MeshError>,
}

impl World {
    /// Moves the vertices of a body, in its own frame: as many as its shape has, used by the same
    /// triangles. From the first time on the shape of the body is its own, and other bodies of the
    /// shape that it had keep theirs. If some vertices are refused, nothing has changed.
    ///
    /// For a step in a mode with time each vertex goes straight, in the world, from where it was at the
    /// last step to where it is, however often it was moved since then. A body that is new since then,
    /// or was put somewhere by [`World::teleport`], has no way; [`World::reset_vertices`] deforms
    /// without one.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut world = World::new();
    /// let shape = world.add_shape(Mesh::new(corners.to_vec(), vec![[0, 1, 2]])?)?;
    /// let still = world.insert(Body::new(shape))?;
    /// let cloth = world.insert(Body::new(shape).at(Pose::shift([0.0, 0.0, 1.0])?))?;
    /// assert_eq!(world.step(&Query::PAIRS).hits().count(), 0);
    ///
    /// // A corner of the upper one hangs down through the lower one.
    /// world.deform(cloth, &[[0.1, 0.1, -2.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])?;
    /// assert_eq!(world.step(&Query::PAIRS).events(), [Event::Begin(still, cloth)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deform(&mut self, body: BodyId, vertices: &[Point]) -> Result<(), DeformError> {
        self.move_vertices(body, vertices, true)
    }

    /// [`World::deform`] without a way, as [`World::teleport`] is for poses: no step looks at what is
    /// between, and the body rests until the next one.
    pub fn reset_vertices(&mut self, body: BodyId, vertices: &[Point]) -> Result<(), DeformError> {
        self.move_vertices(body, vertices, false)
    }

    /// [`World::deform`] for many bodies, whose vertices are taken in side by side. If some are refused,
    /// nothing has changed; only an engine that refuses a body leaves those before it deformed.
    pub fn deform_all(&mut self, all: &[(BodyId, &[Point])]) -> Result<(), DeformAllError> {
        let mut refills = std::mem::take(&mut self.refills);
        let done = self.refill_all(all, &mut refills);
        for refill in refills.drain(..) {
            self.give_up(refill);
        }
        self.refills = refills;
        done.map_err(|(index, error)| DeformAllError { index, error })
    }

    /// What is left in `refills` was not used.
    fn refill_all(
        &mut self,
        all: &[(BodyId, &[Point])],
        refills: &mut Vec<Refill>,
    ) -> Result<(), (usize, DeformError)> {
        if let Some(index) = self.named_twice(all) {
            return Err((index, DeformError::NamedTwice(all[index].0)));
        }
        for (index, (body, _)) in all.iter().enumerate() {
            refills.push(self.take_out(*body).map_err(|error| (index, error))?);
        }
        refills.par_iter_mut().zip(all).with_max_len(1).for_each(|(refill, (_, vertices))| {
            refill.refused = refill.skin.deform(vertices).err();
        });
        let refused = refills.iter().enumerate();
        if let Some((index, error)) = refused.filter_map(|(i, r)| Some((i, r.refused?))).next() {
            return Err((index, error.into()));
        }
        for (index, refill) in refills.drain(..).enumerate() {
            // The rest is dropped with the error: skins are made again where they are missing.
            self.wear(refill, true).map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// The first entry of a list whose body is there before.
    fn named_twice(&mut self, all: &[(BodyId, &[Point])]) -> Option<usize> {
        let named = &mut self.named;
        named.clear();
        named.extend(all.iter().enumerate().map(|(index, (body, _))| (*body, index)));
        named.sort_unstable();
        let again = named.windows(2).filter(|two| two[0].0 == two[1].0).map(|two| two[1].1);
        again.min()
    }

    fn move_vertices(
        &mut self,
        body: BodyId,
        vertices: &[Point],
        way: bool,
    ) -> Result<(), DeformError> {
        let mut refill = self.take_out(body)?;
        if let Err(refused) = refill.skin.deform(vertices) {
            self.give_up(refill);
            return Err(refused.into());
        }
        self.wear(refill, way)
    }

    /// A skin for other vertices of a body.
    fn take_out(&mut self, id: BodyId) -> Result<Refill, DeformError> {
        let body = self.bodies.get(id).ok_or(DeformError::UnknownBody(id))?;
        let keep_start = self.bodies.is_deformed(id);
        let shape = self.shapes.get_mut(body.shape).expect("a shape in use is not removed");
        Ok(Refill { body: id, keep_start, skin: shape.take_out(keep_start), refused: None })
    }

    fn give_up(&mut self, refill: Refill) {
        let shape = self.bodies.get(refill.body).and_then(|body| self.shapes.get_mut(body.shape));
        if let Some(shape) = shape {
            shape.put_back(refill.skin, refill.keep_start);
        }
    }

    fn wear(&mut self, refill: Refill, way: bool) -> Result<(), DeformError> {
        let Refill { body: id, keep_start, skin, .. } = refill;
        let body = self.bodies.get(id).ok_or(DeformError::UnknownBody(id))?;
        let of = body.shape;
        let own = self.shapes.of_body(of).is_own();
        let engine = self.engine.as_mut();
        let shape = if own {
            self.shapes.wear(of, (skin, keep_start), engine).map(|()| of)
        } else {
            self.shapes.add_own(of, skin, engine)
        };
        self.bodies.deform(id, shape?, way);
        Ok(())
    }
}
