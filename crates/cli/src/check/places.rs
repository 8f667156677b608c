//! Poses as they come: a file that is checked whole before the first answer, or a stream that is
//! answered as it arrives.

use anyhow::{Context, Result, anyhow, bail};
use impinge::prelude::Pose;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How many poses are handed out at once.
pub(crate) const BATCH_MAX: usize = 1024;
/// No line of seven numbers is longer, so a file without line ends is refused before it fills
/// the memory.
const LINE_MAX: usize = 1 << 16;
/// What some editors put before a text to say that it is UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// What a line needs to be.
const NEEDED: &str = "seven numbers `qw qx qy qz tx ty tz` are needed";

/// Poses, one per line.
pub(crate) struct Poses {
    reader: BufReader<Box<dyn Read>>,
    /// For messages.
    name: String,
    /// The line last read, counted from 1.
    line: u64,
    text: Vec<u8>,
    /// How many there are, if all have been looked at.
    count: Option<u64>,
}

impl Poses {
    /// Opens `path`; `-` is standard input. A regular file is checked to its end, so that a bad
    /// line is found before anything is answered.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::over(Box::new(io::stdin()), "<stdin>".to_owned()));
        }
        let name = path.display().to_string();
        if path.is_dir() {
            bail!("{name}: this is a directory; a file of poses is needed");
        }
        let file = || File::open(path).map_err(|error| cannot_open(&name, error));
        let regular = file()?.metadata().is_ok_and(|data| data.is_file());
        let mut poses = Self::over(Box::new(file()?), name.clone());
        if regular {
            let mut count = 0;
            let mut check = Self::over(Box::new(file()?), name.clone());
            while check.next(true)?.is_some() {
                count += 1;
            }
            if count == 0 {
                bail!("{name}: there are no poses; at least one line is needed: {NEEDED}");
            }
            poses.count = Some(count);
        }
        Ok(poses)
    }

    fn over(reader: Box<dyn Read>, name: String) -> Self {
        let reader = BufReader::with_capacity(1 << 16, reader);
        Self { reader, name, line: 0, text: Vec::new(), count: None }
    }

    /// How many there are, if that is known.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count
    }

    /// Fills `batch` with at least one pose, and with those that can be had without waiting for
    /// whoever writes them. Empty at the end. Poses before a bad line are in the batch all the same.
    pub(crate) fn batch(&mut self, batch: &mut Vec<Pose>) -> Result<()> {
        batch.clear();
        while batch.len() < BATCH_MAX
            && let Some(pose) = self.next(batch.is_empty())?
        {
            batch.push(pose);
        }
        Ok(())
    }

    /// The next pose; none at the end, or when there is no further line to be had without waiting
    /// and `wait` is not set.
    fn next(&mut self, wait: bool) -> Result<Option<Pose>> {
        loop {
            if !wait && !self.reader.buffer().contains(&b'\n') {
                return Ok(None);
            }
            self.text.clear();
            let mut limited = self.reader.by_ref().take(LINE_MAX as u64);
            let read = limited.read_until(b'\n', &mut self.text);
            let read = read.with_context(|| format!("{}: cannot be read", self.name))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = self.text.as_slice();
            let marked = if self.line == 1 { text.strip_prefix(BYTE_ORDER_MARK) } else { None };
            match parse(marked.unwrap_or(text)) {
                Ok(None) => {}
                Ok(pose) => return Ok(pose),
                Err(message) => bail!("{}:{}: {message}", self.name, self.line),
            }
        }
    }
}

/// In the words that a mesh file is refused with.
fn cannot_open(name: &str, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => anyhow!("{name}: there is no such file"),
        _ => anyhow!(error).context(format!("{name}: cannot be opened")),
    }
}

/// The pose of a line; none if it is blank or a comment.
fn parse(line: &[u8]) -> Result<Option<Pose>, String> {
    if line.len() >= LINE_MAX {
        return Err(format!("the line is longer than {LINE_MAX} bytes; {NEEDED}"));
    }
    let text = std::str::from_utf8(line).map_err(|_| format!("this is no text; {NEEDED}"))?;
    let content = text.split('#').next().unwrap_or("");
    let mut numbers = [0.0; 7];
    let mut found = 0;
    for word in content.split_whitespace() {
        let number: f64 =
            word.parse().map_err(|_| format!("`{}` is no number; {NEEDED}", shown(word)))?;
        if let Some(place) = numbers.get_mut(found) {
            *place = number;
        }
        found += 1;
    }
    match found {
        0 => Ok(None),
        7 => {
            let [w, x, y, z, tx, ty, tz] = numbers;
            Pose::new([w, x, y, z], [tx, ty, tz]).map(Some).map_err(|error| error.to_string())
        }
        _ => Err(format!("the line has {found} numbers; {NEEDED}")),
    }
}

/// A word of the user's, cut to what a message can hold.
fn shown(word: &str) -> String {
    const SHOWN_MAX: usize = 40;
    let mut text: String = word.chars().take(SHOWN_MAX).collect();
    if word.chars().nth(SHOWN_MAX).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_poses_comments_or_errors() {
        assert_eq!(parse(b"  # only a comment\n"), Ok(None));
        assert_eq!(parse(b"\r\n"), Ok(None));
        let pose = parse(b"1 0 0 0  1 2.5 -3e1 # moved\n").unwrap().unwrap();
        assert_eq!(Ok(pose), Pose::shift([1.0, 2.5, -30.0]));
        for (line, message) in [
            (&b"1 0 0 0 1 2"[..], "has 6 numbers"),
            (b"1 0 0 0 1 2 3 4", "has 8 numbers"),
            (b"1 0 0 0 1 two 3", "`two` is no number"),
            (b"1 0 0 0 1 nan 3", "finite"),
            (b"0 0 0 0 1 2 3", "quaternion"),
            (b"1 0 0 0 1 2 1e99", "too large"),
            (b"\xff\xfe", "no text"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_allowed_at_the_start_only() {
        let text = "\u{feff}1 0 0 0 1 0 0\n\u{feff}1 0 0 0 2 0 0\n";
        let mut poses = Poses::over(Box::new(text.as_bytes()), "stream".to_owned());
        let mut batch = Vec::new();
        let error = poses.batch(&mut batch).unwrap_err().to_string();
        assert_eq!(batch.len(), 1);
        assert!(error.starts_with("stream:2: "), "{error}");
    }

    #[test]
    fn what_was_read_before_a_bad_line_is_kept() {
        let text = "1 0 0 0 1 0 0\n\n1 0 0 0 2 0 0\nbad\n";
        let mut poses = Poses::over(Box::new(text.as_bytes()), "stream".to_owned());
        let mut batch = Vec::new();
        let error = poses.batch(&mut batch).unwrap_err().to_string();
        assert_eq!(batch.len(), 2);
        assert!(error.starts_with("stream:4: `bad` is no number"), "{error}");
    }
}
