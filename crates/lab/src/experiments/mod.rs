//! The experiments, one file each. A new one is a file here and a line in the list.

mod load_speed;
mod pairs;
mod tri_tri;
mod tri_tri_gap;

use crate::Experiment;

/// Sorted by name.
pub(crate) static ALL: [Experiment; 3] =
    [load_speed::EXPERIMENT, tri_tri::EXPERIMENT, tri_tri_gap::EXPERIMENT];
