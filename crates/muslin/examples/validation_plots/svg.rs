//! A small plot as an SVG file: two axes, curves and points.

use muslin::legend::quiet_corner;
use std::fmt::Write;

/// Outer size and the frame of the axes inside it [px].
const SIZE: [f64; 2] = [520.0, 340.0];
const LEFT: f64 = 62.0;
const RIGHT: f64 = 505.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 290.0;

/// A line of the legend, and how wide it is beside its letters [px].
const LINE: f64 = 17.0;
const SQUARE: f64 = 22.0;
const LETTER: f64 = 6.4;

/// Marks along each axis.
const TICKS: usize = 5;

/// How data is drawn.
#[derive(Clone, Copy)]
pub enum Mark {
    /// A line through the points.
    Curve,
    /// A dot at each point.
    Dots,
}

/// A plot in the making.
pub struct Plot {
    body: String,
    x: [f64; 2],
    y: [f64; 2],
    /// All that was drawn [px].
    lines: Vec<Vec<[f64; 2]>>,
    /// Colours and names.
    legend: Vec<[String; 2]>,
}

impl Plot {
    /// Empty axes over ranges of x and y, with their names.
    pub fn new(x: (&str, [f64; 2]), y: (&str, [f64; 2])) -> Self {
        let mut plot = Plot { body: String::new(), x: x.1, y: y.1, lines: Vec::new(), legend: Vec::new() };
        let frame = format!("M{LEFT},{TOP}V{BOTTOM}H{RIGHT}");
        plot.push(format!("<path d=\"{frame}\" fill=\"none\" stroke=\"#444\"/>"));
        for i in 0..=TICKS {
            let part = i as f64 / TICKS as f64;
            let (vx, vy) = (x.1[0] + part * (x.1[1] - x.1[0]), y.1[0] + part * (y.1[1] - y.1[0]));
            let [px, py] = plot.place([vx, vy]);
            plot.text([px, BOTTOM + 17.0], "middle", &format!("{:.4}", vx).parse::<f64>().unwrap_or(vx).to_string());
            plot.text([LEFT - 6.0, py + 4.0], "end", &format!("{:.4}", vy).parse::<f64>().unwrap_or(vy).to_string());
        }
        plot.text([0.5 * (LEFT + RIGHT), BOTTOM + 38.0], "middle", x.0);
        plot.push(format!("<g transform=\"rotate(-90 14 {0})\">", 0.5 * (TOP + BOTTOM)));
        plot.text([14.0, 0.5 * (TOP + BOTTOM)], "middle", y.0);
        plot.push("</g>".into());
        plot
    }

    /// Adds data with its colour and, unless empty, a name for the legend.
    pub fn add(&mut self, mark: Mark, colour: &str, name: &str, points: &[[f64; 2]]) {
        let places: Vec<[f64; 2]> = points.iter().map(|&p| self.place(p)).collect();
        match mark {
            Mark::Curve => {
                let path: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
                let path = path.join(" ");
                self.push(format!(
                    "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" clip-path=\"url(#frame)\"/>"
                ));
                self.lines.push(places);
            }
            Mark::Dots => places.iter().for_each(|[x, y]| {
                self.push(format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\"/>"));
                self.lines.push(vec![[*x, *y]]);
            }),
        }
        if !name.is_empty() {
            self.legend.push([colour.into(), name.into()]);
        }
    }

    /// The whole file.
    pub fn finish(mut self) -> String {
        let legend = std::mem::take(&mut self.legend);
        let longest = legend.iter().map(|[_, name]| name.chars().count()).max().unwrap_or(0);
        let size = [SQUARE + LETTER * longest as f64, LINE * legend.len() as f64];
        let [x, y] = quiet_corner([LEFT + 8.0, TOP, RIGHT, BOTTOM - 6.0], size, &self.lines);
        for (k, [colour, name]) in legend.iter().enumerate() {
            let y = y + 10.0 + LINE * k as f64;
            self.push(format!("<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>", y - 9.0));
            self.text([x + 16.0, y], "start", name);
        }
        let [w, h] = SIZE;
        let style = "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\"";
        let back = format!(
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<clipPath id=\"frame\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>",
            RIGHT - LEFT,
            BOTTOM - TOP
        );
        let open = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" {style}>"
        );
        format!("{open}\n{back}\n{}</svg>\n", self.body)
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let part = |v: f64, range: [f64; 2]| (v - range[0]) / (range[1] - range[0]);
        [LEFT + (RIGHT - LEFT) * part(x, self.x), BOTTOM + (TOP - BOTTOM) * part(y, self.y)]
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        self.push(format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"));
    }

    fn push(&mut self, line: String) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.body, "{line}");
    }
}
