//! The experiments, one file each. A new one is a file here and a line in the list.

mod load_speed;
mod tri_tri;

use crate::Experiment;

/// Sorted by name.
pub(crate) static ALL: [Experiment; 2] = [load_speed::EXPERIMENT, tri_tri::EXPERIMENT];
