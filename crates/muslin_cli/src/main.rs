//! The `muslin` command: one file per subcommand.

mod ccd;
mod check;
mod collide;
mod convert;
mod exit;
mod fabrics;
mod lab;
mod progress;
mod render;
mod run;
mod scenes;
mod signals;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes:
  0    success, or nothing left to do
  1    the run failed: a step did not converge, or a file could not be written
  2    wrong usage, a faulty scene or file, or a directory with another run; nothing was written
  3    the run is complete, but a claim of the scene does not hold, or a known collision was missed or late
  130  stopped by Ctrl-C; the results hold everything up to that step, and --resume goes on";

/// Cloth that behaves like the measured fabric.
#[derive(Parser)]
#[command(name = "muslin", version, after_help = EXIT_CODES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Ccd(ccd::CcdArguments),
    Check(check::CheckArguments),
    Collide(collide::CollideArguments),
    Fabrics(fabrics::FabricsArguments),
    Lab(lab::LabArguments),
    Render(render::RenderArguments),
    Run(run::RunArguments),
    Convert(convert::ConvertArguments),
    Scenes(scenes::ScenesArguments),
    View(view::ViewArguments),
}

fn main() -> ExitCode {
    signals::outlive_file_limits();
    match Arguments::parse().command {
        Command::Ccd(arguments) => ccd::main(arguments),
        Command::Check(arguments) => check::main(arguments),
        Command::Collide(arguments) => collide::main(arguments),
        Command::Fabrics(arguments) => fabrics::main(arguments),
        Command::Lab(arguments) => lab::main(arguments),
        Command::Render(arguments) => render::main(arguments),
        Command::Run(arguments) => run::main(arguments),
        Command::Convert(arguments) => convert::main(arguments),
        Command::Scenes(arguments) => scenes::main(arguments),
        Command::View(arguments) => view::main(arguments),
    }
}
