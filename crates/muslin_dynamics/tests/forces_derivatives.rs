//! Every internal force on random deformed irregular sheets: derivatives, momentum, invariance, damping.

mod common;

use muslin_dynamics::forces::{
    BaraffWitkin, Conditions, Curvature, Force, HingeLaw, Hinges, Layout, Membrane, Resistance, Springs,
};
use muslin_model::Model;

type Built = Box<dyn Force>;

internal_force_tests!(membrane, |m: &Model, f: &[u32], l: &Layout| Box::new(Membrane::new(m, f, l)) as Built);
internal_force_tests!(curvature, |m: &Model, f: &[u32], l: &Layout| Box::new(Curvature::new(m, f, l)) as Built);
internal_force_tests!(edge_springs, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(Springs::on_edges(m, f, Resistance::Both, l)) as Built
});
internal_force_tests!(hinge_springs, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(Springs::across_hinges(m, f, l)) as Built
});
internal_force_tests!(baraff_witkin, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(BaraffWitkin::new(m, f, Conditions::default(), l)) as Built
});
internal_force_tests!(baraff_witkin_as_printed, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(BaraffWitkin::new(m, f, Conditions { area_exponent: 0.75, rest: [0.9, 0.95] }, l)) as Built
});
internal_force_tests!(baraff_witkin_bend, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(Hinges::new(m, f, HingeLaw::Angle, l)) as Built
});
internal_force_tests!(bending_modes, |m: &Model, f: &[u32], l: &Layout| {
    Box::new(Hinges::new(m, f, HingeLaw::HalfSine, l)) as Built
});
