//! The Cholesky factor of an earlier matrix as preconditioner of the present one.
//!
//! Factorising costs as much as some ten iterations, so a factor is kept over Newton iterations and steps
//! until the iteration counts say that it has worn out (see [`super::wear`]). Between, it is carried along
//! with the cloth: it is applied in axes that turn with each vertex (see [`super::rotations`]).
//!
//! **Same bits after a restart**: what the factor is depends on the past; see [`super::factor_memory`].

use super::{
    BlockMatrix, Bridges, Link, Pattern, Preconditioner,
    cholesky::Cholesky,
    dissection::{Dissection, dissect},
    factor_memory::{self, Brief, Mark},
    factor_solve::SolveWork,
    fronts::Fronts,
    graph::Graph,
    growth::Growth,
    reach::{Couplings, Reach},
    rotations::Rotations,
    sparsify::{Compensation, Sparsity},
    wear::Wear,
};
use crate::{constraints::Constraints, interrupt::Interrupt};
use glam::{DMat3, DVec3};
use muslin_model::{Archive, ArchiveError, parallel};

/// Vertices that are eliminated together without further cuts: below 6 the number of fronts, above 12 the
/// zeros within them cost more than they save.
const LEAF: usize = 8;

/// Couplings weaker than this part of the diagonal blocks are left out, if any are [-]. Membrane blocks are
/// above 0.01, bending blocks of cloth below 0.0005.
const WEAK: f64 = 1e-3;

/// Most vertices for which an adaptive preconditioner turns to the full factor, whose memory grows to 1.5 GB here.
const FULL_UP_TO: usize = 260_000;

/// Bridges per vertex below which the layout still guides the order of elimination [-]. A few layers that touch widen the
/// cuts of a flat sheet less than folds widen those of a draped one; where all lies in layers it is the other way
/// round.
const FEW_BRIDGES: f64 = 0.1;

/// An order of elimination is kept while the number of bridges is within this part of what it was made for [-], and while it
/// costs at most so many times what it did then [-].
const OTHER_BRIDGES: f64 = 0.25;
const DEARER: f64 = 1.1;
/// A stored plan with bridges costs at most this many times the plan without [-]; deep folds cost ten times as much.
const MOST_OF_PLAIN: f64 = 100.0;

/// Seconds per multiplication and per number of the factor when factorising, per number of the factor and
/// per block of the matrix when iterating: measured on one core of a 2.3 GHz server, only their ratios count.
const FACTOR_MULTIPLICATION: f64 = 45e-12;
const FACTOR_NUMBER: f64 = 2.5e-9;
const SOLVE_NUMBER: f64 = 0.6e-9;
const PRODUCT_BLOCK: f64 = 4e-9;

/// Parts of the diagonal that are added to it, one after the other until the factor is finite [-]. Supports couple soft
/// directions so strongly that single precision may lose them; a factor with a little too much on its diagonal
/// costs iterations, one that is not finite costs the step.
const SHIFTS: [f64; 5] = [0.0, 1e-5, 1e-4, 1e-3, 1e-2];

/// The factor and what belongs to it.
#[derive(Debug)]
pub(super) struct Factor {
    /// What of the matrix it is a factor of.
    pub(super) couplings: Couplings,
    pub(super) cholesky: Cholesky,
    /// The couplings within the pattern.
    graph: Graph,
    pub(super) sparsity: Sparsity,
    pub(super) bridges: Bridges,
    /// The order of elimination with bridges; empty without.
    pub(super) dissection: Dissection,
    pub(super) fresh: Fresh,
}

/// What an order of elimination was when it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Fresh {
    /// Bridges.
    pub(super) bridges: u64,
    /// Multiplications of a factorisation.
    pub(super) multiplications: f64,
}

impl Fresh {
    /// Whether the order is still worth keeping.
    fn serves(&self, bridges: usize, multiplications: f64) -> bool {
        let (then, now) = (self.bridges as f64, bridges as f64);
        now > 0.0 && (now - then).abs() <= OTHER_BRIDGES * then && multiplications <= DEARER * self.multiplications
    }
}

impl Factor {
    /// Plans the factorisation of the couplings that are kept.
    pub(super) fn plan(pattern: &Pattern, sparsity: Sparsity, couplings: Couplings, layout: &[DVec3]) -> Self {
        let graph = Graph::new(pattern, |slot| sparsity.kept[slot]);
        let bridges = Bridges::default();
        let fronts = Fronts::new(pattern, &bridges, &graph, dissect(&graph, layout, LEAF), |slot| sparsity.kept[slot]);
        let (dissection, fresh) = (Dissection::default(), Fresh::default());
        Factor { couplings, cholesky: Cholesky::new(fronts), graph, sparsity, bridges, dissection, fresh }
    }

    /// Plans anew, with bridges between vertices at some positions: layers that touch are close there, and only
    /// there, which counts where there are many. The order of elimination stays while it is a good one.
    pub(super) fn bridge(&mut self, pattern: &Pattern, bridges: Bridges, layout: &[DVec3], positions: &[DVec3]) {
        let graph = self.graph.bridged(bridges.pairs());
        let count = bridges.pairs().len();
        if self.fresh.serves(count, 0.0) {
            let dissection = self.dissection.with_pairs(bridges.pairs());
            let fronts = self.fronts(pattern, &bridges, &graph, dissection.clone());
            if self.fresh.serves(count, fronts.multiplications) {
                return self.take(bridges, dissection, fronts);
            }
        }
        let few = (count as f64) < FEW_BRIDGES * positions.len() as f64;
        let layout = if few && !layout.is_empty() { layout } else { positions };
        let dissection = dissect(&graph, layout, LEAF);
        let fronts = self.fronts(pattern, &bridges, &graph, dissection.clone());
        self.fresh = Fresh { bridges: count as u64, multiplications: fronts.multiplications };
        self.take(bridges, dissection, fronts);
    }

    /// Plans with bridges and an order of elimination that are known; says whether they belong together.
    pub(super) fn recall(&mut self, pattern: &Pattern, bridges: Bridges, dissection: Dissection, fresh: Fresh) -> bool {
        let graph = self.graph.bridged(bridges.pairs());
        let couplings = (0..graph.vertices() as u32).flat_map(|v| graph.of(v).iter().map(move |&w| [v, w]));
        if !dissection.serves(couplings) {
            return false;
        }
        let fronts = self.fronts(pattern, &bridges, &graph, dissection.clone());
        // A tree that costs more than it may is none of ours, however well it fits.
        let dear = fronts.multiplications > MOST_OF_PLAIN * self.cholesky.fronts().multiplications.max(1.0);
        if dear || !fresh.serves(bridges.pairs().len(), fronts.multiplications) {
            return false;
        }
        self.fresh = fresh;
        self.take(bridges, dissection, fronts);
        true
    }

    fn fronts(&self, pattern: &Pattern, bridges: &Bridges, graph: &Graph, dissection: Dissection) -> Fronts {
        let kept = &self.sparsity.kept;
        Fronts::new(pattern, bridges, graph, dissection, |slot| kept[slot])
    }

    fn take(&mut self, bridges: Bridges, dissection: Dissection, fronts: Fronts) {
        self.cholesky.replan(fronts);
        (self.bridges, self.dissection) = (bridges, dissection);
    }
}

/// A lagged Cholesky preconditioner.
#[derive(Debug)]
pub struct LaggedCholesky {
    pub(super) layout: Vec<DVec3>,
    pub(super) reach: Reach,
    /// What is factorised at present.
    pub(super) couplings: Couplings,
    positions: Vec<DVec3>,
    pub(super) plan: Option<Factor>,
    /// The constraints that the factor was made with; `None` if there is no valid factor.
    pub(super) constraints: Option<Constraints>,
    pub(super) rotations: Rotations,
    pub(super) wear: Wear,
    pub(super) growth: Growth,
    pub(super) renewals: usize,
    mark: Option<Mark>,
    interrupt: Interrupt,
    extra: Compensation,
    /// Couplings that the plan itself has no place for.
    links: Vec<Link>,
    bridged: Vec<DMat3>,
    turned: Vec<DVec3>,
    solved: Vec<DVec3>,
    work: SolveWork,
}

impl LaggedCholesky {
    /// A preconditioner without a factor yet. `layout` has a point for each row in which neighbours are
    /// close, such as rest positions [m], and guides the order of elimination; it may be empty.
    pub fn new(reach: Reach, layout: Vec<DVec3>) -> Self {
        LaggedCholesky {
            layout,
            reach,
            couplings: Couplings::first(reach),
            positions: Vec::new(),
            plan: None,
            constraints: None,
            rotations: Rotations::default(),
            wear: Wear::default(),
            growth: Growth::default(),
            renewals: 0,
            mark: None,
            interrupt: Interrupt::default(),
            extra: Compensation::default(),
            links: Vec::new(),
            bridged: Vec::new(),
            turned: Vec::new(),
            solved: Vec::new(),
            work: SolveWork::default(),
        }
    }

    /// Factorisations so far.
    pub fn renewals(&self) -> usize {
        self.renewals
    }

    /// Bytes of the factor.
    pub fn factor_bytes(&self) -> usize {
        self.plan.as_ref().map_or(0, |plan| 4 * plan.cholesky.fronts().factor_len)
    }

    /// What to factorise from now on, as the life of the present factor ends.
    fn weigh(&mut self) {
        match self.plan.as_ref().map(|plan| plan.couplings) {
            Some(Couplings::All) if self.growth.regrets(&self.wear) => self.couplings = Couplings::Strong,
            // Given up otherwise.
            Some(Couplings::Strong) if self.couplings == Couplings::Strong => self.growth.lived(&self.wear),
            _ => {}
        }
    }

    /// Factorises a matrix whether the factor is worn or not. Given up halfway, it leaves no factor at all.
    pub fn factorise_now(&mut self, matrix: &BlockMatrix) {
        if let Some(mut mark) = self.mark.take() {
            mark.before_renewal(self);
            self.mark = Some(mark);
        }
        if self.reach == Reach::Adaptive {
            self.weigh();
        }
        let (couplings, layout) = (self.couplings, &self.layout);
        let weak = match couplings {
            Couplings::Strong => WEAK,
            Couplings::All => -1.0,
        };
        // A plan of another reach serves until here: the matrix may be solved again before it is prepared.
        self.plan = self.plan.take().filter(|plan| plan.couplings == couplings);
        let plan = self
            .plan
            .get_or_insert_with(|| Factor::plan(&matrix.pattern, Sparsity::new(matrix, weak), couplings, layout));
        self.links.clone_from(&matrix.links);
        plan.sparsity.compensate(matrix, weak, &plan.bridges, &mut self.extra, &mut self.links);
        if !plan.bridges.serve(&self.links) {
            let bridges = plan.bridges.renewed(&self.links, &self.extra.worthy);
            plan.bridge(&matrix.pattern, bridges, layout, &self.positions);
            if !self.extra.worthy.is_empty() {
                self.links.clone_from(&matrix.links);
                plan.sparsity.compensate(matrix, weak, &plan.bridges, &mut self.extra, &mut self.links);
            }
        }
        plan.bridges.gather(&self.links, &mut self.bridged);
        for shift in SHIFTS {
            let extra = &self.extra.diagonal;
            let extra = |v: usize| {
                let d = matrix.diagonal(v);
                extra[v] + DMat3::from_diagonal(DVec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z).abs() * shift)
            };
            if plan.cholesky.factorise(matrix, &self.bridged, extra, &self.interrupt).is_err() {
                (self.plan, self.constraints) = (None, None);
                return;
            }
            if plan.cholesky.is_finite() {
                break;
            }
        }
        self.rotations.restart(&self.positions);
        self.renewals += 1;
        let fronts = plan.cholesky.fronts();
        let factorising = FACTOR_MULTIPLICATION * fronts.multiplications + FACTOR_NUMBER * fronts.factor_len as f64;
        let iterating = SOLVE_NUMBER * fronts.factor_len as f64 + PRODUCT_BLOCK * matrix.blocks.len() as f64;
        self.wear = Wear::fresh(factorising / iterating, iterating);
    }
}

impl Preconditioner for LaggedCholesky {
    fn name(&self) -> &'static str {
        "lagged-cholesky"
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    fn place(&mut self, positions: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn prepare(&mut self, matrix: &BlockMatrix, constraints: &Constraints) {
        let same =
            self.constraints.as_ref().is_some_and(|c| c.vertices == constraints.vertices && c.free == constraints.free);
        if !same || self.wear.is_worn() {
            self.constraints = Some(constraints.clone());
            self.factorise_now(matrix);
        } else if let Some(plan) = self.plan.as_ref().filter(|_| !self.positions.is_empty()) {
            self.rotations.follow(&plan.graph, &self.positions, &constraints.vertices);
        }
    }

    fn apply(&mut self, r: &[DVec3], out: &mut [DVec3]) {
        let Some(plan) = &self.plan else {
            // Given up halfway: the identity is a preconditioner too, until the solver sees that it is to stop.
            return out.copy_from_slice(r);
        };
        if self.positions.is_empty() || !self.rotations.have_turned() {
            return plan.cholesky.solve(r, out, &mut self.work);
        }
        let rotations = &self.rotations;
        self.turned.resize(r.len(), DVec3::ZERO);
        self.solved.resize(r.len(), DVec3::ZERO);
        parallel::fill(&mut self.turned, |i| rotations.matrix(i).transpose() * r[i]);
        plan.cholesky.solve(&self.turned, &mut self.solved, &mut self.work);
        let solved = &self.solved;
        parallel::fill(out, |i| *rotations.matrix(i) * solved[i]);
    }

    fn solved(&mut self, iterations: usize, reduction: f64) {
        self.wear.record(iterations, reduction);
        let rows = self.plan.as_ref().map_or(0, |plan| plan.cholesky.fronts().order.len());
        let may_grow = self.reach == Reach::Adaptive && self.couplings == Couplings::Strong && rows <= FULL_UP_TO;
        if may_grow && self.growth.pays(&self.wear) {
            self.growth.give_up(&self.wear);
            self.couplings = Couplings::All;
            self.constraints = None;
        }
    }

    fn failed(&mut self) {
        self.constraints = None;
    }

    fn met_indefinite(&mut self) {
        // It may be a factor of this very matrix, with pivots that are not its own. One that has served before is not.
        if self.wear.digits() == 0.0 {
            self.failed();
        }
    }

    fn renew(&mut self, matrix: &BlockMatrix, iterations: usize) -> bool {
        let hopeless = iterations == usize::MAX || self.wear.is_hopeless(iterations);
        if hopeless {
            if iterations < usize::MAX {
                self.wear.record(iterations, 1.0);
            }
            self.factorise_now(matrix);
        }
        hopeless
    }

    fn save(&self, archive: &mut Archive) {
        let mut brief = Brief::default();
        brief.note(self);
        factor_memory::save(self, &brief, archive);
    }

    fn mark(&mut self) {
        let mut mark = self.mark.take().unwrap_or_default();
        mark.set(self);
        self.mark = Some(mark);
    }

    fn save_marked(&self, archive: &mut Archive) {
        match &self.mark {
            Some(mark) => mark.save(self, archive),
            None => self.save(archive),
        }
    }

    fn restore(&mut self, pattern: &Pattern, archive: &Archive) -> Result<(), ArchiveError> {
        factor_memory::restore(self, pattern, archive)
    }
}
