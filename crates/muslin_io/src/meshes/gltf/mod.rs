//! glTF 2.0, as text or GLB: meshes on their nodes, morph targets, skins and animations.
//!
//! glTF is in metres with y up. Every mesh of the default scene becomes a part, placed by its nodes; a skinned mesh
//! stands in its rest pose. Each animation is a clip ([`super::Clip`]). What shading needs is not read.

mod accessor;
mod container;
mod extras;
mod json;
mod rate;
mod rig;
mod sampler;

use super::{
    error::{Fault, FaultKind, Place},
    file_mesh::{Attribute, Clip, Corners, FileMesh, Part, UpAxis, body_kind},
};
use crate::input::Input;
use accessor::Accessors;
use glam::{DMat4, DQuat, DVec2, DVec3};
use json::{Document, PrimitiveJson};
use muslin_model::Deformation;
use rig::{Channel, Local, Node, Rig, Skin, Surface, Target};
use sampler::{Curve, Interpolation};
use std::{io::Read, path::Path, sync::Arc};

fn fault(kind: FaultKind, message: impl Into<String>, remedy: &str) -> Fault {
    Fault::new(Place::File, kind, message, remedy)
}

/// Reads a whole file; buffers beside it are sought in `folder`.
pub fn read(input: &mut Input, folder: Option<&Path>) -> Result<FileMesh, Fault> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let size = bytes.len();
    let container = container::open(bytes, folder)?;
    let accessors = Accessors::new(&container, size);
    let document = &container.document;
    let (order, new_index, nodes) = nodes(document)?;
    let mut mesh = FileMesh { metres_per_unit: Some(1.0), up: Some(UpAxis::Y), ..FileMesh::default() };
    let mut rig = Rig { nodes, ..Rig::default() };
    for (index, &node) in order.iter().enumerate() {
        let json = &document.nodes[node];
        let Some(mesh_index) = json.mesh else { continue };
        let source = document.meshes.get(mesh_index).ok_or_else(|| {
            fault(
                FaultKind::Index,
                format!("node {node} names mesh {mesh_index}, which does not exist"),
                "export it again",
            )
        })?;
        let (first, first_vertex) = (mesh.triangles.len(), mesh.positions.len());
        for primitive in &source.primitives {
            let weights = if json.weights.is_empty() { &source.weights } else { &json.weights };
            let surface = surface(&accessors, primitive, &mut mesh, index, weights)?;
            rig.surfaces.extend(surface);
        }
        if let Some(skin) = json.skin {
            attach_skin(&accessors, skin, &new_index, source.primitives.as_slice(), &mut rig, index)?;
        }
        let name = if json.name.is_empty() { source.name.clone() } else { json.name.clone() };
        let kind = json.extras.kind.as_deref().and_then(body_kind);
        mesh.parts.push(Part { name, triangles: first..mesh.triangles.len(), kind });
        note_seams(&mut mesh, &source.extras.seams, first_vertex);
    }
    if mesh.triangles.is_empty() {
        return Err(fault(FaultKind::Syntax, "the file's scene holds no triangle", "export a scene with meshes"));
    }
    mesh.positions.resize(rig.vertices(), DVec3::ZERO);
    rig.evaluate(0.0, &mut mesh.positions);
    mesh.skinned = rig.surfaces.iter().any(|s| s.skin.is_some());
    mesh.clips = clips(&accessors, &new_index, &rig)?;
    Ok(mesh)
}

/// Notes which of the last vertices of a part repeat earlier ones. Another program may have changed the mesh and kept the
/// note: it holds only where both stand at the same place.
fn note_seams(mesh: &mut FileMesh, seams: &[u32], first: usize) {
    let Some(own) = (mesh.positions.len() - first).checked_sub(seams.len()) else { return };
    for (k, &earlier) in seams.iter().enumerate().filter(|(_, earlier)| (**earlier as usize) < own) {
        let (vertex, earlier) = (first + own + k, first + earlier as usize);
        if mesh.positions[vertex] == mesh.positions[earlier] {
            mesh.repeats.push([vertex as u32, earlier as u32]);
        }
    }
}

type Ordered = (Vec<usize>, Vec<Option<usize>>, Vec<Node>);

/// The nodes of the default scene, parents first: old numbers, new numbers, and the nodes themselves.
fn nodes(document: &Document) -> Result<Ordered, Fault> {
    let count = document.nodes.len();
    let roots = match document.scenes.get(document.scene.unwrap_or(0)) {
        Some(scene) => scene.nodes.clone(),
        None => {
            let mut child = vec![false; count];
            let children = document.nodes.iter().flat_map(|n| &n.children);
            children.filter(|c| **c < count).for_each(|&c| child[c] = true);
            (0..count).filter(|&n| !child[n]).collect()
        }
    };
    let mut new_index: Vec<Option<usize>> = vec![None; count];
    let (mut order, mut nodes): (Vec<usize>, Vec<Node>) = (Vec::new(), Vec::new());
    let mut waiting: Vec<(usize, Option<usize>)> = roots.into_iter().rev().map(|n| (n, None)).collect();
    while let Some((node, parent)) = waiting.pop() {
        let json = document
            .nodes
            .get(node)
            .ok_or_else(|| fault(FaultKind::Index, format!("node {node} does not exist"), "export the file again"))?;
        if new_index[node].is_some() {
            let message = format!("node {node} hangs in two places or inside itself");
            return Err(fault(FaultKind::Syntax, message, "export the file again"));
        }
        new_index[node] = Some(nodes.len());
        let local = match json.matrix {
            Some(matrix) => Local::Matrix(DMat4::from_cols_array(&matrix)),
            None => {
                let rotation = json.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
                let length = rotation.length();
                let rotation = if length > 0.0 { rotation * (1.0 / length) } else { DQuat::IDENTITY };
                let translation = json.translation.map_or(DVec3::ZERO, DVec3::from_array);
                Local::Parts(translation, rotation, json.scale.map_or(DVec3::ONE, DVec3::from_array))
            }
        };
        waiting.extend(json.children.iter().rev().map(|&c| (c, Some(nodes.len()))));
        order.push(node);
        nodes.push(Node { parent, local });
    }
    Ok((order, new_index, nodes))
}

fn vectors3(values: &[f64]) -> Vec<DVec3> {
    values.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Adds a primitive's triangles and attributes to the mesh; `None` if it is no surface.
fn surface(
    accessors: &Accessors<'_>,
    primitive: &PrimitiveJson,
    mesh: &mut FileMesh,
    node: usize,
    weights: &[f64],
) -> Result<Option<Surface>, Fault> {
    let Some(&position) = primitive.attributes.get("POSITION").filter(|_| primitive.mode.unwrap_or(4) >= 4) else {
        mesh.ignored.push("points or lines".into());
        return Ok(None);
    };
    let positions = vectors3(&accessors.numbers(position, 3)?);
    let (first, count) = (mesh.positions.len(), positions.len());
    let indices: Vec<usize> = match primitive.indices {
        Some(index) => accessors.numbers(index, 1)?.into_iter().map(|x| x as usize).collect(),
        None => (0..count).collect(),
    };
    if let Some(bad) = indices.iter().find(|i| **i >= count) {
        let message = format!("a triangle names vertex {bad} of a primitive with {count}");
        return Err(fault(FaultKind::Index, message, "export the file again"));
    }
    if first + count >= u32::MAX as usize {
        return Err(fault(FaultKind::TooLarge, "the file holds more than 4 billion vertices", "split it"));
    }
    let n = indices.len();
    let corners: Vec<[usize; 3]> = match primitive.mode.unwrap_or(4) {
        4 => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        5 => {
            (2..n).map(|k| if k % 2 == 0 { [k - 2, k - 1, k] } else { [k - 1, k - 2, k] }.map(|k| indices[k])).collect()
        }
        6 => (2..n).map(|k| [indices[0], indices[k - 1], indices[k]]).collect(),
        mode => {
            return Err(fault(
                FaultKind::Unsupported,
                format!("the drawing mode {mode} is unknown"),
                "export triangles",
            ));
        }
    };
    accessors.spend(3 * corners.len() as u64)?;
    mesh.triangles.extend(corners.iter().map(|t| t.map(|k| (first + k) as u32)));
    mesh.positions.extend_from_slice(&positions);
    attributes(accessors, primitive, mesh, first..first + count)?;
    let morphs = primitive.targets.iter().map(|target| match target.get("POSITION") {
        Some(&index) => {
            let morph = vectors3(&accessors.numbers(index, 3)?);
            let message = "a morph target has another number of vertices than its mesh";
            if morph.len() == count {
                Ok(morph)
            } else {
                Err(fault(FaultKind::Value, message, "export the file again"))
            }
        }
        None => accessors.spend(3 * count as u64).map(|()| vec![DVec3::ZERO; count]),
    });
    let morphs = morphs.collect::<Result<Vec<_>, Fault>>()?;
    let mut weights = weights.to_vec();
    weights.resize(morphs.len(), 0.0);
    Ok(Some(Surface { node, positions, morphs, weights, skin: None }))
}

/// Coordinates, colours and own values (`_NAME`) of a primitive's vertices.
fn attributes(
    accessors: &Accessors<'_>,
    primitive: &PrimitiveJson,
    mesh: &mut FileMesh,
    vertices: std::ops::Range<usize>,
) -> Result<(), Fault> {
    let count = vertices.len();
    for (name, &index) in &primitive.attributes {
        let kind = accessors.container.document.accessors.get(index).map_or("", |a| a.kind.as_str());
        let components = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => continue,
        };
        let own = name.strip_prefix('_');
        if name != "TEXCOORD_0" && name != "COLOR_0" && own.is_none() {
            continue;
        }
        let values = accessors.numbers(index, components)?;
        if values.len() != count * components {
            let message = format!(
                "the attribute `{}` has another number of vertices than its mesh",
                super::excerpt(name.as_bytes())
            );
            return Err(fault(FaultKind::Value, message, "export the file again"));
        }
        if name == "TEXCOORD_0" && components == 2 {
            let uv = mesh.uv.get_or_insert_with(|| Corners { values: Vec::new(), triangles: Vec::new() });
            uv.values.resize(vertices.start, DVec2::NAN); // primitives before that had none
            // v runs down the picture there, and up the pattern here and in every other format.
            uv.values.extend(values.chunks_exact(2).map(|p| DVec2::new(p[0], 1.0 - p[1])));
            continue;
        }
        let name = own.map_or_else(|| "color".to_string(), str::to_lowercase);
        accessors.spend((vertices.end * components) as u64)?;
        let at = mesh.vertex_attributes.iter().position(|a| a.name == name && a.components == components);
        let at = at.unwrap_or_else(|| {
            mesh.vertex_attributes.push(Attribute { name, components, values: Vec::new() });
            mesh.vertex_attributes.len() - 1
        });
        let attribute = &mut mesh.vertex_attributes[at];
        attribute.values.resize(vertices.start * components, 0.0);
        attribute.values.extend(values);
    }
    for attribute in &mut mesh.vertex_attributes {
        attribute.values.resize(vertices.end * attribute.components, 0.0);
    }
    if let Some(uv) = &mut mesh.uv {
        uv.values.resize(vertices.end, DVec2::NAN);
        let values = &uv.values;
        let named = |v: u32| if values[v as usize].is_nan() { Corners::<DVec2>::NONE } else { v };
        let done = uv.triangles.len();
        uv.triangles.extend(mesh.triangles[done..].iter().map(|t| t.map(named)));
    }
    Ok(())
}

/// Joins the surfaces of a node to its skin.
fn attach_skin(
    accessors: &Accessors<'_>,
    skin: usize,
    new_index: &[Option<usize>],
    primitives: &[PrimitiveJson],
    rig: &mut Rig,
    node: usize,
) -> Result<(), Fault> {
    let wrong = |message: String| fault(FaultKind::Value, message, "export the file again");
    let json =
        accessors.container.document.skins.get(skin).ok_or_else(|| wrong(format!("skin {skin} does not exist")))?;
    let joint = |j: &usize| new_index.get(*j).copied().flatten();
    let joints: Option<Vec<usize>> = json.joints.iter().map(joint).collect();
    let joints = joints.ok_or_else(|| wrong(format!("skin {skin} has a joint that is not in the scene")))?;
    let inverse_bind: Vec<DMat4> = match json.inverse_bind_matrices {
        Some(index) => accessors.numbers(index, 16)?.chunks_exact(16).map(DMat4::from_cols_slice).collect(),
        None => vec![DMat4::IDENTITY; joints.len()],
    };
    if inverse_bind.len() < joints.len() {
        return Err(wrong(format!("skin {skin} has {} joints and {} matrices", joints.len(), inverse_bind.len())));
    }
    let surfaces = rig.surfaces.iter_mut().filter(|s| s.node == node);
    let drawn = primitives.iter().filter(|p| p.attributes.contains_key("POSITION") && p.mode.unwrap_or(4) >= 4);
    for (surface, primitive) in surfaces.zip(drawn) {
        let count = surface.positions.len();
        let mut sets: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        while let (Some(&j), Some(&w)) = (
            primitive.attributes.get(&format!("JOINTS_{}", sets.len())),
            primitive.attributes.get(&format!("WEIGHTS_{}", sets.len())),
        ) {
            sets.push((accessors.numbers(j, 4)?, accessors.numbers(w, 4)?));
        }
        if sets.is_empty() {
            continue;
        }
        if sets.iter().any(|(j, w)| j.len() != 4 * count || w.len() != 4 * count) {
            return Err(wrong("a skin has weights for another number of vertices than its mesh".into()));
        }
        let mut influences = Vec::with_capacity(4 * sets.len() * count);
        for v in 0..count {
            let all = sets.iter().flat_map(|(j, w)| (4 * v..4 * v + 4).map(move |k| (j[k], w[k])));
            let sum: f64 = all.clone().map(|(_, w)| w).sum();
            if !(sum > 0.0 && sum.is_finite()) {
                return Err(wrong(format!("the weights of vertex {v} add up to {sum}")));
            }
            for (j, w) in all {
                // Joints without weight may be anything.
                let j = if w == 0.0 { 0 } else { j as usize };
                if j >= joints.len() {
                    return Err(wrong(format!("vertex {v} follows joint {j} of {}", joints.len())));
                }
                influences.push((j as u32, w / sum));
            }
        }
        surface.skin = Some(Skin {
            joints: joints.clone(),
            inverse_bind: inverse_bind.clone(),
            influences,
            per_vertex: 4 * sets.len(),
        });
    }
    Ok(())
}

/// Every animation as a clip of the whole file.
fn clips(accessors: &Accessors<'_>, new_index: &[Option<usize>], rest: &Rig) -> Result<Vec<Clip>, Fault> {
    let wrong = |message: &str| fault(FaultKind::Value, message, "export the file again");
    let mut clips = Vec::new();
    for (index, animation) in accessors.container.document.animations.iter().enumerate() {
        let numbers = |r: &Rig| r.surfaces.iter().map(|s| s.positions.len() * (3 + s.morphs.len() * 3)).sum::<usize>();
        accessors.spend(numbers(rest) as u64)?;
        let mut rig = rest.clone();
        for channel in &animation.channels {
            let Some(node) = channel.target.node.and_then(|n| new_index.get(n).copied().flatten()) else { continue };
            let (target, mut width) = match channel.target.path.as_str() {
                "translation" => (Target::Translation, 3),
                "rotation" => (Target::Rotation, 4),
                "scale" => (Target::Scale, 3),
                "weights" => (Target::Weights, 1),
                _ => continue,
            };
            let sampler =
                animation.samplers.get(channel.sampler).ok_or_else(|| wrong("an animation names no sampler"))?;
            let interpolation = match sampler.interpolation.as_str() {
                "STEP" => Interpolation::Step,
                "CUBICSPLINE" => Interpolation::Cubic,
                _ => Interpolation::Linear,
            };
            let times = accessors.numbers(sampler.input, 1)?;
            let values = accessors.numbers(sampler.output, width)?;
            let parts = if interpolation == Interpolation::Cubic { 3 } else { 1 };
            if target == Target::Weights {
                let morphs = rig.surfaces.iter().find(|s| s.node == node).map_or(0, |s| s.morphs.len());
                if morphs == 0 {
                    continue;
                }
                width = morphs;
            }
            let ascending = times.windows(2).all(|w| w[0] < w[1]) && times.iter().all(|t| t.is_finite());
            if times.is_empty() || !ascending || values.len() != times.len() * width * parts {
                return Err(wrong("an animation's times do not ascend or do not fit its values"));
            }
            rig.channels.push(Channel { node, target, curve: Curve { times, values, width, interpolation } });
        }
        let ends = |pick: fn(&[f64]) -> f64| rig.channels.iter().map(move |c| pick(&c.curve.times));
        let start = ends(|t| t[0]).fold(f64::INFINITY, f64::min);
        let end = ends(|t| t[t.len() - 1]).fold(f64::NEG_INFINITY, f64::max);
        if start <= end {
            (rig.start, rig.duration) = (start, end - start);
        }
        let name = if animation.name.is_empty() { format!("animation-{index}") } else { animation.name.clone() };
        let told = accessors.container.document.asset.extras.frames_per_second.filter(|r| *r > 0.0 && r.is_finite());
        let times: Vec<&[f64]> = rig.channels.iter().map(|c| c.curve.times.as_slice()).collect();
        let frames_per_second = told.or_else(|| rate::rate_of(&times, rig.start));
        clips.push(Clip { name, deformation: Arc::new(rig), frames_per_second });
    }
    Ok(clips)
}
