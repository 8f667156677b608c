//! The words of a text file, line by line, over bytes: names and comments need not be UTF-8.
//!
//! Blanks separate words, `#` starts a comment, a line ends with LF, CR LF or CR.

use crate::error::{Fault, Place};
use crate::number;
use impinge_geom::{COORDINATE_MAX, Point};

/// Walks over the words of a text and knows the line it is in.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    joins_lines: bool,
}

impl<'a> Scanner<'a> {
    /// At the first line of `bytes`, behind a byte order mark if there is one.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        Self { bytes, at: 0, line: 1, joins_lines: false }
    }

    /// The same, where a backslash at the end of a line joins the next line to it.
    pub(crate) fn joining_lines(bytes: &'a [u8]) -> Self {
        Self { joins_lines: true, ..Self::new(bytes) }
    }

    /// The current line, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// What no word has been taken from yet.
    pub(crate) fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// What is left of this line up to a comment; takes nothing.
    pub(crate) fn line_left(&self) -> &'a [u8] {
        let rest = self.remaining();
        let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r' | b'#'));
        rest[..end.unwrap_or(rest.len())].trim_ascii()
    }

    /// Passes over `length` bytes of this line.
    pub(crate) fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Whether all is read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// A fault in the current line.
    pub(crate) fn fault(&self, message: impl std::fmt::Display) -> Fault {
        Fault::new(Place::Line(self.line), message)
    }

    /// The next word of this line.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = self.remaining();
        let mut length = 0;
        while !self.is_word_end(self.at + length) {
            length += 1;
        }
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The first word of the next line that has one, which may be this one.
    #[inline]
    pub(crate) fn first_word(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            if self.is_at_end() {
                return None;
            }
            self.end_line();
        }
    }

    /// Whether this line has another word; takes nothing.
    #[inline]
    pub(crate) fn has_word(&mut self) -> bool {
        self.skip_blanks();
        !self.is_word_end(self.at)
    }

    /// Goes to the next line that has a word, which may be this one; false if there is none.
    pub(crate) fn seek_words(&mut self) -> bool {
        while !self.has_word() {
            if self.is_at_end() {
                return false;
            }
            self.end_line();
        }
        true
    }

    /// The rest of the line as a name, comment signs too, if there is any.
    pub(crate) fn name(&mut self) -> Option<String> {
        let rest = self.remaining();
        let length = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        self.name_of(length)
    }

    /// The next `length` bytes of this line as a name, if there is more than blanks.
    pub(crate) fn name_of(&mut self, length: usize) -> Option<String> {
        let name = self.remaining()[..length].trim_ascii();
        self.at += length;
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }

    /// Goes to the start of the next line, whatever is left of this one.
    #[inline]
    pub(crate) fn end_line(&mut self) {
        let rest = self.remaining();
        let Some(length) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
            self.at = self.bytes.len();
            return;
        };
        self.at += length + newline_length(&rest[length..]);
        self.line += 1;
    }

    /// Three coordinates.
    #[inline]
    pub(crate) fn point(&mut self) -> Result<Point, Fault> {
        Ok([self.coordinate()?, self.coordinate()?, self.coordinate()?])
    }

    /// A coordinate: finite, and not beyond what meshes allow.
    #[inline]
    pub(crate) fn coordinate(&mut self) -> Result<f64, Fault> {
        self.skip_blanks();
        if let Some((value, length)) = number::leading(self.remaining())
            && self.is_word_end(self.at + length)
        {
            self.at += length;
            return Ok(value);
        }
        self.uncommon_coordinate()
    }

    #[cold]
    fn uncommon_coordinate(&mut self) -> Result<f64, Fault> {
        let word = self.needed_word("a coordinate")?;
        let found = || quoted(word);
        match number::parse(word) {
            None => {
                Err(self.fault(format!("{} is no number; a coordinate is needed here", found())))
            }
            Some(value) => check_coordinate(value)
                .map_err(|problem| self.fault(format!("the coordinate {} {problem}", found()))),
        }
    }

    /// A whole number; `what` says what it is needed for, as in `a vertex index`.
    #[inline]
    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, Fault> {
        self.skip_blanks();
        let start = self.at;
        match self.leading_integer() {
            Some(value) if self.is_word_end(self.at) => Ok(value),
            _ => {
                self.at = start;
                Err(self.no_integer(what))
            }
        }
    }

    /// A vertex index with up to two more whole numbers tied to it by slashes, as `7/1/3`, `7//3`
    /// and `7/`; these are passed over.
    #[inline]
    pub(crate) fn corner(&mut self) -> Result<i64, Fault> {
        self.skip_blanks();
        let start = self.at;
        let Some(value) = self.leading_integer() else {
            self.at = start;
            return Err(self.no_integer("a vertex index"));
        };
        for _ in 0..2 {
            if self.bytes.get(self.at) == Some(&b'/') {
                self.at += 1;
                let after = self.at;
                if !self.is_word_end(after) && self.leading_integer().is_none() {
                    self.at = after;
                }
            }
        }
        if self.is_word_end(self.at) {
            return Ok(value);
        }
        self.at = start;
        Err(self.no_corner())
    }

    #[cold]
    fn no_corner(&mut self) -> Fault {
        let word = self.word().unwrap_or_default();
        if !word.contains(&b'/') {
            let message = "is no whole number; a vertex index is needed here";
            return self.fault(format!("{} {message}", quoted(word)));
        }
        let message = "is no corner; whole numbers are needed here, as 1, 1/2, 1//3 or 1/2/3";
        self.fault(format!("{} {message}", quoted(word)))
    }

    /// A number of things that a header promises.
    pub(crate) fn count(&mut self, what: &str) -> Result<usize, Fault> {
        let value = self.integer(what)?;
        usize::try_from(value)
            .map_err(|_| self.fault(format!("{value} is no {}", what.trim_start_matches("a "))))
    }

    /// The next word of this line; a fault that says `what` is needed if there is none.
    pub(crate) fn needed_word(&mut self, what: &str) -> Result<&'a [u8], Fault> {
        if let Some(word) = self.word() {
            return Ok(word);
        }
        let ended = if self.is_at_end() { "file" } else { "line" };
        Err(self.fault(format!("the {ended} ends where {what} is needed")))
    }

    #[cold]
    fn no_integer(&mut self, what: &str) -> Fault {
        match self.needed_word(what) {
            Ok(word) => {
                self.fault(format!("{} is no whole number; {what} is needed here", quoted(word)))
            }
            Err(fault) => fault,
        }
    }

    /// At most eighteen digits, so that nothing overflows; no file can hold that many of anything.
    #[inline]
    fn leading_integer(&mut self) -> Option<i64> {
        let negative = self.bytes.get(self.at) == Some(&b'-');
        let plus = self.bytes.get(self.at) == Some(&b'+');
        self.at += usize::from(negative || plus);
        let start = self.at;
        let mut value = 0i64;
        while let Some(digit) =
            self.bytes.get(self.at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10)
        {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            self.at += 1;
        }
        let fits = (1..=18).contains(&(self.at - start));
        // More digits may have wrapped around to the one number that has no opposite.
        fits.then_some(if negative { value.wrapping_neg() } else { value })
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | 0x0B | 0x0C => self.at += 1,
                b'\\' if self.joined_length(self.at) > 0 => {
                    self.at += self.joined_length(self.at);
                    self.line += 1;
                }
                _ => return,
            }
        }
    }

    #[inline]
    fn is_word_end(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            None | Some(b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | b'#') => true,
            Some(b'\\') => self.joined_length(at) > 0,
            Some(_) => false,
        }
    }

    /// The length of a backslash with the line end behind it, 0 if that is not what stands there.
    fn joined_length(&self, at: usize) -> usize {
        match newline_length(&self.bytes[at + 1..]) {
            length if length > 0 && self.joins_lines => length + 1,
            _ => 0,
        }
    }
}

/// Whether a mesh may have this coordinate; if not, what is wrong with it and what is needed.
pub(crate) fn check_coordinate(value: f64) -> Result<f64, &'static str> {
    if !value.is_finite() {
        Err("is not finite; a finite number is needed")
    } else if value.abs() > COORDINATE_MAX {
        Err("is too large; at most 2e90 is possible")
    } else {
        Ok(value)
    }
}

/// A piece of a file, fit to be shown in a message.
pub(crate) fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// How many there are, in words.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[inline]
fn newline_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}
