//! The experiments, one file each. A new one is a file here and a line in the list.

mod anytime_deadline;
mod anytime_exact;
mod anytime_frames;
mod anytime_truth;
mod anytime_width;
mod assembly;
mod brute;
mod bvh_build;
mod bvh_coherent;
mod bvh_motions;
mod bvh_poses;
mod bvh_scaling;
mod ccd;
mod coherent_anomaly;
mod e99_fitting;
mod e99_hierarchies;
mod e99_misses;
mod engine_matrix;
mod fit_headlight;
mod fit_sampling;
mod h93_broad;
mod h93_narrow;
mod h93_soak;
mod h93_whole;
mod image_misses;
mod image_rates;
mod image_volume;
mod k98_closest;
mod k98_frames;
mod k98_hands;
mod k98_planes;
mod k98_shuttles;
mod k98_spheres;
mod k98_update;
mod load_speed;
mod models;
mod nbody;
mod nbody_scaling;
mod pairs;
mod r98_comb;
mod r98_hands;
mod r98_random;
mod separation;
mod sim_soak;
mod spheretree_builders;
mod swept;
mod tri_tri;
mod tri_tri_gap;
mod v00_nbody;
mod v00_points;
mod v00_pruning;
mod v00_voxels;
mod voxel_promise;
mod voxel_speed;

use crate::Experiment;

/// Sorted by name.
pub(crate) static ALL: &[Experiment] = &[
    anytime_deadline::EXPERIMENT,
    anytime_exact::EXPERIMENT,
    anytime_frames::EXPERIMENT,
    anytime_truth::EXPERIMENT,
    anytime_width::EXPERIMENT,
    assembly::EXPERIMENT,
    brute::EXPERIMENT,
    bvh_build::EXPERIMENT,
    bvh_coherent::EXPERIMENT,
    bvh_motions::EXPERIMENT,
    bvh_poses::EXPERIMENT,
    bvh_scaling::EXPERIMENT,
    ccd::EXPERIMENT,
    coherent_anomaly::EXPERIMENT,
    e99_fitting::EXPERIMENT,
    e99_hierarchies::EXPERIMENT,
    e99_misses::EXPERIMENT,
    engine_matrix::EXPERIMENT,
    fit_headlight::EXPERIMENT,
    fit_sampling::EXPERIMENT,
    h93_broad::EXPERIMENT,
    h93_narrow::EXPERIMENT,
    h93_soak::EXPERIMENT,
    h93_whole::EXPERIMENT,
    image_misses::EXPERIMENT,
    image_rates::EXPERIMENT,
    image_volume::EXPERIMENT,
    k98_closest::EXPERIMENT,
    k98_hands::EXPERIMENT,
    k98_planes::EXPERIMENT,
    k98_shuttles::EXPERIMENT,
    k98_spheres::EXPERIMENT,
    k98_update::EXPERIMENT,
    load_speed::EXPERIMENT,
    nbody::EXPERIMENT,
    nbody_scaling::EXPERIMENT,
    r98_comb::EXPERIMENT,
    r98_hands::EXPERIMENT,
    r98_random::EXPERIMENT,
    separation::EXPERIMENT,
    sim_soak::EXPERIMENT,
    spheretree_builders::EXPERIMENT,
    swept::EXPERIMENT,
    tri_tri::EXPERIMENT,
    tri_tri_gap::EXPERIMENT,
    v00_nbody::EXPERIMENT,
    v00_points::EXPERIMENT,
    v00_pruning::EXPERIMENT,
    v00_voxels::EXPERIMENT,
    voxel_promise::EXPERIMENT,
    voxel_speed::EXPERIMENT,
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::{Settings, run};

    /// Runs every other experiment: two tests share the work, so that it takes two cores.
    fn run_quickly(first: usize) {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            Settings { quick: true, out: folder.path().to_owned(), ..Settings::default() };
        for experiment in ALL.iter().skip(first).step_by(2) {
            run(experiment.name, &settings).unwrap();
            assert!(folder.path().join(experiment.name).with_extension("csv").is_file());
        }
    }

    #[test]
    fn a_quick_run_of_each_even_one_leaves_its_table() {
        run_quickly(0);
    }

    #[test]
    fn a_quick_run_of_each_odd_one_leaves_its_table() {
        run_quickly(1);
    }
}
