//! A hint that something will be read soon.

/// Asks for the memory of `what`, line by line. Changes nothing but the time it takes.
#[inline(always)]
pub fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(what).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(64) {
            // SAFETY: prefetching any address is harmless, and this one is within or just at `what`.
            #[expect(unsafe_code, reason = "an intrinsic")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
