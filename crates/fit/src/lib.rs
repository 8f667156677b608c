//! The fitting check: can a part be moved along a path, with how much clearance; if not, what hits
//! what, when and where.
//!
//! [`prepared::Prepared`] makes an [`assembly::Assembly`] ready, [`run::fit`] answers a
//! [`question::Question`]. Every pair of a moving body and one at rest goes, piece by piece of the path,
//! through the certified first contact of `impinge_geom`, so that nothing is missed between instants;
//! samples serve as guesses and for the curve alone. docs/notes/fitting.md has the design.
//!
//! ```
//! use impinge_fit::prelude::*;
//! use impinge_geom::mesh::Mesh;
//! use impinge_geom::motion::{Motion, path::Path};
//! use impinge_geom::pose::Pose;
//! use impinge_scene::scene::{SceneBody, Source, fit::Fit};
//! use impinge_scene::units::Unit;
//! use std::sync::Arc;
//!
//! let triangle = Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
//! let body = |name: &str, z: f64| -> Result<SceneBody, Box<dyn std::error::Error>> {
//!     let (mesh, pose) = (Arc::new(triangle.clone()), Pose::shift([0.0, 0.0, z])?);
//!     let source = Source { mesh: name.into(), path: None, object: None, unit: Unit::Mm };
//!     Ok(SceneBody { name: name.into(), mesh, frames: None, pose, voxel: None, groups: vec![], source })
//! };
//! let bodies = vec![body("lid", 0.5)?, body("box", 0.0)?];
//! let lift = Motion::lerp_slerp(bodies[0].pose, Pose::shift([0.0, 0.0, 3.0])?);
//! let path = Path::new(vec![0.0, 1.0], vec![lift])?;
//! let fit = Fit { moving: vec![0], path, allowed: vec![] };
//!
//! let assembly = Assembly { bodies, ignored: Default::default(), fit };
//! let prepared = Prepared::new(assembly)?;
//! let answer = impinge_fit::run::fit(&prepared, &Question::default(), &());
//! assert_eq!(answer.verdict, Verdict::Free);
//! let clearance = answer.clearance.expect("there is something to be near to");
//! assert!(clearance.at_least > 0.49 && clearance.nearest.at_most < 0.51);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
pub mod assembly;
pub mod certify;
pub mod duty;
mod limit;
mod look;
mod merge;
mod model;
pub mod moment;
pub mod prepared;
mod prove;
pub mod question;
pub mod run;
mod search;
mod walk;

/// What most callers need.
pub mod prelude {
    pub use crate::answer::{Answer, Verdict};
    pub use crate::assembly::{Assembly, FitError};
    pub use crate::prepared::Prepared;
    pub use crate::question::{Budget, Question, Watch};
    pub use crate::run::fit;
}
