//! The constant part of a simulation: one mesh for all bodies, their masses, materials and holds.

use crate::{
    body::{Body, BodyKind},
    deformation::Animation,
    environment::Environment,
    fabric_table::FabricTables,
    keyframes::{Track, TrackError},
    material::{FaceMaterial, LARGEST_RIGIDITY, Material},
    mesh::{Mesh, MeshError},
    pins::{Pin, PinMotion},
    topology::Topology,
};
use glam::DVec3;
use std::ops::Range;

/// A cloth before it joins the model.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// Its name in messages and files.
    pub name: String,
    /// Shape and rest shape.
    pub mesh: Mesh,
    /// Fabric.
    pub material: Material,
    /// Holds; vertex indices of this cloth.
    pub pins: Vec<Pin>,
    /// Velocity at the start [m/s].
    pub velocity: DVec3,
    /// Rotation at the start, about the cloth's centroid [rad/s].
    pub angular_velocity: DVec3,
}

/// An obstacle before it joins the model.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its name in messages and files.
    pub name: String,
    /// Its surface.
    pub mesh: Mesh,
    /// How its shape changes; `None` keeps that of `mesh`.
    pub animation: Option<Animation>,
    /// How it moves as a whole, after the animation; `None` stands still.
    pub motion: Option<Track>,
}

/// Why a model cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A body's mesh is broken.
    #[error("`{body}`: {source}")]
    Mesh {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: MeshError,
    },
    /// A material array has the wrong length.
    #[error(
        "`{body}`: material value `{field}` has {found} values, but the cloth has {vertices} vertices and {faces} faces; give one value, or one per vertex or face"
    )]
    FieldLength {
        /// Name of the cloth.
        body: String,
        /// Name of the value.
        field: &'static str,
        /// Values given.
        found: usize,
        /// Vertices of the cloth.
        vertices: usize,
        /// Faces of the cloth.
        faces: usize,
    },
    /// A material value that no fabric has.
    #[error("`{body}`: material value `{field}` is {value} at {place}; it must be {range}")]
    FieldRange {
        /// Name of the cloth.
        body: String,
        /// Name of the value.
        field: &'static str,
        /// The value.
        value: f64,
        /// The vertex or face.
        place: String,
        /// What is allowed.
        range: &'static str,
    },
    /// A pin names a vertex that does not exist.
    #[error("`{body}`: a pin names vertex {vertex}, but the cloth has {count} vertices (0..{count})")]
    PinVertex {
        /// Name of the cloth.
        body: String,
        /// The vertex.
        vertex: u32,
        /// Vertices of the cloth.
        count: usize,
    },
    /// A motion that cannot be followed.
    #[error("`{body}`: {source}")]
    Track {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: TrackError,
    },
    /// An animation for other vertices than the mesh's.
    #[error(
        "`{body}`: the animation moves {found} vertices, but the mesh has {expected}; use the mesh it was made for"
    )]
    Animation {
        /// Name of the obstacle.
        body: String,
        /// Vertices of the animation.
        found: usize,
        /// Vertices of the mesh.
        expected: usize,
    },
    /// Gravity or air that cannot be.
    #[error("environment: `{field}` is {value}; it must be {range}")]
    Environment {
        /// Name of the value.
        field: &'static str,
        /// The value as text.
        value: String,
        /// What is allowed.
        range: &'static str,
    },
    /// No cloth at all.
    #[error("the scene has no cloth; add a [[cloth]]")]
    NoCloth,
}

/// Everything that stays constant during a run. Cloths come first in the mesh, obstacles after them.
#[derive(Clone, Debug)]
pub struct Model {
    /// One mesh for all bodies; `uv` exists for the cloths' triangles only.
    pub mesh: Mesh,
    /// Its edges.
    pub topology: Topology,
    /// Cloths, then obstacles.
    pub bodies: Vec<Body>,
    /// Mass of each vertex [kg]; 0 for obstacles, whose inverse mass is 0 too.
    pub masses: Vec<f64>,
    /// Material of each cloth triangle.
    pub materials: Vec<FaceMaterial>,
    /// Measured tables of each cloth, in the order of the bodies.
    pub tables: Vec<FabricTables>,
    /// Holds of cloth vertices.
    pub pins: Vec<Pin>,
    /// Motion of each obstacle, in the order of the bodies.
    pub obstacle_motions: Vec<Option<Track>>,
    /// Change of shape of each obstacle, in the order of the bodies.
    pub obstacle_animations: Vec<Option<Animation>>,
    /// Gravity and air.
    pub environment: Environment,
    /// Velocities at time zero [m/s].
    pub start_velocities: Vec<DVec3>,
}

impl Model {
    /// Joins cloths and obstacles; refuses broken meshes and values that no fabric has.
    pub fn new(cloths: Vec<Cloth>, obstacles: Vec<Obstacle>, environment: Environment) -> Result<Self, ModelError> {
        if cloths.is_empty() {
            return Err(ModelError::NoCloth);
        }
        check_environment(&environment)?;
        let mut model = Model {
            mesh: Mesh::default(),
            topology: Topology::default(),
            bodies: Vec::new(),
            masses: Vec::new(),
            materials: Vec::new(),
            tables: Vec::new(),
            pins: Vec::new(),
            obstacle_motions: Vec::new(),
            obstacle_animations: Vec::new(),
            environment,
            start_velocities: Vec::new(),
        };
        for cloth in cloths {
            model.add_cloth(cloth)?;
        }
        for obstacle in obstacles {
            obstacle
                .mesh
                .check_geometry()
                .map_err(|source| ModelError::Mesh { body: obstacle.name.clone(), source })?;
            check_track(&obstacle.name, obstacle.motion.as_ref())?;
            let expected = obstacle.mesh.positions.len();
            if let Some(found) =
                obstacle.animation.as_ref().map(|a| a.deformation.vertices()).filter(|n| *n != expected)
            {
                return Err(ModelError::Animation { body: obstacle.name, found, expected });
            }
            model.add_body(obstacle.name, BodyKind::Obstacle, &obstacle.mesh);
            model.masses.resize(model.mesh.positions.len(), 0.0);
            model.start_velocities.resize(model.mesh.positions.len(), DVec3::ZERO);
            model.obstacle_motions.push(obstacle.motion);
            model.obstacle_animations.push(obstacle.animation);
        }
        model.topology = Topology::new(&model.mesh.triangles);
        Ok(model)
    }

    fn add_cloth(&mut self, cloth: Cloth) -> Result<(), ModelError> {
        let mesh = &cloth.mesh;
        mesh.check_cloth().map_err(|source| ModelError::Mesh { body: cloth.name.clone(), source })?;
        check_material(&cloth)?;
        let first = self.mesh.positions.len() as u32;
        let count = mesh.positions.len();
        self.add_body(cloth.name.clone(), BodyKind::Cloth, mesh);
        self.mesh.uv.extend_from_slice(&mesh.uv);
        self.masses.resize(self.mesh.positions.len(), 0.0);
        for (face, tri) in mesh.triangles.iter().enumerate() {
            let material = cloth.material.at_face(face, &mesh.triangles);
            for &v in tri {
                self.masses[(first + v) as usize] += material.area_density * mesh.rest_area(face) / 3.0;
            }
            self.materials.push(material);
        }
        self.tables.push(cloth.material.tables.clone());
        let centre = mesh.positions.iter().sum::<DVec3>() / count as f64;
        self.start_velocities
            .extend(mesh.positions.iter().map(|&p| cloth.velocity + cloth.angular_velocity.cross(p - centre)));
        for mut pin in cloth.pins {
            if let Some(&vertex) = pin.vertices.iter().find(|&&v| v as usize >= count) {
                return Err(ModelError::PinVertex { body: cloth.name, vertex, count });
            }
            if let PinMotion::Keyframes(track) = &pin.motion {
                check_track(&cloth.name, Some(track))?;
            }
            pin.vertices.iter_mut().for_each(|v| *v += first);
            self.pins.push(pin);
        }
        Ok(())
    }

    fn add_body(&mut self, name: String, kind: BodyKind, mesh: &Mesh) {
        let vertices = self.mesh.positions.len()..self.mesh.positions.len() + mesh.positions.len();
        let triangles = self.mesh.triangles.len()..self.mesh.triangles.len() + mesh.triangles.len();
        let first = vertices.start as u32;
        self.mesh.positions.extend_from_slice(&mesh.positions);
        self.mesh.triangles.extend(mesh.triangles.iter().map(|tri| tri.map(|v| v + first)));
        if !(self.mesh.texture.is_empty() && mesh.texture.is_empty()) {
            self.mesh.append_texture((0..mesh.triangles.len()).map(|t| mesh.shown_uv(t)));
        }
        self.bodies.push(Body { name, kind, vertices, triangles });
    }

    /// Vertices of all cloths; they come first.
    pub fn cloth_vertices(&self) -> Range<usize> {
        0..self.bodies.iter().filter(|b| b.kind == BodyKind::Cloth).map(|b| b.vertices.end).max().unwrap_or(0)
    }

    /// Triangles of all cloths; they come first.
    pub fn cloth_triangles(&self) -> Range<usize> {
        0..self.mesh.uv.len()
    }

    /// The measured tables of a cloth triangle's fabric.
    pub fn tables_of(&self, face: usize) -> Option<&FabricTables> {
        self.tables.get(self.bodies.iter().position(|b| b.triangles.contains(&face))?)
    }

    /// The cloth or obstacle that a vertex belongs to.
    pub fn body_of_vertex(&self, vertex: usize) -> &Body {
        self.bodies.iter().find(|b| b.vertices.contains(&vertex)).expect("every vertex belongs to a body")
    }

    /// Whether each obstacle ever moves, in the order of the bodies.
    pub fn obstacle_moves(&self) -> impl Iterator<Item = bool> + '_ {
        self.obstacle_motions.iter().zip(&self.obstacle_animations).map(|(m, a)| m.is_some() || a.is_some())
    }

    /// Moves the obstacles to where they are at a time.
    pub fn place_obstacles(&self, time: f64, positions: &mut [DVec3]) {
        let obstacles = self.bodies.iter().filter(|b| b.kind == BodyKind::Obstacle);
        for (body, (motion, animation)) in obstacles.zip(self.obstacle_motions.iter().zip(&self.obstacle_animations)) {
            let placed = &mut positions[body.vertices.clone()];
            match (animation, motion) {
                (None, None) => continue,
                (Some(animation), _) => animation.place(time, placed),
                (None, Some(_)) => placed.copy_from_slice(&self.mesh.positions[body.vertices.clone()]),
            }
            if let Some(track) = motion {
                placed.iter_mut().for_each(|p| *p = track.apply(*p, time));
            }
        }
    }
}

fn check_track(body: &str, track: Option<&Track>) -> Result<(), ModelError> {
    match track.map(Track::check) {
        Some(Err(source)) => Err(ModelError::Track { body: body.to_string(), source }),
        _ => Ok(()),
    }
}

fn check_environment(environment: &Environment) -> Result<(), ModelError> {
    let Environment { gravity, wind, viscous_drag } = environment;
    let refuse = |field, value: String, range| Err(ModelError::Environment { field, value, range });
    for (field, vector) in [("gravity", gravity), ("wind.velocity", &wind.velocity)] {
        if !vector.is_finite() {
            return refuse(field, vector.to_string(), "finite");
        }
    }
    let drags =
        [("viscous_drag", *viscous_drag), ("wind.density", wind.density), ("wind.normal_drag", wind.normal_drag)];
    for (field, value) in drags {
        if !(0.0..f64::INFINITY).contains(&value) {
            return refuse(field, value.to_string(), "finite and at least 0");
        }
    }
    for gust in &wind.gusts {
        if !(gust.period > 0.0 && gust.period.is_finite()) {
            return refuse("wind.gusts.period", gust.period.to_string(), "finite and greater than 0 s");
        }
        if !(gust.velocity.is_finite() && gust.phase.is_finite()) {
            return refuse("wind.gusts", format!("{gust:?}"), "finite");
        }
    }
    Ok(())
}

fn check_material(cloth: &Cloth) -> Result<(), ModelError> {
    let (vertices, faces) = (cloth.mesh.positions.len(), cloth.mesh.triangles.len());
    for (field, values) in cloth.material.fields() {
        use crate::material::Field;
        let (found, expected) = match values {
            Field::Uniform(_) => (1, 1),
            Field::PerVertex(v) => (v.len(), vertices),
            Field::PerFace(v) => (v.len(), faces),
        };
        if found != expected {
            return Err(ModelError::FieldLength { body: cloth.name.clone(), field, found, vertices, faces });
        }
        let (allowed, range): (fn(f64) -> bool, _) = match field {
            "area_density" => (|v| v > 0.0 && v <= 1e3, "greater than 0 and at most 1000 kg/m²"),
            "poisson" | "bend_poisson" => (|v| (0.0..1.0).contains(&v), "at least 0 and below 1"),
            "bend_crease" | "bend_fatigue" => (|v| (0.0..=1.0).contains(&v), "from 0 to 1"),
            "bend_transition" | "bend_yield" => (|v| v > 0.0 && v <= 1e12, "greater than 0 and at most 1e12 1/m"),
            "shear_transition" => (|v| v > 0.0 && v <= 1.0, "greater than 0 and at most 1"),
            _ => (|v| (0.0..=1e12).contains(&v), "at least 0 and at most 1e12"),
        };
        if let Some(k) = values.values().iter().position(|&v| !allowed(v)) {
            let place = match values {
                Field::Uniform(_) => "the whole cloth".to_string(),
                Field::PerVertex(_) => format!("vertex {k}"),
                Field::PerFace(_) => format!("face {k}"),
            };
            let value = values.values()[k];
            return Err(ModelError::FieldRange { body: cloth.name.clone(), field, value, place, range });
        }
    }
    for face in 0..faces {
        let m = cloth.material.at_face(face, &cloth.mesh.triangles);
        let initial = 0.5 * (m.bend_warp + m.bend_weft) + m.bend_hysteresis / m.bend_transition;
        // A relative slack, so that a transition computed from the bound itself passes.
        if initial > LARGEST_RIGIDITY * (1.0 + 1e-12) {
            return Err(ModelError::FieldRange {
                body: cloth.name.clone(),
                field: "bend_hysteresis",
                value: m.bend_hysteresis,
                place: format!("face {face}"),
                range: "so small that b1 = (bend_warp + bend_weft)/2 + bend_hysteresis/bend_transition is at most 1e12 N·m",
            });
        }
        let least = 0.25 * (m.bend_warp + m.bend_weft) + 0.5 * m.bend_poisson * (m.bend_warp * m.bend_weft).sqrt();
        // A relative slack, so that a bias computed by the same formula passes.
        if m.bend_bias < least * (1.0 - 1e-12) {
            return Err(ModelError::FieldRange {
                body: cloth.name.clone(),
                field: "bend_bias",
                value: m.bend_bias,
                place: format!("face {face}"),
                range: "at least (bend_warp + bend_weft)/4 + bend_poisson·√(bend_warp·bend_weft)/2, else twisting would have negative stiffness",
            });
        }
    }
    Ok(())
}
