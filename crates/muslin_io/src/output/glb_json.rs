//! The description at the front of a GLB file.
//!
//! Every frame of a body adds two views, two accessors and a target. They are kept as the text that they become: as
//! trees of values they would take ten times the room, and a run may have ten thousand frames.

use super::{
    cast::Cast,
    glb::{BodyMesh, quantise},
};
use glam::DVec3;
use muslin_model::BodyKind;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The description, as bytes.
pub(super) struct Description {
    /// File header, description, header of the binary part.
    pub head: Vec<u8>,
}

// Kinds of numbers, by the format's codes.
const BYTE: u32 = 5120;
const SHORT: u32 = 5122;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
// What a view is for.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The text of a list, without its brackets.
#[derive(Default)]
struct List {
    text: String,
    count: usize,
}

impl List {
    /// Adds an element; its number.
    fn push(&mut self, element: &str) -> usize {
        if self.count > 0 {
            self.text.push(',');
        }
        self.text.push_str(element);
        self.count += 1;
        self.count - 1
    }
}

/// The text of an object with one more key, a list.
fn with_list(object: &Value, key: &str, list: &List) -> String {
    let mut text = object.to_string();
    add_list(&mut text, key, list);
    text
}

fn add_list(object: &mut String, key: &str, list: &List) {
    let empty = object == "{}";
    object.pop();
    if !empty {
        object.push(',');
    }
    for piece in ["\"", key, "\":[", &list.text, "]}"] {
        object.push_str(piece);
    }
}

/// Views, accessors and the length of the binary part while it is laid out.
#[derive(Default)]
struct Layout {
    views: List,
    accessors: List,
    length: u64,
}

impl Layout {
    /// Adds a view; its number.
    fn view(&mut self, length: usize, stride: Option<u32>, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": length });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.length += length as u64;
        self.views.push(&view.to_string())
    }

    /// Adds an accessor; its number.
    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(&accessor.to_string())
    }
}

impl Description {
    /// Lays the file out; the error says why it cannot be.
    pub fn new(cast: &Cast, bodies: &[BodyMesh], frames: usize) -> Result<Self, String> {
        let (mut layout, targets) = (Layout::default(), frames.saturating_sub(1));
        let weights = (targets > 0).then(|| animation_accessors(&mut layout, cast, targets)).transpose()?;
        let (mut meshes, mut nodes, mut channels) = (List::default(), Vec::new(), Vec::new());
        for (b, mesh) in bodies.iter().enumerate() {
            let body = &cast.bodies[mesh.body];
            let mut primitives = List::default();
            primitives.push(&primitive(&mut layout, mesh, body.kind));
            let mut file_mesh = json!({ "name": body.name });
            // What reading it back needs to join the two sides of a seam again.
            let seams = &mesh.sources[mesh.start.len().min(mesh.sources.len())..];
            if !seams.is_empty() {
                file_mesh["extras"] = json!({ "muslin_seams": seams });
            }
            meshes.push(&with_list(&file_mesh, "primitives", &primitives));
            let kind = if body.kind == BodyKind::Cloth { "cloth" } else { "obstacle" };
            let mut node = json!({ "name": body.name, "mesh": b, "extras": { "muslin_kind": kind } });
            if !mesh.frames.is_empty() {
                node["scale"] = json!([mesh.scale, mesh.scale, mesh.scale]);
                channels.push(json!({ "sampler": 0, "target": { "node": b, "path": "weights" } }));
            }
            nodes.push(node);
        }
        let material = |name: &str, colour: [f64; 4]| {
            let surface = json!({ "baseColorFactor": colour, "metallicFactor": 0, "roughnessFactor": 0.9 });
            json!({ "name": name, "doubleSided": true, "pbrMetallicRoughness": surface })
        };
        let mut file = json!({
            "asset": {
                "version": "2.0",
                "generator": concat!("Muslin ", env!("CARGO_PKG_VERSION")),
                "extras": { "muslin_frames_per_second": cast.frames_per_second },
            },
            "scene": 0,
            "scenes": [{ "name": cast.name, "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
            "nodes": nodes,
            "materials": [material("cloth", [0.8, 0.75, 0.65, 1.0]), material("obstacle", [0.4, 0.42, 0.45, 1.0])],
            "buffers": [{ "byteLength": layout.length }],
        });
        if let (Some([times, weights]), false) = (weights, channels.is_empty()) {
            let sampler = json!({ "input": times, "output": weights, "interpolation": "LINEAR" });
            file["animations"] = json!([{ "name": cast.name, "channels": channels, "samplers": [sampler] }]);
            file["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
            file["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        }
        let mut text = file.to_string();
        for (key, list) in [("meshes", &meshes), ("bufferViews", &layout.views), ("accessors", &layout.accessors)] {
            add_list(&mut text, key, list);
        }
        Ok(Description { head: head(text, layout.length)? })
    }

    /// Writes the times of the frames and the sparse weights: what [`animation_accessors`] laid out.
    pub fn write_animation(&self, out: &mut impl Write, cast: &Cast, frames: usize) -> io::Result<()> {
        let targets = frames.saturating_sub(1);
        if targets == 0 {
            return Ok(());
        }
        (0..frames).try_for_each(|k| out.write_all(&(cast.time(k) as f32).to_le_bytes()))?;
        (1..=targets).try_for_each(|k| out.write_all(&((k * targets + k - 1) as u32).to_le_bytes()))?;
        (1..=targets).try_for_each(|_| out.write_all(&1f32.to_le_bytes()))
    }
}

/// Accessors of times and weights.
fn animation_accessors(layout: &mut Layout, cast: &Cast, targets: usize) -> Result<[usize; 2], String> {
    let weights = targets as u64 * (targets as u64 + 1);
    if u32::try_from(weights).is_err() {
        return Err(format!("{targets} frames have more weights than 32 bits can number"));
    }
    let view = layout.view(4 * (targets + 1), None, None);
    let last = cast.time(targets) as f32;
    let times = layout.accessor(json!({
        "bufferView": view, "componentType": FLOAT, "type": "SCALAR", "count": targets + 1, "min": [0.0], "max": [last],
    }));
    let indices = layout.view(4 * targets, None, None);
    let values = layout.view(4 * targets, None, None);
    let sparse = json!({
        "count": targets,
        "indices": { "bufferView": indices, "componentType": UNSIGNED_INT },
        "values": { "bufferView": values },
    });
    let weights =
        layout.accessor(json!({ "componentType": FLOAT, "type": "SCALAR", "count": weights, "sparse": sparse }));
    Ok([times, weights])
}

/// The mesh of a body with its targets, in the order in which its bytes are written.
fn primitive(layout: &mut Layout, mesh: &BodyMesh, kind: BodyKind) -> String {
    let count = mesh.sources.len();
    let vectors = |layout: &mut Layout, extra: Value| {
        let view = layout.view(12 * count, Some(12), Some(VERTICES));
        let mut accessor = json!({ "bufferView": view, "componentType": FLOAT, "type": "VEC3", "count": count });
        if let (Value::Object(accessor), Value::Object(extra)) = (&mut accessor, extra) {
            accessor.extend(extra);
        }
        layout.accessor(accessor)
    };
    let view = layout.view(12 * mesh.corners.len(), None, Some(INDICES));
    let indices = layout.accessor(json!({
        "bufferView": view, "componentType": UNSIGNED_INT, "type": "SCALAR", "count": 3 * mesh.corners.len(),
    }));
    let mut attributes = json!({});
    if !mesh.uv.is_empty() {
        let view = layout.view(8 * count, Some(8), Some(VERTICES));
        let accessor = json!({ "bufferView": view, "componentType": FLOAT, "type": "VEC2", "count": count });
        attributes["TEXCOORD_0"] = layout.accessor(accessor).into();
    }
    let (mut low, mut high) = (glam::Vec3::INFINITY, glam::Vec3::NEG_INFINITY);
    for p in mesh.start.iter().map(|p| (*p / mesh.scale).as_vec3()) {
        (low, high) = (low.min(p), high.max(p));
    }
    let bounds = json!({ "min": low.to_array(), "max": high.to_array() });
    attributes["POSITION"] = vectors(layout, bounds).into();
    attributes["NORMAL"] = vectors(layout, json!({})).into();
    let material = usize::from(kind == BodyKind::Obstacle);
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    let mut targets = List::default();
    for range in &mesh.frames {
        let quantised = |v: DVec3| v.to_array().map(|d| quantise(d, mesh.scale));
        let view = layout.view(8 * count, Some(8), Some(VERTICES));
        let position = layout.accessor(json!({
            "bufferView": view, "componentType": SHORT, "normalized": true, "type": "VEC3", "count": count,
            "min": quantised(range.low), "max": quantised(range.high),
        }));
        let normal = match range.narrow {
            true => {
                let view = layout.view(4 * count, Some(4), Some(VERTICES));
                layout.accessor(json!({
                    "bufferView": view, "componentType": BYTE, "normalized": true, "type": "VEC3", "count": count,
                }))
            }
            false => vectors(layout, json!({})),
        };
        targets.push(&json!({ "POSITION": position, "NORMAL": normal }).to_string());
    }
    if targets.count > 0 { with_list(&primitive, "targets", &targets) } else { primitive.to_string() }
}

/// File header, description and the header of the binary part.
fn head(file: String, length: u64) -> Result<Vec<u8>, String> {
    let mut text = file.into_bytes();
    while !text.len().is_multiple_of(4) {
        text.push(b' ');
    }
    let total = 12 + 8 + text.len() as u64 + 8 + length;
    let Ok(total) = u32::try_from(total) else {
        return Err(format!("it would have {total} bytes, and GLB files end at 4 GiB"));
    };
    let mut head = Vec::with_capacity(text.len() + 28);
    head.extend_from_slice(b"glTF");
    head.extend_from_slice(&2u32.to_le_bytes());
    head.extend_from_slice(&total.to_le_bytes());
    head.extend_from_slice(&(text.len() as u32).to_le_bytes());
    head.extend_from_slice(b"JSON");
    head.extend_from_slice(&text);
    head.extend_from_slice(&(length as u32).to_le_bytes());
    head.extend_from_slice(b"BIN\0");
    Ok(head)
}
