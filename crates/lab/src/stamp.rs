//! Where, when and from what a result was made: a figure without that cannot be judged.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The circumstances of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The processor's name and the number of cores.
    pub machine: String,
    /// The day, as `2026-01-31` (UTC).
    pub date: String,
    /// The commit of the sources, with `-dirty` if they were changed since.
    pub commit: String,
    /// The command line.
    pub command: String,
}

impl Stamp {
    /// Of this moment, on this machine.
    pub fn now() -> Self {
        Self { machine: machine(), date: today(), commit: commit(), command: command() }
    }

    /// The head lines of a CSV file, one `# key: value` each.
    pub fn head(&self, title: &str, notes: &[String]) -> String {
        let entries = [
            ("title", title),
            ("machine", &self.machine),
            ("date", &self.date),
            ("commit", &self.commit),
            ("command", &self.command),
        ];
        let notes = notes.iter().map(|note| ("note", note.as_str()));
        // A line end would end the head line; nothing else needs care.
        let line = |(key, value): (&str, &str)| format!("# {key}: {}\n", value.replace('\n', " "));
        entries.into_iter().chain(notes).map(line).collect()
    }
}

/// The day, as `2026-01-31` (UTC).
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86400)
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {cores} cores")
}

/// The calendar day that is `days` after 1970-01-01, by counting whole cycles of the calendar.
fn date(days: u64) -> String {
    // Years begin in March here, so that the leap day is the last of its year.
    let since_march = days + 719_468;
    let (cycles, day) = (since_march / 146_097, since_march % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day_of_month:02}", 400 * cycles + year + carry)
}

/// Of the folder that this crate was built from, since the program may be run anywhere.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(name) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    // Results are written while experiments run; they do not change what is measured.
    let changed = git(&["status", "--porcelain", "--", ".", ":!results", ":!docs"]);
    if changed.is_some_and(|files| files.is_empty()) { name } else { name + "-dirty" }
}

fn command() -> String {
    let mut words = std::env::args();
    let program = words.next().unwrap_or_default();
    let program = std::path::Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    std::iter::once(program.into_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let known = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ];
        for (days, text) in known {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn the_head_has_one_line_per_entry() {
        let stamp = Stamp {
            machine: "M, 2 cores".into(),
            date: "2026-01-01".into(),
            commit: "abc".into(),
            command: "impinge lab x".into(),
        };
        assert_eq!(
            stamp.head("T", &["two\nlines".into()]),
            "# title: T\n# machine: M, 2 cores\n# date: 2026-01-01\n# commit: abc\n\
             # command: impinge lab x\n# note: two lines\n"
        );
    }

    #[test]
    fn this_moment_has_a_stamp() {
        let stamp = Stamp::now();
        assert!(stamp.machine.ends_with("cores") && stamp.date.as_str() > "2026");
        assert!(!stamp.commit.is_empty() && !stamp.command.contains('/'), "{stamp:?}");
    }
}
