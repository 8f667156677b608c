//! Parting two bodies of the world: a question between steps.

use super::World;
use crate::contract::ids::BodyId;
use crate::penetration::{Effort, Separation, Subject, separate};

impl World {
    /// A translation of `b` that parts it from `a`, where both are now (at the ends of their motions):
    /// verified free by the engine, with a bound of how much shorter another one could be. Groups and
    /// rules are not asked.
    ///
    /// `None` if the two do not touch, are the same, or are not both in the world; also if the engine
    /// is not exact, or nothing is free within the range of coordinates.
    ///
    /// ```
    /// # use impinge::prelude::*;
    /// # let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// # let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// # let mut world = World::new();
    /// # let tetrahedron = world.add_shape(Mesh::new(corners, faces)?)?;
    /// let a = world.insert(Body::new(tetrahedron))?;
    /// let b = world.insert(Body::new(tetrahedron).at(Pose::shift([0.0, 0.0, 0.75])?))?;
    /// let way_out = world.separation(a, b).expect("they overlap");
    /// assert!(way_out.is_proven() && way_out.depth < 0.25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn separation(&self, a: BodyId, b: BodyId) -> Option<Separation> {
        self.separation_with(a, b, Effort::default())
    }

    /// [`World::separation`] with a chosen effort.
    pub fn separation_with(&self, a: BodyId, b: BodyId, effort: Effort) -> Option<Separation> {
        let subject = |id: BodyId| {
            let body = self.body(id)?;
            let outline = self.shapes.of_body(body.shape).outline();
            Some(Subject { shape: body.shape, outline, pose: body.placement.end() })
        };
        let (first, second) = (subject(a)?, subject(b)?);
        if a == b {
            return None;
        }
        separate(self.engine.as_ref(), &first, &second, effort).ok().flatten()
    }
}
