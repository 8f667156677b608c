//! What every mesh reader returns.

use crate::animation::Animation;
use crate::frames::Frames;
use crate::units::Unit;
use impinge_geom::mesh::Mesh;
use std::sync::Arc;

/// One named body of a file.
#[derive(Clone, Debug)]
pub struct Object {
    /// The name in the file, or the file's stem where it has none. Unique within a file.
    pub name: String,
    /// The mesh, in the file's own unit and frame (glTF: node transforms are applied).
    pub mesh: Mesh,
    /// The unit the coordinates are in, if the format states one (glTF: metres).
    pub unit: Option<Unit>,
    /// How it deforms, if the file says so; in the same unit and frame.
    pub animation: Option<Arc<dyn Animation>>,
}

impl Object {
    /// The frames that it is made of, if it is a sequence of frames.
    pub fn own_frames(&self) -> Result<Option<Frames>, String> {
        match self.animation.as_ref().and_then(|animation| animation.own_count()) {
            Some(count) => self.frames(count as u32).map(Some),
            None => Ok(None),
        }
    }

    /// So many frames of it. The error says why there are none.
    pub fn frames(&self, count: u32) -> Result<Frames, String> {
        let Some(animation) = &self.animation else {
            return Err("frames are asked for, but nothing moves there: a glTF file with an \
                        animation, an .mseq file or a sample that deforms is needed"
                .to_owned());
        };
        Frames::check_size(count as usize, self.mesh.vertices().len())?;
        animation.frames(count)
    }

    /// A body that does not deform.
    pub fn rigid(name: impl Into<String>, mesh: Mesh, unit: Option<Unit>) -> Self {
        Self { name: name.into(), mesh, unit, animation: None }
    }
}

/// Two that deform are equal only if they are one and the same.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let alike = match (&self.animation, &other.animation) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        alike && self.name == other.name && self.mesh == other.mesh && self.unit == other.unit
    }
}
