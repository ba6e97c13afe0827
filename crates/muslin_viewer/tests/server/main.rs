//! The server as pages meet it: who gets in, what a session does, and what cannot stop it.

mod access;
mod fuzz;
mod page;
mod playback;
mod session;
