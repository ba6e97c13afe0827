//! The law of bending hysteresis against the formulas of W chapter 4 (with the errata), written down here once more, in
//! W's own terms: branches with an origin and the coefficients β₁, γ₁.

mod common;

use common::sheet::Random;
use muslin_dynamics::forces::memory::{BendingLaw, Hysteresis, Plasticity, curvature};
use muslin_model::Crease;

/// W fig. 4.7: b₁, b₂, c₁ and λ.
const FIG_4_7: [f64; 3] = [0.76, 0.26, -0.38];
const LAMBDA: f64 = 0.1;
/// Height of the hinge [m], none of the numbers that could hide a mistake.
const HEIGHT: f64 = 0.7;

/// One hinge by W's own bookkeeping: the branch it is on, from W 4.2, 4.4, 4.5 and 4.8.
struct Thesis {
    b1: f64,
    b2: f64,
    c1: f64,
    k: f64,
    m: f64,
    /// Direction of the branch, its first point, β₁, γ₁ and its last point.
    sigma: f64,
    start: [f64; 2],
    beta: f64,
    gamma: f64,
    end: [f64; 2],
}

impl Thesis {
    fn new([b1, b2, c1]: [f64; 3]) -> Self {
        let (k0, ma) = (Self::k0(b1, b2, c1), Self::ma(b1, b2, c1));
        Thesis { b1, b2, c1, k: 0.0, m: 0.0, sigma: 1.0, start: [0.0; 2], beta: b1, gamma: c1, end: [k0, ma] }
    }

    fn k0(b1: f64, b2: f64, c1: f64) -> f64 {
        (b2 - b1) / (2.0 * c1)
    }

    fn m0(b1: f64, b2: f64, c1: f64) -> f64 {
        let k0 = Self::k0(b1, b2, c1);
        (b1 - b2) * k0 + c1 * k0 * k0
    }

    /// M_a: the moment at the transition.
    fn ma(b1: f64, b2: f64, c1: f64) -> f64 {
        let k0 = Self::k0(b1, b2, c1);
        b1 * k0 + c1 * k0 * k0
    }

    /// The moment on the branch.
    fn on_branch(&self, k: f64) -> f64 {
        if (k - self.end[0]) * self.sigma >= 0.0 {
            self.end[1] + self.b2 * (k - self.end[0])
        } else {
            let x = k - self.start[0];
            self.start[1] + self.beta * x + self.gamma * x * x
        }
    }

    /// Bends on or back; a turn begins a new branch.
    fn bend(&mut self, k: f64) {
        let sigma = (k - self.k).signum();
        if sigma != self.sigma {
            let linear = (self.k - self.end[0]) * self.sigma >= 0.0;
            let s = if linear { [self.k, self.m] } else { self.end };
            let (k0, m0) = (Self::k0(self.b1, self.b2, self.c1), Self::m0(self.b1, self.b2, self.c1));
            let (kp, mp) = (self.k - s[0], self.m - s[1]);
            let length = 2.0 * k0 * sigma - kp;
            self.beta = self.b2 + 2.0 * (2.0 * m0 * sigma + self.b2 * kp - mp) / length;
            self.gamma = (-2.0 * m0 * sigma - self.b2 * kp + mp) / (length * length);
            self.start = [self.k, self.m];
            let ma = Self::ma(self.b1, self.b2, self.c1);
            self.end = [s[0] + 2.0 * k0 * sigma, s[1] + 2.0 * ma * sigma];
            self.sigma = sigma;
        }
        self.m = self.on_branch(k);
        self.k = k;
    }

    /// Where the branch has no moment, by bisection.
    fn zero(&self) -> f64 {
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..200 {
            let mid = 0.5 * (low + high);
            if self.on_branch(mid) < 0.0 { low = mid } else { high = mid }
        }
        low
    }
}

fn law(lambda: f64, mu: f64) -> Hysteresis {
    let [b1, b2, c1] = FIG_4_7;
    Hysteresis { crease: lambda, fatigue: mu, ..Hysteresis::of_thesis(b1, b2, c1) }
}

/// Bends in so many commits to a curvature from the present rest.
fn bend(law: &Hysteresis, crease: &mut Crease, k: f64, commits: usize) {
    let (from, to) = (crease.angle, crease.rest + k * HEIGHT);
    for n in 1..=commits {
        law.commit(crease, HEIGHT, from + (to - from) * n as f64 / commits as f64);
    }
}

#[test]
fn constants_are_those_of_the_kawabata_test() {
    let [b1, b2, c1] = FIG_4_7;
    let law = law(0.0, 0.0);
    assert!((law.transition - 0.5 / 0.76).abs() < 1e-15 && law.rigidity == b2);
    assert!((2.0 * law.friction - (b1 - b2).powi(2) / (2.0 * c1.abs())).abs() < 1e-15, "2HB");
    assert!((law.friction - Thesis::m0(b1, b2, c1)).abs() < 1e-15);
    assert!((law.initial_rigidity(&law.untouched(0.3)) - b1).abs() < 1e-14);
    assert!((law.largest_rigidity() - (2.0 * b1 - b2)).abs() < 1e-14);
}

/// W fig. 4.7 (a, b): loaded, unloaded, loaded the other way and back, several times around.
#[test]
fn full_loops_follow_the_thesis_point_by_point() {
    let law = law(0.0, 0.0);
    let (mut crease, mut thesis, mut seen) = (law.untouched(0.2), Thesis::new(FIG_4_7), 0.0_f64);
    for target in [2.5, -2.5, 2.5, -2.5] {
        let from = thesis.k;
        for n in 1..=100 {
            let k = from + (target - from) * f64::from(n) / 100.0;
            thesis.bend(k);
            bend(&law, &mut crease, k, 1);
            let moment = law.moment(&crease, HEIGHT);
            assert!((moment - thesis.m).abs() < 1e-12, "at {k}: {moment} and {}", thesis.m);
            seen = seen.max((moment - law.rigidity * k).abs());
        }
        assert!((law.moment(&crease, HEIGHT) - target.signum() * (law.friction + 2.5 * law.rigidity)).abs() < 1e-12);
    }
    assert!((seen - law.friction).abs() < 1e-12, "friction was overcome");
}

/// W fig. 4.7 (c): partial cycles 0, K_a … K_g, without residual curvature; the way to each in any number of commits.
#[test]
fn partial_loops_follow_the_thesis_at_every_turn() {
    let law = law(0.0, 0.0);
    for commits in [1, 7] {
        let (mut crease, mut thesis) = (law.untouched(0.0), Thesis::new(FIG_4_7));
        for k in [0.4, 0.1, 1.6, 1.1, 2.2, 1.9, 2.05, 0.2, 0.5, -0.9, -0.4, -0.6, 2.4] {
            thesis.bend(k);
            bend(&law, &mut crease, k, commits);
            let moment = law.moment(&crease, HEIGHT);
            assert!((moment - thesis.m).abs() < 1e-11, "at {k}: {moment} and {}", thesis.m);
        }
    }
}

/// W fig. 4.7 (d): the same with λ. The rest angle moves by ξ λ K_r h̄ when bending sets in again, at the same moment.
#[test]
fn residual_curvature_is_that_of_the_thesis() {
    let law = law(LAMBDA, 0.0);
    let [b1, b2, c1] = FIG_4_7;
    for (top, low) in [(2.2, 1.4), (1.6, 1.5), (1.2, 0.6)] {
        let (mut crease, mut thesis) = (law.untouched(0.0), Thesis::new(FIG_4_7));
        thesis.bend(top);
        let turn = thesis.m;
        thesis.bend(low);
        bend(&law, &mut crease, top, 3);
        bend(&law, &mut crease, low, 3);
        assert_eq!(crease.rest, 0.0, "not before the recovery has ended");
        let xi = ((turn - thesis.m) / (2.0 * Thesis::ma(b1, b2, c1))).min(1.0);
        let shift = xi * LAMBDA * thesis.zero();
        assert!(shift > 1e-3, "the case has a residual");
        let moment = law.moment(&crease, HEIGHT);
        law.commit(&mut crease, HEIGHT, (low + 1e-12) * HEIGHT);
        assert!((crease.rest - shift * HEIGHT).abs() < 1e-9, "{} and {}", crease.rest, shift * HEIGHT);
        assert!((law.moment(&crease, HEIGHT) - moment).abs() < 1e-9, "the moment does not jump");
    }
    // Full recovery: the moment vanishes on the way down, at K_r, and ξ is W's with M = 0.
    let (mut crease, mut thesis) = (law.untouched(0.0), Thesis::new(FIG_4_7));
    thesis.bend(2.2);
    let xi = (thesis.m / (2.0 * Thesis::ma(b1, b2, c1))).min(1.0);
    thesis.bend(0.7);
    let shift = xi * LAMBDA * thesis.zero();
    bend(&law, &mut crease, 2.2, 3);
    bend(&law, &mut crease, -0.5, 1);
    assert!((crease.rest - shift * HEIGHT).abs() < 1e-12, "{} and {}", crease.rest, shift * HEIGHT);
}

#[test]
fn friction_that_was_not_overcome_leaves_nothing() {
    let law = law(0.5, 0.5);
    let mut crease = law.untouched(0.0);
    for k in [0.6, 0.0, 0.5, -0.3, 0.4, -0.6, 0.62] {
        bend(&law, &mut crease, k, 5);
    }
    assert_eq!((crease.rest, crease.fresh), (0.0, 1.0));
}

#[test]
fn a_tremor_within_a_recovery_changes_next_to_nothing() {
    let law = law(0.2, 0.1);
    let run = |tremor: f64| {
        let mut crease = law.untouched(0.0);
        bend(&law, &mut crease, 2.0, 10);
        for n in 1..=150 {
            let angle = (2.0 - 0.02 * f64::from(n)) * HEIGHT;
            law.commit(&mut crease, HEIGHT, angle);
            law.commit(&mut crease, HEIGHT, angle + tremor);
            law.commit(&mut crease, HEIGHT, angle);
        }
        crease
    };
    let (smooth, rough) = (run(0.0), run(1e-9));
    assert!(smooth.rest > 0.05 && smooth.fresh < 0.97, "{smooth:?}");
    // Parts of a recovery have the rest angle of the parts before them, so the sums differ by the order λ².
    assert!((rough.rest / smooth.rest - 1.0).abs() < 0.25, "{} and {}", rough.rest, smooth.rest);
    assert!((rough.fresh / smooth.fresh - 1.0).abs() < 0.02, "{} and {}", rough.fresh, smooth.fresh);
}

#[test]
fn moment_and_slope_are_derivatives_of_the_potential_and_turns_are_c1() {
    let law = law(0.3, 0.1);
    let (mut random, mut crease, step) = (Random(5), law.untouched(0.0), 1e-5);
    for _ in 0..300 {
        bend(&law, &mut crease, 2.0 * random.next(), 1);
        let from = curvature(&crease, HEIGHT);
        for _ in 0..5 {
            let change = 1.5 * random.next();
            let at = |d: f64| law.respond(&crease, from + change + d, change + d);
            let (here, up, down) = (at(0.0), at(step), at(-step));
            let moment = (up.potential - down.potential) / (2.0 * step);
            assert!((moment - here.moment).abs() < 1e-5, "{moment} {}", here.moment);
            let [m0, k0] = [law.friction * crease.fresh.powi(2), law.transition * crease.fresh];
            let kink = [crease.way, 2.0 * k0 - crease.way].iter().any(|l| (change.abs() - l).abs() < 2.0 * step);
            if !kink && change.abs() > 2.0 * step {
                let slope = (up.moment - down.moment) / (2.0 * step);
                assert!((slope - here.slope).abs() < 1e-4, "{slope} {}", here.slope);
            }
            assert!(here.lost.abs() <= m0 * (1.0 + 1e-12));
            assert!(here.slope >= law.rigidity && here.slope <= law.largest_rigidity() * (1.0 + 1e-9));
            let chord = [1.0, -1.0].map(|way| {
                let end = law.respond(&crease, from + way * change, way * change).moment;
                (end - law.moment(&crease, HEIGHT)) / (way * change)
            });
            let chord = chord[0].max(chord[1]);
            assert!((chord - here.chord).abs() < 1e-8 * (1.0 + 1.0 / change.abs()), "{chord} {}", here.chord);
        }
        // Both branches of a turn begin with the committed moment.
        for d in [1e-13, -1e-13] {
            let turned = law.respond(&crease, from + d, d).moment;
            assert!((turned - law.moment(&crease, HEIGHT)).abs() < 1e-11);
        }
    }
}

/// What a scheme of one iteration needs: from wherever it looks, it foresees what the law takes, on both ways. Where both are about as steep,
/// friction's part of the chord may lack an eighth of what bounds all; the chord to the guess alone lacks far more.
#[test]
fn the_quadratic_model_with_the_chord_lies_above_the_potential_but_for_an_eighth() {
    /// The rigidity of the law, what the chord's excess over it is multiplied by; counts trials in which the chord to the guess alone fails.
    fn check<L: BendingLaw>(law: &L, crease: &Crease, change: f64, [rigidity, factor]: [f64; 2], fails: &mut usize) {
        let from = curvature(crease, HEIGHT);
        let at = |change: f64| law.respond(crease, from + change, change);
        let here = at(change);
        let model = |chord: f64, there: f64| {
            let way = there - change;
            here.potential + here.moment * way + 0.5 * (rigidity + factor * (chord - rigidity)) * way * way
        };
        let forward = (here.moment - at(0.0).moment) / change;
        let mut failed = false;
        for n in -60..=60 {
            let there = 0.05 * f64::from(n);
            let potential = at(there).potential;
            let excess = potential - model(here.chord, there);
            assert!(excess < 1e-12, "{excess} at {there}, seen from {change}: {crease:?}");
            failed |= potential - model(forward, there) > 1e-3;
        }
        *fails += usize::from(failed);
    }
    let (law, plastic) = (law(0.3, 0.0), Plasticity { rigidity: 1.2, yields: 0.3 });
    let (mut random, mut fails) = (Random(11), [0; 2]);
    let (mut bent, mut yielded) = (law.untouched(0.0), plastic.untouched(0.0));
    for _ in 0..3000 {
        bend(&law, &mut bent, 2.0 * random.next(), 1);
        let angle = 2.0 * random.next() * HEIGHT;
        plastic.commit(&mut yielded, HEIGHT, angle);
        let change = 1.5 * random.next();
        check(&law, &bent, change, [law.rigidity, 8.0 / 7.0], &mut fails[0]);
        check(&plastic, &yielded, change, [0.0, 1.0], &mut fails[1]);
    }
    assert_eq!(bent.fresh, 1.0);
    assert!(fails.iter().all(|&times| times > 300), "the chord to the guess alone fails {fails:?} times");
}

#[test]
fn memories_stay_between_the_full_branches() {
    let law = law(0.4, 0.05);
    let (mut random, mut crease) = (Random(9), law.untouched(0.1));
    for _ in 0..20_000 {
        let angle = crease.angle + 0.8 * random.next() * random.next() * HEIGHT;
        law.commit(&mut crease, HEIGHT, angle.clamp(-3.0, 3.0));
        let [m0, k0] = [law.friction * crease.fresh.powi(2), law.transition * crease.fresh];
        if m0 < 1e-9 {
            crease = law.untouched(crease.angle);
            continue;
        }
        let (k, f) = (crease.way / k0, crease.friction / m0);
        assert!(k * k / 2.0 <= 1.0 + f + 1e-9 && (2.0 - k).powi(2) / 2.0 <= 1.0 - f + 1e-9, "{k} {f}");
    }
}

/// Curvature by which a hinge is let go at a time [1/m]: it ends beyond zero moment by no more, which hardly counts.
const LET_GO: f64 = 1e-5;

/// W fig. 4.14 with its constants: stiffness falls to b₂, the coercive couple from 0.41 to zero, the residual angle grows by
/// less and less.
#[test]
fn repeated_bending_wears_friction_off_and_the_residual_settles() {
    let (b1, b2) = (5.20, 2.51);
    let law = Hysteresis { crease: 0.15, fatigue: 0.1, ..Hysteresis::of_thesis(b1, b2, -4.45) };
    let mut crease = law.untouched(0.0);
    assert!((law.friction - 0.41).abs() < 0.005, "{}", law.friction);
    let (mut rests, mut stiffnesses) = (vec![0.0], vec![law.initial_rigidity(&crease)]);
    for _ in 0..150 {
        // Far enough for a whole recovery (ξ = 1), then let go until the moment vanishes.
        let top = crease.rest + 1.2 * HEIGHT;
        law.commit(&mut crease, HEIGHT, top);
        while law.moment(&crease, HEIGHT) > 0.0 {
            let angle = crease.angle - LET_GO * HEIGHT;
            law.commit(&mut crease, HEIGHT, angle);
        }
        rests.push(crease.rest);
        stiffnesses.push(law.initial_rigidity(&crease));
    }
    assert!(stiffnesses.windows(2).all(|w| w[1] < w[0] && w[1] > b2), "{stiffnesses:?}");
    assert!((stiffnesses[0] - b1).abs() < 1e-12 && stiffnesses[150] - b2 < 0.01 * (b1 - b2));
    // 4.12 with ξ = 1, cycle by cycle.
    for (n, b) in stiffnesses.iter().enumerate() {
        let exact = b2 + (1.0_f64 - 0.1).powf(0.5 * n as f64) * (b1 - b2);
        assert!((b - exact).abs() < 1e-3 * (b1 - b2), "{n}: {b} and {exact}");
    }
    let steps: Vec<f64> = rests.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(steps.windows(2).all(|w| w[1] < w[0] && w[1] >= 0.0), "{steps:?}");
    assert!(steps[149] < 1e-4 * steps[0] && rests[150] > 5.0 * steps[0]);
}

#[test]
fn area_of_a_loop_is_what_friction_takes() {
    let law = law(0.0, 0.0);
    let (mut crease, top) = (law.untouched(0.0), 2.5);
    bend(&law, &mut crease, top, 50);
    let mut work = 0.0;
    for target in [-top, top] {
        let from = curvature(&crease, HEIGHT);
        for n in 1..=500 {
            let before = (curvature(&crease, HEIGHT), law.moment(&crease, HEIGHT));
            bend(&law, &mut crease, from + (target - from) * f64::from(n) / 500.0, 1);
            let after = (curvature(&crease, HEIGHT), law.moment(&crease, HEIGHT));
            work += 0.5 * (before.1 + after.1) * (after.0 - before.0);
        }
    }
    let exact = 4.0 * law.friction * (top - 2.0 * law.transition / 3.0);
    assert!((work / exact - 1.0).abs() < 1e-5, "{work} and {exact}");
}

#[test]
fn plasticity_yields_at_its_curvature_and_keeps_the_excess() {
    let law = Plasticity { rigidity: 2.0, yields: 0.5 };
    let mut crease = law.untouched(0.1);
    law.commit(&mut crease, HEIGHT, 0.1 + 0.4 * HEIGHT);
    assert_eq!(crease.rest, 0.1, "below the yield curvature nothing stays");
    law.commit(&mut crease, HEIGHT, 0.1 + 1.5 * HEIGHT);
    assert!((crease.rest - (0.1 + 1.0 * HEIGHT)).abs() < 1e-15);
    let there = curvature(&crease, HEIGHT);
    let (on, back) = (law.respond(&crease, there + 0.3, 0.3), law.respond(&crease, there - 0.3, -0.3));
    assert_eq!((on.moment, on.slope), (1.0, 0.0));
    assert!((on.potential - (0.25 + 1.0 * 0.3)).abs() < 1e-12 && (on.lost - 1.0).abs() < 1e-12);
    assert!((back.moment - 0.4).abs() < 1e-12 && back.lost == 0.0 && back.slope == 2.0);
}
