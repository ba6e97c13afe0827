//! A hash of the state, by which two runs are compared.

use crate::simulation::Simulation;

impl Simulation {
    /// A hash of the whole state, bit for bit.
    pub fn state_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let state = &self.state;
        hasher.update(&state.time.to_le_bytes());
        hasher.update(&state.steps.to_le_bytes());
        hasher.update(&state.previous_step.to_le_bytes());
        hasher.update(&state.adaptive_step.to_le_bytes());
        for count in [state.adaptive_successes, state.adaptive_wait, u32::from(state.adaptive_grown)] {
            hasher.update(&count.to_le_bytes());
        }
        for pending in &state.pending_steps {
            hasher.update(&pending.end.to_le_bytes());
            hasher.update(&pending.halvings.to_le_bytes());
        }
        for anchor in &state.anchors {
            anchor.pair.iter().for_each(|n| _ = hasher.update(&n.to_le_bytes()));
            let spring = [anchor.stretch.x, anchor.stretch.y, anchor.stretch.z, anchor.force];
            spring.iter().for_each(|x| _ = hasher.update(&x.to_le_bytes()));
        }
        for exemption in &state.exemptions {
            [exemption.triangle, exemption.body].iter().for_each(|n| _ = hasher.update(&n.to_le_bytes()));
            hasher.update(&[exemption.cause as u8]);
        }
        for array in [&state.positions, &state.velocities, &state.previous_positions, &state.previous_velocities] {
            for v in array.iter().flat_map(|v| v.to_array()) {
                hasher.update(&v.to_le_bytes());
            }
        }
        hasher.finalize().to_hex()[..32].to_string()
    }
}
