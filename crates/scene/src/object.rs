//! What every mesh reader returns.

use crate::units::Unit;
use impinge_geom::mesh::Mesh;

/// One named body of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name in the file, or the file's stem where it has none. Unique within a file.
    pub name: String,
    /// The mesh, in the file's own unit and frame (glTF: node transforms are applied).
    pub mesh: Mesh,
    /// The unit the coordinates are in, if the format states one (glTF: metres).
    pub unit: Option<Unit>,
}
