//! Several frames of a run in one picture.

use crate::{
    camera::Camera,
    error::RenderError,
    font,
    framing::View,
    image::Image,
    renderer::{Paint, Renderer},
    subject::Subject,
};
use glam::DVec3;
use muslin_model::parallel;

/// How a contact sheet looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetSettings {
    /// Most frames shown; fewer if the run has fewer.
    pub panels: usize,
    /// Frames per row.
    pub columns: usize,
    /// Size and quality of each frame.
    pub panel: Renderer,
    /// Where to look from; `None` frames everything.
    pub camera: Option<Camera>,
}

impl Default for SheetSettings {
    fn default() -> Self {
        let panel = Renderer { width: 440, height: 330, supersampling: 2 };
        SheetSettings { panels: 8, columns: 4, panel, camera: None }
    }
}

/// Collects frames as a run hands them out and keeps only those that it shows: memory does not grow with
/// the run.
#[derive(Clone, Debug)]
pub struct ContactSheet {
    settings: SheetSettings,
    chosen: Vec<usize>,
    kept: Vec<Frame>,
    latest: Option<Frame>,
}

#[derive(Clone, Debug)]
struct Frame {
    number: usize,
    time: f64,
    positions: Vec<DVec3>,
}

/// Free pixels between panels.
const GUTTER: usize = 3;
const GUTTER_COLOUR: [u8; 3] = [255; 3];
pub(crate) const LABEL_COLOUR: [u8; 3] = [0x5a, 0x60, 0x68];

impl ContactSheet {
    /// A sheet for a run of `total` frames, the start included.
    pub fn new(total: usize, settings: SheetSettings) -> Self {
        ContactSheet { settings, chosen: chosen_frames(total, settings.panels), kept: Vec::new(), latest: None }
    }

    /// The numbers of the frames that it will show, from 0: evenly spread, the first and the last among them.
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Takes a frame, in ascending order. Every frame may be passed; the latest one is remembered too, so that
    /// a run that ends early still shows its end.
    pub fn add(&mut self, number: usize, time: f64, positions: &[DVec3]) {
        if self.chosen.binary_search(&number).is_ok() {
            self.latest = None;
            self.kept.push(Frame { number, time, positions: positions.to_vec() });
            return;
        }
        // The same memory serves each time.
        let latest = self.latest.get_or_insert_with(|| Frame { number, time, positions: Vec::new() });
        (latest.number, latest.time) = (number, time);
        latest.positions.clear();
        latest.positions.extend_from_slice(positions);
    }

    /// What it keeps so far: numbers, times [s] and positions [m], ascending. A sheet of the same run that is
    /// given these is in the same state.
    pub fn kept(&self) -> impl Iterator<Item = (usize, f64, &[DVec3])> {
        self.kept.iter().chain(&self.latest).map(|frame| (frame.number, frame.time, frame.positions.as_slice()))
    }

    /// Draws what has been added.
    pub fn draw(&self, subject: &Subject) -> Result<Image, RenderError> {
        let mut frames: Vec<&Frame> = self.kept.iter().chain(&self.latest).collect();
        frames.sort_by_key(|frame| frame.number);
        let positions: Vec<&[DVec3]> = frames.iter().map(|frame| frame.positions.as_slice()).collect();
        let Renderer { width, height, .. } = self.settings.panel;
        let view = match self.settings.camera {
            Some(camera) => View::through(camera, subject, &positions)?,
            None => View::framing(subject, &positions, width as f64 / height as f64)?,
        };
        let panels = parallel::map(frames.len(), |k| {
            let Frame { time, positions, .. } = frames[k];
            Ok((*time, self.settings.panel.draw(subject, positions, &view, Paint::Fabric)?))
        });
        let panels = panels.into_iter().collect::<Result<Vec<_>, RenderError>>()?;
        ContactSheet::compose(panels, self.settings.columns)
    }

    /// Puts pictures of one size beside and below each other, with their times [s].
    pub fn compose(panels: Vec<(f64, Image)>, columns: usize) -> Result<Image, RenderError> {
        let dot = panels.first().map_or(1, |(_, panel)| (panel.height / 150).max(1));
        let panels = panels.into_iter().map(|(time, panel)| (format!("{time:.2} s"), panel)).collect();
        Self::compose_labelled(panels, columns, dot)
    }

    /// The same with a label on each: small letters, digits, point, minus, plus and per cent, whose dots are squares of `dot` pixels. A
    /// character is six dots wide; what does not fit is cut off.
    pub fn compose_labelled(panels: Vec<(String, Image)>, columns: usize, dot: usize) -> Result<Image, RenderError> {
        let (width, height) =
            panels.first().map(|(_, panel)| (panel.width, panel.height)).ok_or(RenderError::NoFrames)?;
        let columns = columns.clamp(1, panels.len());
        let rows = panels.len().div_ceil(columns);
        let side = |count: usize, size: usize| count * (size + GUTTER) - GUTTER;
        let mut sheet = Image::new(side(columns, width), side(rows, height), GUTTER_COLOUR);
        for (k, (text, mut panel)) in panels.into_iter().enumerate() {
            label(&mut panel, &text, dot);
            sheet.paste(&panel, k % columns * (width + GUTTER), k / columns * (height + GUTTER));
        }
        Ok(sheet)
    }
}

/// Writes a label into the lower left corner.
fn label(panel: &mut Image, text: &str, dot: usize) {
    let margin = 5 * dot;
    let place = [margin, panel.height.saturating_sub(margin + font::GLYPH[1] * dot)];
    font::write(panel, text, place, dot, LABEL_COLOUR);
}

/// Up to `panels` of the numbers 0..total, as even as whole numbers allow, with both ends.
fn chosen_frames(total: usize, panels: usize) -> Vec<usize> {
    let panels = panels.min(total);
    match panels {
        0 => Vec::new(),
        1 => vec![total - 1],
        _ => (0..panels).map(|k| (k * (total - 1) + (panels - 1) / 2) / (panels - 1)).collect(),
    }
}
