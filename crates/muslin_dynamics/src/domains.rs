//! Domains: how assembly runs in parallel and still gives the same bits on any number of threads.
//!
//! The vertices are cut into contiguous ranges that depend on their number alone. An element whose
//! vertices all lie in one range is *interior*: its domain may add it to the range's part of a vector or
//! matrix without touching anyone else's, so all domains run at once. Then come the elements that cross one border:
//! those of every other border at once, as no two of these borders have a domain in common, and then those of the borders
//! between. The few that touch three domains, or two that are not beside each other, are added by one thread. Every sum thus
//! has one fixed order. (Graph colouring also avoids
//! conflicts, but visits memory in strides and needs some twenty passes for six-vertex elements.)

use glam::{DMat3, DVec3};
use muslin_model::parallel;
use std::{
    iter::Sum,
    ops::{Add, Range},
};

/// Vertices per domain: enough that borders stay a few percent of a grid, few enough to keep cores busy.
const VERTICES_PER_DOMAIN: usize = 1024;
/// The most domains ever made; beyond it domains grow instead.
const MOST_DOMAINS: usize = 64;

/// Contiguous ranges of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Domains {
    /// First vertex of each domain, and the number of vertices at the end.
    pub starts: Vec<u32>,
}

/// The elements of a force in storage order: those of domain 0, of domain 1, …, then those that cross.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementRanges {
    /// Interior elements of each domain.
    pub interior: Vec<Range<usize>>,
    /// Elements that touch just the two domains beside each border.
    pub borders: Vec<Range<usize>>,
    /// All others.
    pub crossing: Range<usize>,
}

/// Elements that may be added at the same time, and the part of the domains that they touch.
pub(crate) struct Group {
    /// The elements.
    pub elements: Range<usize>,
    /// Their domains.
    pub domains: Range<usize>,
}

impl ElementRanges {
    /// All of them, in storage order.
    pub fn all(&self) -> impl Iterator<Item = &Range<usize>> {
        self.interior.iter().chain(&self.borders).chain([&self.crossing])
    }

    /// Groups that may run at the same time, one list after the other: the interiors, every other border, the borders between.
    pub(crate) fn rounds(&self) -> [Vec<Group>; 3] {
        let group = |d: usize, elements: &Range<usize>, width: usize| Group {
            elements: elements.clone(),
            domains: d..d + width,
        };
        let interior = self.interior.iter().enumerate().map(|(d, range)| group(d, range, 1)).collect();
        let borders = |first: usize| {
            let borders = self.borders.iter().enumerate().skip(first).step_by(2);
            borders.filter(|(_, range)| !range.is_empty()).map(|(d, range)| group(d, range, 2)).collect()
        };
        [interior, borders(0), borders(1)]
    }
}

impl Domains {
    /// Cuts `vertices` into domains.
    pub fn new(vertices: usize) -> Self {
        let count = vertices.div_ceil(VERTICES_PER_DOMAIN).clamp(1, MOST_DOMAINS);
        Domains { starts: (0..=count).map(|d| (d * vertices / count) as u32).collect() }
    }

    /// Number of domains.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Vertices of a domain.
    pub fn range(&self, domain: usize) -> Range<usize> {
        self.starts[domain] as usize..self.starts[domain + 1] as usize
    }

    /// The domain of a vertex.
    pub fn of(&self, vertex: u32) -> usize {
        self.starts.partition_point(|&s| s <= vertex) - 1
    }

    /// Sorts elements for storage. Returns their order (indices into `stencils`) and the ranges.
    pub fn sort_elements<'a>(&self, stencils: impl Iterator<Item = &'a [u32]>) -> (Vec<u32>, ElementRanges) {
        // Domains first, then the borders behind each but the last, then the rest.
        let domains = self.count();
        let rest = 2 * domains - 1;
        let home: Vec<usize> = stencils
            .map(|stencil| {
                let of_each = || stencil.iter().map(|&v| self.of(v));
                let (low, high) = (of_each().min().unwrap_or(0), of_each().max().unwrap_or(0));
                match high - low {
                    0 => low,
                    1 => domains + low,
                    _ => rest,
                }
            })
            .collect();
        let mut order: Vec<u32> = (0..home.len() as u32).collect();
        order.sort_by_key(|&e| home[e as usize]);
        let mut counts = vec![0; rest + 1];
        home.iter().for_each(|&h| counts[h] += 1);
        let mut end = 0;
        let mut ranges = counts.into_iter().map(|count| {
            end += count;
            end - count..end
        });
        let interior = ranges.by_ref().take(domains).collect();
        let borders = ranges.by_ref().take(domains - 1).collect();
        let crossing = ranges.next().unwrap_or_default();
        (order, ElementRanges { interior, borders, crossing })
    }

    /// Runs `body(elements, part)` over all elements of a force, where `part` is the piece of `values` that
    /// those elements may write; returns the sum of what the bodies return.
    pub fn accumulate<T: Copy + Default + Send + Sum + Add<Output = T>>(
        &self,
        elements: &ElementRanges,
        values: &mut [DVec3],
        body: impl Fn(Range<usize>, &mut VertexPart) -> T + Sync + Send,
    ) -> T {
        let mut all = T::default();
        for groups in elements.rounds() {
            let mut sums = vec![T::default(); groups.len()];
            let (mut rest, mut passed) = (&mut *values, 0);
            let mut tasks = Vec::with_capacity(groups.len());
            for (group, sum) in groups.into_iter().zip(&mut sums) {
                let [first, end] = [group.domains.start, group.domains.end].map(|d| self.starts[d] as usize);
                let (part, tail) = rest[first - passed..].split_at_mut(end - first);
                (rest, passed) = (tail, end);
                tasks.push((group.elements, VertexPart { first: first as u32, values: part }, sum));
            }
            parallel::for_each(tasks, |(range, mut part, sum)| *sum = body(range, &mut part));
            all = all + sums.into_iter().sum::<T>();
        }
        all + body(elements.crossing.clone(), &mut VertexPart { first: 0, values })
    }
}

/// The part of a per-vertex array that a domain may write.
pub struct VertexPart<'a> {
    /// First vertex of the part.
    pub first: u32,
    /// Its values.
    pub values: &'a mut [DVec3],
}

impl VertexPart<'_> {
    /// Adds to a vertex.
    #[inline]
    pub fn add(&mut self, vertex: u32, value: DVec3) {
        self.values[(vertex - self.first) as usize] += value;
    }
}

/// The part of a matrix's blocks that a domain may write.
pub struct BlockPart<'a> {
    /// First slot of the part.
    pub first: u32,
    /// Its blocks.
    pub blocks: &'a mut [DMat3],
}

impl BlockPart<'_> {
    /// Adds a block in the slot that [`crate::linear::Pattern::slot`] gave.
    #[inline]
    pub fn add(&mut self, slot: Slot, block: DMat3) {
        let target = &mut self.blocks[(slot.index() - self.first) as usize];
        *target += if slot.transposed() { block.transpose() } else { block };
    }
}

impl BlockPart<'_> {
    /// Adds a block that is its own transpose, whichever way the pair is stored.
    #[inline]
    pub fn add_symmetric(&mut self, slot: Slot, block: DMat3) {
        self.blocks[(slot.index() - self.first) as usize] += block;
    }
}

/// How the block of a vertex pair is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The block itself.
    AsGiven,
    /// Its transpose, because the pair is kept the other way round.
    Transposed,
}

/// Where the block of a vertex pair is stored: an index, and whether the transpose goes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u32);

impl Slot {
    const TRANSPOSED: u32 = 1 << 31;

    /// Packs an index and the direction.
    pub fn new(index: u32, stored: Stored) -> Self {
        match stored {
            Stored::AsGiven => Slot(index),
            Stored::Transposed => Slot(index | Self::TRANSPOSED),
        }
    }

    /// Index into the matrix's blocks.
    #[inline]
    pub fn index(self) -> u32 {
        self.0 & !Self::TRANSPOSED
    }

    /// Whether the transpose of the pair's block is stored.
    #[inline]
    pub fn transposed(self) -> bool {
        self.0 & Self::TRANSPOSED != 0
    }
}
