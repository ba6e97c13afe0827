//! Many pages at once, quick and slow, against one page alone. A test binary of its own: it looks at the memory of its
//! process.

#[allow(dead_code)] // this test needs only a part of it
#[path = "server/page.rs"]
mod page;

use muslin_viewer::{Beginning, Server};
use page::{Page, live};
use serde_json::json;
use std::{
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long the crowd watches [s]; the soak sets `MUSLIN_CROWD_SECONDS` to minutes.
const SECONDS: f64 = 20.0;
/// How long a page watches alone, before the crowd and after it [s].
const ALONE_SECONDS: f64 = 5.0;
/// Pages at once.
const PAGES: usize = 10;
/// The first so many of them are quick.
const QUICK: usize = 5;
/// A page in the crowd sees at least this part of what one alone sees [-]. Ten pages cost the machine something; a page
/// that held the others up would leave them its own rate, a tenth.
const LEAST_PART: f64 = 0.75;
/// The crowd is measured so often at most: other work on the machine slows one page as it slows ten, but it comes and goes.
/// A page that held others up would do so each time.
const ATTEMPTS: usize = 4;
/// Part of the time after which everything that a page needs has been allocated [-].
const SETTLED: f64 = 0.3;
/// Memory may grow by this much afterwards [bytes]. Frames that wait for the two pages that take none would be
/// 2 × 18 KB × 60/s × 14 s = 30 MB.
const MOST_GROWTH: u64 = 8 << 20;

/// Memory of this process that is in use [bytes]; `None` where the system does not tell.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}

/// A scene that is simulated much faster than it is shown, with frames of 18 KB: what pages see is up to the server.
fn stage() -> Server {
    live("hang", &["resolution=40"], Beginning::Playing)
}

/// Frames per second that a page sees alone.
fn alone(server: &Server) -> f64 {
    let mut page = Page::open(server);
    page.wait_for_frames(10);
    let (first, began) = (page.frames, Instant::now());
    while began.elapsed().as_secs_f64() < ALONE_SECONDS {
        assert!(page.read(), "the page was thrown out");
    }
    (page.frames - first) as f64 / began.elapsed().as_secs_f64()
}

/// One of the crowd: three nap after every frame, one acknowledges nothing, one reads nothing. Its frames in the end.
fn watch(server: &Server, number: usize, until: Instant) -> JoinHandle<usize> {
    let mut page = Page::open(server);
    thread::spawn(move || {
        page.acknowledges = number != 8;
        let name = ["fabric", "strain", "curvature", "velocity"][number % 4];
        page.say(json!({ "type": "field", "name": name }));
        while Instant::now() < until {
            match number {
                9 => thread::sleep(Duration::from_millis(100)),
                _ => assert!(page.read(), "page {number} was thrown out"),
            }
            if (QUICK..8).contains(&number) {
                thread::sleep(Duration::from_millis(250));
            }
        }
        page.frames
    })
}

#[test]
fn ten_pages_watch_and_each_quick_one_sees_as_much_as_one_alone() {
    let seconds = std::env::var("MUSLIN_CROWD_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(SECONDS);
    let server = stage();
    assert!((0..ATTEMPTS).any(|_| crowd_sees_as_much(&server, seconds)), "a quick page was held up each time");
}

/// Whether each quick page of a crowd saw as much as one alone, before it and after it. Whatever holds on a busy machine
/// too is asserted.
fn crowd_sees_as_much(server: &Server, seconds: f64) -> bool {
    let first = alone(server);
    let began = Instant::now();
    let until = began + Duration::from_secs_f64(seconds);
    let pages: Vec<_> = (0..PAGES).map(|number| watch(server, number, until)).collect();
    thread::sleep(Duration::from_secs_f64(SETTLED * seconds));
    let settled = memory();
    let frames: Vec<usize> = pages.into_iter().map(|page| page.join().unwrap()).collect();
    let growth = memory().zip(settled).map(|(after, before)| after.saturating_sub(before));
    let watched = began.elapsed().as_secs_f64();
    let second = alone(server);
    let per_second: Vec<f64> = frames.iter().map(|f| *f as f64 / watched).collect();
    println!(
        "frames per second of each page: {per_second:.1?}; of one alone {first:.1} before and {second:.1} after; \
         memory grew by {growth:?} bytes"
    );
    assert!(frames[8] <= 2, "a page that acknowledges nothing gets no more: {frames:?}");
    assert!(growth.is_none_or(|growth| growth < MOST_GROWTH), "{growth:?} bytes");
    // The machine has other work at times: the crowd is measured against the slower of the two.
    let quick = per_second[..QUICK].iter().copied().fold(f64::INFINITY, f64::min);
    // Four naps a second leave at most four frames.
    let naps_count = per_second[QUICK..8].iter().all(|slow| *slow > 0.5 && *slow < quick.min(4.5));
    quick > LEAST_PART * first.min(second) && naps_count
}
