//! The report of a fabric as one page that needs nothing else.

use super::{
    LabReport,
    drape::RADII,
    plot::{Mark, Series, plot},
};
use muslin_io::fabrics::Fabric;
use std::{f64::consts::TAU, fmt::Write};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse}td,th{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:top}\
td:nth-child(-n+2){white-space:nowrap}\
svg{font:12px sans-serif;fill:currentColor;max-width:100%}figure{display:inline-block;margin:0 1rem 1rem 0}\
figcaption{max-width:27rem;font-size:13px}.no{color:#a33}@media(prefers-color-scheme:dark){body{color:#ddd;background:#191919}}";

/// Colours of the directions 0°, 45°, 90°.
const COLOURS: [&str; 3] = ["#c0392b", "#2e86c1", "#27ae60"];
/// Colour of measured loops, which stand for warp and weft: that of the text.
const MEASURED: &str = "currentColor";

/// The page.
pub fn page(fabric: &Fabric, report: &LabReport) -> String {
    let mut text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0}: laboratory</title><style>{STYLE}</style><h1>{0}</h1><p>{1}</p>\n",
        escaped(&fabric.name),
        escaped(&fabric.description)
    );
    readings(&mut text, report);
    figures(&mut text, fabric, report);
    origins(&mut text, fabric);
    text + "</html>\n"
}

fn readings(text: &mut String, r: &LabReport) {
    text.push_str("<h2>Readings</h2><table>\n");
    let mut row = |name: &str, value: String, beside: String| {
        let _ = writeln!(text, "<tr><td>{name}<td>{value}<td>{beside}");
    };
    for t in &r.tension {
        row(
            &format!("stretch at {}°", t.direction_degrees),
            format!("{:.1} N/m", t.stiffness),
            format!("the law differs by at most {:.2} % along the curve", 100.0 * t.worst_deviation),
        );
    }
    let measured =
        |value: Option<f64>, unit: &str| value.map_or(String::new(), |v| format!("measured: {v:.3e} {unit}"));
    row(
        "shear G",
        format!("{:.2} N/m per rad", r.shear_stiffness),
        format!("yarns of constant length: {:.2}", r.shear.law),
    );
    row("shear loop 2HG", format!("{:.2e} N/m", r.hysteresis_2hg), measured(r.measured_2hg, "N/m"));
    let kawabata = format!("between 0.5 and 1.5 1/cm: {:.3e}", r.bending_rigidity_kawabata);
    row("bending B", format!("{:.3e} N·m", r.bending_rigidity), kawabata);
    row("bending loop 2HB", format!("{:.2e} N", r.hysteresis_2hb), measured(r.measured_2hb, "N"));
    for c in &r.cantilever {
        row(
            &format!("cantilever at {}°", c.direction_degrees),
            format!("{:.1} mm", 1e3 * c.length),
            format!("twice the bending length at rest: {:.1} mm", 1e3 * c.law),
        );
    }
    let band = match &r.drape_band {
        Some(b) => {
            let range = format!("{}: {} to {} % ({})", b.class, b.range[0], b.range[1], escaped(&b.citation));
            match &b.reason {
                Some(reason) => format!("<span class=\"no\">outside of {range}:</span> {}", escaped(reason)),
                None => format!("within {range}"),
            }
        }
        None => "no band is known for this kind of cloth".into(),
    };
    row("drape coefficient", format!("{:.1} %, {} folds", r.drape_coefficient, r.drape_folds), band);
    let slip = format!("arctan {} = {:.2}°", r.slip.friction_static, r.slip.law_degrees);
    row("slips at", format!("{:.2}°", r.slip_angle), slip);
    text.push_str("</table>\n");
    r.notes.iter().for_each(|note| text.push_str(&format!("<p>{}</p>\n", escaped(note))));
}

fn figures(text: &mut String, fabric: &Fabric, r: &LabReport) {
    text.push_str("<h2>Curves</h2>\n");
    let curve = |colour, name: String, points| Series { mark: Mark::Curve, colour, name, points };
    let dots = |colour, points| Series { mark: Mark::Dots, colour, name: String::new(), points };
    let mut figure = |svg: String, caption: &str| {
        let _ = writeln!(text, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    };
    let mut series = Vec::new();
    for (t, colour) in r.tension.iter().zip(COLOURS) {
        let law = t.points.iter().map(|p| [p.elongation, p.law]);
        series.push(curve(
            colour,
            format!("{}°", t.direction_degrees),
            std::iter::once([0.0, 0.0]).chain(law).collect(),
        ));
        series.push(dots(colour, t.points.iter().map(|p| [p.elongation, p.load]).collect()));
    }
    series.sort_by_key(|s| s.name.is_empty());
    let law = if fabric.stretch_table.is_some() { "the measured table" } else { "the law" };
    figure(
        plot("elongation", "force per width [N/m]", &series),
        &format!("Uniaxial tension: strips between jaws (dots) and {law} (lines)."),
    );
    let beside = |caption: &str, points: &[[f64; 2]], what: &str| match points.is_empty() {
        true => format!("{caption}."),
        false => format!("{caption} (lines) and what was measured (dots): {what}."),
    };
    figure(
        plot(
            "angle [°]",
            "shear force per width [N/m]",
            &[curve(COLOURS[1], String::new(), r.shear.points.clone()), dots(MEASURED, r.shear.measured.clone())],
        ),
        &beside("Shear loop", &r.shear.measured, "G φ ± 2HG/2 from 0.5° to 2.5°, where Kawabata's test reads G"),
    );
    let mut series: Vec<Series> = Vec::new();
    for (b, colour) in r.bending.iter().zip(COLOURS) {
        series.push(curve(colour, format!("{}°", b.direction_degrees), b.points.clone()));
    }
    let measured: Vec<[f64; 2]> = r.bending.iter().flat_map(|b| b.measured.clone()).collect();
    series.push(dots(MEASURED, measured.clone()));
    figure(
        plot("curvature [1/m]", "moment per width [N]", &series),
        &beside(
            "Pure bending loops",
            &measured,
            "B K ± 2HB/2 from 0.5 to 1.5 1/cm, where Kawabata's test reads B, along warp and weft",
        ),
    );
    if let Some(table) = &fabric.bend_table {
        let of = |k: usize| {
            table.given.iter().map(|row| [row.curvature, row.curvature * [row.warp, row.bias, row.weft][k]]).collect()
        };
        let last = table.given.last().map_or(0.0, |row| row.curvature);
        let mut series: Vec<Series> = (0..3).map(|k| dots(COLOURS[k], of(k))).collect();
        for (b, colour) in r.bending.iter().zip(COLOURS) {
            let near = b.points.iter().take(26).filter(|p| p[0] <= last).copied().collect();
            series.push(curve(colour, String::new(), near));
        }
        figure(
            plot("curvature [1/m]", "moment per width [N]", &series),
            "Gentle bends (lines) and the measured rows (dots).",
        );
    }
    figure(shadow(r), "The drape from above: discs, sample and the outline of its shadow.");
}

/// The outline of the drape between the circles of discs and sample.
fn shadow(r: &LabReport) -> String {
    let points = |radius: &dyn Fn(usize) -> f64| {
        let at = |k: usize| {
            let (sin, cos) = (TAU * (k as f64 + 0.5) / 360.0).sin_cos();
            format!("{:.1},{:.1}", 150.0 + 900.0 * radius(k) * cos, 150.0 - 900.0 * radius(k) * sin)
        };
        (0..360).map(at).collect::<Vec<_>>().join(" ")
    };
    let line = |points: String, look: &str| format!("<polygon points=\"{points}\" {look}/>");
    let thin = "fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"3 3\"";
    format!(
        "<svg viewBox=\"0 0 300 300\" width=\"300\" height=\"300\" role=\"img\">{}{}{}</svg>",
        line(points(&|k| r.drape.outline[k]), "fill=\"#2e86c155\" stroke=\"#2e86c1\""),
        line(points(&|_| RADII[0]), thin),
        line(points(&|_| RADII[1]), thin)
    )
}

fn origins(text: &mut String, fabric: &Fabric) {
    text.push_str("<h2>Numbers and where they come from</h2><table>\n");
    for v in &fabric.values {
        let q = v.quantity;
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{:.4e} {}<td>{}<td>{}",
            q.key,
            v.value,
            q.unit,
            v.how.word(),
            escaped(&v.source.text)
        );
    }
    text.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
