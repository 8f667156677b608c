//! Rigid placements. `Pose::apply` defines where a posed vertex *is*: all exact engines decide on those coordinates.

use crate::{COORDINATE_MAX, Point, flush};

/// A rotation followed by a translation.
///
/// Invariant: `rotation` is a unit quaternion up to rounding, and `matrix` is made from it by
/// [`Pose::new`] alone, so equal quaternions give equal matrices bit for bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: [f64; 4],
    translation: Point,
    matrix: [[f64; 3]; 3],
}

/// Why seven numbers are no pose.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// A NaN or infinite number.
    #[error("a pose needs finite numbers, found {0}")]
    NotFinite(f64),
    /// A translation beyond what exact tests can handle.
    #[error("the translation {0:e} is too large; at most 2e90 is possible")]
    TooLarge(f64),
    /// The quaternion cannot be made a unit one.
    #[error("the quaternion has length {0:?}; a rotation needs one that is not (nearly) zero")]
    NoRotation(f64),
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self {
        rotation: [1.0, 0.0, 0.0, 0.0],
        translation: [0.0; 3],
        matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// From a quaternion `w x y z` (made a unit one if it is not) and a translation.
    pub fn new(
        rotation: impl Into<[f64; 4]>,
        translation: impl Into<Point>,
    ) -> Result<Self, PoseError> {
        let (quaternion, translation) = (rotation.into(), translation.into());
        if let Some(bad) = quaternion.iter().chain(&translation).find(|x| !x.is_finite()) {
            return Err(PoseError::NotFinite(*bad));
        }
        if let Some(far) = translation.iter().find(|x| x.abs() > COORDINATE_MAX) {
            return Err(PoseError::TooLarge(*far));
        }
        let rotation = unit(quaternion)?;
        Ok(Self { rotation, translation, matrix: matrix_of(rotation) })
    }

    /// A translation without rotation.
    pub fn shift(translation: impl Into<Point>) -> Result<Self, PoseError> {
        Self::new(Self::IDENTITY.rotation, translation)
    }

    /// From numbers that come out of valid poses: finite, the quaternion nearly a unit one. The
    /// translation may exceed the limit of [`Pose::new`] by a small factor, which does no harm.
    pub(crate) fn derived(rotation: [f64; 4], translation: Point) -> Self {
        let rotation = unit(rotation).unwrap_or(rotation);
        Self { rotation, translation, matrix: matrix_of(rotation) }
    }

    /// The unit quaternion, `w x y z`.
    pub fn rotation(&self) -> [f64; 4] {
        self.rotation
    }

    /// The translation.
    pub fn translation(&self) -> Point {
        self.translation
    }

    /// The rotation as a matrix, row by row.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        self.matrix
    }

    /// Body to world. The order of operations is part of the contract: per row
    /// `((m0·x + m1·y) + m2·z) + t`, each rounded to f64, never fused, then [`flush`].
    #[inline]
    pub fn apply(&self, point: &Point) -> Point {
        let [x, y, z] = *point;
        std::array::from_fn(|k| {
            let [m0, m1, m2] = self.matrix[k];
            flush(((m0 * x + m1 * y) + m2 * z) + self.translation[k])
        })
    }

    /// Turns a direction; no translation.
    #[inline]
    pub fn rotate(&self, direction: &Point) -> Point {
        let [x, y, z] = *direction;
        std::array::from_fn(|k| {
            let [m0, m1, m2] = self.matrix[k];
            (m0 * x + m1 * y) + m2 * z
        })
    }

    /// The pose that undoes this one, up to rounding.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let [w, x, y, z] = self.rotation;
        let rotation = [w, -x, -y, -z];
        let matrix = matrix_of(rotation);
        let back = Self { rotation, translation: [0.0; 3], matrix };
        Self { translation: back.rotate(&self.translation).map(|x| -x), ..back }
    }

    /// First `inner`, then this pose, up to rounding.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        self.after_parts(inner.rotation, &inner.translation)
    }

    /// First a pose that is given by its rotation and translation, then this one.
    pub(crate) fn after_parts(&self, [e, f, g, h]: [f64; 4], translation: &Point) -> Self {
        let [a, b, c, d] = self.rotation;
        let product = [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ];
        let moved = self.rotate(translation);
        Self::derived(product, std::array::from_fn(|k| moved[k] + self.translation[k]))
    }
}

/// Divides by the length, unless the length is one up to rounding already: then a pose written
/// out and read back keeps its bits.
fn unit(q: [f64; 4]) -> Result<[f64; 4], PoseError> {
    let largest = q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if (0.25..=2.0).contains(&largest) {
        // Most are like this, and scaling by a power of two would not change a bit.
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let is_unit = (length - 1.0).abs() <= 4.0 * f64::EPSILON;
        return Ok(if is_unit { q } else { q.map(|x| x / length) });
    }
    if largest < f64::MIN_POSITIVE {
        return Err(PoseError::NoRotation(largest));
    }
    // Scaled by a power of two, so that tiny and huge quaternions do not under- or overflow.
    let exponent = ((largest.to_bits() >> 52) as i32) - 1023;
    let scaled = q.map(|x| x * 0.5f64.powi(exponent / 2) * 0.5f64.powi(exponent - exponent / 2));
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    let true_length = length * 2f64.powi(exponent);
    if (true_length - 1.0).abs() <= 4.0 * f64::EPSILON {
        return Ok(q);
    }
    Ok(scaled.map(|x| x / length))
}

fn matrix_of([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Point> {
        prop::array::uniform3(-10.0..10.0f64)
    }

    fn poses() -> impl Strategy<Value = Pose> {
        (prop::array::uniform4(-1.0..1.0f64), points())
            .prop_filter_map("a zero quaternion", |(q, t)| Pose::new(q, t).ok())
    }

    proptest! {
        #[test]
        fn inverse_takes_points_back(pose in poses(), point in points()) {
            let there_and_back = pose.inverse().apply(&pose.apply(&point));
            for k in 0..3 {
                prop_assert!((there_and_back[k] - point[k]).abs() < 1e-11);
            }
        }

        #[test]
        fn after_is_composition(a in poses(), b in poses(), point in points()) {
            let (once, twice) = (a.after(&b).apply(&point), a.apply(&b.apply(&point)));
            for k in 0..3 {
                prop_assert!((once[k] - twice[k]).abs() < 1e-12);
            }
        }

        #[test]
        fn a_pose_survives_being_written_and_read(pose in poses()) {
            prop_assert_eq!(Pose::new(pose.rotation(), pose.translation()).unwrap(), pose);
        }
    }

    #[test]
    fn the_identity_keeps_bits_and_flushes() {
        let point = [0.1, -1e-12, 1e80];
        assert_eq!(Pose::IDENTITY.apply(&point), point);
        assert_eq!(Pose::IDENTITY.apply(&[1e-300, 1.0, 2.0]), [0.0, 1.0, 2.0]);
    }

    #[test]
    fn bad_numbers_are_refused_at_the_door() {
        assert_eq!(Pose::new([0.0; 4], [0.0; 3]), Err(PoseError::NoRotation(0.0)));
        assert!(matches!(
            Pose::new([f64::NAN, 0.0, 0.0, 0.0], [0.0; 3]),
            Err(PoseError::NotFinite(_))
        ));
        assert!(Pose::shift([f64::NAN, 0.0, 0.0]).is_err());
        assert_eq!(Pose::shift([0.0, 1e100, 0.0]), Err(PoseError::TooLarge(1e100)));
        assert!(Pose::new([1e-200, 0.0, 0.0, 0.0], [0.0; 3]).is_ok());
        assert!(Pose::new([1e300, 1e300, 0.0, 0.0], [0.0; 3]).is_ok());
    }
}
