//! The numbers of a PLY file's elements, one after the other, whether text or binary.

use super::header::{Kind, Property};
use crate::error::{Fault, Place};
use crate::text::{Scanner, check_coordinate};

/// Gives the values of all elements in file order.
pub(super) trait Values {
    /// Gets ready for the next element; false if it is known that none follows.
    fn start_element(&mut self) -> bool;
    /// Checks that nothing is left of the element.
    fn end_element(&mut self) -> Result<(), Fault>;
    fn coordinate(&mut self, kind: Kind) -> Result<f64, Fault>;
    /// `what` says what the number is needed for.
    fn integer(&mut self, kind: Kind, what: &str) -> Result<i64, Fault>;
    fn skip(&mut self, kind: Kind, count: usize) -> Result<(), Fault>;
    /// Whether it is known that fewer than `count` elements follow the current one.
    fn lacks(&self, count: usize) -> bool;
    /// A fault at the value that was read last.
    fn fault(&self, message: String) -> Fault;
    /// How many elements of this layout can follow at most: what to reserve memory for.
    fn elements_max(&self, properties: &[Property]) -> usize;
}

/// One element per line.
pub(super) struct Text<'a>(pub(super) Scanner<'a>);

impl Values for Text<'_> {
    fn start_element(&mut self) -> bool {
        self.0.seek_words()
    }

    fn end_element(&mut self) -> Result<(), Fault> {
        if self.0.has_word() {
            return Err(self.0.fault("the line has more values than the header declares"));
        }
        self.0.end_line();
        Ok(())
    }

    fn lacks(&self, count: usize) -> bool {
        let mut rest = self.0.clone();
        !(0..count).all(|_| {
            rest.end_line();
            rest.seek_words()
        })
    }

    fn coordinate(&mut self, _: Kind) -> Result<f64, Fault> {
        self.0.coordinate()
    }

    fn integer(&mut self, _: Kind, what: &str) -> Result<i64, Fault> {
        self.0.integer(what)
    }

    fn skip(&mut self, _: Kind, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            self.0.needed_word("a value")?;
        }
        Ok(())
    }

    fn fault(&self, message: String) -> Fault {
        self.0.fault(message)
    }

    fn elements_max(&self, properties: &[Property]) -> usize {
        // A value takes at least a digit and a blank; the last one may lack the blank.
        (self.0.remaining().len() + 1) / (2 * properties.len()).max(1)
    }
}

/// Packed numbers.
pub(super) struct Binary<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Where the value that was read last begins.
    pub(super) last: usize,
    pub(super) big_endian: bool,
}

impl Binary<'_> {
    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some(found) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.ended());
        };
        self.last = self.at;
        self.at += N;
        let mut value = *found;
        if self.big_endian {
            value.reverse();
        }
        Ok(value)
    }

    #[cold]
    fn ended(&self) -> Fault {
        let place = Place::Byte(self.bytes.len() as u64);
        Fault::new(place, "the file ends here, before all elements that the header promises")
    }
}

impl Values for Binary<'_> {
    fn start_element(&mut self) -> bool {
        true
    }

    fn lacks(&self, _: usize) -> bool {
        // Packed numbers are never taken for others: the file ends, and the fault says so.
        false
    }

    fn end_element(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn coordinate(&mut self, kind: Kind) -> Result<f64, Fault> {
        let value = match kind {
            Kind::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Kind::F64 => f64::from_le_bytes(self.take()?),
            integer => self.integer(integer, "a coordinate")? as f64,
        };
        check_coordinate(value)
            .map_err(|problem| self.fault(format!("the coordinate `{value:?}` {problem}")))
    }

    #[inline]
    fn integer(&mut self, kind: Kind, what: &str) -> Result<i64, Fault> {
        Ok(match kind {
            Kind::I8 => i8::from_le_bytes(self.take()?).into(),
            Kind::U8 => u8::from_le_bytes(self.take()?).into(),
            Kind::I16 => i16::from_le_bytes(self.take()?).into(),
            Kind::U16 => u16::from_le_bytes(self.take()?).into(),
            Kind::I32 => i32::from_le_bytes(self.take()?).into(),
            Kind::U32 => u32::from_le_bytes(self.take()?).into(),
            Kind::F32 | Kind::F64 => {
                return Err(self.fault(format!("{what} is of a type that is no integer")));
            }
        })
    }

    #[inline]
    fn skip(&mut self, kind: Kind, count: usize) -> Result<(), Fault> {
        let left = self.bytes.len() - self.at;
        match count.checked_mul(kind.size()).filter(|&size| size <= left) {
            Some(size) => {
                self.at += size;
                Ok(())
            }
            None => Err(self.ended()),
        }
    }

    fn fault(&self, message: String) -> Fault {
        Fault::new(Place::Byte(self.last as u64), message)
    }

    fn elements_max(&self, properties: &[Property]) -> usize {
        let size: usize = properties.iter().map(|p| p.list.unwrap_or(p.kind).size()).sum();
        (self.bytes.len() - self.at) / size.max(1)
    }
}
