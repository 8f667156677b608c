//! All tests outside of the crate's own files but those that count memory or time: these have programs
//! of their own.

mod ask;
mod assembly;
mod broadphase;
mod bvh_memory;
mod bvh_truth;
mod coins;
mod conformance;
mod coref;
mod data;
mod deform;
mod deform_steps;
mod duel;
mod dynamic_bounds;
mod e99_dynamic;
mod engines;
mod first_contact;
mod first_contact_oracle;
mod fitting_scenes;
mod headlight;
mod hierarchies;
mod image;
mod k98;
mod mesh_pairs;
mod pruners;
mod r98;
mod random;
mod rigid_frames;
#[path = "../../../geom/tests/all/rigid_oracle/mod.rs"]
mod rigid_oracle;
mod separation;
mod sizes;
mod spacetime;
mod volume;
mod voxel;
mod ways;
