//! Who watches, and what a session is to them.

use crate::{
    message::Message,
    outbox::{Outbox, Parcel, WantedFrame},
};
use serde_json::Value;
use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
};

/// Most pages at a time.
pub const MOST_CLIENTS: usize = 64;

/// A page that is connected.
#[derive(Default)]
pub struct Client {
    /// Its number; never used again.
    pub id: u64,
    /// What waits to be sent to it.
    pub outbox: Outbox,
    /// Number of the measure that it colours by.
    pub field: AtomicUsize,
    /// Whether it wants contacts and impact zones.
    pub contacts: AtomicBool,
    /// One more than the level of the broad phase's boxes that it wants; 0 for none.
    pub boxes: AtomicU32,
}

impl Client {
    /// Sends a text.
    pub fn tell(&self, message: &Value) {
        self.outbox.send(Parcel::Text(message.to_string().into()));
    }
}

/// All pages that are connected.
#[derive(Default)]
pub struct Hub {
    clients: Mutex<Vec<Arc<Client>>>,
    joined: AtomicU32,
    sequence: AtomicU32,
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Client>>> {
        self.clients.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes a page in; `None` if there are too many.
    pub fn join(&self) -> Option<Arc<Client>> {
        let mut clients = self.lock();
        clients.retain(|client| !client.outbox.is_closed());
        if clients.len() >= MOST_CLIENTS {
            return None;
        }
        let id = u64::from(self.joined.fetch_add(1, Ordering::Relaxed)) + 1;
        let client = Arc::new(Client { id, ..Client::default() });
        clients.push(client.clone());
        Some(client)
    }

    /// A page has gone.
    pub fn leave(&self, client: &Client) {
        client.outbox.close();
        self.lock().retain(|other| other.id != client.id);
    }

    /// The pages now.
    pub fn clients(&self) -> Vec<Arc<Client>> {
        self.lock().clone()
    }

    /// Sends a text to all.
    pub fn tell_all(&self, message: &Value) {
        let text: Arc<str> = message.to_string().into();
        self.clients().iter().for_each(|client| client.outbox.send(Parcel::Text(text.clone())));
    }

    /// The next number for a frame.
    pub fn next_sequence(&self) -> u32 {
        self.sequence.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

/// What is shown: a live simulation or recordings.
pub trait Session: Send + Sync {
    /// A page has come.
    fn joined(&self, client: &Arc<Client>);

    /// A page has gone.
    fn left(&self, client: &Arc<Client>);

    /// A page says something; the error tells it why it is refused.
    fn hear(&self, client: &Arc<Client>, message: Message) -> Result<(), String>;

    /// A frame that a page wants, as a message to it.
    fn frame(&self, wanted: WantedFrame) -> Option<Parcel>;
}
