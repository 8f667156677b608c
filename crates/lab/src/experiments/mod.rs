//! The experiments, one file each. A new one is a file here and a line in the list.

mod brute;
mod load_speed;
mod pairs;
mod tri_tri;
mod tri_tri_gap;

use crate::Experiment;

/// Sorted by name.
pub(crate) static ALL: [Experiment; 4] =
    [brute::EXPERIMENT, load_speed::EXPERIMENT, tri_tri::EXPERIMENT, tri_tri_gap::EXPERIMENT];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::{Settings, run};

    #[test]
    fn a_quick_run_of_each_leaves_its_table() {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            Settings { quick: true, out: folder.path().to_owned(), ..Settings::default() };
        for experiment in &ALL {
            run(experiment.name, &settings).unwrap();
            assert!(folder.path().join(experiment.name).with_extension("csv").is_file());
        }
    }
}
