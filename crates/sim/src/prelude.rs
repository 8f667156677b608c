//! What most programs need, in one `use`.

pub use crate::body::{BodySpec, Deformation, Kind, Script};
pub use crate::error::SimError;
pub use crate::frame::{Collision, Event, Frame, Other, Spent};
pub use crate::mass::{MassSource, Solid};
pub use crate::plan::Plan;
pub use crate::room::{Room, WallTest};
pub use crate::settings::{Integrator, Response, Settings};
pub use crate::simulation::Simulation;
pub use impinge::prelude::{BodyId, Mesh, Mode, Point, Pose};
pub use impinge_scene::scene::pilot::Pilot;
