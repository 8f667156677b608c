//! Files in and out: meshes, scenes and coloured exports. The only crate that knows of formats and serde.

pub mod animation;
pub mod error;
pub mod export;
pub mod frames;
pub mod gltf;
pub mod load;
mod merge;
pub mod mseq;
pub mod nbody;
mod number;
pub mod obj;
pub mod object;
pub mod off;
pub mod part;
pub mod ply;
pub mod raw;
mod regular;
pub mod resolve;
pub mod scene;
pub mod stl;
mod text;
pub mod units;
