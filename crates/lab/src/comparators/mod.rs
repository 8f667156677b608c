//! The methods that [K98 §5] and (H93) measure themselves against. They are here to be measured, not
//! to be used: the product has none of them.

pub mod bsp;
pub mod closest_features;
pub mod gjk;
pub mod octree_update;
pub mod polytope;
pub mod separating_planes;
