//! The loop of a fabric that is bent and let go: how steeply it begins.

use crate::scene_file::reader::Reader;
use muslin_model::{Field, LARGEST_RIGIDITY, Material};

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
