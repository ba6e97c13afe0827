//! Counts what a thread has on the heap, so that a loader's memory is measured and not guessed.
//!
//! The counts are per thread, because test threads run side by side; loaders make no threads of their own.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn add(bytes: isize) {
    // Fails only while a thread ends.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While bytes move, both places may exist.
        add(size as isize);
        add(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Most bytes that this thread held during a call beyond what it held before.
pub fn peak_of(call: impl FnOnce()) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    call();
    usize::try_from(PEAK.get() - before).unwrap_or(0)
}

#[test]
fn the_count_sees_what_is_gone_again() {
    let peak = peak_of(|| drop(std::hint::black_box(vec![1u8; 123_456])));
    assert!((123_456..130_000).contains(&peak), "{peak}");
    assert!(peak_of(|| ()) == 0);
}
