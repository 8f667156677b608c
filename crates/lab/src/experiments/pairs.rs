//! Pairs of triangles to be measured on: groups of which each row is held against each column.

use impinge_geom::pose::Pose;
use impinge_geom::tri_batch::{BatchCounts, BatchScratch, TriangleBatch};
use impinge_geom::{Point, Triangle};

/// Triangles in each of the two lists of a group.
pub(super) const SIDE: usize = 256;

/// Two lists, each triangle of the one to be held against each of the other.
pub(super) struct Group {
    pub(super) rows: Vec<Triangle>,
    pub(super) columns: Vec<Triangle>,
}

/// The triangles as a batch.
pub(super) fn packed(triangles: &[Triangle]) -> TriangleBatch {
    let mut batch = TriangleBatch::default();
    batch.refill(triangles.iter().copied());
    batch
}

/// How many pairs of rows and columns intersect, and the work it took.
pub(super) fn count_hits(batch: &TriangleBatch, rows: &[Triangle]) -> (BatchCounts, u64) {
    let mut scratch = BatchScratch::default();
    let mut counts = BatchCounts::default();
    let mut hits = 0;
    for row in rows {
        let (found, work) = batch.intersect(row, &mut scratch);
        counts += work;
        hits += found.len() as u64;
    }
    (counts, hits)
}

/// Sheets one over the other within `gap` of their size, and blades that reach down between them or
/// past their edges within the same: in a random frame, so that all boxes overlap.
pub(super) fn near_misses(random: &mut Random, gap: f64) -> Group {
    let pose = random.pose();
    let scale = 10f64.powf(random.between(-3.0, 3.0));
    let place = |p: Point| pose.apply(&p.map(|x| x * scale));
    let sheet = |r: &mut Random| {
        let (z, edge) = (gap * r.unit(), gap * r.unit());
        [[edge, r.between(-2.0, -1.0), z], [edge, r.between(1.0, 2.0), z], [1.5, r.unit(), z]]
    };
    let over_face = |r: &mut Random| {
        let (x, y) = (r.between(0.3, 0.6), r.between(-0.2, 0.2));
        let tip = [x, y, gap * r.unit()];
        [tip, [x + r.unit(), y + 0.5 * r.unit(), 1.0], [x - r.unit(), y - 0.5 * r.unit(), 1.0]]
    };
    let past_edge = |r: &mut Random| {
        let (x, y) = (gap * r.unit(), r.between(-0.4, 0.4));
        [[x, y, -0.5], [x, y + 0.1 * r.unit(), 0.5], [-1.0, y, r.between(-0.2, 0.2)]]
    };
    let rows = (0..SIDE).map(|_| sheet(random).map(place)).collect();
    let columns = (0..SIDE).map(|i| {
        let blade = if i % 2 == 0 { over_face(random) } else { past_edge(random) };
        blade.map(place)
    });
    Group { rows, columns: columns.collect() }
}

/// Triangles on a grid of 3 × 3 × 3 points: nearly all pairs touch in a corner or an edge, lie in one
/// plane or have no area. The worst case for a filter.
pub(super) fn touching(random: &mut Random) -> Group {
    let mut list = || -> Vec<Triangle> {
        let mut corner = || [(); 3].map(|()| (3.0 * random.unit()).floor());
        (0..SIDE).map(|_| [(); 3].map(|()| corner())).collect()
    };
    Group { rows: list(), columns: list() }
}

/// SplitMix64: small, and the same on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn pose(&mut self) -> Pose {
        self.placed(0.0)
    }

    /// A turned pose, each coordinate up to `spread` from the origin.
    pub(super) fn placed(&mut self, spread: f64) -> Pose {
        let quaternion = [(); 4].map(|()| self.between(-1.0, 1.0));
        let place =
            if spread > 0.0 { [(); 3].map(|()| self.between(-spread, spread)) } else { [0.0; 3] };
        Pose::new(quaternion, place).unwrap_or_default()
    }
}
