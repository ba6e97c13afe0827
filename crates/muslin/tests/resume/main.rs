//! Runs that are stopped and go on: bit for bit as if they never had been.

mod damage;
mod files;
mod flipped;
mod late;
mod simulation;
