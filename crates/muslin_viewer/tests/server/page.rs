//! A page without a browser: plain sockets, and WebSockets by `tungstenite`'s own client.

use muslin_viewer::{Beginning, Live, Server, ServerOptions, Source, hub::Hub, wire};
use serde_json::Value;
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};
use tungstenite::{Message, WebSocket, client::IntoClientRequest, handshake::client::generate_key};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with a live scene.
pub fn live(scene: &str, settings: &[&str], beginning: Beginning) -> Server {
    let hub = Arc::new(Hub::default());
    let source = Source { name: scene.into(), settings: settings.iter().map(|s| s.to_string()).collect() };
    let session = Live::start(source, hub.clone(), beginning).unwrap();
    Server::start(&ServerOptions::default(), hub, Arc::new(session)).unwrap()
}

/// Sends a request as it is; the whole answer.
pub fn raw(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The path of the server's page, token included.
pub fn path(server: &Server) -> String {
    format!("/{}", server.url().splitn(4, '/').nth(3).unwrap())
}

/// A page's socket.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    /// Frames taken so far.
    pub frames: usize,
    /// The last frame.
    pub frame: Vec<u8>,
    /// The last topology.
    pub topology: Vec<u8>,
    /// Texts that were not asked for yet.
    texts: Vec<Value>,
    /// Whether frames are acknowledged as they come.
    pub acknowledges: bool,
}

impl Page {
    pub fn open(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        // A busy machine may take its time to answer; only reading frames must not wait for long.
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let url = format!("ws{}socket", server.url().strip_prefix("http").unwrap());
        let mut request = url.into_client_request().unwrap();
        let origin = format!("http://{}", server.address());
        request.headers_mut().insert("origin", origin.parse().unwrap());
        request.headers_mut().insert("sec-websocket-key", generate_key().parse().unwrap());
        let (socket, _) = tungstenite::client(request, stream).unwrap_or_else(|error| panic!("no socket: {error}"));
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        Page { socket, frames: 0, frame: Vec::new(), topology: Vec::new(), texts: Vec::new(), acknowledges: true }
    }

    pub fn say(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// Says in bytes that a frame was drawn.
    pub fn acknowledge(&mut self, sequence: u32) {
        self.say_words(&[1, sequence]);
    }

    /// Asks in bytes for a frame of a recording.
    pub fn want(&mut self, run: u32, frame: u32) {
        self.say_words(&[2, run, frame]);
    }

    fn say_words(&mut self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.socket.send(Message::binary(bytes)).unwrap();
    }

    /// Reads one message, if one comes soon; `false` when the connection has ended.
    pub fn read(&mut self) -> bool {
        match self.socket.read() {
            Ok(Message::Text(text)) => self.texts.push(serde_json::from_str(&text).unwrap()),
            Ok(Message::Binary(bytes)) if bytes[..4] == wire::FRAME.to_le_bytes() => {
                self.frames += 1;
                self.frame = bytes.to_vec();
                if self.acknowledges {
                    let sequence = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
                    self.acknowledge(sequence);
                }
            }
            Ok(Message::Binary(bytes)) if bytes[..4] == wire::TOPOLOGY.to_le_bytes() => self.topology = bytes.to_vec(),
            Ok(_) => {}
            // A process that was stopped and goes on (Ctrl-Z, `fg`) finds its reading interrupted.
            Err(tungstenite::Error::Io(e))
                if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(_) => return false,
        }
        true
    }

    /// Waits for a text of a kind that fits.
    pub fn wait_for(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(k) = self.texts.iter().position(|text| text["type"] == kind && fits(text)) {
                return self.texts.remove(k);
            }
            assert!(self.read(), "the connection ended while waiting for `{kind}`");
        }
        panic!("no `{kind}` came; others: {:?}", self.texts.iter().map(|t| t["type"].clone()).collect::<Vec<_>>());
    }

    /// Waits until so many further frames have come.
    pub fn wait_for_frames(&mut self, more: usize) {
        let (until, goal) = (Instant::now() + PATIENCE, self.frames + more);
        while self.frames < goal {
            assert!(self.read() && Instant::now() < until, "{} of {goal} frames came", self.frames);
        }
    }

    /// Time of the last frame [s].
    pub fn time(&self) -> f64 {
        f64::from_le_bytes(self.frame[48..56].try_into().unwrap())
    }

    /// Place of a drawn vertex in the last frame [m].
    pub fn place(&self, drawn: usize) -> [f64; 3] {
        let single = |at: usize| f64::from(f32::from_le_bytes(self.frame[at..at + 4].try_into().unwrap()));
        [0, 1, 2].map(|k| {
            let at = wire::HEADER + 6 * drawn + 2 * k;
            let q = u16::from_le_bytes(self.frame[at..at + 2].try_into().unwrap());
            single(24 + 4 * k) + f64::from(q) / 65535.0 * single(36 + 4 * k)
        })
    }
}
