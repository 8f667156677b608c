//! The outer shape of a file: bare JSON, or the chunks of a GLB [glTF 2.0 §4.4].

use crate::error::{Fault, Place};

/// The JSON text, where it starts in the file, and the binary chunk of a GLB.
pub(super) struct Parts<'a> {
    pub json: &'a [u8],
    /// Byte of the file at which the JSON starts; none for a `.gltf`, whose places are lines.
    pub json_at: Option<usize>,
    pub binary: Option<&'a [u8]>,
}

const MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

pub(super) fn split(bytes: &[u8]) -> Result<Parts<'_>, Fault> {
    if bytes.is_empty() {
        return Err(Fault::new(Place::Whole, "the file is empty; glTF JSON or a GLB is needed"));
    }
    if !bytes.starts_with(MAGIC) {
        let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        return Ok(Parts { json, json_at: None, binary: None });
    }
    let version = word(bytes, 4).ok_or_else(|| truncated(bytes.len(), 12))?;
    if version != 2 {
        let message = format!("GLB version {version} found; version 2 is needed");
        return Err(Fault::new(Place::Byte(4), message));
    }
    let length = word(bytes, 8).ok_or_else(|| truncated(bytes.len(), 12))? as usize;
    let bytes = bytes.get(..length).ok_or_else(|| truncated(bytes.len(), length))?;
    let (kind, json, next) = chunk(bytes, 12)?;
    if kind != JSON_CHUNK {
        let message = format!("the first chunk is of type {kind:#010x}; JSON is needed first");
        return Err(Fault::new(Place::Byte(16), message));
    }
    let binary = match bytes.len() > next {
        true => Some(chunk(bytes, next)?).filter(|(kind, ..)| *kind == BINARY_CHUNK),
        false => None,
    };
    Ok(Parts { json, json_at: Some(20), binary: binary.map(|(_, data, _)| data) })
}

/// Type, data and end of the chunk that starts at `at`.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), Fault> {
    let header = word(bytes, at).zip(word(bytes, at + 4));
    let (length, kind) = header.ok_or_else(|| truncated(bytes.len(), at + 8))?;
    let end = (at + 8).saturating_add(length as usize);
    let data = bytes.get(at + 8..end).ok_or_else(|| {
        let left = bytes.len() - (at + 8);
        let message = format!("the chunk promises {length} bytes, but only {left} are left");
        Fault::new(Place::Byte(at as u64), message)
    })?;
    Ok((kind, data, end))
}

fn truncated(found: usize, needed: usize) -> Fault {
    let message = format!("the GLB ends after {found} bytes; at least {needed} are needed");
    Fault::new(Place::Byte(found as u64), message)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
