//! Surfaces that change their shape over time by themselves: animated obstacles.
//!
//! A [`Deformation`] knows where its vertices are at any time of its own clip: frames between which vertices move
//! straight ([`VertexFrames`]), or a rig that a reader of files brings along. An [`Animation`] puts it on the
//! scene's clock and in the scene's place. Both are constant; where an obstacle is follows from the time alone,
//! so a resumed run needs nothing from them.

use glam::{DMat3, DVec3};
use std::{fmt, sync::Arc};

/// Vertices that move by a rule of time.
pub trait Deformation: Send + Sync {
    /// Number of vertices.
    fn vertices(&self) -> usize;

    /// Length of the clip [s]; its time runs from 0 to this.
    fn duration(&self) -> f64;

    /// Where the vertices are at a time of the clip [s], in the clip's own units and axes. Times outside of the
    /// clip mean its nearer end.
    fn evaluate(&self, time: f64, positions: &mut [DVec3]);

    /// The same motion for some of the vertices, in the given order.
    fn select(&self, vertices: &[u32]) -> Arc<dyn Deformation>;

    /// A number that differs between different motions.
    fn fingerprint(&self) -> u64;
}

/// What happens when a clip has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterEnd {
    /// The last pose stays.
    #[default]
    Hold,
    /// The clip begins again at its start.
    Loop,
}

/// From the scene's time to a clip's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// The clip's time at which it begins [s].
    pub offset: f64,
    /// Seconds of the clip per second of the scene [-].
    pub speed: f64,
    /// How long the first pose stands before the clip begins [s].
    pub lead_in: f64,
    /// What happens when it has ended.
    pub after: AfterEnd,
}

impl Default for Clock {
    fn default() -> Self {
        Clock { offset: 0.0, speed: 1.0, lead_in: 0.0, after: AfterEnd::Hold }
    }
}

impl Clock {
    /// Time of a clip [s] at a time of the scene [s].
    pub fn clip_time(&self, time: f64, duration: f64) -> f64 {
        let passed = self.offset + self.speed * (time - self.lead_in).max(0.0);
        match self.after {
            // The end itself is the end, not the start of the next round.
            AfterEnd::Loop if passed > duration && duration > 0.0 => passed.rem_euclid(duration),
            _ => passed.clamp(0.0, duration),
        }
    }
}

/// A deformation on the scene's clock and in the scene's place.
#[derive(Clone)]
pub struct Animation {
    /// The motion.
    pub deformation: Arc<dyn Deformation>,
    /// When.
    pub clock: Clock,
    /// From the clip's axes and units to the scene's [m per unit].
    pub linear: DMat3,
    /// Where the clip's origin stands [m].
    pub translation: DVec3,
}

impl Animation {
    /// Places all vertices at a time of the scene [s].
    pub fn place(&self, time: f64, positions: &mut [DVec3]) {
        let time = self.clock.clip_time(time, self.deformation.duration());
        self.deformation.evaluate(time, positions);
        positions.iter_mut().for_each(|p| *p = self.linear * *p + self.translation);
    }
}

impl fmt::Debug for Animation {
    /// The motion by its fingerprint: a scene's hash is taken over this text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Animation")
            .field("deformation", &format_args!("{:016x}", self.deformation.fingerprint()))
            .field("clock", &self.clock)
            .field("linear", &self.linear)
            .field("translation", &self.translation)
            .finish()
    }
}

impl PartialEq for Animation {
    fn eq(&self, other: &Self) -> bool {
        self.deformation.fingerprint() == other.deformation.fingerprint()
            && (self.clock, self.linear, self.translation) == (other.clock, other.linear, other.translation)
    }
}

/// Frames between which vertices move straight and evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexFrames {
    times: Vec<f64>,
    frames: Vec<Vec<DVec3>>,
    fingerprint: u64,
}

/// Why frames are no motion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FramesError {
    /// No frame at all.
    #[error("there is no frame; give at least one")]
    Empty,
    /// Times and frames differ in number.
    #[error("there are {times} times for {frames} frames; give one per frame")]
    Times {
        /// Number of times.
        times: usize,
        /// Number of frames.
        frames: usize,
    },
    /// Time stands still, runs backwards or is not finite.
    #[error("frame {frame} is at {time} s, not after the one before it; sort the frames by time")]
    Order {
        /// Its number, from 0.
        frame: usize,
        /// Its time [s].
        time: f64,
    },
    /// A frame has another number of vertices than the first.
    #[error("frame {frame} has {found} vertices, the first has {expected}; all frames need the same vertices")]
    Vertices {
        /// Its number, from 0.
        frame: usize,
        /// Its vertices.
        found: usize,
        /// The first frame's.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} of frame {frame} is not finite; repair the frame")]
    NotFinite {
        /// Number of the frame, from 0.
        frame: usize,
        /// The vertex.
        vertex: usize,
    },
}

impl VertexFrames {
    /// Frames with their times [s], ascending; the first becomes time 0 of the clip.
    pub fn new(times: Vec<f64>, frames: Vec<Vec<DVec3>>) -> Result<Self, FramesError> {
        let Some(first) = frames.first() else { return Err(FramesError::Empty) };
        if times.len() != frames.len() {
            return Err(FramesError::Times { times: times.len(), frames: frames.len() });
        }
        for (k, (&time, frame)) in times.iter().zip(&frames).enumerate() {
            if !time.is_finite() || (k > 0 && !(time > times[k - 1])) {
                return Err(FramesError::Order { frame: k, time });
            }
            if frame.len() != first.len() {
                return Err(FramesError::Vertices { frame: k, found: frame.len(), expected: first.len() });
            }
            if let Some(vertex) = frame.iter().position(|p| !p.is_finite()) {
                return Err(FramesError::NotFinite { frame: k, vertex });
            }
        }
        let times: Vec<f64> = times.iter().map(|t| t - times[0]).collect();
        let mut print = Fingerprint::default();
        times.iter().for_each(|t| print.add(*t));
        frames.iter().flatten().flat_map(|p| p.to_array()).for_each(|x| print.add(x));
        Ok(VertexFrames { times, frames, fingerprint: print.value() })
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }
}

impl Deformation for VertexFrames {
    fn vertices(&self) -> usize {
        self.frames[0].len()
    }

    fn duration(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    fn evaluate(&self, time: f64, positions: &mut [DVec3]) {
        let next = self.times.partition_point(|&t| t <= time);
        let (a, b) = (next.saturating_sub(1), next.min(self.frames.len() - 1));
        let span = self.times[b] - self.times[a];
        let s = if span > 0.0 { (time - self.times[a]) / span } else { 0.0 };
        for (p, (a, b)) in positions.iter_mut().zip(self.frames[a].iter().zip(&self.frames[b])) {
            *p = *a + (*b - *a) * s;
        }
    }

    fn select(&self, vertices: &[u32]) -> Arc<dyn Deformation> {
        let frames: Vec<Vec<DVec3>> =
            self.frames.iter().map(|frame| vertices.iter().map(|&v| frame[v as usize]).collect()).collect();
        let mut print = Fingerprint::default();
        print.add_bits(self.fingerprint);
        vertices.iter().for_each(|&v| print.add_bits(v.into()));
        Arc::new(VertexFrames { times: self.times.clone(), frames, fingerprint: print.value() })
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// A hash over numbers, bit by bit (FNV-1a on words): fast enough for every vertex of every frame.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        self.add_bits(value.to_bits());
    }

    /// Adds bits.
    pub fn add_bits(&mut self, bits: u64) {
        // The rotation brings high bits down, which a product alone never does.
        self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    /// The hash so far.
    pub fn value(self) -> u64 {
        self.0
    }
}
