//! What waits to be sent to one client: a few messages, and at most one frame.
//!
//! The simulation never waits for anybody. A new frame replaces the one that is still waiting, and a frame is handed
//! out only while fewer than [`MOST_IN_FLIGHT`] are unacknowledged: a slow page sees fewer frames, never old ones, and
//! nothing piles up here or in the system's buffers. Messages that must arrive are few; a client that lets too many of
//! them wait is given up.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

/// Frames that may be under way to a page: one that it draws and one that travels.
pub const MOST_IN_FLIGHT: usize = 2;
/// Kinds of what is laid over a frame: contacts, and boxes.
pub const OVERLAYS: usize = 2;
/// Messages that may wait before the client is given up.
const MOST_WAITING: usize = 256;

/// Something to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Parcel {
    /// A text message.
    Text(Arc<str>),
    /// A binary message.
    Binary(Arc<Vec<u8>>),
    /// Bytes that are framed already: answers of the protocol itself.
    Raw(Vec<u8>),
    /// A frame that the client wants of a recording.
    Wanted(WantedFrame),
}

/// A frame of a recording that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedFrame {
    /// Number of the run.
    pub run: usize,
    /// Number of the frame.
    pub frame: usize,
    /// Number of the colour field.
    pub field: usize,
}

#[derive(Default)]
struct Contents {
    messages: VecDeque<Parcel>,
    frame: Option<(u32, Arc<Vec<u8>>)>,
    /// What is laid over the frame.
    overlays: [Option<Arc<Vec<u8>>>; OVERLAYS],
    /// The last frame wanted of each run.
    wanted: [Option<WantedFrame>; 2],
    in_flight: VecDeque<u32>,
    closed: bool,
}

/// The outbox of one client.
#[derive(Default)]
pub struct Outbox {
    contents: Mutex<Contents>,
    changed: Condvar,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        // Nobody panics while holding it; if somebody did, the contents are still whole.
        self.contents.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn change(&self, act: impl FnOnce(&mut Contents)) {
        let mut contents = self.lock();
        if !contents.closed {
            act(&mut contents);
            if contents.messages.len() > MOST_WAITING {
                contents.closed = true;
                contents.messages.clear();
            }
        }
        self.changed.notify_all();
    }

    /// Adds a message.
    pub fn send(&self, parcel: Parcel) {
        self.change(|contents| contents.messages.push_back(parcel));
    }

    /// Adds a frame; one that still waits is dropped.
    pub fn offer(&self, sequence: u32, frame: Arc<Vec<u8>>) {
        self.change(|contents| contents.frame = Some((sequence, frame)));
    }

    /// Adds what is laid over the frame that waits. It goes out with that frame and is dropped with it, so that a slow
    /// page gets fewer of both.
    pub fn lay_over(&self, kind: usize, overlay: Arc<Vec<u8>>) {
        self.change(|contents| {
            if let Some(slot) = contents.overlays.get_mut(kind) {
                *slot = Some(overlay);
            }
        });
    }

    /// Notes the frame of a recording that the client wants; an earlier wish for the same run is dropped.
    pub fn want(&self, wanted: WantedFrame) {
        self.change(|contents| {
            if let Some(slot) = contents.wanted.get_mut(wanted.run) {
                *slot = Some(wanted);
            }
        });
    }

    /// Forgets frames: the meshes have changed.
    pub fn forget_frames(&self) {
        self.change(|contents| (contents.frame, contents.overlays) = (None, Default::default()));
    }

    /// The client has drawn a frame. `false` if that frame was not under way, or not the oldest one.
    pub fn acknowledge(&self, sequence: u32) -> bool {
        let mut contents = self.lock();
        let right = contents.in_flight.front() == Some(&sequence);
        if right {
            contents.in_flight.pop_front();
            self.changed.notify_all();
        }
        right
    }

    /// Ends it; whatever waits is dropped.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Whether it has ended.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Waits for something to send; `None` when it has ended. Messages come before frames.
    pub fn next(&self) -> Option<Parcel> {
        let mut contents = self.lock();
        loop {
            if let Some(message) = contents.messages.pop_front() {
                return Some(message);
            }
            if contents.closed {
                return None;
            }
            if contents.in_flight.len() < MOST_IN_FLIGHT
                && let Some((sequence, frame)) = contents.frame.take()
            {
                contents.in_flight.push_back(sequence);
                let overlays = std::mem::take(&mut contents.overlays);
                contents.messages.extend(overlays.into_iter().flatten().map(Parcel::Binary));
                return Some(Parcel::Binary(frame));
            }
            if let Some(wanted) = contents.wanted.iter_mut().find_map(Option::take) {
                return Some(Parcel::Wanted(wanted));
            }
            contents = self.changed.wait(contents).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(k: u8) -> Arc<Vec<u8>> {
        Arc::new(vec![k])
    }

    #[test]
    fn a_slow_client_misses_frames_and_gets_the_newest() {
        let outbox = Outbox::default();
        for k in 0..10 {
            outbox.offer(k, frame(k as u8));
        }
        assert_eq!(outbox.next(), Some(Parcel::Binary(frame(9))));
        outbox.offer(10, frame(10));
        assert_eq!(outbox.next(), Some(Parcel::Binary(frame(10))));
        outbox.offer(11, frame(11));
        // Two are under way: the third waits until one is acknowledged.
        assert!(!outbox.acknowledge(10), "not the oldest");
        assert!(!outbox.acknowledge(3), "never sent");
        assert!(outbox.acknowledge(9));
        assert_eq!(outbox.next(), Some(Parcel::Binary(frame(11))));
    }

    #[test]
    fn overlays_travel_with_their_frame_and_do_not_pile_up() {
        let outbox = Outbox::default();
        for k in 0..10 {
            outbox.lay_over(0, frame(100 + k));
            outbox.lay_over(1, frame(200 + k));
            outbox.offer(u32::from(k), frame(k));
        }
        let taken: Vec<Parcel> = (0..3).filter_map(|_| outbox.next()).collect();
        assert_eq!(taken, [9, 109, 209].map(|k| Parcel::Binary(frame(k))));
    }

    #[test]
    fn a_client_that_takes_no_messages_is_given_up() {
        let outbox = Outbox::default();
        for _ in 0..2 * MOST_WAITING {
            outbox.send(Parcel::Raw(vec![0]));
        }
        assert!(outbox.is_closed());
        assert_eq!(outbox.next(), None);
    }

    #[test]
    fn only_the_last_wish_for_a_run_counts() {
        let outbox = Outbox::default();
        let wish = |run, frame| WantedFrame { run, frame, field: 0 };
        (0..5).for_each(|k| outbox.want(wish(0, k)));
        outbox.want(wish(1, 7));
        outbox.want(wish(9, 7));
        assert_eq!(outbox.next(), Some(Parcel::Wanted(wish(0, 4))));
        assert_eq!(outbox.next(), Some(Parcel::Wanted(wish(1, 7))));
    }
}
