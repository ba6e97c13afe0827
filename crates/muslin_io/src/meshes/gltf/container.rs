//! A glTF file's bytes: the JSON document and its buffers, from a GLB, data URIs or files beside it.

use super::{
    fault,
    json::{BufferJson, Document},
};
use crate::meshes::error::{Fault, FaultKind, Place};
use serde::{Deserialize, de::IgnoredAny};
use std::path::Path;

/// The document with its buffers.
pub struct Container {
    pub document: Document,
    pub buffers: Vec<Vec<u8>>,
}

const GLB_MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BIN_CHUNK: u32 = 0x004e_4942;

/// Takes a file apart. Buffers beside it are sought in `folder`.
pub fn open(bytes: Vec<u8>, folder: Option<&Path>) -> Result<Container, Fault> {
    let (json, mut binary) = if bytes.starts_with(GLB_MAGIC) { chunks(&bytes)? } else { (&bytes[..], None) };
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        if is_other_json(json) {
            return no_gltf();
        }
        let place = Place::Line(error.line() as u64);
        Fault::new(place, FaultKind::Syntax, format!("the glTF document is not valid: {error}"), "export it again")
    })?;
    if document.meshes.is_empty() && is_other_json(json) {
        return Err(no_gltf());
    }
    // Quantised positions are accessors of whole numbers, which are read anyway.
    if let Some(name) = document.extensions_required.iter().find(|name| *name != "KHR_mesh_quantization") {
        let message = format!("the file requires the extension `{}`", crate::meshes::excerpt(name.as_bytes()));
        return Err(fault(FaultKind::Unsupported, message, "export it without compression or extensions"));
    }
    let mut buffers = Vec::new();
    for (index, buffer) in document.buffers.iter().enumerate() {
        let bytes = match (&buffer.uri, index) {
            (None, 0) if binary.is_some() => binary.take().unwrap_or_default().to_vec(),
            (None, _) => Vec::new(),
            (Some(uri), _) => load(uri, folder, index)?,
        };
        check_length(buffer, index, bytes.len())?;
        buffers.push(bytes);
    }
    Ok(Container { document, buffers })
}

/// What every glTF document has, and one that shows anything.
#[derive(Deserialize)]
struct Marks {
    asset: Option<IgnoredAny>,
    meshes: Option<IgnoredAny>,
}

/// Whether a text is JSON of another kind.
fn is_other_json(json: &[u8]) -> bool {
    serde_json::from_slice::<Marks>(json).is_ok_and(|marks| marks.asset.is_none() && marks.meshes.is_none())
}

fn no_gltf() -> Fault {
    let message = "this is JSON, but no glTF: it has neither `asset` nor `meshes`";
    fault(FaultKind::Unsupported, message, "give a mesh file; of a run, its directory")
}

fn check_length(buffer: &BufferJson, index: usize, found: usize) -> Result<(), Fault> {
    if buffer.byte_length <= found {
        return Ok(());
    }
    let message = format!("buffer {index} claims {} bytes but has {found}", buffer.byte_length);
    Err(fault(FaultKind::Truncated, message, "the file is cut short: copy or export it again"))
}

/// The JSON and the binary chunk of a GLB.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let word = |at: usize| {
        let slice = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([slice[0], slice[1], slice[2], slice[3]]))
    };
    let cut = |byte: usize| {
        Fault::new(Place::Byte(byte as u64), FaultKind::Truncated, "a chunk of the GLB is cut short", "copy it again")
    };
    if word(4) != Some(2) {
        let message = "only version 2 of glTF is read";
        return Err(Fault::new(Place::Byte(4), FaultKind::Unsupported, message, "export it as glTF 2.0"));
    }
    let (mut json, mut binary, mut at) = (None, None, 12);
    while at < bytes.len() {
        let (length, kind) = (word(at).ok_or_else(|| cut(at))? as usize, word(at + 4).ok_or_else(|| cut(at))?);
        let chunk = bytes.get(at + 8..(at + 8).saturating_add(length)).ok_or_else(|| cut(at))?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BIN_CHUNK if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + length;
    }
    Ok((json.ok_or_else(|| cut(12))?, binary))
}

fn load(uri: &str, folder: Option<&Path>, index: usize) -> Result<Vec<u8>, Fault> {
    if let Some(rest) = uri.strip_prefix("data:") {
        let data = rest.split_once(";base64,").map(|(_, data)| data);
        return data.and_then(base64).ok_or_else(|| {
            fault(FaultKind::Syntax, format!("buffer {index} is no valid base64 data"), "export it as .glb")
        });
    }
    let outside =
        uri.contains("://") || Path::new(uri).is_absolute() || uri.split(['/', '\\']).any(|part| part == "..");
    let name = crate::meshes::excerpt(uri.as_bytes());
    let Some(folder) = folder.filter(|_| !outside) else {
        let message = format!("buffer {index} is in `{name}`, which is not beside the file");
        return Err(fault(FaultKind::Unsupported, message, "export it as .glb"));
    };
    // Spaces are the only escape that exporters write into file names.
    std::fs::read(folder.join(uri.replace("%20", " "))).map_err(|error| {
        let message = format!("buffer {index} is in `{name}`, which cannot be read: {error}");
        fault(FaultKind::Unreadable, message, "put it beside the file, or export as .glb")
    })
}

/// Decodes base64; `None` if a character is not of it.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0u32, 0);
    for &c in text {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_decodes_the_examples_of_its_standard() {
        for (text, plain) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(base64(text).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(base64("Zm9$"), None);
    }
}
