//! Accessors: typed, strided, possibly sparse columns of numbers [glTF 2.0 §3.6.2].

use super::buffer::{Buffers, missing};
use super::json::{Document, Sparse};
use super::whole;
use crate::error::Fault;
use impinge_geom::Point;

/// Elements that a sparse accessor without a buffer view may have: all but the sparse ones are
/// zero, so nothing in the file backs the number.
const UNBACKED_MAX: u64 = 1 << 16;

/// How one number is stored.
#[derive(Clone, Copy)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn unsigned(code: u32) -> Option<Self> {
        let unsigned = |c: &Self| matches!(c, Self::U8 | Self::U16 | Self::U32);
        Self::from_code(code).filter(unsigned)
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number in the first bytes of `b`, which are enough.
    fn number(self, b: &[u8]) -> f64 {
        match self {
            Self::I8 => f64::from(b[0] as i8),
            Self::U8 => f64::from(b[0]),
            Self::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Self::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Self::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        }
    }

    /// The same for an index; only unsigned kinds are ever asked.
    fn index(self, b: &[u8]) -> u32 {
        self.number(b) as u32
    }

    /// What a normalized integer is divided by [glTF 2.0 §3.6.2.2].
    fn full_scale(self) -> Option<f64> {
        match self {
            Self::I8 => Some(127.0),
            Self::U8 => Some(255.0),
            Self::I16 => Some(32767.0),
            Self::U16 => Some(65535.0),
            Self::U32 | Self::F32 => None,
        }
    }
}

/// A column to be read: `count` elements of `size` bytes from `offset` on, `stride` apart.
struct Layout {
    offset: u64,
    stride: Option<u64>,
    size: usize,
    count: u64,
}

impl Layout {
    /// The elements of `bytes`, after a check that all of them are there.
    fn elements<'b>(
        &self,
        bytes: &'b [u8],
        user: &str,
    ) -> Result<impl ExactSizeIterator<Item = &'b [u8]>, Fault> {
        let size = self.size as u64;
        let stride = self.stride.unwrap_or(size);
        if stride < size {
            return Err(whole(format!(
                "{user}: its bufferView has a byteStride of {stride}; at least {size} is needed"
            )));
        }
        let span = self.count.checked_sub(1).map_or(Some(0), |steps| steps.checked_mul(stride));
        let tail = if self.count == 0 { 0 } else { size };
        let end = span.and_then(|span| span.checked_add(tail)?.checked_add(self.offset));
        if end.is_none_or(|end| end > bytes.len() as u64) {
            return Err(whole(format!(
                "{user}: {} elements of {size} bytes, {stride} apart from byte {} on, do not fit \
                 into its bufferView of {} bytes",
                self.count,
                self.offset,
                bytes.len()
            )));
        }
        let (offset, stride, size) = (self.offset as usize, stride as usize, self.size);
        // The count fits into memory, for as many elements lie in `bytes`.
        Ok((0..self.count as usize).map(move |i| &bytes[offset + i * stride..][..size]))
    }
}

/// The points of a POSITION accessor.
pub(super) fn points(
    document: &Document,
    index: usize,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<Point>, Fault> {
    let accessor = &document.accessors[index];
    let component = Component::from_code(accessor.component_type)
        .filter(|component| accessor.shape == "VEC3" && !matches!(component, Component::U32));
    let Some(component) = component else {
        return Err(whole(format!(
            "accessor {index} holds {} of component type {}; positions need VEC3 of 5126 (float), \
             or of 5120…5123 (quantized)",
            accessor.shape, accessor.component_type
        )));
    };
    let scale = component.full_scale().filter(|_| accessor.normalized);
    let point = |bytes: &[u8]| -> Point {
        std::array::from_fn(|k| {
            let number = component.number(&bytes[k * component.size()..]);
            scale.map_or(number, |scale| (number / scale).max(-1.0))
        })
    };
    let column = Column { document, index, size: 3 * component.size() };
    column.read(buffers, point)
}

/// The elements of an accessor of `N` numbers each, whole or not; `user` is what needs them.
pub(super) fn numbers<const N: usize>(
    document: &Document,
    index: usize,
    (user, buffers): (&str, &mut Buffers<'_>),
) -> Result<Vec<[f64; N]>, Fault> {
    let count = document.accessors.len();
    let accessor =
        document.accessors.get(index).ok_or_else(|| missing(user, "accessor", index, count))?;
    let shape = match N {
        1 => "SCALAR",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    };
    let component = Component::from_code(accessor.component_type);
    let Some(component) = component.filter(|_| accessor.shape == shape) else {
        return Err(whole(format!(
            "accessor {index} holds {} of component type {}; {user} needs {shape} of a known one",
            accessor.shape, accessor.component_type
        )));
    };
    let scale = component.full_scale().filter(|_| accessor.normalized);
    let element = |bytes: &[u8]| -> [f64; N] {
        std::array::from_fn(|k| {
            let number = component.number(&bytes[k * component.size()..]);
            scale.map_or(number, |scale| (number / scale).max(-1.0))
        })
    };
    Column { document, index, size: N * component.size() }.read(buffers, element)
}

/// The numbers of an accessor of vertex indices.
pub(super) fn indices(
    document: &Document,
    index: usize,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<u32>, Fault> {
    let accessor = &document.accessors[index];
    let component =
        Component::unsigned(accessor.component_type).filter(|_| accessor.shape == "SCALAR");
    let Some(component) = component else {
        return Err(whole(format!(
            "accessor {index} holds {} of component type {}; indices need SCALAR of 5121, 5123 or \
             5125 (unsigned)",
            accessor.shape, accessor.component_type
        )));
    };
    let column = Column { document, index, size: component.size() };
    column.read(buffers, |bytes| component.index(bytes))
}

/// One accessor and the size of its elements in bytes.
struct Column<'a> {
    document: &'a Document,
    index: usize,
    size: usize,
}

impl Column<'_> {
    fn read<T: Clone>(
        &self,
        buffers: &mut Buffers<'_>,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let user = format!("accessor {}", self.index);
        let accessor = &self.document.accessors[self.index];
        let (offset, count, size) = (accessor.byte_offset, accessor.count, self.size);
        let mut elements = match accessor.buffer_view {
            Some(view) => {
                let bytes = buffers.view(view, &user)?;
                let stride = self.document.buffer_views[view].byte_stride;
                let layout = Layout { offset, stride, size, count };
                layout.elements(bytes, &user)?.map(&decode).collect()
            }
            // Allowed by the format, but such a surface is a point: its data got lost.
            None if accessor.sparse.is_none() => {
                return Err(whole(format!(
                    "{user} has neither a bufferView nor sparse elements; one is needed for \
                     positions and indices"
                )));
            }
            None if count <= UNBACKED_MAX => vec![decode(&vec![0; size]); count as usize],
            None => {
                return Err(whole(format!(
                    "{user} promises {count} elements without a bufferView; at most \
                     {UNBACKED_MAX} are possible so"
                )));
            }
        };
        if let Some(sparse) = &accessor.sparse {
            // More would name an element twice; many accessors could so ask for endless work.
            if sparse.count > count {
                return Err(whole(format!(
                    "{user} has {count} elements, but {} sparse ones; at most as many are possible",
                    sparse.count
                )));
            }
            let values = self.sparse_values(sparse, buffers, decode)?;
            for (place, value) in sparse_places(sparse, &user, buffers)?.into_iter().zip(values) {
                let slot = elements.get_mut(place as usize);
                *slot.ok_or_else(|| {
                    whole(format!("{user}: a sparse index is {place}; it must be below {count}"))
                })? = value;
            }
        }
        Ok(elements)
    }

    fn sparse_values<T>(
        &self,
        sparse: &Sparse,
        buffers: &mut Buffers<'_>,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let user = format!("accessor {}, sparse values", self.index);
        let values = &sparse.values;
        let bytes = buffers.view(values.buffer_view, &user)?;
        let (offset, count) = (values.byte_offset, sparse.count);
        let layout = Layout { offset, stride: None, size: self.size, count };
        Ok(layout.elements(bytes, &user)?.map(decode).collect())
    }
}

fn sparse_places(
    sparse: &Sparse,
    user: &str,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<u32>, Fault> {
    let user = format!("{user}, sparse indices");
    let code = sparse.indices.component_type;
    let component = Component::unsigned(code).ok_or_else(|| {
        whole(format!("{user} are of component type {code}; 5121, 5123 or 5125 is needed"))
    })?;
    let bytes = buffers.view(sparse.indices.buffer_view, &user)?;
    let (offset, count) = (sparse.indices.byte_offset, sparse.count);
    let layout = Layout { offset, stride: None, size: component.size(), count };
    Ok(layout.elements(bytes, &user)?.map(|bytes| component.index(bytes)).collect())
}
