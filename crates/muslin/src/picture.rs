//! Pictures and films of a scene or a run, without a window: what `muslin render` does.

use crate::{
    error::Error,
    measure::{Gauge, Measure, Scale},
    reel::Reel,
};
use glam::DVec3;
use muslin_model::Model;
use muslin_render::{
    Camera, ContactSheet, Film, FilmKind, Image, Paint, Renderer, SheetSettings, Subject, View, save_png,
};
use muslin_sim::Simulation;
use std::path::{Path, PathBuf};

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewpoint {
    /// Where the scene says, or where everything is seen.
    Default,
    /// From a direction, at a distance where everything is seen: from the subject to the camera [-].
    From(DVec3),
    /// A camera.
    Camera(Camera),
}

/// What to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Motif {
    /// One frame; `None` for the last.
    Frame(Option<usize>),
    /// Several frames in one picture.
    Sheet,
    /// All frames.
    Film,
}

/// How to draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// What.
    pub motif: Motif,
    /// From where.
    pub viewpoint: Viewpoint,
    /// What cloth is coloured by.
    pub measure: Measure,
    /// Width and height; of each panel in a sheet.
    pub size: [usize; 2],
    /// The file.
    pub out: PathBuf,
}

/// What was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The file.
    pub path: PathBuf,
    /// Pictures in it.
    pub pictures: usize,
    /// The largest number of the colours, if there are any.
    pub highest: Option<f32>,
}

/// Most memory for the frames of a scene that are kept to find the view [bytes].
const MOST_KEPT: usize = 512 << 20;
/// Frames of a recording that the view is found from.
const LOOKS: usize = 24;

/// Draws a scene (by name or file, with `NAME=VALUE` settings) or a run's directory into a file.
pub fn draw(input: &str, settings: &[String], options: &PictureOptions) -> Result<Drawn, Error> {
    let mut studio = Studio::new(Reel::open(input, settings)?, options)?;
    match options.motif {
        Motif::Frame(frame) => studio.frame(frame, options),
        Motif::Sheet => studio.sheet(options),
        Motif::Film => studio.film(options),
    }
}

/// Measures what a reel shows now; returns the ends of the colours.
fn measure_reel(gauge: &mut Gauge, measure: Measure, reel: &Reel, model: &Model, scale: &mut Scale) -> [f32; 2] {
    match reel.simulation().filter(|_| measure.needs_contacts()) {
        Some(simulation) => {
            let most = gauge.measure_contacts(measure, simulation);
            scale.rise(&[most])
        }
        None => {
            gauge.measure(measure, model, &reel.positions, &reel.velocities);
            scale.rise(&gauge.values)
        }
    }
}

struct Studio {
    reel: Reel,
    renderer: Renderer,
    gauge: Option<Gauge>,
    scale: Scale,
    values: Vec<f64>,
}

impl Studio {
    fn new(reel: Reel, options: &PictureOptions) -> Result<Self, Error> {
        let [width, height] = options.size;
        if options.measure != Measure::Fabric && reel.model.is_none() {
            return Err(Error::NoPattern);
        }
        if options.measure.needs_contacts() && !reel.simulation().is_some_and(Simulation::has_contact) {
            return Err(Error::NoContacts { measure: options.measure.name() });
        }
        let gauge = reel.model.as_ref().map(Gauge::new);
        let renderer = Renderer { width, height, supersampling: 2 };
        Ok(Studio { reel, renderer, gauge, scale: Scale::default(), values: Vec::new() })
    }

    fn view(&self, options: &PictureOptions, frames: &[&[DVec3]]) -> Result<View, Error> {
        let (subject, aspect) = (subject(&self.reel), options.size[0] as f64 / options.size[1] as f64);
        Ok(match (options.viewpoint, self.reel.camera) {
            (Viewpoint::Camera(camera), _) | (Viewpoint::Default, Some(camera)) => {
                View::through(camera, &subject, frames)?
            }
            (Viewpoint::From(direction), _) => View::framing_from(direction, &subject, frames, aspect)?,
            (Viewpoint::Default, None) => View::framing(&subject, frames, aspect)?,
        })
    }

    /// Lets the ends of the colours know what the reel shows now, so that they are the same in all pictures.
    fn follow(&mut self, measure: Measure) {
        let reel = &self.reel;
        if let (Some(gauge), Some(model)) = (&mut self.gauge, &reel.model) {
            measure_reel(gauge, measure, reel, model, &mut self.scale);
        }
    }

    /// Draws what the reel shows now.
    fn draw(&mut self, view: &View, measure: Measure) -> Result<Image, Error> {
        let reel = &self.reel;
        let paint = match (measure, &mut self.gauge, &reel.model) {
            (Measure::Fabric, ..) | (_, None, _) | (_, _, None) => Paint::Fabric,
            (measure, Some(gauge), Some(model)) => {
                let [low, high] = measure_reel(gauge, measure, reel, model, &mut self.scale).map(f64::from);
                self.values.clear();
                self.values.extend(gauge.values.iter().map(|v| f64::from(*v)));
                // Obstacles have no numbers.
                self.values.resize(reel.positions.len(), f64::NAN);
                Paint::Scalars { values: &self.values, range: [low, high] }
            }
        };
        Ok(self.renderer.draw(&subject(reel), &reel.positions, view, paint)?)
    }

    fn done(&self, options: &PictureOptions, path: &Path, pictures: usize) -> Drawn {
        let highest = (options.measure != Measure::Fabric).then(|| self.scale.highest());
        Drawn { path: path.into(), pictures, highest }
    }

    fn frame(&mut self, frame: Option<usize>, options: &PictureOptions) -> Result<Drawn, Error> {
        let last = self.reel.cast().frames;
        let frame = frame.unwrap_or(last);
        if frame > last {
            return Err(Error::NoSuchFrame { frame, last });
        }
        self.reel.read(frame)?;
        let view = self.view(options, &[&self.reel.positions])?;
        let image = self.draw(&view, options.measure)?;
        save_png(&image, &options.out)?;
        Ok(self.done(options, &options.out, 1))
    }

    fn sheet(&mut self, options: &PictureOptions) -> Result<Drawn, Error> {
        let frames = self.reel.cast().frames + 1;
        let settings = SheetSettings::default();
        let mut kept = Vec::new();
        for &frame in ContactSheet::new(frames, settings).chosen() {
            self.reel.read(frame)?;
            self.follow(options.measure);
            let (positions, velocities) = (self.reel.positions.clone(), self.reel.velocities.clone());
            kept.push((self.reel.cast().time(frame), positions, velocities));
        }
        let view =
            self.view(options, &kept.iter().map(|(_, positions, _)| positions.as_slice()).collect::<Vec<_>>())?;
        let mut panels = Vec::new();
        for (time, positions, velocities) in kept {
            (self.reel.positions, self.reel.velocities) = (positions, velocities);
            panels.push((time, self.draw(&view, options.measure)?));
        }
        save_png(&ContactSheet::compose(panels, settings.columns)?, &options.out)?;
        Ok(self.done(options, &options.out, 1))
    }

    fn film(&mut self, options: &PictureOptions) -> Result<Drawn, Error> {
        let mut path = options.out.clone();
        if FilmKind::of(&path)? == FilmKind::Mp4 && !FilmKind::has_ffmpeg() {
            path.set_extension("gif");
        }
        let cast = self.reel.cast();
        let (last, rate, vertices) = (cast.frames, cast.frames_per_second, cast.mesh.positions.len());
        let stride = (rate / FilmKind::of(&path)?.fastest()).ceil().max(1.0) as usize;
        let numbers: Vec<usize> = (0..=last).step_by(stride).collect();
        // A simulation is played once: its frames are kept until the view is known.
        let mut kept: Vec<(Vec<DVec3>, Vec<DVec3>)> = Vec::new();
        let mut looks: Vec<Vec<DVec3>> = Vec::new();
        if self.reel.is_simulated() {
            if 48 * vertices * numbers.len() > MOST_KEPT {
                return Err(Error::FilmTooLong { frames: numbers.len(), vertices });
            }
            for &frame in &numbers {
                self.reel.read(frame)?;
                self.follow(options.measure);
                kept.push((self.reel.positions.clone(), self.reel.velocities.clone()));
            }
        } else {
            for &frame in numbers.iter().step_by(numbers.len().div_ceil(LOOKS)) {
                self.reel.read(frame)?;
                self.follow(options.measure);
                looks.push(self.reel.positions.clone());
            }
        }
        let seen: Vec<&[DVec3]> = match kept.is_empty() {
            true => looks.iter().map(Vec::as_slice).collect(),
            false => kept.iter().map(|(positions, _)| positions.as_slice()).collect(),
        };
        let view = self.view(options, &seen)?;
        let mut film = Film::begin(&path, options.size, numbers.len(), rate / stride as f64)?;
        for (k, &frame) in numbers.iter().enumerate() {
            match kept.get_mut(k) {
                Some((positions, velocities)) => {
                    (self.reel.positions, self.reel.velocities) =
                        (std::mem::take(positions), std::mem::take(velocities));
                }
                None => self.reel.read(frame)?,
            }
            let image = self.draw(&view, options.measure)?;
            film.add(&image)?;
        }
        film.finish()?;
        Ok(self.done(options, &path, numbers.len()))
    }
}

fn subject(reel: &Reel) -> Subject<'_> {
    let cast = reel.cast();
    let mesh = &cast.mesh;
    Subject {
        vertices: mesh.positions.len(),
        triangles: &mesh.triangles,
        uv: &mesh.uv,
        texture: &mesh.texture,
        bodies: &cast.bodies,
    }
}
