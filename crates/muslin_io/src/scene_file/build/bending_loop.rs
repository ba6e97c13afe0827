//! The loop of a fabric that is bent and let go: how wide it is, and how steeply it begins.

use crate::scene_file::reader::Reader;
use muslin_model::{Field, LARGEST_RIGIDITY, Material};

/// Kawabata's unit of 2HB, a gram force times a centimetre over a centimetre [N].
const GRAM_FORCE_CM_PER_CM: f64 = 9.80665e-3;

/// Width of a loop beyond which its unit is doubted [N]. The widest that was published of a cloth is some 0.02 N, the
/// widest of W's 0.024 N; a number in Kawabata's unit is a hundred times too large.
const DOUBTFUL_WIDTH: f64 = 0.05;

/// The transition curvature K₀ = 2HB/(b₁ − B) that belongs to a rigidity of first bends, b₁ [N·m].
pub fn set_initial_rigidity(table: &Reader<'_>, material: &mut Material, initial: f64) {
    let path = table.path_of("bend_initial");
    if table.has("bend_transition") {
        let message = format!("`{path}` and `bend_transition` say the same thing twice");
        table.fault(table.place("bend_initial"), message).help("leave one of them out");
        return;
    }
    let fields = (&material.bend_warp, &material.bend_weft, &material.bend_hysteresis);
    let (Field::Uniform(warp), Field::Uniform(weft), Field::Uniform(width)) = fields else {
        let message = format!("`{path}` needs one rigidity and one `bend_hysteresis` for the whole cloth");
        table.fault(table.place("bend_initial"), message).help("give `bend_transition` instead, which may vary");
        return;
    };
    let rigidity = 0.5 * (warp + weft);
    if !(initial > rigidity) {
        let message = format!(
            "`{path}` must be greater than the mean of `bend_warp` and `bend_weft`, {rigidity:.3e} [N·m], found {initial:e}"
        );
        let reason = "friction inside the fabric only adds to its rigidity; the loop would turn the wrong way round";
        table.fault(table.place("bend_initial"), message).help(reason);
        return;
    }
    // Without friction any transition will do.
    if *width > 0.0 {
        material.bend_transition = Field::Uniform(width / (initial - rigidity));
    }
}

/// The rigidity of a first bend is bounded as those that are given; arrays are checked when the model is built.
pub fn refuse_steep(table: &Reader<'_>, material: &Material) {
    let keys = ["bend_hysteresis", "bend_transition", "bend_warp", "bend_weft"];
    // What a base has alone was refused there.
    let Some(key) = keys.into_iter().find(|key| table.has(key)) else { return };
    let fields = (&material.bend_warp, &material.bend_weft, &material.bend_hysteresis, &material.bend_transition);
    let (Field::Uniform(warp), Field::Uniform(weft), Field::Uniform(width), Field::Uniform(transition)) = fields else {
        return;
    };
    let initial = 0.5 * (warp + weft) + width / transition;
    // The same slack as the model's.
    if initial > LARGEST_RIGIDITY * (1.0 + 1e-12) {
        let path = table.path_of("");
        let message = format!(
            "b1 = (bend_warp + bend_weft)/2 + bend_hysteresis/bend_transition of `{}` must be at most {LARGEST_RIGIDITY:e} [N·m], found {initial:.3e}",
            path.trim_end_matches('.')
        );
        table.fault(table.place(key), message).help(
            "lower `bend_hysteresis` or raise `bend_transition`: over that curvature [1/m] friction builds up to half of that moment [N]",
        );
    }
}

/// Says that a loop is as wide as none that was measured; it may still be meant.
pub fn doubt_width(table: &Reader<'_>, material: &Material) {
    let widest = material.bend_hysteresis.values().iter().copied().fold(0.0, f64::max);
    if !table.has("bend_hysteresis") || widest <= DOUBTFUL_WIDTH {
        return;
    }
    table.note(format!(
        "`{}` is {widest} N, and no cloth whose 2HB was published has more than some 0.02 N; Kawabata's 2HB is printed in \
         gf·cm/cm, and 1 gf·cm/cm is {GRAM_FORCE_CM_PER_CM:e} N: if it is in that unit, give {:.3e}",
        table.path_of("bend_hysteresis"),
        widest * GRAM_FORCE_CM_PER_CM,
    ));
}
