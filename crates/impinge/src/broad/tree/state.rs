//! What the tree pruner remembers of each body and of its own work.

use impinge_geom::aabb::Aabb32;

/// When a body got its fat box, and where it was then.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fat {
    from: Aabb32,
    /// The step, counted without its highest bits; 0 for a body that is new.
    made: u32,
    /// For how many steps the fat box was made.
    life: f32,
}

/// A body that would leave sooner than that is not fattened.
const LIFE_MIN: f32 = 2.0;
/// Bodies turn and bounce: what is farther ahead is not foreseen.
const LIFE_MAX: f32 = 64.0;

impl Fat {
    /// A fat box for a body that is now in `aabb`; see the head of `tree.rs`.
    pub(super) fn renew(
        &mut self,
        aabb: &Aabb32,
        (slot, step): (u32, u64),
        stretch: f32,
    ) -> Aabb32 {
        let now = step as u32;
        let old = std::mem::replace(self, Self { from: *aabb, made: now, life: 0.0 });
        let age = now.wrapping_sub(old.made);
        if old.made == 0 || age == 0 || age > 1 << 16 {
            return *aabb;
        }
        let age = age as f32;
        let speed: Aabb32 = std::array::from_fn(|k| (aabb[k] - old.from[k]) / age);
        let fastest = speed.iter().fold(0.0, |most: f32, s| most.max(s.abs()));
        let size = (aabb[3] - aabb[0]) + (aabb[4] - aabb[1]) + (aabb[5] - aabb[2]);
        let life = (stretch * size / (3.0 * fastest)).min(LIFE_MAX);
        // Not so for what stands still, is infinite, or has jumped, where this is NaN or small.
        if !(life >= LIFE_MIN && fastest > 0.0 && size.is_finite()) {
            return *aabb;
        }
        // Not all at once: those who got their boxes together should not leave together.
        let life = life * (0.5 + share(slot, now));
        self.life = life;
        let strays = age < 0.5 * old.life;
        let slack = fastest * if strays { (age * life).sqrt() } else { 0.25 };
        std::array::from_fn(|k| match k {
            0..3 => aabb[k] + (speed[k].min(0.0) * life - slack),
            _ => aabb[k] + (speed[k].max(0.0) * life + slack),
        })
    }
}

/// A number in 0..1 that looks random and is always the same.
fn share(slot: u32, step: u32) -> f32 {
    let mixed = (slot ^ step.rotate_left(16)).wrapping_mul(0x9E37_79B1);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

/// How many times its own size a fat box lets a body go.
#[derive(Debug)]
pub(super) struct Stretch(f32);

/// What looking up one body costs, in tests of kept pairs.
const QUERY_COST: f32 = 64.0;

impl Default for Stretch {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Stretch {
    pub(super) fn get(&self) -> f32 {
        self.0
    }

    /// Larger if bodies leave too often for the pairs that are kept, else smaller. The sum of both
    /// costs is least where they are about the same, since pairs grow as the third power.
    pub(super) fn balance(&mut self, kept: usize, left: usize) {
        let (pairs, queries) = (kept as f32, QUERY_COST * left as f32);
        if queries > 1.5 * pairs {
            self.0 = (self.0 * 1.05).min(2.0);
        } else if pairs > 1.5 * queries {
            self.0 = (self.0 * 0.95).max(0.1);
        }
    }
}

/// How much dearer look-ups have become since the tree was built.
#[derive(Debug, Default)]
pub(super) struct Wear {
    /// Looks per query when the tree was new, and from how many queries that is known.
    looks: u64,
    queries: u64,
    /// What was looked at beyond that, in all.
    excess: f64,
    /// Looks of the first and of the last descent since the tree was built.
    descents: Option<[u64; 2]>,
}

/// So many queries tell what the tree is like when new.
const QUERIES_TO_KNOW: u64 = 128;
/// A rebuild costs as much as so many looks per body.
const REBUILD_LOOKS: f64 = 5.0;
/// A tree that was refitted serves while descending it takes at most so many times the looks.
const LIKE_NEW: f64 = 1.3;

impl Wear {
    pub(super) fn built(&mut self) {
        *self = Self::default();
    }

    pub(super) fn queried(&mut self, looks: u64, queries: usize) {
        if self.queries < QUERIES_TO_KNOW {
            self.looks += looks;
            self.queries += queries as u64;
        } else {
            let expected = self.looks as f64 / self.queries as f64 * queries as f64;
            self.excess += looks as f64 - expected;
        }
    }

    pub(super) fn descended(&mut self, looks: u64) {
        let first = self.descents.map_or(looks, |[first, _]| first);
        self.descents = Some([first, looks]);
    }

    /// Whether the last descent took about as many looks as that of the new tree.
    pub(super) fn is_like_new(&self) -> bool {
        self.descents.is_some_and(|[first, last]| last as f64 <= LIKE_NEW * first as f64)
    }

    /// Whether what could have been saved so far would have paid for a new tree of `all` bodies. To
    /// rebuild then costs at most twice as much as to know the future.
    pub(super) fn is_out(&self, all: usize) -> bool {
        self.excess > REBUILD_LOOKS * all as f64
    }
}
