//! `muslin view`: a page to watch and touch a scene, or to play back runs.

use crate::exit::{self, complain, say};
use clap::Args;
use muslin_viewer::{Beginning, Live, Playback, Server, ServerOptions, Source, hub::Hub, hub::Session};
use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::Arc,
};

/// Opens a page on which a scene runs live, or finished runs are played back.
///
/// The page is served to this machine only, at an address that carries a secret. It works without the internet. Ctrl-C
/// ends it.
#[derive(Args)]
pub struct ViewArguments {
    /// A scene (the name of a built-in one, or a TOML file), or a run's directory; two directories are shown side by
    /// side.
    #[arg(value_name = "SCENE|DIR", required = true, num_args = 1..=2)]
    shown: Vec<String>,
    /// Port of the server [default: a free one].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address and open no browser.
    #[arg(long)]
    no_open: bool,
    /// Set a parameter of the scene, or any key by its path, as for `muslin run`.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Begin with time standing still.
    #[arg(long)]
    paused: bool,
    /// Address to listen at. Any other than the default lets other machines in, if they know the secret.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Secret part of the address, 16 letters and digits or more [default: random]. With --port, a page finds the
    /// server again after it was started anew.
    #[arg(long, value_name = "TEXT")]
    token: Option<String>,
}

pub fn main(arguments: ViewArguments) -> ExitCode {
    let hub = Arc::new(Hub::default());
    let session = match session(&arguments, &hub) {
        Ok(session) => session,
        Err(message) => {
            complain(&format!("error: {message}"));
            return ExitCode::from(exit::REFUSED);
        }
    };
    let options = ServerOptions { address: arguments.bind, port: arguments.port, token: arguments.token };
    let server = match Server::start(&options, hub, session) {
        Ok(server) => server,
        Err(error) => {
            complain(&format!("error: {error}"));
            return ExitCode::from(exit::REFUSED);
        }
    };
    let said = say(&format!("{}\n", server.url()));
    if !arguments.no_open {
        open(server.url());
    }
    server.wait();
    said
}

fn session(arguments: &ViewArguments, hub: &Arc<Hub>) -> Result<Arc<dyn Session>, String> {
    let [first, rest @ ..] = &arguments.shown[..] else { return Err("nothing to show".into()) };
    let is_scene = |name: &String| muslin::io::builtin::find(name).is_some() || name.ends_with(".toml");
    if rest.is_empty() && is_scene(first) {
        let source = Source { name: first.clone(), settings: arguments.set.clone() };
        let beginning = if arguments.paused { Beginning::Paused } else { Beginning::Playing };
        let live = Live::start(source, hub.clone(), beginning).map_err(|error| error.to_string())?;
        return Ok(Arc::new(live));
    }
    if !arguments.set.is_empty() {
        return Err("--set is for scenes; a run's directory can only be played back".into());
    }
    if let Some(scene) = arguments.shown.iter().find(|name| is_scene(name) && !Path::new(name).is_dir()) {
        return Err(format!("`{scene}` is a scene; only run directories are shown side by side"));
    }
    if let Some(missing) = arguments.shown.iter().find(|name| !Path::new(name).exists()) {
        // The loader's own words, with the nearest name.
        return Err(muslin::load(missing, &[]).err().map_or_else(String::new, |error| error.to_string()));
    }
    let directories: Vec<PathBuf> = arguments.shown.iter().map(PathBuf::from).collect();
    Ok(Arc::new(Playback::open(directories, hub.clone())))
}

/// Asks the system to open a browser. Where it cannot, the printed address is enough.
fn open(url: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let started = Command::new(program).args(first).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if started.is_err() {
        complain("no browser could be opened; open the address above");
    }
}
