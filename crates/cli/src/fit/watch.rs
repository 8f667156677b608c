//! The progress bar, and Ctrl-C.

use impinge_fit::question::Watch;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Somebody waits for an answer.
pub(super) struct Waiting {
    bar: ProgressBar,
    cancelled: Arc<AtomicBool>,
}

impl Waiting {
    /// With a bar, if it is wanted and there is a terminal for it.
    pub(super) fn start(wants_bar: bool) -> Self {
        let seen = wants_bar && std::io::stderr().is_terminal();
        let bar = if seen { ProgressBar::new(1) } else { ProgressBar::hidden() };
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        // If there is a handler already, or none can be had, Ctrl-C ends the program as ever.
        let _ = ctrlc::try_set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(SECOND);
            }
        });
        Self { bar, cancelled }
    }

    /// Takes the bar off the screen until there is progress again.
    pub(super) fn pause(&self) {
        self.bar.finish_and_clear();
    }
}

/// The exit code of a program that Ctrl-C ended, as shells know it.
const SECOND: i32 = 130;

impl Watch for Waiting {
    fn progress(&self, done: u64, total: u64) {
        if !self.bar.is_hidden() {
            if self.bar.is_finished() {
                self.bar.reset();
            }
            self.bar.set_length(total);
            self.bar.set_position(self.bar.position().max(done));
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
