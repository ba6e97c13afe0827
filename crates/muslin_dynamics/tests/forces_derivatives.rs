//! Every internal force on random deformed irregular sheets: derivatives, momentum, invariance, damping.

mod common;

use common::sheet::Case;
use muslin_dynamics::forces::{
    AngularSprings, AngularStiffness, BaraffWitkin, Conditions, Curvature, Force, GridDamping, GridOptions,
    GridStiffness, HingeLaw, Hinges, Hysteresis, Layout, Membrane, Plasticity, Rate, RememberingHinges, Resistance,
    RestShape, ShearFriction, Springs,
};
use muslin_model::Model;

type Built = Box<dyn Force>;

damped_claims!(
    membrane,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| Box::new(Membrane::new(m, f, l)) as Built)
);
damped_claims!(
    curvature,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| Box::new(Curvature::new(m, f, l)) as Built)
);
damped_claims!(
    edge_springs,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(Springs::on_edges(m, f, Resistance::Both, l)) as Built
    })
);
damped_claims!(
    hinge_springs,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| { Box::new(Springs::across_hinges(m, f, l)) as Built })
);
damped_claims!(
    baraff_witkin,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(BaraffWitkin::new(m, f, Conditions::default(), l)) as Built
    })
);
damped_claims!(
    baraff_witkin_as_printed,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(BaraffWitkin::new(m, f, Conditions { area_exponent: 0.75, rest: [0.9, 0.95] }, l)) as Built
    })
);
damped_claims!(
    baraff_witkin_bend,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| { Box::new(Hinges::new(m, f, HingeLaw::Angle, l)) as Built })
);
damped_claims!(
    bending_modes,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(Hinges::new(m, f, HingeLaw::HalfSine, l)) as Built
    })
);

const FROM_FABRIC: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Material };
const CRITICAL: GridOptions = GridOptions { stiffness: GridStiffness::Material, damping: GridDamping::Critical };

damped_claims!(
    grid_springs,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(Springs::on_grid(m, f, FROM_FABRIC, l).expect("a grid")) as Built
    })
);
damped_claims!(
    grid_flexion,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(Springs::grid_flexion(m, f, CRITICAL, l).expect("a grid")) as Built
    })
);
elastic_claims!(
    angular_springs,
    Case::straight(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(AngularSprings::new(m, f, AngularStiffness::Material, l).expect("a grid")) as Built
    })
);
elastic_claims!(
    angular_springs_with_one_constant,
    Case::straight(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(AngularSprings::new(m, f, AngularStiffness::Given(0.01), l).expect("a grid")) as Built
    })
);
damped_claims!(
    tension_only_springs,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(Springs::on_edges(m, f, Resistance::TensionOnly, l)) as Built
    })
);

/// Hinges of a fabric whose friction builds up over so large a curvature that no difference meets the end of a branch.
fn wide(m: &Model, f: &[u32], l: &Layout) -> Built {
    let mut model = m.clone();
    for material in &mut model.materials {
        (material.bend_transition, material.bend_hysteresis) = (1e3, 0.5);
    }
    Box::new(RememberingHinges::<Hysteresis>::new(&model, f, RestShape::Flat, Rate::OfScheme, l))
}

/// Yarns whose friction builds up over so large a shear that no difference meets the end of a branch.
fn wide_shear(m: &Model, f: &[u32], l: &Layout) -> Built {
    let mut model = m.clone();
    for material in &mut model.materials {
        (material.shear_transition, material.shear_hysteresis) = (1e3, 4e3);
    }
    Box::new(ShearFriction::new(&model, f, l))
}

claims!(wide_shear_friction, Case::irregular(&wide_shear), hessian_is_the_slope_of_the_gradient);
claims!(
    shear_friction,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| Box::new(ShearFriction::new(m, f, l)) as Built),
    momentum_is_conserved,
    rigid_motion_changes_nothing,
    numbering_and_domains_do_not_matter,
    threads_do_not_change_a_bit
);
claims!(wide_hysteresis, Case::irregular(&wide), hessian_is_the_slope_of_the_gradient);
claims!(
    hysteresis,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(RememberingHinges::<Hysteresis>::new(m, f, RestShape::Flat, Rate::OfScheme, l)) as Built
    }),
    momentum_is_conserved,
    rigid_motion_changes_nothing,
    numbering_and_domains_do_not_matter,
    threads_do_not_change_a_bit
);
claims!(
    plasticity,
    Case::irregular(&|m: &Model, f: &[u32], l: &Layout| {
        Box::new(RememberingHinges::<Plasticity>::new(m, f, RestShape::Start, Rate::OfScheme, l)) as Built
    }),
    momentum_is_conserved,
    rigid_motion_changes_nothing
);
