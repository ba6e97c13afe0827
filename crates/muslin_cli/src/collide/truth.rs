//! Tables of pairs with known answers, and what a detection missed of them.
//!
//! `vertex,face,collides` or `ea0,ea1,eb0,eb1,collides`, one row per pair; and `index,…,toi,status` with the time of impact
//! of the row of that index, empty where there is none. The first line names the columns; others may stand
//! between them. Files may be packed.

use muslin::collision::{Detection, Impact, Surface};
use muslin::io::input::Input;
use std::path::Path;

/// The known answers of both kinds of pairs.
pub struct Truth {
    vertex_face: Vec<Answer>,
    edge_edge: Vec<Answer>,
    has_times: bool,
}

/// What is known of one pair.
struct Answer {
    /// Vertex and face, or two edges, the lower first.
    pair: [u32; 2],
    collides: bool,
    time: Option<f64>,
}

impl Truth {
    /// Reads the tables of pairs, and those of times if there are any: vertex–face, edge–edge.
    pub fn read(surface: &Surface, pairs: &[impl AsRef<Path>], times: &[impl AsRef<Path>]) -> Result<Self, String> {
        let [vertex_face, edge_edge] = pairs else { return Err("two tables of pairs are needed".into()) };
        let mut vertex_face = read_pairs(vertex_face.as_ref(), ["vertex", "face"], |[v, f]| face_pair(surface, v, f))?;
        let mut edge_edge =
            read_pairs(edge_edge.as_ref(), ["ea0", "ea1", "eb0", "eb1"], |vertices| edge_pair(surface, vertices))?;
        if let [of_vertex_face, of_edge_edge] = times {
            read_times(of_vertex_face.as_ref(), &mut vertex_face)?;
            read_times(of_edge_edge.as_ref(), &mut edge_edge)?;
        }
        Ok(Truth { vertex_face, edge_edge, has_times: !times.is_empty() })
    }

    /// How many of the pairs that collide were not found.
    pub fn missed(&self, found: &Detection) -> u64 {
        let missed = |answers: &[Answer], impacts: &[Impact]| {
            answers.iter().filter(|answer| answer.collides && impact(impacts, answer.pair).is_none()).count() as u64
        };
        missed(&self.vertex_face, &found.vertex_face) + missed(&self.edge_edge, &found.edge_edge)
    }

    /// How many of the pairs that collide have no time to compare with; 0 if no times are known at all.
    pub fn without_time(&self) -> usize {
        let answers = self.vertex_face.iter().chain(&self.edge_edge).filter(|_| self.has_times);
        answers.filter(|answer| answer.collides && answer.time.is_none()).count()
    }

    /// How many were found later than they are; `None` if no times are known.
    pub fn late(&self, found: &Detection) -> Option<u64> {
        // A time in the table is the number nearest to the true one, so the largest number not after the true one
        // is not above it.
        let is_late = |answer: &&Answer, impacts: &[Impact]| match (answer.time, impact(impacts, answer.pair)) {
            (Some(time), Some(impact)) => impact.time > time,
            _ => false,
        };
        let late =
            |answers: &[Answer], impacts: &[Impact]| answers.iter().filter(|a| is_late(a, impacts)).count() as u64;
        self.has_times.then(|| late(&self.vertex_face, &found.vertex_face) + late(&self.edge_edge, &found.edge_edge))
    }
}

/// The impact of a pair; impacts are in ascending order.
fn impact(impacts: &[Impact], pair: [u32; 2]) -> Option<&Impact> {
    impacts.binary_search_by_key(&pair, |i| [i.a, i.b]).ok().map(|k| &impacts[k])
}

fn face_pair(surface: &Surface, vertex: u32, face: u32) -> Result<[u32; 2], String> {
    if vertex as usize >= surface.vertex_count() {
        return Err(format!("vertex {vertex} does not exist; the mesh has {} vertices", surface.vertex_count()));
    }
    if face as usize >= surface.triangles().len() {
        return Err(format!("face {face} does not exist; the mesh has {} triangles", surface.triangles().len()));
    }
    if surface.vertex_touches_face(vertex, face) {
        return Err(format!("vertex {vertex} is a corner of face {face}; such pairs are not detected: leave it out"));
    }
    Ok([vertex, face])
}

fn edge_pair(surface: &Surface, [p, q, r, s]: [u32; 4]) -> Result<[u32; 2], String> {
    let edge = |p: u32, q: u32| {
        let found = surface.edges().binary_search(&[p.min(q), p.max(q)]);
        found.map(|e| e as u32).map_err(|_| format!("the mesh has no edge between the vertices {p} and {q}"))
    };
    let (a, b) = (edge(p, q)?, edge(r, s)?);
    if surface.edges_touch(a, b) {
        return Err(format!("the edges {p}–{q} and {r}–{s} share a vertex; such pairs are not detected: leave it out"));
    }
    Ok([a.min(b), a.max(b)])
}

fn read_pairs<const N: usize>(
    path: &Path,
    columns: [&str; N],
    pair: impl Fn([u32; N]) -> Result<[u32; 2], String>,
) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    each_row(path, &[&columns[..], &["collides"]].concat(), |fields| {
        let mut vertices = [0; N];
        for (vertex, (field, column)) in vertices.iter_mut().zip(fields.iter().zip(columns)) {
            *vertex = field.parse().map_err(|_| format!("`{field}` in column `{column}` is no index"))?;
        }
        let collides = match fields[N] {
            "0" => false,
            "1" => true,
            other => return Err(format!("`{other}` in column `collides` is neither 0 nor 1")),
        };
        answers.push(Answer { pair: pair(vertices)?, collides, time: None });
        Ok(())
    })?;
    Ok(answers)
}

fn read_times(path: &Path, answers: &mut [Answer]) -> Result<(), String> {
    let count = answers.len();
    each_row(path, &["index", "toi"], |fields| {
        let index: usize = fields[0].parse().map_err(|_| format!("`{}` in column `index` is no index", fields[0]))?;
        let answer =
            answers.get_mut(index).ok_or_else(|| format!("row {index} does not exist; there are {count} pairs"))?;
        if !fields[1].is_empty() {
            let time: f64 = fields[1].parse().map_err(|_| format!("`{}` in column `toi` is no number", fields[1]))?;
            if !(0.0..=1.0).contains(&time) {
                return Err(format!("the time {time} is not between 0 and 1"));
            }
            answer.time = Some(time);
        }
        Ok(())
    })
}

/// Calls `row` with the given columns of each row; what it complains about gets file and line.
fn each_row(path: &Path, columns: &[&str], mut row: impl FnMut(&[&str]) -> Result<(), String>) -> Result<(), String> {
    let name = path.display();
    let unreadable = |error: std::io::Error| format!("{name}: cannot read it: {error}");
    let mut input = Input::open(path).map_err(unreadable)?;
    let mut line = Vec::new();
    let mut places: Option<Vec<usize>> = None;
    while input.next_line(&mut line).map_err(unreadable)? {
        let at = |message: String| format!("{name}:{}: {message}", input.line());
        let text = std::str::from_utf8(&line).map_err(|_| at("it is no text".into()))?;
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        match &places {
            None => {
                let place = |column: &&str| {
                    let found = fields.iter().position(|field| field == column);
                    found.ok_or_else(|| at(format!("there is no column `{column}`; needed are {}", columns.join(", "))))
                };
                places = Some(columns.iter().map(place).collect::<Result<_, _>>()?);
            }
            Some(_) if text.trim().is_empty() => {}
            Some(places) => {
                let field = |&k: &usize| fields.get(k).copied();
                let fields: Option<Vec<&str>> = places.iter().map(field).collect();
                let fields = fields.ok_or_else(|| at("the row has too few columns".into()))?;
                row(&fields).map_err(at)?;
            }
        }
    }
    if places.is_none() {
        return Err(format!("{name}: it is empty; its first line must name the columns {}", columns.join(", ")));
    }
    Ok(())
}
