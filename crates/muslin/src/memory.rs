//! How much memory the process has used at most.

/// Largest resident memory of this process so far [bytes]; `None` where the system does not tell.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
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
}
