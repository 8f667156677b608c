//! Sorting of things that belong to vertices: edges and faces by their corners.
//!
//! A vertex has few edges and faces, so one counting pass by the vertex and a small sort for each
//! vertex replace a large sort: O(n) for meshes as they are, O(n log n) for a fan around one vertex.
//! The order is that of a plain sort, so nothing that is built on it depends on how it was made.

use std::ops::Range;

/// Items with the vertex they belong to, rising by vertex and then by item.
#[derive(Debug)]
pub(crate) struct Grouped<T> {
    /// Where the items of each vertex begin; one more at the end.
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default + Ord> Grouped<T> {
    /// Sorts what `each` gives, which is called twice and must give the same both times: items with
    /// vertices below `vertices`.
    pub(crate) fn sorted<I: Iterator<Item = (u32, T)>>(
        vertices: usize,
        each: impl Fn() -> I,
    ) -> Self {
        let mut grouped = Self::unsorted(vertices, each);
        for vertex in 0..vertices {
            let range = grouped.range(vertex);
            if range.len() > 1 {
                grouped.items[range].sort_unstable();
            }
        }
        grouped
    }

    /// The same with the items of each vertex in no particular order.
    pub(crate) fn unsorted<I: Iterator<Item = (u32, T)>>(
        vertices: usize,
        each: impl Fn() -> I,
    ) -> Self {
        let mut starts = vec![0; vertices + 1];
        // `for_each` where a loop would do: chains of iterators run faster from within.
        each().for_each(|(vertex, _)| starts[vertex as usize] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Filled from the end of each group, so that its end becomes its beginning.
        let mut items = vec![T::default(); end];
        each().for_each(|(vertex, item)| {
            let place = &mut starts[vertex as usize];
            *place -= 1;
            items[*place] = item;
        });
        Self { starts, items }
    }

    /// The items of a vertex.
    pub(crate) fn of(&self, vertex: u32) -> &[T] {
        &self.items[self.range(vertex as usize)]
    }

    /// The items of a vertex, to be changed.
    pub(crate) fn of_mut(&mut self, vertex: u32) -> &mut [T] {
        let range = self.range(vertex as usize);
        &mut self.items[range]
    }

    fn range(&self, vertex: usize) -> Range<usize> {
        self.starts[vertex]..self.starts[vertex + 1]
    }

    /// The vertices that have items, and these.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u32, &[T])> {
        let all = 0..self.starts.len() - 1;
        let some = all.filter(|&vertex| !self.range(vertex).is_empty());
        some.map(|vertex| (vertex as u32, &self.items[self.range(vertex)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_a_plain_sort(
            items in prop::collection::vec((0u32..9, (0u32..4, 0u32..4)), 0..80),
        ) {
            let grouped = Grouped::sorted(9, || items.iter().copied());
            let mut sorted = items.clone();
            sorted.sort_unstable();
            let expected: Vec<(u32, Vec<_>)> = sorted
                .chunk_by(|a, b| a.0 == b.0)
                .map(|run| (run[0].0, run.iter().map(|&(_, item)| item).collect()))
                .collect();
            let found: Vec<(u32, Vec<_>)> =
                grouped.groups().map(|(vertex, items)| (vertex, items.to_vec())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
