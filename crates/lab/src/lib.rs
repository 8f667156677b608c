//! Experiments: each one measures something that a paper or the project claims, and leaves a table,
//! a CSV file and a plot.
//!
//! An experiment is one file under [`experiments`] and one line in its list. It gets a [`Lab`], which
//! times, prints and writes, so that all results look alike and say on what machine, of which commit
//! and by which command they were made. docs/RESULTS.md is made from the CSV files.

pub mod cache;
pub mod ccd;
pub mod comparators;
pub mod crowd;
pub mod deform;
pub mod experiments;
pub mod film;
pub mod flight;
pub mod frames;
pub mod grouped;
pub mod nbody;
pub mod near;
pub mod plot;
pub mod poses;
mod shells;
pub mod stamp;
pub mod swept;
pub mod table;
pub mod timing;

use anyhow::{Context, Result, bail};
use plot::Plot;
use stamp::Stamp;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use table::Table;
use timing::{Plan, Timing};

/// Something to measure.
#[derive(Debug)]
pub struct Experiment {
    /// How it is asked for, and the name of its files.
    pub name: &'static str,
    /// The heading of its result.
    pub title: &'static str,
    /// The place in a paper that it repeats, as `[K98 §4.1]`.
    pub paper: Option<&'static str>,
    /// What it measures and how, in a sentence or two.
    pub about: &'static str,
    /// Does it.
    pub run: fn(&mut Lab) -> Result<()>,
}

/// How to run experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Small inputs and short times: to see that it works, not to judge by.
    pub quick: bool,
    /// The folder for results; made if it is missing.
    pub out: PathBuf,
    /// How many threads what is measured may use.
    pub threads: usize,
    /// Where random inputs start from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { quick: false, out: "results".into(), threads: 1, seed: 1 }
    }
}

/// What an experiment works with.
#[derive(Debug)]
pub struct Lab {
    /// How it was asked to run.
    pub settings: Settings,
    experiment: &'static Experiment,
    stamp: Stamp,
    notes: Vec<String>,
}

/// All experiments, in the order of their names.
pub fn all() -> &'static [Experiment] {
    experiments::ALL
}

/// A line or two per experiment, for people.
pub fn list() -> String {
    let width = all().iter().map(|e| e.name.len()).max().unwrap_or(0);
    let line = |e: &Experiment| {
        let paper = e.paper.map_or(String::new(), |paper| format!(" {paper}"));
        format!("{:width$}  {}{paper}\n{:width$}  {}\n", e.name, e.title, "", e.about)
    };
    all().iter().map(line).collect()
}

/// Runs the experiment `name`, or every one if it is `all`.
pub fn run(name: &str, settings: &Settings) -> Result<()> {
    let chosen: Vec<&Experiment> =
        all().iter().filter(|e| name == "all" || e.name == name).collect();
    if chosen.is_empty() {
        let known = all().iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        bail!("there is no experiment `{name}`; known are {known}, and `all`");
    }
    for experiment in chosen {
        let mut lab = Lab::new(experiment, settings.clone());
        (experiment.run)(&mut lab).with_context(|| format!("experiment `{}`", experiment.name))?;
    }
    Ok(())
}

impl Lab {
    fn new(experiment: &'static Experiment, settings: Settings) -> Self {
        let mut notes = Vec::new();
        if settings.quick {
            notes.push("A quick run: small inputs, not to judge by.".to_owned());
        }
        Self { settings, experiment, stamp: Stamp::now(), notes }
    }

    /// Times `query(0)` … `query(queries − 1)` in passes, as the plan for these settings says.
    pub fn time(&self, queries: usize, query: impl FnMut(usize)) -> Timing {
        let budget = if self.settings.quick { 0.05 } else { 2.0 };
        let plan = Plan { budget: Duration::from_secs_f64(budget), passes_min: 3 };
        timing::measure(&plan, timing::stopwatch(), queries, query)
    }

    /// A sentence that belongs to the result.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Prints the table, and writes it and the plot to the folder for results.
    pub fn publish(&self, table: &Table, plot: Option<&Plot>) -> Result<()> {
        let title = self.experiment.title;
        say(&format!("{title}\n\n{}\n", table.to_text()));
        self.notes.iter().for_each(|note| say(&format!("{note}\n")));
        let csv = self.stamp.head(title, &self.notes) + &table.to_csv();
        self.write(".csv", csv.as_bytes())?;
        if let Some(plot) = plot {
            self.draw("", plot)?;
        }
        Ok(())
    }

    /// Writes a plot to the folder for results, under the name of the experiment and what tells it
    /// from others.
    pub fn draw(&self, suffix: &str, plot: &Plot) -> Result<()> {
        self.write(&format!("{suffix}.svg"), plot.to_svg()?.as_bytes())?;
        self.write(&format!("{suffix}.png"), &plot.to_png()?)
    }

    fn write(&self, ending: &str, bytes: &[u8]) -> Result<()> {
        let folder = &self.settings.out;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let path = folder.join(format!("{}{ending}", self.experiment.name));
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        say(&format!("wrote {}\n", path.display()));
        Ok(())
    }
}

/// Prints for the person who watches. If nobody does any more (a closed pipe), the result still
/// goes to its files, so that is no failure.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use plot::{Axis, Mark, Scale, Series};
    use table::Cell;

    #[test]
    fn names_are_unique_sorted_and_fit_for_files() {
        assert!(all().is_sorted_by(|a, b| a.name < b.name));
        let fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(
            all().iter().all(|e| e.name.chars().all(fit) && e.name != "all" && e.name != "list")
        );
        assert!(all().iter().all(|e| list().contains(e.title)));
    }

    #[test]
    fn an_unknown_experiment_is_refused_with_the_known_ones() {
        let error = run("load-sped", &Settings::default()).unwrap_err().to_string();
        assert!(error.contains("`load-sped`") && error.contains("load-speed"), "{error}");
    }

    #[test]
    fn a_result_is_published_as_csv_and_plots() {
        static TRIAL: Experiment =
            Experiment { name: "trial", title: "A trial", paper: None, about: "", run: |_| Ok(()) };
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("made/on/the/way");
        let settings = Settings { out: out.clone(), quick: true, ..Settings::default() };
        let mut lab = Lab::new(&TRIAL, settings);
        lab.note("Odd, but true.");
        let mut table = Table::new(&[("n", ""), ("time", "ms")]);
        table.push([Cell::Count(3), Cell::Real(0.25)]);
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear };
        let series = Series { name: "all".into(), mark: Mark::Line, points: vec![[1.0, 2.0]] };
        let plot =
            Plot { title: "A trial".into(), x: axis("n"), y: axis("time"), series: vec![series] };
        lab.publish(&table, Some(&plot)).unwrap();
        let csv = std::fs::read_to_string(out.join("trial.csv")).unwrap();
        let keys: Vec<&str> =
            csv.lines().map_while(|l| l.strip_prefix("# ")?.split(':').next()).collect();
        assert_eq!(keys, ["title", "machine", "date", "commit", "command", "note", "note"]);
        assert!(csv.ends_with("# note: Odd, but true.\nn,time [ms]\n3,0.25\n"), "{csv}");
        assert!(out.join("trial.svg").is_file() && out.join("trial.png").is_file());
    }
}
