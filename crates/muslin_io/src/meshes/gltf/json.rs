//! The parts of a glTF document that describe surfaces and their motion.

use super::extras::Extras;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The document.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct Document {
    pub asset: AssetJson,
    pub scene: Option<usize>,
    pub scenes: Vec<SceneJson>,
    pub nodes: Vec<NodeJson>,
    pub meshes: Vec<MeshJson>,
    pub skins: Vec<SkinJson>,
    pub animations: Vec<AnimationJson>,
    pub accessors: Vec<AccessorJson>,
    pub buffer_views: Vec<BufferViewJson>,
    pub buffers: Vec<BufferJson>,
    pub extensions_required: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct SceneJson {
    pub nodes: Vec<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct NodeJson {
    pub name: String,
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub weights: Vec<f64>,
    pub extras: Extras,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct MeshJson {
    pub name: String,
    pub primitives: Vec<PrimitiveJson>,
    pub weights: Vec<f64>,
    pub extras: Extras,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct AssetJson {
    pub extras: Extras,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct PrimitiveJson {
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
    pub targets: Vec<BTreeMap<String, usize>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct SkinJson {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct AnimationJson {
    pub name: String,
    pub channels: Vec<ChannelJson>,
    pub samplers: Vec<SamplerJson>,
}

#[derive(Deserialize)]
pub struct ChannelJson {
    pub sampler: usize,
    pub target: TargetJson,
}

#[derive(Deserialize)]
pub struct TargetJson {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Deserialize)]
pub struct SamplerJson {
    pub input: usize,
    pub output: usize,
    #[serde(default)]
    pub interpolation: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessorJson {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<SparseJson>,
}

#[derive(Deserialize)]
pub struct SparseJson {
    pub count: usize,
    pub indices: SparseIndicesJson,
    pub values: SparseValuesJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparseIndicesJson {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparseValuesJson {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferViewJson {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferJson {
    pub uri: Option<String>,
    pub byte_length: usize,
}
