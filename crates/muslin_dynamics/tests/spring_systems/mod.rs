//! Small systems of springs for the tests of integrators and limiters, a reference integrator that shares no
//! code with the crate, and every scheme by name.
#![allow(dead_code)] // each test file uses its own part

use glam::{DMat3, DVec3};
use muslin_dynamics::{
    Constraints, Domains, Past, System,
    domains::{BlockPart, ElementRanges, Slot, VertexPart},
    forces::{Effort, Force, HessianKind},
    integrators::{
        BaraffWitkin, ImplicitScheme, Integrator, Mixed, MixedOrder, Newton, Phase, RungeKutta, StepInput,
        SymplecticEuler, Tolerances, Verlet,
    },
    linear::{BlockJacobi, Pattern, PcgSettings},
};
use std::{ops::Range, sync::Arc};

/// A linear spring with viscous damping along its length.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    pub ends: [u32; 2],
    /// [N/m]
    pub stiffness: f64,
    /// [m]
    pub rest: f64,
    /// [N·s/m]
    pub damping: f64,
}

pub fn spring(a: u32, b: u32, stiffness: f64, rest: f64, damping: f64) -> Spring {
    Spring { ends: [a, b], stiffness, rest, damping }
}

/// The springs as one force of the crate.
pub struct Springs {
    springs: Vec<Spring>,
    elements: ElementRanges,
    slots: Vec<Slot>,
    past_lengths: Vec<f64>,
    tau: f64,
}

impl Springs {
    fn new(springs: &[Spring], domains: &Domains) -> Self {
        let (order, elements) = domains.sort_elements(springs.iter().map(|s| &s.ends[..]));
        let springs = order.iter().map(|&e| springs[e as usize]).collect();
        Springs { springs, elements, slots: Vec::new(), past_lengths: Vec::new(), tau: f64::INFINITY }
    }

    fn length(&self, element: usize, x: &[DVec3]) -> (DVec3, f64) {
        let [a, b] = self.springs[element].ends;
        let d = x[b as usize] - x[a as usize];
        (d / d.length(), d.length())
    }
}

impl Force for Springs {
    fn name(&self) -> &'static str {
        "test-springs"
    }
    fn elements(&self) -> &ElementRanges {
        &self.elements
    }
    fn stencil(&self, element: usize) -> &[u32] {
        &self.springs[element].ends
    }
    fn bind(&mut self, pattern: &Pattern) {
        for spring in &self.springs {
            pattern.stencil_slots(&spring.ends, &mut self.slots);
        }
    }
    fn energy(&self, elements: Range<usize>, x: &[DVec3]) -> f64 {
        elements.map(|e| 0.5 * self.springs[e].stiffness * (self.length(e, x).1 - self.springs[e].rest).powi(2)).sum()
    }
    fn add_force(&self, elements: Range<usize>, x: &[DVec3], v: &[DVec3], out: &mut VertexPart) -> f64 {
        let mut power = 0.0;
        for e in elements {
            let s = self.springs[e];
            let (n, l) = self.length(e, x);
            let rate = (v[s.ends[1] as usize] - v[s.ends[0] as usize]).dot(n);
            let pull = n * (s.stiffness * (l - s.rest) + s.damping * rate);
            power -= s.damping * rate * rate;
            out.add(s.ends[0], pull);
            out.add(s.ends[1], -pull);
        }
        power
    }
    fn begin_step(&mut self, past: &Past) {
        self.tau = past.tau;
        self.past_lengths = (0..self.springs.len())
            .map(|e| {
                let start = self.length(e, past.start).1;
                if past.two_steps() { past.combine(start, self.length(e, past.before).1) } else { start }
            })
            .collect();
    }
    fn add_gradient(&self, elements: Range<usize>, x: &[DVec3], out: &mut VertexPart) -> Effort {
        let mut sum = Effort::default();
        for e in elements {
            let s = self.springs[e];
            let (n, l) = self.length(e, x);
            let (strain, change, viscosity) = (l - s.rest, l - self.past_lengths[e], s.damping / self.tau);
            sum.potential += 0.5 * s.stiffness * strain * strain + 0.5 * viscosity * change * change;
            sum.power -= viscosity * change * change / self.tau;
            let pull = n * (s.stiffness * strain + viscosity * change);
            out.add(s.ends[0], -pull);
            out.add(s.ends[1], pull);
        }
        sum
    }
    fn add_hessian(&self, elements: Range<usize>, x: &[DVec3], kind: HessianKind, out: &mut BlockPart) {
        for e in elements {
            let s = self.springs[e];
            let (n, l) = self.length(e, x);
            let viscosity = s.damping / self.tau;
            let along = s.stiffness + viscosity;
            let mut across = (s.stiffness * (l - s.rest) + viscosity * (l - self.past_lengths[e])) / l;
            if kind == HessianKind::Projected {
                across = across.max(0.0);
            }
            let nn = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let block = nn * along + (DMat3::IDENTITY - nn) * across;
            out.add(self.slots[3 * e], block);
            out.add(self.slots[3 * e + 1], -block);
            out.add(self.slots[3 * e + 2], block);
        }
    }
}

/// A system of springs.
pub fn system(masses: &[f64], springs: &[Spring], gravity: DVec3) -> System {
    let domains = Domains::new(masses.len());
    let mut force = Springs::new(springs, &domains);
    let stencils = (0..springs.len()).map(|e| &springs[e].ends[..]);
    let pattern = Arc::new(Pattern::new(domains.clone(), stencils));
    force.bind(&pattern);
    let identity: Vec<u32> = (0..masses.len() as u32).collect();
    System {
        model_from_solver: identity.clone(),
        solver_from_model: identity,
        masses: masses.to_vec(),
        gravity,
        edge_length: springs.iter().map(|s| s.rest).sum::<f64>() / springs.len().max(1) as f64,
        domains,
        forces: vec![Box::new(force)],
        mechanisms: Default::default(),
        supports: Default::default(),
        pushes: Vec::new(),
        pattern,
    }
}

pub fn phase(positions: &[DVec3], velocities: &[DVec3]) -> Phase {
    Phase {
        positions: positions.to_vec(),
        velocities: velocities.to_vec(),
        previous_positions: positions.to_vec(),
        previous_velocities: velocities.to_vec(),
        previous_step: 0.0,
        guess: Vec::new(),
    }
}

/// Every scheme with its theoretical global order. The implicit ones are solved far below truncation error.
pub fn schemes() -> Vec<(Box<dyn Integrator>, f64)> {
    let tight = Tolerances { correction: 1e-9, residual: 1e-7, ..Default::default() };
    let newton = |scheme| Box::new(Newton::new(scheme, tight, Box::new(BlockJacobi::default())));
    vec![
        (Box::new(RungeKutta::explicit_euler()), 1.0),
        (Box::new(SymplecticEuler::default()), 1.0),
        (Box::new(RungeKutta::midpoint()), 2.0),
        (Box::new(RungeKutta::classical()), 4.0),
        (Box::new(Verlet::new(0.0)), 2.0),
        (newton(ImplicitScheme::BackwardEuler), 1.0),
        (newton(ImplicitScheme::LinearBackwardEuler), 1.0),
        (newton(ImplicitScheme::Bdf2), 2.0),
        (Box::new(BaraffWitkin::new(PcgSettings { relative_tolerance: 1e-12, most_iterations: 10_000 })), 1.0),
        (Box::new(Mixed::new(MixedOrder::ExplicitImplicit)), 2.0),
        (Box::new(Mixed::new(MixedOrder::ImplicitExplicit)), 2.0),
        (Box::new(Mixed::new(MixedOrder::Variable)), 2.0),
    ]
}

/// Vertex 0 and whatever else is listed held fully, each on its path.
pub fn hold(vertices: &[u32], targets: impl Fn(usize) -> DVec3) -> Constraints {
    Constraints {
        vertices: vertices.to_vec(),
        free: vec![DMat3::ZERO; vertices.len()],
        targets: (0..vertices.len()).map(targets).collect(),
        ..Default::default()
    }
}

/// Advances to time `end` in `steps` steps with held vertices on `path(held, time)`.
pub fn run(
    integrator: &mut dyn Integrator,
    system: &mut System,
    phase: &mut Phase,
    held: &[u32],
    path: &dyn Fn(usize, f64) -> DVec3,
    (end, steps): (f64, usize),
) {
    let times: Vec<f64> = (0..=steps).map(|k| end * k as f64 / steps as f64).collect();
    run_at(integrator, system, phase, held, path, &times);
}

/// Advances through the given times.
pub fn run_at(
    integrator: &mut dyn Integrator,
    system: &mut System,
    phase: &mut Phase,
    held: &[u32],
    path: &dyn Fn(usize, f64) -> DVec3,
    times: &[f64],
) {
    for pair in times.windows(2) {
        let constraints = hold(held, |k| path(k, pair[1]));
        let input = StepInput { time: pair[0], step: pair[1] - pair[0], constraints: &constraints };
        integrator.step(system, phase, &input).unwrap_or_else(|e| panic!("{}: {e}", integrator.name()));
    }
}

/// As [`run`], with the velocity of the held vertices as a function of time.
pub fn run_on_curves(
    integrator: &mut dyn Integrator,
    system: &mut System,
    phase: &mut Phase,
    held: &[HeldPath],
    (end, steps): (f64, usize),
) {
    let vertices: Vec<u32> = held.iter().map(|path| path.0).collect();
    for k in 0..steps {
        let [time, next] = [k, k + 1].map(|k| end * k as f64 / steps as f64);
        let mut constraints = hold(&vertices, |k| held[k].1(next));
        constraints.velocities = held.iter().map(|path| Some([path.2(time), path.2(next)])).collect();
        let input = StepInput { time, step: next - time, constraints: &constraints };
        integrator.step(system, phase, &input).unwrap_or_else(|e| panic!("{}: {e}", integrator.name()));
    }
}

/// A held vertex, its position [m] and its velocity [m/s] as functions of time.
pub type HeldPath<'a> = (u32, &'a dyn Fn(f64) -> DVec3, &'a dyn Fn(f64) -> DVec3);

/// The reference: Gragg's modified midpoint rule with Richardson extrapolation (Bulirsch and Stoer), on the
/// equations of motion written out here. Returns positions and velocities.
pub fn reference(
    masses: &[f64],
    springs: &[Spring],
    gravity: DVec3,
    start: &Phase,
    held: &[HeldPath],
    end: f64,
) -> (Vec<DVec3>, Vec<DVec3>) {
    let n = masses.len();
    let slope = |t: f64, y: &[DVec3]| -> Vec<DVec3> {
        let mut y = y.to_vec();
        for (vertex, path, velocity) in held {
            y[*vertex as usize] = path(t);
            y[n + *vertex as usize] = velocity(t);
        }
        let mut out = vec![DVec3::ZERO; 2 * n];
        out[..n].copy_from_slice(&y[n..]);
        for i in 0..n {
            out[n + i] = gravity;
        }
        for s in springs {
            let [a, b] = s.ends.map(|v| v as usize);
            let d = y[b] - y[a];
            let unit = d.normalize();
            let f = unit * (s.stiffness * (d.length() - s.rest) + s.damping * unit.dot(y[n + b] - y[n + a]));
            out[n + a] += f / masses[a];
            out[n + b] -= f / masses[b];
        }
        out
    };
    let mut y: Vec<DVec3> = start.positions.iter().chain(&start.velocities).copied().collect();
    let big_steps = 400;
    let big = end / big_steps as f64;
    for k in 0..big_steps {
        let t = k as f64 * big;
        let mut table: Vec<Vec<DVec3>> = Vec::new();
        let counts = [2usize, 4, 6, 8, 10];
        for (row, &count) in counts.iter().enumerate() {
            let h = big / count as f64;
            let axpy = |a: &[DVec3], s: f64, b: &[DVec3]| -> Vec<DVec3> {
                a.iter().zip(b).map(|(&a, &b)| a + b * s).collect()
            };
            let (mut before, mut now) = (y.clone(), axpy(&y, h, &slope(t, &y)));
            for j in 1..count {
                let next = axpy(&before, 2.0 * h, &slope(t + j as f64 * h, &now));
                (before, now) = (now, next);
            }
            let last = slope(t + big, &now);
            let mut value: Vec<DVec3> = (0..2 * n).map(|i| (now[i] + before[i] + last[i] * h) * 0.5).collect();
            let mut next_table = vec![value.clone()];
            for column in 1..=row {
                let ratio = (counts[row] as f64 / counts[row - column] as f64).powi(2);
                value = (0..2 * n).map(|i| value[i] + (value[i] - table[column - 1][i]) / (ratio - 1.0)).collect();
                next_table.push(value.clone());
            }
            table = next_table;
        }
        y = table.pop().expect("rows");
        for (vertex, path, velocity) in held {
            y[*vertex as usize] = path(t + big);
            y[n + *vertex as usize] = velocity(t + big);
        }
    }
    (y[..n].to_vec(), y[n..].to_vec())
}

/// Largest difference of two arrays.
pub fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Total momentum [kg·m/s].
pub fn momentum(masses: &[f64], v: &[DVec3]) -> DVec3 {
    masses.iter().zip(v).map(|(&m, &v)| v * m).sum()
}

/// Total angular momentum about the origin [kg·m²/s].
pub fn angular_momentum(masses: &[f64], x: &[DVec3], v: &[DVec3]) -> DVec3 {
    masses.iter().zip(x).zip(v).map(|((&m, &x), &v)| x.cross(v) * m).sum()
}

/// Kinetic energy [J].
pub fn kinetic(masses: &[f64], v: &[DVec3]) -> f64 {
    masses.iter().zip(v).map(|(&m, &v)| 0.5 * m * v.length_squared()).sum()
}
