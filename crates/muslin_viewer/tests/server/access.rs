//! Who gets in.

use crate::page::{live, path, raw};
use muslin_viewer::{Beginning, ServerError, ServerOptions, page::FILES};

fn get(path: &str, host: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n")
}

#[test]
fn every_file_of_the_page_is_served_with_a_strict_policy() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let (path, host) = (path(&server), server.address().to_string());
    for file in FILES {
        let answer = raw(&server, &get(&format!("{path}{}", file.path), &host, ""));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{}: {answer}", file.path);
        assert!(answer.contains("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(!answer.contains("unsafe-"), "{}", file.path);
        let text = std::str::from_utf8(file.bytes).unwrap();
        assert!(answer.ends_with(text));
        let elsewhere = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!elsewhere.contains("http://") && !elsewhere.contains("https://"), "{} leaves this machine", file.path);
        assert!(!text.contains("style=\"") && !text.contains("onclick="), "{} breaks the policy", file.path);
    }
    assert!(raw(&server, &get(&path, &host, "")).contains("<!doctype html>"));
    assert!(raw(&server, &get(&format!("{path}nothing.js"), &host, "")).starts_with("HTTP/1.1 404"));
    assert!(raw(&server, &get(&format!("{path}../src/lib.rs"), &host, "")).starts_with("HTTP/1.1 404"));
}

#[test]
fn a_wrong_token_a_foreign_host_and_a_foreign_origin_get_403() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let (path, host) = (path(&server), server.address().to_string());
    let port = server.address().port();
    let refused = |request: String| {
        let answer = raw(&server, &request);
        assert!(answer.starts_with("HTTP/1.1 403"), "{request}\n{answer}");
        assert!(!answer.contains("<!doctype"));
    };
    for wrong in ["/", "/index.html", "/0123456789abcdef0123456789abcdef/", &path[..path.len() - 2]] {
        refused(get(wrong, &host, ""));
    }
    for foreign in [format!("evil.example:{port}"), "127.0.0.1".into(), format!("127.0.0.2:{port}"), String::new()] {
        refused(get(&path, &foreign, ""));
    }
    refused(format!("GET {path} HTTP/1.1\r\n\r\n"));
    refused(get(&path, &host, "Origin: http://evil.example\r\n"));
    refused(get(&path, &host, "Origin: null\r\n"));
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    refused(get(&format!("{path}socket"), &host, upgrade));
    refused(get(&format!("{path}socket"), &host, &format!("{upgrade}Origin: http://evil.example\r\n")));
    // The key and the answer are the example of RFC 6455, section 1.3.
    let mine = format!("{upgrade}Origin: http://{host}\r\n");
    let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
    std::io::Write::write_all(&mut stream, get(&format!("{path}socket"), &host, &mine).as_bytes()).unwrap();
    let mut answer = [0; 200];
    let count = std::io::Read::read(&mut stream, &mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..count]);
    assert!(answer.starts_with("HTTP/1.1 101") && answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
}

#[test]
fn only_this_machine_is_let_in_by_default() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    assert!(server.address().ip().is_loopback());
    assert!(server.url().len() >= "http://127.0.0.1:1/".len() + 32, "{}", server.url());
}

#[test]
fn the_address_that_is_printed_opens_the_page_whatever_it_listens_at() {
    use muslin_viewer::{Playback, Server, hub::Hub};
    use std::sync::Arc;
    for address in ["127.0.0.1", "0.0.0.0", "::1", "::"] {
        let hub = Arc::new(Hub::default());
        let session = Arc::new(Playback::open(Vec::new(), hub.clone()));
        let options = ServerOptions { address: address.parse().unwrap(), ..ServerOptions::default() };
        let server = match Server::start(&options, hub, session) {
            Ok(server) => server,
            Err(error) if address.contains(':') => {
                println!("skipped: {address}: {error}");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let (host, path) = server.url()["http://".len()..].split_once('/').unwrap();
        let mut stream = std::net::TcpStream::connect(host).unwrap_or_else(|error| panic!("{host}: {error}"));
        std::io::Write::write_all(&mut stream, get(&format!("/{path}"), host, "").as_bytes()).unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(&format!("ws://{host} ")), "{address}: {answer}");
    }
}

#[test]
fn a_token_that_could_be_guessed_is_refused() {
    use muslin_viewer::{Playback, Server, hub::Hub};
    use std::sync::Arc;
    for token in ["", "short", "sixteen letters!", "../../../../../../x"] {
        let hub = Arc::new(Hub::default());
        let session = Arc::new(Playback::open(Vec::new(), hub.clone()));
        let options = ServerOptions { token: Some(token.into()), ..ServerOptions::default() };
        assert!(matches!(Server::start(&options, hub, session), Err(ServerError::Token)), "{token}");
    }
}
