//! Plasticity with a yield curvature: the model that W 4.5.3 compares with, after O'Brien, Bargteil and Hodgins (2002).
//!
//! The moment is B K up to the yield curvature and stays there beyond it, where the rest angle moves along. Energy is lost
//! beyond it only; below, bending and recovery are the same line.

use super::{BendingLaw, Committed, Response};
use muslin_model::{Crease, FaceMaterial};

/// The law of one hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// B [N·m].
    pub rigidity: f64,
    /// Yield curvature [1/m].
    pub yields: f64,
}

impl Plasticity {
    /// The moment at a curvature after a change; or at an angle, of the law of a whole hinge.
    #[inline]
    fn at(&self, curvature: f64, change: f64) -> Response {
        let (b, elastic) = (self.rigidity, curvature.clamp(-self.yields, self.yields));
        let stored = 0.5 * b * elastic * elastic;
        let flow = b * elastic * (curvature - elastic);
        let moment = b * elastic;
        let [before, mirrored] =
            [1.0, 2.0].map(|part| b * (curvature - part * change).clamp(-self.yields, self.yields));
        Response {
            potential: stored + flow,
            stored,
            moment,
            slope: if elastic == curvature { b } else { 0.0 },
            chord: if elastic == curvature || change == 0.0 {
                b
            } else {
                ((moment - before) / change).max((before - mirrored) / change)
            },
            lost: if change == 0.0 { 0.0 } else { flow / change },
        }
    }
}

/// A hinge within a step.
#[derive(Clone, Copy, Debug)]
pub struct PlasticityCommitted {
    /// Angle from the shape of rest [rad].
    bend: f64,
    /// With B ‖e‖/h̄ [N·m] for the rigidity, and an angle that yields [rad].
    law: Plasticity,
}

impl Committed for PlasticityCommitted {
    #[inline]
    fn respond(&self, change: f64) -> Response {
        self.law.at(self.bend + change, change)
    }
}

impl BendingLaw for Plasticity {
    const NAME: &'static str = "bending-plasticity";

    type Committed = PlasticityCommitted;

    fn of(rigidity: f64, faces: [&FaceMaterial; 2], weight: f64) -> Self {
        let yields = faces[0].bend_yield * weight + faces[1].bend_yield * (1.0 - weight);
        Plasticity { rigidity, yields }
    }

    fn untouched(&self, rest: f64) -> Crease {
        Crease { angle: rest, rest, friction: 0.0, way: 0.0, turn: 0.0, open: 0.0, fresh: 1.0 }
    }

    fn admit(&self, crease: &mut Crease) {
        // A memory of the other law knows things that this one has no use for.
        *crease = Crease { angle: crease.angle, ..self.untouched(crease.rest) };
    }

    fn respond(&self, _: &Crease, curvature: f64, change: f64) -> Response {
        self.at(curvature, change)
    }

    fn committed(&self, crease: &Crease, height: f64, length: f64) -> PlasticityCommitted {
        let law = Plasticity { rigidity: self.rigidity * length / height, yields: self.yields * height };
        PlasticityCommitted { bend: crease.angle - crease.rest, law }
    }

    fn commit(&self, crease: &mut Crease, height: f64, angle: f64) -> f64 {
        let curvature = (angle - crease.rest) / height;
        let elastic = curvature.clamp(-self.yields, self.yields);
        if elastic != curvature {
            crease.rest = angle - elastic * height;
        }
        crease.angle = angle;
        0.0
    }
}
