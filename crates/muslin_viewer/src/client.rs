//! One connection of a page: a thread that listens and a thread that sends.
//!
//! Reading follows the WebSocket protocol with all its cases, which is `tungstenite`'s work; what it wants to answer by
//! itself (pongs, the closing handshake) goes through the same outbox as everything else, so that two threads never
//! write at a time. Writing is a short header and the bytes.

use crate::{
    hub::{Client, Hub, Session},
    message::{LONGEST, Message},
    outbox::Parcel,
};
use serde_json::json;
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
    thread,
    time::Duration,
};
use tungstenite::{
    Message as Packet, WebSocket,
    protocol::{Role, WebSocketConfig},
};

/// Refused messages before a page is shown the door: a page of ours sends none, save a few around a reset.
const MOST_REFUSED: usize = 100;
/// A page that takes nothing for so long has gone.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// The reading end of a connection. What the protocol answers goes into the outbox.
struct ReadingEnd {
    stream: TcpStream,
    client: Arc<Client>,
}

impl Read for ReadingEnd {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.stream.read(room)
    }
}

impl Write for ReadingEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.client.outbox.send(Parcel::Raw(bytes.to_vec()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Talks with a page until it goes. `rest` are bytes that came right after its request.
pub fn converse(stream: TcpStream, rest: Vec<u8>, hub: &Hub, session: &Arc<dyn Session>) -> io::Result<()> {
    let Some(client) = hub.join() else { return Ok(()) };
    stream.set_nodelay(true)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(Some(WRITE_PATIENCE))?;
    let sending = {
        let (stream, client, session) = (stream.try_clone()?, client.clone(), session.clone());
        thread::Builder::new().name("muslin-send".into()).spawn(move || send(stream, &client, &*session))?
    };
    session.joined(&client);
    listen(stream.try_clone()?, rest, &client, &**session);
    hub.leave(&client);
    session.left(&client);
    // The sender may be in the middle of a write to a page that reads nothing.
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = sending.join();
    Ok(())
}

fn listen(stream: TcpStream, rest: Vec<u8>, client: &Arc<Client>, session: &dyn Session) {
    let limits = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let end = ReadingEnd { stream, client: client.clone() };
    let mut socket = WebSocket::from_partially_read(end, rest, Role::Server, Some(limits));
    let mut refused = 0;
    while !client.outbox.is_closed() {
        let message = match socket.read() {
            Ok(Packet::Text(text)) => Message::parse(text.as_str()),
            Ok(Packet::Binary(bytes)) => Message::parse_bytes(&bytes),
            Ok(Packet::Close(_)) => return,
            Ok(_) => continue,
            // Closed, broken, or not the protocol: an oversized message is among these.
            Err(_) => return,
        };
        let heard = message.and_then(|message| match message {
            Message::Ack { sequence } => match client.outbox.acknowledge(sequence) {
                true => Ok(()),
                false => Err(format!("frame {sequence} was not the oldest under way")),
            },
            message => session.hear(client, message),
        });
        if let Err(reason) = heard {
            refused += 1;
            client.tell(&json!({ "type": "refused", "reason": reason }));
            if refused > MOST_REFUSED {
                return;
            }
        }
    }
}

fn send(mut stream: TcpStream, client: &Client, session: &dyn Session) {
    while let Some(parcel) = client.outbox.next() {
        let parcel = match parcel {
            Parcel::Wanted(wanted) => match session.frame(wanted) {
                Some(parcel) => parcel,
                None => continue,
            },
            parcel => parcel,
        };
        let written = match &parcel {
            Parcel::Text(text) => write(&mut stream, TEXT, text.as_bytes()),
            Parcel::Binary(bytes) => write(&mut stream, BINARY, bytes),
            Parcel::Raw(bytes) => stream.write_all(bytes),
            Parcel::Wanted(_) => Ok(()),
        };
        if written.is_err() {
            break;
        }
    }
    client.outbox.close();
    // Wakes the listener.
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

/// Final frame of a text message, and of a binary one (RFC 6455, section 5.2).
const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;

/// Writes a message in one frame; a server does not mask.
fn write(stream: &mut TcpStream, kind: u8, bytes: &[u8]) -> io::Result<()> {
    let mut head = vec![kind];
    match bytes.len() {
        short @ 0..126 => head.push(short as u8),
        middle @ 126..65536 => {
            head.push(126);
            head.extend_from_slice(&(middle as u16).to_be_bytes());
        }
        long => {
            head.push(127);
            head.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    stream.write_all(&head)?;
    stream.write_all(bytes)
}
