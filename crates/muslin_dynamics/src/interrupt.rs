//! The wish to stop, seen from inside a step.
//!
//! A step that is asked to stop is given a moment to end by itself: then its state is whole, and a run can be
//! taken up behind it bit for bit. Only one that is still under way after that is given up, by whoever iterates
//! inside it. A given-up step leaves no trace in the state, but it does in what a solver remembers for speed.
//! The clock decides how far an interrupted run comes, never what a step computes.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

/// How long a step may go on after it was asked to stop: most steps end within it, and nobody waits long.
const GRACE: Duration = Duration::from_millis(500);

/// Given up halfway, because somebody asked to stop: what was under way must not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp;

/// A wish to stop that many can see and any thread can make. By default nobody has it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// Asks to stop.
    pub fn ask(&self) {
        let _ = self.asked.set(Instant::now());
    }

    /// Whether somebody asked. Who is between two steps stops now.
    pub fn is_asked(&self) -> bool {
        self.asked.get().is_some()
    }

    /// Whether somebody asked so long ago that a step under way is given up.
    pub fn is_overdue(&self) -> bool {
        self.asked.get().is_some_and(|asked| asked.elapsed() > GRACE)
    }

    /// Fails once a step under way is to be given up. Who has seen it fail will see nothing else.
    pub fn check(&self) -> Result<(), GivenUp> {
        if self.is_overdue() { Err(GivenUp) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_seen_at_once_and_overdue_after_the_grace() {
        let (interrupt, seen) = (Interrupt::default(), Interrupt::default());
        let copy = interrupt.clone();
        assert!(!copy.is_asked() && !copy.is_overdue());
        let before = Instant::now();
        interrupt.ask();
        assert!(copy.is_asked() && !seen.is_asked());
        // A machine that let this thread wait may have spent the grace by now.
        assert!(!copy.is_overdue() || before.elapsed() > GRACE);
        std::thread::sleep(GRACE + Duration::from_millis(20));
        assert!(copy.is_overdue());
    }
}
