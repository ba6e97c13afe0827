//! The server: one thread that accepts, and two per page.

use crate::{
    client,
    guard::{self, SHORTEST_TOKEN},
    http::{self, Request, RequestError},
    hub::{Hub, MOST_CLIENTS, Session},
    page,
};
use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use tungstenite::handshake::derive_accept_key;

/// A request must be whole by then: whoever sends a byte a minute does not keep a thread.
const REQUEST_PATIENCE: Duration = Duration::from_secs(10);
/// Connections at a time: the pages' sockets and their files.
const MOST_CONNECTIONS: usize = 4 * MOST_CLIENTS;

/// How to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    /// Address to listen at; the default is reached from this machine only.
    pub address: IpAddr,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// The secret part of the address; `None` for a random one.
    pub token: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { address: Ipv4Addr::LOCALHOST.into(), port: 0, token: None }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be had.
    #[error("cannot listen at {address}: {source}; choose another --port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The system has no random numbers.
    #[error("cannot make a token: {0}")]
    Random(getrandom::Error),
    /// A token that could be guessed or that no path can hold.
    #[error("a token needs at least {SHORTEST_TOKEN} letters and digits")]
    Token,
}

/// A running server. It ends when it is dropped.
pub struct Server {
    url: String,
    address: SocketAddr,
    hub: Arc<Hub>,
    stopping: Arc<AtomicBool>,
    accepting: Option<thread::JoinHandle<()>>,
}

struct Door {
    token: String,
    hub: Arc<Hub>,
    session: Arc<dyn Session>,
    open: AtomicUsize,
}

impl Server {
    /// Starts serving a session.
    pub fn start(options: &ServerOptions, hub: Arc<Hub>, session: Arc<dyn Session>) -> Result<Self, ServerError> {
        let token = match &options.token {
            Some(token) if token.len() < SHORTEST_TOKEN || !token.chars().all(|c| c.is_ascii_alphanumeric()) => {
                return Err(ServerError::Token);
            }
            Some(token) => token.clone(),
            None => guard::random_token().map_err(ServerError::Random)?,
        };
        let address = SocketAddr::new(options.address, options.port);
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let door = Arc::new(Door { token: token.clone(), hub: hub.clone(), session, open: AtomicUsize::new(0) });
        let ending = stopping.clone();
        let accepting = thread::Builder::new()
            .name("muslin-accept".into())
            .spawn(move || accept(&listener, &door, &ending))
            .map_err(failed)?;
        // "Everywhere" is no place to go to: who is here goes by the loopback.
        let here = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let url = format!("http://{}/{token}/", SocketAddr::new(here, address.port()));
        Ok(Server { url, address, hub, stopping, accepting: Some(accepting) })
    }

    /// Where to point a browser, token included.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the server ends, which it does not by itself.
    pub fn wait(mut self) {
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.hub.clients().iter().for_each(|client| client.outbox.close());
        // A last connection wakes the thread that accepts.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let Some(thread) = self.accepting.take() {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, door: &Arc<Door>, stopping: &AtomicBool) {
    for stream in listener.incoming() {
        if stopping.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            // Too many open files, for one; a moment later there may be fewer.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if door.open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            door.open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let served = door.clone();
        let started = thread::Builder::new().name("muslin-page".into()).spawn(move || {
            // A connection that breaks is no event.
            let _ = serve(stream, &served);
            served.open.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            door.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(mut stream: TcpStream, door: &Door) -> io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_PATIENCE))?;
    stream.set_write_timeout(Some(REQUEST_PATIENCE))?;
    let request = match Request::read(&mut stream) {
        Ok(request) => request,
        Err(RequestError::Bad(status)) => return http::refuse(&mut stream, status),
        Err(RequestError::Gone) => return Ok(()),
    };
    let local = stream.local_addr()?;
    let origins = request.headers.iter().filter(|(name, _)| name == "origin").count();
    let allowed = guard::check(request.header("host"), request.header("origin"), local);
    let path = match (allowed, guard::inside(&request.path, &door.token)) {
        (Ok(()), Ok(path)) if origins <= 1 => path,
        _ => return http::refuse(&mut stream, "403 Forbidden"),
    };
    if path == "socket" {
        // Every browser says where a page that opens a socket comes from.
        if origins != 1 {
            return http::refuse(&mut stream, "403 Forbidden");
        }
        return upgrade(stream, request, door);
    }
    // Without the last slash, relative paths of the page would lose the token.
    if path.is_empty() && !request.path.ends_with('/') {
        return http::refuse(&mut stream, "404 Not Found");
    }
    match page::find(if path.is_empty() { "index.html" } else { path }) {
        Some(file) => http::respond(&mut stream, "200 OK", file.kind, file.bytes),
        None => http::refuse(&mut stream, "404 Not Found"),
    }
}

fn upgrade(mut stream: TcpStream, request: Request, door: &Door) -> io::Result<()> {
    let asks = |name, word: &str| request.header(name).is_some_and(|v| v.to_ascii_lowercase().contains(word));
    let key = request.header("sec-websocket-key").filter(|key| key.len() == 24);
    let right = asks("upgrade", "websocket") && asks("connection", "upgrade");
    let (Some(key), true, Some("13")) = (key, right, request.header("sec-websocket-version")) else {
        return http::refuse(&mut stream, "400 Bad Request");
    };
    let accept = derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes())?;
    client::converse(stream, request.rest, &door.hub, &door.session)
}
