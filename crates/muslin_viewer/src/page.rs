//! The page's files, embedded as they are.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageFile {
    /// Its path.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal as $kind:expr),* $(,)?) => {
        &[$(PageFile { path: $path, kind: $kind, bytes: include_bytes!(concat!("../page/", $path)) }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// All files.
pub const FILES: &[PageFile] = files![
    "index.html" as HTML,
    "alive.html" as HTML,
    "style.css" as STYLE,
    "icon.svg" as PICTURE,
    "main.js" as SCRIPT,
    "connection.js" as SCRIPT,
    "wire.js" as SCRIPT,
    "session.js" as SCRIPT,
    "camera.js" as SCRIPT,
    "matrix.js" as SCRIPT,
    "graphics.js" as SCRIPT,
    "surface.js" as SCRIPT,
    "overlays.js" as SCRIPT,
    "inspection.js" as SCRIPT,
    "loop.js" as SCRIPT,
    "drawing.js" as SCRIPT,
    "picking.js" as SCRIPT,
    "touch.js" as SCRIPT,
    "controls.js" as SCRIPT,
    "dials.js" as SCRIPT,
    "timeline.js" as SCRIPT,
    "plots.js" as SCRIPT,
    "format.js" as SCRIPT,
    "keyboard.js" as SCRIPT,
    "pace.js" as SCRIPT,
    "coarse.js" as SCRIPT,
    "shaders/surface.vert" as PLAIN,
    "shaders/surface.frag" as PLAIN,
    "shaders/shadow.vert" as PLAIN,
    "shaders/shadow.frag" as PLAIN,
    "shaders/overlay.vert" as PLAIN,
    "shaders/overlay.frag" as PLAIN,
    "shaders/normals.vert" as PLAIN,
    "shaders/wire.vert" as PLAIN,
];

/// A file by its path.
pub fn find(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}
