//! How much memory the process has used at most.

/// Largest resident memory of this process so far [bytes]; `None` where the system does not tell.
pub fn peak_memory_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// Makes [`peak_memory_bytes`] begin anew, for the whole process; `false` where the system cannot.
pub fn forget_peak() -> bool {
    // 5 is the request to reset the peak (see proc(5)).
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
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
    fn a_peak_that_begins_anew_counts_what_was_touched_and_released_since() {
        if !super::forget_peak() {
            println!("skipped: this system does not let a process forget its peak of memory");
            return;
        }
        drop(std::hint::black_box(vec![1u8; 64 << 20]));
        // Another test may hold more meanwhile, so there is no upper bound to check.
        let bytes = super::peak_memory_bytes().unwrap();
        assert!(bytes >= 64 << 20, "{bytes}");
    }
}
