//! What a run comes to, frame by frame.

use impinge_geom::Point;
use impinge_sim::prelude::{Event, Frame, Other, Plan, Settings, Simulation, Spent};

/// Sums over all frames.
pub(super) struct Tally {
    pub(super) names: Vec<String>,
    pub(super) settings: Settings,
    pub(super) dt: f64,
    pub(super) frames: usize,
    pub(super) spent: Spent,
    /// Of each frame.
    seconds: Vec<f32>,
    pub(super) collisions: usize,
    pub(super) wall_collisions: usize,
    pub(super) begins: usize,
    pub(super) touching: usize,
    pub(super) halted: usize,
    pub(super) broken_promises: usize,
    pub(super) energy: f64,
    pub(super) momentum: Point,
    pub(super) cancelled: bool,
}

impl Tally {
    pub(super) fn new(plan: &Plan, names: Vec<String>) -> Self {
        Self {
            names,
            settings: plan.settings.clone(),
            dt: plan.dt,
            frames: 0,
            spent: Spent::default(),
            seconds: Vec::new(),
            collisions: 0,
            wall_collisions: 0,
            begins: 0,
            touching: 0,
            halted: 0,
            broken_promises: 0,
            energy: 0.0,
            momentum: [0.0; 3],
            cancelled: false,
        }
    }

    pub(super) fn begin(&mut self, simulation: &Simulation) {
        (self.energy, self.momentum) = (simulation.energy(), simulation.momentum());
    }

    pub(super) fn add(&mut self, frame: &Frame<'_>) {
        self.frames += 1;
        self.spent.motion += frame.spent.motion;
        self.spent.detection += frame.spent.detection;
        self.spent.response += frame.spent.response;
        self.seconds.push(frame.spent.total().as_secs_f32());
        self.collisions += frame.collisions.len();
        let walls = frame.collisions.iter().filter(|met| !matches!(met.with, Other::Body(_)));
        self.wall_collisions += walls.count();
        let begins = frame.events.iter().filter(|event| matches!(event, Event::Begin(..)));
        self.begins += begins.count();
        self.touching += frame.touching;
        self.halted += frame.halted;
        self.broken_promises += frame.broken_promises;
    }

    /// Frames per second: on average, of the median frame, of the slowest.
    pub(super) fn rates(&self) -> [f64; 3] {
        let mut sorted = self.seconds.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let per = |seconds: f64| if seconds > 0.0 { 1.0 / seconds } else { 0.0 };
        let at = |place: usize| sorted.get(place).map_or(0.0, |&x| per(f64::from(x)));
        let mean = per(self.spent.total().as_secs_f64()) * self.frames as f64;
        [mean, at(sorted.len() / 2), at(sorted.len().saturating_sub(1))]
    }
}
