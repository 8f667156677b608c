//! Where a buffer's bytes are: in the URI itself, or in a file within the glTF's folder.

use std::path::PathBuf;

/// The bytes of a `data:` URI, or the path of a file relative to the glTF's folder.
#[derive(Debug, PartialEq)]
pub(super) enum Source {
    Inline(Vec<u8>),
    Beside(PathBuf),
}

/// The message of an error completes "buffer N: the URI …".
pub(super) fn locate(uri: &str) -> Result<Source, String> {
    if let Some(rest) = strip_data(uri) {
        let (kind, data) = rest.split_once(',').ok_or("is a data URI without a comma")?;
        if !kind.to_ascii_lowercase().ends_with(";base64") {
            return Err(format!("has data of kind `{}`; base64 is needed", shorten(kind)));
        }
        return base64(data.as_bytes()).map(Source::Inline);
    }
    let shown = shorten(uri);
    let needed = "a file beside the glTF or below its folder is needed";
    if let Some(scheme) = scheme(uri) {
        return Err(format!("`{shown}` has the scheme `{scheme}:`; {needed}"));
    }
    let name = percent_decode(uri).ok_or_else(|| format!("`{shown}` is badly percent-encoded"))?;
    if name.starts_with(['/', '\\']) || scheme(&name).is_some() {
        return Err(format!("`{shown}` is an absolute path; {needed}"));
    }
    let mut path = PathBuf::new();
    for part in name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." {
            path.push(part);
        } else if !path.pop() {
            return Err(format!("`{shown}` points outside the file's folder; {needed}"));
        }
    }
    if path.as_os_str().is_empty() {
        return Err(format!("`{shown}` names no file; {needed}"));
    }
    Ok(Source::Beside(path))
}

/// Whether the bytes are in the URI itself.
pub(super) fn is_inline(uri: &str) -> bool {
    strip_data(uri).is_some()
}

fn strip_data(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// The part before the first colon, if no slash comes before it; also a drive as `C:`.
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    (!scheme.contains(['/', '\\'])).then_some(scheme)
}

/// Enough of a URI to recognise it; data URIs and malice may be megabytes long.
pub(super) fn shorten(uri: &str) -> String {
    match uri.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &uri[..end]),
        None => uri.to_owned(),
    }
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let high = char::from(*tail.first()?).to_digit(16)?;
        let low = char::from(*tail.get(1)?).to_digit(16)?;
        bytes.push((high * 16 + low) as u8);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Plain and URL-safe alphabets; padding may be missing, as some exporters leave it out.
fn base64(text: &[u8]) -> Result<Vec<u8>, String> {
    let end = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    let mut bytes = Vec::with_capacity(end / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0u32);
    for (at, &symbol) in text[..end].iter().enumerate() {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => {
                let found = char::from(symbol).escape_default();
                return Err(format!("has `{found}` at position {at} of its base64 data"));
            }
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    if held == 6 {
        return Err("has base64 data that ends within a byte".to_owned());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_length_is_decoded() {
        let decoded = |text: &str| base64(text.as_bytes()).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(decoded(""), Ok(String::new()));
        assert_eq!(decoded("Zg=="), Ok("f".to_owned()));
        assert_eq!(decoded("Zm8="), Ok("fo".to_owned()));
        assert_eq!(decoded("Zm9vYg"), Ok("foob".to_owned()));
        assert_eq!(base64(b"-_8"), Ok(vec![0xFB, 0xFF]));
        assert!(decoded("Zm9vY").is_err() && decoded("Zm 9").is_err());
    }

    #[test]
    fn paths_stay_in_the_folder() {
        let beside = |path: &str| Ok(Source::Beside(PathBuf::from(path)));
        assert_eq!(locate("my%20part.bin"), beside("my part.bin"));
        assert_eq!(locate("./a/../b/c.bin"), beside("b/c.bin"));
        for outside in ["../x", "a/../../x", "%2e%2E/x", "..\\x", "/x", "%2Fx", "\\x", "C%3Ax"] {
            assert!(locate(outside).is_err(), "{outside}");
        }
        for scheme in ["file:x", "http://a/b", "C:\\x", "FILE:///x", ":x"] {
            assert!(locate(scheme).unwrap_err().contains("scheme"), "{scheme}");
        }
        for nothing in ["", ".", "a/..", "%", "%f", "%zz", "%FF"] {
            assert!(locate(nothing).is_err(), "{nothing}");
        }
    }
}
