//! What most programs need, in one `use`.

pub use crate::contract::answer::{
    Clearance, Contact, Guarantee, HitKind, Meeting, Progress, Side, Touch, Verdict,
};
pub use crate::contract::bounds::BoxKind;
pub use crate::contract::counters::Counters;
pub use crate::contract::ids::{BodyId, ShapeId};
pub use crate::contract::promise::{Promise, PromiseError};
pub use crate::contract::query::{Budget, Gap, Mode, Onset, Query, Want};
pub use crate::pair::PosedPair;
pub use crate::penetration::Separation;
pub use crate::volume::VolumeError;
pub use crate::world::ask::{Closest, RayHit};
pub use crate::world::body::Body;
pub use crate::world::deform::{DeformAllError, DeformError};
pub use crate::world::events::Event;
pub use crate::world::report::{PairReport, Report, Spent};
pub use crate::world::{InsertError, World};
pub use impinge_geom::Point;
pub use impinge_geom::ask::{AskError, Ray, Spot};
pub use impinge_geom::first_contact::{Feature, FirstContact};
pub use impinge_geom::image::volume::Volume;
pub use impinge_geom::inside::Location;
pub use impinge_geom::mesh::{Mesh, MeshError};
pub use impinge_geom::motion::{Motion, MotionError, Screw};
pub use impinge_geom::obb_tree::point::Nearest;
pub use impinge_geom::obb_tree::ray::Hit;
pub use impinge_geom::pose::{Pose, PoseError};
pub use impinge_geom::ray_triangle::Facing;
