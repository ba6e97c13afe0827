//! What eliminated fronts leave to their parents, while it waits for them.

/// Updates that wait for their parents, on two stacks in turn: a front reads its children's from one while it makes
/// its own on the other.
#[derive(Debug, Default)]
pub struct Updates {
    /// The two stacks.
    pub stacks: [Stack; 2],
    /// Those of sub-trees that may be used again.
    pub kept: Vec<Vec<f32>>,
}

/// A stack of updates.
#[derive(Debug, Default)]
pub struct Stack {
    /// Never shortened, so that nothing is cleared when it grows again.
    numbers: Vec<f32>,
    /// Where each update on it starts, and behind them where the next one would.
    starts: Vec<usize>,
    end: usize,
}

impl Stack {
    /// Takes all off.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.end = 0;
    }

    /// A new update, with anything in it.
    pub fn push(&mut self, len: usize) -> &mut [f32] {
        let start = self.end;
        self.starts.push(start);
        self.end += len;
        if self.numbers.len() < self.end {
            self.numbers.resize(self.end, 0.0);
        }
        &mut self.numbers[start..self.end]
    }

    /// Takes the last updates off; they can be read until the next push.
    pub fn pop(&mut self, count: usize) -> impl Iterator<Item = &[f32]> {
        let first = self.starts.len() - count;
        self.end = self.starts.get(first).copied().unwrap_or(self.end);
        self.starts.drain(first..).map(|start| &self.numbers[start..])
    }
}
