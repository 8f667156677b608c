//! All tests outside of the crate's own files, in one program.

mod brute;
mod deforming;
mod distance;
mod far_axes;
mod image_volume;
mod leaf_kernels;
mod linear;
mod linear_contact;
mod linear_data;
mod obb_tree;
mod oracle;
mod point_in_mesh;
mod ray_triangle;
mod rigid_features;
mod rigid_oracle;
mod swept;
mod travel_from;
mod tri_tri_oracle;
mod voxels;
mod voxels_data;
