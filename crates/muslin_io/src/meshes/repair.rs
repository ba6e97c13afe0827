//! Repairs that change nothing but what was asked for. Each works on exact equality or on the rules of
//! [`super::health`]; nothing is moved.

use super::{
    health::{MeshFault, Purpose, faults},
    orientation::orientation,
    pattern::turned_over,
    surface::Surface,
};
use glam::DVec3;
use muslin_model::mesh::DEGENERATE_AREA_RATIO;
use std::{collections::HashMap, fmt};

/// Names of all repairs, in the order in which they are made.
pub const REPAIRS: [&str; 6] =
    ["merge-vertices", "remove-degenerate", "remove-duplicates", "remove-isolated", "flip-winding", "mirror-uv"];

const TRIANGLES: [&str; 2] = ["triangle", "triangles"];

/// Makes the named repairs; returns in words what was changed.
pub fn repair(surface: &mut Surface, names: &[String]) -> Vec<String> {
    let mut done = Vec::new();
    for name in REPAIRS.iter().filter(|r| names.iter().any(|n| n == *r)) {
        let (count, [one, many], what) = match *name {
            "merge-vertices" => (merge_vertices(surface), ["vertex", "vertices"], "merged with others"),
            "remove-degenerate" => (remove_degenerate(surface), TRIANGLES, "without area removed"),
            "remove-duplicates" => (remove_duplicates(surface), TRIANGLES, "given twice removed"),
            "remove-isolated" => (remove_isolated(surface), ["vertex", "vertices"], "without triangles removed"),
            "flip-winding" => (flip_winding(surface), TRIANGLES, "flipped"),
            _ => (mirror_uv(surface), TRIANGLES, "mirrored in the pattern"),
        };
        if count > 0 {
            done.push(format!("{count} {} {what}", if count == 1 { one } else { many }));
        }
    }
    done
}

/// Repairs to ask for together.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Their names, those that were asked for already included.
    pub repairs: Vec<&'static str>,
    /// Faults that they bring to light and that must be put right by hand.
    pub new: Vec<MeshFault>,
    /// All faults that they leave.
    pub left: usize,
}

/// All repairs that a surface needs beyond those that are asked for; `None` if the faults themselves tell as much. One repair may
/// bring the need for another: vertices that are merged leave triangles without area, and these leave vertices without
/// triangles.
pub fn plan(surface: &Surface, purpose: Purpose, asked: &[String]) -> Option<Plan> {
    let mut names = asked.to_vec();
    let mut before: Option<Vec<MeshFault>> = None;
    loop {
        let mut copy = surface.clone();
        repair(&mut copy, &names);
        let left = faults(&copy, purpose);
        let needed = |name: &str| left.iter().any(|fault| fault.kind.repair() == Some(name));
        let is_asked = |name: &str, names: &[String]| names.iter().any(|asked| asked == name);
        let more = REPAIRS.into_iter().filter(|name| needed(name) && !is_asked(name, &names));
        let more: Vec<String> = more.map(String::from).collect();
        let told = before.get_or_insert_with(|| left.clone());
        if more.is_empty() {
            let known = |fault: &&MeshFault| !told.iter().any(|t| t.kind == fault.kind && t.elements == fault.elements);
            let new: Vec<MeshFault> = left.iter().filter(known).cloned().collect();
            let repairs: Vec<_> = REPAIRS.into_iter().filter(|name| is_asked(name, &names)).collect();
            let tells = names.len() > asked.len() && (repairs.len() > 1 || !new.is_empty());
            return tells.then_some(Plan { repairs, new, left: left.len() });
        }
        names.extend(more);
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.repairs.iter().map(|name| format!("\"{name}\"")).collect();
        write!(f, "`repair = [{}]` puts right ", names.join(", "))?;
        match (self.left, self.new.first()) {
            (0, _) => write!(f, "everything at once"),
            (_, None) => write!(f, "at once all that repairs can"),
            (_, Some(fault)) => write!(f, "at once all that repairs can, but then {fault}"),
        }
    }
}

/// Joins vertices at exactly the same place; the first stays.
fn merge_vertices(surface: &mut Surface) -> usize {
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    let mut number: Vec<u32> = Vec::with_capacity(surface.mesh.positions.len());
    let mut kept: Vec<usize> = Vec::new();
    for (v, p) in surface.mesh.positions.iter().enumerate() {
        let key = (*p + DVec3::ZERO).to_array().map(f64::to_bits);
        let next = kept.len() as u32;
        let k = *known.entry(key).or_insert(next);
        if k == next {
            kept.push(v);
        }
        number.push(k);
    }
    let merged = number.len() - kept.len();
    keep_vertices(surface, &kept, &number);
    merged
}

fn keep_vertices(surface: &mut Surface, kept: &[usize], number: &[u32]) {
    surface.mesh.positions = kept.iter().map(|&v| surface.mesh.positions[v]).collect();
    surface.file_vertices = kept.iter().map(|&v| surface.file_vertices[v]).collect();
    surface.mesh.triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
}

/// Keeps the triangles that a test likes; returns how many went.
fn keep_triangles(surface: &mut Surface, mut keep: impl FnMut(&Surface, usize) -> bool) -> usize {
    let kept: Vec<usize> = (0..surface.mesh.triangles.len()).filter(|&t| keep(surface, t)).collect();
    let removed = surface.mesh.triangles.len() - kept.len();
    surface.mesh.triangles = kept.iter().map(|&t| surface.mesh.triangles[t]).collect();
    surface.file_triangles = kept.iter().map(|&t| surface.file_triangles[t]).collect();
    if !surface.mesh.uv.is_empty() {
        surface.mesh.texture = kept.iter().map(|&t| surface.mesh.texture[t]).collect();
        surface.mesh.uv = kept.iter().map(|&t| surface.mesh.uv[t]).collect();
    }
    removed
}

fn remove_degenerate(surface: &mut Surface) -> usize {
    keep_triangles(surface, |surface, t| {
        let [a, b, c] = surface.mesh.triangles[t].map(|v| surface.mesh.positions[v as usize]);
        let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
        // A triangle with a NaN is not one without area.
        !((b - a).cross(c - a).length() <= DEGENERATE_AREA_RATIO * longest)
    })
}

fn remove_duplicates(surface: &mut Surface) -> usize {
    let mut known = std::collections::HashSet::new();
    keep_triangles(surface, |surface, t| {
        let mut key = surface.mesh.triangles[t];
        key.sort_unstable();
        known.insert(key)
    })
}

fn remove_isolated(surface: &mut Surface) -> usize {
    let mut number = vec![u32::MAX; surface.mesh.positions.len()];
    surface.mesh.triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
    let kept: Vec<usize> = (0..number.len()).filter(|&v| number[v] == 0).collect();
    kept.iter().enumerate().for_each(|(k, &v)| number[v] = k as u32);
    let removed = number.len() - kept.len();
    keep_vertices(surface, &kept, &number);
    removed
}

/// Turns triangles so that neighbours agree with the lowest triangle of their piece. A piece that cannot agree
/// (a Möbius strip) is left alone.
fn flip_winding(surface: &mut Surface) -> usize {
    let found = orientation(&surface.mesh.triangles, |_| false);
    let wanted = |t: &usize| found.turn[*t] && found.two_sided[found.piece[*t] as usize];
    let turned: Vec<usize> = (0..surface.mesh.triangles.len()).filter(wanted).collect();
    for &t in &turned {
        surface.mesh.triangles[t].swap(1, 2);
        if let Some(uv) = surface.mesh.uv.get_mut(t) {
            uv.swap(1, 2);
            surface.mesh.texture[t].iter_mut().for_each(|corners| corners.swap(1, 2));
        }
    }
    turned.len()
}

/// Mirrors every triangle that is turned over in the pattern: the back of a garment that lies on its front, or what lies
/// beyond a fold. No length changes and the warp stays along u; coordinates belong to corners, so the border of what was
/// mirrored becomes a seam of the pattern.
fn mirror_uv(surface: &mut Surface) -> usize {
    let turned: Vec<usize> = (0..surface.mesh.uv.len()).filter(|&t| turned_over(&surface.mesh, t)).collect();
    for &t in &turned {
        surface.mesh.uv[t].iter_mut().for_each(|p| p.x = -p.x);
    }
    turned.len()
}
