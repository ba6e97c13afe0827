//! Messages that no page would send. Whatever comes, the server goes on.

use crate::page::{Page, live, path, raw};
use muslin_viewer::Beginning;
use serde_json::json;
use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};
use tungstenite::Message;

/// Rounds of random bytes; the soak sets `MUSLIN_FUZZ_ROUNDS` to more.
const ROUNDS: u64 = 300;

fn rounds() -> u64 {
    std::env::var("MUSLIN_FUZZ_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(ROUNDS)
}

/// A small generator with a fixed seed (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

fn still_works(server: &muslin_viewer::Server) {
    let mut page = Page::open(server);
    page.wait_for_frames(1);
    page.say(json!({ "type": "step" }));
    page.wait_for_frames(1);
}

#[test]
fn random_bytes_instead_of_requests_do_not_stop_the_server() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let mut random = Random(0x5eed);
    let good = format!("GET {}index.html HTTP/1.1\r\nHost: {}\r\n\r\n", path(&server), server.address());
    for _ in 0..rounds() {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at + 1),
                2 => bytes.insert(at, random.next() as u8),
                _ => bytes.extend(std::iter::repeat_n(b'x', random.below(200))),
            }
        }
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let _ = stream.write_all(&bytes);
        // Hangs up without waiting.
    }
    assert!(raw(&server, &good).starts_with("HTTP/1.1 200"));
    still_works(&server);
}

#[test]
fn random_frames_of_the_socket_do_not_stop_the_server() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let mut random = Random(0xf00d);
    for _ in 0..rounds() / 10 {
        let mut page = Page::open(&server);
        let stream = page.socket.get_mut();
        for _ in 0..random.below(20) {
            let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
            let _ = stream.write_all(&bytes);
        }
    }
    still_works(&server);
}

#[test]
fn messages_out_of_order_are_refused_and_change_nothing() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let mut page = Page::open(&server);
    page.wait_for_frames(1);
    let wrong = [
        json!({ "type": "move", "id": 3, "target": [0, 0, 0] }),
        json!({ "type": "release", "id": 3 }),
        json!({ "type": "grab", "id": 1, "vertex": 4_000_000_000u32, "target": [0, 0, 0] }),
        json!({ "type": "pin", "vertex": 16 }),
        json!({ "type": "cut", "pin": 1000 }),
        json!({ "type": "set", "values": { "gravity": 3 } }),
        json!({ "type": "hello" }),
        json!([1, 2, 3]),
        json!("play"),
    ];
    for message in wrong {
        page.say(message.clone());
        page.wait_for("refused", |_| true);
    }
    let refused = |page: &mut Page, why: &str| {
        page.wait_for("refused", |r| r["reason"].as_str().unwrap().contains(why));
    };
    page.acknowledge(99_999);
    refused(&mut page, "99999");
    page.want(0, 3);
    refused(&mut page, "no recorded frames");
    page.socket.send(Message::binary(vec![1, 2, 3])).unwrap();
    refused(&mut page, "no message");
    page.say(json!({ "type": "save" }));
    let text = page.wait_for("saved", |_| true)["text"].as_str().unwrap().to_string();
    let scene = muslin::io::parse("saved.toml", &text, "hang", &[]).unwrap().scene;
    assert_eq!(scene, muslin::load("hang", &["resolution=4".into()]).unwrap().scene);
}

#[test]
fn an_oversized_message_ends_its_connection_only() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let mut other = Page::open(&server);
    other.wait_for_frames(1);
    let mut page = Page::open(&server);
    page.wait_for_frames(1);
    let _ = page.socket.send(Message::text("x".repeat(1 << 20)));
    while page.read() {}
    other.say(json!({ "type": "step" }));
    other.wait_for_frames(1);
}

#[test]
fn a_page_that_only_sends_nonsense_is_shown_the_door() {
    let server = live("hang", &["resolution=4"], Beginning::Paused);
    let mut page = Page::open(&server);
    let sent = (0..100_000).take_while(|_| page.socket.send(Message::text("nonsense")).is_ok()).count();
    assert!(sent < 100_000);
    still_works(&server);
}

/// How far time goes within some seconds of the clock, as a page sees it [s].
fn course(page: &mut Page, seconds: f64) -> f64 {
    page.wait_for_frames(1);
    let (start, began) = (page.time(), Instant::now());
    while began.elapsed().as_secs_f64() < seconds {
        assert!(page.read(), "the page was thrown out");
    }
    page.time() - start
}

/// Other work on the machine comes and goes; a page that stops time does so each time.
const ATTEMPTS: usize = 4;

#[test]
fn a_page_that_never_ceases_to_talk_does_not_stop_time() {
    let server = live("hang", &["resolution=40"], Beginning::Playing);
    let mut page = Page::open(&server);
    let mut goes_on = || {
        let alone = course(&mut page, 2.0);
        let (talker, ends) = (Page::open(&server), Instant::now() + Duration::from_secs(4));
        let talking = std::thread::spawn(move || talk(talker, ends));
        let beside = course(&mut page, 2.0);
        let said = talking.join().unwrap();
        println!("{beside} s beside a page that says {said} wishes, {alone} s without");
        said > 300 && beside > 0.25 * alone
    };
    assert!((0..ATTEMPTS).any(|_| goes_on()));
}

/// Says one wish after the other; how many.
fn talk(mut page: Page, ends: Instant) -> usize {
    for k in 0.. {
        let name = ["strain", "curvature"][k % 2];
        page.say(json!({ "type": "field", "name": name }));
        page.say(json!({ "type": "contacts", "shown": true }));
        // Reads too, as far as something has come: otherwise it would be held up by what it does not take.
        if k % 64 == 0 && (!page.read() || Instant::now() > ends) {
            return k;
        }
    }
    0
}

#[test]
fn mutated_messages_do_not_stop_the_server() {
    let server = live("flag", &["resolution=5"], Beginning::Playing);
    let seeds = [
        r#"{"type":"grab","id":1,"vertex":7,"target":[0,1.5,2]}"#,
        r#"{"type":"move","id":1,"target":[0.1,0.2,0.3]}"#,
        r#"{"type":"set","values":{"cloth.0.shear":100,"wind.x":3,"step":0.01}}"#,
        r#"{"type":"speed","value":2}"#,
        r#"{"type":"pick","vertex":3}"#,
        r#"{"type":"unpin","vertex":0}"#,
        r#"{"type":"restart"}"#,
    ];
    let in_bytes = [&[1u8, 0, 0, 0, 1, 0, 0, 0][..], &[2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]];
    let mut random = Random(0xc10f);
    for _ in 0..rounds() / 30 {
        let mut page = Page::open(&server);
        for _ in 0..30 {
            let mut bytes = in_bytes[random.below(2)].to_vec();
            bytes.truncate(random.below(bytes.len() + 1));
            bytes.iter_mut().for_each(|byte| *byte ^= if random.below(4) == 0 { random.next() as u8 } else { 0 });
            let mut text = seeds[random.below(seeds.len())].as_bytes().to_vec();
            for _ in 0..random.below(3) {
                let at = random.below(text.len());
                text[at] = b"0123456789-.e\"{}[],:x"[random.below(21)];
            }
            if let Ok(text) = String::from_utf8(text)
                && (page.socket.send(Message::text(text)).is_err() || page.socket.send(Message::binary(bytes)).is_err())
            {
                break;
            }
        }
        page.read();
    }
    still_works(&server);
}
