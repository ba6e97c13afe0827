//! What a fabric of the library may state.

/// A quantity of a fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its key.
    pub key: &'static str,
    /// SI unit.
    pub unit: &'static str,
    /// Smallest and largest plausible value for cloth.
    pub range: [f64; 2],
    /// Whether every fabric states it.
    pub need: Need,
    /// What it is.
    pub doc: &'static str,
}

/// Whether a quantity may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Every fabric states it.
    Always,
    /// Only where somebody measured it.
    WhereKnown,
}

const fn always(key: &'static str, unit: &'static str, range: [f64; 2], doc: &'static str) -> Quantity {
    Quantity { key, unit, range, need: Need::Always, doc }
}

const fn known(key: &'static str, unit: &'static str, range: [f64; 2], doc: &'static str) -> Quantity {
    Quantity { key, unit, range, need: Need::WhereKnown, doc }
}

/// All quantities, in the order of listings. The ranges are those of cloth, from voile to leather, with room; they catch a
/// number in another unit.
#[rustfmt::skip] // one line per quantity, as the table it is
pub const QUANTITIES: &[Quantity] = &[
    always("area_density", "kg/m²", [0.01, 2.0], "mass per area"),
    always("thickness", "m", [5e-5, 5e-3], "distance at which two mid-surfaces begin to repel"),
    always("stretch_warp", "N/m", [1.0, 1e6], "stiffness along the warp"),
    always("stretch_weft", "N/m", [1.0, 1e6], "stiffness along the weft"),
    always("shear", "N/m", [0.5, 1e5], "shear force per width and unit of shear angle"),
    always("poisson", "-", [0.0, 0.95], "Poisson's ratio, the geometric mean of the two directions'"),
    always("bend_warp", "N·m", [5e-8, 1e-2], "bending rigidity along the warp"),
    always("bend_weft", "N·m", [5e-8, 1e-2], "bending rigidity along the weft"),
    always("bend_bias", "N·m", [5e-8, 1e-2], "bending rigidity at 45°"),
    always("bend_poisson", "-", [0.0, 0.95], "Poisson's ratio of bending"),
    always("damping_warp", "N·s/m", [0.0, 100.0], "viscosity of stretch along the warp"),
    always("damping_weft", "N·s/m", [0.0, 100.0], "viscosity of stretch along the weft"),
    always("damping_shear", "N·s/m", [0.0, 100.0], "viscosity of shear"),
    always("damping_bend", "N·m·s", [0.0, 1e-3], "viscosity of bending"),
    always("friction", "-", [0.05, 2.0], "coefficient of friction on smooth things, for the slip test"),
    known("friction_static", "-", [0.05, 2.0], "coefficient of friction at rest, where it was told apart from that of sliding; at least `friction`"),
    known("bend_hysteresis", "N", [1e-6, 1e-1], "width of the bending loop, Kawabata's 2HB"),
    known("shear_hysteresis", "N/m", [1e-3, 1e2], "width of the shear loop, Kawabata's 2HG"),
];

/// A quantity by its key.
pub fn quantity(key: &str) -> Option<&'static Quantity> {
    QUANTITIES.iter().find(|q| q.key == key)
}
