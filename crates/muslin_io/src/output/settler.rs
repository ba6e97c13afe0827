//! Hands files to the disk while the simulation goes on.
//!
//! A checkpoint may rely on files only when they are on the disk. To wait for all of them when it is written would stop a
//! run for seconds where its files are large: a disk takes as long for them as several frames take to simulate. So they are handed
//! over one by one in a thread of its own as soon as they are whole, and a checkpoint waits for the last of them only. That begins
//! with the first checkpoint: who writes none, such as a conversion, waits for no disk.

use super::{
    atomic::settle,
    writer::{OutputError, fails},
};
use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, channel},
    thread::{Builder, JoinHandle},
};

/// Files on their way to the disk.
#[derive(Debug, Default)]
pub struct Settler {
    /// Whether somebody has waited before, and will again.
    awaited: bool,
    /// Files that nobody has handed over yet.
    later: Vec<PathBuf>,
    worker: Option<Worker>,
}

#[derive(Debug)]
struct Worker {
    files: Sender<PathBuf>,
    thread: JoinHandle<Result<(), OutputError>>,
}

impl Settler {
    /// Notes a file that is whole.
    pub fn add(&mut self, file: PathBuf) {
        if self.awaited && self.worker.is_none() {
            let (send, receive) = channel();
            let thread = Builder::new().name("muslin-disk".into()).spawn(move || hand_over(&receive));
            // Without a thread they are handed over when somebody waits.
            self.worker = thread.ok().map(|thread| Worker { files: send, thread });
        }
        match &self.worker {
            // A thread that has met an error listens no more, and tells it at the end.
            Some(worker) => drop(worker.files.send(file)),
            None => self.later.push(file),
        }
    }

    /// Waits until all files so far are on the disk.
    pub fn wait(&mut self) -> Result<(), OutputError> {
        self.awaited = true;
        for file in self.later.drain(..) {
            settle(&file).map_err(fails(&file))?;
        }
        let Some(Worker { files, thread }) = self.worker.take() else { return Ok(()) };
        drop(files);
        thread.join().unwrap_or(Ok(()))
    }
}

fn hand_over(files: &Receiver<PathBuf>) -> Result<(), OutputError> {
    files.iter().try_for_each(|file| settle(&file).map_err(fails(&file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_handed_over_is_told_when_somebody_waits() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("a"), "a").unwrap();
        let mut settler = Settler::default();
        for round in 0..3 {
            settler.add(file("a"));
            // Only who has waited before is served at once.
            assert_eq!(settler.worker.is_some(), round > 0);
            settler.wait().unwrap();
            assert!(settler.worker.is_none() && settler.later.is_empty());
        }
        (0..9).for_each(|_| settler.add(file("absent")));
        let text = settler.wait().unwrap_err().to_string();
        assert!(text.contains("absent"), "{text}");
        settler.add(file("a"));
        settler.wait().unwrap();
        let mut first = Settler::default();
        first.add(file("absent"));
        assert!(first.wait().is_err());
    }
}
