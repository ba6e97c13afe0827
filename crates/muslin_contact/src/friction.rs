//! Which law of friction holds between two bodies, and what a contact remembers.
//!
//! A contact that sticks holds the cloth like a spring: its *anchor* is the way that the spring is stretched. The spring gives
//! when the friction limit µN is reached; the anchor then drags along. A sheet that rests on a slope
//! stretches its springs once and stays, however long one waits; a force that only depends on the velocity,
//! as a velocity filter, would creep.
//!
//! **Which law.** Between cloth and an obstacle the obstacle's own law holds, else the cloth's own for obstacles, else
//! the scene's. Between cloths the rougher of their own laws for cloth holds (the one that holds more at rest), else the scene's.

use crate::contact::{Contact, PairKey};
use muslin_model::{Anchor, BodyKind, FrictionLaw, Model};

/// Friction of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// Between cloth and obstacles.
    pub object: FrictionLaw,
    /// Between cloth and cloth.
    pub cloth: FrictionLaw,
    /// Bodies that have laws of their own.
    pub bodies: Vec<BodyFriction>,
}

/// A body's own friction.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyFriction {
    /// Its name.
    pub body: String,
    /// Between an obstacle and cloth, or between a cloth and obstacles.
    pub object: Option<FrictionLaw>,
    /// Between a cloth and cloth.
    pub cloth: Option<FrictionLaw>,
}

impl Friction {
    /// Coulomb's law with these coefficients, for obstacles and for cloth.
    pub fn coulomb(object: f64, cloth: f64) -> Self {
        Friction { object: object.into(), cloth: cloth.into(), bodies: Vec::new() }
    }
}

impl Default for Friction {
    fn default() -> Self {
        Friction::coulomb(0.3, 0.3)
    }
}

/// The laws between all bodies of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionLaws {
    /// The scene's for obstacles and for cloth.
    object: FrictionLaw,
    cloth: FrictionLaw,
    /// Vertices from here on belong to obstacles.
    cloth_end: u32,
    /// Own laws of each body for obstacles (or of an obstacle) and for cloth; empty if none has any.
    own: Vec<[Option<FrictionLaw>; 2]>,
    /// First vertex of each body.
    first_vertices: Vec<u32>,
}

impl FrictionLaws {
    /// The laws of a scene, where vertices from `cloth_end` on belong to obstacles and no body has a law of its own.
    pub fn of_scene(friction: &Friction, cloth_end: u32) -> Self {
        let (own, first_vertices) = (Vec::new(), Vec::new());
        FrictionLaws { object: friction.object, cloth: friction.cloth, cloth_end, own, first_vertices }
    }

    /// The laws between the bodies of a model.
    pub fn new(friction: &Friction, model: &Model) -> Self {
        let mut laws = FrictionLaws::of_scene(friction, model.cloth_vertices().end as u32);
        if !friction.bodies.is_empty() {
            laws.first_vertices = model.bodies.iter().map(|body| body.vertices.start as u32).collect();
            laws.own = model
                .bodies
                .iter()
                .map(|body| {
                    let own = friction.bodies.iter().find(|own| own.body == body.name);
                    let cloth = own.filter(|_| body.kind == BodyKind::Cloth).and_then(|own| own.cloth);
                    [own.and_then(|own| own.object), cloth]
                })
                .collect();
        }
        laws
    }

    /// Whether all are Coulomb's.
    pub fn are_coulomb(&self) -> bool {
        let own = self.own.iter().flatten().flatten();
        [&self.object, &self.cloth].into_iter().chain(own).all(FrictionLaw::is_coulomb)
    }

    /// The law of a contact.
    pub fn of(&self, contact: &Contact) -> &FrictionLaw {
        self.between(&contact.vertices)
    }

    /// The law of the contact of some vertices.
    pub fn between(&self, vertices: &[u32; 4]) -> &FrictionLaw {
        let object = vertices.iter().find(|&&v| v >= self.cloth_end);
        if self.own.is_empty() {
            return if object.is_some() { &self.object } else { &self.cloth };
        }
        let body = |v: u32| self.first_vertices.partition_point(|&first| first <= v) - 1;
        let own = |v: u32, side: usize| self.own[body(v)][side].as_ref();
        match object {
            Some(&object) => {
                let cloth = vertices.iter().find(|&&v| v < self.cloth_end);
                own(object, 0).or_else(|| own(*cloth?, 0)).unwrap_or(&self.object)
            }
            None => {
                // The sides of a pair begin and end its list of vertices, whatever its kind.
                let [a, b] = [vertices[0], vertices[3]].map(|v| own(v, 1));
                match (a, b) {
                    (Some(a), Some(b)) => rougher(a, b),
                    _ => a.or(b).unwrap_or(&self.cloth),
                }
            }
        }
    }
}

/// The law that holds more at rest, or else slides less.
fn rougher<'a>(a: &'a FrictionLaw, b: &'a FrictionLaw) -> &'a FrictionLaw {
    if (b.sticking, b.kinetic) > (a.sticking, a.kinetic) { b } else { a }
}

/// The anchor of a pair in a list that ascends.
pub fn anchor_of(anchors: &[Anchor], key: PairKey) -> Option<&Anchor> {
    anchors.binary_search_by_key(&key.numbers(), |anchor| anchor.pair).ok().map(|k| &anchors[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_obstacles_law_goes_before_the_cloths_and_the_rougher_cloth_wins() {
        let law = |coefficient: f64| Some(FrictionLaw::coulomb(coefficient));
        // Two cloths and two obstacles of ten vertices each.
        let laws = FrictionLaws {
            own: vec![[None, law(0.5)], [law(0.2), law(0.7)], [law(0.05), None], [None, None]],
            first_vertices: vec![0, 10, 20, 30],
            ..FrictionLaws::of_scene(&Friction::coulomb(0.3, 0.4), 20)
        };
        let of = |vertices: [u32; 4]| laws.between(&vertices).sticking;
        assert_eq!(of([3, 20, 21, 22]), 0.05, "the obstacle's own");
        assert_eq!(of([20, 10, 11, 12]), 0.05, "whichever side it is");
        assert_eq!(of([13, 30, 31, 32]), 0.2, "the cloth's own on obstacles");
        assert_eq!(of([3, 30, 31, 32]), 0.3, "the scene's");
        assert_eq!(of([3, 10, 11, 12]), 0.7, "the rougher of two cloths");
        assert_eq!(of([1, 2, 15, 16]), 0.7, "of two edges too");
        assert_eq!(of([3, 4, 5, 6]), 0.5, "a cloth on itself");
        let scene = FrictionLaws::of_scene(&Friction::coulomb(0.3, 0.4), 20);
        assert_eq!((scene.between(&[3, 4, 5, 6]).sticking, scene.between(&[3, 25, 26, 27]).sticking), (0.4, 0.3));
    }
}
