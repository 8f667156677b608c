//! The space that two bodies of the world share: a question between steps.

use super::World;
use crate::contract::answer::Side;
use crate::contract::ids::BodyId;
use crate::volume::{self, Subject, VolumeError};
use impinge_geom::image::volume::Volume;

impl World {
    /// How much space two bodies share where both are now (at the ends of their motions), seen in
    /// images of so many pixels along a side (1 to 1024): an interval that holds the true value, and an
    /// estimate. Groups and rules are not asked, nor is the engine.
    ///
    /// Only closed parts count, since nothing else has an inside. A body without any is an error and
    /// not zero.
    ///
    /// ```
    /// # use impinge::prelude::*;
    /// # let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// # let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// # let mut world = World::new();
    /// # let tetrahedron = world.add_shape(Mesh::new(corners, faces)?)?;
    /// let a = world.insert(Body::new(tetrahedron))?;
    /// let b = world.insert(Body::new(tetrahedron).at(Pose::shift([0.0, 0.0, 0.5])?))?;
    /// // What is left of a corner that was halved: an eighth of one sixth.
    /// let shared = world.shared_volume(a, b, 256)?;
    /// assert!(shared.at_least <= 1.0 / 48.0 && 1.0 / 48.0 <= shared.at_most);
    /// assert!((48.0 * shared.estimate - 1.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shared_volume(
        &self,
        a: BodyId,
        b: BodyId,
        resolution: u16,
    ) -> Result<Volume, VolumeError> {
        let found = |id: BodyId, side: Side| {
            let body = self.body(id).ok_or(VolumeError::Unknown(side))?;
            Ok((self.shapes.of_body(body.shape), body.placement.end()))
        };
        let (first, second) = (found(a, Side::A)?, found(b, Side::B)?);
        if a == b {
            return Err(VolumeError::Same);
        }
        let subjects = [&first, &second].map(|(shape, pose)| {
            let (shells, _) = shape.asked.shells(&shape.mesh);
            Subject { mesh: &shape.mesh, shells, pose }
        });
        volume::of(subjects, resolution)
    }

    /// Whether some part of a body is closed, so that it has an inside; none if it is not in the world.
    pub fn has_inside(&self, body: BodyId) -> Option<bool> {
        let shape = self.shapes.of_body(self.body(body)?.shape);
        Some(!shape.asked.shells(&shape.mesh).0.is_empty())
    }
}
