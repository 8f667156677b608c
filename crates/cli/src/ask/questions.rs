//! Questions as they come: from the arguments, then from a file that is read whole before the first
//! answer, or from a stream that is answered as it arrives.

use crate::args::ask::{AskArgs, Asked};
use anyhow::{Context, Result, anyhow};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// No line of six numbers is longer, so a file without line ends is refused before it fills the
/// memory.
const LINE_MAX: u64 = 1 << 16;

/// A question, and whether somebody may be waiting for its answer.
type Question = (Asked, bool);

/// All questions of the arguments, in order.
pub(super) fn open(args: &AskArgs) -> Result<Box<dyn Iterator<Item = Result<Question>>>> {
    let typed: Vec<Asked> = args.ray.iter().chain(&args.point).copied().collect();
    let typed = typed.into_iter().map(|asked| Ok((asked, false)));
    let Some(path) = &args.from else { return Ok(Box::new(typed)) };
    if path == Path::new("-") {
        return Ok(Box::new(typed.chain(Lines::over(io::stdin(), "<stdin>".to_owned()))));
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{name}: cannot be opened"))?;
    let read: Vec<Question> = Lines::over(file, name).collect::<Result<_>>()?;
    Ok(Box::new(typed.chain(read.into_iter().map(|(asked, _)| Ok((asked, false))))))
}

struct Lines<R> {
    reader: BufReader<R>,
    /// For messages.
    name: String,
    /// The line last read, counted from 1.
    line: u64,
}

impl<R: Read> Lines<R> {
    fn over(reader: R, name: String) -> Self {
        Self { reader: BufReader::with_capacity(1 << 16, reader), name, line: 0 }
    }

    /// The next line that is not blank, without its comment; none at the end.
    fn next_text(&mut self) -> Result<Option<String>> {
        loop {
            let mut bytes = Vec::new();
            let mut limited = self.reader.by_ref().take(LINE_MAX);
            let read = limited.read_until(b'\n', &mut bytes);
            if read.with_context(|| format!("{}: cannot be read", self.name))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = String::from_utf8(bytes)
                .map_err(|_| anyhow!("{}:{}: this is no text", self.name, self.line))?;
            let text = text.trim_start_matches('\u{feff}').split('#').next().unwrap_or("");
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<Question>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = match self.next_text() {
            Ok(text) => text?,
            Err(error) => return Some(Err(error)),
        };
        let asked = Asked::parse(&text);
        let asked = asked.map_err(|message| anyhow!("{}:{}: {message}", self.name, self.line));
        let wait = !self.reader.buffer().contains(&b'\n');
        Some(asked.map(|asked| (asked, wait)))
    }
}
