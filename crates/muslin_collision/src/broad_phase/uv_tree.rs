//! C2: a tree of boxes over zones of the cloth, which skips zones of low curvature (V 4.1.4).
//!
//! A zone cannot meet itself during a step if, seen along some axis,
//! 1. every triangle faces the axis at all times (its [`Cone`] of normals is narrower than 90° to each side), and
//! 2. the border is one closed line that never crosses or touches itself ([`stays_simple`]).
//!
//! Why: project along the axis. By 1 every triangle keeps its orientation, so a point of the plane is covered
//! as many times as the border winds around it; by 2 that is at most once. So no two triangles of the zone
//! lie above each other at any time, and features that are not neighbours cannot touch: inside they would have to
//! cover a point twice, on the border it would touch itself. V asks for the cone alone, and for 180°, which is not
//! enough: a spiral ramp has upright normals and crosses itself.
//!
//! The argument is about touching. It says nothing about distances, so at a thickness above 0 no zone is
//! skipped and the tree gives all box pairs.

use super::cones::Cone;
use super::features::Features;
use super::grid::Portion;
use super::items::Items;
use super::zone_boundary::stays_simple;
use super::zones::Zones;
use super::{BroadPhase, BroadPhaseError, Counts};
use crate::boxes::Box3;
use crate::{Candidates, Surface, Sweep};
use glam::DVec2;
use muslin_model::parallel;

/// Searches that are split up before threads take one each.
const TASKS: usize = 2048;

/// The tree over zones.
#[derive(Clone, Debug, Default)]
pub struct UvTree {
    uv: Option<Vec<[DVec2; 3]>>,
    zones: Zones,
    items: Items,
    boxes: Vec<Box3>,
    cones: Vec<Cone>,
    skipped: u64,
}

/// Something to search: a zone in itself, or two zones against each other.
#[derive(Clone, Copy, Debug)]
enum Task {
    Within(u32),
    Between(u32, u32),
    /// A loose point against a zone.
    Point(u32, u32),
}

impl UvTree {
    /// A tree over zones in UV space; `uv` has the texture coordinates of each triangle's corners [any unit].
    /// Without one entry per triangle, zones follow from who is whose neighbour, as in the default tree.
    pub fn with_uv(uv: Vec<[DVec2; 3]>) -> Self {
        UvTree { uv: Some(uv), ..UvTree::default() }
    }

    /// Zones that the last search skipped because they cannot meet themselves [-].
    pub fn skipped_zones(&self) -> u64 {
        self.skipped
    }

    fn refit(&mut self, surface: &Surface, sweep: &Sweep) {
        let count = surface.triangles().len();
        let mut of_triangles = vec![Cone::FULL; count];
        parallel::fill(&mut of_triangles, |t| {
            let at = |points: &[glam::DVec3]| surface.triangles()[t].map(|v| points[v as usize]);
            Cone::of_triangle(at(sweep.start()), at(sweep.end()))
        });
        self.boxes.clear();
        self.boxes.resize(self.zones.zones.len(), Box3::EMPTY);
        self.cones.clear();
        self.cones.resize(self.zones.zones.len(), Cone::FULL);
        // Parts stand behind the whole.
        for (k, zone) in self.zones.zones.iter().enumerate().rev() {
            let run = &self.zones.order[zone.triangles.start as usize..zone.triangles.end as usize];
            let (boxes, cones): (Vec<Box3>, Vec<Cone>) = if zone.parts.is_empty() {
                run.iter().map(|&t| (self.items.boxes.faces[t as usize], of_triangles[t as usize])).unzip()
            } else {
                zone.parts.iter().map(|&p| (self.boxes[p as usize], self.cones[p as usize])).unzip()
            };
            self.boxes[k] = boxes.into_iter().fold(Box3::EMPTY, Box3::join);
            self.cones[k] = cones.into_iter().reduce(Cone::join).unwrap_or(Cone::FULL);
        }
    }
}

/// What a search needs to know.
struct Search<'a> {
    tree: &'a UvTree,
    features: Features<'a>,
    sweep: &'a Sweep<'a>,
    thickness: f64,
}

/// What a search gives.
#[derive(Default)]
struct Outcome {
    portion: Portion,
    skipped: u64,
}

impl Search<'_> {
    /// Does one step of a task; what is left becomes new tasks.
    fn step(&self, task: Task, tasks: &mut Vec<Task>, out: &mut Outcome) {
        match task {
            Task::Within(zone) if self.is_free_of_itself(zone) => out.skipped += 1,
            Task::Within(zone) => match &self.tree.zones.zones[zone as usize].parts[..] {
                [] => self.all_pairs(zone, zone, &mut out.portion),
                parts => {
                    tasks.extend(parts.iter().map(|&part| Task::Within(part)));
                    let pairs =
                        parts.iter().enumerate().flat_map(|(i, &a)| parts[i + 1..].iter().map(move |&b| (a, b)));
                    tasks.extend(pairs.map(|(a, b)| Task::Between(a, b)));
                }
            },
            Task::Between(a, b) => {
                out.portion.tests += 1;
                if self.tree.boxes[a as usize].overlaps(&self.tree.boxes[b as usize]) {
                    self.split(a, b, tasks, &mut out.portion);
                }
            }
            Task::Point(point, zone) => {
                out.portion.tests += 1;
                if self.tree.items.item_box(point).overlaps(&self.tree.boxes[zone as usize]) {
                    match &self.tree.zones.zones[zone as usize].parts[..] {
                        [] => self.run(zone).iter().for_each(|&t| self.test(point, t, &mut out.portion)),
                        parts => tasks.extend(parts.iter().map(|&part| Task::Point(point, part))),
                    }
                }
            }
        }
    }

    /// Splits the zone of more triangles; two leaves are tested.
    fn split(&self, a: u32, b: u32, tasks: &mut Vec<Task>, out: &mut Portion) {
        let zones = &self.tree.zones.zones;
        let (za, zb) = (&zones[a as usize], &zones[b as usize]);
        match (za.parts.is_empty(), zb.parts.is_empty()) {
            (true, true) => self.all_pairs(a, b, out),
            (false, true) => tasks.extend(za.parts.iter().map(|&part| Task::Between(part, b))),
            (false, false) if za.triangles.len() >= zb.triangles.len() => {
                tasks.extend(za.parts.iter().map(|&part| Task::Between(part, b)));
            }
            _ => tasks.extend(zb.parts.iter().map(|&part| Task::Between(a, part))),
        }
    }

    fn is_free_of_itself(&self, zone: u32) -> bool {
        let cone = &self.tree.cones[zone as usize];
        let border = &self.tree.zones.zones[zone as usize].border;
        self.thickness == 0.0
            && cone.is_low()
            && border.as_ref().is_some_and(|line| stays_simple(line, self.sweep, cone.axis))
    }

    fn run(&self, zone: u32) -> &[u32] {
        let range = &self.tree.zones.zones[zone as usize].triangles;
        &self.tree.zones.order[range.start as usize..range.end as usize]
    }

    fn all_pairs(&self, a: u32, b: u32, out: &mut Portion) {
        for (k, &p) in self.run(a).iter().enumerate() {
            let from = if a == b { k + 1 } else { 0 };
            self.run(b)[from..].iter().for_each(|&q| self.test(p, q, out));
        }
    }

    fn test(&self, a: u32, b: u32, out: &mut Portion) {
        out.tests += 1;
        if self.tree.items.item_box(a).overlaps(self.tree.items.item_box(b)) {
            self.features.push(a, b, &mut out.candidates);
        }
    }
}

impl BroadPhase for UvTree {
    fn name(&self) -> &'static str {
        "uv-tree"
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn find(
        &mut self,
        surface: &Surface,
        sweep: &Sweep,
        thickness: f64,
        candidates: &mut Candidates,
    ) -> Result<Counts, BroadPhaseError> {
        if !self.items.is_of(surface) || self.zones.order.len() != surface.triangles().len() {
            self.zones = match &self.uv {
                Some(uv) if uv.len() == surface.triangles().len() => Zones::in_uv(surface, uv),
                _ => Zones::by_neighbours(surface),
            };
        }
        self.items.update(surface, sweep, thickness);
        self.refit(surface, sweep);
        let features = Features { surface, items: &self.items, dops: None };
        let search = Search { tree: self, features, sweep, thickness };
        let mut tasks = Vec::new();
        if !self.zones.order.is_empty() {
            tasks.push(Task::Within(0));
            tasks.extend((self.items.triangle_count()..self.items.len()).map(|point| Task::Point(point as u32, 0)));
        }
        let mut first = Outcome::default();
        while !tasks.is_empty() && tasks.len() < TASKS {
            for task in std::mem::take(&mut tasks) {
                search.step(task, &mut tasks, &mut first);
            }
        }
        let rest = parallel::map(tasks.len(), |k| {
            let (mut out, mut left) = (Outcome::default(), vec![tasks[k]]);
            while let Some(task) = left.pop() {
                search.step(task, &mut left, &mut out);
            }
            out
        });
        let outcomes = || std::iter::once(&first).chain(&rest);
        let skipped = outcomes().map(|out| out.skipped).sum();
        let mut counts = Counts { cells: self.zones.zones.len() as u64, ..Counts::default() };
        counts.registrations = self.items.len() as u64;
        let portions = std::iter::once(first).chain(rest).map(|out| out.portion).collect();
        Portion::join(portions, &mut counts, candidates);
        self.skipped = skipped;
        Ok(counts)
    }
}
