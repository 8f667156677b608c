//! Poses or motions as they come: a file that is checked whole before the first answer, or a stream
//! that is answered as it arrives.

use anyhow::{Context, Result, anyhow, bail};
use impinge::contract::job::Placement;
use impinge::prelude::{Motion, Pose};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How many places are handed out at once.
pub(crate) const BATCH_MAX: usize = 1024;
/// No line of fourteen numbers is longer, so a file without line ends is refused before it fills
/// the memory.
const LINE_MAX: usize = 1 << 16;
/// What some editors put before a text to say that it is UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Where the moving mesh is.
    Poses,
    /// From where to where it moves.
    Motions,
}

impl Kind {
    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Poses => "poses",
            Self::Motions => "motions",
        }
    }

    fn numbers(self) -> usize {
        match self {
            Self::Poses => 7,
            Self::Motions => 14,
        }
    }

    fn needed(self) -> &'static str {
        match self {
            Self::Poses => "seven numbers `qw qx qy qz tx ty tz` are needed",
            Self::Motions => {
                "fourteen numbers are needed, `qw qx qy qz tx ty tz` of the start and of the end"
            }
        }
    }
}

/// Where the moving mesh is, or how it moves, one query per line.
pub(crate) struct Places {
    kind: Kind,
    reader: BufReader<Box<dyn Read>>,
    /// For messages.
    name: String,
    /// The line last read, counted from 1.
    line: u64,
    text: Vec<u8>,
    /// How many there are, if all have been looked at.
    count: Option<u64>,
}

impl Places {
    /// Opens `path`; `-` is standard input. A regular file is checked to its end, so that a bad
    /// line is found before anything is answered.
    pub(crate) fn open(path: &Path, kind: Kind) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::over(Box::new(io::stdin()), "<stdin>".to_owned(), kind));
        }
        let name = path.display().to_string();
        if path.is_dir() {
            bail!("{name}: this is a directory; a file of {} is needed", kind.name());
        }
        let file = || File::open(path).map_err(|error| cannot_open(&name, error));
        let regular = file()?.metadata().is_ok_and(|data| data.is_file());
        let mut places = Self::over(Box::new(file()?), name.clone(), kind);
        if regular {
            let mut count = 0;
            let mut check = Self::over(Box::new(file()?), name.clone(), kind);
            while check.next(true)?.is_some() {
                count += 1;
            }
            if count == 0 {
                let (what, needed) = (kind.name(), kind.needed());
                bail!("{name}: there are no {what}; at least one line is needed: {needed}");
            }
            places.count = Some(count);
        }
        Ok(places)
    }

    fn over(reader: Box<dyn Read>, name: String, kind: Kind) -> Self {
        let reader = BufReader::with_capacity(1 << 16, reader);
        Self { kind, reader, name, line: 0, text: Vec::new(), count: None }
    }

    /// How many there are, if that is known.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count
    }

    /// Fills `batch` with at least one place, and with those that can be had without waiting for
    /// whoever writes them. Empty at the end. Those before a bad line are in the batch all the same.
    pub(crate) fn batch(&mut self, batch: &mut Vec<Placement>) -> Result<()> {
        batch.clear();
        while batch.len() < BATCH_MAX
            && let Some(place) = self.next(batch.is_empty())?
        {
            batch.push(place);
        }
        Ok(())
    }

    /// The next place; none at the end, or when there is no further line to be had without waiting
    /// and `wait` is not set.
    fn next(&mut self, wait: bool) -> Result<Option<Placement>> {
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
            match parse(marked.unwrap_or(text), self.kind) {
                Ok(None) => {}
                Ok(place) => return Ok(place),
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

/// What a line says; none if it is blank or a comment.
fn parse(line: &[u8], kind: Kind) -> Result<Option<Placement>, String> {
    let needed = kind.needed();
    if line.len() >= LINE_MAX {
        return Err(format!("the line is longer than {LINE_MAX} bytes; {needed}"));
    }
    let text = std::str::from_utf8(line).map_err(|_| format!("this is no text; {needed}"))?;
    let content = text.split('#').next().unwrap_or("");
    let mut numbers = [0.0; 14];
    let mut found = 0;
    for word in content.split_whitespace() {
        let number: f64 =
            word.parse().map_err(|_| format!("`{}` is no number; {needed}", shown(word)))?;
        if let Some(place) = numbers.get_mut(found) {
            *place = number;
        }
        found += 1;
    }
    if found == 0 {
        return Ok(None);
    }
    if found != kind.numbers() {
        return Err(format!("the line has {found} numbers; {needed}"));
    }
    let [w, x, y, z, tx, ty, tz, end @ ..] = numbers;
    let start = Pose::new([w, x, y, z], [tx, ty, tz]);
    if kind == Kind::Poses {
        return start.map(|pose| Some(pose.into())).map_err(|error| error.to_string());
    }
    let [w, x, y, z, tx, ty, tz] = end;
    let start = start.map_err(|error| format!("the start is no pose: {error}"))?;
    let end = Pose::new([w, x, y, z], [tx, ty, tz]);
    let end = end.map_err(|error| format!("the end is no pose: {error}"))?;
    Ok(Some(Motion::lerp_slerp(start, end).into()))
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

    fn over(text: &'static str) -> Places {
        Places::over(Box::new(text.as_bytes()), "stream".to_owned(), Kind::Poses)
    }

    #[test]
    fn lines_are_poses_comments_or_errors() {
        let parse = |line: &[u8]| parse(line, Kind::Poses);
        assert_eq!(parse(b"  # only a comment\n"), Ok(None));
        assert_eq!(parse(b"\r\n"), Ok(None));
        let place = parse(b"1 0 0 0  1 2.5 -3e1 # moved\n").unwrap().unwrap();
        assert_eq!(place, Pose::shift([1.0, 2.5, -30.0]).unwrap().into());
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
    fn motions_are_two_poses() {
        let parse = |line: &[u8]| parse(line, Kind::Motions);
        let place = parse(b"1 0 0 0 1 2 3  0 0 1 0 4 5 6 # turned\n").unwrap().unwrap();
        let start = Pose::shift([1.0, 2.0, 3.0]).unwrap();
        let end = Pose::new([0.0, 0.0, 1.0, 0.0], [4.0, 5.0, 6.0]).unwrap();
        assert_eq!(place, Motion::lerp_slerp(start, end).into());
        assert_eq!(parse(b"# nothing"), Ok(None));
        for (line, message) in [
            (&b"1 0 0 0 1 2 3"[..], "has 7 numbers; fourteen"),
            (b"1 0 0 0 1 2 3 1 0 0 0 1 2 3 4", "has 15 numbers"),
            (b"1 0 0 0 1 2 3 1 0 0 0 1 2 x", "`x` is no number; fourteen"),
            (b"0 0 0 0 1 2 3 1 0 0 0 1 2 3", "the start is no pose"),
            (b"1 0 0 0 1 2 3 1 0 0 0 1 2 inf", "the end is no pose"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_allowed_at_the_start_only() {
        let text = "\u{feff}1 0 0 0 1 0 0\n\u{feff}1 0 0 0 2 0 0\n";
        let mut poses = over(text);
        let mut batch = Vec::new();
        let error = poses.batch(&mut batch).unwrap_err().to_string();
        assert_eq!(batch.len(), 1);
        assert!(error.starts_with("stream:2: "), "{error}");
    }

    #[test]
    fn what_was_read_before_a_bad_line_is_kept() {
        let text = "1 0 0 0 1 0 0\n\n1 0 0 0 2 0 0\nbad\n";
        let mut poses = over(text);
        let mut batch = Vec::new();
        let error = poses.batch(&mut batch).unwrap_err().to_string();
        assert_eq!(batch.len(), 2);
        assert!(error.starts_with("stream:4: `bad` is no number"), "{error}");
    }
}
