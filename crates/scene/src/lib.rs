//! Files in and out: meshes, scenes and coloured exports. The only crate that knows of formats and serde.

pub mod error;
pub mod object;
pub mod units;
