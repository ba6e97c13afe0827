//! Typed arrays of a glTF document, checked against the bytes that they claim.

use super::{container::Container, fault};
use crate::meshes::error::{Fault, FaultKind};
use std::cell::Cell;

/// Reads accessors and keeps count of what comes out, because many may share the same bytes.
pub struct Accessors<'a> {
    pub container: &'a Container,
    /// Numbers that may still be handed out.
    left: Cell<u64>,
}

/// Numbers handed out per byte of the file [-]: a file that names the same bytes more often than this is a bomb.
const NUMBERS_PER_BYTE: u64 = 64;
/// Numbers that even the smallest file may hand out.
const ALWAYS_ALLOWED: u64 = 1 << 16;

impl<'a> Accessors<'a> {
    pub fn new(container: &'a Container, file_size: usize) -> Self {
        let size = container.buffers.iter().map(Vec::len).sum::<usize>().max(file_size) as u64;
        Accessors { container, left: Cell::new(size.saturating_mul(NUMBERS_PER_BYTE).max(ALWAYS_ALLOWED)) }
    }

    /// Counts numbers that are about to be stored.
    pub fn spend(&self, numbers: u64) -> Result<(), Fault> {
        match self.left.get().checked_sub(numbers) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(fault(
                FaultKind::TooLarge,
                "the file names the same data so often that it would grow out of proportion",
                "remove instances or split the file",
            )),
        }
    }

    /// The numbers of an accessor, `components` per element.
    pub fn numbers(&self, index: usize, components: usize) -> Result<Vec<f64>, Fault> {
        let accessor = self.container.document.accessors.get(index).ok_or_else(|| {
            fault(FaultKind::Index, format!("accessor {index} does not exist"), "export the file again")
        })?;
        let found = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 0,
        };
        if found != components {
            let message = format!("accessor {index} has {found} numbers per element, expected {components}");
            return Err(fault(FaultKind::Value, message, "export the file again"));
        }
        self.spend((accessor.count as u64).saturating_mul(components as u64))?;
        let name = format!("accessor {index}");
        let unit = unit(accessor.component_type);
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let layout = Layout {
                    view,
                    offset: accessor.byte_offset,
                    component: accessor.component_type,
                    count: accessor.count,
                    components,
                };
                self.elements(&layout, &name)?
            }
            None => vec![0.0; accessor.count * components],
        };
        if let Some(sparse) = &accessor.sparse {
            self.spend((sparse.count as u64).saturating_mul(1 + components as u64))?;
            let layout = Layout {
                view: sparse.indices.buffer_view,
                offset: sparse.indices.byte_offset,
                component: sparse.indices.component_type,
                count: sparse.count,
                components: 1,
            };
            let places = self.elements(&layout, &name)?;
            let layout = Layout {
                view: sparse.values.buffer_view,
                offset: sparse.values.byte_offset,
                component: accessor.component_type,
                count: sparse.count,
                components,
            };
            let replaced = self.elements(&layout, &name)?;
            for (k, place) in places.iter().enumerate() {
                let at = *place as usize * components;
                let Some(target) = values.get_mut(at..at + components) else {
                    let message = format!("{name} replaces element {place} of {}", accessor.count);
                    return Err(fault(FaultKind::Index, message, "export the file again"));
                };
                target.copy_from_slice(&replaced[k * components..(k + 1) * components]);
            }
        }
        if accessor.normalized {
            // The most negative integer stands for −1 too.
            values.iter_mut().for_each(|v| *v = (*v / unit).max(-1.0));
        }
        Ok(values)
    }

    fn elements(&self, layout: &Layout, name: &str) -> Result<Vec<f64>, Fault> {
        let wrong = |what: String| fault(FaultKind::Truncated, what, "export the file again");
        let views = &self.container.document.buffer_views;
        let view =
            views.get(layout.view).ok_or_else(|| wrong(format!("{name} names a buffer view that does not exist")))?;
        let bytes = self
            .container
            .buffers
            .get(view.buffer)
            .and_then(|b| b.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?));
        let bytes = bytes.ok_or_else(|| wrong(format!("buffer view {} reaches beyond its buffer", layout.view)))?;
        let size = component_size(layout.component).ok_or_else(|| {
            fault(
                FaultKind::Unsupported,
                format!("{name} has the unknown component type {}", layout.component),
                "export the file again",
            )
        })?;
        let stride = view.byte_stride.filter(|s| *s > 0).unwrap_or(size * layout.components);
        let end = (layout.count.saturating_sub(1))
            .checked_mul(stride)
            .and_then(|n| n.checked_add(layout.offset)?.checked_add(size * layout.components));
        if layout.count > 0 && end.is_none_or(|end| end > bytes.len()) {
            let message = format!(
                "{name} claims {} elements of {} bytes, but its buffer view has {} bytes",
                layout.count,
                size * layout.components,
                bytes.len()
            );
            return Err(wrong(message));
        }
        let mut values = Vec::with_capacity(layout.count * layout.components);
        for element in 0..layout.count {
            for k in 0..layout.components {
                let at = layout.offset + element * stride + k * size;
                values.push(component(&bytes[at..at + size], layout.component));
            }
        }
        Ok(values)
    }
}

struct Layout {
    view: usize,
    offset: usize,
    component: u32,
    count: usize,
    components: usize,
}

const BYTE: u32 = 5120;
const UNSIGNED_BYTE: u32 = 5121;
const SHORT: u32 = 5122;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

fn component_size(kind: u32) -> Option<usize> {
    Some(match kind {
        BYTE | UNSIGNED_BYTE => 1,
        SHORT | UNSIGNED_SHORT => 2,
        UNSIGNED_INT | FLOAT => 4,
        _ => return None,
    })
}

/// What stands for 1 in a normalised integer.
fn unit(kind: u32) -> f64 {
    match kind {
        BYTE => f64::from(i8::MAX),
        UNSIGNED_BYTE => f64::from(u8::MAX),
        SHORT => f64::from(i16::MAX),
        UNSIGNED_SHORT => f64::from(u16::MAX),
        UNSIGNED_INT => f64::from(u32::MAX),
        _ => 1.0,
    }
}

fn component(b: &[u8], kind: u32) -> f64 {
    match kind {
        BYTE => f64::from(b[0] as i8),
        UNSIGNED_BYTE => f64::from(b[0]),
        SHORT => f64::from(i16::from_le_bytes([b[0], b[1]])),
        UNSIGNED_SHORT => f64::from(u16::from_le_bytes([b[0], b[1]])),
        UNSIGNED_INT => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        _ => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
    }
}
