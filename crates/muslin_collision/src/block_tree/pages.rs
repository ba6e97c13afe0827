//! Memory for large arrays, in large pages where the system has them.
//!
//! Fresh memory comes page by page, and each first touch of 4 KB is a trip into the kernel. On a million triangles these
//! trips cost a twentieth of the detection, on ten thousand nothing. Linux gives pages of 2 MB to whom asks; elsewhere
//! nothing is asked. The content of an array, and so every result, does not depend on it.

/// Arrays below this stay in small pages [bytes]: a large page is 2 MB, and a smaller array would waste most of one.
const LARGE: usize = 4 << 20;

/// Empties an array and makes room for `count` elements.
pub fn make_room<T>(array: &mut Vec<T>, count: usize) {
    array.clear();
    if array.capacity() < count {
        // Not a growth, which would copy what nobody reads.
        *array = Vec::new();
        array.reserve_exact(count);
        ask_for_large_pages(array.spare_capacity_mut());
    }
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(room: &mut [T]) {
    if size_of_val(room) < LARGE {
        return;
    }
    use rustix::mm::{Advice, madvise};
    let page = rustix::param::page_size();
    let range = room.as_mut_ptr_range();
    let before = (range.start as usize).next_multiple_of(page) - range.start as usize;
    let length = size_of_val(room).saturating_sub(before) / page * page;
    if length > 0 {
        // SAFETY: the pages lie inside memory that is borrowed here, and the advice leaves their content alone. A refusal, by
        // a kernel without large pages, costs nothing but the time that they would save.
        let _ = unsafe { madvise(range.start.wrapping_byte_add(before).cast(), length, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel says about the memory at an address.
    #[cfg(target_os = "linux")]
    fn flags_at(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let mut inside = false;
        for line in maps.lines() {
            let first = line.split(' ').next().unwrap_or_default();
            let number = |text: &str| usize::from_str_radix(text, 16).ok();
            if let Some((Some(from), Some(to))) = first.split_once('-').map(|(a, b)| (number(a), number(b))) {
                inside = (from..to).contains(&address);
            }
            if inside && first == "VmFlags:" {
                return line.to_owned();
            }
        }
        panic!("nothing is mapped at {address:x}")
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_arrays_are_marked_for_large_pages_and_small_ones_are_not() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            println!("skipped: this kernel has no large pages");
            return;
        }
        for (count, marked) in [(16 * LARGE, true), (LARGE / 2, false)] {
            let mut array: Vec<u8> = Vec::new();
            make_room(&mut array, count);
            let flags = flags_at(array.as_ptr() as usize + count / 2);
            assert_eq!(flags.split(' ').any(|flag| flag == "hg"), marked, "{count}: {flags}");
        }
    }

    #[test]
    fn room_is_made_once_and_kept() {
        let mut array = vec![1u64; 10];
        make_room(&mut array, LARGE);
        assert_eq!((array.len(), array.capacity()), (0, LARGE));
        array.resize(LARGE, 7);
        let place = array.as_ptr();
        make_room(&mut array, LARGE / 2);
        assert_eq!((array.len(), array.capacity(), array.as_ptr()), (0, LARGE, place));
    }
}
