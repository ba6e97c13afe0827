//! D15: wrinkle memory (V 7.6.3), relations between vertices of a line that are no neighbours.
//!
//! A relation joins A and C on one row, column or diagonal, `width` edges apart, over the vertex M in their middle. Its angle φ is
//! that by which the line A M C bends, positive where M is a crest on the side of its normal. At Commit a bend sharper than a
//! threshold is recorded, if it is sharper than what was recorded before: the relation's angle at rest φ₀ becomes its part
//! `permanence` (V's "permanence level"; V makes it a probability, here it is a measure, as the same input gives the same bits).
//! From then on, whenever A and C are no further apart than in the flat cloth, a moment κ(φ₀ − φ) bends the line; when
//! they are stretched apart the wrinkle disappears, as V observes. V leaves open how the vertices between A and C move: the one in the
//! middle is lifted, the springs carry the others along.
//!
//! # Where memories come from
//! V names three sources. Sharp bends of the run itself are recorded as above. A *line* on the pattern is a wrinkle that somebody wants: every
//! row, column or diagonal that it crosses more or less at right angles gets a relation around the vertex nearest to the crossing, with the
//! given angle at rest. A *drape* is the shape in which another run ended: its sharp bends are recorded before the first step.
//!
//! The moment is a force couple on each arm in the plane of the three: it changes neither momentum nor angular momentum.
//! History is in the state (a [`Crease`] per relation) and changes in Commit only. As the moment is switched by a
//! length it has no energy; what it gives and takes is in the account of damping. Only explicit schemes can use it.

use super::{
    Bend, Effort, Force, GridError, HessianKind, Layout,
    elements::{Elements, placed_by},
    fans::Fans,
    grid_cells,
    yarns::FAMILIES,
};
use crate::{
    domains::{BlockPart, VertexPart},
    system::Past,
};
use glam::{DMat3, DVec2, DVec3};
use muslin_model::{Crease, Model};
use std::ops::Range;

/// A line whose middle leaves its chord by less than this part of its length is straight [-]; it bends along the normal.
const STRAIGHT: f64 = 1e-9;
/// Relations stretched by less than this part of their length are not stretched [-]: the round-off of a flat cloth.
const UNSTRETCHED: f64 = 1e-9;

/// Choices for a memory of wrinkles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrinkleOptions {
    /// κ: moment per angle of a relation [N·m].
    pub moment: f64,
    /// Angle beyond which a bend is recorded [rad].
    pub sharp: f64,
    /// Part of a recorded angle that stays [-].
    pub permanence: f64,
    /// Edges between the two ends of a relation, an even number.
    pub width: u32,
}

/// The cosine of the flattest angle between a line on the pattern and a relation that it gives an angle to [-]. V wants right angles; of the four
/// families of a grid whose cells are up to three times as long as wide one is always nearer than this.
const MOST_SLANTED: f64 = 0.6;
/// Crossings count as between two vertices, or as at the end of a line, within this part of an edge or of the line [-].
const CROSSED: f64 = 1e-9;

/// A memory that is there from the start.
#[derive(Clone, Debug, PartialEq)]
pub enum WrinkleMark {
    /// A straight line on the pattern [m] along which the cloth is bent by an angle [rad], positive for a crest on the side of the normals.
    Line {
        /// Its ends, in material coordinates [m].
        ends: [DVec2; 2],
        /// Angle at rest [rad].
        angle: f64,
    },
    /// A shape of the cloth: its sharp bends.
    Drape {
        /// Positions of its vertices [m].
        positions: Vec<DVec3>,
    },
}

/// What became of a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// Relations that remember it.
    pub relations: usize,
    /// Sharpest bend that it has [rad].
    pub sharpest: f64,
}

/// All relations of some cloths.
pub struct Wrinkles {
    elements: Elements<3>,
    options: WrinkleOptions,
    fans: Fans,
    /// Distance of A and C in the flat cloth [m].
    lengths: Vec<f64>,
    creases: Vec<Crease>,
    /// Angles at rest of an untouched cloth [rad].
    defined: Vec<f64>,
    /// Place of each in the state.
    places: Vec<u32>,
}

/// A bent line: its angle and what changes it.
struct BentLine {
    /// φ [rad].
    angle: f64,
    /// |AC| [m].
    length: f64,
    /// ∂φ/∂A, ∂φ/∂C, ∂φ/∂M [rad/m].
    gradient: [DVec3; 3],
}

impl Wrinkles {
    /// The relations on all lines of cloths that are grids.
    pub fn new(model: &Model, faces: &[u32], options: WrinkleOptions, layout: &Layout) -> Result<Self, GridError> {
        let grids = grid_cells::find(model, faces)?;
        grid_cells::check_lines(&grids)?;
        let arm = (options.width / 2) as isize;
        let (mut stencils, mut unsorted) = (Vec::new(), Vec::new());
        for grid in &grids {
            for step in FAMILIES {
                for at in grid.places() {
                    let ends = [grid.along(at, step, -arm), grid.along(at, step, arm)];
                    let [Some(a), Some(c)] = ends else { continue };
                    // The middle comes last, where whoever reads memories looks for the place of a bend.
                    stencils.push([a, c, at].map(|(i, j)| grid.vertex(i, j)));
                    unsorted.push(grid.uv(a.0, a.1).distance(grid.uv(c.0, c.1)));
                }
            }
        }
        let (elements, places) = Elements::new(&stencils, layout);
        Ok(Wrinkles {
            lengths: places.iter().map(|&k| unsorted[k as usize]).collect(),
            creases: vec![UNTOUCHED; places.len()],
            defined: vec![0.0; places.len()],
            fans: Fans::new(model, faces, layout),
            elements,
            options,
            places,
        })
    }

    /// Lets one of the cloths remember something from the start; `body` is its place among the model's.
    pub fn mark(&mut self, model: &Model, body: usize, mark: &WrinkleMark, layout: &Layout) -> Marked {
        let range = model.bodies[body].vertices.clone();
        let mut of_cloth = vec![false; layout.solver_from_model.len()];
        range.clone().for_each(|v| of_cloth[layout.solver_from_model[v] as usize] = true);
        let relations: Vec<usize> =
            (0..self.lengths.len()).filter(|&k| of_cloth[self.elements.stencils[k][2] as usize]).collect();
        match mark {
            WrinkleMark::Line { ends, angle } => {
                let mut uv = vec![DVec2::ZERO; layout.solver_from_model.len()];
                for t in model.bodies[body].triangles.clone() {
                    for (v, at) in model.mesh.triangles[t].iter().zip(model.mesh.uv[t]) {
                        uv[layout.solver_from_model[*v as usize] as usize] = at;
                    }
                }
                let crossed = self.crossed(&relations, &uv, *ends);
                crossed.iter().for_each(|&k| self.defined[k] = *angle);
                Marked { relations: crossed.len(), sharpest: angle.abs() }
            }
            WrinkleMark::Drape { positions } => {
                let mut x = vec![DVec3::ZERO; layout.solver_from_model.len()];
                for (m, &s) in layout.solver_from_model.iter().enumerate() {
                    x[s as usize] = model.mesh.positions[m];
                }
                range.zip(positions).for_each(|(v, &at)| x[layout.solver_from_model[v] as usize] = at);
                let mut marked = Marked::default();
                for k in relations {
                    let angle = self.bent(k, &x).map_or(0.0, |line| line.angle);
                    marked.sharpest = marked.sharpest.max(angle.abs());
                    if angle.abs() > self.options.sharp {
                        self.defined[k] = self.options.permanence * angle;
                        marked.relations += 1;
                    }
                }
                marked
            }
        }
    }

    /// Of some relations those that a line on the pattern crosses in their middle, each across it as squarely as any through its middle.
    fn crossed(&self, relations: &[usize], uv: &[DVec2], [p, q]: [DVec2; 2]) -> Vec<usize> {
        let along = q - p;
        let slant = |k: usize| {
            let [a, c, _] = self.elements.stencils[k];
            let across = uv[c as usize] - uv[a as usize];
            across.dot(along).abs() / (across.length() * along.length())
        };
        let mut squarest = vec![MOST_SLANTED; uv.len()];
        for &k in relations {
            let middle = self.elements.stencils[k][2] as usize;
            squarest[middle] = squarest[middle].min(slant(k));
        }
        let is_crossed = |&k: &usize| {
            let [a, c, m] = self.elements.stencils[k].map(|v| uv[v as usize]);
            let edge = (c - a) / f64::from(self.options.width);
            // m + s edge = p + t along.
            let det = edge.perp_dot(along);
            let (s, t) = ((p - m).perp_dot(along) / det, (p - m).perp_dot(edge) / det);
            s > -0.5 + CROSSED && s <= 0.5 + CROSSED && (-CROSSED..=1.0 + CROSSED).contains(&t)
        };
        let is_square = |&k: &usize| slant(k) <= squarest[self.elements.stencils[k][2] as usize] + CROSSED;
        relations.iter().copied().filter(is_square).filter(is_crossed).collect()
    }

    /// The bend of a relation; `None` where its ends or its middle coincide and there is none.
    fn bent(&self, k: usize, positions: &[DVec3]) -> Option<BentLine> {
        let [a, c, m] = self.elements.gather(k, positions);
        let length = (c - a).length();
        let (chord, arms) = ((c - a) / length, [m - a, c - m]);
        let off = arms[0] - chord * arms[0].dot(chord);
        let normal = self.fans.normal(self.elements.stencils[k][2], positions);
        // The plane of the bend: that of the three, or the one with the normal where they are on a line.
        let up = if off.length() > STRAIGHT * length {
            off.normalize() * if off.dot(normal) < 0.0 { -1.0 } else { 1.0 }
        } else {
            (normal - chord * normal.dot(chord)).try_normalize()?
        };
        let [first, second] = arms.map(|arm| arm.dot(up).atan2(arm.dot(chord)));
        let turned = |angle: f64, arm: DVec3| (up * angle.cos() - chord * angle.sin()) / arm.length();
        let [da, dc] = [turned(first, arms[0]), turned(second, arms[1])];
        let sound = length > 0.0 && da.is_finite() && dc.is_finite();
        sound.then_some(BentLine { angle: first - second, length, gradient: [-da, -dc, da + dc] })
    }
}

/// The memory of a line that was never bent.
const UNTOUCHED: Crease = Crease { angle: 0.0, rest: 0.0, friction: 0.0, way: 0.0, turn: 0.0, open: 0.0, fresh: 1.0 };

impl Force for Wrinkles {
    fn name(&self) -> &'static str {
        "wrinkles"
    }

    placed_by!(elements);

    fn add_force(
        &self,
        elements: Range<usize>,
        positions: &[DVec3],
        velocities: &[DVec3],
        out: &mut VertexPart,
    ) -> f64 {
        let mut power = 0.0;
        for k in elements {
            let rest = self.creases[k].rest;
            // Most relations were never creased; they cost nothing more than this look.
            if rest == 0.0 {
                continue;
            }
            let Some(line) = self.bent(k, positions) else { continue };
            if line.length > self.lengths[k] * (1.0 + UNSTRETCHED) {
                continue;
            }
            let moment = self.options.moment * (rest - line.angle);
            let forces = line.gradient.map(|g| g * moment);
            let velocity = self.elements.gather(k, velocities);
            power += (0..3).map(|i| forces[i].dot(velocity[i])).sum::<f64>();
            self.elements.scatter(k, forces, out);
        }
        power
    }

    fn begin_step(&mut self, _: &Past) {}

    fn add_gradient(&self, _: Range<usize>, _: &[DVec3], _: &mut VertexPart) -> Effort {
        Effort::default()
    }

    fn add_hessian(&self, elements: Range<usize>, _: &[DVec3], _: HessianKind, out: &mut BlockPart) {
        for k in elements {
            self.elements.scatter_blocks(k, |_, _| DMat3::ZERO, out);
        }
    }

    fn crease_count(&self) -> usize {
        self.creases.len()
    }

    fn untouched(&self, creases: &mut [Crease]) {
        for (&rest, &place) in self.defined.iter().zip(&self.places) {
            creases[place as usize] = Crease { rest, ..UNTOUCHED };
        }
    }

    fn recall(&mut self, creases: &[Crease]) {
        for (crease, &place) in self.creases.iter_mut().zip(&self.places) {
            *crease = creases[place as usize];
        }
    }

    fn remember(&mut self, positions: &[DVec3], creases: &mut [Crease]) -> f64 {
        let WrinkleOptions { sharp, permanence, .. } = self.options;
        for k in 0..self.creases.len() {
            let Some(line) = self.bent(k, positions) else { continue };
            let crease = &mut self.creases[k];
            crease.angle = line.angle;
            let left = permanence * line.angle;
            if line.angle.abs() > sharp && left.abs() > crease.rest.abs() {
                crease.rest = left;
            }
            creases[self.places[k] as usize] = *crease;
        }
        0.0
    }

    fn bend(&self, element: usize) -> Option<Bend> {
        let (crease, arm) = (&self.creases[element], 0.5 * self.lengths[element]);
        let moment = self.options.moment * (crease.angle - crease.rest) / arm;
        Some(Bend { curvature: crease.angle / arm, moment, residual: crease.rest })
    }
}
