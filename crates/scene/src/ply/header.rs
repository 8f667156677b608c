//! The header of a PLY file: which elements follow, and how each is laid out.

use crate::error::Fault;
use crate::text::{Scanner, quoted};
use std::collections::HashSet;

/// How the elements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }
}

/// One column of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    /// The type of a list's length; none for a single number.
    pub(super) list: Option<Kind>,
    pub(super) kind: Kind,
}

/// A table of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
    /// Where it is declared, for messages.
    pub(super) line: usize,
}

/// All that stands before the elements.
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

/// Reads up to the line `end_header`, which `scan` is then in.
pub(super) fn read(scan: &mut Scanner<'_>) -> Result<Header, Fault> {
    let magic = scan.word().unwrap_or_default();
    if magic != b"ply" {
        return Err(scan.fault(format!("found {} where `ply` is needed", quoted(magic))));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut names = HashSet::new();
    loop {
        scan.end_line();
        let Some(word) = scan.first_word() else {
            return Err(scan.fault("the file ends where `end_header` is needed"));
        };
        match word {
            b"format" => encoding = Some(read_encoding(scan)?),
            b"comment" | b"obj_info" => {}
            b"element" => {
                let element = read_element(scan)?;
                if !names.insert(element.name.clone()) {
                    let name = quoted(&element.name);
                    return Err(scan.fault(format!("the element {name} is declared twice")));
                }
                elements.push(element);
            }
            b"property" => {
                let property = read_property(scan)?;
                let Some(element) = elements.last_mut() else {
                    return Err(scan.fault("a property stands before the first `element`"));
                };
                element.properties.push(property);
            }
            b"end_header" => break,
            _ => {
                let message = format!(
                    "found {} where a header line is needed (format, element, property, comment, \
                     obj_info, end_header)",
                    quoted(word)
                );
                return Err(scan.fault(message));
            }
        }
    }
    let Some(encoding) = encoding else {
        return Err(scan.fault("the header ends without a `format` line"));
    };
    Ok(Header { encoding, elements })
}

fn read_encoding(scan: &mut Scanner<'_>) -> Result<Encoding, Fault> {
    let encoding = match scan.needed_word("a format")? {
        b"ascii" => Encoding::Ascii,
        b"binary_little_endian" => Encoding::LittleEndian,
        b"binary_big_endian" => Encoding::BigEndian,
        other => {
            let known = "ascii, binary_little_endian or binary_big_endian";
            let message = format!("the format {} is unknown; {known} is needed", quoted(other));
            return Err(scan.fault(message));
        }
    };
    match scan.needed_word("the version 1.0")? {
        b"1.0" => Ok(encoding),
        other => {
            Err(scan.fault(format!("the version {} is unknown; 1.0 is needed", quoted(other))))
        }
    }
}

fn read_element(scan: &mut Scanner<'_>) -> Result<Element, Fault> {
    let name = scan.needed_word("an element's name")?.to_vec();
    let count = scan.count("a count of elements")?;
    Ok(Element { name, count, properties: Vec::new(), line: scan.line() })
}

fn read_property(scan: &mut Scanner<'_>) -> Result<Property, Fault> {
    let first = scan.needed_word("a type")?;
    let (list, kind) = if first == b"list" {
        let length = scan.needed_word("the type of a list's length")?;
        let kind = read_kind(scan, length)?;
        if !kind.is_integer() {
            let message =
                format!("a list's length is of type {}; an integer type is needed", quoted(length));
            return Err(scan.fault(message));
        }
        (Some(kind), scan.needed_word("a type")?)
    } else {
        (None, first)
    };
    let kind = read_kind(scan, kind)?;
    let name = scan.needed_word("a property's name")?.to_vec();
    if list.is_some() && is_index_list(&name) && !kind.is_integer() {
        let message =
            format!("the list {} is not of an integer type, as indices need", quoted(&name));
        return Err(scan.fault(message));
    }
    Ok(Property { name, list, kind })
}

/// Whether a list of this name holds the corners of faces.
pub(super) fn is_index_list(name: &[u8]) -> bool {
    matches!(name, b"vertex_indices" | b"vertex_index")
}

fn read_kind(scan: &Scanner<'_>, name: &[u8]) -> Result<Kind, Fault> {
    Kind::named(name).ok_or_else(|| {
        scan.fault(format!(
            "the type {} is unknown; one such as int or float32 is needed",
            quoted(name)
        ))
    })
}
