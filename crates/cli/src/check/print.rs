//! Where answers go: one printer for all formats, with the progress bar beside it.

use super::ask::Answered;
use super::line::{CheckLine, Summary};
use super::places::Places;
use super::plan::Plan;
use super::run::Output;
use super::{csv, text};
use crate::args::{Common, Format};
use crate::output::{self, CANNOT_WRITE, is_broken_pipe};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};

/// Fewer queries are done before a bar could be read.
const BAR_QUERIES_MIN: u64 = 100;

/// Prints answers as they come.
pub(crate) struct Printer<'p> {
    plan: &'p Plan,
    format: Format,
    quiet: bool,
    /// Many queries get a line each in text; a single one gets the whole picture.
    many: bool,
    out: BufWriter<StdoutLock<'static>>,
    bar: ProgressBar,
    /// Nobody reads on.
    closed: bool,
}

impl<'p> Printer<'p> {
    pub(crate) fn new(plan: &'p Plan, common: &Common, queries: Option<&Places>) -> Self {
        let count = queries.map_or(Some(plan.queries()), Places::count);
        let count = count.filter(|&count| count >= BAR_QUERIES_MIN);
        // On a terminal that shows the answers too, the bar would only tear them apart.
        let wanted =
            !common.quiet && std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        let bar = match count {
            Some(count) if wanted => ProgressBar::new(count / plan.shard.of).with_style(style()),
            _ => ProgressBar::hidden(),
        };
        Self {
            plan,
            format: common.format,
            quiet: common.quiet,
            many: queries.is_some() || plan.queries() > 1,
            out: output::stdout(),
            bar,
            closed: false,
        }
    }

    /// What stands before the first answer.
    pub(crate) fn begin(&mut self) -> Result<()> {
        let head = match self.format {
            Format::Text if self.quiet => String::new(),
            Format::Text => text::head(self.plan),
            Format::Json => String::new(),
            Format::Csv => csv::HEAD.to_owned(),
        };
        self.write(&head)?;
        self.sent().map(drop)
    }

    /// What stands after the last one.
    pub(crate) fn end(&mut self, summary: &Summary, before: &text::Before) -> Result<()> {
        self.bar.finish_and_clear();
        let tail = match self.format {
            Format::Text if self.quiet => String::new(),
            Format::Text => text::tail(summary, before, self.many),
            Format::Json => json(&CheckLine::End { summary })?,
            Format::Csv => String::new(),
        };
        self.write(&tail)?;
        self.sent().map(drop)
    }

    /// A word to people.
    pub(crate) fn hint(&mut self, text: &str) -> Result<()> {
        self.write(text)?;
        self.sent().map(drop)
    }

    fn write(&mut self, text: &str) -> Result<bool> {
        let written = self.out.write_all(text.as_bytes());
        self.unless_closed(written)
    }

    fn sent(&mut self) -> Result<bool> {
        let flushed = self.out.flush();
        self.unless_closed(flushed)
    }

    /// A reader that went away ends the run but is no error: the exit code tells what was found.
    fn unless_closed(&mut self, result: std::io::Result<()>) -> Result<bool> {
        match result.context(CANNOT_WRITE) {
            Err(error) if is_broken_pipe(&error) => self.closed = true,
            other => other?,
        }
        Ok(!self.closed)
    }
}

impl Output for Printer<'_> {
    fn answer(&mut self, answered: &Answered<'_>) -> Result<bool> {
        let line = &answered.line;
        let text = match self.format {
            Format::Text if self.quiet => text::verdict_only(line, self.many),
            Format::Text if self.many => text::short(line, self.plan),
            Format::Text => text::long(line, self.plan),
            Format::Json => json(&CheckLine::Query(line))?,
            Format::Csv => csv::rows(line),
        };
        self.bar.inc(1);
        self.write(&text)
    }

    fn flush(&mut self) -> Result<bool> {
        self.sent()
    }
}

fn json(line: &CheckLine<'_>) -> Result<String> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    Ok(text)
}

fn style() -> ProgressStyle {
    let template = "{bar:32} {human_pos}/{human_len} queries, {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
