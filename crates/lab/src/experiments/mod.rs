//! The experiments, one file each. A new one is a file here and a line in the list.

mod load_speed;

use crate::Experiment;

/// Sorted by name.
pub(crate) static ALL: [Experiment; 1] = [load_speed::EXPERIMENT];
