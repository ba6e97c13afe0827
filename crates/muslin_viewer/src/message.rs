//! What a page may say.
//!
//! What it says for every frame is a few bytes, because a page that makes a text of it would allocate for every frame: a
//! kind and one or two numbers, all `u32` in little-endian order. Everything else is JSON.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Longest message of a page [bytes].
pub const LONGEST: usize = 64 << 10;
/// Grabs of one page at a time: the fingers of two hands.
pub const MOST_GRABS: usize = 10;
/// Values that one message may change.
pub const MOST_VALUES: usize = 32;

/// Kind of a message in bytes: a frame was drawn; its sequence follows.
const ACKNOWLEDGE: u32 = 1;
/// Kind of a message in bytes: a frame of a recording is wanted; its run and its number follow.
const WANT: u32 = 2;

/// A message of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// A frame was drawn; comes in bytes.
    #[serde(skip)]
    Ack {
        /// Its number among those sent.
        sequence: u32,
    },
    /// Let time run.
    Play {},
    /// Let it stand.
    Pause {},
    /// One frame on.
    Step {},
    /// Begin again, with the changed values.
    Restart {},
    /// Read the file again and begin as it says.
    Reset {},
    /// How fast time runs, 1 is as in the world [-].
    Speed {
        /// The factor.
        value: f64,
    },
    /// What to colour by.
    Field {
        /// Its word.
        name: String,
    },
    /// Take hold of the cloth.
    Grab {
        /// The page's own number for this hold.
        id: u32,
        /// The vertex.
        vertex: u32,
        /// Where to pull it [m].
        target: [f64; 3],
    },
    /// Pull elsewhere.
    Move {
        /// The hold.
        id: u32,
        /// Where to [m].
        target: [f64; 3],
    },
    /// Let go.
    Release {
        /// The hold.
        id: u32,
    },
    /// Hold a vertex where it is.
    Pin {
        /// The vertex.
        vertex: u32,
    },
    /// Let a vertex go, whoever held it.
    Unpin {
        /// The vertex.
        vertex: u32,
    },
    /// Let a pin of the scene go.
    Cut {
        /// Its number in the list that the page was given.
        pin: usize,
    },
    /// Turn dials.
    Set {
        /// Values by the name of their dial.
        values: BTreeMap<String, f64>,
    },
    /// Tell the numbers of a vertex from now on.
    Pick {
        /// The vertex; none to stop.
        vertex: Option<u32>,
        /// The other end of the edge that was clicked.
        #[serde(default)]
        other: Option<u32>,
        /// The run, of a recording.
        #[serde(default)]
        run: usize,
        /// The frame, of a recording.
        #[serde(default)]
        frame: usize,
    },
    /// Send how a hinge of a recording is bent in all of its frames.
    Loop {
        /// The run.
        run: usize,
        /// One end of the hinge.
        vertex: u32,
        /// The other.
        other: u32,
    },
    /// Send the boxes of the broad phase from now on.
    Boxes {
        /// The level of its tree, 0 are the faces; none for no longer.
        level: Option<u32>,
    },
    /// Send the contacts and impact zones from now on, or no longer.
    Contacts {
        /// Whether.
        shown: bool,
    },
    /// Send the scene as it is now.
    Save {},
    /// Send a frame of a recording; comes in bytes.
    #[serde(skip)]
    Frame {
        /// The run.
        run: usize,
        /// The frame.
        frame: usize,
    },
}

impl Message {
    /// Reads one that comes in bytes.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Message, String> {
        let (words, rest) = bytes.as_chunks::<4>();
        let mut numbers = words.iter().map(|word| u32::from_le_bytes(*word));
        let taken = [numbers.next(), numbers.next(), numbers.next(), numbers.next()];
        match taken {
            [Some(ACKNOWLEDGE), Some(sequence), None, None] if rest.is_empty() => Ok(Message::Ack { sequence }),
            [Some(WANT), Some(run), Some(frame), None] if rest.is_empty() => {
                Ok(Message::Frame { run: run as usize, frame: frame as usize })
            }
            _ => Err("these bytes are no message".into()),
        }
    }

    /// Reads one; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Message, String> {
        let message: Message = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let finite = |values: &[f64]| match values.iter().all(|v| v.is_finite() && v.abs() < FARTHEST) {
            true => Ok(()),
            false => Err("a number is too large".to_string()),
        };
        match &message {
            Message::Grab { target, .. } | Message::Move { target, .. } => finite(target)?,
            Message::Speed { value } => finite(&[*value])?,
            Message::Set { values } if values.len() > MOST_VALUES => return Err("too many values at once".into()),
            Message::Set { values } => finite(&values.values().copied().collect::<Vec<_>>())?,
            _ => {}
        }
        Ok(message)
    }
}

/// Largest number of a page; beyond it nothing is meant [-].
const FARTHEST: f64 = 1e13;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        assert_eq!(Message::parse(r#"{"type":"play"}"#), Ok(Message::Play {}));
        assert_eq!(
            Message::parse(r#"{"type":"grab","id":1,"vertex":7,"target":[0,1.5,2]}"#),
            Ok(Message::Grab { id: 1, vertex: 7, target: [0.0, 1.5, 2.0] })
        );
        assert_eq!(
            Message::parse(r#"{"type":"pick","vertex":null}"#),
            Ok(Message::Pick { vertex: None, other: None, run: 0, frame: 0 })
        );
    }

    #[test]
    fn messages_in_bytes_are_read_and_nothing_else_is() {
        assert_eq!(Message::parse_bytes(&[1, 0, 0, 0, 7, 1, 0, 0]), Ok(Message::Ack { sequence: 263 }));
        let want = [2, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0];
        assert_eq!(Message::parse_bytes(&want), Ok(Message::Frame { run: 1, frame: 9 }));
        let longer = [&want[..], &[0]].concat();
        for bytes in [&[][..], &[1], &[1, 0, 0, 0], &want[..8], &want[..11], &longer, &[3, 0, 0, 0, 0, 0, 0, 0]] {
            assert!(Message::parse_bytes(bytes).is_err(), "{bytes:?}");
        }
        assert!(Message::parse(r#"{"type":"ack","sequence":1}"#).is_err(), "there is one way to say it");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "play",
            "{}",
            r#"{"type":"fly"}"#,
            r#"{"type":"play","extra":1}"#,
            r#"{"type":"grab","id":-1,"vertex":0,"target":[0,0,0]}"#,
            r#"{"type":"grab","id":1,"vertex":0,"target":[0,0]}"#,
            r#"{"type":"move","id":1,"target":[0,0,1e300]}"#,
            r#"{"type":"speed","value":1e999}"#,
            r#"{"type":"speed","value":null}"#,
            r#"{"type":"set","values":{"a":"b"}}"#,
        ] {
            assert!(Message::parse(text).is_err(), "{text}");
        }
        let many: Vec<String> = (0..MOST_VALUES + 1).map(|k| format!("\"{k}\":1")).collect();
        assert!(Message::parse(&format!(r#"{{"type":"set","values":{{{}}}}}"#, many.join(","))).is_err());
    }
}
