//! What files show of a simulation beyond positions: quantities on the cloth, and of the whole cloth.

use crate::measure::{Gauge, remembers_bends};
use glam::DVec3;
use muslin_dynamics::forces::{CurvatureProbe, Force};
use muslin_io::output::{FieldArray, Site};
use muslin_model::{Model, parallel};
use muslin_sim::{Grip, Simulation, report::largest_strain};
use std::collections::BTreeMap;

/// Measures the quantities on the cloth, with room that is kept from frame to frame.
pub struct Fields {
    probe: CurvatureProbe,
    curvatures: Vec<DVec3>,
    /// Strain and stress of each triangle.
    strains: Vec<[DVec3; 2]>,
    /// Rest area around each vertex [m²].
    areas: Vec<f64>,
    solver_positions: Vec<DVec3>,
    energies: Vec<f64>,
    /// Sums over the vertices, before they are rounded.
    sums: Vec<f64>,
    /// Elastic energy of the whole cloth in the frame that was measured last [J].
    elastic: f64,
    /// Measures residual angles, where there are any.
    gauge: Option<Gauge>,
    /// Finds the edges of hinges, where they remember.
    hinges: Option<Hinges>,
    arrays: Vec<FieldArray>,
}

// Names of the arrays that exist only where bending has a memory.
pub(crate) const RESIDUAL: &str = "residual_angle";
pub(crate) const HINGE_CURVATURE: &str = "hinge_curvature";
pub(crate) const HINGE_MOMENT: &str = "hinge_moment";

/// Sides of a triangle, by their corners.
const SIDES: &[&str] = &["01", "12", "20"];

const WARP_WEFT_SHEAR: &[&str] = &["warp", "weft", "shear"];
const WARP_WEFT_TWIST: &[&str] = &["warp", "weft", "twist"];

// Places of the arrays in the list.
const VELOCITY: usize = 0;
const ENERGY: usize = 1;
const STRAIN: usize = 2;
const STRESS: usize = 3;
const CURVATURE: usize = 4;
// These three exist only where contact is handled.
const CONTACT_FORCE: usize = 5;
const FRICTION_STATE: usize = 7;

// What friction does at a vertex.
const NOTHING_PRESSES: f32 = 0.0;
const STICKS: f32 = 1.0;
const SLIPS: f32 = 2.0;

/// Gap of a vertex that nothing presses on.
const NO_GAP: f32 = -1.0;

impl Fields {
    /// Prepares for a model.
    pub fn new(model: &Model) -> Self {
        let array = |name, site, components| FieldArray { name, site, components, values: Vec::new() };
        let mut areas = vec![0.0; model.cloth_vertices().len()];
        for face in model.cloth_triangles() {
            let third = model.mesh.rest_area(face) / 3.0;
            model.mesh.triangles[face].iter().for_each(|&v| areas[v as usize] += third);
        }
        Fields {
            probe: CurvatureProbe::new(model),
            curvatures: Vec::new(),
            strains: Vec::new(),
            areas,
            solver_positions: Vec::new(),
            energies: Vec::new(),
            sums: Vec::new(),
            elastic: 0.0,
            gauge: None,
            hinges: None,
            arrays: vec![
                array("velocity", Site::Vertices, &["x", "y", "z"]),
                array("elastic_energy", Site::Vertices, &[]),
                array("strain", Site::Triangles, WARP_WEFT_SHEAR),
                array("stress", Site::Triangles, WARP_WEFT_SHEAR),
                array("curvature", Site::Triangles, WARP_WEFT_TWIST),
            ],
        }
    }

    /// Measures a frame: velocity [m/s] and density of elastic energy [J/m²] of the vertices; Green strain [-], the
    /// membrane's second Piola–Kirchhoff stress [N/m] and curvature [1/m] of the triangles, along warp and weft. Where contact
    /// is handled also its force [N] and gap [m] on the vertices and what friction does there, at the end of the last step; where
    /// bending has a memory the largest residual angle of a hinge at each vertex [rad].
    ///
    /// The stress is that of an orthotropic membrane of the triangle's material, without viscosity, also where another
    /// model stretches the cloth.
    pub fn measure(&mut self, simulation: &Simulation, positions: &[DVec3]) {
        let model = simulation.model();
        let velocities = &simulation.state().velocities[model.cloth_vertices()];
        flatten(velocities, |v| *v, &mut self.arrays[VELOCITY].values);
        self.strains(model, positions);
        self.probe.measure(positions, &mut self.curvatures);
        flatten(&self.curvatures, |k| *k, &mut self.arrays[CURVATURE].values);
        self.energies(simulation, positions);
        if simulation.has_contact() {
            self.contacts(simulation);
        }
        if remembers_bends(simulation) {
            self.creases(model, simulation);
        }
    }

    /// What was measured last.
    pub fn arrays(&self) -> &[FieldArray] {
        &self.arrays
    }

    fn strains(&mut self, model: &Model, positions: &[DVec3]) {
        let count = model.cloth_triangles().len();
        parallel::refill(&mut self.strains, count, parallel::CHUNK, |face| strain_and_stress(model, positions, face));
        for (slot, pick) in [(STRAIN, 0), (STRESS, 1)] {
            flatten(&self.strains, |pair| pair[pick], &mut self.arrays[slot].values);
        }
    }

    /// Force of contact on each vertex, along the normals, the smallest gap of a contact that it belongs to, and whether one
    /// of them slips.
    fn contacts(&mut self, simulation: &Simulation) {
        if self.arrays.len() == CONTACT_FORCE {
            let array = |name, components| FieldArray { name, site: Site::Vertices, components, values: Vec::new() };
            let force = array("contact_force", &["x", "y", "z"]);
            self.arrays.extend([force, array("contact_gap", &[]), array("friction_state", &[])]);
        }
        let count = self.areas.len();
        let [forces, gaps, states] = &mut self.arrays[CONTACT_FORCE..=FRICTION_STATE] else {
            unreachable!("all were added")
        };
        let (gaps, states) = (&mut gaps.values, &mut states.values);
        self.sums.clear();
        self.sums.resize(3 * count, 0.0);
        gaps.clear();
        gaps.resize(count, NO_GAP);
        states.clear();
        states.resize(count, NOTHING_PRESSES);
        for contact in simulation.pressing_contacts() {
            let gap = contact.gap as f32;
            for (&v, force) in contact.vertices.iter().zip(contact.forces).filter(|(v, _)| (**v as usize) < count) {
                let v = v as usize;
                self.sums[3 * v..3 * v + 3].iter_mut().zip(force.to_array()).for_each(|(sum, part)| *sum += part);
                gaps[v] = if gaps[v] == NO_GAP { gap } else { gaps[v].min(gap) };
                states[v] = states[v].max(if contact.grip == Grip::Slips { SLIPS } else { STICKS });
            }
        }
        forces.values.clear();
        forces.values.extend(self.sums.iter().map(|sum| *sum as f32));
    }

    /// Largest angle by which the rest shape of a hinge has moved, at the ends of its edge [rad]; curvature [1/m] and moment per
    /// length [N] of the hinges on the sides of each triangle, 0 on borders.
    fn creases(&mut self, model: &Model, simulation: &Simulation) {
        let gauge = self.gauge.get_or_insert_with(|| Gauge::new(model));
        gauge.measure_creases(simulation);
        if !self.arrays.iter().any(|array| array.name == RESIDUAL) {
            let array = |name, site, components| FieldArray { name, site, components, values: Vec::new() };
            self.arrays.push(array(RESIDUAL, Site::Vertices, &[]));
            self.arrays.extend([HINGE_CURVATURE, HINGE_MOMENT].map(|name| array(name, Site::Triangles, SIDES)));
        }
        let Some([angles, curvatures, moments]) = self.arrays.last_chunk_mut::<3>() else { return };
        angles.values.clone_from(&gauge.values);
        let bent = self.hinges.get_or_insert_with(|| Hinges::new(simulation)).read(simulation);
        for (array, which) in [(curvatures, 0), (moments, 1)] {
            array.values.clear();
            let sides = model.cloth_triangles().flat_map(|face| model.topology.triangle_edges[face]);
            array.values.extend(sides.map(|edge| bent[edge as usize][which]));
        }
    }

    /// Each element's energy is shared equally by its vertices.
    fn energies(&mut self, simulation: &Simulation, positions: &[DVec3]) {
        let system = simulation.system();
        system.gather(positions, &mut self.solver_positions);
        let (energies, out) = (&mut self.energies, &mut self.sums);
        out.clear();
        out.resize(self.areas.len(), 0.0);
        self.elastic = 0.0;
        for force in &system.forces {
            let (elements, at) = (force.elements(), &self.solver_positions);
            energies.resize(elements.crossing.end, 0.0);
            parallel::fill(energies, |e| force.energy(e..e + 1, at));
            // In the order in which the system adds, so that the sum is the same.
            let ranges = elements.all();
            self.elastic += ranges.map(|range| energies[range.clone()].iter().sum::<f64>()).sum::<f64>();
            for (e, energy) in energies.iter().enumerate().filter(|(_, energy)| **energy != 0.0) {
                let stencil = force.stencil(e);
                let share = energy / stencil.len() as f64;
                stencil.iter().for_each(|&v| out[system.model_from_solver[v as usize] as usize] += share);
            }
        }
        let densities = out.iter().zip(&self.areas).map(|(energy, area)| (energy / area) as f32);
        self.arrays[ENERGY].values.clear();
        self.arrays[ENERGY].values.extend(densities);
    }
}

/// The edges of the elements that remember.
struct Hinges {
    /// Of each force and element, in their order.
    edges: Vec<Vec<u32>>,
    /// Curvature and moment of each edge of the mesh.
    bent: Vec<[f32; 2]>,
}

impl Hinges {
    fn new(simulation: &Simulation) -> Self {
        let (system, topology) = (simulation.system(), &simulation.model().topology);
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let numbers: BTreeMap<[u32; 2], u32> = topology.edges.iter().map(|e| sorted(*e)).zip(0..).collect();
        let edge = |stencil: &[u32]| {
            // The ends of the edge come last. Remembered wrinkles have three vertices and no edge.
            let [_, _, a, b] = *stencil else { return None };
            numbers.get(&sorted([a, b].map(|v| system.model_from_solver[v as usize]))).copied()
        };
        let of = |force: &dyn Force| (0..force.crease_count()).filter_map(|e| edge(force.stencil(e))).collect();
        let edges = system.forces.iter().map(|force| of(&**force)).collect();
        Hinges { edges, bent: vec![[0.0; 2]; topology.edges.len()] }
    }

    /// Curvature and moment of all edges at the end of the last step.
    fn read(&mut self, simulation: &Simulation) -> &[[f32; 2]] {
        for (force, edges) in simulation.system().forces.iter().zip(&self.edges) {
            for (element, &edge) in edges.iter().enumerate() {
                if let Some(bend) = force.bend(element) {
                    self.bent[edge as usize] = [bend.curvature as f32, bend.moment as f32];
                }
            }
        }
        &self.bent
    }
}

/// Sets `out` to the numbers of some vectors, one after the other, in single precision.
fn flatten<T>(items: &[T], vector: impl Fn(&T) -> DVec3, out: &mut Vec<f32>) {
    out.resize(3 * items.len(), 0.0);
    out.as_chunks_mut().0.iter_mut().zip(items).for_each(|(out, item)| *out = vector(item).as_vec3().to_array());
}

/// Green strain and stress of a triangle: along warp, along weft, shear.
fn strain_and_stress(model: &Model, positions: &[DVec3], face: usize) -> [DVec3; 2] {
    let [p0, p1, p2] = model.mesh.uv[face];
    let [x0, x1, x2] = model.mesh.triangles[face].map(|v| positions[v as usize]);
    let (a, b) = (p1 - p0, p2 - p0);
    let det = a.perp_dot(b);
    let (d1, d2) = (x1 - x0, x2 - x0);
    let fu = (d1 * b.y - d2 * a.y) / det;
    let fv = (d2 * a.x - d1 * b.x) / det;
    let strain = DVec3::new(0.5 * (fu.dot(fu) - 1.0), 0.5 * (fv.dot(fv) - 1.0), fu.dot(fv));
    let m = &model.materials[face];
    let scale = 1.0 / (1.0 - m.poisson * m.poisson);
    let across = m.poisson * (m.stretch_warp * m.stretch_weft).sqrt();
    let stress = DVec3::new(
        scale * (m.stretch_warp * strain.x + across * strain.y),
        scale * (m.stretch_weft * strain.y + across * strain.x),
        m.shear * strain.z,
    );
    [strain, stress]
}

/// Quantities of the whole cloth: energies and work [J], largest strain [-], shear [rad] and speed [m/s] now, counts so
/// far; contacts and the residual [vertex weights] of the last step. Nothing that differs from run to run, such as times.
///
/// `measured` are the fields of the frame at these positions [m], if somebody measured them: what they know is not computed again.
pub fn totals(simulation: &Simulation, measured: Option<&Fields>, positions: &[DVec3]) -> Vec<(&'static str, f64)> {
    let (model, state, tally) = (simulation.model(), simulation.state(), simulation.tally());
    // A frame may lie within the last step; totals are of its end.
    let elastic = measured.filter(|_| state.positions == positions).map(|fields| fields.elastic);
    let energy = elastic.map_or_else(|| simulation.energy(), |elastic| simulation.energy_with(elastic));
    let strain = largest_strain(model, state);
    let speeds = state.velocities[model.cloth_vertices()].iter().map(|v| v.length());
    vec![
        ("kinetic_energy_J", energy.kinetic),
        ("elastic_energy_J", energy.elastic),
        ("gravity_energy_J", energy.gravity),
        ("pin_work_J", tally.work.pins),
        ("damping_work_J", tally.work.damping),
        ("wind_work_J", tally.work.wind),
        ("drag_work_J", tally.work.drag),
        ("max_strain", strain.stretch),
        ("max_shear_rad", strain.shear),
        ("max_speed_m_s", speeds.fold(0.0, f64::max)),
        ("steps", state.steps as f64),
        ("newton_iterations", tally.newton_iterations as f64),
        ("pcg_iterations", tally.pcg_iterations as f64),
        ("worst_residual", simulation.last_outcome().map_or(0.0, |outcome| outcome.worst_residual)),
        ("near_contacts", simulation.near_pairs() as f64),
        ("pressing_contacts", simulation.pressing_contacts().count() as f64),
        ("contact_solves", tally.rounds as f64),
        ("contact_responses", tally.response_rounds as f64),
        ("crossings", tally.crossings as f64),
    ]
}
