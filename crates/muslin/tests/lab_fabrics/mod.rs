//! Fabrics for the tests of the laboratory.

use muslin::io::fabrics::{Fabric, find};

/// A fabric of the library.
pub fn fabric(name: &str) -> Fabric {
    find(name).unwrap_or_else(|| panic!("{name}")).clone()
}

/// A fabric with other numbers.
pub fn changed(name: &str, values: &[(&str, f64)]) -> Fabric {
    let mut fabric = fabric(name);
    for (key, value) in values {
        fabric.values.iter_mut().find(|v| v.quantity.key == *key).expect("a quantity").value = *value;
    }
    fabric
}
