//! PLY: text, little-endian and big-endian.
//!
//! Read are the columns `x`, `y` and `z` of the element `vertex`, and the list `vertex_indices` (or
//! `vertex_index`) of the elements `face` and `tristrips`. All else is skipped by its declared
//! layout. Faces of fewer than three corners are wires: they keep their number but give no
//! triangle. In a strip, a negative index starts anew; each triangle of a strip is a face. What
//! follows the last element is ignored, as programs append their own data there.

mod header;
mod values;

use crate::error::{Fault, Place};
use crate::off::no_vertex;
use crate::part::{Faces, Part};
use crate::text::Scanner;
use header::{Element, Encoding, Kind, is_index_list};
use impinge_geom::Point;
use values::{Binary, Text, Values};

/// The body of a PLY file.
pub fn read(bytes: &[u8]) -> Result<Vec<Part>, Fault> {
    let mut scan = Scanner::new(bytes);
    let header = header::read(&mut scan)?;
    let vertices = header.elements.iter().find(|element| element.name == b"vertex");
    let Some(vertex_count) = vertices.map(|element| element.count) else {
        return Err(scan.fault("the header ends without an element `vertex`"));
    };
    let body = Body { vertex_count, vertices: Vec::new(), faces: Faces::default() };
    if header.encoding == Encoding::Ascii {
        scan.end_line();
        return body.read(Text(scan), &header.elements);
    }
    let at = bytes.len() - scan.remaining().len() + header_end(&scan, bytes)?;
    let big_endian = header.encoding == Encoding::BigEndian;
    body.read(Binary { bytes, at, last: at, big_endian }, &header.elements)
}

/// How much follows the word `end_header` up to the numbers: blanks and one line end. A line feed
/// behind a carriage return may be a number, but only where no line before it ends in a line feed.
fn header_end(scan: &Scanner<'_>, bytes: &[u8]) -> Result<usize, Fault> {
    let rest = scan.remaining();
    let header = &bytes[..bytes.len() - rest.len()];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match &rest[blanks..] {
        [b'\r', b'\n', ..] if header.contains(&b'\n') => Ok(blanks + 2),
        [b'\r' | b'\n', ..] => Ok(blanks + 1),
        [] => Ok(blanks),
        _ => Err(scan.fault("`end_header` is not the last word of its line, as it must be")),
    }
}

struct Body {
    /// As the header promises.
    vertex_count: usize,
    vertices: Vec<Point>,
    faces: Faces,
}

impl Body {
    fn read(mut self, mut values: impl Values, elements: &[Element]) -> Result<Vec<Part>, Fault> {
        for element in elements {
            match element.name.as_slice() {
                b"vertex" => self.read_vertices(&mut values, element)?,
                b"face" => self.read_lists(&mut values, element, Self::read_face)?,
                b"tristrips" => self.read_lists(&mut values, element, Self::read_strip)?,
                _ => skip_element(&mut values, element)?,
            }
        }
        Ok(vec![Part { name: None, mesh: self.faces.into_mesh(self.vertices)? }])
    }

    fn read_vertices(&mut self, values: &mut impl Values, element: &Element) -> Result<(), Fault> {
        let axes: Vec<Option<usize>> = element.properties.iter().map(axis_of).collect();
        for axis in 0..3 {
            if axes.iter().filter(|&&a| a == Some(axis)).count() != 1 {
                let name = ["x", "y", "z"][axis];
                let message = format!("the element `vertex` needs one property `{name}`");
                return Err(Fault::new(Place::Line(element.line), message));
            }
        }
        self.vertices.reserve(element.count.min(values.elements_max(&element.properties)));
        for_each(values, element, |values| {
            let mut point = [0.0; 3];
            for (property, axis) in element.properties.iter().zip(&axes) {
                match axis {
                    Some(axis) => point[*axis] = values.coordinate(property.kind)?,
                    None => skip_property(values, property)?,
                }
            }
            self.vertices.push(point);
            Ok(())
        })
    }

    /// Reads an element whose index list is taken by `read_list`.
    fn read_lists<V: Values>(
        &mut self,
        values: &mut V,
        element: &Element,
        read_list: impl Fn(&mut Self, &mut V, usize, Kind) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if element.count == 0 {
            return Ok(());
        }
        let is_list = |p: &header::Property| p.list.is_some() && is_index_list(&p.name);
        let Some(indices) = element.properties.iter().position(is_list) else {
            let name = String::from_utf8_lossy(&element.name);
            let message = format!("the element `{name}` needs a list `vertex_indices`");
            return Err(Fault::new(Place::Line(element.line), message));
        };
        for_each(values, element, |values| {
            for (i, property) in element.properties.iter().enumerate() {
                match property.list {
                    Some(length) if i == indices => {
                        let length = list_length(values, length)?;
                        read_list(self, values, length, property.kind)?;
                    }
                    _ => skip_property(values, property)?,
                }
            }
            Ok(())
        })
    }

    #[inline]
    fn read_face(
        &mut self,
        values: &mut impl Values,
        length: usize,
        kind: Kind,
    ) -> Result<(), Fault> {
        for _ in 0..length {
            let index = values.integer(kind, "a vertex index")?;
            let vertex = self.vertex(values, index)?;
            self.faces.corners.push(vertex);
        }
        self.faces.close_face();
        Ok(())
    }

    /// Every other triangle of a strip has its corners swapped, so that all face the same way.
    fn read_strip(
        &mut self,
        values: &mut impl Values,
        length: usize,
        kind: Kind,
    ) -> Result<(), Fault> {
        let mut strip: Vec<u32> = Vec::new();
        for _ in 0..length {
            let index = values.integer(kind, "a vertex index")?;
            if index < 0 {
                strip.clear();
                continue;
            }
            strip.push(self.vertex(values, index)?);
            if let &[.., a, b, c] = strip.as_slice() {
                let corners = if strip.len() % 2 == 1 { [a, b, c] } else { [b, a, c] };
                self.faces.corners.extend(corners);
                self.faces.close_face();
            }
        }
        Ok(())
    }

    #[inline]
    fn vertex(&self, values: &impl Values, index: i64) -> Result<u32, Fault> {
        match u32::try_from(index) {
            Ok(vertex) if (vertex as usize) < self.vertex_count => Ok(vertex),
            _ => Err(values.fault(no_vertex(index, self.vertex_count))),
        }
    }
}

fn axis_of(property: &header::Property) -> Option<usize> {
    match (property.list, property.name.as_slice()) {
        (None, b"x") => Some(0),
        (None, b"y") => Some(1),
        (None, b"z") => Some(2),
        _ => None,
    }
}

fn list_length(values: &mut impl Values, kind: Kind) -> Result<usize, Fault> {
    let length = values.integer(kind, "a list's length")?;
    usize::try_from(length)
        .map_err(|_| values.fault(format!("{length} is no length of a list; 0 or more is needed")))
}

fn skip_property(values: &mut impl Values, property: &header::Property) -> Result<(), Fault> {
    let count = match property.list {
        Some(length) => list_length(values, length)?,
        None => 1,
    };
    values.skip(property.kind, count)
}

fn skip_element(values: &mut impl Values, element: &Element) -> Result<(), Fault> {
    // Without properties an element takes no room, however many the header promises.
    if element.properties.is_empty() {
        return Ok(());
    }
    for_each(values, element, |values| {
        element.properties.iter().try_for_each(|property| skip_property(values, property))
    })
}

/// Reads as many elements as the header promises, each by `read`.
#[inline]
fn for_each<V: Values>(
    values: &mut V,
    element: &Element,
    mut read: impl FnMut(&mut V) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for found in 0..element.count {
        if !values.start_element() {
            return Err(missing(&values.fault("the file ends here".to_owned()), element, found));
        }
        if let Err(fault) = read(values).and_then(|()| values.end_element()) {
            // The line at fault may then be one of the next element, so say what led there.
            let lacking = values.lacks(element.count - found - 1);
            return Err(if lacking { missing(&fault, element, found) } else { fault });
        }
    }
    Ok(())
}

/// The fault, and that only so many elements were found.
#[cold]
fn missing(fault: &Fault, element: &Element, found: usize) -> Fault {
    let Element { name, count, .. } = element;
    let name = String::from_utf8_lossy(name);
    let message = format!("elements `{name}` are missing: found {found} of {count}");
    Fault::new(fault.place, format!("{}; {message}", fault.message))
}
