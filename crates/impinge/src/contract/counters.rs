//! Work is counted: counters are exact and replay, unlike milliseconds.

/// How much was done. Exact, and the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs of bodies that went to an engine.
    pub body_pairs: u64,
    /// Pairs of bounding volumes held against each other, for overlap or distance.
    pub node_tests: u64,
    /// Pairs of triangles that were looked at, if only by their boxes.
    pub triangle_pairs: u64,
    /// Pairs of triangles whose boxes overlap, so that the triangles themselves were tested.
    pub triangle_tests: u64,
    /// Those that only exact arithmetic could decide.
    pub exact_tests: u64,
    /// Distances computed between two triangles.
    pub distance_tests: u64,
    /// Points asked whether they are inside the other body.
    pub inside_tests: u64,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.body_pairs += other.body_pairs;
        self.node_tests += other.node_tests;
        self.triangle_pairs += other.triangle_pairs;
        self.triangle_tests += other.triangle_tests;
        self.exact_tests += other.exact_tests;
        self.distance_tests += other.distance_tests;
        self.inside_tests += other.inside_tests;
    }
}

impl std::iter::Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(each: I) -> Self {
        each.fold(Self::default(), |mut total, one| {
            total += one;
            total
        })
    }
}
