//! The simulation environment: bodies that move, meet and answer, in a room with walls.
//!
//! A [`simulation::Simulation`] holds an `impinge` world and the state of its bodies. Each step moves
//! them, keeps them in the room, asks the world who touches whom, and lets them answer [V00 §7].
//!
//! ```
//! use impinge_sim::prelude::*;
//! use std::sync::Arc;
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let mesh = Arc::new(Mesh::new(corners, faces)?);
//! let bodies = [
//!     BodySpec::new(Arc::clone(&mesh)).at(Pose::shift([2.0, 5.0, 5.0])?).velocity([1.0, 0.0, 0.0]),
//!     BodySpec::new(mesh).at(Pose::shift([7.0, 5.0, 5.0])?),
//! ];
//! let room = Some(Room::new([0.0; 3], [10.0; 3])?);
//! let mut simulation = Simulation::new(Settings { room, ..Settings::default() }, &bodies)?;
//! let met = (0..600).find(|_| !simulation.step(0.01).collisions.is_empty());
//! assert_eq!(met, Some(400));
//! // They have exchanged their velocities.
//! assert_eq!(simulation.velocity(1), [1.0, 0.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod body;
mod columns;
pub mod error;
pub mod frame;
mod grouped;
mod integrate;
mod look;
pub mod mass;
mod motion;
mod pilot;
pub mod plan;
pub mod prelude;
mod read;
mod respond;
pub mod room;
pub mod settings;
pub mod simulation;
