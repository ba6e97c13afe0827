//! What people do to a running simulation: pull at the cloth, hold a vertex, let a pin go, change the scene.
//!
//! A run into a directory has no hands; its pins are the scene's. Hands are for a session that somebody watches, and
//! are not part of the state that a checkpoint holds.

use crate::{
    scene::Scene,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_dynamics::{
    forces::{Force, Layout, Pull, PullPoint, SoftPins},
    integrators::StepOutcome,
};
use muslin_model::{Hold, Model};

/// Everything that hands do at a time. Vertices and pins are the model's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hands {
    /// Soft pulls of bounded force.
    pub pulls: Vec<PullPoint>,
    /// Vertices held at a place [m], against any pin of the scene.
    pub held: Vec<(u32, DVec3)>,
    /// Vertices that no pin of the scene holds any longer, ascending.
    pub freed: Vec<u32>,
    /// Pins of the scene that hold nothing any longer.
    pub cut: Vec<usize>,
}

impl Simulation {
    /// What hands do now.
    pub fn hands(&self) -> &Hands {
        &self.hands
    }

    /// Changes what hands do, from the next step on. Vertices that are none of a cloth are left out.
    pub fn set_hands(&mut self, mut hands: Hands) {
        let cloth = self.model.cloth_vertices().end;
        let fits = |v: u32| (v as usize) < cloth;
        hands.pulls.retain(|pull| fits(pull.vertex));
        hands.held.retain(|(v, _)| fits(*v));
        hands.freed.sort_unstable();
        self.system.forces.retain(|force| ![Pull::NAME, SoftPins::NAME].contains(&force.name()));
        self.add_soft_pins(&hands);
        if !hands.pulls.is_empty() {
            let layout = Layout { solver_from_model: &self.system.solver_from_model, domains: &self.system.domains };
            let mut pull = Pull::new(&hands.pulls, &layout);
            // A vertex's own block is in every pattern.
            pull.bind(&self.system.pattern);
            self.system.forces.push(Box::new(pull));
        }
        self.hands = hands;
    }

    /// Adds the springs of the pins that hands have left.
    fn add_soft_pins(&mut self, hands: &Hands) {
        let mut pins = self.model.pins.clone();
        for (number, pin) in pins.iter_mut().enumerate() {
            let Hold::Springs(stiffnesses) = &mut pin.hold else { continue };
            let springs = std::mem::take(&mut pin.vertices).into_iter().zip(std::mem::take(stiffnesses));
            let left = |v: &u32| !hands.cut.contains(&number) && hands.freed.binary_search(v).is_err();
            (pin.vertices, *stiffnesses) = springs.filter(|(v, _)| left(v)).unzip();
        }
        let layout = Layout { solver_from_model: &self.system.solver_from_model, domains: &self.system.domains };
        if let Some(mut soft) = SoftPins::new(&pins, &self.model.mesh.positions, &layout) {
            soft.bind(&self.system.pattern);
            soft.set_time(self.state.time);
            self.system.forces.push(Box::new(soft));
        }
    }

    /// The same motion under a changed scene: other fabrics, air, settings or pins on the same meshes. It goes on
    /// from the present state, with the same hands.
    pub fn carried_on(&self, scene: &Scene) -> Result<Simulation, SimError> {
        let mut next = Simulation::new(scene)?;
        next.take_motion_of(self)?;
        next.tally = self.tally.clone();
        next.last_outcome = self.last_outcome;
        next.set_hands(self.hands.clone());
        Ok(next)
    }

    /// Goes on from the present state of another simulation of the same meshes, at the same time. What its own solver remembers for speed
    /// stays, so that two fabrics can be compared on the same steps.
    pub fn take_motion_of(&mut self, other: &Simulation) -> Result<(), SimError> {
        let (expected, found) = (other.state.positions.len(), self.state.positions.len());
        let ranges = |model: &Model| -> Vec<_> { model.bodies.iter().map(|body| body.vertices.clone()).collect() };
        let same =
            self.model.mesh.triangles == other.model.mesh.triangles && ranges(&self.model) == ranges(&other.model);
        if expected != found || !same {
            return Err(SimError::OtherMesh { expected, found });
        }
        let mut creases = std::mem::take(&mut self.state.creases);
        self.state = other.state.clone();
        // Another bending model, or another part of the cloth that has it, knows nothing of the past.
        if creases.len() == other.state.creases.len() {
            creases.clone_from(&other.state.creases);
        } else {
            let mut positions = Vec::new();
            self.system.gather(&self.state.positions, &mut positions);
            creases = self.system.first_creases(&positions);
        }
        self.system.admit(&mut creases);
        self.system.recall(&creases);
        self.state.creases = creases;
        self.state.pending_steps.clear();
        self.system.set_time(self.state.time);
        self.frame = other.frame;
        self.waiting = other.waiting.clone();
        Ok(())
    }

    /// How the last committed step went; `None` before the first.
    pub fn last_outcome(&self) -> Option<&StepOutcome> {
        self.last_outcome.as_ref()
    }
}
