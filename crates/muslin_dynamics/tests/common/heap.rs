//! Counts what a thread asks the heap for, so that memory is measured and not guessed. Tests of other crates include this
//! file by its path.
//!
//! The counts are per thread, because test threads run side by side.
#![allow(dead_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn taken(bytes: usize) {
    // Each fails only while a thread ends.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + bytes));
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(bytes)));
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes as isize);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

fn given_back(bytes: usize) {
    let _ = HELD.try_with(|held| held.set(held.get() - bytes as isize));
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While bytes move, both places may exist.
        taken(size);
        given_back(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Bytes that this thread asked for during a call: all together, and the most at once.
pub fn asked_by(call: impl FnOnce()) -> [usize; 2] {
    let before = ASKED.get();
    LARGEST.set(0);
    call();
    [ASKED.get() - before, LARGEST.get()]
}

/// Most bytes that this thread held during a call beyond what it held before.
pub fn peak_of(call: impl FnOnce()) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    call();
    usize::try_from(PEAK.get() - before).unwrap_or(0)
}

#[test]
fn the_counts_see_what_is_gone_again() {
    let make = || drop(std::hint::black_box(vec![1u8; 123_456]));
    let peak = peak_of(make);
    assert!((123_456..130_000).contains(&peak), "{peak}");
    assert!(peak_of(|| ()) == 0);
    assert_eq!(asked_by(make), [123_456; 2]);
}
