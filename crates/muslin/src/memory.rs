//! How much memory the process has used at most.

/// Largest resident memory of this process so far [bytes]; `None` where the system does not tell.
pub fn peak_memory_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// The peak of resident memory above what was resident when this was made.
///
/// Making one forgets earlier peaks, for the whole process.
pub struct PeakGrowth {
    before: u64,
}

impl PeakGrowth {
    /// Begins here; `None` where the system cannot forget peaks.
    pub fn begin() -> Option<Self> {
        // 5 is the request to reset the peak (see proc(5)).
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
        Some(PeakGrowth { before: status("VmRSS:")? })
    }

    /// The growth so far [bytes].
    pub fn bytes(&self) -> Option<u64> {
        Some(peak_memory_bytes()?.saturating_sub(self.before))
    }
}

fn status(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_grows_by_at_least_what_is_touched() {
        let before = super::peak_memory_bytes().unwrap();
        let touched = std::hint::black_box(vec![1u8; 256 << 20]);
        let after = super::peak_memory_bytes().unwrap();
        assert!(after >= 256 << 20 && after >= before, "{before} then {after} with {}", touched.len());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn growth_counts_what_was_touched_and_released_since() {
        let Some(growth) = super::PeakGrowth::begin() else {
            println!("skipped: this system does not let a process forget its peak of memory");
            return;
        };
        drop(std::hint::black_box(vec![1u8; 64 << 20]));
        let bytes = growth.bytes().unwrap();
        assert!(bytes >= 60 << 20, "{bytes}");
    }
}
