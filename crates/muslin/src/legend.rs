//! Where the legend of a plot stands: in the corner with the least drawn in it.

/// Samples of each piece of a line.
const SAMPLES: usize = 8;

/// The corner of a frame (left, top, right, bottom) in which a box of some size covers least of some lines; its upper left
/// corner, all in pixels. Of equals the first of: right above, left above, right below, left below.
pub fn quiet_corner(frame: [f64; 4], [width, height]: [f64; 2], lines: &[Vec<[f64; 2]>]) -> [f64; 2] {
    let [left, top, right, bottom] = frame;
    let corners = [[right - width, top], [left, top], [right - width, bottom - height], [left, bottom - height]];
    let covered = |[x, y]: [f64; 2]| {
        let inside = |p: [f64; 2]| p[0] >= x && p[0] <= x + width && p[1] >= y && p[1] <= y + height;
        let of_piece = |a: [f64; 2], b: [f64; 2]| {
            let at = |k: usize| k as f64 / SAMPLES as f64;
            (0..SAMPLES).filter(|&k| inside([0, 1].map(|axis| a[axis] + at(k) * (b[axis] - a[axis])))).count()
        };
        let of_line = |line: &Vec<[f64; 2]>| match &line[..] {
            [only] => SAMPLES * usize::from(inside(*only)),
            more => more.windows(2).map(|pair| of_piece(pair[0], pair[1])).sum(),
        };
        lines.iter().map(of_line).sum::<usize>()
    };
    let counts = corners.map(covered);
    let least = counts.iter().min().copied().unwrap_or(0);
    corners[counts.iter().position(|&count| count == least).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [f64; 4] = [0.0, 0.0, 100.0, 100.0];

    #[test]
    fn a_legend_goes_where_no_line_does() {
        // Pixels count downwards: this line rises from the lower left to the upper right.
        let rising = vec![vec![[0.0, 100.0], [100.0, 0.0]]];
        assert_eq!(quiet_corner(FRAME, [40.0, 30.0], &rising), [0.0, 0.0]);
        let falling = vec![vec![[0.0, 0.0], [100.0, 100.0]]];
        assert_eq!(quiet_corner(FRAME, [40.0, 30.0], &falling), [60.0, 0.0]);
        let above = vec![vec![[0.0, 10.0], [100.0, 10.0]], vec![[90.0, 90.0]]];
        assert_eq!(quiet_corner(FRAME, [40.0, 30.0], &above), [0.0, 70.0]);
        assert_eq!(quiet_corner(FRAME, [40.0, 30.0], &[]), [60.0, 0.0]);
    }
}
