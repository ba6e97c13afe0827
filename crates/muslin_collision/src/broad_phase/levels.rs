//! How many levels the octree grid has: adjusted from step to step (W 6.3.2).

/// Levels of the first step.
const FIRST: u32 = 9;

/// Finest level there can be: 20 bits per axis make a Morton code of 60.
pub(super) const FINEST: u32 = 21;

/// The top level rises if more of the registrations than this are in it [-].
const TOP_RISES: f64 = 0.001;
/// It sinks if fewer are [-].
const TOP_SINKS: f64 = 0.000_01;
/// The base level sinks if more of the registrations than this are in it [-].
const BASE_SINKS: f64 = 0.97;
/// It rises if fewer are [-].
const BASE_RISES: f64 = 0.03;

/// Coarsest and finest level in use. Level 1 is one cell; level k has 2^(k−1) cells along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelRange {
    pub top: u32,
    pub base: u32,
}

impl Default for LevelRange {
    fn default() -> Self {
        LevelRange { top: 1, base: FIRST }
    }
}

impl LevelRange {
    /// The range for the next step from the registrations in the leaves of each level (entry k − 1 is level k).
    pub fn adjusted(self, registrations: &[u64]) -> Self {
        let total: u64 = registrations.iter().sum();
        let active = |level: &usize| registrations[*level - 1] > 0;
        let levels = 1..registrations.len() + 1;
        let (Some(highest), Some(lowest)) = (levels.clone().find(active), levels.rev().find(active)) else {
            return LevelRange::default();
        };
        let share = |level: usize| registrations[level - 1] as f64 / total as f64;
        let step = |share: f64, more: f64, fewer: f64| if share > more { 1 } else { -i32::from(share < fewer) };
        let top = highest as i32 - step(share(highest), TOP_RISES, TOP_SINKS);
        let base = lowest as i32 + step(share(lowest), BASE_SINKS, BASE_RISES);
        let top = top.clamp(1, FINEST as i32) as u32;
        LevelRange { top, base: base.clamp(top as i32, FINEST as i32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjusted(shares: &[(usize, u64)]) -> (u32, u32) {
        let mut registrations = [0; 9];
        shares.iter().for_each(|&(level, count)| registrations[level - 1] = count);
        let range = LevelRange::default().adjusted(&registrations);
        (range.top, range.base)
    }

    #[test]
    fn levels_follow_the_thresholds_of_the_thesis() {
        assert_eq!(adjusted(&[(4, 200), (6, 50_000), (7, 49_800)]), (3, 7)); // 0.2 % in the top level
        assert_eq!(adjusted(&[(4, 50), (6, 50_000), (7, 49_950)]), (4, 7)); // 0.05 %: stays
        assert_eq!(adjusted(&[(4, 1), (6, 500_000), (7, 500_000)]), (5, 7)); // 0.0001 %: sinks
        assert_eq!(adjusted(&[(5, 50), (6, 1_000), (7, 98_950)]), (5, 8)); // 98.95 % in the base level
        assert_eq!(adjusted(&[(5, 50), (6, 97_950), (7, 2_000)]), (5, 6)); // 2 %: rises
        assert_eq!(adjusted(&[(1, 10)]), (1, 2));
        assert_eq!(adjusted(&[]), (1, 9));
    }
}
