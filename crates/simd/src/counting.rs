//! An allocator that counts what is asked of it, for tests of what must not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator with a counter. To be made the `#[global_allocator]` of a test.
#[derive(Debug, Default)]
pub struct Counting {
    count: AtomicU64,
}

impl Counting {
    /// Nothing counted yet.
    pub const fn new() -> Self {
        Self { count: AtomicU64::new(0) }
    }

    /// How often memory was asked for so far, by all threads.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add();
        // SAFETY: what holds for the caller's layout holds here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add();
        // SAFETY: what holds for the caller's layout holds here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.add();
        // SAFETY: the block came from the system's allocator with this layout.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the block came from the system's allocator with this layout.
        unsafe { System.dealloc(at, layout) }
    }
}
