//! Which pairs of faces were already put on the face pair checklist [K98 §3.5].

/// No pair has this code: a face is not its own partner.
const NONE: u64 = u64::MAX;
/// More pairs are not remembered: it begins anew and pairs may be tested twice, which costs time but
/// neither memory without end nor an answer.
const LEN_MAX: usize = 1 << 22;

/// A set of pairs that only grows until it is full: open addressing with linear probing.
pub(super) struct Put {
    slots: Vec<u64>,
    len: usize,
}

impl Default for Put {
    fn default() -> Self {
        Self { slots: vec![NONE; 64], len: 0 }
    }
}

impl Put {
    /// Whether the pair was not there; it is now.
    pub(super) fn is_new(&mut self, [a, b]: [u32; 2]) -> bool {
        let code = u64::from(a) << 32 | u64::from(b);
        let at = self.find(code);
        if self.slots[at] == code {
            return false;
        }
        if self.len >= LEN_MAX {
            *self = Self::default();
        } else if 2 * self.len >= self.slots.len() {
            self.grow();
        }
        let at = self.find(code);
        self.slots[at] = code;
        self.len += 1;
        true
    }

    /// Where the code is, or where it belongs.
    fn find(&self, code: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplying by an odd number spreads the code over the upper bits.
        let spread = code.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut at = (spread >> 32) as usize & mask;
        while self.slots[at] != NONE && self.slots[at] != code {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![NONE; 4 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for code in old.into_iter().filter(|&code| code != NONE) {
            let at = self.find(code);
            self.slots[at] = code;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_a_set() {
        let (mut put, mut truth) = (Put::default(), BTreeSet::new());
        let mut state = 1u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let pair = [state >> 25, state >> 9 & 127];
            assert_eq!(put.is_new(pair), truth.insert(pair));
        }
        assert_eq!(put.len, truth.len());
        assert!(put.len > 10_000 && put.len < 20_000);
    }
}
