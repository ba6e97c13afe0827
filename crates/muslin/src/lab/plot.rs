//! A small plot as SVG inside a page: two axes, curves and dots.

use crate::legend::quiet_corner;
use std::fmt::Write;

/// Outer size and the frame of the axes inside it [px].
const SIZE: [f64; 2] = [440.0, 300.0];
const LEFT: f64 = 66.0;
const RIGHT: f64 = 420.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 252.0;
/// A line of the legend, and how wide it is beside its letters [px].
const LINE: f64 = 16.0;
const SQUARE: f64 = 18.0;
const LETTER: f64 = 6.4;
/// Marks along each axis, at least and about.
const TICKS: f64 = 4.0;

/// How data is drawn.
#[derive(Clone, Copy)]
pub enum Mark {
    /// A line through the points.
    Curve,
    /// A dot at each point.
    Dots,
}

/// Data with its colour and its name.
pub struct Series {
    /// How it is drawn.
    pub mark: Mark,
    /// A colour of CSS.
    pub colour: &'static str,
    /// Its name; empty for none.
    pub name: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// Draws series over axes that hold all of them.
pub fn plot(x_name: &str, y_name: &str, series: &[Series]) -> String {
    let bounds = |axis: usize| {
        let values = || series.iter().flat_map(|s| &s.points).map(move |p| p[axis]).filter(|v| v.is_finite());
        let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        if high > low { [low, high] } else { [0.0, 1.0] }
    };
    let (x, y) = (bounds(0), bounds(1));
    let place = |p: [f64; 2]| {
        let part = |v: f64, [low, high]: [f64; 2]| (v - low) / (high - low);
        [LEFT + (RIGHT - LEFT) * part(p[0], x), BOTTOM + (TOP - BOTTOM) * part(p[1], y)]
    };
    let [w, h] = SIZE;
    let mut svg = format!("<svg viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n");
    // Writing into a string cannot fail.
    let _ = writeln!(svg, "<path d=\"M{LEFT},{TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"currentColor\"/>");
    for value in marks(x) {
        let (px, y) = (place([value, 0.0])[0], BOTTOM + 17.0);
        let _ = writeln!(svg, "<path d=\"M{px:.1},{BOTTOM}v4\" stroke=\"currentColor\"/>");
        let _ = writeln!(svg, "<text x=\"{px:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", figure(value, x));
    }
    for value in marks(y) {
        let (px, py) = (LEFT - 6.0, place([0.0, value])[1]);
        let _ = writeln!(svg, "<path d=\"M{LEFT},{py:.1}h-4\" stroke=\"currentColor\"/>");
        let _ = writeln!(svg, "<text x=\"{px}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", py + 4.0, figure(value, y));
    }
    let middle = 0.5 * (TOP + BOTTOM);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x_name}</text>",
        0.5 * (LEFT + RIGHT),
        BOTTOM + 38.0
    );
    let _ = writeln!(
        svg,
        "<text transform=\"rotate(-90 14 {middle})\" x=\"14\" y=\"{middle}\" text-anchor=\"middle\">{y_name}</text>"
    );
    let mut lines: Vec<Vec<[f64; 2]>> = Vec::new();
    for s in series {
        let places: Vec<[f64; 2]> = s.points.iter().map(|&p| place(p)).collect();
        match s.mark {
            Mark::Curve => {
                let path: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
                    path.join(" "),
                    s.colour
                );
                lines.push(places);
            }
            Mark::Dots => {
                for [x, y] in places {
                    let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>", s.colour);
                    lines.push(vec![[x, y]]);
                }
            }
        }
    }
    let named: Vec<&Series> = series.iter().filter(|s| !s.name.is_empty()).collect();
    let longest = named.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
    let size = [SQUARE + LETTER * longest as f64, LINE * named.len() as f64];
    let [x, y] = quiet_corner([LEFT + 10.0, TOP, RIGHT, BOTTOM - 6.0], size, &lines);
    for (k, s) in named.into_iter().enumerate() {
        let y = y + 10.0 + LINE * k as f64;
        let square = format!("x=\"{x}\" y=\"{}\" width=\"9\" height=\"9\"", y - 8.0);
        let _ = writeln!(svg, "<rect {square} fill=\"{}\"/>", s.colour);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 14.0, s.name);
    }
    svg + "</svg>\n"
}

/// Marks of an axis: multiples of 1, 2 or 5 times a power of ten within its range.
fn marks([low, high]: [f64; 2]) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let spacing = [5.0, 2.0, 1.0].map(|part| part * power).into_iter().find(|s| *s <= rough * 1.0001).unwrap_or(power);
    let (first, last) = ((low / spacing - 1e-6).ceil() as i64, (high / spacing + 1e-6).floor() as i64);
    (first..=last).map(|k| k as f64 * spacing).collect()
}

/// A mark of an axis, to a thousandth of its range.
fn figure(value: f64, [low, high]: [f64; 2]) -> String {
    let range = high - low;
    match value.abs() {
        size if size < 1e-3 * range => "0".into(),
        size if !(1e-2..1e4).contains(&size) => format!("{value:.1e}"),
        _ => {
            let digits = (2.0 - range.log10().floor()).clamp(0.0, 4.0) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_within_the_axis() {
        assert_eq!(marks([-8.0, 8.0]), [-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        for (range, expected) in [([0.0, 387.0], 8), ([0.0, 0.165], 9), ([-4.9e-3, 4.9e-3], 5), ([-250.0, 250.0], 6)] {
            let found = marks(range);
            assert!(found.len() >= 4 && found.len() <= expected, "{found:?}");
            assert!(found.iter().all(|v| (range[0] - 1e-9..=range[1] + 1e-9).contains(v)), "{found:?}");
            assert!(found.contains(&0.0));
        }
    }
}
