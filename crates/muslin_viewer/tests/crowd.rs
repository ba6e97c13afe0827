//! Many pages at once, quick and slow. A test binary of its own: it looks at the memory of its process.

#[allow(dead_code)] // this test needs only a part of it
#[path = "server/page.rs"]
mod page;

use muslin_viewer::Beginning;
use page::{Page, live};
use serde_json::json;
use std::{
    thread,
    time::{Duration, Instant},
};

/// How long the crowd watches [s]; the soak sets `MUSLIN_CROWD_SECONDS` to minutes.
const SECONDS: u64 = 20;
/// Pages at once.
const PAGES: usize = 10;
/// Memory may grow by this much while they watch [bytes]: the frames under way of ten pages are a hundredth of it.
const MOST_GROWTH: u64 = 32 << 20;

/// Memory of this process that is in use [bytes]; `None` where the system does not tell.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}

#[test]
fn ten_pages_watch_and_none_slows_another() {
    let seconds = std::env::var("MUSLIN_CROWD_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(SECONDS);
    let server = live("swing", &["resolution=12"], Beginning::Playing);
    let mut warm = Page::open(&server);
    warm.wait_for_frames(10);
    let before = memory();
    let until = Instant::now() + Duration::from_secs(seconds);
    // Of ten pages, three take a nap after every frame, one acknowledges nothing, one reads nothing.
    let pages: Vec<_> = (0..PAGES)
        .map(|k| {
            let mut page = Page::open(&server);
            thread::spawn(move || {
                page.acknowledges = k != 8;
                let name = ["fabric", "strain", "curvature", "velocity"][k % 4];
                page.say(json!({ "type": "field", "name": name }));
                while Instant::now() < until {
                    match k {
                        9 => thread::sleep(Duration::from_millis(100)),
                        _ => assert!(page.read(), "page {k} was thrown out"),
                    }
                    if (5..8).contains(&k) {
                        thread::sleep(Duration::from_millis(250));
                    }
                }
                page.frames
            })
        })
        .collect();
    let frames: Vec<usize> = pages.into_iter().map(|page| page.join().unwrap()).collect();
    let growth = memory().zip(before).map(|(after, before)| after.saturating_sub(before));
    let per_second: Vec<f64> = frames.iter().map(|f| *f as f64 / seconds as f64).collect();
    println!("frames per second of each page: {per_second:.1?}; memory grew by {growth:?} bytes");
    let (quick, slow) = (&frames[..5], &frames[5..8]);
    let (least, most) = (quick.iter().min().unwrap(), quick.iter().max().unwrap());
    assert!(*least as f64 > 0.8 * *most as f64, "quick pages see the same: {frames:?}");
    assert!(
        *least as f64 > 3.0 * *slow.iter().max().unwrap() as f64,
        "slow pages do not hold the quick ones: {frames:?}"
    );
    assert!(frames[8] <= 2, "a page that acknowledges nothing gets no more: {frames:?}");
    assert!(growth.is_none_or(|growth| growth < MOST_GROWTH), "{growth:?} bytes");
}
