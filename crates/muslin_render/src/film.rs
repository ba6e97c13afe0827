//! Pictures one after the other: an mp4 through ffmpeg, a GIF, or an animated PNG.
//!
//! The last two need nothing but this program. A GIF has 256 colours per frame; an animated PNG has all of them, is
//! larger, and every browser plays it.

use crate::{error::RenderError, image::Image};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// What a film is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmKind {
    /// H.264 in an mp4, by ffmpeg.
    Mp4,
    /// A GIF.
    Gif,
    /// An animated PNG.
    Png,
}

impl FilmKind {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Result<Self, RenderError> {
        match path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase().as_str() {
            "mp4" => Ok(FilmKind::Mp4),
            "gif" => Ok(FilmKind::Gif),
            "png" | "apng" => Ok(FilmKind::Png),
            _ => Err(RenderError::FilmKind { path: path.into() }),
        }
    }

    /// Whether ffmpeg can be started here.
    pub fn has_ffmpeg() -> bool {
        let quiet = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        quiet.is_ok_and(|status| status.success())
    }

    /// Frames per second that players keep up with [1/s].
    pub fn fastest(self) -> f64 {
        match self {
            FilmKind::Mp4 => 240.0,
            FilmKind::Gif | FilmKind::Png => 30.0,
        }
    }
}

enum Sink {
    Mp4(Child),
    Gif(Box<gif::Encoder<BufWriter<File>>>),
    Png(Box<png::Writer<BufWriter<File>>>),
}

/// A film under way.
pub struct Film {
    path: PathBuf,
    size: [usize; 2],
    /// Frames per second [1/s].
    per_second: f64,
    /// Pictures so far.
    added: usize,
    sink: Option<Sink>,
}

/// How carefully a GIF's colours are chosen, 1 best to 30 fastest; the encoder's own default.
const GIF_SPEED: i32 = 10;
/// Shortest time of a picture in a GIF [1/100 s]: browsers take a shorter one for a tenth of a second.
const SHORTEST_DELAY: u16 = 2;

impl Film {
    /// Begins a film of `frames` pictures of this size (width, height).
    pub fn begin(path: &Path, size: [usize; 2], frames: usize, per_second: f64) -> Result<Self, RenderError> {
        let [width, height] = size;
        let refuse = |reason: String| RenderError::Film { path: path.into(), reason };
        let too_large = || refuse(format!("pictures of {width} × {height} are too large for a film"));
        let sides = [u16::try_from(width).map_err(|_| too_large())?, u16::try_from(height).map_err(|_| too_large())?];
        let file = || {
            let created = File::create(path).map_err(|source| RenderError::Write { path: path.into(), source })?;
            Ok::<_, RenderError>(BufWriter::new(created))
        };
        let sink = match FilmKind::of(path)? {
            FilmKind::Mp4 => Sink::Mp4(ffmpeg(path, size, per_second)?),
            FilmKind::Gif => {
                let encoder = gif::Encoder::new(file()?, sides[0], sides[1], &[]);
                let mut encoder = encoder.map_err(|e| refuse(e.to_string()))?;
                encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| refuse(e.to_string()))?;
                Sink::Gif(Box::new(encoder))
            }
            FilmKind::Png => {
                let mut encoder = png::Encoder::new(file()?, width as u32, height as u32);
                encoder.set_color(png::ColorType::Rgb);
                encoder.set_depth(png::BitDepth::Eight);
                let encode = |source| RenderError::Encode { path: path.into(), source };
                encoder.set_animated(frames as u32, 0).map_err(encode)?;
                encoder.set_frame_delay(1000, (1000.0 * per_second).round() as u16).map_err(encode)?;
                Sink::Png(Box::new(encoder.write_header().map_err(encode)?))
            }
        };
        Ok(Film { path: path.into(), size, per_second, added: 0, sink: Some(sink) })
    }

    /// How long a GIF shows its next picture [1/100 s]: until the next whole hundredth, so that rounding does not add up.
    fn delay(&self) -> u16 {
        let end = |pictures: usize| (100.0 * pictures as f64 / self.per_second).round();
        (end(self.added + 1) - end(self.added)).clamp(f64::from(SHORTEST_DELAY), f64::from(u16::MAX)) as u16
    }

    /// Adds a picture.
    pub fn add(&mut self, image: &Image) -> Result<(), RenderError> {
        let refuse = |reason: String| RenderError::Film { path: self.path.clone(), reason };
        if [image.width, image.height] != self.size {
            return Err(refuse("its pictures have different sizes".into()));
        }
        let bytes = image.pixels.as_flattened();
        let delay = self.delay();
        self.added += 1;
        match self.sink.as_mut() {
            Some(Sink::Mp4(ffmpeg)) => match ffmpeg.stdin.as_mut() {
                Some(pipe) => pipe.write_all(bytes).map_err(|e| refuse(format!("ffmpeg has ended: {e}"))),
                None => Err(refuse("ffmpeg has ended".into())),
            },
            Some(Sink::Gif(encoder)) => {
                let mut frame = gif::Frame::from_rgb_speed(image.width as u16, image.height as u16, bytes, GIF_SPEED);
                frame.delay = delay;
                encoder.write_frame(&frame).map_err(|e| refuse(e.to_string()))
            }
            Some(Sink::Png(writer)) => {
                writer.write_image_data(bytes).map_err(|source| RenderError::Encode { path: self.path.clone(), source })
            }
            None => Err(refuse("it is finished".into())),
        }
    }

    /// Ends the film; only then is the file whole.
    pub fn finish(mut self) -> Result<(), RenderError> {
        let refuse = |reason: String| RenderError::Film { path: self.path.clone(), reason };
        match self.sink.take() {
            Some(Sink::Mp4(mut ffmpeg)) => {
                drop(ffmpeg.stdin.take());
                let output = ffmpeg.wait_with_output().map_err(|e| refuse(e.to_string()))?;
                match output.status.success() {
                    true => Ok(()),
                    false => Err(refuse(format!("ffmpeg: {}", String::from_utf8_lossy(&output.stderr).trim()))),
                }
            }
            Some(Sink::Gif(encoder)) => {
                let mut file = encoder.into_inner().map_err(|e| refuse(e.to_string()))?;
                file.flush().map_err(|source| RenderError::Write { path: self.path.clone(), source })
            }
            Some(Sink::Png(writer)) => {
                writer.finish().map_err(|source| RenderError::Encode { path: self.path.clone(), source })
            }
            None => Ok(()),
        }
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        // A film that was given up: ffmpeg must not wait for pictures for ever.
        if let Some(Sink::Mp4(ffmpeg)) = self.sink.as_mut() {
            let _ = ffmpeg.kill();
            let _ = ffmpeg.wait();
        }
    }
}

/// Starts ffmpeg, which reads raw pictures. Players want an even number of rows and columns, and 4:2:0 colours.
fn ffmpeg(path: &Path, [width, height]: [usize; 2], per_second: f64) -> Result<Child, RenderError> {
    let (size, rate) = (format!("{width}x{height}"), per_second.to_string());
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", &size]);
    command.args(["-framerate", &rate, "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264"]);
    command.args(["-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]).arg(path);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| RenderError::Film {
        path: path.into(),
        reason: format!("ffmpeg cannot be started: {error}; install it, or write a .gif or .png"),
    })
}
