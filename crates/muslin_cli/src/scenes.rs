//! `muslin scenes`: what can be run without a file.

use crate::exit::{self, say};
use clap::Args;
use muslin::{Error, io::builtin};
use std::process::ExitCode;

/// Lists the built-in scenes.
#[derive(Args)]
pub struct ScenesArguments {
    /// Show a scene's parameters instead of the list.
    scene: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the file of the given scene, to begin an own one with.
    #[arg(long, requires = "scene", conflicts_with = "json")]
    toml: bool,
    /// Print the reference of scene files.
    #[arg(long, conflicts_with_all = ["scene", "json", "toml"])]
    reference: bool,
}

pub fn main(arguments: ScenesArguments) -> ExitCode {
    if arguments.reference {
        return say(&muslin::io::reference::page());
    }
    match &arguments.scene {
        Some(name) => one(name, &arguments),
        None => all(&arguments),
    }
}

fn all(arguments: &ScenesArguments) -> ExitCode {
    let mut list = Vec::new();
    for builtin in builtin::SCENES {
        match muslin::load(builtin.name, &[]) {
            Ok(loaded) => list.push((builtin, loaded)),
            Err(error) => return exit::show(&Error::from(error)),
        }
    }
    if arguments.json {
        let entry = |(builtin, loaded): &(&builtin::BuiltinScene, muslin::LoadedScene)| {
            serde_json::json!({
                "name": builtin.name,
                "group": builtin.group,
                "description": loaded.scene.description,
                "duration": loaded.scene.duration,
                "frames": loaded.scene.frames(),
                "parameters": loaded.parameters,
            })
        };
        return say(&format!("{:#}\n", serde_json::Value::from_iter(list.iter().map(entry))));
    }
    let width = builtin::SCENES.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let line = |(s, loaded): &(&builtin::BuiltinScene, muslin::LoadedScene)| {
        format!("{:width$}  {}\n", s.name, loaded.scene.description)
    };
    say(&list.iter().map(line).collect::<String>())
}

fn one(name: &str, arguments: &ScenesArguments) -> ExitCode {
    let loaded = match muslin::load(name, &[]) {
        Ok(loaded) => loaded,
        Err(error) => return exit::show(&Error::from(error)),
    };
    if arguments.toml {
        let text = builtin::find(name).map(|s| s.text.to_string()).or_else(|| std::fs::read_to_string(name).ok());
        return say(&text.unwrap_or_default());
    }
    if arguments.json {
        let scene = serde_json::json!({
            "name": loaded.scene.name,
            "description": loaded.scene.description,
            "duration": loaded.scene.duration,
            "frames": loaded.scene.frames(),
            "parameters": loaded.parameters,
        });
        return say(&format!("{scene:#}\n"));
    }
    let mut text = format!("{}: {}\n", loaded.scene.name, loaded.scene.description);
    let width = loaded.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for p in &loaded.parameters {
        text.push_str(&format!("  --set {:width$} = {}   {}\n", p.name, p.value, p.doc));
    }
    say(&text)
}
