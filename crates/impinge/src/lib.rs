//! **impinge tells what touches what, where, and when.**
//!
//! Put bodies into a [`world::World`], ask a [`contract::query::Query`], read the
//! [`world::report::Report`]. Meshes may be concave, open or broken. What is decided at an instant
//! is exact; each answer says what it can be trusted for.
//!
//! ```
//! use impinge::prelude::*;
//!
//! let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
//! let mut world = World::new();
//! let tetrahedron = world.add_shape(Mesh::new(corners, faces)?)?;
//! let a = world.insert(Body::new(tetrahedron))?;
//! let b = world.insert(Body::new(tetrahedron).at(Pose::shift([0.25, 0.25, 0.25])?))?;
//!
//! let report = world.step(&Query::CONTACTS);
//! let hit = report.hits().next().expect("they overlap");
//! assert_eq!((hit.a, hit.b), (a, b));
//! assert!(hit.contacts.iter().all(|contact| contact.depth >= 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod broad;
pub mod contract;
pub mod narrow;
pub mod pair;
pub mod penetration;
pub mod prelude;
pub mod volume;
pub mod world;
