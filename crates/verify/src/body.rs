//! A body as the check sees it: the corners of its faces in a stated order, ranges of faces that are
//! split in the middle, and a box around each range.

use glam::DVec3;
use impinge_geom::Point;

/// A range of faces, and its place in the tree of all ranges that splitting leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faces {
    index: usize,
    from: usize,
    to: usize,
}

impl Faces {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.to - self.from
    }

    /// The first and the second half; none if there is but one face.
    pub fn split(&self) -> Option<[Self; 2]> {
        let middle = self.from.midpoint(self.to);
        let half = |index, from, to| Self { index, from, to };
        (self.count() > 1).then(|| {
            [half(2 * self.index, self.from, middle), half(2 * self.index + 1, middle, self.to)]
        })
    }
}

/// A box around the corners of some faces.
#[derive(Clone, Copy, Debug)]
pub struct Boxed {
    /// Its middle.
    pub center: DVec3,
    /// Half of its size.
    pub half: DVec3,
    /// No coordinates of a corner add up to more, in amount.
    pub reach: f64,
}

/// The corners of all faces, in order, with a box for each range.
#[derive(Debug)]
pub struct Body {
    /// Coordinates one after the other, so that a scalar product with all of them is quick.
    corners: [Vec<f64>; 3],
    boxes: Vec<Boxed>,
}

const NOTHING: Boxed = Boxed { center: DVec3::ZERO, half: DVec3::ZERO, reach: 0.0 };

impl Body {
    /// From the faces in their order; none if there are none.
    pub fn new(faces: &[[Point; 3]]) -> Option<Self> {
        let root = Faces { index: 1, from: 0, to: faces.len() };
        if faces.is_empty() {
            return None;
        }
        let corners = [0, 1, 2].map(|k| faces.as_flattened().iter().map(|p| p[k]).collect());
        let mut ranges = vec![root];
        let mut at = 0;
        while let Some(range) = ranges.get(at) {
            let halves = range.split();
            ranges.extend(halves.into_iter().flatten());
            at += 1;
        }
        let last = ranges.iter().map(|range| range.index).max().unwrap_or(1);
        let mut bounds = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; last + 1];
        let mut body = Self { corners, boxes: vec![NOTHING; last + 1] };
        // The halves come after the whole, so backwards they are done first.
        for range in ranges.iter().rev() {
            bounds[range.index] = match range.split() {
                Some([a, b]) => {
                    let ([a0, a1], [b0, b1]) = (bounds[a.index], bounds[b.index]);
                    [a0.min(b0), a1.max(b1)]
                }
                None => faces[range.from].iter().fold(bounds[range.index], |[low, high], p| {
                    [low.min(DVec3::from(*p)), high.max(DVec3::from(*p))]
                }),
            };
            body.boxes[range.index] = boxed(bounds[range.index]);
        }
        Some(body)
    }

    /// All faces.
    pub fn all(&self) -> Faces {
        Faces { index: 1, from: 0, to: self.corners[0].len() / 3 }
    }

    /// The box around some faces.
    pub fn boxed(&self, faces: &Faces) -> &Boxed {
        &self.boxes[faces.index]
    }

    /// The least scalar product of a direction with a corner, up to rounding.
    pub fn least(&self, faces: &Faces, direction: DVec3) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| &self.corners[k][3 * faces.from..3 * faces.to]);
        let mut least = [f64::INFINITY; 3];
        for ((x, y), z) in x.chunks_exact(3).zip(y.chunks_exact(3)).zip(z.chunks_exact(3)) {
            for k in 0..3 {
                let product = direction.x * x[k] + direction.y * y[k] + direction.z * z[k];
                least[k] = if product < least[k] { product } else { least[k] };
            }
        }
        least[0].min(least[1]).min(least[2])
    }

    /// The corner that is least along a direction.
    pub fn support(&self, faces: &Faces, direction: DVec3) -> DVec3 {
        let mut best = (f64::INFINITY, 3 * faces.from);
        for i in 3 * faces.from..3 * faces.to {
            let product = self.corner(i).dot(direction);
            if product < best.0 {
                best = (product, i);
            }
        }
        self.corner(best.1)
    }

    /// The corners of each face of a range.
    pub fn faces(&self, faces: &Faces) -> impl Iterator<Item = [DVec3; 3]> {
        (faces.from..faces.to).map(|i| [0, 1, 2].map(|k| self.corner(3 * i + k)))
    }

    /// The corners of the first face of a range.
    pub fn face(&self, faces: &Faces) -> [Point; 3] {
        [0, 1, 2].map(|k| self.corner(3 * faces.from + k).into())
    }

    fn corner(&self, i: usize) -> DVec3 {
        DVec3::new(self.corners[0][i], self.corners[1][i], self.corners[2][i])
    }
}

fn boxed([low, high]: [DVec3; 2]) -> Boxed {
    let center = low.midpoint(high);
    // Rounded up, so that the box holds its corners whatever the rounding of its middle.
    let half = (high - center).max(center - low) * (1.0 + 4.0 * f64::EPSILON);
    let reach = low.abs().max(high.abs()).element_sum() * (1.0 + 4.0 * f64::EPSILON);
    Boxed { center, half, reach }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(count: usize) -> Vec<[Point; 3]> {
        let number = |i: usize| ((i * 7919 + 13) % 1009) as f64 / 100.0 - 5.0;
        (0..count)
            .map(|i| [0, 1, 2].map(|c| [0, 1, 2].map(|k| number(9 * i + 3 * c + k))))
            .collect()
    }

    #[test]
    fn ranges_cover_their_faces_and_boxes_their_corners() {
        for count in [1, 2, 3, 7, 64, 100] {
            let faces = faces(count);
            let body = Body::new(&faces).unwrap();
            let mut left = vec![body.all()];
            let mut seen = Vec::new();
            while let Some(range) = left.pop() {
                let Boxed { center, half, reach } = *body.boxed(&range);
                for corner in faces[range.from..range.to].as_flattened() {
                    let off = (DVec3::from(*corner) - center).abs();
                    assert!(off.cmple(half).all() && norm1(corner) <= reach);
                }
                let direction = DVec3::new(0.3, -2.0, 0.7);
                let least = body.least(&range, direction);
                assert_eq!(body.support(&range, direction).dot(direction), least);
                match range.split() {
                    Some(halves) => left.extend(halves.into_iter().rev()),
                    None => seen.push(body.face(&range)),
                }
            }
            assert_eq!(seen, faces);
        }
        assert!(Body::new(&[]).is_none());
    }

    fn norm1(p: &Point) -> f64 {
        p.iter().map(|x| x.abs()).sum()
    }
}
