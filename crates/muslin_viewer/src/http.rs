//! As much of HTTP/1.1 as one page needs: `GET`, no bodies, one answer per connection.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
};

/// Longest request [bytes]; a browser's own are a tenth of it.
const LONGEST_REQUEST: usize = 16 << 10;
/// Most headers of a request.
const MOST_HEADERS: usize = 64;

/// A request without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Path without the query.
    pub path: String,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// Bytes that came after the request.
    pub rest: Vec<u8>,
}

/// Why there is no request.
#[derive(Debug)]
pub enum RequestError {
    /// The connection broke, or nothing came in time.
    Gone,
    /// It is not a request that this server knows; the status says why.
    Bad(&'static str),
}

impl From<io::Error> for RequestError {
    fn from(_: io::Error) -> Self {
        RequestError::Gone
    }
}

impl Request {
    /// Reads one.
    pub fn read(stream: &mut impl Read) -> Result<Self, RequestError> {
        let mut bytes = Vec::new();
        let mut piece = [0; 2048];
        loop {
            let count = stream.read(&mut piece)?;
            if count == 0 {
                return Err(RequestError::Gone);
            }
            // The end may lie across two pieces.
            let from = bytes.len().saturating_sub(3);
            bytes.extend_from_slice(&piece[..count]);
            if let Some(at) = bytes[from..].windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = bytes.split_off(from + at + 4);
                return Request::parse(&bytes, rest);
            }
            if bytes.len() > LONGEST_REQUEST {
                return Err(RequestError::Bad("431 Request Header Fields Too Large"));
            }
        }
    }

    fn parse(bytes: &[u8], rest: Vec<u8>) -> Result<Self, RequestError> {
        let bad = || RequestError::Bad("400 Bad Request");
        let text = std::str::from_utf8(bytes).map_err(|_| bad())?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0")) = (method, target, version) else {
            return Err(bad());
        };
        if method != "GET" {
            return Err(RequestError::Bad("405 Method Not Allowed"));
        }
        let mut headers = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').ok_or_else(bad)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
            if headers.len() > MOST_HEADERS {
                return Err(RequestError::Bad("431 Request Header Fields Too Large"));
            }
        }
        let path = target.split('?').next().unwrap_or_default().to_string();
        Ok(Request { path, headers, rest })
    }

    /// The value of a header, if it is there exactly once: two hosts are none.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }
}

/// What the page may do: only what this server gave it, and only to this server.
fn policy(local: SocketAddr) -> String {
    let (here, port) = (SocketAddr::new(local.ip().to_canonical(), local.port()), local.port());
    let sockets = format!("ws://{here} ws://localhost:{port}");
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self' {sockets}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
}

/// Answers and ends the conversation.
pub fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    let policy = policy(stream.local_addr()?);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nContent-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Answers with a line of text.
pub fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    respond(stream, status, "text/plain; charset=utf-8", format!("{status}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, RequestError> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn a_request_is_read_with_what_follows_it() {
        let request = read("GET /a/b?c=d HTTP/1.1\r\nHost: x:1\r\nOrigin:  http://x:1 \r\n\r\nmore").unwrap();
        assert_eq!(request.path, "/a/b");
        assert_eq!(request.header("host"), Some("x:1"));
        assert_eq!(request.header("origin"), Some("http://x:1"));
        assert_eq!(request.rest, b"more");
    }

    #[test]
    fn two_hosts_are_none() {
        let request = read("GET / HTTP/1.1\r\nHost: a:1\r\nhost: b:1\r\n\r\n").unwrap();
        assert_eq!(request.header("host"), None);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(2 * LONGEST_REQUEST));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_HEADERS + 1));
        let others = ["POST / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "\r\n\r\n", "GET / HTTP/1.1\r\nnonsense\r\n\r\n"];
        for text in others.into_iter().chain([long.as_str(), many.as_str()]) {
            assert!(matches!(read(text), Err(RequestError::Bad(_))), "{}", &text[..text.len().min(40)]);
        }
        assert!(matches!(read("GET / HTTP/1.1\r\nHost"), Err(RequestError::Gone)));
    }
}
