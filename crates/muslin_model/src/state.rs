//! Everything that changes during a run, and so everything that a checkpoint must hold.

use crate::{
    archive::{Archive, ArchiveError},
    crease::Crease,
    exemption::Exemption,
    model::Model,
};
use glam::DVec3;

/// A step that is yet to be taken, because the one that began here did not converge and was cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PendingStep {
    /// Where it ends [s].
    pub end: f64,
    /// How often it may still be halved.
    pub halvings: u32,
}

/// What a contact remembers from step to step: how far friction's spring is stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Kind of the pair (0 vertex and face, 1 two edges), first and second primitive.
    pub pair: [u32; 3],
    /// Way across the normal by which the contact's spring is stretched [m].
    pub stretch: DVec3,
    /// Normal force at the end of the last step [N].
    pub force: f64,
    /// Speed at which the contact slid in the last step; 0 where it stuck [m/s].
    pub slip: f64,
}

/// The mutable state of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Committed steps so far.
    pub steps: u64,
    /// Positions of all vertices [m].
    pub positions: Vec<DVec3>,
    /// Velocities of all vertices [m/s].
    pub velocities: Vec<DVec3>,
    /// Positions one step before [m]; the two-step schemes need them.
    pub previous_positions: Vec<DVec3>,
    /// Velocities one step before [m/s].
    pub previous_velocities: Vec<DVec3>,
    /// Length of the last committed step [s]; 0 before the first.
    pub previous_step: f64,
    /// Counter and length that an adaptive step carries on: the step it would take next [s], 0 if none.
    pub adaptive_step: f64,
    /// Steps taken since the adaptive step last changed.
    pub adaptive_successes: u32,
    /// Steps to take before the adaptive step grows; 0 before the first.
    pub adaptive_wait: u32,
    /// Whether the last change of the adaptive step was a growth that no step has confirmed yet.
    pub adaptive_grown: bool,
    /// Steps yet to be taken before the next fixed time, the nearest last; empty between fixed times.
    pub pending_steps: Vec<PendingStep>,
    /// Friction's memory, in ascending order of pairs.
    pub anchors: Vec<Anchor>,
    /// Triangles that contact leaves alone with a body, in ascending order.
    pub exemptions: Vec<Exemption>,
    /// What hinges remember of how they were bent, force after force, each in ascending order of edges.
    pub creases: Vec<Crease>,
}

impl State {
    /// The state at time zero: everything where the model says, moving as the model says. An obstacle stands where its
    /// motion begins, which may be elsewhere than its mesh: it would jump there within the first step.
    pub fn new(model: &Model) -> Self {
        let mut positions = model.mesh.positions.clone();
        model.place_obstacles(0.0, &mut positions);
        State {
            time: 0.0,
            steps: 0,
            previous_positions: positions.clone(),
            positions,
            velocities: model.start_velocities.clone(),
            previous_velocities: model.start_velocities.clone(),
            previous_step: 0.0,
            adaptive_step: 0.0,
            adaptive_successes: 0,
            adaptive_wait: 0,
            adaptive_grown: false,
            pending_steps: Vec::new(),
            anchors: Vec::new(),
            exemptions: Vec::new(),
            creases: Vec::new(),
        }
    }

    /// Puts everything into an archive.
    pub fn save(&self, archive: &mut Archive) {
        // Named one by one, so that a new field cannot be forgotten.
        let State {
            time,
            steps,
            positions,
            velocities,
            previous_positions,
            previous_velocities,
            previous_step,
            adaptive_step,
            adaptive_successes,
            adaptive_wait,
            adaptive_grown,
            pending_steps,
            anchors,
            exemptions,
            creases,
        } = self;
        Crease::save(creases, archive);
        Exemption::save(exemptions, archive);
        archive.put_reals("state.times", [*time, *previous_step, *adaptive_step]);
        let counts = [*adaptive_successes, *adaptive_wait, u32::from(*adaptive_grown)].map(u64::from);
        archive.put_counts("state.counts", [*steps, counts[0], counts[1], counts[2]]);
        archive.put_points("state.positions", positions);
        archive.put_points("state.velocities", velocities);
        archive.put_points("state.previous_positions", previous_positions);
        archive.put_points("state.previous_velocities", previous_velocities);
        archive.put_reals("state.pending_ends", pending_steps.iter().map(|p| p.end).collect::<Vec<_>>());
        let halvings = pending_steps.iter().map(|p| u64::from(p.halvings)).collect::<Vec<_>>();
        archive.put_counts("state.pending_halvings", halvings);
        let pairs = anchors.iter().flat_map(|anchor| anchor.pair).map(u64::from);
        archive.put_counts("state.anchor_pairs", pairs.collect::<Vec<_>>());
        let springs = anchors.iter().flat_map(|a| [a.stretch.x, a.stretch.y, a.stretch.z, a.force]);
        archive.put_reals("state.anchor_springs", springs.collect::<Vec<_>>());
        archive.put_reals("state.anchor_slips", anchors.iter().map(|a| a.slip).collect::<Vec<_>>());
    }

    /// Takes everything back from an archive of a state with as many vertices and creases.
    pub fn restore(&mut self, archive: &Archive) -> Result<(), ArchiveError> {
        let count = self.positions.len();
        let [time, previous_step, adaptive_step] = *archive.reals("state.times", 3)? else { unreachable!("3 asked") };
        let counts = archive.counts("state.counts", 4)?;
        let small = |k: usize| {
            let impossible = |_| ArchiveError::Value { name: "state.counts".into(), index: k };
            u32::try_from(counts[k]).map_err(impossible)
        };
        let ends = archive.all_reals("state.pending_ends")?;
        let halvings = archive.counts("state.pending_halvings", ends.len())?;
        let springs = archive.all_reals("state.anchor_springs")?;
        let pairs = archive.counts("state.anchor_pairs", springs.len() / 4 * 3)?;
        let slips = archive.reals("state.anchor_slips", springs.len() / 4)?;
        *self = State {
            time,
            steps: counts[0],
            positions: archive.points("state.positions", count)?,
            velocities: archive.points("state.velocities", count)?,
            previous_positions: archive.points("state.previous_positions", count)?,
            previous_velocities: archive.points("state.previous_velocities", count)?,
            previous_step,
            adaptive_step,
            adaptive_successes: small(1)?,
            adaptive_wait: small(2)?,
            adaptive_grown: counts[3] != 0,
            pending_steps: ends
                .iter()
                .zip(halvings)
                .map(|(&end, &halvings)| PendingStep { end, halvings: halvings.min(u64::from(u32::MAX)) as u32 })
                .collect(),
            anchors: pairs
                .chunks_exact(3)
                .zip(springs.chunks_exact(4))
                .zip(slips)
                .map(|((pair, spring), &slip)| Anchor {
                    pair: std::array::from_fn(|k| pair[k] as u32),
                    stretch: DVec3::new(spring[0], spring[1], spring[2]),
                    force: spring[3],
                    slip,
                })
                .collect(),
            exemptions: Exemption::restore(archive)?,
            creases: Crease::restore(archive, self.creases.len())?,
        };
        Ok(())
    }
}
