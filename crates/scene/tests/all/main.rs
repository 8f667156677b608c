//! All tests outside of the crate's own files, in one program.

mod bad_input;
mod data;
mod export;
mod files;
mod fit;
mod fit_bad;
mod frames;
mod gltf;
mod gltf_animation;
mod gltf_bad;
mod readers;
mod scene;
mod scene_bad;
mod scene_sim;
