//! The page in a real browser: Debian's Chromium, driven by Playwright (the scripts of `xtask/page`).
//!
//! Playwright is needed here and nowhere else. It is installed below `target/`; Chromium as a Debian package, and that
//! only as root. Where either cannot be had, the checks are skipped, and that is said with the command to type.

use crate::{muslin, prepare, process, tally::Tally, workspace};
use std::path::PathBuf;
use std::process::Stdio;

/// The version that the scripts are written for.
const PLAYWRIGHT: &str = "playwright-core@1";

/// Where browsers of the name may be.
const BROWSERS: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/// Checks the page in a browser.
pub fn run() -> Result<Tally, String> {
    let (browser, modules) = match (browser(), playwright()) {
        (Ok(browser), Ok(modules)) => (browser, modules),
        (Err(why), _) | (_, Err(why)) => {
            println!("skipped: {why}");
            return Ok(Tally { skipped: 1, ..Tally::default() });
        }
    };
    muslin::build()?;
    let folder = workspace::fresh_folder("page")?;
    let mut node = process::program("node", &[]);
    node.arg(workspace::root().join("xtask/page/check.mjs"));
    node.arg(muslin::command(&[]).get_program()).arg(modules).arg(browser).arg(&folder);
    let tally = Tally::of_verdicts(&mut node)?;
    println!("screenshots are in {}", folder.display());
    Ok(tally)
}

/// What `bench/page.md` says before its table.
const RATES_HEAD: &str = "\
# The page in headless Chromium

Software graphics (SwiftShader) on two cores, a window of 1280 × 720, a hanging sheet: played back at 60 frames per second, turned
while time stands, and simulated live while the view turns. A slow machine draws fewer pixels and then fewer triangles rather
than fewer frames, and all triangles when nothing moves; `pixels` and `triangles drawn` are what it settled at. Live, browser and
solver share the cores. Renewed by `cargo xtask bench page`.

";

/// Measures frame rates and renews `bench/page.md`.
pub fn rates() -> Result<(), String> {
    let (browser, modules) = (browser()?, playwright()?);
    muslin::build()?;
    let folder = workspace::fresh_folder("page-rates")?;
    let mut node = process::program("node", &[]);
    node.arg(workspace::root().join("xtask/page/rates.mjs"));
    node.arg(muslin::command(&[]).get_program()).arg(modules).arg(browser).arg(&folder);
    let mut table = String::from(RATES_HEAD);
    let succeeded = process::lines(&mut node, |line| {
        println!("{line}");
        table.push_str(line);
        table.push('\n');
    })?;
    if !succeeded {
        return Err(format!("`{}` failed", process::line(&node)));
    }
    let path = workspace::root().join("bench/page.md");
    std::fs::write(&path, table).map_err(|error| format!("{}: {error}", path.display()))
}

fn browser() -> Result<PathBuf, String> {
    let find = || BROWSERS.iter().map(PathBuf::from).find(|path| path.exists());
    if let Some(found) = find() {
        return Ok(found);
    }
    let install = "apt-get install -y --no-install-recommends chromium";
    if prepare::is_root() {
        let words: Vec<&str> = install.split(' ').collect();
        let _ = process::program(words[0], &words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    find().ok_or_else(|| format!("the page is checked in Chromium; `sudo {install}`"))
}

/// The folder with Playwright in it.
fn playwright() -> Result<PathBuf, String> {
    let folder = workspace::target().join("playwright");
    if folder.join("node_modules/playwright-core/package.json").exists() {
        return Ok(folder);
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(folder.join("package.json"), "{ \"private\": true }\n").map_err(failed)?;
    let path = folder.to_string_lossy().into_owned();
    let mut install = process::program("npm", &["install", "--silent", "--no-audit", "--prefix", &path, PLAYWRIGHT]);
    match install.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(folder),
        _ => Err(format!("Playwright could not be installed; `{}`", process::line(&install))),
    }
}
