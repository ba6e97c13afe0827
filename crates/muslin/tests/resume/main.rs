//! Runs that are stopped and go on: bit for bit as if they never had been.

mod simulation;
