//! STL, text and binary. Corners at the same position become one vertex.
//!
//! A file is binary if its length is what its triangle count says: many binary files begin with
//! `solid` too. Normals are not read; the order of the corners says the same. What follows the last
//! triangle of a binary file is ignored, as programs append their own data there; only if it has
//! the length of whole triangles is the count taken for wrong, and the file refused.
//!
//! Text may have all its words on one line. A name then ends where a facet or `endsolid` begins.

use crate::error::{Fault, Place};
use crate::merge::Merger;
use crate::part::Part;
use crate::text::{Scanner, check_coordinate, quoted};
use impinge_geom::Point;
use impinge_geom::mesh::{Mesh, MeshError};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// The bodies of an STL file: one of a binary file, one per `solid` of a text file.
pub fn read(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    if is_text(bytes) { read_text(bytes) } else { read_binary(bytes).map(|part| vec![part]) }
}

fn promised_triangles(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*count).into())
}

/// How many bytes a file of that many triangles has.
fn length_of(triangles: u64) -> u64 {
    HEADER as u64 + RECORD as u64 * triangles
}

fn is_text(bytes: &[u8]) -> bool {
    let binary = promised_triangles(bytes).is_some_and(|n| bytes.len() as u64 == length_of(n));
    let mut scan = Scanner::new(bytes);
    let solid = scan.first_word().is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    // A damaged binary file still has zeros in its header or its count, which no text has.
    solid && !binary && !bytes[..bytes.len().min(HEADER)].contains(&0)
}

fn read_binary(bytes: &[u8]) -> Result<Part, Fault> {
    let found = bytes.len() as u64;
    let Some(count) = promised_triangles(bytes) else {
        let message = format!(
            "the file has {} bytes; text that begins with `solid`, or a binary header of \
             {HEADER} bytes is needed",
            bytes.len()
        );
        return Err(Fault::new(Place::Whole, message));
    };
    let needed = length_of(count);
    if found < needed {
        let message = format!(
            "the file ends here; {needed} bytes are needed for the {} that the header promises",
            triangles_in_words(count)
        );
        return Err(Fault::new(Place::Byte(found), message));
    }
    // Left out, they would be missing faces: an answer "free" would be wrong.
    let more = (found - needed) / RECORD as u64;
    if more > 0 && found == length_of(count + more) {
        let message = format!(
            "the header promises {}, but {more} more follow; the count must be right",
            triangles_in_words(count)
        );
        return Err(Fault::new(Place::Byte(needed), message));
    }
    // Fits, for the file is in memory.
    let (count, needed) = (count as usize, needed as usize);
    let mut merger = Merger::with_corners(3 * count);
    let mut triangles = Vec::with_capacity(count);
    let (records, _) = bytes[HEADER..needed].as_chunks::<RECORD>();
    for (i, record) in records.iter().enumerate() {
        let corners = binary_corners(record, HEADER + RECORD * i)?;
        triangles.push(corners.map(|point| merger.vertex(point)));
    }
    part(None, merger, triangles)
}

fn triangles_in_words(count: u64) -> String {
    format!("{count} triangle{}", if count == 1 { "" } else { "s" })
}

/// The corners of the record that stands at byte `at`.
#[inline]
fn binary_corners(record: &[u8; RECORD], at: usize) -> Result<[Point; 3], Fault> {
    let (floats, _) = record[12..48].as_chunks::<4>();
    let mut corners = [[0.0; 3]; 3];
    for (i, bits) in floats.iter().enumerate() {
        let value = f64::from(f32::from_le_bytes(*bits));
        corners[i / 3][i % 3] = value;
        if let Err(problem) = check_coordinate(value) {
            let place = Place::Byte((at + 12 + 4 * i) as u64);
            return Err(Fault::new(place, format!("the coordinate `{value}` {problem}")));
        }
    }
    Ok(corners)
}

fn read_text(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    let mut scan = Scanner::new(bytes);
    let mut parts = Vec::new();
    while scan.seek_words() {
        take(&mut scan, "`solid`")?;
        let name = match name_end(scan.remaining(), Name::OfSolid) {
            Some(length) => scan.name_of(length),
            None => scan.name(),
        };
        let (merger, triangles) = read_solid(&mut scan)?;
        match name_end(scan.remaining(), Name::BehindEnd) {
            Some(length) => scan.skip(length),
            None => scan.end_line(),
        }
        if !triangles.is_empty() {
            parts.push(part(name, merger, triangles)?);
        }
    }
    if parts.is_empty() {
        return Err(Fault::new(Place::Whole, MeshError::NoFaces));
    }
    Ok(parts)
}

/// A name, by the keyword before it.
#[derive(Clone, Copy, PartialEq)]
enum Name {
    OfSolid,
    BehindEnd,
}

/// Where in this line a name ends because content follows it, if any does: at a facet or at
/// `endsolid`; behind an end also at the word `solid` before them. Without them these words belong
/// to the name.
fn name_end(rest: &[u8], name: Name) -> Option<usize> {
    let mut words = words_of_line(rest).peekable();
    let mut first = None;
    while let Some((at, word)) = words.next() {
        let is = |keyword: &[u8]| word.eq_ignore_ascii_case(keyword);
        if name == Name::BehindEnd && is(b"solid") {
            first = first.or(Some(at));
        }
        let goes_on = |(_, next): &(usize, &[u8])| {
            next.eq_ignore_ascii_case(b"normal") || next.eq_ignore_ascii_case(b"outer")
        };
        if is(b"endsolid") || is(b"facet") && words.peek().is_some_and(goes_on) {
            return first.or(Some(at));
        }
    }
    None
}

/// The words up to the end of the line and where they stand. Lazy: a line may be the whole file.
fn words_of_line(rest: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | 0x0B | 0x0C);
    let mut end = 0;
    std::iter::from_fn(move || {
        let at = end + rest[end..].iter().take_while(|byte| is_blank(byte)).count();
        let is_part = |byte: &&u8| !is_blank(byte) && !matches!(byte, b'\n' | b'\r');
        end = at + rest[at..].iter().take_while(is_part).count();
        (end > at).then(|| (at, &rest[at..end]))
    })
}

/// All facets up to and with `endsolid`.
fn read_solid(scan: &mut Scanner<'_>) -> Result<(Merger, Vec<[u32; 3]>), Fault> {
    let mut merger = Merger::with_corners(0);
    let mut triangles = Vec::new();
    loop {
        let word = keyword(scan, "`facet` or `endsolid`")?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            return Ok((merger, triangles));
        }
        if !word.eq_ignore_ascii_case(b"facet") {
            return Err(unexpected(scan, word, "`facet` or `endsolid`"));
        }
        // The normal may be missing, or spelled in ways that are no number.
        loop {
            let word = keyword(scan, "`outer loop`")?;
            if word.eq_ignore_ascii_case(b"outer") {
                break;
            }
            if word.eq_ignore_ascii_case(b"vertex") || word.eq_ignore_ascii_case(b"endfacet") {
                return Err(unexpected(scan, word, "`outer loop`"));
            }
        }
        take(scan, "`loop`")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            take(scan, "`vertex`")?;
            *corner = merger.vertex(scan.point()?);
        }
        take(scan, "`endloop`")?;
        take(scan, "`endfacet`")?;
        triangles.push(corners);
    }
}

fn keyword<'a>(scan: &mut Scanner<'a>, needed: &str) -> Result<&'a [u8], Fault> {
    let word = scan.first_word();
    word.ok_or_else(|| scan.fault(format!("the file ends where {needed} is needed")))
}

/// Takes the keyword `needed`, which stands in backquotes so that messages can show it.
fn take(scan: &mut Scanner<'_>, needed: &str) -> Result<(), Fault> {
    let word = keyword(scan, needed)?;
    if word.eq_ignore_ascii_case(needed.trim_matches('`').as_bytes()) {
        return Ok(());
    }
    Err(unexpected(scan, word, needed))
}

fn unexpected(scan: &Scanner<'_>, word: &[u8], needed: &str) -> Fault {
    scan.fault(format!("found {} where {needed} is needed", quoted(word)))
}

fn part(name: Option<String>, merger: Merger, triangles: Vec<[u32; 3]>) -> Result<Part, Fault> {
    let mesh = Mesh::new(merger.into_vertices(), triangles)
        .map_err(|error| Fault::new(Place::Whole, error))?;
    Ok(Part { name, mesh })
}
