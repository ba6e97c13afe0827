//! The start of a scene: is it clean, and if not, what to do.
//!
//! A start whose zero motion does not pass the check has faults, each with its place: triangles that cross, pairs that are too
//! near. What the scene lists in `[[start.exempt]]` is left alone until it has separated. What is left is pushed apart
//! before time begins if the scene says `[start] untangle = true`, or refused with the whole list. Cloth that is wholly inside a closed
//! obstacle has no such fault; it is taken out, or told (`enclosed.rs`).

use super::{ContactStage, enclosed::Enclosed, exemptions::insert, inside::is_inside};
use crate::{
    scene::StartSpec,
    simulation::{SimError, Simulation},
};
use glam::DVec3;
use muslin_collision::{intersections_of, narrow_phase::Proximity};
use muslin_contact::{CHECK, Near};
use muslin_model::{BodyKind, ExemptCause, Exemption, Model};

/// How a start is faulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartFaultKind {
    /// Two triangles cross.
    Crossing,
    /// A vertex and a face, or two edges, are nearer than contact allows.
    TooNear,
    /// A piece of cloth is wholly inside a closed obstacle.
    Inside,
}

/// A place where a start is faulty.
#[derive(Clone, Debug, PartialEq)]
pub struct StartFault {
    /// How.
    pub kind: StartFaultKind,
    /// The two bodies of the model; the same twice where a cloth meets itself.
    pub bodies: [u32; 2],
    /// Vertices of the model on each side: three and three of triangles, one and three, or two and two; all of a piece and none
    /// where it is inside.
    pub sides: [Vec<u32>; 2],
    /// The triangles that cross, if they do.
    pub crossing: Option<[u32; 2]>,
    /// Triangles of cloth concerned, each with the body that it meets.
    pub triangles: Vec<(u32, u32)>,
    /// Where [m].
    pub place: DVec3,
    /// Distance of the two sides [m]; 0 where they cross or one is inside.
    pub distance: f64,
}

impl StartFault {
    /// What is where, in words.
    pub fn describe(&self, model: &Model) -> String {
        let DVec3 { x, y, z } = self.place;
        if self.kind == StartFaultKind::Inside {
            let [cloth, obstacle] = self.bodies.map(|b| &model.bodies[b as usize]);
            let first = self.sides[0].first().map_or(0, |&v| v as usize - cloth.vertices.start);
            return format!(
                "vertex {first} of `{}` at ({x:.6}, {y:.6}, {z:.6}) m and all that hangs together with it, {} vertices, is inside the closed obstacle `{}`",
                cloth.name,
                self.sides[0].len(),
                obstacle.name
            );
        }
        let side = |k: usize| {
            let body = &model.bodies[self.bodies[k] as usize];
            let numbers: Vec<String> =
                self.sides[k].iter().map(|&v| (v as usize - body.vertices.start).to_string()).collect();
            let what = match self.sides[k].len() {
                1 => "vertex",
                2 => "edge",
                _ => "triangle",
            };
            format!("{what} {} of `{}`", numbers.join("-"), body.name)
        };
        let how = match self.kind {
            StartFaultKind::Crossing => "cross".to_string(),
            _ => format!("are only {:.3e} m apart", self.distance),
        };
        format!("{} and {} {how} at ({x:.6}, {y:.6}, {z:.6}) m", side(0), side(1))
    }
}

/// The faults of some positions [m], crossings first: what contact would not accept as a start.
pub(super) fn faults(
    stage: &ContactStage,
    model: &Model,
    near: &[Near],
    positions: &[DVec3],
) -> Result<Vec<StartFault>, SimError> {
    let surface = stage.finder.surface();
    let cloth = |t: u32| !stage.finder.is_obstacle(surface.triangles()[t as usize][0]);
    let crossing = intersections_of(surface, positions, cloth)
        .map_err(|source| SimError::Search { time: 0.0, source: source.into() })?;
    let body = |v: u32| model.bodies.iter().position(|b| b.vertices.contains(&(v as usize))).unwrap_or(0) as u32;
    let mut faults: Vec<StartFault> = crossing
        .iter()
        .map(|pair| {
            let corners = pair.triangles.map(|t| surface.triangles()[t as usize]);
            let bodies = corners.map(|corners| body(corners[0]));
            let [t, u] = pair.triangles;
            let triangles = [(t, bodies[1]), (u, bodies[0])].into_iter().filter(|(t, _)| cloth(*t)).collect();
            let place = 0.5 * (pair.witness[0] + pair.witness[1]);
            StartFault {
                kind: StartFaultKind::Crossing,
                bodies,
                sides: corners.map(|c| c.to_vec()),
                crossing: Some(pair.triangles),
                triangles,
                place,
                distance: 0.0,
            }
        })
        .collect();
    faults.extend(near.iter().filter_map(|near| {
        let points = near.vertices.map(|v| positions[v as usize]);
        let proximity = Proximity::new(near.key.kind(), points);
        if proximity.distance > CHECK * near.range {
            return None;
        }
        let (a, b) = near.vertices.split_at(muslin_contact::gaps::side_a(near.key.kind()));
        Some(StartFault {
            kind: StartFaultKind::TooNear,
            bodies: [body(a[0]), body(b[0])],
            sides: [a.to_vec(), b.to_vec()],
            crossing: None,
            triangles: stage.around.triangles_and_bodies(near).collect(),
            place: 0.5 * (proximity.point_a(points) + proximity.point_b(points)),
            distance: proximity.distance,
        })
    }));
    Ok(faults)
}

impl Simulation {
    /// Lets a start through whose zero motion passes the check, makes it so if the scene says how, or refuses it.
    pub(crate) fn check_start(&mut self, spec: &StartSpec) -> Result<(), SimError> {
        let Some(mut stage) = self.contact.take() else { return Ok(()) };
        let result = self.check_start_with(&mut stage, spec);
        self.contact = Some(stage);
        result
    }

    fn check_start_with(&mut self, stage: &mut ContactStage, spec: &StartSpec) -> Result<(), SimError> {
        let mut found = self.faults_now(stage)?;
        for rule in &spec.exempt {
            let bodies = [0, 1].map(|k| self.model.bodies.iter().position(|b| b.name == rule.bodies[k]));
            let [Some(a), Some(b)] = bodies else {
                let unknown = if bodies[0].is_none() { &rule.bodies[0] } else { &rule.bodies[1] };
                return Err(SimError::UnknownBody { name: unknown.clone() });
            };
            let listed = |fault: &StartFault| {
                let bodies = fault.bodies.map(|b| b as usize);
                (bodies == [a, b] || bodies == [b, a]) && rule.region.is_none_or(|region| within(fault.place, region))
            };
            let triangles: Vec<(u32, u32)> =
                found.iter().filter(|f| listed(f)).flat_map(|f| f.triangles.clone()).collect();
            let exempt = triangles.into_iter().chain(self.cloth_inside([a, b], rule.region));
            let exempt = exempt.map(|(triangle, body)| Exemption { triangle, body, cause: ExemptCause::Start });
            insert(&mut self.state.exemptions, exempt.collect::<Vec<_>>());
        }
        if !self.state.exemptions.is_empty() {
            found = self.faults_now(stage)?;
        }
        let enclosed = if found.is_empty() { self.enclosed_now(&spec.inside) } else { Vec::new() };
        if spec.untangle {
            self.refuse_what_belongs_inside(&found, &spec.inside)?;
            if !found.is_empty() || !enclosed.is_empty() {
                self.untangle(stage, &spec.inside)?;
            }
        } else if !found.is_empty() {
            return Err(self.starts_too_near(found));
        } else {
            self.tell_of_cloth_inside(enclosed);
        }
        if !self.state.exemptions.is_empty() {
            // The start is a frame too.
            let start = self.state.positions.clone();
            let cloth = |t: u32| !stage.finder.is_obstacle(stage.finder.surface().triangles()[t as usize][0]);
            let crossing = intersections_of(stage.finder.surface(), &start, cloth);
            self.tally.crossings += crossing.map_or(0, |list| list.len()) as u64;
            self.tally.exempt_frames += 1;
        }
        Ok(())
    }

    fn enclosed_now(&self, belongs: &[String]) -> Vec<Enclosed> {
        self.enclosed(belongs, &self.state.positions)
    }

    /// Untangling knows no way back into an obstacle: cloth that is to stay inside one and crosses it is refused.
    fn refuse_what_belongs_inside(&self, found: &[StartFault], belongs: &[String]) -> Result<(), SimError> {
        let body = |b: u32| &self.model.bodies[b as usize];
        let with_obstacle = |fault: &&StartFault| fault.bodies.iter().any(|&b| body(b).kind == BodyKind::Obstacle);
        let listed = |fault: &&StartFault| fault.bodies.iter().any(|&b| belongs.contains(&body(b).name));
        let crossing = found.iter().filter(|fault| fault.kind == StartFaultKind::Crossing);
        let list: Vec<StartFault> = crossing.filter(with_obstacle).filter(listed).cloned().collect();
        if list.is_empty() { Ok(()) } else { Err(self.starts_too_near(list)) }
    }

    /// The faults of the state that no exemption covers.
    pub(super) fn faults_now(&mut self, stage: &mut ContactStage) -> Result<Vec<StartFault>, SimError> {
        let start = self.state.positions.clone();
        let near = self.search(stage, &start)?.near;
        let mut found = faults(stage, &self.model, &near, &start)?;
        self.leave_out_known(&mut found);
        Ok(found)
    }

    /// Leaves out crossings that an exemption covers; the search has left out pairs that are too near.
    pub(super) fn leave_out_known(&self, found: &mut Vec<StartFault>) {
        let exempt = &self.state.exemptions;
        let known = |key: &(u32, u32)| exempt.binary_search_by_key(key, |e| (e.triangle, e.body)).is_ok();
        found.retain(|fault| fault.kind == StartFaultKind::TooNear || !fault.triangles.iter().any(known));
    }

    /// Triangles of cloth inside an obstacle of a pair of bodies, within a region.
    fn cloth_inside(&self, bodies: [usize; 2], region: Option<[DVec3; 2]>) -> Vec<(u32, u32)> {
        let (model, positions) = (&self.model, &self.state.positions);
        let mut inside = Vec::new();
        for [cloth, obstacle] in [bodies, [bodies[1], bodies[0]]] {
            let kinds = [cloth, obstacle].map(|b| model.bodies[b].kind);
            if kinds != [BodyKind::Cloth, BodyKind::Obstacle] {
                continue;
            }
            for t in model.bodies[cloth].triangles.clone() {
                let middle = model.mesh.triangles[t].iter().map(|&v| positions[v as usize]).sum::<DVec3>() / 3.0;
                if region.is_none_or(|region| within(middle, region))
                    && is_inside(middle, model, &model.bodies[obstacle], positions)
                {
                    inside.push((t as u32, obstacle as u32));
                }
            }
        }
        inside
    }

    /// Warns of cloth that is wholly inside a closed obstacle: it may be a bag's content, or a mistake that no crossing shows.
    fn tell_of_cloth_inside(&mut self, list: Vec<Enclosed>) {
        for piece in &list {
            let [cloth, obstacle] = [piece.cloth, piece.obstacle].map(|b| &self.model.bodies[b]);
            let DVec3 { x, y, z } = self.state.positions[piece.vertices[0] as usize];
            self.warnings.add(format!(
                "`{name}` starts inside the closed obstacle `{}`, with its vertex {} at ({x:.6}, {y:.6}, {z:.6}) m and all that hangs \
                 together with it; nothing crosses, and contact will keep it inside: say `inside = [\"{name}\"]` in `[start]` if \
                 that is meant, else place it elsewhere or let `untangle = true` push it out",
                obstacle.name,
                piece.vertices[0] as usize - cloth.vertices.start,
                name = cloth.name,
            ));
        }
        self.inside_at_start = self.faults_of_enclosed(&list);
    }

    /// Pieces of cloth that start wholly inside a closed obstacle, where the scene does not say that they belong there.
    pub fn inside_at_start(&self) -> &[StartFault] {
        &self.inside_at_start
    }

    pub(super) fn starts_too_near(&self, faults: Vec<StartFault>) -> SimError {
        let first = &faults[0];
        let vertices = first.describe(&self.model);
        let corners: Vec<u32> = first.sides.concat();
        let first = [0, 1, 2, 3].map(|k| corners.get(k).or(corners.last()).copied().unwrap_or(0));
        let described = faults.iter().map(|fault| fault.describe(&self.model)).collect();
        SimError::StartsTooNear { pairs: faults.len(), vertices, first, faults, described }
    }
}

fn within(point: DVec3, [low, high]: [DVec3; 2]) -> bool {
    point.cmpge(low).all() && point.cmple(high).all()
}
