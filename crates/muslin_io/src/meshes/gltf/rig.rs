//! A posed surface: nodes that move, morph targets, and skin that follows joints.
//!
//! The pose is evaluated at the exact time that is asked for, not between baked frames. A skinned vertex is
//! Σ wⱼ · world(jointⱼ) · inverse_bindⱼ · p, after its morph targets; the mesh's own node has no say then, as the
//! format demands. Weights are scaled to a sum of one, which files with rounded weights miss.

use super::sampler::Curve;
use glam::{DMat4, DQuat, DVec3, DVec4};
use muslin_model::{Deformation, deformation::Fingerprint};
use std::sync::Arc;

/// A node's own transform.
#[derive(Clone, Copy, Debug)]
pub enum Local {
    /// A matrix; it cannot be animated.
    Matrix(DMat4),
    /// Translation, rotation, scale.
    Parts(DVec3, DQuat, DVec3),
}

impl Local {
    fn matrix(&self) -> DMat4 {
        match *self {
            Local::Matrix(m) => m,
            Local::Parts(t, r, s) => DMat4::from_scale_rotation_translation(s, r, t),
        }
    }
}

/// A node; parents come before their children.
#[derive(Clone, Debug)]
pub struct Node {
    pub parent: Option<usize>,
    pub local: Local,
}

/// What a curve moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// A curve and what it moves.
#[derive(Clone, Debug)]
pub struct Channel {
    pub node: usize,
    pub target: Target,
    pub curve: Curve,
}

/// A mesh that hangs at a node.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    pub node: usize,
    pub positions: Vec<DVec3>,
    /// Displacements of each morph target.
    pub morphs: Vec<Vec<DVec3>>,
    /// Weights of the morph targets at rest.
    pub weights: Vec<f64>,
    pub skin: Option<Skin>,
}

/// Joints that a surface follows.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    pub joints: Vec<usize>,
    pub inverse_bind: Vec<DMat4>,
    /// Influences of all vertices, one after another: joint of this skin and weight.
    pub influences: Vec<(u32, f64)>,
    /// Influences of each vertex.
    pub per_vertex: usize,
}

/// Surfaces on moving nodes.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    pub nodes: Vec<Node>,
    pub surfaces: Vec<Surface>,
    pub channels: Vec<Channel>,
    /// Time of the first key [s], which is the clip's zero.
    pub start: f64,
    pub duration: f64,
}

impl Rig {
    /// World transforms of all nodes and morph weights of all surfaces at a time.
    fn pose(&self, time: f64) -> (Vec<DMat4>, Vec<Vec<f64>>) {
        let mut local: Vec<Local> = self.nodes.iter().map(|n| n.local).collect();
        let mut weights: Vec<Vec<f64>> = self.surfaces.iter().map(|s| s.weights.clone()).collect();
        let time = self.start + time;
        for channel in &self.channels {
            let mut v = [0.0; 3];
            match (channel.target, &mut local[channel.node]) {
                (Target::Weights, _) => {
                    for (surface, weights) in self.surfaces.iter().zip(&mut weights) {
                        if surface.node == channel.node && weights.len() == channel.curve.width {
                            channel.curve.sample(time, weights);
                        }
                    }
                }
                (Target::Rotation, Local::Parts(_, r, _)) => *r = channel.curve.sample_rotation(time),
                (Target::Translation, Local::Parts(t, _, _)) => {
                    channel.curve.sample(time, &mut v);
                    *t = DVec3::from_array(v);
                }
                (Target::Scale, Local::Parts(_, _, s)) => {
                    channel.curve.sample(time, &mut v);
                    *s = DVec3::from_array(v);
                }
                (_, Local::Matrix(_)) => {}
            }
        }
        let mut world: Vec<DMat4> = Vec::with_capacity(local.len());
        for (node, local) in self.nodes.iter().zip(&local) {
            let matrix = local.matrix();
            world.push(node.parent.map_or(matrix, |p| world[p] * matrix));
        }
        (world, weights)
    }
}

impl Surface {
    fn morphed(&self, vertex: usize, weights: &[f64]) -> DVec3 {
        self.morphs.iter().zip(weights).fold(self.positions[vertex], |p, (morph, w)| p + morph[vertex] * *w)
    }
}

impl Deformation for Rig {
    fn vertices(&self) -> usize {
        self.surfaces.iter().map(|s| s.positions.len()).sum()
    }

    fn duration(&self) -> f64 {
        self.duration
    }

    fn evaluate(&self, time: f64, positions: &mut [DVec3]) {
        let (world, weights) = self.pose(time.clamp(0.0, self.duration));
        let mut out = positions.iter_mut();
        for (surface, weights) in self.surfaces.iter().zip(&weights) {
            let Some(skin) = &surface.skin else {
                let matrix = world[surface.node];
                let moved = (0..surface.positions.len()).map(|v| matrix.transform_point3(surface.morphed(v, weights)));
                out.by_ref().zip(moved).for_each(|(p, q)| *p = q);
                continue;
            };
            let matrices: Vec<DMat4> =
                skin.joints.iter().zip(&skin.inverse_bind).map(|(&j, inverse)| world[j] * *inverse).collect();
            for (v, p) in (0..surface.positions.len()).zip(out.by_ref()) {
                let rest = surface.morphed(v, weights).extend(1.0);
                let influences = &skin.influences[v * skin.per_vertex..(v + 1) * skin.per_vertex];
                let sum = influences.iter().fold(DVec4::ZERO, |sum, (j, w)| sum + matrices[*j as usize] * rest * *w);
                *p = sum.truncate();
            }
        }
    }

    fn select(&self, vertices: &[u32]) -> Arc<dyn Deformation> {
        // One surface per run of vertices from the same one keeps the order that was asked for.
        let mut rig = Rig { surfaces: Vec::new(), ..self.clone() };
        let starts: Vec<usize> = self
            .surfaces
            .iter()
            .scan(0, |sum, s| {
                *sum += s.positions.len();
                Some(*sum - s.positions.len())
            })
            .collect();
        let mut last = usize::MAX;
        for &v in vertices {
            let source = starts.partition_point(|&start| start <= v as usize) - 1;
            let (from, k) = (&self.surfaces[source], v as usize - starts[source]);
            if source != last {
                let skin = from.skin.as_ref().map(|s| Skin { influences: Vec::new(), ..s.clone() });
                let morphs = vec![Vec::new(); from.morphs.len()];
                rig.surfaces.push(Surface {
                    node: from.node,
                    weights: from.weights.clone(),
                    skin,
                    morphs,
                    positions: Vec::new(),
                });
                last = source;
            }
            let Some(to) = rig.surfaces.last_mut() else { continue };
            to.positions.push(from.positions[k]);
            to.morphs.iter_mut().zip(&from.morphs).for_each(|(to, from)| to.push(from[k]));
            if let (Some(to), Some(from)) = (&mut to.skin, &from.skin) {
                to.influences.extend_from_slice(&from.influences[k * from.per_vertex..(k + 1) * from.per_vertex]);
            }
        }
        Arc::new(rig)
    }

    fn fingerprint(&self) -> u64 {
        let mut print = Fingerprint::default();
        print.add(self.start);
        for node in &self.nodes {
            print.add_bits(node.parent.map_or(u64::MAX, |p| p as u64));
            node.local.matrix().to_cols_array().into_iter().for_each(|x| print.add(x));
        }
        for channel in &self.channels {
            print.add_bits((channel.node * 4 + channel.target as usize) as u64);
            channel.curve.times.iter().chain(&channel.curve.values).for_each(|x| print.add(*x));
        }
        for surface in &self.surfaces {
            let points = surface.positions.iter().chain(surface.morphs.iter().flatten());
            points.flat_map(|p| p.to_array()).chain(surface.weights.iter().copied()).for_each(|x| print.add(x));
            if let Some(skin) = &surface.skin {
                skin.influences.iter().for_each(|(j, w)| print.add(f64::from(*j) + w));
                skin.inverse_bind.iter().flat_map(|m| m.to_cols_array()).for_each(|x| print.add(x));
            }
        }
        print.value()
    }
}
