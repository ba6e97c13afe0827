//! Names for places on a rectangular cloth, so that a scene can pin `top-left` at any resolution.
//!
//! `left` and `right` are the ends along the grid's first direction (x), `bottom` and `top` along its second
//! (y, or z when the cloth is hung upright).

/// Every place name, in the order of listings.
pub const GRID_PLACES: [&str; 11] = [
    "left",
    "right",
    "bottom",
    "top",
    "bottom-left",
    "bottom-right",
    "top-left",
    "top-right",
    "corners",
    "outline",
    "centre",
];

/// The vertices of a named place on a grid of `nx` × `ny` vertices (vertex `i·ny + j` is the i-th along x
/// and the j-th along y), ascending; `None` for an unknown name.
pub fn grid_place(name: &str, nx: usize, ny: usize) -> Option<Vec<u32>> {
    let (left, bottom) = (|i, _| i == 0, |_, j| j == 0);
    let (right, top) = (move |i, _| i + 1 == nx, move |_, j| j + 1 == ny);
    let inside: Box<dyn Fn(usize, usize) -> bool> = match name {
        "left" => Box::new(left),
        "right" => Box::new(right),
        "bottom" => Box::new(bottom),
        "top" => Box::new(top),
        "bottom-left" => Box::new(move |i, j| bottom(i, j) && left(i, j)),
        "bottom-right" => Box::new(move |i, j| bottom(i, j) && right(i, j)),
        "top-left" => Box::new(move |i, j| top(i, j) && left(i, j)),
        "top-right" => Box::new(move |i, j| top(i, j) && right(i, j)),
        "corners" => Box::new(move |i, j| (left(i, j) || right(i, j)) && (bottom(i, j) || top(i, j))),
        "outline" => Box::new(move |i, j| left(i, j) || right(i, j) || bottom(i, j) || top(i, j)),
        // The lower middle where the number of vertices is even.
        "centre" => Box::new(move |i, j| i == (nx.max(1) - 1) / 2 && j == (ny.max(1) - 1) / 2),
        _ => return None,
    };
    let vertices = (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
    Some(vertices.filter(|&(i, j)| inside(i, j)).map(|(i, j)| (i * ny + j) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_the_vertices_counted_by_hand_on_a_4_by_3_grid() {
        // Columns along y: 0 1 2 | 3 4 5 | 6 7 8 | 9 10 11.
        let expected: [(&str, &[u32]); 11] = [
            ("left", &[0, 1, 2]),
            ("right", &[9, 10, 11]),
            ("bottom", &[0, 3, 6, 9]),
            ("top", &[2, 5, 8, 11]),
            ("bottom-left", &[0]),
            ("bottom-right", &[9]),
            ("top-left", &[2]),
            ("top-right", &[11]),
            ("corners", &[0, 2, 9, 11]),
            ("outline", &[0, 1, 2, 3, 5, 6, 8, 9, 10, 11]),
            ("centre", &[4]),
        ];
        for ((name, vertices), listed) in expected.into_iter().zip(GRID_PLACES) {
            assert_eq!(name, listed);
            assert_eq!(grid_place(name, 4, 3).as_deref(), Some(vertices), "{name}");
        }
        assert_eq!(grid_place("middle", 4, 3), None);
    }
}
