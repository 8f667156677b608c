//! What kept two trees apart, for asking again after a small motion.
//!
//! A descent that finds no contact ends at pairs of boxes that are apart: the front. Each is kept
//! with a lower bound of its gap, and is looked at again only when the bodies have moved that far
//! since. Where boxes have come to meet, the descent goes on from there, so the front only grows and
//! is made anew from the roots when it has grown too far. Cost of a step: one look per pair whose gap
//! is used up, and a comparison for each of the others. It never says more than a descent would.

use super::couple::{Couple, Side};
use super::cross::{Found, Next, Work, tell};
use super::{NONE, ObbTree, Place};
use impinge_simd::leaf::crossings;
use impinge_simd::leaf_gap::{Limits, gap_along, gaps};
use impinge_simd::obb::margins_after;

/// Pairs of boxes that keep two trees apart.
#[derive(Clone, Debug, Default)]
pub struct Front {
    entries: Vec<Entry>,
    /// For each entry how far the bodies may have moved in all before it must be looked at.
    until: Vec<f64>,
    /// How far they have moved since the front was made, at most.
    moved: f64,
    /// How many entries there were when it was made.
    made: usize,
    stack: Vec<[Place; 2]>,
}

/// A box against some children of another, or two leaves whose boxes meet.
#[derive(Clone, Copy, Debug)]
struct Entry {
    places: [Place; 2],
    /// Which of the two is opened, and the node in it; none for two leaves.
    opened: Option<(Side, u32)>,
    /// The children that this entry stands for; the others are in entries of their own. For two
    /// leaves, how many looks to wait before a direction is looked for that parts them.
    lanes: u8,
    /// A direction that parted two leaves.
    along: [f32; 3],
}

/// So many looks at two leaves pass before a direction is looked for that parts them, since that
/// takes several times as long as a look: at first, and when there was none.
const WAIT: [u8; 2] = [3, 16];

/// What a front says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No triangles meet.
    Free,
    /// These two do. The front is gone.
    Meet([u32; 2]),
    /// Not decided, since no more may be done. The front is gone.
    CutShort,
}

/// A front that has grown to so many times what it was is made anew.
const GROWTH_MAX: usize = 2;

impl Front {
    /// Whether there is one.
    pub fn is_kept(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Forgets it.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.until.clear();
        self.stack.clear();
        self.moved = 0.0;
    }

    /// The bodies have moved by no more than this, as seen from each other, since it was last asked.
    /// Returns how many entries must be looked at for that.
    pub fn moves(&mut self, by: f64) -> usize {
        self.moved = (self.moved + by).next_up();
        let moved = self.moved;
        // What is not a number does not hold.
        let held = self.until.iter().filter(|&&until| until > moved).count();
        self.until.len() - held
    }

    /// How many entries there are.
    pub fn size(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has grown so far that it had better be made anew.
    pub fn is_overgrown(&self) -> bool {
        self.entries.len() > GROWTH_MAX * self.made
    }

    fn remove(&mut self, index: usize) {
        self.entries.swap_remove(index);
        self.until.swap_remove(index);
    }
}

/// A front held against two trees at their places.
pub struct Holding<'a, 'f> {
    /// The trees. [`Couple::is_alike`] must hold.
    pub couple: &'a Couple<'a>,
    /// What is kept of them.
    pub front: &'f mut Front,
    /// What it took so far.
    pub work: Work,
}

impl Holding<'_, '_> {
    /// Makes the front anew, by a descent from the roots.
    pub fn make(
        &mut self,
        mut meet: impl FnMut(Found, [u32; 2]) -> bool,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Held {
        self.front.clear();
        self.front.stack.push([ObbTree::ROOT; 2]);
        let held = self.descend(&mut meet, &mut allow);
        self.front.made = self.front.entries.len();
        held
    }

    /// Looks at what [`Front::moves`] has used up.
    pub fn renew(
        &mut self,
        mut meet: impl FnMut(Found, [u32; 2]) -> bool,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Held {
        let mut i = 0;
        while i < self.front.entries.len() {
            if self.front.until[i] > self.front.moved {
                i += 1;
                continue;
            }
            let mut entry = self.front.entries[i];
            let apart = match entry.opened {
                Some(opened) => self.look(&mut entry, opened),
                None => match self.leaves(&mut entry, &mut meet) {
                    Ok(apart) => apart,
                    Err(pair) => return self.gone(Held::Meet(pair)),
                },
            };
            if entry.opened.is_some() && entry.lanes == 0 {
                self.front.remove(i);
            } else {
                self.front.entries[i] = entry;
                self.front.until[i] = (self.front.moved + apart).next_down();
                i += 1;
            }
        }
        self.descend(&mut meet, &mut allow)
    }

    /// Goes on until nothing is on the stack.
    fn descend(
        &mut self,
        meet: &mut impl FnMut(Found, [u32; 2]) -> bool,
        allow: &mut impl FnMut(&Work) -> u64,
    ) -> Held {
        let mut allowed = 0;
        while let Some(places) = self.front.stack.pop() {
            if allowed == 0 {
                allowed = allow(&self.work);
            }
            if allowed == 0 {
                return self.gone(Held::CutShort);
            }
            allowed -= 1;
            let opened = self.couple.side_to_open(places);
            let lanes = if opened.is_some() { u8::MAX } else { WAIT[0] };
            let mut entry = Entry { places, opened, lanes, along: [0.0; 3] };
            let apart = match opened {
                Some(opened) => self.look(&mut entry, opened),
                None => match self.leaves(&mut entry, meet) {
                    Ok(apart) => apart,
                    Err(pair) => return self.gone(Held::Meet(pair)),
                },
            };
            if opened.is_none() || entry.lanes != 0 {
                self.front.entries.push(entry);
                self.front.until.push((self.front.moved + apart).next_down());
            }
        }
        Held::Free
    }

    fn gone(&mut self, held: Held) -> Held {
        self.front.clear();
        held
    }

    /// Looks at the children an entry stands for: those that are met go onto the stack, and for the
    /// others it returns how far apart they are at least.
    fn look(&mut self, entry: &mut Entry, (side, node): (Side, u32)) -> f64 {
        let [a, b] = entry.places;
        let tree = self.couple.tree(side);
        let other = if side == Side::A { b } else { a };
        let boxes = tree.node(node);
        let (source, way) = self.couple.coming_to(side, other);
        let apart = margins_after(&source, way, boxes);
        self.work.nodes += 1;
        // Which are met is as good as random, so nothing branches on it.
        let (mut least, mut met) = (f32::INFINITY, 0);
        for (lane, &apart) in apart.iter().enumerate() {
            let counts = entry.lanes >> lane & 1 == 1;
            let parted = apart > 0.0;
            least = least.min(if counts & parted { apart } else { f32::INFINITY });
            met |= u8::from(counts & !parted) << lane;
        }
        entry.lanes &= !met;
        while met != 0 {
            let lane = met.trailing_zeros();
            met &= met - 1;
            let place = 8 * node + lane;
            if tree.child(place) != NONE {
                self.front.stack.push(if side == Side::A { [place, b] } else { [a, place] });
            }
        }
        // A length of a tree is one of its mesh's frame times a power of two.
        f64::from(least) * tree.unit() * (1.0 - 1e-6)
    }

    /// Looks at two leaves: how far apart they are at least, or two triangles that meet.
    fn leaves(
        &mut self,
        entry: &mut Entry,
        meet: &mut impl FnMut(Found, [u32; 2]) -> bool,
    ) -> Result<f64, [u32; 2]> {
        let places = entry.places;
        let leaves = self.couple.leaves(places);
        let unit = self.couple.tree(Side::A).unit();
        self.work.leaves += 1;
        if entry.along != [0.0; 3] {
            let apart = gap_along(&leaves, entry.along);
            if apart > 0.0 {
                return Ok(f64::from(apart) * unit);
            }
        }
        let found = crossings(&leaves);
        self.work.triangles += u64::from(found.tested);
        let mut met = None;
        if found.hit != [0; 8] || found.open != [0; 8] {
            tell(self.couple, places, &found, &mut |kind, pair, _| {
                let meets = meet(kind, pair);
                met = meets.then_some(pair);
                if meets { Next::Stop } else { Next::Continue }
            });
        }
        if let Some(pair) = met {
            return Err(pair);
        }
        if entry.lanes > 0 {
            entry.lanes -= 1;
            return Ok(0.0);
        }
        let found = gaps(&leaves, &Limits { most: f32::MAX, along: entry.along });
        self.work.triangles += u64::from(found.tested);
        entry.along = found.way;
        let apart = gap_along(&leaves, entry.along);
        if apart <= 0.0 {
            (entry.lanes, entry.along) = (WAIT[1], [0.0; 3]);
        }
        Ok(f64::from(apart.max(0.0)) * unit)
    }
}
