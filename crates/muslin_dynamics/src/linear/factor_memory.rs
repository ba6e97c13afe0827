//! What a lagged factor remembers, as a checkpoint holds it.
//!
//! A run that is resumed must go on with the same factor, or its iterates differ in the last bits and soon in
//! all. Three ways were weighed, for 100,000 vertices:
//!
//! * *Forget at each checkpoint*, in the run that goes on too. Checkpoints come by the clock, so the bits would
//!   depend on it. Forgetting every so many steps instead costs factorisations that nobody needs.
//! * *Store the factor*: about 180 MB, and twice that on disk.
//! * *Store what it was made of* (chosen): the scaled blocks of the couplings that are factorised, 15 MB, from which
//!   [`super::Cholesky::remake`] gives the same bits on any number of threads. Storing the positions at which the
//!   matrix was assembled would be smaller still, but then every force, and the contacts of that step, had to
//!   be rebuilt as they were.
//!
//! Beside the blocks: which couplings are kept (chosen at the first matrix), the held vertices, the state
//! that the factor was made at and how far each vertex has turned since, and the record of wear.
//!
//! A step that is given up in its middle has changed some of this, at a moment that the clock chose. A checkpoint
//! written then holds the memory at the step's start: see [`Mark`].

use super::{
    Bridges, LaggedCholesky, Pattern,
    dissection::Dissection,
    growth::Growth,
    lagged::{Factor, Fresh},
    promotion::Misshapen,
    reach::Couplings,
    sparsify::Sparsity,
    wear::Wear,
};
use crate::{constraints::Constraints, interrupt::Interrupt};
use glam::{DMat3, DQuat, DVec3};
use muslin_model::{Archive, ArchiveError};

/// The part of the memory that changes in every solve.
#[derive(Debug, Default)]
pub(super) struct Brief {
    wear: Wear,
    growth: Growth,
    couplings: Couplings,
    renewals: usize,
    constraints: Option<Constraints>,
    turns: Vec<DQuat>,
}

impl Brief {
    /// Notes it, in the same memory each time.
    pub(super) fn note(&mut self, lagged: &LaggedCholesky) {
        (self.wear, self.growth) = (lagged.wear, lagged.growth);
        (self.couplings, self.renewals) = (lagged.couplings, lagged.renewals);
        self.constraints.clone_from(&lagged.constraints);
        self.turns.clear();
        self.turns.extend_from_slice(lagged.rotations.memory().1);
    }
}

/// The memory at the start of a step that may be given up. The large part of it changes only with a renewal, and is
/// put aside just before one.
#[derive(Debug, Default)]
pub(super) struct Mark {
    brief: Brief,
    /// What was put aside; its memory serves again in the next step.
    whole: Archive,
    aside: bool,
}

impl Mark {
    pub(super) fn set(&mut self, lagged: &LaggedCholesky) {
        self.brief.note(lagged);
        self.aside = false;
    }

    pub(super) fn before_renewal(&mut self, lagged: &LaggedCholesky) {
        if !self.aside {
            save(lagged, &self.brief, &mut self.whole);
            self.aside = true;
        }
    }

    pub(super) fn save(&self, lagged: &LaggedCholesky, archive: &mut Archive) {
        if self.aside {
            archive.arrays.extend(self.whole.arrays.iter().map(|(name, array)| (name.clone(), array.clone())));
        } else {
            save(lagged, &self.brief, archive);
        }
    }
}

/// Arrays that a memory has only with a plan, with bridges, and with a valid factor.
const OF_PLAN: [&str; 1] = ["factor.kept"];
const OF_BRIDGES: [&str; 5] =
    ["factor.bridges", "factor.order", "factor.pieces", "factor.fresh_bridges", "factor.fresh_cost"];
const OF_FACTOR: [&str; 6] =
    ["factor.held", "factor.free", "factor.reference", "factor.turns", "factor.scales", "factor.blocks"];

/// Puts a preconditioner's memory into an archive, in the memory of one that was there before.
pub(super) fn save(lagged: &LaggedCholesky, brief: &Brief, archive: &mut Archive) {
    let remove = |archive: &mut Archive, names: &[&str]| names.iter().for_each(|name| _ = archive.arrays.remove(*name));
    let (reals, counts) = brief.wear.to_numbers();
    archive.refill_reals("factor.wear", reals.into_iter());
    archive.refill_reals("factor.growth", brief.growth.to_numbers().into_iter());
    let all = u64::from(brief.couplings == Couplings::All);
    archive.refill_counts("factor.counts", [counts[0], counts[1], all, brief.renewals as u64].into_iter());
    // A plan of another reach serves only until the next matrix, and that comes with the next step.
    let Some(plan) = lagged.plan.as_ref().filter(|plan| plan.couplings == brief.couplings) else {
        return [&OF_PLAN[..], &OF_BRIDGES, &OF_FACTOR].into_iter().for_each(|names| remove(archive, names));
    };
    archive.refill_bytes("factor.kept", plan.sparsity.kept.iter().map(|&flag| u8::from(flag)));
    if plan.bridges.pairs().is_empty() {
        remove(archive, &OF_BRIDGES);
    } else {
        let wide = |v: &u32| u64::from(*v);
        archive.refill_counts("factor.bridges", plan.bridges.pairs().iter().flatten().map(wide));
        archive.refill_counts("factor.order", plan.dissection.order.iter().map(wide));
        archive.refill_counts("factor.pieces", plan.dissection.shape());
        archive.refill_counts("factor.fresh_bridges", [plan.fresh.bridges].into_iter());
        archive.refill_reals("factor.fresh_cost", [plan.fresh.multiplications].into_iter());
    }
    let Some(constraints) = &brief.constraints else { return remove(archive, &OF_FACTOR) };
    archive.refill_counts("factor.held", constraints.vertices.iter().map(|&v| u64::from(v)));
    archive.refill_reals("factor.free", constraints.free.iter().flat_map(|m| m.to_cols_array()));
    archive.refill_reals("factor.reference", lagged.rotations.memory().0.iter().flat_map(|p| p.to_array()));
    archive.refill_reals("factor.turns", brief.turns.iter().flat_map(|q| q.to_array()));
    archive.refill_reals("factor.scales", plan.cholesky.scales.iter().flat_map(|p| p.to_array()));
    archive.refill_singles("factor.blocks", plan.cholesky.source.as_flattened().iter().copied());
}

/// Gives a preconditioner the memory of another one.
pub(super) fn restore(lagged: &mut LaggedCholesky, pattern: &Pattern, archive: &Archive) -> Result<(), ArchiveError> {
    (lagged.plan, lagged.constraints) = (None, None);
    let wear = archive.reals("factor.wear", 5)?;
    let counts = archive.counts("factor.counts", 4)?;
    lagged.wear = Wear::from_numbers(std::array::from_fn(|k| wear[k]), [counts[0], counts[1]]);
    let growth = archive.reals("factor.growth", 6)?;
    lagged.growth = Growth::from_numbers(std::array::from_fn(|k| growth[k]));
    lagged.couplings = if counts[2] != 0 { Couplings::All } else { Couplings::first(lagged.reach) };
    lagged.renewals = counts[3] as usize;
    if !archive.has("factor.kept") {
        return Ok(());
    }
    let kept = flags(archive, "factor.kept", pattern.columns.len())?;
    let plan = Factor::plan(pattern, Sparsity::of(pattern, kept), lagged.couplings, &lagged.layout);
    let plan = lagged.plan.insert(plan);
    if archive.has("factor.bridges") {
        let fresh = Fresh {
            bridges: archive.counts("factor.fresh_bridges", 1)?[0],
            multiplications: archive.reals("factor.fresh_cost", 1)?[0],
        };
        if !plan.recall(pattern, bridges(pattern, archive)?, dissection(pattern, archive)?, fresh) {
            return Err(ArchiveError::Value { name: "factor.order".into(), index: 0 });
        }
    }
    if !archive.has("factor.blocks") {
        return Ok(());
    }
    let constraints = held(pattern, archive)?;
    let reference = archive.all_reals("factor.reference")?.len() / 3;
    // Without positions nothing turns.
    let vertices = if reference == 0 { 0 } else { pattern.rows() };
    let turns = archive.reals("factor.turns", 4 * vertices)?.chunks_exact(4).map(DQuat::from_slice).collect();
    lagged.rotations.recall(archive.points("factor.reference", vertices)?, turns);
    plan.cholesky.scales = archive.points("factor.scales", plan.cholesky.scales.len())?;
    let blocks = archive.singles("factor.blocks", 9 * plan.cholesky.source.len())?;
    plan.cholesky.source.as_flattened_mut().copy_from_slice(blocks);
    // Nobody can ask to stop here; if somebody could, there would be no factor.
    lagged.constraints = plan.cholesky.remake(&Interrupt::default()).is_ok().then_some(constraints);
    Ok(())
}

/// The couplings outside of the pattern.
fn bridges(pattern: &Pattern, archive: &Archive) -> Result<Bridges, ArchiveError> {
    let flat = archive.all_counts("factor.bridges")?;
    let fault = |index| ArchiveError::Value { name: "factor.bridges".into(), index };
    if let Some(index) = flat.iter().position(|&v| v >= pattern.rows() as u64) {
        return Err(fault(index));
    }
    let pairs: Vec<[u32; 2]> = flat.chunks_exact(2).map(|pair| [pair[0] as u32, pair[1] as u32]).collect();
    let unordered = pairs.windows(2).position(|two| two[0] >= two[1]);
    match pairs.iter().position(|pair| pair[0] >= pair[1]).or(unordered) {
        Some(k) => Err(fault(2 * k)),
        None => Ok(Bridges::of(pairs)),
    }
}

/// The order of elimination.
fn dissection(pattern: &Pattern, archive: &Archive) -> Result<Dissection, ArchiveError> {
    let fault = |name: &str, index| ArchiveError::Value { name: name.into(), index };
    let order = archive.counts("factor.order", pattern.rows())?;
    // A number that is too large for a vertex is too large for this pattern.
    let order = order.iter().map(|&v| u32::try_from(v).unwrap_or(u32::MAX)).collect();
    Dissection::of_shape(order, archive.all_counts("factor.pieces")?).map_err(|misshapen| match misshapen {
        Misshapen::Order(index) => fault("factor.order", index),
        Misshapen::Shape(index) => fault("factor.pieces", index),
    })
}

/// The held vertices; where they go is no part of the factor.
fn held(pattern: &Pattern, archive: &Archive) -> Result<Constraints, ArchiveError> {
    let held = archive.all_counts("factor.held")?;
    let beyond = held.iter().position(|&v| v >= pattern.rows() as u64);
    let unordered = held.windows(2).position(|pair| pair[0] >= pair[1]);
    if let Some(index) = beyond.or(unordered) {
        return Err(ArchiveError::Value { name: "factor.held".into(), index });
    }
    let free = archive.reals("factor.free", 9 * held.len())?;
    Ok(Constraints {
        vertices: held.iter().map(|&v| v as u32).collect(),
        free: free.chunks_exact(9).map(DMat3::from_cols_slice).collect(),
        targets: vec![DVec3::ZERO; held.len()],
        ..Default::default()
    })
}

/// Keeps flags, a byte each.
pub(super) fn put_flags(archive: &mut Archive, name: &str, flags: &[bool]) {
    archive.put_bytes(name, flags.iter().map(|&flag| u8::from(flag)).collect::<Vec<_>>());
}

/// Flags, as many as expected.
pub(super) fn flags(archive: &Archive, name: &str, expected: usize) -> Result<Vec<bool>, ArchiveError> {
    Ok(archive.bytes(name, expected)?.iter().map(|&flag| flag != 0).collect())
}
