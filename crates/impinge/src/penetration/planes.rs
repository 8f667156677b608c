//! The shortest translation that a few contacts, each taken as a plane, leave free.

use glam::DVec3;

/// More planes are not held at a time; all sets of three of them are tried.
const PLANES_MAX: usize = 8;
/// Planes whose normals have a larger product stand for the same contact.
const SAME: f64 = 0.99;
/// How far a point may lie under a plane that it was computed to be on, as a part of its length.
const SLACK: f64 = 1e-9;

/// Translations t with `normal · t ≥ offset` for each plane.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    planes: Vec<(DVec3, f64)>,
}

impl Planes {
    /// One more contact. Of two with nearly one normal the later is kept; of too many the oldest goes.
    pub(super) fn push(&mut self, normal: DVec3, offset: f64) {
        self.planes.retain(|(other, _)| other.dot(normal) < SAME);
        if self.planes.len() == PLANES_MAX {
            self.planes.remove(0);
        }
        self.planes.push((normal, offset));
    }

    /// Like [`Planes::push`], but of two with nearly one normal the farther is kept, and of too many
    /// the first.
    pub(super) fn push_farther(&mut self, normal: DVec3, offset: f64) {
        let full = self.planes.len() == PLANES_MAX;
        match self.planes.iter_mut().find(|(other, _)| other.dot(normal) >= SAME) {
            Some(plane) if offset > plane.1 => *plane = (normal, offset),
            None if !full => self.planes.push((normal, offset)),
            Some(_) | None => {}
        }
    }

    /// The normals of all planes.
    pub(super) fn normals(&self) -> impl Iterator<Item = DVec3> {
        self.planes.iter().map(|(normal, _)| *normal)
    }

    /// The shortest translation that satisfies all planes, unless they contradict each other: it lies
    /// on one of them, on the line of two or in the point of three.
    pub(super) fn nearest(&self) -> Option<DVec3> {
        let planes = &self.planes;
        let allowed = |t: DVec3| {
            let slack = SLACK * t.length();
            t.is_finite() && planes.iter().all(|(normal, offset)| normal.dot(t) >= offset - slack)
        };
        let mut best = Some(DVec3::ZERO).filter(|&t| allowed(t));
        let mut consider = |t: DVec3| {
            let shorter = best.is_none_or(|best: DVec3| t.length_squared() < best.length_squared());
            if shorter && allowed(t) {
                best = Some(t);
            }
        };
        for (i, &(n, o)) in planes.iter().enumerate() {
            consider(n * o);
            for (j, &(m, p)) in planes[..i].iter().enumerate() {
                let cosine = n.dot(m);
                let sine = 1.0 - cosine * cosine;
                consider((n * (o - p * cosine) + m * (p - o * cosine)) / sine);
                for &(l, q) in &planes[..j] {
                    let volume = n.dot(m.cross(l));
                    consider((m.cross(l) * o + l.cross(n) * p + n.cross(m) * q) / volume);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_corner_is_left_at_its_point_and_contradictions_are_noticed() {
        let mut planes = Planes::default();
        assert_eq!(planes.nearest(), Some(DVec3::ZERO));
        planes.push(DVec3::X, 1.0);
        planes.push(DVec3::Y, 2.0);
        planes.push(DVec3::Z, -1.0);
        assert_eq!(planes.nearest(), Some(DVec3::new(1.0, 2.0, 0.0)));
        planes.push(DVec3::Z, 3.0);
        assert_eq!(planes.nearest(), Some(DVec3::new(1.0, 2.0, 3.0)));
        planes.push(-DVec3::X, 0.0);
        assert_eq!(planes.nearest(), None);
    }

    proptest! {
        /// Against many points: none that satisfies all planes is shorter.
        #[test]
        fn nothing_shorter_is_allowed(
            planes in prop::collection::vec(
                (prop::array::uniform3(-1.0..1.0f64), -1.0..1.0f64),
                1..6,
            ),
            points in prop::collection::vec(prop::array::uniform3(-2.0..2.0f64), 200),
        ) {
            let mut all = Planes::default();
            for (normal, offset) in planes {
                if let Some(normal) = DVec3::from(normal).try_normalize() {
                    all.push(normal, offset);
                }
            }
            let nearest = all.nearest();
            for point in points.into_iter().map(DVec3::from) {
                if all.planes.iter().all(|(normal, offset)| normal.dot(point) >= *offset) {
                    let nearest = nearest.expect("there is an allowed point");
                    prop_assert!(nearest.length() <= point.length() * (1.0 + 1e-6));
                }
            }
        }
    }
}
