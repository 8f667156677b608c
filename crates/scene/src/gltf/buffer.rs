//! Buffers, fetched when first needed, and views into them; each slice is checked beforehand.

use super::container::Parts;
use super::json::{Buffer, Document};
use super::uri::{Source, is_inline, locate, shorten};
use super::whole;
use crate::error::Fault;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// Gives the bytes of a file beside the document; more than the stated number are not needed.
pub(super) type Opener<'a> = &'a dyn Fn(&Path, u64) -> io::Result<Vec<u8>>;

/// The buffers of one document.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    binary: Option<&'a [u8]>,
    open: Opener<'a>,
    fetched: Vec<Option<Cow<'a, [u8]>>>,
    bytes_read: usize,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(document: &'a Document, parts: &Parts<'a>, open: Opener<'a>) -> Self {
        let fetched = document.buffers.iter().map(|_| None).collect();
        let binary = parts.binary;
        let bytes_read = parts.json.len() + binary.map_or(0, <[u8]>::len);
        Self { document, binary, open, fetched, bytes_read }
    }

    /// The bytes of the document, and of the buffers beside it that were fetched so far.
    pub(super) fn bytes_read(&self) -> usize {
        self.bytes_read
    }

    /// The bytes of a buffer view; `user` is what asks for it, for the message.
    pub(super) fn view(&mut self, index: usize, user: &str) -> Result<&[u8], Fault> {
        let views = &self.document.buffer_views;
        let view =
            views.get(index).ok_or_else(|| missing(user, "bufferView", index, views.len()))?;
        let user = format!("bufferView {index}");
        let buffer = self.buffer(view.buffer, &user)?;
        let found = buffer.len() as u64;
        let end = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= found);
        let Some(end) = end else {
            return Err(whole(format!(
                "bufferView {index} asks for {} bytes at byte {} of buffer {}, which has {found}",
                view.byte_length, view.byte_offset, view.buffer
            )));
        };
        Ok(&buffer[view.byte_offset as usize..end as usize])
    }

    fn buffer(&mut self, index: usize, user: &str) -> Result<&[u8], Fault> {
        let count = self.fetched.len();
        let fetched = self.fetched.get_mut(index);
        let fetched = fetched.ok_or_else(|| missing(user, "buffer", index, count))?;
        if fetched.is_none() {
            let buffer = &self.document.buffers[index];
            let binary = self.binary.filter(|_| index == 0);
            let bytes = fetch(buffer, binary, self.open)
                .map_err(|message| whole(format!("buffer {index}: {message}")))?;
            // Data within the document is counted already.
            let inside = binary.is_some() || buffer.uri.as_deref().is_some_and(is_inline);
            self.bytes_read += if inside { 0 } else { bytes.len() };
            *fetched = Some(bytes);
        }
        Ok(fetched.as_deref().unwrap_or_default())
    }
}

/// The message for a number that names nothing.
pub(super) fn missing(user: &str, kind: &str, index: usize, count: usize) -> Fault {
    whole(format!("{user} names {kind} {index}, but the file has {count} of them"))
}

fn fetch<'a>(
    buffer: &Buffer,
    binary: Option<&'a [u8]>,
    open: Opener<'_>,
) -> Result<Cow<'a, [u8]>, String> {
    let (mut bytes, origin) = match (&buffer.uri, binary) {
        (None, None) => {
            let needed = "a URI, or the binary chunk of a GLB, is needed";
            return Err(format!("it has no URI; {needed}"));
        }
        (None, Some(binary)) => (Cow::Borrowed(binary), "the binary chunk".to_owned()),
        (Some(uri), _) => match locate(uri).map_err(|message| format!("the URI {message}"))? {
            Source::Inline(bytes) => (Cow::Owned(bytes), "its data URI".to_owned()),
            Source::Beside(path) => {
                let name = shorten(&path.to_string_lossy());
                let bytes = open(&path, buffer.byte_length);
                let bytes = bytes.map_err(|e| format!("cannot read `{name}`: {e}"))?;
                (Cow::Owned(bytes), format!("`{name}`"))
            }
        },
    };
    let needed = buffer.byte_length;
    if bytes.is_empty() {
        return Err(format!("{origin} is empty; {needed} bytes are needed"));
    }
    if (bytes.len() as u64) < needed {
        return Err(format!("{origin} has {} bytes; {needed} are needed", bytes.len()));
    }
    // What lies beyond the stated length is padding, not data.
    match &mut bytes {
        Cow::Borrowed(slice) => *slice = &slice[..needed as usize],
        Cow::Owned(vec) => vec.truncate(needed as usize),
    }
    Ok(bytes)
}
