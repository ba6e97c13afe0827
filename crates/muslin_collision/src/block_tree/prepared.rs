//! All primitives of one motion, ready to be searched: curve orders, leaves and trees.

use super::blocks::{Block, Blocks};
use super::curve::{self, Sorter};
use super::first_use::FirstUse;
use super::lanes::WIDTH;
use super::leaves::{self, Leaf, Placed, Points};
use super::pages;
use super::search::{Search, Side, Sides, Work};
use super::units::{UnitVertex, Units};
use crate::boxes::{Box3, swept_box};
use crate::{PairKind, Surface, Sweep};
use muslin_model::parallel;

/// Vertices per piece of parallel work.
const PIECE: usize = 2048;

/// Primitives with `N` corners.
#[derive(Clone, Debug, Default)]
pub struct Primitives<const N: usize> {
    /// The primitive in each slot of the curve order.
    pub order: Vec<u32>,
    /// All that a search reads of them, eight slots to a leaf.
    pub leaves: Vec<Leaf<N>>,
    blocks: Blocks,
}

impl<const N: usize> Primitives<N> {
    fn reorder(&mut self, units: &Units, vertices: &[UnitVertex], primitives: &[[u32; N]], sorter: &mut Sorter) {
        // Groups of eight, because a key of eight points at once costs little more than one.
        let keys = |group: usize| {
            // Twice the corners' sum of both ends, from the scene's lowest corner: a flat scene then lies in the lowest
            // cells and not across the middle, where the curve goes through one half before the other.
            let mut middles = units.low.map(|x| [-2.0 * N as f32 * x; WIDTH]);
            for (lane, corners) in primitives[group * WIDTH..].iter().take(WIDTH).enumerate() {
                for &v in corners {
                    let ends = &vertices[v as usize].ends;
                    for k in 0..3 {
                        middles[k][lane] += ends[k] + ends[k + 3];
                    }
                }
            }
            curve::keys(middles.map(|axis| axis.map(|x| x * (units.stretch * 0.25 / N as f32))))
        };
        sorter.order(primitives.len(), keys, &mut self.order);
    }

    fn refit(&mut self, units: &Units, placed: Placed, primitives: &[[u32; N]]) {
        let out = (&mut self.leaves, self.blocks.first());
        leaves::fill(out, placed, primitives, &self.order, 0.5 * units.thickness);
        self.blocks.refit();
    }

    /// What a search sees of them.
    pub fn side(&self) -> Side<'_, N> {
        Side { blocks: &self.blocks, leaves: &self.leaves }
    }

    /// Number of leaves with something in them.
    pub fn filled_leaves(&self) -> usize {
        self.order.len().div_ceil(WIDTH)
    }

    fn nodes(&self) -> u64 {
        (self.leaves.len() + self.blocks.count()) as u64
    }

    fn bytes(&self) -> usize {
        4 * self.order.capacity() + self.leaves.capacity() * size_of::<Leaf<N>>() + self.blocks.bytes()
    }
}

/// Two sides of a search, their kind of pair, and how slots become names.
#[derive(Clone, Copy, Debug)]
pub struct Half<'a, const N: usize, const M: usize> {
    /// Vertices and faces, or edges and edges.
    pub kind: PairKind,
    /// The vertices, or the edges.
    pub a: &'a Primitives<N>,
    /// The faces, or the edges.
    pub b: &'a Primitives<M>,
    /// All vertices in curve order.
    pub vertices: &'a [UnitVertex],
}

impl<'a, const N: usize, const M: usize> Half<'a, N, M> {
    /// A search of nothing yet, in some memory.
    pub fn search(&self, work: Work) -> Search<'a, N, M> {
        let sides = match self.kind {
            PairKind::VertexFace => Sides::Different,
            PairKind::EdgeEdge => Sides::Same,
        };
        Search::new(self.a.side(), self.b.side(), sides, work)
    }

    /// Where the points of both sides are found.
    pub fn points(&self) -> (Points<'a, N>, Points<'a, M>) {
        let vertices = self.vertices;
        (Points { leaves: &self.a.leaves, vertices }, Points { leaves: &self.b.leaves, vertices })
    }

    /// The primitives in two slots: vertex and face, or the edge with the lower index first.
    pub fn named(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        let (a, b) = (self.a.order[a as usize], self.b.order[b as usize]);
        match self.kind {
            PairKind::VertexFace => [a, b],
            PairKind::EdgeEdge => [a.min(b), a.max(b)],
        }
    }
}

/// Where the curve order comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    /// From each motion anew.
    #[default]
    Fresh,
    /// From a state that was given once.
    Kept,
}

/// Vertices, edges and faces, ready to be searched.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    units: Option<Units>,
    order: Order,
    /// By name, to order by.
    vertices_in_units: Vec<UnitVertex>,
    /// In curve order, and the slot of each vertex.
    placed: Vec<UnitVertex>,
    slots: Vec<u32>,
    single: Vec<[u32; 1]>,
    sorter: Sorter,
    first_use: [FirstUse; 2],
    /// The vertices.
    pub vertices: Primitives<1>,
    /// The edges.
    pub edges: Primitives<2>,
    /// The faces.
    pub faces: Primitives<3>,
}

impl Prepared {
    /// Boxes everything anew, and orders it anew unless an order is kept.
    pub fn update(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64) {
        let units = self.place(surface, sweep, thickness);
        let counts = [self.vertices.order.len(), self.edges.order.len(), self.faces.order.len()];
        let fits = counts == [surface.vertex_count(), surface.edges().len(), surface.triangles().len()];
        if self.order == Order::Fresh || !fits {
            self.reorder(&units, surface);
        }
        let (named, order) = (&self.vertices_in_units, &self.vertices.order);
        pages::make_room(&mut self.placed, order.len());
        parallel::refill(&mut self.placed, order.len(), PIECE, |slot| named[order[slot] as usize]);
        let placed = Placed { vertices: &self.placed, slots: &self.slots };
        let (vertices, edges, faces, single) = (&mut self.vertices, &mut self.edges, &mut self.faces, &self.single);
        parallel::join(
            || edges.refit(&units, placed, surface.edges()),
            || {
                faces.refit(&units, placed, surface.triangles());
                vertices.refit(&units, placed, single);
            },
        );
        self.units = Some(units);
    }

    /// Orders everything as it lies in a motion, and keeps that order from then on.
    pub fn keep_order_of(&mut self, surface: &Surface, sweep: &Sweep) {
        let units = self.place(surface, sweep, 0.0);
        self.reorder(&units, surface);
        self.order = Order::Kept;
    }

    fn place(&mut self, surface: &Surface, sweep: &Sweep, thickness: f64) -> Units {
        let units = Units::new(sweep, thickness);
        units.vertices(surface, sweep, &mut self.vertices_in_units);
        if self.single.len() != surface.vertex_count() {
            self.single = (0..surface.vertex_count() as u32).map(|v| [v]).collect();
        }
        units
    }

    fn reorder(&mut self, units: &Units, surface: &Surface) {
        let vertices = &self.vertices_in_units;
        let (v, e, f) = (&mut self.vertices, &mut self.edges, &mut self.faces);
        f.reorder(units, vertices, surface.triangles(), &mut self.sorter);
        let [of_edges, of_vertices] = &mut self.first_use;
        parallel::join(
            || of_edges.order(surface.edges().len(), &f.order, surface.triangle_edges(), &mut e.order),
            || of_vertices.order(surface.vertex_count(), &f.order, surface.triangles(), &mut v.order),
        );
        if v.order.len() < surface.vertex_count() {
            // Points of no face are not met on the way.
            v.reorder(units, vertices, &self.single, &mut self.sorter);
        }
        pages::make_room(&mut self.slots, v.order.len());
        self.slots.resize(v.order.len(), 0);
        for (slot, &vertex) in v.order.iter().enumerate() {
            self.slots[vertex as usize] = slot as u32;
        }
    }

    /// What vertices against faces are searched with.
    pub fn vertex_face(&self) -> Half<'_, 1, 3> {
        Half { kind: PairKind::VertexFace, a: &self.vertices, b: &self.faces, vertices: &self.placed }
    }

    /// What edges against edges are searched with.
    pub fn edge_edge(&self) -> Half<'_, 2, 2> {
        Half { kind: PairKind::EdgeEdge, a: &self.edges, b: &self.edges, vertices: &self.placed }
    }

    /// The boxes in double precision, by slot; computed when asked for, as few are needed.
    pub fn true_boxes<'a>(&'a self, surface: &'a Surface, sweep: &'a Sweep, thickness: f64) -> TrueBoxes<'a> {
        TrueBoxes { prepared: self, surface, sweep, thickness }
    }

    /// The thickness in units, rounded up [-].
    pub fn thickness(&self) -> f32 {
        self.units.map_or(0.0, |u| u.thickness)
    }

    /// Levels of the tree over faces; 0 before the first motion.
    pub fn face_levels(&self) -> usize {
        self.units.map_or(0, |_| 1 + self.faces.blocks.above.len())
    }

    /// The boxes on a level of the tree over faces, 0 are the faces themselves [m].
    pub fn face_boxes(&self, level: usize) -> Vec<Box3> {
        let Some(units) = &self.units else { return Vec::new() };
        let blocks: Vec<&Block> = match level.checked_sub(1) {
            None => self.faces.leaves.iter().map(|leaf| &leaf.boxes).collect(),
            Some(above) => self.faces.blocks.above.get(above).into_iter().flatten().collect(),
        };
        let lanes = blocks.into_iter().flat_map(|block| (0..WIDTH).map(|lane| block.lane(lane)));
        lanes
            .filter(|[low, ..]| low.is_finite())
            .map(|[a, b, c, d, e, f]| Box3 { low: units.position([a, b, c]), high: units.position([d, e, f]) })
            .collect()
    }

    /// Blocks of all three trees.
    pub fn nodes(&self) -> u64 {
        self.vertices.nodes() + self.edges.nodes() + self.faces.nodes()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.vertices_in_units.capacity() + self.placed.capacity()) * size_of::<UnitVertex>()
            + 4 * (self.single.capacity() + self.slots.capacity())
            + self.sorter.bytes()
            + self.first_use.iter().map(FirstUse::bytes).sum::<usize>()
            + self.vertices.bytes()
            + self.edges.bytes()
            + self.faces.bytes()
    }
}

/// The boxes in double precision, by slot.
#[derive(Clone, Copy, Debug)]
pub struct TrueBoxes<'a> {
    prepared: &'a Prepared,
    surface: &'a Surface,
    sweep: &'a Sweep<'a>,
    thickness: f64,
}

impl TrueBoxes<'_> {
    /// Whether the boxes of a vertex slot and a face slot overlap.
    pub fn vertex_face(&self, vertex: u32, face: u32) -> bool {
        let vertex = self.prepared.vertices.order[vertex as usize];
        let face = self.prepared.faces.order[face as usize];
        let corners = &self.surface.triangles()[face as usize];
        swept_box(self.sweep, &[vertex], self.thickness).overlaps(&swept_box(self.sweep, corners, self.thickness))
    }

    /// Whether the boxes of two edge slots overlap.
    pub fn edge_edge(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|slot| {
            let edge = self.prepared.edges.order[slot as usize];
            swept_box(self.sweep, &self.surface.edges()[edge as usize], self.thickness)
        });
        a.overlaps(&b)
    }
}
