//! Pictures and films of a scene or a run, without a window: what `muslin render` does.

use crate::{
    error::Error,
    measure::{Gauge, Measure, Scale},
    reel::Reel,
};
use glam::DVec3;
use muslin_render::{
    Camera, ContactSheet, Film, FilmKind, Image, Paint, Renderer, SheetSettings, Subject, View, draw_legend, save_png,
};
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
    /// The numbers at the two ends of the colours, so that pictures of several runs can be compared; what lies beyond has the colour
    /// of the end, and a legend says them. `None` for 0 and a round number above the largest, without a legend.
    pub range: Option<[f64; 2]>,
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
    /// The numbers at the two ends of the colours, if there are any.
    pub range: Option<[f64; 2]>,
    /// The smallest and the largest number of the cloth, if some lie beyond the ends that were asked for.
    pub beyond: Option<[f32; 2]>,
}

/// A dot of the legend's letters is a pixel in a picture of this height [px].
const LEGENDS_HEIGHT: usize = 150;
/// Most memory for the frames of a scene that are kept to find the view [bytes].
const MOST_KEPT: usize = 512 << 20;
/// Frames of a recording that the view is found from.
const LOOKS: usize = 24;

/// Draws a scene (by name or file, with `NAME=VALUE` settings) or a run's directory into a file.
pub fn draw(input: &str, settings: &[String], options: &PictureOptions) -> Result<Drawn, Error> {
    if let Some([low, high]) = options.range {
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(Error::ColourRange { low, high });
        }
        if options.measure == Measure::Fabric {
            return Err(Error::NothingToColour);
        }
    }
    let mut studio = Studio::new(Reel::open(input, settings)?, options)?;
    match options.motif {
        Motif::Frame(frame) => studio.frame(frame, options),
        Motif::Sheet => studio.sheet(options),
        Motif::Film => studio.film(options),
    }
}

/// A frame with everything that is drawn of it. It is kept whole: contacts are gone once a simulation has gone on.
struct Shot {
    positions: Vec<DVec3>,
    /// A number per vertex of the cloth; none where the fabric is drawn.
    values: Vec<f32>,
}

struct Studio {
    reel: Reel,
    renderer: Renderer,
    gauge: Option<Gauge>,
    scale: Scale,
    /// The ends that were asked for, and the smallest and the largest number that was drawn.
    range: Option<[f64; 2]>,
    measure: Measure,
    met: [f32; 2],
    values: Vec<f64>,
}

impl Studio {
    fn new(reel: Reel, options: &PictureOptions) -> Result<Self, Error> {
        let [width, height] = options.size;
        let (wanted, measure) = (options.measure, options.measure.name());
        let recorded = reel.recorded.as_ref().is_some_and(|recorded| recorded.tells(wanted));
        match reel.simulation() {
            _ if wanted == Measure::Fabric => {}
            _ if wanted.of_positions() && reel.model.is_some() => {}
            _ if wanted.of_positions() => return Err(Error::NoPattern),
            Some(simulation) if Measure::told_by(simulation).contains(&wanted) => {}
            Some(_) if wanted.needs_creases() => return Err(Error::NoCreases { measure }),
            Some(_) => return Err(Error::NoContacts { measure }),
            None if recorded => {}
            None => return Err(Error::NotRecorded { measure }),
        }
        let gauge = reel.model.as_ref().map(Gauge::new);
        let renderer = Renderer { width, height, supersampling: 2 };
        let (range, met) = (options.range, [f32::INFINITY, f32::NEG_INFINITY]);
        Ok(Studio { reel, renderer, gauge, scale: Scale::default(), range, measure: wanted, met, values: Vec::new() })
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

    /// Reads a frame and measures it. The ends of the colours learn of it, so that they are the same in all pictures.
    fn shoot(&mut self, frame: usize, measure: Measure) -> Result<Shot, Error> {
        self.reel.read(frame)?;
        let (reel, scale) = (&self.reel, &mut self.scale);
        let mut values = Vec::new();
        match (measure.of_positions(), reel.simulation(), &mut self.gauge, &reel.model) {
            _ if measure == Measure::Fabric => {}
            (false, Some(simulation), Some(gauge), _) if measure.needs_creases() => {
                gauge.measure_creases(simulation);
                scale.rise(&gauge.values);
                values.clone_from(&gauge.values);
            }
            (false, Some(simulation), Some(gauge), _) => {
                scale.rise(&[gauge.measure_contacts(measure, simulation)]);
                values.clone_from(&gauge.values);
            }
            (false, None, ..) => {
                reel.recorded.as_ref().map_or(Ok(()), |recorded| recorded.read(measure, frame, &mut values))?;
                // Friction has its own upper end: something slips.
                scale.rise(if measure == Measure::Friction { &[1.0] } else { &values });
            }
            (true, _, Some(gauge), Some(model)) => {
                gauge.measure(measure, model, &reel.positions, &reel.velocities);
                scale.rise(&gauge.values);
                values.clone_from(&gauge.values);
            }
            _ => {}
        }
        Ok(Shot { positions: reel.positions.clone(), values })
    }

    fn draw(&mut self, view: &View, shot: &Shot) -> Result<Image, Error> {
        let [low, high] = self.ends();
        let finite = shot.values.iter().filter(|v| v.is_finite());
        self.met = finite.fold(self.met, |[least, most], v| [least.min(*v), most.max(*v)]);
        let paint = match shot.values.is_empty() {
            true => Paint::Fabric,
            false => {
                self.values.clear();
                // Where nothing is near, the colour is that of the upper end.
                self.values.extend(shot.values.iter().map(|v| if v.is_infinite() { high } else { f64::from(*v) }));
                // Obstacles have no numbers.
                self.values.resize(shot.positions.len(), f64::NAN);
                // A cloth that has nothing of it has the colour of the lower end.
                let high = if high > low { high } else { low + 1.0 };
                Paint::Scalars { values: &self.values, range: [low, high] }
            }
        };
        let mut image = self.renderer.draw(&subject(&self.reel), &shot.positions, view, paint)?;
        if let Some([low, high]) = self.range {
            let text = format!("{} {low} to {high} {}", self.measure.name(), self.measure.unit());
            draw_legend(&mut image, text.trim_end(), (self.renderer.height / LEGENDS_HEIGHT).max(1));
        }
        Ok(image)
    }

    /// The numbers at the two ends of the colours.
    fn ends(&self) -> [f64; 2] {
        self.range.unwrap_or([0.0, f64::from(self.scale.highest())])
    }

    fn done(&self, options: &PictureOptions, path: &Path, pictures: usize) -> Drawn {
        let range = (options.measure != Measure::Fabric).then(|| self.ends());
        let outside = |[low, high]: &[f64; 2]| f64::from(self.met[0]) < *low || f64::from(self.met[1]) > *high;
        let beyond = self.range.filter(outside).map(|_| self.met);
        Drawn { path: path.into(), pictures, range, beyond }
    }

    fn frame(&mut self, frame: Option<usize>, options: &PictureOptions) -> Result<Drawn, Error> {
        let last = self.reel.cast().frames;
        let frame = frame.unwrap_or(last);
        if frame > last {
            return Err(Error::NoSuchFrame { frame, last });
        }
        let shot = self.shoot(frame, options.measure)?;
        let view = self.view(options, &[&shot.positions])?;
        let image = self.draw(&view, &shot)?;
        save_png(&image, &options.out)?;
        Ok(self.done(options, &options.out, 1))
    }

    fn sheet(&mut self, options: &PictureOptions) -> Result<Drawn, Error> {
        let frames = self.reel.cast().frames + 1;
        let settings = SheetSettings::default();
        let mut kept = Vec::new();
        for &frame in ContactSheet::new(frames, settings).chosen() {
            kept.push((self.reel.cast().time(frame), self.shoot(frame, options.measure)?));
        }
        let view = self.view(options, &kept.iter().map(|(_, shot)| shot.positions.as_slice()).collect::<Vec<_>>())?;
        let mut panels = Vec::new();
        for (time, shot) in &kept {
            panels.push((*time, self.draw(&view, shot)?));
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
        let mut kept: Vec<Shot> = Vec::new();
        let mut looks: Vec<Vec<DVec3>> = Vec::new();
        if self.reel.is_simulated() {
            if (size_of::<DVec3>() + size_of::<f32>()) * vertices * numbers.len() > MOST_KEPT {
                return Err(Error::FilmTooLong { frames: numbers.len(), vertices });
            }
            for &frame in &numbers {
                kept.push(self.shoot(frame, options.measure)?);
            }
        } else {
            // The ends of the colours are those of all frames, so each is looked at; the view needs only some.
            let (every, coloured) = (numbers.len().div_ceil(LOOKS), options.measure != Measure::Fabric);
            for (k, &frame) in numbers.iter().enumerate().filter(|(k, _)| coloured || k % every == 0) {
                let shot = self.shoot(frame, options.measure)?;
                if k % every == 0 {
                    looks.push(shot.positions);
                }
            }
        }
        let seen: Vec<&[DVec3]> = match kept.is_empty() {
            true => looks.iter().map(Vec::as_slice).collect(),
            false => kept.iter().map(|shot| shot.positions.as_slice()).collect(),
        };
        let view = self.view(options, &seen)?;
        let mut film = Film::begin(&path, options.size, numbers.len(), rate / stride as f64)?;
        for (k, &frame) in numbers.iter().enumerate() {
            let image = match kept.get(k) {
                Some(shot) => self.draw(&view, shot)?,
                None => {
                    let shot = self.shoot(frame, options.measure)?;
                    self.draw(&view, &shot)?
                }
            };
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
