//! All tests outside of the crate's own files, in one program.

mod ask;
mod assembly;
mod bad_input;
mod bench;
mod bench_ccd;
mod bench_motions;
mod bench_poses;
mod check;
mod commands;
mod deforming;
mod fit;
mod fit_assemblies;
mod motions;
mod pictures;
mod program;
mod separate;
mod sim;
mod spheretree;
mod volume;
mod voxel_sizes;
mod voxelize;
