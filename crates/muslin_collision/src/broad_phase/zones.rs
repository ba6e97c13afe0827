//! The zones of a cloth: a hierarchy of neighbouring triangles, fixed for a run (V 4.1.4).
//!
//! With texture coordinates a zone is cut into four in UV space, down to two triangles. V cuts in the middle; we cut at
//! the medians, which bounds the depth for any density of triangles. Without texture coordinates zones grow from single
//! triangles by joining neighbours, as V's cones do.
//!
//! Each zone knows its border, if that is one closed line through different vertices and if no edge in the zone has
//! more than two triangles or two of opposite orientation. Only such zones can be called free of self-collision.

use super::zone_boundary::Border;
use crate::Surface;
use glam::DVec2;
use std::cmp::Ordering;

/// Triangles of a zone that is not cut further.
const LEAF: usize = 2;

/// A zone: a run of triangles, and the zones it is made of.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    /// Its triangles in [`Zones::order`].
    pub triangles: std::ops::Range<u32>,
    /// Its parts; none for a leaf. Parts stand behind the whole.
    pub parts: Vec<u32>,
    /// Its border as a closed line of vertices, if it has one.
    pub border: Option<Vec<u32>>,
}

/// The hierarchy; the first zone is the whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Zones {
    /// Triangles so that every zone is a run.
    pub order: Vec<u32>,
    /// All zones.
    pub zones: Vec<Zone>,
}

impl Zones {
    /// Zones by position in UV space.
    pub fn in_uv(surface: &Surface, uv: &[[DVec2; 3]]) -> Self {
        let centres: Vec<DVec2> = uv.iter().map(|corners| corners[0] + corners[1] + corners[2]).collect();
        let mut zones = Zones { order: (0..surface.triangles().len() as u32).collect(), zones: Vec::new() };
        zones.cut(0..surface.triangles().len(), &centres);
        zones.find_borders(surface);
        zones
    }

    fn cut(&mut self, range: std::ops::Range<usize>, centres: &[DVec2]) -> u32 {
        let number = self.zones.len() as u32;
        let triangles = range.start as u32..range.end as u32;
        self.zones.push(Zone { triangles, parts: Vec::new(), border: None });
        if range.len() > LEAF {
            let by = |axis: usize| {
                move |a: &u32, b: &u32| -> Ordering {
                    let at = |t: &u32| centres[*t as usize][axis];
                    at(a).total_cmp(&at(b)).then(a.cmp(b))
                }
            };
            let middle = |range: &std::ops::Range<usize>| (range.start + range.end) / 2;
            self.order[range.clone()].sort_unstable_by(by(0));
            let mut parts = Vec::new();
            for half in [range.start..middle(&range), middle(&range)..range.end] {
                self.order[half.clone()].sort_unstable_by(by(1));
                let cut = middle(&half);
                parts.extend([half.start..cut, cut..half.end].into_iter().filter(|part| !part.is_empty()));
            }
            self.zones[number as usize].parts = parts.into_iter().map(|part| self.cut(part, centres)).collect();
        }
        number
    }

    /// Zones that grow by joining neighbours.
    pub fn by_neighbours(surface: &Surface) -> Self {
        let count = surface.triangles().len();
        // Groups of zones of the last round; a round makes each group a zone.
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut present: Vec<u32> = (0..count as u32).collect();
        let mut zone_of: Vec<u32> = present.clone();
        let mut links = neighbours(surface);
        while present.len() > 1 {
            links.iter_mut().for_each(|pair| *pair = pair.map(|t| zone_of[t as usize]));
            links.retain(|pair| pair[0] != pair[1]);
            links.iter_mut().for_each(|pair| pair.sort_unstable());
            links.sort_unstable();
            links.dedup();
            let groups = if links.is_empty() {
                present.chunks(4).map(<[u32]>::to_vec).collect()
            } else {
                joined(&present, &links)
            };
            zone_of = vec![0; parts.len()];
            present.clear();
            for group in groups {
                let number = if let [single] = group[..] { single } else { parts.len() as u32 };
                group.iter().for_each(|&zone| zone_of[zone as usize] = number);
                if group.len() > 1 {
                    parts.push(group);
                }
                present.push(number);
            }
        }
        let mut zones = Zones::default();
        if let Some(&root) = present.first() {
            zones.lay_out(root, &parts);
        }
        zones.find_borders(surface);
        zones
    }

    /// Numbers the zones from the whole down; pairs of triangles become leaves.
    fn lay_out(&mut self, zone: u32, parts: &[Vec<u32>]) -> u32 {
        let number = self.zones.len() as u32;
        let start = self.order.len() as u32;
        self.zones.push(Zone { triangles: start..start, parts: Vec::new(), border: None });
        let below = &parts[zone as usize];
        if below.is_empty() {
            self.order.push(zone);
        } else if below.len() <= LEAF && below.iter().all(|&part| parts[part as usize].is_empty()) {
            self.order.extend(below);
        } else {
            self.zones[number as usize].parts = below.iter().map(|&part| self.lay_out(part, parts)).collect();
        }
        self.zones[number as usize].triangles.end = self.order.len() as u32;
        number
    }

    fn find_borders(&mut self, surface: &Surface) {
        let mut borders: Vec<Border> = vec![Border::default(); self.zones.len()];
        let tangled = tangled_edges(surface);
        for k in (0..self.zones.len()).rev() {
            let zone = &self.zones[k];
            let border = if zone.parts.is_empty() {
                let run = &self.order[zone.triangles.start as usize..zone.triangles.end as usize];
                Border::of_triangles(surface, run, &tangled)
            } else {
                Border::of_parts(zone.parts.iter().map(|&part| std::mem::take(&mut borders[part as usize])))
            };
            self.zones[k].border = border.closed_line();
            borders[k] = border;
        }
    }
}

/// Pairs of triangles with a common edge.
fn neighbours(surface: &Surface) -> Vec<[u32; 2]> {
    let mut last: Vec<Option<u32>> = vec![None; surface.edges().len()];
    let mut pairs = Vec::new();
    for (t, edges) in surface.triangle_edges().iter().enumerate() {
        for &edge in edges {
            if let Some(other) = last[edge as usize].replace(t as u32) {
                pairs.push([other, t as u32]);
            }
        }
    }
    pairs
}

/// Groups zones with a neighbour each; one whose neighbours are all taken joins the group of the first.
fn joined(present: &[u32], links: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut both: Vec<[u32; 2]> = links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    both.sort_unstable();
    let mut group_of: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &zone in present {
        if group_of.contains_key(&zone) {
            continue;
        }
        let from = both.partition_point(|pair| pair[0] < zone);
        let around = || both[from..].iter().take_while(|pair| pair[0] == zone).map(|pair| pair[1]);
        let free = around().find(|other| !group_of.contains_key(other));
        let group = match (free, around().next()) {
            (Some(other), _) => {
                groups.push(vec![zone, other]);
                group_of.insert(other, groups.len() - 1);
                groups.len() - 1
            }
            (None, Some(taken)) => {
                let group = group_of[&taken];
                groups[group].push(zone);
                group
            }
            (None, None) => {
                groups.push(vec![zone]);
                groups.len() - 1
            }
        };
        group_of.insert(zone, group);
    }
    groups
}

/// Edges with more than two triangles, or with two that run along it in the same direction.
fn tangled_edges(surface: &Surface) -> Vec<bool> {
    let mut uses = vec![[0u32; 2]; surface.edges().len()];
    for (corners, edges) in surface.triangles().iter().zip(surface.triangle_edges()) {
        for k in 0..3 {
            uses[edges[k] as usize][usize::from(corners[k] > corners[(k + 1) % 3])] += 1;
        }
    }
    uses.into_iter().map(|[forth, back]| forth > 1 || back > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: u32) -> (Surface, Vec<[DVec2; 3]>) {
        let at = |i: u32, j: u32| i * (n + 1) + j;
        let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]])
            .collect();
        let uv = |v: u32| DVec2::new(f64::from(v / (n + 1)), f64::from(v % (n + 1)));
        let corners = triangles.iter().map(|t| t.map(uv)).collect();
        (Surface::new(((n + 1) * (n + 1)) as usize, &triangles).unwrap(), corners)
    }

    #[test]
    fn every_triangle_is_in_one_leaf_and_zones_are_the_sums_of_their_parts() {
        let (surface, uv) = grid(9);
        for zones in [Zones::in_uv(&surface, &uv), Zones::by_neighbours(&surface)] {
            let mut order = zones.order.clone();
            order.sort_unstable();
            assert_eq!(order, (0..162).collect::<Vec<u32>>());
            for zone in &zones.zones {
                let parts: u32 = zone.parts.iter().map(|&p| zones.zones[p as usize].triangles.len() as u32).sum();
                assert!(if zone.parts.is_empty() {
                    zone.triangles.len() <= 2
                } else {
                    parts == zone.triangles.len() as u32
                });
            }
            let border = zones.zones[0].border.as_ref().expect("a sheet has one border");
            assert_eq!(border.len(), 36);
        }
    }

    #[test]
    fn tubes_bow_ties_and_fins_have_no_single_border() {
        let whole = |count: usize, triangles: &[[u32; 3]]| {
            Zones::by_neighbours(&Surface::new(count, triangles).unwrap()).zones[0].border.clone()
        };
        let tube = [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4], [2, 0, 5], [0, 3, 5]];
        assert_eq!(whole(6, &tube), None);
        assert_eq!(whole(5, &[[0, 1, 2], [0, 3, 4]]), None);
        assert_eq!(whole(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]), None);
        assert_eq!(whole(4, &[[0, 1, 2], [1, 0, 3]]).map(|line| line.len()), Some(4));
    }
}
