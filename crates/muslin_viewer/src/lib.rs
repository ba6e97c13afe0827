//! A page on which a simulation can be watched, touched and understood, and its server.
//!
//! The simulation runs natively in the server; frames go to the page as compact binary messages ([`wire`]) over a
//! WebSocket, and the page draws them. Nothing comes from the internet: the page's files are embedded as they are
//! ([`page`]), and only this machine can reach the server unless it is told otherwise ([`guard`]).

mod client;
mod describe;
mod dials;
mod document;
mod exhibit;
mod faults;
pub mod guard;
mod hinge;
pub mod http;
pub mod hub;
mod live;
mod message;
mod outbox;
pub mod page;
mod playback;
mod server;
mod skin;
pub mod wire;

pub use document::Source;
pub use live::{Beginning, Live};
pub use playback::Playback;
pub use server::{Server, ServerError, ServerOptions};
