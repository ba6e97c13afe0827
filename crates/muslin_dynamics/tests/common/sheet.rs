//! Random sheets: irregular meshes in a random numbering, bent, stretched and roughened.

use glam::{DQuat, DVec2, DVec3};
use muslin_dynamics::{
    Domains,
    forces::{Force, Layout},
    linear::Pattern,
};
use muslin_model::{
    Cloth, Environment, Material, Model,
    shapes::{Triangulation, grid},
};

/// How a test makes the force that it checks.
pub type Build<'a> = &'a dyn Fn(&Model, &[u32], &Layout) -> Box<dyn Force>;

/// What a claim is checked on: sheets of one kind, and the force.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// Triangulation of the sheets, by seed.
    pub triangulation: fn(u64) -> Triangulation,
    /// The force.
    pub build: Build<'a>,
}

impl<'a> Case<'a> {
    /// On irregular meshes: the rule.
    pub fn irregular(build: Build<'a>) -> Self {
        Case { triangulation: |seed| Triangulation::Irregular { seed, straight_columns: 0 }, build }
    }

    /// On straight grids, for forces that exist only there; the state is as rough.
    pub fn straight(build: Build<'a>) -> Self {
        Case { triangulation: |_| Triangulation::Alternating, build }
    }

    /// A small sheet of the odd fabric.
    pub fn sheet(&self, seed: u64) -> Model {
        grid_of(VERTICES, SIZE, (self.triangulation)(seed), odd_fabric())
    }

    /// A sheet large enough for several domains.
    pub fn large_sheet(&self) -> Model {
        grid_of([70, 60], DVec2::new(7.0, 6.0), (self.triangulation)(3), odd_fabric())
    }
}

/// splitmix64, so that every run sees the same numbers.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [−1, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub fn vectors(&mut self, count: usize, scale: f64) -> Vec<DVec3> {
        (0..count).map(|_| self.vector() * scale).collect()
    }

    /// A permutation of 0..count.
    pub fn permutation(&mut self, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        for k in (1..count).rev() {
            let j = ((self.next() * 0.5 + 0.5) * (k + 1) as f64) as usize;
            order.swap(k, j.min(k));
        }
        order
    }
}

/// A fabric whose every value differs from every other, so that no mix-up goes unseen.
pub fn odd_fabric() -> Material {
    Material {
        name: "odd".into(),
        area_density: 0.21.into(),
        thickness: 1e-3.into(),
        stretch_warp: 1100.0.into(),
        stretch_weft: 700.0.into(),
        shear: 130.0.into(),
        poisson: 0.23.into(),
        bend_warp: 2e-3.into(),
        bend_weft: 3e-3.into(),
        bend_bias: 4e-3.into(),
        bend_poisson: 0.1.into(),
        damping_warp: 5.0.into(),
        damping_weft: 3.0.into(),
        damping_shear: 2.0.into(),
        damping_bend: 1e-4.into(),
        tables: Default::default(),
        bend_hysteresis: 7e-3.into(),
        bend_transition: 1.3.into(),
        bend_crease: 0.17.into(),
        bend_fatigue: 0.07.into(),
        bend_yield: 2.3.into(),
        shear_hysteresis: 40.0.into(),
        shear_transition: 0.05.into(),
    }
}

/// A model of one flat cloth.
pub fn model_of(mesh: muslin_model::Mesh, material: Material) -> Model {
    model_in(mesh, material, Environment::default())
}

/// A model of one flat cloth in an environment.
pub fn model_in(mesh: muslin_model::Mesh, material: Material, environment: Environment) -> Model {
    let cloth = Cloth {
        name: "sheet".into(),
        mesh,
        material,
        pins: Vec::new(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    Model::new(vec![cloth], Vec::new(), environment).expect("a valid sheet")
}

pub const SIZE: DVec2 = DVec2::new(0.6, 0.5);
pub const VERTICES: [usize; 2] = [7, 6];
/// Mean side of a cell [m].
pub const CELL: f64 = 0.1;

/// A grid of a fabric.
pub fn grid_of(vertices: [usize; 2], size: DVec2, triangulation: Triangulation, material: Material) -> Model {
    model_of(grid(vertices[0], vertices[1], size, triangulation).expect("a valid grid"), material)
}

/// An irregular sheet of the odd fabric.
pub fn irregular(seed: u64) -> Model {
    grid_of(VERTICES, SIZE, Triangulation::Irregular { seed, straight_columns: 0 }, odd_fabric())
}

/// A model, the solver's numbering of it, and one force bound to its pattern.
pub struct Rig {
    pub model: Model,
    pub solver_from_model: Vec<u32>,
    pub domains: Domains,
    pub pattern: Pattern,
    pub force: Box<dyn Force>,
}

impl Rig {
    /// One domain and a random numbering.
    pub fn new(model: Model, seed: u64, build: Build) -> Self {
        let count = model.mesh.positions.len();
        Rig::with_domains(model, Random(seed).permutation(count), vec![0, count as u32], build)
    }

    pub fn with_domains(model: Model, solver_from_model: Vec<u32>, starts: Vec<u32>, build: Build) -> Self {
        let domains = Domains { starts };
        let faces: Vec<u32> = (0..model.mesh.triangles.len() as u32).collect();
        let mut force = build(&model, &faces, &Layout { solver_from_model: &solver_from_model, domains: &domains });
        let count = force.elements().crossing.end;
        let pattern = Pattern::new(domains.clone(), (0..count).map(|e| force.stencil(e)));
        force.bind(&pattern);
        Rig { model, solver_from_model, domains, pattern, force }
    }

    pub fn count(&self) -> usize {
        self.force.elements().crossing.end
    }

    /// The flat sheet rolled on a cylinder of curvature `kappa` [1/m] whose arc runs at an angle to x, in the
    /// solver's order [m].
    pub fn rolled(&self, degrees: f64, kappa: f64) -> Vec<DVec3> {
        let direction = DVec2::from_angle(degrees.to_radians());
        let roll = |p: &DVec3| {
            let (along, across) = (p.truncate().dot(direction), p.truncate().dot(direction.perp()));
            let plane = direction * ((kappa * along).sin() / kappa) + direction.perp() * across;
            DVec3::new(plane.x, plane.y, (1.0 - (kappa * along).cos()) / kappa)
        };
        self.to_solver(&self.model.mesh.positions.iter().map(roll).collect::<Vec<_>>())
    }

    /// Values per model vertex in the solver's order.
    pub fn to_solver(&self, model_values: &[DVec3]) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; model_values.len()];
        for (v, &s) in self.solver_from_model.iter().enumerate() {
            out[s as usize] = model_values[v];
        }
        out
    }

    /// Values per solver vertex in the model's order.
    pub fn to_model(&self, solver_values: &[DVec3]) -> Vec<DVec3> {
        self.solver_from_model.iter().map(|&s| solver_values[s as usize]).collect()
    }

    /// A deformed state, in the solver's order.
    pub fn deformed(&self, seed: u64) -> Vec<DVec3> {
        self.to_solver(&deformed(&self.model, seed))
    }
}

/// A state in the model's order: stretched and sheared, bent by smooth waves, roughened by noise, turned.
pub fn deformed(model: &Model, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed.wrapping_mul(77).wrapping_add(5));
    let (a, b, c) = (random.vector(), random.vector(), random.vector());
    let turn = DQuat::from_scaled_axis(random.vector() * 2.0);
    model
        .mesh
        .positions
        .iter()
        .map(|p| {
            let wave = a * (9.0 * p.x + 2.0).sin() + b * (7.0 * p.y + 4.0 * p.x).cos();
            let smooth = DVec3::new(1.08 * p.x + 0.1 * p.y, 0.96 * p.y, 0.0) + wave * 0.05 + c * (p.x * p.y);
            turn * (smooth + random.vector() * (0.08 * CELL)) + c
        })
        .collect()
}
